// @ts-check
// The arithmetic of a code on a short message: a long division, or a table of sums.

import { complain, el, make } from "./dom.js";
import { Cancelled } from "./client.js";

/** @typedef {import("./client.js").Client} Client */

/** Lines of figures; all others are sentences. */
const FIGURES = /^ {2}|^[a-z]+ {2,}/;

export class Explanation {
  /** @param {Client} client */
  constructor(client) {
    this.client = client;
    this.spec = "";
    el("explain-form").addEventListener("submit", (/** @type {Event} */ event) =>
      event.preventDefault(),
    );
    el("explain-form").addEventListener("input", () => this.show(this.spec));
  }

  /** @param {string} spec the code as text */
  async show(spec) {
    this.spec = spec;
    el("explain").hidden = !spec;
    if (!spec) return;
    try {
      const kind = el("explain-kind").value;
      const question = { do: "explain", code: spec, kind, data: el("explain-data").value };
      const { lines } = await this.client.ask(question);
      complain("explain-error", "", el("explain-data"));
      el("explain-steps").replaceChildren(...blocks(lines));
    } catch (error) {
      if (error instanceof Cancelled) return;
      complain("explain-error", /** @type {Error} */ (error).message, el("explain-data"));
      el("explain-steps").replaceChildren();
    }
    document.body.dataset.explained = spec;
  }
}

/**
 * Returns paragraphs, and pictures of figures that scroll.
 * @param {string[]} lines
 */
function blocks(lines) {
  /** @type {HTMLElement[]} */
  const made = [];
  /** @type {string[]} */
  let figures = [];
  const flush = () => {
    while (figures.length && !figures[figures.length - 1]) figures.pop();
    if (figures.length) made.push(picture(figures));
    figures = [];
  };
  for (const line of lines) {
    if (FIGURES.test(line) || (line === "" && figures.length)) figures.push(line);
    else {
      flush();
      if (line) made.push(make("p", { class: "hint" }, line));
    }
  }
  flush();
  return made;
}

/** @param {string[]} lines */
function picture(lines) {
  const inside = lines.map((line, i) => {
    const rule = /^ *-+$/.test(line);
    // In a division, the generator is above a line of dashes.
    const generator = !rule && /^ *-+$/.test(lines[i + 1] ?? "");
    const result = /^value {2}/.test(line);
    const kind = rule ? "rule" : generator ? "generator" : result ? "result" : "";
    return make("span", kind ? { class: `step ${kind}` } : { class: "step" }, `${line}\n`);
  });
  const attributes = { class: "mono", tabindex: "0", role: "group", "aria-label": "Computation" };
  return make("pre", attributes, ...inside);
}
