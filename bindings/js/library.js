// The functions of libresidue (../c/include/residue.h), compiled to WebAssembly. Pointers and
// lengths are numbers, 64-bit integers are BigInts.

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

const bytes = Uint8Array.from(atob(wasm), (character) => character.charCodeAt(0));

/** The functions, and the memory that their pointers point into. */
export const library = (await WebAssembly.instantiate(bytes)).instance.exports;
