// @ts-check
// The view of one code: its parameters, and its polynomial with its strength.

import { COMMON } from "./common.js";
import { copyButton } from "./copy.js";
import { complain, el, grouped, make, progress } from "./dom.js";
import { Explanation } from "./explain.js";
import { Source } from "./source.js";
import { Cancelled } from "./client.js";

/** @typedef {import("./match.js").Code} Code */
/** @typedef {import("./client.js").Client} Client */

const FIELDS = ["width", "poly", "init", "xorout"];
const CUSTOM = "custom";
/** @type {[string, string, string][]} */
const NOTATIONS = [
  ["normal", "normal", "highest power first, without the top term"],
  ["reversed", "reversed", "lowest power first, without the top term"],
  ["reciprocal", "reciprocal", "the mirrored polynomial, highest power first"],
  ["koopman", "Koopman", "highest power first, without the constant term"],
  ["explicit", "explicit", "all terms"],
  ["terms", "terms", ""],
];

export class CodeView {
  /**
   * @param {Client} client for descriptions
   * @param {Client} strength for searches
   * @param {Source} source
   * @param {Explanation} explanation
   * @param {Code[]} codes
   * @param {(own: Code | null) => void} own receives a CRC without a name
   */
  constructor(client, strength, source, explanation, codes, own) {
    this.client = client;
    this.strength = strength;
    this.source = source;
    this.explanation = explanation;
    this.own = own;
    /** The code as text, as the worker parses it. */
    this.spec = "";
    options(el("code-name"), codes);
    el("code-name").prepend(make("option", { value: CUSTOM }, "custom: parameters of your own"));
    el("code-name").dataset.start = "crc-32/iso-hdlc";
    el("code-name").value = "crc-32/iso-hdlc";
    this.progress = progress("strength-progress", () => this.strength.cancel());
    el("code-form").addEventListener("submit", (/** @type {Event} */ event) =>
      event.preventDefault(),
    );
    el("code-form").addEventListener("input", (/** @type {any} */ event) => {
      if (event.target.id !== "code-name") el("code-name").value = CUSTOM;
      this.describe(event.target.id === "code-name" && event.target.value !== CUSTOM);
    });
    el("strength-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.search();
    });
  }

  /** @param {string} spec a name, or the parameters of a CRC without one */
  show(spec) {
    el("code-name").value = spec.includes("=") ? CUSTOM : spec;
    return this.describe(true, spec);
  }

  /**
   * Requests the description of a code, and shows it.
   * @param {boolean} named whether the code is given as text; otherwise, the fields define it
   * @param {string} spec the code as text
   */
  async describe(named, spec = el("code-name").value) {
    this.strength.cancel();
    el("limits").hidden = true;
    el("strength-status").textContent = "";
    complain("strength-error", "");
    const typed = {
      notation: el("crc-notation").value,
      refin: el("crc-refin").checked,
      refout: el("crc-refout").checked,
    };
    const fields = Object.fromEntries(FIELDS.map(name => [name, el(`crc-${name}`).value]));
    try {
      const question = named ? { code: spec } : { ...typed, ...fields };
      const answer = await this.client.ask({ do: "describe", ...question });
      this.fill(answer, named);
    } catch (error) {
      if (error instanceof Cancelled) return;
      const { message } = /** @type {Error} */ (error);
      const wrong = FIELDS.filter(name => message.startsWith(name));
      complain("code-error", message, ...wrong.map(name => el(`crc-${name}`)));
      this.spec = "";
      el("notations").hidden = true;
      this.source.show("");
      this.explanation.show("");
      el("code-note").textContent = "";
      el("about-title").textContent = "No code";
      el("about-text").textContent = "These parameters do not define a CRC.";
      el("about-table").tBodies[0].replaceChildren();
      if (!named) this.own(null);
    }
    document.body.dataset.code = this.spec;
  }

  /**
   * @param {any} answer
   * @param {boolean} named
   */
  fill(answer, named) {
    complain("code-error", "", ...FIELDS.map(name => el(`crc-${name}`)));
    this.spec = answer.spec;
    const { crc } = answer;
    el("crc-fields").hidden = !crc;
    if (crc && named) {
      for (const name of FIELDS) el(`crc-${name}`).value = crc[name];
      el("crc-notation").value = "normal";
      el("crc-refin").checked = crc.refin;
      el("crc-refout").checked = crc.refout;
    }
    const custom = crc && answer.spec.includes("=");
    const known = custom ? crc.known : [];
    el("code-note").textContent = known.length
      ? `This is ${known.join(", ")}.`
      : custom
        ? "Its value is in the table of values, too."
        : "";
    this.own(
      custom
        ? {
            name: answer.spec,
            bits: answer.bits,
            crc,
            little_endian: answer.little_endian,
            aliases: [],
          }
        : null,
    );
    el("about-title").textContent = custom ? `A CRC of ${answer.bits} bits` : answer.name;
    el("about-text").textContent =
      answer.about ?? (answer.aliases.length ? `Also called ${answer.aliases.join(", ")}.` : "");
    /** @type {[string, string, string][]} */
    const rows = [["width", `${answer.bits} bits`, ""]];
    if (crc) {
      rows.push(
        ["poly", crc.poly, ""],
        ["init", crc.init, ""],
        ["refin", String(crc.refin), ""],
        ["refout", String(crc.refout), ""],
        ["xorout", crc.xorout, ""],
        ["check", answer.check, "the value of 123456789"],
        ["residue", crc.residue, "the register after a message and its value"],
        ["parameters", parameters(answer), "as residue and RevEng read them"],
      );
    } else rows.push(["check", answer.check, "the value of 123456789"]);
    facts(el("about-table"), rows);
    el("notations").hidden = !crc;
    if (crc)
      facts(
        el("notations").querySelector("table"),
        NOTATIONS.map(([key, name, what]) => [name, crc.notations[key], what]),
      );
    el("strength-form").hidden = !crc;
    this.source.show(crc ? this.spec : "");
    this.explanation.show(this.spec);
  }

  async search() {
    const bits = Number(el("bits").value.replace(/[\s,_]/g, ""));
    if (!Number.isSafeInteger(bits) || bits < 1) {
      const text = `expected a number of bits, 1 or more, got “${el("bits").value}”`;
      complain("strength-error", text, el("bits"));
      return;
    }
    if (!this.spec) {
      complain("strength-error", "no code: correct the parameters above");
      return;
    }
    complain("strength-error", "", el("bits"));
    el("strength-status").textContent = "";
    const what = "Searching";
    this.progress.begin(what);
    try {
      const answer = await this.strength.ask(
        { do: "strength", code: this.spec, bits },
        undefined,
        (done, of) => this.progress.update(what, done, of),
      );
      this.limits(answer);
    } catch (error) {
      if (!(error instanceof Cancelled))
        complain("strength-error", /** @type {Error} */ (error).message);
    }
    if (!this.strength.reject) this.progress.end();
  }

  /** @param {any} answer */
  limits(answer) {
    const least = answer.exact ? "" : "at least ";
    const errors = answer.distance - 1;
    el("strength-status").textContent =
      `HD ${least}${answer.distance} at ${grouped(answer.bits)} bits: ` +
      `every error of up to ${errors} bit${errors === 1 ? "" : "s"} is detected.`;
    const factors = answer.factors.map((/** @type {any} */ it) => {
      const name = it.degree === 1 ? "x + 1" : `${it.polynomial} of degree ${it.degree}`;
      const primitive = it.primitive && it.degree > 1 ? ", primitive" : "";
      return name + primitive + (it.times > 1 ? `, ${it.times} times` : "");
    });
    const note = answer.note ? ` ${answer.note}` : "";
    el("limits-note").textContent =
      `Factors: ${factors.join("; ")}. Order ${grouped(answer.order)}.${note}`;
    const rows = answer.limits.map((/** @type {any} */ it) => {
      const exact = it.kind === "exact";
      const holds = it.distance === answer.distance;
      const wrong = it.undetected
        ? `${it.undetected.data.join(" ")}, ${it.undetected.check}`
        : "unknown";
      const number = (/** @type {bigint} */ n) => (exact ? "" : "≥ ") + grouped(n);
      return make(
        "tr",
        holds ? { class: "match" } : {},
        make("th", { class: "number", scope: "row" }, String(it.distance)),
        make("td", { class: "number" }, number(BigInt(it.data_bits))),
        make("td", { class: "number" }, number(BigInt(it.data_bits) / 8n)),
        make("td", {}, exact ? "exact" : "bound"),
        make("td", { class: "value" }, wrong),
      );
    });
    el("limits")
      .querySelector("tbody")
      .replaceChildren(...rows);
    el("limits").hidden = false;
  }
}

/** @param {any} answer */
function parameters({ crc, check }) {
  return (
    `width=${crc.width} poly=0x${crc.poly} init=0x${crc.init} refin=${crc.refin} ` +
    `refout=${crc.refout} xorout=0x${crc.xorout} check=0x${check} residue=0x${crc.residue}`
  );
}

/** @type {(table: any, rows: [string, string, string][]) => void} */
function facts(table, rows) {
  table.tBodies[0].replaceChildren(
    ...rows.map(([name, value, what]) => {
      const cell = make("td", { class: "value" }, make("b", {}, value));
      cell.append(copyButton(name, value));
      if (what) cell.append(make("span", { class: "hint" }, what));
      return make("tr", {}, make("th", { scope: "row" }, name), cell);
    }),
  );
}

/**
 * Fills a drop-down list with codes.
 * @param {any} select
 * @param {Code[]} codes
 */
export function options(select, codes) {
  const group = (/** @type {string} */ label, /** @type {string[]} */ names) =>
    select.append(make("optgroup", { label }, ...names.map(name => make("option", {}, name))));
  const others = codes.filter(code => !COMMON.includes(code.name));
  const names = (/** @type {boolean} */ crc) =>
    others.filter(code => (code.crc !== null) === crc).map(code => code.name);
  group("In common use", COMMON);
  group("Other CRCs", names(true));
  group("Other sums", names(false));
}
