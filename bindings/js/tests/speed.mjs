// Times `crc32` of the installed package beside Node's own: medians of nine loops.

import zlib from "node:zlib";
import { crc32 } from "residue-codes";

/** Returns nanoseconds a call. */
function time(call, data) {
  const calls = Math.max(3, Math.min(300_000, Math.floor(3e8 / data.length)));
  const loop = () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < calls; i++) call(data);
    return Number(process.hrtime.bigint() - start) / calls;
  };
  loop();
  return Array.from({ length: 9 }, loop).sort((a, b) => a - b)[4];
}

for (const length of [8, 32, 256, 1024, 65536, 1 << 20, 64 << 20]) {
  const data = Uint8Array.from({ length }, (_, i) => i * 7 + (i >> 8));
  const answers = [crc32(data), zlib.crc32(data)];
  if (answers[0] !== answers[1]) throw new Error(`${length} bytes: ${answers}`);
  const [own, other] = [crc32, zlib.crc32].map((call) => time(call, data).toPrecision(3));
  console.log(`${length} bytes: crc32 ${own} ns, zlib.crc32 ${other} ns`);
}
