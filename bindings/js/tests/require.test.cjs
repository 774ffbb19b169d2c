// The installed package from a CommonJS module: it has no top-level await.

const assert = require("node:assert/strict");
const { test } = require("node:test");
const residue = require("residue-codes");

test("require takes the package", () => {
  assert.equal(residue.crc32("123456789"), 0xcbf43926);
  assert.equal(new residue.Code("crc-16/arc").value("123456789"), 0xbb3d);
});

test("import gives the same module", async () => {
  const { Code } = await import("residue-codes");
  assert.equal(Code, residue.Code);
});
