// @ts-check
// Assembles the page.

import { Captures } from "./capture.js";
import { CodeView } from "./code.js";
import { combination } from "./combine.js";
import { complain, el } from "./dom.js";
import { Client } from "./client.js";
import { restore, written } from "./link.js";
import { Values } from "./values.js";

const VIEWS = ["values", "code", "capture", "combine"];

/** Compiles the WebAssembly module, which the page contains as base64. */
function compiled() {
  const letters = atob(el("wasm").textContent.trim());
  return WebAssembly.compile(Uint8Array.from(letters, letter => letter.charCodeAt(0)));
}

/** @param {string} view */
function show(view) {
  for (const name of VIEWS) {
    const chosen = name === (VIEWS.includes(view) ? view : VIEWS[0]);
    el(name).hidden = !chosen;
    el(`tab-${name}`).setAttribute("aria-selected", String(chosen));
    el(`tab-${name}`).tabIndex = chosen ? 0 : -1;
  }
}

const shown = () => VIEWS.find(name => !el(name).hidden) ?? VIEWS[0];

function tabs() {
  for (const [i, name] of VIEWS.entries()) {
    const tab = el(`tab-${name}`);
    tab.addEventListener("click", () => show(name));
    tab.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to =
        event.key === "Home"
          ? 0
          : event.key === "End"
            ? VIEWS.length - 1
            : step && (i + step + VIEWS.length) % VIEWS.length;
      if (to === undefined) return;
      event.preventDefault();
      show(VIEWS[to]);
      el(`tab-${VIEWS[to]}`).focus();
    });
  }
}

/** @type {(values: Values, captures: Captures) => void} */
function drops(values, captures) {
  document.addEventListener("dragover", event => {
    event.preventDefault();
    document.body.classList.add("over");
  });
  document.addEventListener("dragleave", event => {
    if (!event.relatedTarget) document.body.classList.remove("over");
  });
  document.addEventListener("drop", event => {
    event.preventDefault();
    document.body.classList.remove("over");
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    const isCapture =
      shown() === "capture" ||
      files.every(file => /\.(pcap|pcapng|cap|dmp)(\.gz|\.zst)?$/i.test(file.name));
    show(isCapture ? "capture" : "values");
    // The control shows the dropped files, as if they had been chosen there.
    const control = el(isCapture ? "captures" : "file");
    const carried = new DataTransfer();
    for (const file of control.multiple ? files : files.slice(0, 1)) carried.items.add(file);
    control.files = carried.files;
    if (isCapture) captures.verify(files);
    else values.drop(files[0]);
  });
}

function links() {
  el("make-link").addEventListener("click", async () => {
    const { text, whole } = written(shown());
    const url = `${location.href.split("#")[0]}#${text}`;
    history.replaceState(null, "", url);
    el("link").hidden = false;
    el("link").value = url;
    el("link").select();
    const copied = await navigator.clipboard?.writeText(url).then(
      () => true,
      () => false,
    );
    const where = copied ? "Copied." : "Copy it from here, or from the address bar.";
    const left = whole ? "" : " It does not contain files and long data.";
    el("link-note").textContent = where + left;
  });
}

async function begin() {
  const module = await compiled();
  const code = URL.createObjectURL(
    new Blob([el("worker").textContent], { type: "text/javascript" }),
  );
  const client = () =>
    new Client(() => {
      const worker = new Worker(code);
      worker.postMessage({ module });
      return worker;
    });
  const main = client();
  const { codes, version } = await main.ask({ do: "list" });
  el("version").textContent = version;
  const values = new Values(main, codes, code => {
    show("code");
    view.show(code.name);
    el("tab-code").focus();
    scrollTo(0, 0);
  });
  const view = new CodeView(client(), client(), codes, own => values.setOwn(own));
  const captures = new Captures(client());
  const combine = combination({ combine: client(), edit: client() }, codes);
  tabs();
  drops(values, captures);
  links();
  const all = async () => {
    show(restore(location.hash.slice(1)));
    await view.describe(el("code-name").value !== "custom");
    await Promise.all([values.compute(), combine()]);
  };
  addEventListener("hashchange", all);
  await all();
  document.body.dataset.ready = "yes";
}

begin().catch(error =>
  complain("trouble", `the page cannot start: ${error.message}. Is WebAssembly disabled?`),
);
