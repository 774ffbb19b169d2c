// @ts-check
// The view that finds the code that gave the values of some messages.

import { complain, count, el, make, progress } from "./dom.js";
import { copyButton } from "./copy.js";
import { Cancelled } from "./client.js";

/** @typedef {import("./client.js").Client} Client */

export class Identify {
  /**
   * @param {Client} client
   * @param {(spec: string) => void} open shows the description of a code
   */
  constructor(client, open) {
    this.client = client;
    this.open = open;
    this.progress = progress("identify-progress", () => this.client.cancel());
    el("identify-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.search();
    });
  }

  async search() {
    complain("identify-error", "", el("samples"));
    el("identify-status").textContent = "";
    el("hits").replaceChildren();
    this.progress.begin("Searching: named codes, other settings, unknown generators");
    document.body.dataset.identified = "";
    try {
      const answer = await this.client.ask({
        do: "identify",
        samples: el("samples").value,
        trailer: Number(el("sample-value").value),
        text: el("sample-kind").value === "text",
      });
      this.show(answer);
    } catch (error) {
      if (!(error instanceof Cancelled))
        complain("identify-error", /** @type {Error} */ (error).message, el("samples"));
    }
    if (!this.client.reject) this.progress.end();
    document.body.dataset.identified = "done";
  }

  /** @param {any} answer */
  show(answer) {
    const samples = count(answer.samples, "sample");
    /** @type {Record<string, string>} */
    const summaries = {
      found: `Found: it has the values of all ${samples}, which chance does not explain.`,
      contradicted: `Found, but sample ${answer.contradicting.join(", ")} contradicts the others.`,
      chance: "Something fits, perhaps by chance. Give more samples, of different lengths.",
      undecided:
        `Nothing found, but ${samples} do not rule out everything. ` +
        (answer.not_tried.length ? `Not tried: ${answer.not_tried.join("; ")}. ` : "") +
        "Give more, of different lengths.",
      relation: `No check value: the value is ${answer.relation}.`,
      "ruled out": "No named code, and no sum or CRC that was tried, gives these values.",
    };
    el("identify-status").textContent = summaries[answer.certainty] ?? answer.certainty;
    const cards = answer.hits.map((/** @type {any} */ hit) => this.card(hit));
    if (answer.more)
      cards.push(hint(`${answer.more} less convincing ones are left out.`));
    if (answer.decisive) {
      const values = [...new Set(answer.decisive.values)].slice(0, 8).join(", ");
      const text =
        `To decide, get the value of the message ${answer.decisive.message} (hexadecimal): ` +
        `it may be ${values}.`;
      cards.unshift(make("div", { class: "card" }, make("p", { class: "wraps" }, text)));
    }
    el("hits").replaceChildren(...cards);
  }

  /** @param {any} hit */
  card(hit) {
    const card = make("div", { class: "card hit" }, make("h2", {}, hit.name));
    const text = hit.params ?? hit.about;
    if (text) {
      const line = make("p", { class: "copied" }, make("code", { class: "wraps" }, text));
      if (hit.params) line.append(copyButton(`the parameters of ${hit.name}`, hit.params));
      card.append(line);
    }
    card.append(
      make("p", {}, `The code of ${hit.message}; the value ${hit.value}.`),
      hint(`Wrong hits to be expected by chance: ${odds(hit.chance_log2)}.`),
    );
    const [all, same] = [hit.pairs_log2 ?? 0, hit.same_log2 ?? 0];
    if (all > same)
      card.append(
        hint(
          `Not settled: ${pairs(all)} of init and xorout give these values, and this is one of ` +
            "them. A message of another length narrows them down.",
        ),
      );
    else if (same)
      card.append(
        hint(
          `${pairs(same)} of init and xorout are equivalent on all messages of whole bytes; ` +
            "this is one of them.",
        ),
      );
    if (hit.spec) {
      const button = make("button", { type: "button" }, "Description and source code");
      button.addEventListener("click", () => this.open(hit.spec));
      card.append(make("div", { class: "row" }, button));
    }
    return card;
  }
}

/** @param {string} text */
const hint = text => make("p", { class: "hint" }, text);

/** @param {number} log2 */
const pairs = log2 => (log2 < 20 ? `${2 ** log2} pairs` : `2^${log2} pairs`);

/**
 * Returns a probability in words.
 * @param {number} log2
 */
function odds(log2) {
  if (log2 > -3.5) return (2 ** log2).toFixed(2);
  return log2 > -20 ? `1 in ${Math.round(2 ** -log2)}` : `1 in 2^${Math.round(-log2)}`;
}
