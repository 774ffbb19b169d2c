// @ts-check
// The view of values: the value of the data by every code, and the codes that match a known value.

import { COMMON } from "./common.js";
import { copyButton } from "./copy.js";
import { complain, count, el, grouped, make, progress } from "./dom.js";
import { typed } from "./input.js";
import { Cancelled } from "./client.js";
import { compare, format, readings } from "./match.js";

/** @typedef {import("./match.js").Code} Code */
/** @typedef {import("./client.js").Client} Client */

/** Size in bytes from which the common codes are computed first. */
const LARGE = 1 << 20;
/** Milliseconds without a keystroke before typed data is computed. */
const PAUSE = 120;

/** @type {[string, (code: Code) => boolean][]} */
const GROUPS = [
  ["Custom", code => code.name.includes("=")],
  ["In common use", code => COMMON.includes(code.name)],
  ["CRCs of up to 8 bits", code => code.crc !== null && code.bits <= 8],
  ["CRCs of 9 to 16 bits", code => code.crc !== null && code.bits <= 16],
  ["CRCs of 17 to 32 bits", code => code.crc !== null && code.bits <= 32],
  ["CRCs above 32 bits", code => code.crc !== null],
  ["Sums and baselines", code => !code.crc],
];

export class Values {
  /**
   * @param {Client} client
   * @param {Code[]} codes
   * @param {(code: Code) => void} open shows the description of a code
   */
  constructor(client, codes, open) {
    this.client = client;
    this.codes = codes;
    this.open = open;
    /** A CRC without a name. @type {Code | null} */
    this.own = null;
    /** @type {Map<string, string>} */
    this.values = new Map();
    /** @type {File | null} */
    this.file = null;
    this.size = 0;
    this.busy = false;
    /** Number of the latest computation; the results of older ones are dropped. */
    this.turn = 0;
    this.progress = progress("values-progress", () => this.client.cancel());
    let timer = 0;
    el("data").addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.compute(), PAUSE);
    });
    el("data-form").addEventListener("change", (/** @type {any} */ event) => {
      if (event.target.id === "file") this.file = event.target.files[0] ?? null;
      if (event.target.id !== "data") this.compute();
    });
    for (const id of ["find", "filter", "value-format"])
      el(id).addEventListener("input", () => this.render());
    for (const id of ["data-form", "find-form"])
      el(id).addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  }

  kind() {
    return /** @type {HTMLInputElement} */ (document.querySelector("input[name=kind]:checked"))
      .value;
  }

  /** @param {File} file */
  drop(file) {
    el("data-form").querySelector("input[value=file]").checked = true;
    this.file = file;
    this.compute();
  }

  /** @param {Code | null} code */
  setOwn(code) {
    if (this.own?.name === code?.name) return;
    this.own = code;
    this.compute();
  }

  /**
   * Returns the typed or chosen bytes; on an error, shows it and returns null.
   * @returns {Blob | null}
   */
  source() {
    const kind = this.kind();
    el("typed").hidden = kind === "file";
    el("chosen").hidden = kind !== "file";
    el("data-label").textContent =
      { text: "Text, as UTF-8", hex: "Hexadecimal digits", base64: "Base64, either alphabet" }[
        kind
      ] ?? "";
    complain("data-error", "", el("data"));
    if (kind === "file") {
      el("data-note").textContent = this.file
        ? `${this.file.name}: ${count(this.file.size, "byte")}`
        : "no file yet";
      return this.file;
    }
    try {
      const bytes = typed(kind, el("data").value);
      el("data-note").textContent = count(bytes.length, "byte");
      return new Blob([bytes]);
    } catch (error) {
      el("data-note").textContent = "";
      complain("data-error", /** @type {Error} */ (error).message, el("data"));
      return null;
    }
  }

  all() {
    return this.own ? [this.own, ...this.codes] : this.codes;
  }

  async compute() {
    const turn = ++this.turn;
    this.client.cancel();
    this.values = new Map();
    this.busy = false;
    this.progress.end();
    el("values-status").textContent = "";
    const source = this.source();
    this.size = source?.size ?? 0;
    if (!source) {
      this.render();
      return;
    }
    const names = this.all().map(code => code.name);
    const large = source.size >= LARGE;
    const first = large
      ? names.filter(name => COMMON.includes(name) || name === this.own?.name)
      : names;
    const rest = names.filter(name => !first.includes(name));
    this.busy = true;
    try {
      await this.run(turn, source, first, "Codes in common use");
      if (rest.length) await this.run(turn, source, rest, `${rest.length} other codes`);
      if (large)
        el("values-status").textContent = `All codes computed over ${count(source.size, "byte")}.`;
    } catch (error) {
      if (turn !== this.turn) return;
      const cancelled = error instanceof Cancelled;
      el("values-status").textContent = cancelled
        ? "Cancelled: values shown as … were not computed."
        : "";
      if (!cancelled) complain("data-error", /** @type {Error} */ (error).message);
    }
    if (turn !== this.turn) return;
    this.busy = false;
    this.progress.end();
    this.render();
  }

  /**
   * @param {number} turn
   * @param {Blob} source
   * @param {string[]} names
   * @param {string} what
   */
  async run(turn, source, names, what) {
    if (turn !== this.turn) throw new Cancelled();
    if (source.size >= LARGE) {
      this.progress.begin(what);
      el("values-status").textContent = `Computing: ${what}, over ${count(source.size, "byte")}.`;
      this.render();
    }
    const question = { do: "values", size: source.size, codes: names };
    const answer = await this.client.ask(question, source, (done, of) =>
      this.progress.update(what, done, of),
    );
    if (turn !== this.turn) throw new Cancelled();
    names.forEach((name, i) => this.values.set(name, answer.values[i]));
    this.render();
  }

  /** Writes the table. */
  render() {
    const find = el("find").value;
    const read = readings(find);
    /** @type {string[]} */
    const words = el("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const as = el("value-format").value;
    let chance = 0;
    /** @type {[Code, string, { relation: string, as: string }][]} */
    const rows = [];
    for (const code of this.all()) {
      const hex = this.values.get(code.name);
      const hit =
        hex === undefined || !read.length
          ? { chance: 0, relation: "", as: "" }
          : compare(code, hex, read);
      chance += hit.chance;
      const text = `${code.name} ${code.aliases.join(" ")} ${code.bits}`;
      if (!words.every(word => text.includes(word))) continue;
      rows.push([code, hex === undefined ? "" : format(code, hex, as), hit]);
    }
    const matches = rows.filter(([, , hit]) => hit.relation);
    const table = el("values-table");
    table.querySelectorAll("tbody").forEach((/** @type {Element} */ body) => body.remove());
    const group = (/** @type {string} */ title, /** @type {typeof rows} */ inside) => {
      if (!inside.length) return;
      const head = make(
        "tr",
        { class: "group", role: "row" },
        make("th", { colspan: "4", scope: "rowgroup", role: "rowheader" }, title),
      );
      const rows = inside.map(row => this.row(...row));
      table.append(make("tbody", { role: "rowgroup" }, head, ...rows));
    };
    group("Matches", matches);
    let left = rows.filter(([, , hit]) => !hit.relation);
    for (const [title, belongs] of GROUPS) {
      const inside = left.filter(([code]) => belongs(code));
      if (inside.every(([code]) => COMMON.includes(code.name)))
        inside.sort(([a], [b]) => COMMON.indexOf(a.name) - COMMON.indexOf(b.name));
      group(title, inside);
      left = left.filter(([code]) => !belongs(code));
    }
    if (!rows.length) {
      const none = { colspan: "4", class: "pending", role: "cell" };
      const cell = make("td", none, "No code has this name or width.");
      table.append(make("tbody", { role: "rowgroup" }, make("tr", { role: "row" }, cell)));
    }
    el("find-note").textContent = this.found(find, read, matches.length, chance);
    document.body.dataset.state = this.busy ? "busy" : "done";
  }

  /** @type {(code: Code, value: string, hit: { relation: string, as: string }) => HTMLElement} */
  row(code, value, { relation, as }) {
    const name = make("button", { type: "button" }, code.name);
    name.addEventListener("click", () => this.open(code));
    const head = make("th", { scope: "row", role: "rowheader" }, name);
    if (code.aliases.length)
      head.append(make("span", { class: "alias" }, code.aliases.slice(0, 3).join(", ")));
    const cell = make(
      "td",
      { class: value ? "value" : "value pending", role: "cell" },
      value ? make("b", {}, value) : "…",
    );
    if (value) cell.append(copyButton(`the value of ${code.name}`, value));
    if (relation)
      cell.append(
        make(
          "span",
          { class: "relation" },
          relation === "equal" ? `match, read as ${as}` : `match: ${relation}, read as ${as}`,
        ),
      );
    return make(
      "tr",
      relation ? { class: "match", role: "row" } : { role: "row" },
      head,
      make("td", { class: "number", role: "cell" }, String(code.bits)),
      cell,
      parameters(code),
    );
  }

  /** @type {(find: string, read: object[], matches: number, chance: number) => string} */
  found(find, read, matches, chance) {
    if (!find.trim()) return "";
    if (!read.length) return "Expected a hexadecimal, decimal or base64 value of up to 128 bits.";
    if (!this.values.size) return "No values to compare with yet.";
    const some = matches
      ? `${count(matches, "code")} ${matches === 1 ? "matches" : "match"}.`
      : "No code matches, in either byte order.";
    if (chance < 0.01) return some;
    const about = grouped(chance.toFixed(chance < 1 ? 2 : 0));
    return `${some} By chance alone, about ${about} would match: try other data.`;
  }
}

/**
 * Returns the cell of a CRC's parameters. Their names are seen where the table has no room for
 * columns.
 * @param {Code} code
 */
function parameters({ crc }) {
  const cell = make("td", { class: "params", role: "cell" });
  if (!crc) return cell;
  for (const [name, value] of [
    ["poly", crc.poly],
    ["init", crc.init],
    ["xorout", crc.xorout],
    ["refin", String(crc.refin)],
    ["refout", String(crc.refout)],
  ])
    cell.append(make("span", {}, make("i", {}, name), ` ${value} `));
  return cell;
}
