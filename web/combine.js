// @ts-check
// The view of combination and edits.

import { options } from "./code.js";
import { copies } from "./copy.js";
import { complain, el } from "./dom.js";
import { Cancelled } from "./client.js";

/** @typedef {import("./client.js").Client} Client */

/** @param {string} id */
function number(id) {
  const value = Number(el(id).value.replace(/[\s,_]/g, ""));
  if (!el(id).value.trim() || !Number.isSafeInteger(value) || value < 0) {
    throw new Error(`expected a number of bytes, got “${el(id).value}”`);
  }
  return value;
}

/** @type {(value: string, length: string) => { value: string, length: number }} */
const part = (value, length) => ({ value: el(value).value, length: number(length) });

/** @type {Record<string, { output: string, question: () => object }>} */
const FORMS = {
  combine: {
    output: "combine-value",
    question: () => ({
      first: part("combine-a", "combine-m"),
      second: part("combine-b", "combine-n"),
    }),
  },
  edit: {
    output: "edit-after",
    question: () => ({
      part: part("edit-value", "edit-length"),
      offset: number("edit-offset"),
      old: el("edit-old").value,
      new: el("edit-new").value,
    }),
  },
};

/**
 * @param {Record<string, Client>} clients one for each form
 * @param {import("./match.js").Code[]} codes
 */
export function combination(clients, codes) {
  /** @param {string} name */
  const update = async name => {
    const { output, question } = FORMS[name];
    try {
      const answer = await clients[name].ask({
        do: name,
        code: el(`${name}-code`).value,
        ...question(),
      });
      el(output).textContent = answer.value;
      complain(`${name}-error`, "");
    } catch (error) {
      if (error instanceof Cancelled) return;
      el(output).textContent = "";
      complain(`${name}-error`, /** @type {Error} */ (error).message);
    }
  };
  for (const [name, start] of [
    ["combine", "crc-32/iscsi"],
    ["edit", "internet"],
  ]) {
    const { output } = FORMS[name];
    copies(el(`${output}-copy`), "the value", () => el(output).textContent);
    options(el(`${name}-code`), codes);
    el(`${name}-code`).dataset.start = start;
    el(`${name}-code`).value = start;
    el(`${name}-form`).addEventListener("input", () => update(name));
    el(`${name}-form`).addEventListener("submit", (/** @type {Event} */ event) =>
      event.preventDefault(),
    );
  }
  return () => Promise.all(Object.keys(FORMS).map(update));
}
