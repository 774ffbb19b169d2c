// Digests in streams, in logs, and by the asynchronous entry.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { inspect } from "node:util";
import { Code, Digest, crc32 } from "residue-codes";

const pieces = [Uint8Array.of(1, 2, 3), new Uint8Array(100_000), Uint8Array.of(4)];
const whole = Buffer.concat(pieces);

test("a web stream passes through a digest", async () => {
  const digest = new Code("crc-32").digest();
  const passed = [];
  const source = new ReadableStream({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
      controller.close();
    },
  });
  for await (const piece of source.pipeThrough(digest.through())) passed.push(piece);
  assert.deepEqual(passed, pieces);
  assert.equal(digest.value(), crc32(whole));
});

test("a pipeline of Node passes through a digest", async () => {
  const digest = new Code("crc-32").digest();
  const passed = [];
  const sink = new Writable({
    write(piece, _, done) {
      passed.push(piece);
      done();
    },
  });
  await pipeline(Readable.from(pieces), digest.through(), sink);
  assert.deepEqual(Buffer.concat(passed), whole);
  assert.equal(digest.value(), crc32(whole));
});

test("what has no bytes ends the stream with the reason", async () => {
  const digest = new Code("crc-32").digest();
  const source = new ReadableStream({
    start(controller) {
      controller.enqueue(17);
      controller.close();
    },
  });
  const read = async () => {
    for await (const piece of source.pipeThrough(digest.through())) assert.fail(`${piece}`);
  };
  await assert.rejects(read, /the data must be a string, an ArrayBuffer, or a view of one/);
  digest.free();
  assert.throws(() => digest.through(), /the Digest was freed/);
});

test("logs name what an object is", () => {
  const code = new Code("crc-16/arc");
  const digest = code.digest().update("123456789");
  assert.equal(inspect(code), "Code crc-16/arc of 16 bits");
  assert.equal(inspect(digest), "Digest of 16 bits, now 0xbb3d");
  assert.equal(inspect(new Code("crc-64/nvme").digest()), "Digest of 64 bits, now 0x0");
  assert.equal(inspect(new Code({ width: 8, poly: 7 })), "Code custom of 8 bits");
  code.free();
  digest.free();
  assert.equal(inspect([code, digest]), "[ Code (freed), Digest (freed) ]");
  for (const kind of [Code, Digest]) {
    assert.equal(kind.prototype[inspect.custom].call({}), kind.name);
  }
});

/** Runs a module in an engine of its own, and returns what it prints. */
function alone(source) {
  const words = ["--input-type=module", "--eval", source];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test("the asynchronous entry has the same functions", () => {
  const names = alone('console.log(Object.keys(await import("residue-codes/async")).join())');
  const expected = alone('console.log(Object.keys(await import("residue-codes")).join())');
  assert.equal(names, expected);
  const value = 'import { crc32c } from "residue-codes/async"; console.log(crc32c("123456789"))';
  assert.equal(alone(value), `${0xe3069283}`);
  const both = 'import * as a from "residue-codes/async"; import * as b from "residue-codes";';
  assert.equal(alone(`${both} console.log(a.Code === b.Code)`), "true");
});

test("without vectors the asynchronous entry takes words", () => {
  // An engine that refuses modules with vectors.
  const older = "WebAssembly.validate = () => false;";
  const source = `${older} const { crc32 } = await import("residue-codes/async");`;
  assert.equal(alone(`${source} console.log(crc32("123456789"))`), `${0xcbf43926}`);
});
