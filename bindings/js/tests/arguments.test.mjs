// Tests of the arguments that cross to WebAssembly, which knows neither types nor ranges: each
// class of wrong ones is refused with its name, and none is converted or cut.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { Code, Digest } from "residue-codes";
import * as residue from "residue-codes";

const NAMES = ["crc-32/iscsi", "crc-64/nvme", "crc-82/darc", "adler-32", "internet"];

/** Values of every type, without those of the given types. */
function others(...types) {
  const all = {
    undefined: [undefined],
    null: [null],
    boolean: [true, false],
    number: [0, 1, 65536],
    bigint: [0n, 1n],
    string: ["", "1", "0x10"],
    symbol: [Symbol("1")],
    function: [() => 1],
    object: [{}, [], [1], new Date(0), Object(1), Object(1n), { valueOf: () => 1 }],
  };
  return Object.entries(all).flatMap(([type, values]) => (types.includes(type) ? [] : values));
}

/** Asserts that a call throws a type of error whose message has a text. */
function refused(call, type, says, what) {
  assert.throws(call, (error) => {
    assert.equal(error.constructor, type, `${what}: ${error}`);
    assert.match(error.message, says, `${what}`);
    return true;
  }, `${what} is accepted`);
}

/** Shows any value. */
function show(value) {
  return typeof value === "object" ? Object.prototype.toString.call(value) : String(value);
}

test("start values: numbers of 32 bits, BigInts of 64", () => {
  for (const name of ["crc32", "crc32c", "adler32"]) {
    const call = residue[name];
    for (const value of others("number", "undefined")) {
      for (const data of ["", "x"]) {
        refused(() => call(data, value), TypeError, /value/, `${name} from ${show(value)}`);
      }
    }
    for (const value of [-1, 0.5, NaN, Infinity, -Infinity, 2 ** 32, 2 ** 32 + 16, 2 ** 53]) {
      for (const data of ["", "x"]) {
        refused(() => call(data, value), RangeError, /value.* 4294967295/, `${name} from ${value}`);
      }
    }
    assert.equal(typeof call("x", 2 ** 32 - 1), "number");
    assert.equal(call("x", undefined), call("x"));
    assert.equal(call("x", -0), call("x", 0));
  }
  for (const value of others("bigint", "undefined")) {
    const what = `crc64nvme from ${show(value)}`;
    refused(() => residue.crc64nvme("", value), TypeError, /value.*BigInt/, what);
  }
  for (const value of [-1n, 1n << 64n, (1n << 64n) + 16n, 1n << 200n]) {
    const what = `crc64nvme from ${value}`;
    refused(() => residue.crc64nvme("x", value), RangeError, /value.* 18446744073709551615/, what);
  }
  assert.equal(typeof residue.crc64nvme("x", (1n << 64n) - 1n), "bigint");
});

test("the width is a whole number from 1 to 128", () => {
  for (const width of others("number")) {
    refused(() => new Code({ width, poly: 7 }), TypeError, /width/, `width ${show(width)}`);
  }
  const wrong = [0, -0, -8, 129, 200, 8.5, NaN, Infinity, 2 ** 32 + 16, 2 ** 32, 2 ** 53];
  for (const width of wrong) {
    refused(() => new Code({ width, poly: 7 }), RangeError, /width.*128/, `width ${width}`);
  }
});

test("polynomials, starts and final values fit the width, and none is cut", () => {
  const good = { width: 16, poly: 0x1021, init: 0xffff, xorout: 0 };
  for (const field of ["poly", "init", "xorout"]) {
    const given = field === "poly" ? ["number", "bigint"] : ["number", "bigint", "undefined"];
    for (const value of others(...given)) {
      const what = `${field} ${show(value)}`;
      refused(() => new Code({ ...good, [field]: value }), TypeError, RegExp(field), what);
    }
    const wrong = [
      -1, -1n, 0.5, NaN, Infinity, 2 ** 53, 0x11021, 0x11021n, 1n << 64n, (1n << 64n) + 0x1021n,
      1n << 128n, (1n << 128n) + 0x1021n, 1n << 1000n, 2 ** 32 + 0x1021,
    ];
    for (const value of wrong) {
      const what = `${field} ${value}`;
      refused(() => new Code({ ...good, [field]: value }), RangeError, RegExp(field), what);
    }
  }
  for (let width = 1; width <= 128; width += 1) {
    const most = (1n << BigInt(width)) - 1n;
    const all = { width, poly: most, init: most, xorout: most };
    assert.equal(new Code(all).width, width);
    for (const field of ["poly", "init", "xorout"]) {
      const what = `${field} of ${width + 1} bits`;
      const wider = { ...all, [field]: most + 1n };
      refused(() => new Code(wider), RangeError, RegExp(`${field}.*${width} bit`), what);
    }
  }
  refused(() => new Code({ ...good, poly: 0x1020 }), RangeError, /./, "an even polynomial");
});

test("refin and refout are booleans", () => {
  for (const field of ["refin", "refout"]) {
    for (const value of others("boolean", "undefined")) {
      const parameters = { width: 8, poly: 7, [field]: value };
      refused(() => new Code(parameters), TypeError, RegExp(field), `${field} ${show(value)}`);
    }
  }
});

test("a code is a name or parameters", () => {
  for (const code of others("string", "object")) {
    refused(() => new Code(code), TypeError, /name.*parameters/, show(code));
  }
  for (const code of [{}, [], new String("crc-32"), new Code("crc-32")]) {
    const type = code instanceof Code ? /name.*parameters|poly/ : /width|name.*parameters/;
    refused(() => new Code(code), TypeError, type, show(code));
  }
  const cut = ["crc-32\0", "\0crc-32", "crc-32\0/iscsi", "crc-32\0x".repeat(20_000)];
  for (const name of cut) refused(() => new Code(name), RangeError, /zero byte/, "a name with NUL");
  for (const name of ["crc-32\ud800", "\udc00", "\ud83dcrc-32"]) {
    refused(() => new Code(name), RangeError, /surrogate/, "a name with half of a pair");
  }
  refused(() => new Code("\u{1f4be}"), RangeError, /\u{1f4be}/u, "an unknown name");
  refused(() => new Code("x".repeat(70_000)), RangeError, /long/, "a long name");
  refused(() => new Code(""), RangeError, /./, "no name");
});

test("texts with halves of surrogate pairs have no bytes", () => {
  for (const text of ["\ud800", "a\udc00", "\ud83d\ud83d\udcbe", "\udcbe\ud83d"]) {
    refused(() => residue.crc32(text), RangeError, /surrogate/, "data");
    refused(() => new Code("crc-32").value(text), RangeError, /surrogate/, "data");
  }
  assert.equal(residue.crc32("a\0b"), residue.crc32(Uint8Array.of(97, 0, 98)));
  assert.equal(residue.crc32("\u{1f4be}"), residue.crc32(new TextEncoder().encode("\u{1f4be}")));
});

test("a text has the value of its bytes, in one piece and in several", () => {
  const encoder = new TextEncoder();
  const code = new Code("crc-16/modbus");
  const chunk = 131072;
  for (const length of [0, 1, 48, 500, Math.floor(chunk / 3), chunk / 2, chunk]) {
    const ascii = "z".repeat(length);
    const texts = [ascii, `${ascii}\x7f`, `${ascii}\x80`, `€${ascii}`, `a\0${ascii}`];
    for (const text of [...texts, "€".repeat(length)]) {
      const bytes = encoder.encode(text);
      const what = `${text.length} units, ${bytes.length} bytes`;
      assert.equal(residue.crc32(text), residue.crc32(bytes), what);
      assert.equal(code.value(text), code.value(bytes), what);
      assert.equal(code.digest().update(text).value(), code.value(bytes), what);
    }
    const cut = `${ascii}\ud800`;
    refused(() => residue.crc32(cut), RangeError, /surrogate/, `a half behind ${length} units`);
    refused(() => code.value(cut), RangeError, /surrogate/, `a half behind ${length} units`);
  }
});

test("data are texts, buffers and views, as they are and not as they claim", () => {
  const wrong = [...others("string"), { length: 3, 0: 1 }, { byteLength: 2 }, new String("abc")];
  wrong.push(new Proxy(new Uint8Array(3), {}), Object.create(Uint8Array.prototype));
  const digest = new Code("crc-32/iscsi").digest().update("before");
  const before = digest.value();
  for (const data of wrong) {
    const calls = [residue.crc32, residue.crc64nvme, residue.internet, (d) => digest.update(d)];
    for (const call of calls) {
      refused(() => call(data), TypeError, /the data must be/, `data ${show(data)}`);
    }
  }
  assert.equal(digest.value(), before);

  class Liar extends Uint8Array {
    get length() {
      return 2 ** 30;
    }
    get byteLength() {
      return 2 ** 30;
    }
    get byteOffset() {
      return 1;
    }
    get buffer() {
      return new ArrayBuffer(8);
    }
    subarray() {
      return { length: 2 ** 30, 0: 1 };
    }
  }
  assert.equal(residue.crc32(Liar.from([1, 2, 3])), residue.crc32(Uint8Array.of(1, 2, 3)));
  const elsewhere = vm.runInNewContext("[new Uint8Array([1, 2, 3]), new ArrayBuffer(3)]");
  assert.equal(residue.crc32(elsewhere[0]), residue.crc32(Uint8Array.of(1, 2, 3)));
  assert.equal(residue.crc32(elsewhere[1]), residue.crc32(new Uint8Array(3)));
});

test("memory that is gone is not empty data", () => {
  const buffer = new ArrayBuffer(8);
  const views = [buffer, new Uint8Array(buffer), new Float64Array(buffer), new DataView(buffer)];
  structuredClone(buffer, { transfer: [buffer] });
  for (const data of views) {
    refused(() => residue.crc32(data), TypeError, /detached/, "a detached buffer");
  }
  const shrinking = new ArrayBuffer(8, { maxByteLength: 16 });
  if (!shrinking.resizable) return;
  const outside = [new Uint8Array(shrinking, 4, 4), new DataView(shrinking, 4, 4)];
  shrinking.resize(6);
  for (const data of outside) {
    refused(() => residue.crc32(data), TypeError, /detached/, "a view outside of its buffer");
  }
  assert.equal(residue.crc32(new Uint8Array(shrinking)), residue.crc32(new Uint8Array(6)));
});

/** Calls each method and reads each property of a class on an object. */
function* uses(kind, object) {
  for (const [name, { get, value }] of Object.entries(
    Object.getOwnPropertyDescriptors(kind.prototype),
  )) {
    if (name === "constructor") continue;
    const next = kind === Digest && name === "combine" ? new Code("crc-32").digest() : "x";
    yield [name, () => (get ? get.call(object) : value.call(object, next))];
  }
}

test("a handle of one kind is not another kind's", () => {
  for (const name of NAMES) {
    const code = new Code(name);
    const digest = code.digest().update("123456789");
    const fakes = [
      ...others(), Object.create(Digest.prototype), Object.create(Code.prototype),
      new Proxy(code, {}), new Proxy(digest, {}), Object.create(digest), Object.create(code),
    ];
    for (const next of [code, Code, Digest, ...fakes]) {
      refused(() => digest.combine(next), TypeError, /expected a Digest/, `combine ${show(next)}`);
    }
    for (const of of [Code, Digest, ...fakes]) {
      refused(() => new Digest(of), TypeError, /expected a Code or a Digest/, show(of));
    }
    for (const [method, call] of [digest, ...fakes].flatMap((of) => [...uses(Code, of)])) {
      refused(call, TypeError, /expected a Code/, `Code's ${method} on another object`);
    }
    for (const [method, call] of [code, ...fakes].flatMap((of) => [...uses(Digest, of)])) {
      refused(call, TypeError, /expected a Digest/, `Digest's ${method} on another object`);
    }
    assert.equal(digest.value(), code.value("123456789"), "unchanged");
  }
});

test("no handle can be made out of a number", () => {
  const parent = Object.getPrototypeOf(Code);
  const forge = (kind) => Reflect.construct(parent, [65536, () => {}], kind);
  const digest = new Code("crc-32/iscsi").digest();
  for (const kind of [Code, Digest]) {
    let forged;
    try {
      forged = forge(kind);
    } catch {
      continue;
    }
    refused(() => digest.combine(forged), TypeError, /expected a Digest/, "a forged handle");
    refused(() => new Digest(forged), TypeError, /expected a Code/, "a forged handle");
  }
  const disguised = Reflect.construct(Code, ["crc-32/iscsi"], Digest);
  refused(() => digest.combine(disguised), TypeError, /expected a Digest/, "a disguised code");
  refused(() => disguised.value(), TypeError, /expected a Digest/, "a disguised code");
});

test("freed objects are refused by every method", () => {
  const code = new Code("crc-32/iscsi");
  const [freed, kept] = [code.digest(), code.digest()];
  freed.free();
  freed.free();
  refused(() => kept.combine(freed), TypeError, /Digest was freed/, "combine");
  refused(() => new Digest(freed), TypeError, /Digest was freed/, "new Digest");
  for (const [name, call] of uses(Digest, freed)) {
    if (name !== "free") refused(call, TypeError, /Digest was freed/, name);
  }
  code.free();
  refused(() => new Digest(code), TypeError, /Code was freed/, "new Digest");
  for (const [name, call] of uses(Code, code)) {
    if (name !== "free") refused(call, TypeError, /Code was freed/, name);
  }
  assert.equal(kept.update("123456789").value(), 0xe3069283);
});

test("code that runs while arguments are read cannot free what is used", () => {
  const digest = new Code("crc-32/iscsi").digest();
  const trap = (target) => new Proxy(target, {
    getPrototypeOf: () => (digest.free(), Reflect.getPrototypeOf(target)),
    get: (from, name) => (digest.free(), from[name]),
    has: (from, name) => (digest.free(), name in from),
  });
  assert.throws(() => digest.update(trap(new Uint8Array(3))), TypeError);
  assert.throws(() => digest.combine(trap(digest)), TypeError);
  assert.equal(digest.update("123456789").value(), 0xe3069283, "nothing was freed");
  // Each parameter is read once: what was checked is what is used.
  let reads = 0;
  const parameters = {
    poly: 7,
    get width() {
      reads += 1;
      return reads === 1 ? 8 : 2 ** 32 + 16;
    },
  };
  assert.equal(new Code(parameters).width, 8);
  assert.equal(reads, 1);
});
