// Measures the page's WebAssembly in node: `node speed.mjs PAGE [MEBIBYTES]`. The first line is its
// decompression; each other is the fastest of three passes over all bytes, for all codes of the
// line.

import { readFileSync } from "node:fs";

const [, , PAGE, SIZE = "32"] = process.argv;
const text = readFileSync(PAGE, "utf8");
/** Imports a script of the page, which node would not take for a module. */
function script(name) {
  const source = readFileSync(new URL(`../${name}`, import.meta.url), "base64");
  return import(`data:text/javascript;base64,${source}`);
}
const { COMMON } = await script("common.js");
const { unpacked } = await script("lzma.js");
const [, packed] = /id="wasm">([^<]*)</.exec(text);
const begin = performance.now();
const bytes = unpacked(Buffer.from(packed, "base64"));
console.log(`${bytes.length} bytes decompressed in ${(performance.now() - begin).toFixed(0)} ms`);
const module = new WebAssembly.Module(bytes);
const size = Number(SIZE) << 20;
const data = Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) & 255);
const decoder = new TextDecoder();
let answer;
const memory = () => exports.memory.buffer;
const page = {
  read(offset, into, length) {
    const part = data.subarray(offset, offset + length);
    new Uint8Array(memory()).set(part, into);
    return part.length;
  },
  progress() {},
  answer(at, length) {
    answer = JSON.parse(decoder.decode(new Uint8Array(memory(), at, length)));
  },
  fault(at, length) {
    throw new Error(decoder.decode(new Uint8Array(memory(), at, length)));
  },
};
const { exports } = new WebAssembly.Instance(module, { page });

function ask(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const at = exports.room(bytes.length);
  new Uint8Array(memory()).set(bytes, at);
  exports.ask();
  if (answer.error) throw new Error(answer.error);
  return answer;
}

const { codes } = ask({ do: "list" });
const crcs = codes.filter(code => code.crc).map(code => code.name);
const sums = codes.filter(code => !code.crc).map(code => code.name);
for (const [name, set] of [
  ["crc-32/iscsi", ["crc-32/iscsi"]],
  ["crc-64/nvme", ["crc-64/nvme"]],
  ["adler-32", ["adler-32"]],
  ["internet", ["internet"]],
  ["codes in common use", COMMON],
  ["all CRCs", crcs],
  ["all sums", sums],
  ["all codes", [...crcs, ...sums]],
]) {
  let best = Infinity;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    ask({ do: "values", size, codes: set });
    best = Math.min(best, performance.now() - start);
  }
  const speed = (size / best / 1e3).toFixed(0).padStart(6);
  console.log(`${name.padEnd(20)} ${String(set.length).padStart(4)} codes ${speed} MB/s`);
}
