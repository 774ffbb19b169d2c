// @ts-check
// Links that restore the form: the controls that differ from their initial values, after the `#`.

/** Length of the longest data that a link contains. */
const LONGEST = 4000;

/** @returns {any[]} */
const controls = () => [...document.querySelectorAll("[data-link]")];

/** @param {any} control */
function start(control) {
  if (control.type === "checkbox") return control.defaultChecked ? "1" : "0";
  return control.tagName === "SELECT"
    ? (control.dataset.start ?? control.options[0]?.value ?? "")
    : control.defaultValue;
}

/** @param {any} control */
const now = control =>
  control.type === "checkbox" ? (control.checked ? "1" : "0") : control.value;

/**
 * Returns the form as text, and whether that is all of it.
 * @param {string} view
 * @param {boolean} all whether data and values are included, which browsers should not keep in
 *   lists of visited pages unasked
 */
export function written(view, all) {
  const words = new URLSearchParams();
  if (view !== "values") words.set("view", view);
  let whole = true;
  const custom = controls().some(
    control => control.dataset.link === "code" && control.value === "custom",
  );
  for (const control of controls()) {
    // The name of a code implies its parameters.
    if (!custom && control.closest("#crc-fields")) continue;
    if (!all && "private" in control.dataset) continue;
    if (control.type === "radio") {
      if (control.checked && !control.defaultChecked)
        words.set(control.dataset.link, control.value);
      whole &&= !(control.checked && control.value === "file");
    } else if (now(control) !== start(control)) {
      if (now(control).length <= LONGEST) words.set(control.dataset.link, now(control));
      else whole = false;
    }
  }
  return { text: words.toString(), whole };
}

/**
 * Restores the form from a link; returns the view.
 * @param {string} text without `#`
 */
export function restore(text) {
  const words = new URLSearchParams(text);
  for (const control of controls()) {
    const word = words.get(control.dataset.link);
    if (control.type === "radio")
      control.checked = word === null ? control.defaultChecked : control.value === word;
    else if (control.type === "checkbox") control.checked = (word ?? start(control)) === "1";
    else control.value = word ?? start(control);
  }
  return words.get("view") ?? "values";
}
