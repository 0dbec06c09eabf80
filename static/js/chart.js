// Draws an ECharts option over its picture: loads the library once, follows the size of its place and
// the reader's colour scheme, and takes everything down again.
//
// The option comes from the server and holds no functions; this file adds one, which looks texts of it up.

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

// The size that the picture under the place was laid out for, by the source that this window takes: the chart
// over it looks the same. Attributes, since a picture that was not loaded yet knows no size of its own.
function sizeOf(place) {
  const picture = place.parentElement.querySelector("picture");
  // Without one the place itself says how wide it is, in steps, and the option how high.
  if (!picture) return { width: Math.max(320, Math.floor(place.clientWidth / 40) * 40), height: undefined };
  const sources = [...picture.querySelectorAll("source")];
  const taken = sources.find((source) => matchMedia(source.media).matches) ?? picture.querySelector("img");
  return { width: Number(taken.getAttribute("width")), height: Number(taken.getAttribute("height")) };
}

// Figures in a tooltip are the texts that stand in the picture: with their unit, or the word in their place.
function withTexts(option) {
  const series = [option.series].flat().map((one) => {
    const texts = (one.markPoint?.data ?? one.data).map((item) => item?.name ?? "");
    return { ...one, tooltip: { ...one.tooltip, valueFormatter: (value, index) => texts[index] || "none" } };
  });
  return { ...option, series };
}

const fetched = (address) => async ({ width, height }) => {
  const url = new URL(address, location.href);
  url.searchParams.set("theme", dark.matches ? "dark" : "light");
  url.searchParams.set("w", width);
  url.searchParams.set("h", height);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  return { option: await response.json(), height };
};

/**
 * Draws an option into `place`: the one at an address, or what a function gives for a size, `{ option, height }`; gives
 * back the function that takes it down.
 */
export async function show(place, libraryAddress, source) {
  const optionFor = typeof source === "function" ? source : fetched(source);
  let size = sizeOf(place);
  const [echarts, first] = await Promise.all([load(libraryAddress), optionFor(size)]);
  let height = first.height;
  const canvas = document.createElement("div");
  canvas.className = "drawing";
  place.replaceChildren(canvas);
  const layOut = () => {
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${height}px`;
  };
  layOut();
  const scale = () => place.clientWidth / canvas.clientWidth;
  const fit = () => {
    canvas.style.transform = `scale(${scale()})`;
    // A place over no picture has no height of its own.
    if (size.height === undefined) place.style.aspectRatio = `${size.width} / ${height}`;
  };
  const sharpness = devicePixelRatio * Math.max(scale(), 1);
  const chart = echarts.init(canvas, null, { renderer: "canvas", locale: "EN", devicePixelRatio: sharpness });
  let gone = false;

  const draw = (option) => chart.setOption({ ...withTexts(option), animation: !still.matches }, { notMerge: true });
  const redraw = async () => {
    const wanted = size;
    const next = await optionFor(wanted);
    // A later change of the window has asked for another size meanwhile.
    if (gone || wanted !== size) return;
    height = next.height;
    layOut();
    chart.resize();
    draw(next.option);
    fit();
  };
  draw(first.option);

  const onScheme = () => redraw().catch((error) => console.warn("The chart keeps its looks.", error));
  dark.addEventListener("change", onScheme);
  const observer = new ResizeObserver(() => {
    fit();
    // On a narrow window the picture is another one, with letters of the same size in less width.
    const now = sizeOf(place);
    if (now.width !== size.width) {
      size = now;
      onScheme();
    }
  });
  observer.observe(place);

  return () => {
    gone = true;
    observer.disconnect();
    dark.removeEventListener("change", onScheme);
    chart.dispose();
    place.replaceChildren();
  };
}
