// For engines that have no vectors in WebAssembly, or let a page compile large modules only
// asynchronously: Chrome before 114, Firefox before 89, Safari before 16.4.

import { decoded, start } from "./library.js";

/** A module with a function that returns a vector, which engines without vectors refuse. */
const VECTORS = [
  [0, 97, 115, 109, 1, 0, 0, 0], // WebAssembly, version 1
  [1, 5, 1, 96, 0, 1, 123], // the type () -> v128
  [3, 2, 1, 0], // a function of this type
  [10, 8, 1, 6, 0, 65, 0, 253, 15, 11], // i32.const 0, i8x16.splat
];

const { wasm } = WebAssembly.validate(Uint8Array.from(VECTORS.flat()))
  ? await import("./vectors.js")
  : await import("./words.js");

start((await WebAssembly.instantiate(decoded(wasm))).instance);

export const {
  Code,
  Digest,
  adler32,
  codes,
  crc32,
  crc32c,
  crc64nvme,
  fletcher16,
  fletcher32,
  internet,
  version,
} = await import("./functions.js");
