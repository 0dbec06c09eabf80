// Stands behind ECharts in one module and draws one option. Nothing here is ever built out of text from
// outside: the option arrives as a string and meets JSON.parse, and the engine has no `eval` at all.

// ECharts asks for timers only to animate and to redraw on its own; a picture needs neither.
globalThis.setTimeout = () => 0;
globalThis.clearTimeout = () => {};

// ECharts keeps labels as keys of plain objects. Without this accessor `__proto__` is a key like any other,
// and a drive of that name cannot reach the prototype of all objects.
delete Object.prototype.__proto__;

// `measure(text, font)` gives the width in pixels.
export function draw(json, width, height, fontFamily, measure) {
  const option = JSON.parse(json);
  if (option === null || typeof option !== "object" || Array.isArray(option)) {
    throw new TypeError("the option is not an object");
  }
  // An option with rules for media may keep its chart one level deeper.
  const base = option.baseOption ?? option;
  base.animation = false;
  const series = [base.series ?? []].flat();
  for (const one of series) {
    if (one === null || typeof one !== "object") throw new TypeError("a series is not an object");
    delete one.animation;
  }

  const echarts = globalThis.echarts;
  echarts.setPlatformAPI({
    // A lone surrogate cannot cross over to UTF-8.
    measureText: (text, font) => ({ width: measure(String(text).toWellFormed(), String(font)) }),
  });
  const theme = { textStyle: { fontFamily: `${fontFamily}, sans-serif` } };
  const chart = echarts.init(null, theme, { renderer: "svg", ssr: true, width, height });
  chart.setOption(option);
  // ECharts leaves out a series of a type it does not know, and draws an empty picture.
  for (const { type } of series) {
    if (chart.getModel().getSeriesByType(type).length === 0) {
      throw new TypeError(`there is no series of the type ${JSON.stringify(type)}`);
    }
  }
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg.toWellFormed();
}
