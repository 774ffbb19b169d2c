// The part of the library's memory that belongs to JavaScript. Its pages are added to the memory
// once; the library's own allocator leaves pages that it did not add alone.

import { encodeInto, encoded } from "./arguments.js";
import { library } from "./library.js";

const PAGE = 65536;

/** Bytes of data that a call takes at once: what is copied is still in a cache when it is read. */
export const CHUNK = 2 * PAGE;

/** Bytes for values, parameters and names. */
const SCRATCH = PAGE;

const start = library.memory.grow((CHUNK + SCRATCH) / PAGE) * PAGE;

/** Address of the data of a call. */
export const data = start;

/** Address of the values, parameters and names of a call. */
export const scratch = start + CHUNK;

// A memory that grows has a new buffer, so no view of it may be kept.
const view = () => new DataView(library.memory.buffer);

const decoder = new TextDecoder();

let place = new Uint8Array(0);
let result;

/** Makes the views that are kept, again once the memory grew: its old buffer has no bytes. */
function renew() {
  if (place.length !== 0) return;
  place = new Uint8Array(library.memory.buffer, data, CHUNK);
  result = new DataView(library.memory.buffer, scratch, 16);
}

/** Copies at most CHUNK bytes to `data`. */
export function put(bytes) {
  renew();
  place.set(bytes);
}

/** Writes a text of at most CHUNK / 3 units to `data` in UTF-8, and returns its bytes' number. */
export function putUtf8(text) {
  renew();
  return encodeInto(text, place);
}

/** Calls `take` with the length of each piece of the bytes, which is then at `data`. */
export function inPieces(bytes, take) {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const piece = bytes.subarray(at, at + CHUNK);
    put(piece);
    take(piece.length);
  }
}

/** Writes a text to `scratch` as C has it, and returns its address. */
export function putText(text) {
  // A text of C ends at the first zero byte.
  if (text.includes("\0")) throw new RangeError("a name must not contain a zero byte");
  const bytes = encoded(`${text}\0`, "the name");
  if (bytes.length > SCRATCH) {
    throw new RangeError(`a name of ${bytes.length - 1} bytes is too long`);
  }
  new Uint8Array(library.memory.buffer, scratch, SCRATCH).set(bytes);
  return scratch;
}

/** Returns the text that C has at an address. */
export function textAt(address) {
  const bytes = new Uint8Array(library.memory.buffer, address);
  return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
}

/** Returns the value at `scratch` as callers get it: a number to 32 bits, a BigInt above. */
export function shown(width) {
  renew();
  if (width <= 32) return result.getUint32(0, true);
  const low = result.getBigUint64(0, true);
  return width <= 64 ? low : (result.getBigUint64(8, true) << 64n) | low;
}

/** Writes a BigInt, which must be of up to 128 bits, to an address. */
export function putWide(address, value) {
  view().setBigUint64(address, BigInt.asUintN(64, value), true);
  view().setBigUint64(address + 8, value >> 64n, true);
}

/** Writes the first fields of a `residue_params`. */
export function putHead(address, width, refin, refout) {
  view().setUint32(address, width, true);
  view().setUint8(address + 4, refin ? 1 : 0);
  view().setUint8(address + 5, refout ? 1 : 0);
}

/** Throws the library's last error unless a status is 0. */
export function demand(status) {
  if (status !== 0) throw new RangeError(textAt(library.residue_last_error()));
}
