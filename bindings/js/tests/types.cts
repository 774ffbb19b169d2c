// Compiled by TypeScript, not run: a CommonJS module.
import residue = require("residue-codes");

const value: number = residue.crc32("123456789");
export = value;
