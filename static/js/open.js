// Opens bundles in this browser: reads chosen and dropped files, hands their bytes to the WebAssembly module of
// the page, and puts the finished HTML that it gives back into place. What a file says is escaped there.
//
// Nothing is fetched with a file's content, and nothing is sent but on a click on the upload page.

const desk = document.getElementById("desk");
const input = document.getElementById("files");
const said = document.getElementById("said");
const wrong = document.getElementById("wrong");
const shown = document.getElementById("shown");
const list = document.getElementById("open-files");
const publish = document.getElementById("publish");
const [checking, notLoaded, notRead, remove, makeFirst, baseline, chartFailed] = desk.dataset.texts.split("\n");

// One byte more than a bundle may have is enough to know that it is too large.
const MOST_BYTES = 8 * 1024 * 1024 + 1;
const dark = matchMedia("(prefers-color-scheme: dark)");

let module;
let opened;
let bytesOf = [];
let takeDown = [];

function load() {
  module ??= import(desk.dataset.module)
    .then(async (loaded) => {
      await loaded.default({ module_or_path: desk.dataset.wasm });
      return loaded;
    })
    .catch((error) => {
      module = undefined;
      throw error;
    });
  return module;
}

// After a trap the module's memory cannot be trusted: everything open is given up.
function giveUp() {
  module = undefined;
  opened = undefined;
  bytesOf = [];
  for (const down of takeDown.splice(0)) down();
  shown.replaceChildren();
  list.hidden = true;
  if (publish) publish.hidden = true;
}

// A frame later what was said is seen, and read out.
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function take(files) {
  wrong.replaceChildren();
  said.textContent = checking;
  input.disabled = true;
  try {
    const { Desk } = await load();
    opened ??= new Desk(document.documentElement.lang);
    if (publish) while (opened.count() > 0) forget(0);
    for (const file of publish ? files.slice(0, 1) : files) await add(file);
    show();
  } catch (error) {
    console.error(error);
    said.textContent = "";
    complain(opened ? notRead : notLoaded);
    giveUp();
  }
  input.disabled = false;
  input.value = "";
}

async function add(file) {
  let bytes;
  try {
    bytes = new Uint8Array(await file.slice(0, MOST_BYTES).arrayBuffer());
  } catch (error) {
    console.warn(error);
    complain(`${file.name}: ${notRead}`);
    return;
  }
  await painted();
  const reason = opened.add(file.name, bytes, Date.now());
  if (reason) complain(reason);
  else bytesOf.push(bytes);
}

function complain(text) {
  const line = document.createElement("p");
  line.className = "care";
  line.textContent = text;
  wrong.append(line);
}

function forget(index) {
  opened.remove(index);
  bytesOf.splice(index, 1);
}

function button(text, of, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.setAttribute("aria-label", `${text}: ${of}`);
  made.addEventListener("click", action);
  return made;
}

function listFiles() {
  const count = opened.count();
  const items = Array.from({ length: count }, (_, index) => {
    const item = document.createElement("li");
    const title = opened.title(index);
    const name = document.createElement("bdi");
    name.textContent = title;
    const links = document.createElement("span");
    links.className = "links";
    const first = index > 0
      ? button(makeFirst, title, () => {
        opened.make_first(index);
        bytesOf.unshift(...bytesOf.splice(index, 1));
        show();
        list.querySelector("button")?.focus();
      })
      : baseline;
    const away = button(remove, title, () => {
      forget(index);
      wrong.replaceChildren();
      show();
      (list.querySelector("button") ?? input).focus();
    });
    links.append(...(count > 1 ? [first, " ", away] : [away]));
    item.append(name, " ", links);
    return item;
  });
  list.querySelector("ol").replaceChildren(...items);
  list.hidden = count === 0;
}

function show() {
  for (const down of takeDown.splice(0)) down();
  said.textContent = opened.told();
  document.getElementById("intro").hidden = opened.count() > 0;
  listFiles();
  offerUpload();
  // Finished HTML of the same functions that write the server's pages: they escape whatever is an uploader's.
  shown.innerHTML = opened.page();
  drawOnSight();
}

function drawOnSight() {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      draw(target).catch((error) => {
        console.error(error);
        target.textContent = chartFailed;
      });
    }
  }, { rootMargin: "400px" });
  for (const place of shown.querySelectorAll(".chart.here")) {
    // As high as it will be at this width, so that nothing moves when it is drawn.
    place.style.aspectRatio = `${place.dataset.width} / ${place.dataset.height}`;
    observer.observe(place);
  }
  takeDown.push(() => observer.disconnect());
}

async function draw(place) {
  const here = opened;
  const { show: showChart } = await import(desk.dataset.chart);
  const option = ({ width }) => {
    if (here !== opened || !place.isConnected) throw new Error("the file was closed");
    return JSON.parse(opened.chart(place.dataset.chart, dark.matches, width));
  };
  const down = await showChart(place, desk.dataset.library, option);
  if (place.isConnected) takeDown.push(down);
  else down();
}

function offerUpload() {
  if (!publish) return;
  publish.hidden = opened.count() === 0;
  const [start, link] = publish.children;
  start.disabled = false;
  link.hidden = true;
}

async function send() {
  const [publishing, published, publishedBefore, refused, notSent] = desk.dataset.upload.split("\n");
  const [start, link] = publish.children;
  const id = opened.id(0);
  wrong.replaceChildren();
  said.textContent = publishing;
  start.disabled = true;
  const again = (text) => {
    said.textContent = "";
    complain(text);
    start.disabled = false;
  };
  let response;
  try {
    const headers = { "content-type": "application/vnd.cliffmark.bundle+zstd" };
    response = await fetch("/api/v1/bundles", { method: "POST", headers, body: bytesOf[0] });
  } catch (error) {
    console.warn(error);
    again(notSent);
    return;
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    again(`${refused} ${problem.detail ?? problem.title ?? response.status}`);
    return;
  }
  said.textContent = response.status === 201 ? published : publishedBefore;
  link.href = `/results/${id}${location.search}`;
  link.hidden = false;
  link.focus();
}

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  // Without it the browser would leave the page for the file.
  event.preventDefault();
  desk.classList.add("over");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) desk.classList.remove("over");
});
addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  desk.classList.remove("over");
  if (!input.disabled) take([...event.dataTransfer.files]);
});
input.addEventListener("change", () => take([...input.files]));
publish?.querySelector("button").addEventListener("click", send);
input.disabled = false;
desk.dataset.ready = "yes";
