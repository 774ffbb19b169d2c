// Times `crc32` of the installed package beside others that are installed or built in: medians of
// eleven loops, taken in turn. In Node, beside `npm install crc-32 hash-wasm @node-rs/crc32`:
//
//     node speed.mjs
//
// In a browser, after `npx esbuild speed.mjs --bundle --format=esm --outfile=bundle.js
// --external:node:zlib --external:@node-rs/crc32` and a page with
// `<script type="module" src="bundle.js">`.

import { crc32 } from "residue-codes";

/** The other contenders, each with how it is made; one that is not there is left out. */
const OTHERS = {
  "zlib.crc32": async () => (await import("node:zlib")).crc32,
  "@node-rs/crc32": async () => (await import("@node-rs/crc32")).crc32,
  "hash-wasm": async () => {
    const hasher = await (await import("hash-wasm")).createCRC32();
    return (data) => parseInt(hasher.init().update(data).digest(), 16);
  },
  "crc-32": async () => {
    const { buf } = (await import("crc-32")).default;
    return (data) => buf(data) >>> 0;
  },
};

const SIZES = [8, 32, 64, 128, 256, 512, 1024, 4096, 65536, 1 << 20, 64 << 20];

const contenders = [["residue-codes", crc32]];
for (const [name, make] of Object.entries(OTHERS)) {
  try {
    const call = await make();
    if (call) contenders.push([name, call]);
  } catch {
    // It is not installed, or not for this engine.
  }
}

/** Returns nanoseconds a call, over some milliseconds. */
function time(call, data) {
  const calls = Math.max(2, Math.min(300_000, Math.floor(5e7 / data.length)));
  const start = performance.now();
  for (let i = 0; i < calls; i++) call(data);
  return ((performance.now() - start) * 1e6) / calls;
}

const median = (times) => times.sort((a, b) => a - b)[(times.length - 1) / 2];

const lines = [`| bytes | ${contenders.map(([name]) => name).join(" | ")} |`];
for (const length of SIZES) {
  const data = Uint8Array.from({ length }, (_, i) => i * 7 + (i >> 8));
  const answers = contenders.map(([, call]) => call(data));
  if (new Set(answers).size !== 1) throw new Error(`${length} bytes: ${answers}`);
  // The first loop compiles.
  const loops = Array.from({ length: 12 }, () => contenders.map(([, call]) => time(call, data)));
  const medians = contenders.map((_, place) => median(loops.slice(1).map((all) => all[place])));
  lines.push(`| ${length} | ${medians.map((ns) => Number(ns.toPrecision(3))).join(" | ")} |`);
}
console.log(lines.join("\n"));
if (globalThis.document) document.body.textContent = lines.join("\n");
