// Reads the project's test vectors; vectors/README.md describes them.

import { readFileSync, readdirSync } from "node:fs";

/** Returns the names of the files with values. */
export function files(folder) {
  return readdirSync(new URL("values", folder)).map((name) => `values/${name}`);
}

/** Returns the records of a file of vectors, each as its fields. */
export function lines(folder, name) {
  const text = readFileSync(new URL(name, folder), "utf8");
  const records = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return records.map((line) => line.split(" | ").map((field) => field.trim()));
}

/** Returns the bytes of an input. */
export function octets(input) {
  if (input === "empty") return new Uint8Array();
  const [, form, rest] = /^(\w+):(.*)$/s.exec(input);
  const count = (length, byte) => Uint8Array.from({ length }, (_, index) => byte(index));
  const [first, second] = rest.split("*");
  switch (form) {
    case "text":
      return new TextEncoder().encode(rest);
    case "hex":
      return Uint8Array.from(Buffer.from(rest, "hex"));
    case "rep":
      return count(Number(second), () => parseInt(first, 16));
    case "ramp":
      return count(Number(second), (index) => index % Number(first));
    case "mul": {
      const [length, start = "0"] = second.split("@");
      return count(Number(length), (index) => Number(first) * (index + Number(start)));
    }
    case "inc":
      return count(Number(second), (index) => parseInt(first, 16) + index);
    case "dec":
      return count(Number(second), (index) => parseInt(first, 16) - index);
    default:
      throw new Error(`no form of input: ${input}`);
  }
}
