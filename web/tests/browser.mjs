// Tests the page in a browser: `node browser.mjs PAGE RESIDUE AXE [WORDS]`, with the page that
// `cargo xtask web` builds, the program `residue`, and the script axe.min.js (`-` for none). With
// words, it runs only the tests whose names contain them. Prints `ok: NAME` or `FAILED: NAME: WHY`
// for each test, and `end`.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Browser } from "./chromium.mjs";

const [, , PAGE, RESIDUE, AXE, only] = process.argv;
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const page = pathToFileURL(resolve(PAGE)).href;
const program = resolve(RESIDUE);

/** Throws if two values differ as JSON. */
function same(is, should, what = "") {
  const [one, other] = [JSON.stringify(is), JSON.stringify(should)];
  if (one !== other)
    throw new Error(`${what} is ${one?.slice(0, 600)}, should be ${other?.slice(0, 600)}`);
}

function holds(is, what) {
  if (!is) throw new Error(what);
}

/** Returns what `residue` prints as JSON; some of its exit codes are findings. */
function residue(words, cwd = ROOT) {
  try {
    return JSON.parse(execFileSync(program, words, { cwd, maxBuffer: 1 << 28 }));
  } catch (error) {
    return JSON.parse(error.stdout);
  }
}

/** Returns the lines that `residue` prints as JSON, without their types. */
function residueLines(words, cwd = ROOT) {
  let lines;
  try {
    lines = execFileSync(program, words, { cwd, maxBuffer: 1 << 28 });
  } catch (error) {
    lines = error.stdout;
  }
  return lines
    .toString()
    .trim()
    .split("\n")
    .map(line => {
      const { type, ...members } = JSON.parse(line);
      return members;
    });
}

/** Expression for the values in the table, by the name of the code. */
const VALUES = `Object.fromEntries(
  [...document.querySelectorAll("#values-table tbody tr:not(.group)")].map(row => [
    row.querySelector("button").textContent,
    row.querySelector("td.value b")?.textContent ?? null,
  ]))`;
/** Expression for the rows that match, each with its relation. */
const MATCHES = `[...document.querySelectorAll("#values-table tr.match")].map(row =>
  [row.querySelector("button").textContent, row.querySelector(".relation").textContent])`;
const DONE = "document.body.dataset.state === 'done'";

/** Enters `text` as `kind` of data; returns the values by name. */
async function values(tab, kind, text) {
  // In one step: typed data is computed after a pause, and an earlier `done` must not count.
  await tab.value(`{
    document.body.dataset.state = "";
    document.querySelector("input[value=${kind}]").checked = true;
    const data = document.getElementById("data"); data.value = ${JSON.stringify(text)};
    data.form.dispatchEvent(new Event("change", { bubbles: true })); }`);
  await tab.until(DONE);
  return tab.value(VALUES);
}

/** Returns the input of a vector as the page takes it: kind and text. */
function input(form) {
  if (form === "empty") return ["text", ""];
  const [kind, rest] = [form.slice(0, form.indexOf(":")), form.slice(form.indexOf(":") + 1)];
  if (kind === "text" || kind === "hex") return [kind, rest];
  const parts = /^([0-9a-f]+)\*(\d+)$/.exec(rest);
  const [what, length] = [parts?.[1], Number(parts?.[2])];
  const of = {
    rep: () => parseInt(what, 16),
    ramp: i => i % Number(what),
    inc: i => parseInt(what, 16) + i,
    dec: i => parseInt(what, 16) - i,
  }[kind];
  // The library's own tests read the other forms.
  if (!parts || !of) return null;
  return ["hex", Buffer.from(Array.from({ length }, (_, i) => of(i) & 255)).toString("hex")];
}

/** The lines of the files of vectors with values; every code has one. */
const VECTORS = readdirSync(join(ROOT, "vectors/values")).flatMap(file =>
  readFileSync(join(ROOT, "vectors/values", file), "utf8")
    .split("\n").filter(line => line && !line.startsWith("#")).map(line => line.split(" | ")));
const CODES = new Set(VECTORS.map(([name]) => name)).size;

/** Bytes of the large file: 500 pieces of a mebibyte. */
const PIECES = 500;
const piece = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 7 + (i >> 8)) & 255));

/** Returns the values of the large file by the program, which receives it in pieces. */
function large(codes) {
  const child = spawn(program, ["sum", ...codes.flatMap(code => ["-a", code]), "--json", "-"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", part => (text += part));
  let left = PIECES;
  const write = () => {
    while (left-- > 0) if (!child.stdin.write(piece)) return child.stdin.once("drain", write);
    child.stdin.end();
  };
  write();
  return new Promise(done => child.on("close", () => done(JSON.parse(text))));
}

const TESTS = {
  async "every code has the value of its vectors"(tab) {
    let lines = 0;
    const inputs = new Map();
    for (const [name, form, value] of VECTORS) {
      // Longer inputs would only take long to type.
      const asked = input(form);
      if (!asked || asked[1].length > 70_000) continue;
      const key = JSON.stringify(asked);
      inputs.set(key, [...(inputs.get(key) ?? []), [name, value]]);
    }
    const seen = new Set();
    for (const [key, wanted] of inputs) {
      const found = await values(tab, ...JSON.parse(key));
      for (const [name, value] of wanted) {
        same(found[name], value, `${name} of ${key.slice(0, 80)}`);
        seen.add(name);
        lines++;
      }
    }
    holds(lines > 250, `only ${lines} vectors`);
    same(seen.size, CODES, "codes with a vector");
  },

  async "hex and base64 are the same bytes"(tab) {
    const text = await values(tab, "text", "123456789");
    same(await values(tab, "hex", "0x31 32:33-34,35\n36 37 38 39"), text);
    same(await values(tab, "base64", "MTIzNDU2Nzg5"), text);
    same(await values(tab, "base64", "_-8="), await values(tab, "hex", "ffef"));
    same(await tab.text("#data-note"), "2 bytes");
  },

  async "wrong digits are reported"(tab) {
    for (const [kind, data, says] of [
      ["hex", "12 3g", "“g” is not a hexadecimal digit"],
      ["hex", "123", "3 hexadecimal digits are not a whole number"],
      ["base64", "ab!d", "“!” is not in the base64 alphabet"],
      ["base64", "abcde", "not a whole number of bytes"],
    ]) {
      const found = await values(tab, kind, data);
      holds(
        (await tab.text("#data-error")).includes(says),
        `${data}: ${await tab.text("#data-error")}`,
      );
      same(await tab.value("document.getElementById('data').getAttribute('aria-invalid')"), "true");
      holds(
        Object.values(found).every(it => it === null),
        "values of wrong data",
      );
    }
    await values(tab, "text", "123456789");
    same(await tab.value("document.getElementById('data-error').hidden"), true);
  },

  async "a pasted value names its code"(tab) {
    await values(tab, "text", "123456789");
    for (const [find, code, says] of [
      ["0xE3069283", "crc-32/iscsi", "match, read as hexadecimal"],
      ["83 92 06 e3", "crc-32/iscsi", "byte-swapped"],
      ["1cf96d7c", "crc-32/iscsi", "complemented"],
      ["4waSgw==", "crc-32/iscsi", "read as base64"],
      ["3808858755", "crc-32/iscsi", "read as decimal"],
      ["ae8b14860a799888", "crc-64/nvme", "match"],
      ["09ea83f625023801fd612", "crc-82/darc", "match"],
      ["091e01de", "adler-32", "match"],
    ]) {
      await tab.set("find", find);
      const found = await tab.value(MATCHES);
      const hit = found.find(([name]) => name === code);
      holds(hit?.[1].includes(says), `${find}: ${JSON.stringify(found)}`);
    }
    await tab.set("find", "5a");
    holds((await tab.text("#find-note")).includes("By chance alone"), "the chance is not stated");
    await tab.set("find", "deadbeef");
    same(await tab.value(MATCHES), []);
    holds(
      (await tab.text("#find-note")).startsWith("No code matches"),
      await tab.text("#find-note"),
    );
    await tab.set("find", "no value");
    holds(
      (await tab.text("#find-note")).startsWith("Expected a hexadecimal"),
      await tab.text("#find-note"),
    );
    await tab.set("find", "");
  },

  async "values are shown in four formats and filtered"(tab) {
    await values(tab, "text", "123456789");
    for (const [format, value] of [
      ["sent", "83 92 06 e3"],
      ["decimal", "3808858755"],
      ["base64", "4waSgw=="],
      ["hex", "e3069283"],
    ]) {
      await tab.set("value-format", format);
      same((await tab.value(VALUES))["crc-32/iscsi"], value, format);
    }
    await tab.set("filter", "castagnoli");
    same(Object.keys(await tab.value(VALUES)), ["crc-32/iscsi"]);
    await tab.set("filter", "iscsi 32");
    same(Object.keys(await tab.value(VALUES)), ["crc-32/iscsi"]);
    await tab.set("filter", "");
  },

  async "custom parameters, in every notation"(tab) {
    await tab.click("#tab-code");
    await tab.set("code-name", "custom");
    for (const [notation, poly] of [
      ["normal", "04c11db7"],
      ["reversed", "edb88320"],
      ["reciprocal", "db710641"],
      ["koopman", "82608edb"],
    ]) {
      const typed = { width: "32", notation, init: "0", xorout: "0" };
      await tab.value(`{
        for (const [id, text] of Object.entries(${JSON.stringify(typed)}))
          document.getElementById("crc-" + id).value = text;
        for (const id of ["crc-refin", "crc-refout"])
          document.getElementById(id).checked = false;
      }`);
      await tab.value("document.body.dataset.code = ''");
      await tab.set("crc-poly", poly);
      await tab.until("document.body.dataset.code");
      same(
        await tab.value("document.body.dataset.code"),
        "width=32,poly=4c11db7,init=0,refin=false,refout=false,xorout=0",
        notation,
      );
      same(
        await tab.value(
          "[...document.querySelectorAll('#notations td b')].map(it => it.textContent).slice(0, 5)",
        ),
        ["04c11db7", "edb88320", "db710641", "82608edb", "104c11db7"],
        notation,
      );
      const facts = await tab.value(
        "[...document.querySelectorAll('#about-table td b')].map(it => it.textContent)",
      );
      holds(facts.includes("89a1897f"), `check: ${facts}`);
    }
    await tab.until(DONE);
    same(
      (await tab.value(VALUES))["width=32,poly=4c11db7,init=0,refin=false,refout=false,xorout=0"],
      "89a1897f",
    );
    await tab.set("crc-width", "0");
    await tab.until("!document.getElementById('code-error').hidden");
    holds((await tab.text("#code-error")).includes("1 to 128 bits"), await tab.text("#code-error"));
    same(
      await tab.value("document.getElementById('crc-width').getAttribute('aria-invalid')"),
      "true",
    );
    await tab.set("crc-width", "16");
    await tab.until(
      "document.getElementById('code-error').textContent.includes('more than 16 bits')",
    );
  },

  async "source code in six languages, by three methods"(tab) {
    await tab.click("#tab-code");
    await tab.set("code-name", "crc-32/iscsi");
    for (const [language, method, words] of [
      ["C", "table", "uint32_t crc_32_iscsi(uint32_t crc, const void *data, size_t length)"],
      ["C", "slicing", "crc_32_iscsi_table[8][256]"],
      ["Go", "table", "func Crc32Iscsi(crc uint32, data []byte) uint32 {"],
      ["Java", "slicing", "public static long update(long crc, byte[] data)"],
      ["JavaScript", "table", "export function crc32Iscsi(data, crc = 0x0)"],
      ["Python", "bitwise", "def crc_32_iscsi(data: bytes, crc: int = 0x0) -> int:"],
      ["Rust", "slicing", "pub fn crc_32_iscsi(crc: u32, data: &[u8]) -> u32 {"],
    ]) {
      await tab.set("language", language);
      await tab.set("method", method);
      const done = `crc-32/iscsi ${language} ${method}`;
      await tab.until(`document.body.dataset.source === ${JSON.stringify(done)}`);
      holds((await tab.text("#snippet")).includes(words), `${done}: ${await tab.text("#snippet")}`);
    }
    await tab.set("code-name", "crc-82/darc");
    await tab.set("language", "C");
    await tab.until("document.body.dataset.source === 'crc-82/darc C slicing'");
    holds((await tab.text("#snippet")).includes("no integers of 82 bits"), "C of 82 bits");
    same(await tab.value("document.getElementById('snippet-copy').hidden"), true);
    await tab.set("method", "table");
  },

  async "a computation step by step is the program's"(tab) {
    await tab.click("#tab-code");
    for (const [code, kind, data] of [
      ["crc-8/smbus", "text", "ab"],
      ["crc-32/iso-hdlc", "hex", "31 32 33"],
      ["adler-32", "text", "abc"],
      ["crc-64/xz", "text", "123456789"],
    ]) {
      await tab.set("code-name", code);
      await tab.until(`document.body.dataset.explained === '${code}'`);
      await tab.value("document.body.dataset.explained = ''");
      await tab.set("explain-kind", kind);
      await tab.value("document.body.dataset.explained = ''");
      await tab.set("explain-data", data);
      await tab.until(`document.body.dataset.explained === '${code}'`);
      const words = ["sum", "-a", code, "--explain", kind === "hex" ? "--hex" : "--text", data];
      const printed = execFileSync(program, words, { encoding: "utf8" });
      const lines = text => text.split("\n").map(line => line.trim()).filter(Boolean);
      const shown = await tab.value(
        `[...document.querySelectorAll("#explain-steps > *")]
          .map(it => it.textContent).join("\\n")`,
      );
      const missing = lines(shown).filter(line => !printed.includes(line));
      same(missing, [], code);
      holds(lines(shown).length > 4, shown);
    }
    await tab.set("explain-data", "x".repeat(65));
    await tab.until("!document.getElementById('explain-error').hidden");
    await tab.set("explain-kind", "text");
    await tab.set("explain-data", "abc");
  },

  async "values and source code are copied"(tab) {
    await values(tab, "text", "123456789");
    await tab.value(`{
      window.copied = [];
      const writeText = async text => { window.copied.push(text); };
      Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    }`);
    const first = "#values-table tr:not(.group) .copy";
    same(
      await tab.value(`document.querySelector("${first}").getAttribute("aria-label")`),
      "Copy the value of crc-32/iso-hdlc",
    );
    await tab.click(first);
    await tab.until("document.getElementById('announcement').textContent.startsWith('Copied')");
    await tab.click("#tab-code");
    await tab.set("code-name", "crc-16/modbus");
    await tab.until("document.body.dataset.source?.startsWith('crc-16/modbus')");
    await tab.click("#snippet-copy");
    await tab.click("#tab-combine");
    await tab.click("#combine-value-copy");
    const copied = await tab.value("window.copied");
    same([copied[0], copied[2]], ["cbf43926", "e3069283"]);
    holds(copied[1].includes("crc_16_modbus("), copied[1]);
    same(
      await tab.value(`[...document.querySelectorAll("#values-table td.value")]
        .filter(it => it.querySelector("b") && !it.querySelector(".copy")).length`),
      0,
      "values without a button",
    );
  },

  async "the usual codes come first, with their parameters"(tab) {
    await tab.click("#tab-values");
    const rows = await tab.value(
      `[...document.querySelectorAll("#values-table tbody tr:not(.group)")].map(row => [
        row.querySelector("button").textContent,
        row.querySelector(".params").textContent.replace(/\\s+/g, " ").trim()])`,
    );
    same(rows.slice(0, 2), [
      ["crc-32/iso-hdlc", "poly 04c11db7 init ffffffff xorout ffffffff refin true refout true"],
      ["crc-32/iscsi", "poly 1edc6f41 init ffffffff xorout ffffffff refin true refout true"],
    ]);
    const crcs = readFileSync(join(ROOT, "vectors/crc_models.txt"), "utf8").match(/^crc-/gm);
    same(rows.filter(([, words]) => words).length, crcs.length, "rows with parameters");
  },

  async "an unknown code is found from samples"(tab) {
    await tab.click("#tab-identify");
    const search = async (samples, kind, value) => {
      await tab.value("document.body.dataset.identified = ''");
      await tab.set("samples", samples);
      await tab.set("sample-kind", kind);
      await tab.set("sample-value", value);
      await tab.click("#identify-form button.primary");
      await tab.until("document.body.dataset.identified === 'done'");
      return tab.value("[...document.querySelectorAll('.hit h2')].map(it => it.textContent)");
    };
    same((await search("01030000000ac5cd\n010300010001d5ca", "hex", "2"))[0], "crc-16/modbus");
    same((await search("123456789 cbf43926\nabc 352441c2", "text", "0"))[0], "crc-32/iso-hdlc");
    same(await search("31 zz", "hex", "0"), []);
    holds((await tab.text("#identify-error")).includes("line 1"), "no error");
    // A CRC that nobody has named.
    const spec = "width=16,poly=6f63,init=1d0f,refin=false,refout=false,xorout=55aa";
    const messages = ["a", "bcd", "message", "longer message", "0123456789 0123456789"];
    const samples = messages.map(text => {
      const words = ["sum", "-a", spec, "--json", "--text", text];
      return `${text} ${rows(JSON.parse(execFileSync(program, words)))[0].value}`;
    });
    same((await search(samples.join("\n"), "text", "0"))[0], "a CRC without a name");
    await tab.click(".hit .row button");
    await tab.until("document.body.dataset.code.includes('poly=6f63')");
    same(await tab.value("document.getElementById('code').hidden"), false);
    same(await tab.value("document.getElementById('code-name').value"), "custom");
  },

  async "the back button returns to the form as it was"(tab) {
    const other = await tab.browser.open(page);
    await other.set("data", "secret");
    await other.set("value-format", "decimal");
    await other.click("#tab-code");
    await other.set("code-name", "crc-16/modbus");
    await other.until("document.body.dataset.code === 'crc-16/modbus'");
    const address = await other.value("location.hash");
    same(address, "#view=code&as=decimal&code=crc-16%2Fmodbus");
    holds((await other.value("document.title")).startsWith("crc-16/modbus"), "title");
    await other.value("history.back()");
    await other.until("document.body.dataset.code === 'crc-32/iso-hdlc'");
    await other.value("history.back()");
    await other.until("!document.getElementById('values').hidden");
    same(await other.value("document.getElementById('data').value"), "secret");
    same(await other.value("document.getElementById('value-format').value"), "decimal");
    await other.value("history.go(2)");
    await other.until("document.body.dataset.code === 'crc-16/modbus'");
    await other.value("location.reload()");
    await other.until("document.body?.dataset.code === 'crc-16/modbus'");
    await other.value("location.hash = '#view=identify'");
    await other.until("!document.getElementById('identify').hidden");
    await other.close();
  },

  async "axe finds no violation"(tab) {
    if (AXE === "-") return;
    const script = readFileSync(AXE, "utf8");
    for (const size of [{}, { width: 360, height: 740 }]) {
      for (const dark of [false, true]) {
        const link = `${page}#find=83+92+06+e3`;
        const other = await tab.browser.open(link, { ...size, dark });
        await other.value(`${script}; 0`);
        await other.set("samples", "01030000000ac5cd\n010300010001d5ca");
        await other.set("sample-value", "2");
        await other.click("#identify-form button.primary");
        await other.until("document.body.dataset.identified === 'done'");
        await other.set("code-name", "crc-8/smbus");
        await other.until("document.body.dataset.code === 'crc-8/smbus'");
        await other.click("#strength-go");
        await other.until("!document.getElementById('limits').hidden");
        const capture = join(ROOT, "captures", "nat-tcp.bad.pcap");
        await other.files("#captures", [capture]);
        await other.until("document.body.dataset.captures === 'done'");
        // In the dark, the colours alone differ.
        const ofColours = { runOnly: ["color-contrast", "link-in-text-block"] };
        const rules = { resultTypes: ["violations"], ...(dark && ofColours) };
        for (const view of ["values", "code", "identify", "capture", "combine"]) {
          await other.click(`#tab-${view}`);
          const found = await other.value(`axe.run(${JSON.stringify(rules)}).then(it => [
            it.passes.length,
            it.violations.map(rule => [rule.id, rule.nodes.length, rule.nodes[0].html,
              rule.nodes[0].failureSummary])])`);
          same(found[1], [], `${view} ${JSON.stringify(size)} ${dark ? "dark" : "light"}`);
          holds(found[0] > (dark ? 0 : 20), `${found[0]} rules passed`);
        }
        await other.close();
      }
    }
  },

  async "the download has at most 500 KB"() {
    const size = gzipSync(readFileSync(PAGE), { level: 9 }).length;
    holds(size <= 500_000, `${size} bytes, compressed by gzip`);
  },

  async "what xz compressed is decompressed"() {
    const script = readFileSync(join(ROOT, "web/lzma.js"), "base64");
    const { unpacked } = await import(`data:text/javascript;base64,${script}`);
    const xz = (words, input) =>
      execFileSync("xz", ["-c", "--format=lzma", ...words], { input, maxBuffer: 1 << 28 });
    const [, module] = /id="wasm">([^<]*)</.exec(readFileSync(PAGE, "utf8"));
    const packed = Buffer.from(module, "base64");
    holds(xz(["-d"], packed).equals(unpacked(packed)), "the page's module");
    const some = [
      Buffer.alloc(0),
      Buffer.from("a"),
      Buffer.alloc(300_000, 7),
      Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i * 40_503) >> 13)),
      readFileSync(join(ROOT, "Cargo.lock")),
    ];
    for (const data of some)
      for (const settings of ["preset=9e", "preset=0,pb=4,lp=4,lc=0", "preset=6,pb=0,lc=4,lp=0"]) {
        const packed = xz([`--lzma1=${settings}`], data);
        holds(data.equals(unpacked(packed)), `${data.length} bytes, ${settings}`);
        let error;
        try {
          unpacked(packed.subarray(0, packed.length - 6));
        } catch (thrown) {
          error = thrown;
        }
        holds(error?.message.includes("ends early"), `${settings}, cut: ${error}`);
      }
  },

  async "the Hamming distance is the program's"(tab) {
    for (const [code, bits] of [
      ["crc-32/iscsi", 5243],
      ["crc-16/ibm-3740", 1000],
      ["crc-8/smbus", 64],
    ]) {
      await tab.set("code-name", code);
      await tab.until(`document.body.dataset.code === '${code}'`);
      await tab.set("bits", String(bits));
      await tab.click("#strength-go");
      await tab.until("document.getElementById('strength-status').textContent");
      const { distance } = residue(["strength", code, "--length", String(bits), "--json"]);
      holds(
        (await tab.text("#strength-status")).startsWith(`HD ${distance} at`),
        `${code}: ${await tab.text("#strength-status")}`,
      );
    }
    const limits = residue(["strength", "crc-8/smbus", "--json"]).limits.map(it => [
      String(it.distance),
      String(it.data_bits),
    ]);
    same(
      await tab.value(
        `[...document.querySelectorAll("#limits tbody tr")].map(row => [
          row.cells[0].textContent,
          row.cells[1].textContent.replace(/\\D/g, ""),
        ])`,
      ),
      limits,
    );
    await tab.set("bits", "many");
    await tab.click("#strength-go");
    holds((await tab.text("#strength-error")).includes("a number of bits"), "no error");
  },

  async "captures have the verdicts of residue pcap verify --json"(tab) {
    await tab.click("#tab-capture");
    const names = readdirSync(join(ROOT, "captures"))
      .filter(name => /\.(pcap|pcapng)$/.test(name))
      .sort();
    holds(names.length > 200, `${names.length} captures`);
    const more = [...names, "cases.csv"];
    await tab.value(`{
      const make = URL.createObjectURL;
      URL.createObjectURL = blob => {
        if (blob.type === "application/json") window.saved = blob.text();
        return make.call(URL, blob);
      };
    }`);
    await tab.files(
      "#captures",
      more.map(name => join(ROOT, "captures", name)),
    );
    await tab.until("document.body.dataset.captures === 'done'");
    await tab.click("#capture-save");
    const found = JSON.parse(await tab.value("window.saved"));
    const captures = residueLines(["pcap", "verify", "--json", ...more], join(ROOT, "captures"));
    same(found.captures.length, captures.length, "captures");
    captures.forEach((capture, i) => same(found.captures[i], capture, capture.capture));
    const wrong = captures.filter(
      it => it.total && it.total.bad + it.total.illegal + it.total.length_conflict > 0,
    ).length;
    holds(
      (await tab.text("#capture-status")).includes(
        `${wrong} with wrong check values, 1 that could not`,
      ),
      await tab.text("#capture-status"),
    );
    const shown = await tab.value(
      `[...document.querySelectorAll(".report")]
        .find(it => it.textContent.includes("nat-tcp.bad")).textContent`,
    );
    for (const words of ["8 check values wrong", "192.0.2.1"]) holds(shown.includes(words), shown);
  },

  async "captures show the protocols that were not followed"(tab) {
    await tab.click("#tab-capture");
    // One IPv4 packet of protocol 50.
    const capture =
      "d4c3b2a1020004000000000000000000ffff000065000000" +
      "00000000000000001c0000001c000000" +
      "4500001c000000004032f6acc0000201c0000202" +
      "0101010101010101";
    const folder = mkdtempSync(join(tmpdir(), "residue-"));
    const file = join(folder, "tunnel.pcap");
    try {
      writeFileSync(file, Buffer.from(capture, "hex"));
      await tab.files("#captures", [file]);
      await tab.until("document.querySelector('.report')?.textContent.includes('tunnel.pcap')");
    } finally {
      rmSync(folder, { recursive: true });
    }
    const shown = await tab.text(".report");
    for (const words of ["Nothing wrong, 1 packet not followed", "IP protocol 50 (ESP: encrypted)"])
      holds(shown.includes(words), shown);
  },

  async "values are combined and edited"(tab) {
    await tab.click("#tab-combine");
    same(await tab.text("#combine-value"), "e3069283");
    same(await tab.text("#edit-after"), "b961");
    await tab.set("combine-a", "g");
    await tab.until(
      "document.getElementById('combine-error').textContent.includes('not a hexadecimal digit')",
    );
    await tab.set("edit-new", "3f");
    await tab.until(
      "document.getElementById('edit-error').textContent.includes('keeps the length')",
    );
  },

  async "a link restores the form"(tab) {
    await tab.click("#tab-values");
    await values(tab, "hex", "00 ff");
    await tab.set("find", "e31a");
    await tab.set("value-format", "decimal");
    await tab.click("#tab-code");
    await tab.set("code-name", "custom");
    await tab.set("crc-width", "8");
    await tab.set("crc-init", "0");
    await tab.set("crc-xorout", "0");
    await tab.set("crc-poly", "1d");
    await tab.until("document.body.dataset.code.startsWith('width=8,poly=1d')");
    // The values from before this change were done as well.
    await tab.until(`JSON.stringify(${VALUES}).includes("width=8,poly=1d")`);
    await tab.until(DONE);
    const [spec, before] = [await tab.value("document.body.dataset.code"), await tab.value(VALUES)];
    await tab.click("#make-link");
    const link = await tab.value("document.getElementById('link').value");
    const other = await tab.browser.open(link);
    same(await other.value("document.body.dataset.code"), spec);
    same(
      await other.value("document.getElementById('tab-code').getAttribute('aria-selected')"),
      "true",
    );
    await other.until(DONE);
    same(await other.value(VALUES), before);
    same(await other.value("document.getElementById('find').value"), "e31a");
    await other.close();
  },

  async "the keyboard alone does it"(tab) {
    await tab.go(`${page}`);
    const focused = "document.activeElement.id";
    await tab.key("Tab");
    same(await tab.text(":focus"), "Skip to the form");
    await tab.key("Tab");
    same(await tab.value(focused), "tab-values");
    for (const [key, view] of [
      ["ArrowRight", "code"],
      ["ArrowRight", "identify"],
      ["End", "combine"],
      ["ArrowRight", "values"],
      ["ArrowLeft", "combine"],
      ["Home", "values"],
    ]) {
      await tab.key(key);
      same(await tab.value(focused), `tab-${view}`);
      same(await tab.value(`document.getElementById("${view}").hidden`), false);
    }
    await tab.key("Tab");
    await tab.key("Tab");
    same(await tab.value(focused), "data");
    await tab.value("{ document.body.dataset.state = ''; document.activeElement.select(); }");
    for (const key of "abc") await tab.key(key);
    await tab.until("document.getElementById('data').value === 'abc'");
    await tab.until(DONE);
    same((await tab.value(VALUES))["crc-32/iso-hdlc"], "352441c2");
    for (let i = 0; i < 12 && (await tab.value(focused)) !== "value-format"; i++)
      await tab.key("Tab");
    await tab.key("Tab");
    const name = await tab.text(":focus");
    await tab.key("Enter");
    await tab.until(`document.body.dataset.code === ${JSON.stringify(name)}`);
    same(await tab.value(focused), "tab-code");
  },

  async "everything has a name, and ids are there once"(tab) {
    const bad = await tab.value(
      `[...document.querySelectorAll("input, select, textarea, button, progress")]
        .filter(it => !(
          it.labels?.length || it.textContent.trim() ||
          it.getAttribute("aria-label") || it.getAttribute("aria-labelledby")))
        .map(it => it.outerHTML)`,
    );
    same(bad, [], "without a name");
    same(
      await tab.value(
        `[...document.querySelectorAll("[id]")].map(it => it.id)
          .filter((id, i, all) => all.indexOf(id) !== i)`,
      ),
      [],
      "twice",
    );
    const referring = "[aria-controls], [aria-describedby], [aria-labelledby], label[for]";
    same(
      await tab.value(
        `[...document.querySelectorAll("${referring}")]
          .flatMap(it => ["aria-controls", "aria-describedby", "aria-labelledby", "for"]
            .flatMap(name => (it.getAttribute(name) ?? "").split(" ").filter(Boolean)))
          .filter(id => !document.getElementById(id))`,
      ),
      [],
      "names of nothing",
    );
    same(
      await tab.value(
        `[...document.querySelectorAll("table")].filter(it =>
          !it.caption || [...it.querySelectorAll("thead th")].some(th => !th.scope)).length`,
      ),
      0,
      "tables without caption or scope",
    );
  },

  async "no view is wider than a phone"(tab) {
    const phone = await tab.browser.open(page, { width: 360, height: 740 });
    await phone.set("samples", "01030000000ac5cd\n010300010001d5ca");
    await phone.set("sample-value", "2");
    await phone.click("#identify-form button.primary");
    await phone.until("document.body.dataset.identified === 'done'");
    for (const view of ["values", "code", "identify", "capture", "combine"]) {
      await phone.click(`#tab-${view}`);
      same(await phone.value("document.documentElement.scrollWidth"), 360, view);
      // Nothing is cut off, either: all is inside the page, or inside an area that scrolls.
      const out = await phone.value(
        `[...document.querySelectorAll("#${view} *")].filter(it =>
          !it.closest("pre, .scroll, .visually-hidden, thead, select") &&
          it.getBoundingClientRect().width > 0 &&
          (it.getBoundingClientRect().right > 360.5 || it.getBoundingClientRect().left < 0))
          .map(it => it.outerHTML.slice(0, 100))`,
      );
      same(out, [], view);
    }
    await phone.close();
  },

  async "500 MB are hashed while the page goes on"(tab) {
    await tab.go(page);
    const codes = [
      "crc-32/iscsi",
      "crc-64/nvme",
      "adler-32",
      "internet",
      "fletcher-32",
      "crc-8/smbus",
    ];
    const expected = large(codes);
    // A file of 500 references to one mebibyte, dropped on the page.
    await tab.value(`{
      const at = (_, i) => (i * 7 + (i >> 8)) & 255;
      const piece = Uint8Array.from({ length: ${piece.length} }, at);
      const part = new Blob([piece]);
      const file = new File(Array(${PIECES}).fill(part), "large.bin");
      window.ticks = window.progress = 0;
      const bar = document.querySelector("#values-progress progress");
      const watched = { attributes: true, attributeFilter: ["value"] };
      new MutationObserver(() => window.progress++).observe(bar, watched);
      setInterval(() => window.ticks++, 20);
      const carried = new DataTransfer(); carried.items.add(file);
      const drop = { dataTransfer: carried, bubbles: true, cancelable: true };
      document.dispatchEvent(new DragEvent("drop", drop)); }`);
    await tab.until("document.querySelectorAll('#values-table td.value b').length >= 17");
    const [ticks, progress] = [await tab.value("window.ticks"), await tab.value("window.progress")];
    holds(progress >= 5, `${progress} reports of progress`);
    // A page that blocked until the values are there would have none.
    holds(ticks >= 10, `${ticks} ticks`);
    const found = await tab.value(VALUES);
    for (const { algorithm, value } of rows(await expected))
      same(found[algorithm], value, algorithm);
    // The other codes have begun: cancel them.
    await tab.until("document.getElementById('values-status').textContent.includes('other codes')");
    holds(Object.values(found).includes(null), "the others are there already");
    await tab.click("#values-progress button");
    await tab.until("document.getElementById('values-status').textContent.startsWith('Cancelled')");
    same(await tab.value("document.getElementById('values-progress').hidden"), true);
    const after = await values(tab, "text", "123456789");
    holds(Object.values(after).every(Boolean), "no values after it was cancelled");
  },

  async "all codes of a large file, from a server"(tab) {
    const server = createServer((_, response) =>
      response.setHeader("content-type", "text/html; charset=utf-8").end(readFileSync(PAGE)),
    );
    await new Promise(listening => server.listen(0, "127.0.0.1", listening));
    const served = await tab.browser.open(`http://127.0.0.1:${server.address().port}/`);
    try {
      await served.value(`{
        const file = new File([new Uint8Array(3 << 20).map((_, i) => i % 251)], "x.bin");
        const carried = new DataTransfer(); carried.items.add(file);
        const drop = { dataTransfer: carried, bubbles: true, cancelable: true };
        document.dispatchEvent(new DragEvent("drop", drop)); }`);
      await served.until(
        "document.getElementById('values-status').textContent.startsWith('All codes computed')",
      );
      const found = await served.value(VALUES);
      same(Object.values(found).filter(Boolean).length, CODES, "values");
      const bytes = Buffer.from(Array.from({ length: 3 << 20 }, (_, i) => i % 251));
      const output = JSON.parse(
        execFileSync(program, ["sum", "-a", "crc-82/darc,crc-16/arc,xns,sum-32", "--json", "-"], {
          input: bytes,
        }),
      );
      for (const { algorithm, value } of rows(output)) same(found[algorithm], value, algorithm);
      // The policy holds: the page cannot even reach the server it came from.
      same(await served.value("fetch('/').then(() => 'sent', () => 'forbidden')"), "forbidden");
    } finally {
      await served.close();
      server.close();
    }
  },
};

/** Returns the values in the output of `residue sum --json`. */
function rows(output) {
  const found = [];
  const walk = it => {
    if (Array.isArray(it)) it.forEach(walk);
    else if (it && typeof it === "object") {
      const name = it.algorithm ?? it.code;
      if (typeof name === "string" && typeof it.value === "string")
        found.push({ algorithm: name, value: it.value });
      Object.values(it).forEach(walk);
    }
  };
  walk(output);
  if (!found.length) throw new Error(`no values in ${JSON.stringify(output).slice(0, 200)}`);
  return found;
}

const browser = new Browser();
try {
  const tab = await browser.open(page);
  for (const [name, test] of Object.entries(TESTS)) {
    if (only && !name.includes(only)) continue;
    try {
      await test(tab);
      console.log(`ok: ${name}`);
    } catch (error) {
      console.log(`FAILED: ${name}: ${error.message}`);
    }
  }
  const strange = tab.complaints.filter(it => !/Content Security Policy/.test(it));
  const fetched = tab.requests.filter(url => !/^(file|blob|data|about):/.test(url));
  console.log(
    strange.length + fetched.length
      ? `FAILED: nothing is thrown or fetched: ${[...strange, ...fetched].join("; ")}`
      : "ok: nothing is thrown or fetched",
  );
} finally {
  await browser.close();
}
console.log("end");
