// @ts-check
// Finds and creates elements.

/**
 * Returns the element with this id.
 * @param {string} id
 * @returns {any}
 */
export function el(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/**
 * Creates an element.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} inside
 */
export function make(tag, attributes, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

/**
 * Shows an error below its fields; hides it if the text is empty.
 * @param {string} id
 * @param {string} text
 * @param {HTMLElement[]} fields
 */
export function complain(id, text, ...fields) {
  const place = el(id);
  // A screen reader announces an alert when it changes.
  if (place.textContent !== text) place.textContent = text;
  place.hidden = text === "";
  for (const field of fields) {
    if (text) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}

/** @param {number | bigint | string} number */
export const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, "\u2009");

/** @type {(number: number, what: string) => string} */
export const count = (number, what) => `${grouped(number)} ${what}${number === 1 ? "" : "s"}`;

/**
 * Returns the controls of a progress bar with its text and its Cancel button.
 * @param {string} id
 * @param {() => void} cancel
 */
export function progress(id, cancel) {
  const place = el(id);
  const [bar, text, button] = place.children;
  button.addEventListener("click", cancel);
  let since = 0;
  return {
    /** @param {string} what */
    begin(what) {
      since = performance.now();
      bar.removeAttribute("value");
      text.textContent = what;
      place.hidden = false;
    },
    /** @type {(what: string, done: number, of: number) => void} */
    update(what, done, of) {
      bar.max = of;
      bar.value = done;
      const seconds = ((performance.now() - since) / 1000) * (of / Math.max(done, 1) - 1);
      const left = done * 50 > of ? `, ${duration(seconds)} left` : "";
      text.textContent = `${what}: ${Math.floor((100 * done) / Math.max(of, 1))} %${left}`;
    },
    end() {
      place.hidden = true;
    },
  };
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 1.5) return "about a second";
  return seconds < 90 ? `about ${Math.round(seconds)} s` : `about ${Math.round(seconds / 60)} min`;
}
