// Starts the islands of a page. Its own tag (id "boot") names the WebAssembly module and its script, so
// that no address is written into this file and no script into the page.
//
// Everything works without it: the server's HTML is complete.

const tag = document.getElementById("boot");

// Names of islands end in a number that depends on the compiler; the server and the module may have been
// built by different ones, so the name alone decides.
const plain = (name) => name.replace(/_\d+$/, "");

// Asked for by the chart island: loads the drawing script on demand.
globalThis.cliffmark = {
  async showChart(place, chartScript, library, optionAddress) {
    const { show } = await import(chartScript);
    return show(place, library, optionAddress);
  },
};

async function start() {
  const app = await import(tag.dataset.app);
  await app.default({ module_or_path: tag.dataset.wasm });
  app.hydrate();
  const islands = new Map(Object.keys(app).map((name) => [plain(name), app[name]]));
  for (const element of document.querySelectorAll("leptos-island")) {
    const hydrate = islands.get(plain(element.dataset.component ?? ""));
    if (hydrate) {
      await hydrate(element);
    } else {
      console.error(`The module has no island ${element.dataset.component}.`);
    }
  }
  document.documentElement.dataset.scripts = "run";
}

// Pictures below the fold are loaded lazily; a printed page needs them all.
addEventListener("beforeprint", () => {
  for (const image of document.querySelectorAll("img[loading=lazy]")) image.loading = "eager";
});

if (tag?.dataset.app && tag.dataset.wasm) {
  start().catch((error) => console.error("The page stays as the server sent it.", error));
}
