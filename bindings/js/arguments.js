// Checks of arguments. WebAssembly converts whatever it gets: it cuts numbers to 32 bits and
// BigInts to 64, and takes any number for an address. All that reaches it is checked here first.

/** Names the type of a wrong argument. */
export const kindOf = (value) => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  const type = typeof value;
  return type === "undefined" ? type : `${type === "object" ? "an" : "a"} ${type}`;
};

/** Returns a whole number of a range. */
export function whole(value, name, least, most) {
  if (typeof value !== "number") {
    throw new TypeError(`${name} must be a number, not ${kindOf(value)}`);
  }
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(
      `${name} must be a whole number from ${least} to ${most}, not ${value}`,
    );
  }
  return value;
}

/** Returns a BigInt of up to 64 bits. */
export function wide(value, name) {
  if (typeof value !== "bigint") {
    throw new TypeError(`${name} must be a BigInt, not ${kindOf(value)}`);
  }
  if (BigInt.asUintN(64, value) !== value) {
    throw new RangeError(`${name} must be from 0 to ${2n ** 64n - 1n}, not ${shown(value)}`);
  }
  return value;
}

/** Returns a number or a BigInt as a BigInt of up to `width` bits. */
export function bits(value, name, width) {
  if (typeof value !== "number" && typeof value !== "bigint") {
    throw new TypeError(`${name} must be a number or a BigInt, not ${kindOf(value)}`);
  }
  if (typeof value === "number" && !Number.isInteger(value)) {
    throw new RangeError(`${name} must be a whole number, not ${value}`);
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new RangeError(`${name} ${value} is not exact: pass numbers from 2^53 on as BigInts`);
  }
  const exact = BigInt(value);
  if (BigInt.asUintN(width, exact) !== exact) {
    const range = `from 0 to 2^${width} - 1 for a width of ${width} bits`;
    throw new RangeError(`${name} must be ${range}, not ${shown(exact)}`);
  }
  return exact;
}

/** Shows a BigInt, which may be longer than any message. */
function shown(value) {
  const digits = value.toString(16);
  return digits.length > 40 ? "a longer number" : `${value}`;
}

/** Returns a boolean. */
export function truth(value, name) {
  if (typeof value !== "boolean") {
    throw new TypeError(`${name} must be true or false, not ${kindOf(value)}`);
  }
  return value;
}

const encoder = new TextEncoder();

const DATA = "the data";

/**
 * Refuses a surrogate without its other half. The encoder would replace it by U+FFFD, so that
 * different texts had one value.
 */
function demandWellFormed(text, name) {
  if (!text.isWellFormed()) {
    throw new RangeError(
      `${name} has half of a surrogate pair, which UTF-8 cannot encode: use text.toWellFormed()`,
    );
  }
}

/** Returns the bytes of a text in UTF-8. */
export function encoded(text, name) {
  demandWellFormed(text, name);
  return encoder.encode(text);
}

/** Writes the bytes of data that are a text, in UTF-8, into an array with room for them. */
export function encodeInto(text, array) {
  demandWellFormed(text, DATA);
  return encoder.encodeInto(text, array).written;
}

const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (of) => get.call(of);
};

/** Returns getters of the language itself: those of an object may be its class's own. */
const getters = (prototype) => ({
  buffer: getter(prototype, "buffer"),
  offset: getter(prototype, "byteOffset"),
  length: getter(prototype, "byteLength"),
});

const array = Object.getPrototypeOf(Uint8Array.prototype);
const ofArray = getters(array);
const ofView = getters(DataView.prototype);
const tag = getter(array, Symbol.toStringTag);
const { keys } = array;

/** Returns the bytes of data: of a text in UTF-8, of a buffer, or of a view of one. */
export function bytesOf(data) {
  if (typeof data === "string") return encoded(data, DATA);
  try {
    if (!ArrayBuffer.isView(data)) return ofBuffer(data);
    const isArray = tag(data) !== undefined;
    // Throws if the memory is gone; the length would be 0.
    if (isArray) keys.call(data);
    const { buffer, offset, length } = isArray ? ofArray : ofView;
    return new Uint8Array(buffer(data), offset(data), length(data));
  } catch (error) {
    if (error instanceof Foreign) {
      throw new TypeError("the data must be a string, an ArrayBuffer, or a view of one");
    }
    throw new TypeError("the buffer of the data is detached, or smaller than the view of it");
  }
}

/** Returns the length of a Uint8Array of 1 to `most` bytes, and 0 for all else. */
export function few(data, most) {
  if (tag(data) !== "Uint8Array") return 0;
  const length = ofArray.length(data);
  return length <= most ? length : 0;
}

/** Thrown for what has no bytes. */
class Foreign extends Error {}

const buffers = [ArrayBuffer, globalThis.SharedArrayBuffer]
  .filter((kind) => typeof kind === "function")
  .map((kind) => getter(kind.prototype, "byteLength"));

/** Returns the bytes of a buffer of any realm. */
function ofBuffer(data) {
  const isBuffer = (length) => {
    try {
      length(data);
      return true;
    } catch {
      return false;
    }
  };
  if (!buffers.some(isBuffer)) throw new Foreign();
  return new Uint8Array(data);
}
