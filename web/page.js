// @ts-check
// Assembles the page.

import { Captures } from "./capture.js";
import { CodeView } from "./code.js";
import { combination } from "./combine.js";
import { copied } from "./copy.js";
import { complain, el } from "./dom.js";
import { Client } from "./client.js";
import { Explanation } from "./explain.js";
import { Identify } from "./identify.js";
import { restore, written } from "./link.js";
import { unpacked } from "./lzma.js";
import { Source } from "./source.js";
import { Values } from "./values.js";

const VIEWS = ["values", "code", "identify", "capture", "combine"];

/** Milliseconds without a keystroke before the history has the text. */
const PAUSE = 400;

/** Compiles the WebAssembly module, which the page contains by LZMA, as base64. */
async function compiled() {
  const letters = atob(el("wasm").textContent.trim());
  return WebAssembly.compile(unpacked(Uint8Array.from(letters, letter => letter.charCodeAt(0))));
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
    tab.addEventListener("click", () => {
      show(name);
      remember(true);
    });
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
      remember(true);
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

/**
 * Keeps the form in the browser's history: as a new entry, or in place of the present one. The
 * address contains neither data nor values, because browsers keep and synchronise addresses; the
 * entry itself does.
 * @param {boolean} step whether the back button should return to the form as it was
 */
function remember(step) {
  clearTimeout(pending);
  const form = written(shown(), true).text;
  title();
  if (history.state?.form === form) return;
  const address = written(shown(), false).text;
  const url = location.href.split("#")[0] + (address ? `#${address}` : "");
  if (step) history.pushState({ form }, "", url);
  else history.replaceState({ form }, "", url);
}

/** Names the view, and the code that it shows, for tabs and bookmarks. */
function title() {
  const view = shown();
  const what = view === "code" ? el("code-name").value : el(`tab-${view}`).textContent;
  document.title =
    view === VIEWS[0] ? "residue: CRCs and checksums" : `${what} – residue: CRCs and checksums`;
}

/** Timer of the entry for typed text. */
let pending = 0;

function entries() {
  document.addEventListener("input", event => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.dataset.link) return;
    clearTimeout(pending);
    // A choice is a step; a letter is none.
    const chosen = target.matches("select, [type=radio], [type=checkbox]");
    if (chosen) remember(true);
    else pending = setTimeout(() => remember(false), PAUSE);
  });
}

function links() {
  el("make-link").addEventListener("click", async () => {
    const { text, whole } = written(shown(), true);
    const url = `${location.href.split("#")[0]}#${text}`;
    history.replaceState({ form: text }, "", url);
    el("link").hidden = false;
    el("link").value = url;
    el("link").select();
    const where = (await copied(url)) ? "Copied." : "Copy it from here, or from the address bar.";
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
  const open = (/** @type {string} */ spec) => {
    show("code");
    view.show(spec).then(() => remember(true));
    el("tab-code").focus();
    scrollTo(0, 0);
  };
  const values = new Values(main, codes, code => open(code.name));
  const [source, explanation] = [new Source(client()), new Explanation(client())];
  const own = (/** @type {any} */ code) => values.setOwn(code);
  const view = new CodeView(client(), client(), source, explanation, codes, own);
  new Identify(client(), open);
  const captures = new Captures(client());
  const combine = combination({ combine: client(), edit: client() }, codes);
  tabs();
  drops(values, captures);
  links();
  entries();
  const all = async () => {
    show(restore(history.state?.form ?? location.hash.slice(1)));
    title();
    await view.describe(el("code-name").value !== "custom");
    await Promise.all([values.compute(), combine()]);
  };
  addEventListener("popstate", all);
  await all();
  document.body.dataset.ready = "yes";
}

begin().catch(error =>
  complain("trouble", `the page cannot start: ${error.message}. Is WebAssembly disabled?`),
);
