// Draws an ECharts option over its picture: loads the library once, follows the size of its place and
// the reader's colour scheme, and takes everything down again.
//
// The option comes from the server and holds no functions; this file adds none.

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

let library;

function load(address) {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(globalThis.echarts);
    script.onerror = () => {
      library = undefined;
      script.remove();
      reject(new Error(`${address} could not be loaded`));
    };
    document.head.append(script);
  });
  return library;
}

// The option for the place as it is now. Widths are rounded so that a cache meets few of them.
async function fetchOption(address, place) {
  const url = new URL(address, location.href);
  const width = Math.floor(place.clientWidth / 20) * 20;
  url.searchParams.set("theme", dark.matches ? "dark" : "light");
  url.searchParams.set("w", Math.min(Math.max(width, 320), 1600));
  url.searchParams.set("h", Math.min(Math.max(Math.floor(place.clientHeight), 200), 1200));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  return response.json();
}

/**
 * Draws the option at `optionAddress` into `place`; gives back the function that takes it down.
 */
export async function show(place, libraryAddress, optionAddress) {
  const [echarts, first] = await Promise.all([load(libraryAddress), fetchOption(optionAddress, place)]);
  const canvas = document.createElement("div");
  canvas.className = "drawing";
  place.replaceChildren(canvas);
  const chart = echarts.init(canvas, null, { renderer: "canvas", locale: "EN" });
  let gone = false;

  const draw = (option) => chart.setOption({ ...option, animation: !still.matches }, { notMerge: true });
  const redraw = async () => {
    const option = await fetchOption(optionAddress, place);
    if (!gone) draw(option);
  };
  draw(first);

  const onScheme = () => redraw().catch((error) => console.warn("The chart keeps its colours.", error));
  dark.addEventListener("change", onScheme);
  const observer = new ResizeObserver(() => chart.resize());
  observer.observe(canvas);

  return () => {
    gone = true;
    observer.disconnect();
    dark.removeEventListener("change", onScheme);
    chart.dispose();
    place.replaceChildren();
  };
}
