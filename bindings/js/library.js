// The functions of libresidue (../c/include/residue.h), compiled to WebAssembly. Pointers and
// lengths are numbers, 64-bit integers are BigInts.

/** The functions, and the memory that their pointers point into; set once, by `start`. */
export let library;

/** Takes the functions of an instance, unless another entry of the package has begun before. */
export function start(instance) {
  library ??= instance.exports;
}

/** Returns the bytes of a module in base64. */
export const decoded = (wasm) => Uint8Array.from(atob(wasm), (byte) => byte.charCodeAt(0));
