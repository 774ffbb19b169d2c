// The functions of libresidue (../c/include/residue.h), compiled to WebAssembly. Pointers and
// lengths are numbers, 64-bit integers are BigInts.

import { wasm } from "./wasm.js";

const bytes = Uint8Array.from(atob(wasm), (character) => character.charCodeAt(0));

/** The functions, and the memory that their pointers point into. */
export const library = (await WebAssembly.instantiate(bytes)).instance.exports;
