// @ts-check
// Source code of a CRC as a function.

import { el } from "./dom.js";
import { copies } from "./copy.js";
import { Cancelled } from "./client.js";

/** @typedef {import("./client.js").Client} Client */

const HINTS = {
  bitwise: "One bit at a time: the shortest code, for little memory.",
  table: "One byte at a time, with a table of 256 values.",
  slicing: "Eight bytes at a time, with eight tables: fastest without special instructions.",
};

export class Source {
  /** @param {Client} client */
  constructor(client) {
    this.client = client;
    this.spec = "";
    for (const id of ["language", "method"])
      el(id).addEventListener("input", () => this.show(this.spec));
    copies(el("snippet-copy"), "the source code", () => el("snippet").textContent);
  }

  /** @param {string} spec a CRC as text; empty for none */
  async show(spec) {
    this.spec = spec;
    el("export").hidden = !spec;
    if (!spec) return;
    const [language, method] = [el("language").value, el("method").value];
    document.body.dataset.source = "";
    try {
      const answer = await this.client.ask({ do: "source", code: spec, language, method });
      el("snippet").textContent = answer.source;
      el("snippet-copy").hidden = false;
    } catch (error) {
      if (error instanceof Cancelled) return;
      el("snippet").textContent = /** @type {Error} */ (error).message;
      el("snippet-copy").hidden = true;
    }
    const hint = HINTS[/** @type {keyof typeof HINTS} */ (method)] ?? "";
    el("snippet-hint").textContent =
      `${hint} Pass the value so far with each further piece of data. Free to use for any purpose.`;
    document.body.dataset.source = `${spec} ${language} ${method}`;
  }
}
