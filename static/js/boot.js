// Starts the islands of a page. Its own tag (id "boot") names the WebAssembly module and its script, so
// that no address is written into this file and no script into the page.
//
// Everything works without it: the server's HTML is complete.

const tag = document.getElementById("boot");

// Names of islands end in a number that depends on the compiler; the server and the module may have been
// built by different ones, so the name alone decides.
const plain = (name) => name.replace(/_\d+$/, "");

// Asked for by islands: loads the drawing script on demand, copies a text of this server.
globalThis.cliffmark = {
  async showChart(place, chartScript, library, optionAddress) {
    const { show } = await import(chartScript);
    return show(place, library, optionAddress);
  },
  // The text is fetched inside of the copying, so that the reader's click still counts when it arrives.
  async copyText(address) {
    const text = fetch(address).then((response) => {
      if (!response.ok) throw new Error(`${address} answered ${response.status}`);
      return response.text();
    });
    if (globalThis.ClipboardItem && navigator.clipboard.write) {
      const blob = text.then((words) => new Blob([words], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    } else {
      await navigator.clipboard.writeText(await text);
    }
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

// Pictures below the fold are loaded lazily and tables are folded; a printed page needs them all.
const opened = [];
addEventListener("beforeprint", () => {
  for (const image of document.querySelectorAll("img[loading=lazy]")) image.loading = "eager";
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.open = true;
    opened.push(details);
  }
});
addEventListener("afterprint", () => {
  for (const details of opened.splice(0)) details.open = false;
});

if (tag?.dataset.app && tag.dataset.wasm) {
  start().catch((error) => console.error("The page stays as the server sent it.", error));
}
