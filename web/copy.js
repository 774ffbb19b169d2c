// @ts-check
// Buttons that copy a text.

import { el, make } from "./dom.js";

/** Milliseconds for which a button shows that it copied. */
const SHOWN = 1500;

/**
 * Copies a text; returns whether the browser allowed it.
 * @param {string} text
 */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without the permission, and in pages from a file in some browsers: as a selection.
    const field = make("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    /** @type {any} */ (field).value = text;
    const focused = /** @type {any} */ (document.activeElement);
    document.body.append(field);
    /** @type {any} */ (field).select();
    const done = document.execCommand("copy");
    field.remove();
    focused?.focus?.();
    return done;
  }
}

/**
 * Makes a button copy a text.
 * @type {(button: HTMLElement, what: string, text: () => string) => void}
 */
export function copies(button, what, text) {
  let timer = 0;
  button.addEventListener("click", async () => {
    const done = await copied(text());
    el("announcement").textContent = done ? `Copied ${what}` : "The browser forbids copying";
    button.classList.toggle("done", done);
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.classList.remove("done");
      el("announcement").textContent = "";
    }, SHOWN);
  });
}

/**
 * Creates a button with a picture that copies a text.
 * @type {(what: string, text: string) => HTMLElement}
 */
export function copyButton(what, text) {
  const label = `Copy ${what}`;
  const button = make("button", { type: "button", class: "copy", "aria-label": label });
  button.title = label;
  copies(button, what, () => text);
  return button;
}
