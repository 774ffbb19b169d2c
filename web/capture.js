// @ts-check
// The view of captures: verifies every check value, as `residue pcap verify` does.

import { count, el, grouped, make, progress } from "./dom.js";
import { Cancelled } from "./client.js";

/** @typedef {import("./client.js").Client} Client */

/** @type {[string, string][]} */
const VERDICTS = [
  ["good", "good"],
  ["bad", "bad"],
  ["offloaded", "offloaded"],
  ["absent", "absent"],
  ["illegal", "illegal"],
  ["unverifiable", "unverifiable"],
  ["length_conflict", "length conflict"],
];
const WRONG = ["bad", "illegal", "length_conflict"];

export class Captures {
  /** @param {Client} client */
  constructor(client) {
    this.client = client;
    this.progress = progress("capture-progress", () => this.client.cancel());
    /** @type {{ captures: any[] }} */
    this.result = { captures: [] };
    el("captures").addEventListener("change", () => this.verify([...el("captures").files]));
    el("capture-form").addEventListener("submit", (/** @type {Event} */ event) =>
      event.preventDefault(),
    );
    el("capture-save").addEventListener("click", () => this.save());
  }

  /** @param {File[]} files */
  async verify(files) {
    this.client.cancel();
    const captures = /** @type {any[]} */ ([]);
    this.result = { captures };
    const place = el("reports");
    place.replaceChildren();
    el("capture-status").textContent = "";
    document.body.dataset.captures = "busy";
    try {
      for (const file of files) {
        const what = file.name;
        this.progress.begin(what);
        captures.push(
          await this.client.ask({ do: "capture", name: file.name }, file, (done, of) =>
            this.progress.update(what, done, of),
          ),
        );
        place.append(report(captures[captures.length - 1], files.length === 1));
      }
    } catch (error) {
      if (this.result.captures !== captures) return;
      const text =
        error instanceof Cancelled
          ? "Cancelled."
          : `Error: ${/** @type {Error} */ (error).message}`;
      place.append(make("p", { class: "card" }, text));
    }
    this.progress.end();
    const wrong = captures.filter(it => it.total && wrongOf(it.total) > 0).length;
    const unread = captures.filter(it => it.error).length;
    const rest = unread ? `, ${unread} that could not be read to the end` : "";
    el("capture-status").textContent =
      `${count(captures.length, "capture")}, ${wrong} with wrong check values${rest}`;
    el("capture-save").hidden = !captures.length;
    document.body.dataset.captures = "done";
  }

  json() {
    return JSON.stringify(this.result, null, 2);
  }

  save() {
    const url = URL.createObjectURL(new Blob([this.json()], { type: "application/json" }));
    make("a", { href: url, download: "residue.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
}

/** @param {any} counts */
const wrongOf = counts => WRONG.reduce((sum, name) => sum + counts[name], 0);

/**
 * Returns a table with its title; nothing if there are no rows.
 * @param {string} title
 * @param {string[]} heads
 * @param {(string | number)[][]} rows numbers are aligned right
 */
function table(title, heads, rows) {
  if (!rows.length) return [];
  const numeric = heads.map((_, i) => rows.every(row => typeof row[i] === "number"));
  const cell = (/** @type {string | number} */ it, /** @type {number} */ i) => {
    const wrong =
      WRONG.some(name => heads[i] === name.replace("_", " ")) && it !== 0 ? " wrongs" : "";
    const words = typeof it === "number" ? grouped(it) : it;
    if (i === 0) return make("th", { scope: "row", class: numeric[i] ? "number" : "" }, words);
    return make("td", { class: (numeric[i] ? "number" : "") + wrong }, words);
  };
  const head = heads.map((name, i) =>
    make("th", { scope: "col", class: numeric[i] ? "number" : "" }, name),
  );
  const body = rows.map(row => make("tr", {}, ...row.map(cell)));
  const made = make(
    "table",
    {},
    make("caption", { class: "visually-hidden" }, title),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...body),
  );
  return [
    make("h3", {}, title),
    make("div", { class: "scroll", role: "group", "aria-label": title, tabindex: "0" }, made),
  ];
}

/** @type {(address: string, port: number | undefined) => string} */
const end = (address, port) =>
  port === undefined
    ? address
    : address.includes(":")
      ? `[${address}]:${port}`
      : `${address}:${port}`;

/**
 * Returns a probability as the program prints it: 1 in 2000, 1 in 10^29.
 * @param {number | undefined} chance
 */
function oneIn(chance) {
  if (chance === undefined) return "";
  const exponent = -Math.log10(chance);
  if (exponent >= 300) return "less than 1 in 10^300";
  if (exponent >= 6) return `1 in 10^${Math.round(exponent)}`;
  const digits = chance > 0.1 ? (1 / chance).toFixed(1) : Number((1 / chance).toPrecision(2));
  return `1 in ${digits}`;
}

/**
 * Returns the report on a capture.
 * @param {any} it
 * @param {boolean} open
 */
function report(it, open) {
  const title = make("h2", {}, it.capture);
  if (!it.total)
    return make("div", { class: "card report" }, title, make("p", { class: "error" }, it.error));
  const wrong = wrongOf(it.total);
  let verdict = wrong ? `${count(wrong, "check value")} wrong` : "Nothing wrong";
  if (it.total.offloaded) verdict += `, ${grouped(it.total.offloaded)} left to the network card`;
  if (it.total.unverifiable) verdict += `, ${grouped(it.total.unverifiable)} unverifiable`;
  const unfollowed = it.not_followed.reduce(
    (/** @type {number} */ sum, /** @type {any} */ row) => sum + row.packets,
    0,
  );
  if (unfollowed) verdict += `, ${count(unfollowed, "packet")} not followed`;
  const kind = [
    it.format,
    it.compression,
    count(it.packets, "packet"),
    it.cut_packets ? `${grouped(it.cut_packets)} cut short` : "",
  ];
  const shown = VERDICTS.filter(([key], i) => i < 2 || it.total[key] > 0);
  const protocols = Object.values(it.protocols).map((/** @type {any} */ row) => [
    row.title,
    ...shown.map(([key]) => row[key]),
  ]);
  if (protocols.length > 1) protocols.push(["total", ...shown.map(([key]) => it.total[key])]);
  const causes = Object.entries(it.causes).flatMap(([cause, by]) =>
    Object.entries(by).map(([protocol, n]) => [
      cause,
      protocol,
      n,
      oneIn(it.chances[cause]?.[protocol]),
    ]),
  );
  const inside = [
    ...table("Check values", ["protocol", ...shown.map(([, name]) => name)], protocols),
    ...table(
      "Not followed",
      ["protocol", "packets"],
      it.not_followed.map((/** @type {any} */ row) => [row.protocol ?? "others", row.packets]),
    ),
    ...table("Causes", ["cause", "protocol", "values", "by chance"], causes),
    ...table("Unverifiable", ["reason", "values"], Object.entries(it.total.reasons)),
    ...table(
      "Rewritten",
      ["from", "to", "lacking", "packets", "by chance"],
      it.rewritten.map((/** @type {any} */ row) => [
        row.source,
        row.destination,
        row.lacking,
        row.packets,
        oneIn(row.chance),
      ]),
    ),
    ...table(
      "Senders",
      ["sender", "wrong", "offloaded"],
      it.senders.map((/** @type {any} */ row) => [row.address, row.wrong, row.offloaded]),
    ),
    ...table(
      "Flows",
      ["protocol", "from", "to", "wrong", "offloaded"],
      it.flows.map((/** @type {any} */ row) => [
        row.protocol,
        end(row.source, row.ports?.[0]),
        end(row.destination, row.ports?.[1]),
        row.wrong,
        row.offloaded,
      ]),
    ),
  ];
  const more = make("details", open ? { open: "" } : {}, make("summary", {}, "Report"), ...inside);
  const card = make(
    "div",
    { class: "card report" },
    title,
    make("p", { class: "hint" }, kind.filter(Boolean).join(", ")),
    make("p", { class: wrong ? "verdict wrong" : "verdict" }, verdict),
    more,
  );
  if (it.error) card.append(make("p", { class: "error" }, it.error));
  return card;
}
