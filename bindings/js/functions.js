// The public functions. index.d.ts documents them.

import { bits, bytesOf, few, kindOf, truth, whole, wide } from "./arguments.js";
import { library } from "./library.js";
import {
  CHUNK,
  data as at,
  demand,
  inPieces,
  put,
  putHead,
  putText,
  putUtf8,
  putWide,
  scratch,
  shown,
  textAt,
} from "./memory.js";

/** Copies data of at most CHUNK bytes to `at` and returns their number, or returns longer data. */
function placed(argument) {
  if (typeof argument === "string" && 3 * argument.length <= CHUNK) return putUtf8(argument);
  // To make a view of an array takes longer than to copy some hundred bytes.
  let length = few(argument, CHUNK);
  let bytes = argument;
  if (length === 0) {
    bytes = bytesOf(argument);
    length = bytes.length;
  }
  if (length > CHUNK) return bytes;
  put(bytes);
  return length;
}

/** Calls `take` with the length of each piece of the data, which is then at `at`. */
function eachPiece(argument, take) {
  const given = placed(argument);
  if (typeof given === "number") take(given);
  else inPieces(given, take);
}

/** Bytes up to which tables in JavaScript are faster than to copy them and call the library. */
const FEW = 48;

/** Returns tables of the register after a byte, from zero, and 0 to 7 bytes of zero behind it. */
function tables(extend) {
  const all = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    put([byte]);
    all[byte] = ~extend(0xffffffff, at, 1);
  }
  for (let i = 256; i < all.length; i++) {
    const before = all[i - 256];
    all[i] = all[before & 0xff] ^ (before >>> 8);
  }
  return all;
}

/** Goes on from a value of a CRC of 32 bits, by tables (slicing-by-8). */
function sliced(table, bytes, length, value) {
  let register = ~value;
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    register ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    register =
      table[0x700 + (register & 0xff)] ^
      table[0x600 + ((register >>> 8) & 0xff)] ^
      table[0x500 + ((register >>> 16) & 0xff)] ^
      table[0x400 + (register >>> 24)] ^
      table[0x300 + bytes[i + 4]] ^
      table[0x200 + bytes[i + 5]] ^
      table[0x100 + bytes[i + 6]] ^
      table[bytes[i + 7]];
  }
  for (; i < length; i++) {
    register = table[(register ^ bytes[i]) & 0xff] ^ (register >>> 8);
  }
  return ~register >>> 0;
}

/** Returns a function that goes on from a value, by one of libresidue's `_extend`. */
function extending(name, start) {
  const extend = library[`residue_${name}_extend`];
  const big = typeof start === "bigint";
  const checked = big ? wide : (value, what) => whole(value, what, 0, 0xffffffff);
  const proper = big ? (value) => BigInt.asUintN(64, value) : (value) => value >>> 0;
  const most = name.startsWith("crc32") ? FEW : 0;
  let table;
  return (argument, from = start) => {
    let value = checked(from, "the value");
    const length = most && few(argument, most);
    if (length !== 0) return sliced((table ??= tables(extend)), argument, length, value);
    eachPiece(argument, (length) => {
      value = extend(value, at, length);
    });
    return proper(value);
  };
}

export const crc32 = extending("crc32", 0);
export const crc32c = extending("crc32c", 0);
export const crc64nvme = extending("crc64_nvme", 0n);
export const adler32 = extending("adler32", 1);

const handles = new FinalizationRegistry(({ free, handle }) => free(handle));

/** Returns the handle of a new object of the library, which is freed with `owner` or before. */
function owned(owner, handle, free) {
  if (handle === 0) throw new RangeError(textAt(library.residue_last_error()));
  handles.register(owner, { free, handle }, owner);
  return handle;
}

/** Frees an object of the library. */
function freed(owner, handle, free) {
  if (handle === 0) return;
  handles.unregister(owner);
  free(handle);
}

function fromParameters(parameters) {
  if (typeof parameters !== "object" || parameters === null) {
    throw new TypeError(`expected a name of a code or parameters, not ${kindOf(parameters)}`);
  }
  // Each is read once, so that what is checked is what is used.
  const { width, poly, init = 0n, refin = false, refout = refin, xorout = 0n } = parameters;
  whole(width, "the width", 1, 128);
  const wides = [bits(poly, "poly", width), bits(init, "init", width)];
  wides.push(bits(xorout, "xorout", width), 0n, 0n);
  putHead(scratch, width, truth(refin, "refin"), truth(refout, "refout"));
  wides.forEach((value, index) => putWide(scratch + 8 + 16 * index, value));
  return library.residue_code_from_params(scratch);
}

// A handle is an address, and any number could be one. Each class therefore has a private field of
// its own, which no object of another class has and only its constructor sets.

/** What `console.log` of Node calls. */
const inspect = Symbol.for("nodejs.util.inspect.custom");

const isObject = (value) =>
  (typeof value === "object" && value !== null) || typeof value === "function";

let isCode;
let handleOfCode;

export class Code {
  #handle;
  #width;

  static {
    isCode = (value) => isObject(value) && #handle in value;
    handleOfCode = (value) => {
      if (!isCode(value)) throw new TypeError(`expected a Code, not ${kindOf(value)}`);
      if (value.#handle === 0) throw new TypeError("the Code was freed");
      return value.#handle;
    };
  }

  constructor(code) {
    const named = typeof code === "string";
    const handle = named ? library.residue_code_new(putText(code)) : fromParameters(code);
    this.#handle = owned(this, handle, library.residue_code_free);
    this.#width = library.residue_code_width(handle);
  }

  get name() {
    return textAt(library.residue_code_name(handleOfCode(this)));
  }

  get about() {
    return textAt(library.residue_code_about(handleOfCode(this)));
  }

  get width() {
    handleOfCode(this);
    return this.#width;
  }

  value(argument) {
    const handle = handleOfCode(this);
    const given = placed(argument);
    // A digest would take several times as long as the value of a short message.
    if (typeof given === "number") {
      demand(library.residue_value_wide(handle, at, given, scratch));
      return shown(this.#width);
    }
    const digest = new Digest(this);
    try {
      return digest.update(given).value();
    } finally {
      digest.free();
    }
  }

  digest() {
    handleOfCode(this);
    return new Digest(this);
  }

  free() {
    if (!isCode(this)) handleOfCode(this);
    freed(this, this.#handle, library.residue_code_free);
    this.#handle = 0;
  }

  [inspect]() {
    if (!isCode(this)) return "Code";
    if (this.#handle === 0) return "Code (freed)";
    return `Code ${this.name} of ${this.width} bits`;
  }
}

export class Digest {
  #handle;
  #width;

  /** Creates a digest of a code, or a copy of a digest. */
  constructor(of) {
    const copy = isObject(of) && #handle in of;
    if (!copy && !isCode(of)) {
      throw new TypeError(`expected a Code or a Digest, not ${kindOf(of)}`);
    }
    const handle = copy
      ? library.residue_stream_copy(Digest.#of(of))
      : library.residue_stream_new(handleOfCode(of));
    this.#handle = owned(this, handle, library.residue_stream_free);
    this.#width = copy ? of.#width : library.residue_code_width(handleOfCode(of));
  }

  /** Returns the handle of a digest. */
  static #of(value) {
    if (!isObject(value) || !(#handle in value)) {
      throw new TypeError(`expected a Digest, not ${kindOf(value)}`);
    }
    if (value.#handle === 0) throw new TypeError("the Digest was freed");
    return value.#handle;
  }

  update(argument) {
    const handle = Digest.#of(this);
    eachPiece(argument, (length) => demand(library.residue_stream_update(handle, at, length)));
    return this;
  }

  combine(next) {
    demand(library.residue_stream_combine(Digest.#of(this), Digest.#of(next)));
    return this;
  }

  value() {
    demand(library.residue_stream_value_wide(Digest.#of(this), scratch));
    return shown(this.#width);
  }

  reset() {
    demand(library.residue_stream_reset(Digest.#of(this)));
    return this;
  }

  copy() {
    Digest.#of(this);
    return new Digest(this);
  }

  through() {
    Digest.#of(this);
    return new TransformStream({
      transform: (piece, controller) => {
        this.update(piece);
        controller.enqueue(piece);
      },
    });
  }

  free() {
    if (!isObject(this) || !(#handle in this)) Digest.#of(this);
    freed(this, this.#handle, library.residue_stream_free);
    this.#handle = 0;
  }

  [inspect]() {
    if (!isObject(this) || !(#handle in this)) return "Digest";
    if (this.#handle === 0) return "Digest (freed)";
    return `Digest of ${this.#width} bits, now 0x${this.value().toString(16)}`;
  }
}

const known = new Map();

/** Returns a function that computes the value of a named code. */
function oneShot(name) {
  return (argument) => {
    if (!known.has(name)) known.set(name, new Code(name));
    return known.get(name).value(argument);
  };
}

export const internet = oneShot("internet");
export const fletcher16 = oneShot("fletcher-16");
export const fletcher32 = oneShot("fletcher-32");

export function codes() {
  const count = library.residue_code_count();
  return Array.from({ length: count }, (_, index) => {
    const code = library.residue_code_at(index);
    const name = textAt(library.residue_code_name(code));
    library.residue_code_free(code);
    return name;
  });
}

export const version = textAt(library.residue_version());
