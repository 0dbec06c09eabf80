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

// The size that the picture under the place was laid out for: the chart over it looks the same.
function sizeOf(place) {
  const picture = place.parentElement.querySelector("img");
  const width = picture?.naturalWidth || place.clientWidth;
  const height = picture?.naturalHeight || place.clientHeight;
  return { width: Math.round(width), height: Math.round(height) };
}

async function fetchOption(address, { width, height }) {
  const url = new URL(address, location.href);
  url.searchParams.set("theme", dark.matches ? "dark" : "light");
  url.searchParams.set("w", width);
  url.searchParams.set("h", height);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  return response.json();
}

/**
 * Draws the option at `optionAddress` into `place`; gives back the function that takes it down.
 */
export async function show(place, libraryAddress, optionAddress) {
  const size = sizeOf(place);
  const [echarts, first] = await Promise.all([load(libraryAddress), fetchOption(optionAddress, size)]);
  const canvas = document.createElement("div");
  canvas.className = "drawing";
  place.replaceChildren(canvas);
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
  const scale = () => place.clientWidth / size.width;
  const sharpness = devicePixelRatio * Math.max(scale(), 1);
  const chart = echarts.init(canvas, null, { renderer: "canvas", locale: "EN", devicePixelRatio: sharpness });
  let gone = false;

  const draw = (option) => chart.setOption({ ...option, animation: !still.matches }, { notMerge: true });
  const redraw = async () => {
    const option = await fetchOption(optionAddress, size);
    if (!gone) draw(option);
  };
  draw(first);

  const onScheme = () => redraw().catch((error) => console.warn("The chart keeps its colours.", error));
  dark.addEventListener("change", onScheme);
  const fit = () => { canvas.style.transform = `scale(${scale()})`; };
  const observer = new ResizeObserver(fit);
  observer.observe(place);

  return () => {
    gone = true;
    observer.disconnect();
    dark.removeEventListener("change", onScheme);
    chart.dispose();
    place.replaceChildren();
  };
}
