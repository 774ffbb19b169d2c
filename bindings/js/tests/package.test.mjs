// Tests the installed package. RESIDUE_VECTORS is the folder of the project's test vectors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as residue from "residue-codes";
import { files, lines, octets } from "./vectors.mjs";

const VECTORS = pathToFileURL(`${process.env.RESIDUE_VECTORS}/`);

const ONE_SHOT = {
  "crc-32/iscsi": residue.crc32c,
  "crc-32/iso-hdlc": residue.crc32,
  "crc-64/nvme": residue.crc64nvme,
  "adler-32": residue.adler32,
  internet: residue.internet,
  "fletcher-16": residue.fletcher16,
  "fletcher-32": residue.fletcher32,
};

/** Returns bytes without a pattern: a generator of Lehmer's. */
function noise(length) {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = (state * 48271) % 0x7fffffff) >> 8);
}

for (const file of files(VECTORS)) {
  test(`vectors of ${file}`, () => {
    let seen = 0;
    for (const [name, input, expected, source] of lines(VECTORS, file)) {
      const data = octets(input);
      const code = new residue.Code(name);
      const known = code.width <= 32 ? parseInt(expected, 16) : BigInt(`0x${expected}`);
      const digest = code.digest();
      for (let at = 0; at < data.length; at += 7) digest.update(data.subarray(at, at + 7));
      const ways = [code.value(data), digest.value()];
      if (name in ONE_SHOT) ways.push(ONE_SHOT[name](data));
      for (const value of ways) assert.equal(value, known, `${name} of ${input} (${source})`);
      seen += 1;
    }
    assert.ok(seen > 3, `${seen} vectors`);
  });
}

test("data of each length, at once and in two pieces", () => {
  const data = noise(5000);
  const lengths = [...Array(80).keys(), 511, 512, 513, 1023, 1024, 1087, 4096, 4999];
  for (const [name, value] of Object.entries(ONE_SHOT).slice(0, 4)) {
    const code = new residue.Code(name);
    for (const length of lengths) {
      const bytes = data.subarray(1, 1 + length);
      const known = code.value(bytes);
      assert.equal(value(bytes), known, `${name} of ${length} bytes`);
      const cut = length >> 1;
      const first = value(bytes.subarray(0, cut));
      assert.equal(value(bytes.subarray(cut), first), known, `${name} of ${length} bytes, cut`);
    }
  }
});

test("long data, in the pieces that fit the library's memory", () => {
  const data = noise(3 * 131072 + 77);
  for (const [name, value] of Object.entries(ONE_SHOT).slice(0, 4)) {
    const digest = new residue.Code(name).digest();
    for (let at = 0; at < data.length; at += 1000) digest.update(data.subarray(at, at + 1000));
    assert.equal(value(data), digest.value(), name);
  }
});

test("parameters define the CRCs of the catalogue", () => {
  for (const [name, ...rest] of lines(VECTORS, "crc_models.txt")) {
    const [width, poly, init, refin, refout, xorout] = rest;
    const hex = (text) => BigInt(`0x${text}`);
    const own = new residue.Code({
      width: Number(width),
      poly: hex(poly),
      init: hex(init),
      refin: refin === "true",
      refout: refout === "true",
      xorout: hex(xorout),
    });
    assert.equal(own.value("123456789"), new residue.Code(name).value("123456789"), name);
  }
});

test("data longer than the buffer, and every kind of it", () => {
  const data = noise(3 * 1024 * 1024 + 5);
  const whole = residue.crc32c(data);
  const begun = residue.crc32c(data.subarray(0, 1_000_001));
  assert.equal(residue.crc32c(data.subarray(1_000_001), begun), whole);
  assert.equal(residue.crc32c(data.buffer), whole);
  assert.equal(residue.crc32c(Buffer.from(data)), whole);
  assert.equal(residue.crc32c(new DataView(data.buffer)), whole);
  const shared = new SharedArrayBuffer(data.length);
  new Uint8Array(shared).set(data);
  assert.equal(residue.crc32c(shared), whole);
  const wider = new Uint32Array(data.buffer.slice(0, 4096), 8, 100);
  assert.equal(residue.crc32c(wider), residue.crc32c(data.subarray(8, 408)));
  const halves = new residue.Code("internet").digest().update(data.subarray(0, 1 << 20));
  assert.equal(halves.update(data.subarray(1 << 20)).value(), residue.internet(data));
  assert.equal(residue.crc32("\u00e9"), residue.crc32(Uint8Array.of(0xc3, 0xa9)));
});

test("values are numbers to 32 bits and BigInts above, never negative", () => {
  assert.equal(residue.crc32("123456789"), 0xcbf43926);
  assert.equal(residue.crc64nvme("123456789"), 0xae8b14860a799888n);
  assert.equal(new residue.Code("crc-82/darc").value("123456789"), 0x09ea83f625023801fd612n);
  assert.equal(residue.crc64nvme("9", residue.crc64nvme("12345678")), 0xae8b14860a799888n);
  assert.equal(residue.adler32("6789", residue.adler32("12345")), residue.adler32("123456789"));
});

test("digests: combine, copy, reset", () => {
  for (const name of ["crc-32/iscsi", "crc-64/nvme", "adler-32", "internet"]) {
    const code = new residue.Code(name);
    const [first, second] = [noise(1000), noise(501)];
    const joined = code.digest().update(first).combine(code.digest().update(second));
    const whole = code.digest().update(first).update(second);
    assert.equal(joined.value(), whole.value(), name);
    const copy = whole.copy();
    assert.equal(whole.reset().value(), code.value(""));
    assert.equal(copy.value(), joined.value());
  }
  const other = new residue.Code("crc-32/iso-hdlc").digest();
  assert.throws(() => new residue.Code("adler-32").digest().combine(other), RangeError);
});

test("bad arguments are named", () => {
  assert.throws(() => new residue.Code("crc-33"), /crc-33/);
  assert.throws(() => new residue.Code({ width: 200, poly: 7 }), RangeError);
  assert.throws(() => new residue.Code({ width: 8, poly: 0x1ff }), RangeError);
  assert.throws(() => new residue.Code("x".repeat(70_000)), RangeError);
  assert.throws(() => residue.crc32(7), TypeError);
  assert.throws(() => residue.crc32(null), TypeError);
  const freed = new residue.Code("crc-32/iscsi");
  const digest = freed.digest();
  freed.free();
  freed.free();
  assert.throws(() => freed.value(""), TypeError);
  assert.equal(digest.update("123456789").value(), 0xe3069283, "a digest keeps its code alive");
});

test("memory does not grow with use", () => {
  const code = new residue.Code("crc-32/iscsi");
  const round = () => {
    for (let index = 0; index < 2_000; index += 1) code.digest().free();
  };
  round();
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  for (let index = 0; index < 20; index += 1) round();
  const after = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  assert.ok(after - before < 8 << 20, `${before} to ${after} bytes`);
});

test("the list of codes", () => {
  const names = residue.codes();
  assert.ok(names.length > 120);
  for (const name of names) assert.equal(new residue.Code(name).name, name);
  assert.match(residue.version, /^\d+\.\d+\.\d+$/);
});
