// The public functions. index.d.ts documents them.

import { library } from "./library.js";
import {
  data as at,
  demand,
  inPieces,
  putHead,
  putText,
  putWide,
  scratch,
  textAt,
  wideAt,
} from "./memory.js";

/** Returns a value as callers get it: a number to 32 bits, a BigInt above. */
const shown = (value, width) => (width <= 32 ? Number(value) : value);

/** Returns a function that goes on from a value, by one of libresidue's `_extend`. */
function extending(name, start) {
  const extend = library[`residue_${name}_extend`];
  const wide = typeof start === "bigint";
  const proper = wide ? (value) => BigInt.asUintN(64, value) : (value) => value >>> 0;
  return (argument, value = start) => {
    inPieces(argument, (length) => {
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

/** An object of the library, freed with the object of JavaScript that holds it, or before. */
class Owned {
  #handle;
  #free;

  constructor(handle, free) {
    if (handle === 0) throw new RangeError(textAt(library.residue_last_error()));
    this.#handle = handle;
    this.#free = free;
    handles.register(this, { free, handle }, this);
  }

  /** Returns the address of the object. */
  static handle(owned) {
    if (owned.#handle === 0) throw new TypeError("the object was freed");
    return owned.#handle;
  }

  free() {
    if (this.#handle === 0) return;
    handles.unregister(this);
    this.#free(this.#handle);
    this.#handle = 0;
  }
}

function fromParameters({ width, poly, init = 0n, refin = false, refout = refin, xorout = 0n }) {
  putHead(scratch, width, refin, refout);
  [poly, init, xorout, 0n, 0n].forEach((value, index) => {
    putWide(scratch + 8 + 16 * index, BigInt(value));
  });
  return library.residue_code_from_params(scratch);
}

export class Code extends Owned {
  constructor(code) {
    const named = typeof code === "string";
    const handle = named ? library.residue_code_new(putText(code)) : fromParameters(code);
    super(handle, library.residue_code_free);
  }

  get name() {
    return textAt(library.residue_code_name(Owned.handle(this)));
  }

  get about() {
    return textAt(library.residue_code_about(Owned.handle(this)));
  }

  get width() {
    return library.residue_code_width(Owned.handle(this));
  }

  value(argument) {
    const digest = this.digest();
    try {
      return digest.update(argument).value();
    } finally {
      digest.free();
    }
  }

  digest() {
    return new Digest(this);
  }
}

export class Digest extends Owned {
  #width;

  /** Creates a digest of a code, or a copy of a digest. */
  constructor(of) {
    const copy = of instanceof Digest;
    const make = copy ? library.residue_stream_copy : library.residue_stream_new;
    super(make(Owned.handle(of)), library.residue_stream_free);
    this.#width = copy ? of.#width : of.width;
  }

  update(argument) {
    const handle = Owned.handle(this);
    inPieces(argument, (length) => demand(library.residue_stream_update(handle, at, length)));
    return this;
  }

  combine(next) {
    demand(library.residue_stream_combine(Owned.handle(this), Owned.handle(next)));
    return this;
  }

  value() {
    demand(library.residue_stream_value_wide(Owned.handle(this), scratch));
    return shown(wideAt(scratch), this.#width);
  }

  reset() {
    demand(library.residue_stream_reset(Owned.handle(this)));
    return this;
  }

  copy() {
    return new Digest(this);
  }
}

const known = new Map();

/** Returns a function that computes the value of a named code. */
function whole(name) {
  return (argument) => {
    if (!known.has(name)) known.set(name, new Code(name));
    return known.get(name).value(argument);
  };
}

export const internet = whole("internet");
export const fletcher16 = whole("fletcher-16");
export const fletcher32 = whole("fletcher-32");

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
