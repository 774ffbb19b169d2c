// @ts-check
// Check values: formatted, parsed and compared.

/**
 * @typedef {{
 *   name: string, bits: number, crc: Crc | null, little_endian: boolean, aliases: string[]
 * }} Code
 */

/**
 * Parameters of a CRC, numbers in hexadecimal.
 * @typedef {{
 *   poly: string, init: string, refin: boolean, refout: boolean, xorout: string
 * }} Crc
 */

const BYTE = 8n;

/** @param {number} bits */
const bytesOf = bits => Math.ceil(bits / 8);

/**
 * Returns the bytes of a value, highest first.
 * @type {(value: bigint, count: number) => number[]}
 */
const bytes = (value, count) =>
  Array.from({ length: count }, (_, i) => Number((value >> (BYTE * BigInt(count - 1 - i))) & 255n));

/** @param {number[]} from highest first */
const number = from => from.reduce((value, byte) => (value << BYTE) | BigInt(byte), 0n);

/**
 * Formats a value.
 * @param {Code} code
 * @param {string} hex all digits
 * @param {string} as `hex`, `sent`, `decimal` or `base64`
 */
export function format(code, hex, as) {
  if (as === "hex") return hex;
  const value = BigInt(`0x${hex}`);
  if (as === "decimal") return String(value);
  const high = bytes(value, bytesOf(code.bits));
  if (as === "base64") return btoa(String.fromCharCode(...high));
  const sent = code.little_endian ? high.reverse() : high;
  return sent.map(byte => byte.toString(16).padStart(2, "0")).join(" ");
}

/**
 * Returns the numbers that a text may denote, each with the number of bytes written.
 * @param {string} text
 * @returns {{ as: string, value: bigint, bytes: number }[]}
 */
export function readings(text) {
  const plain = text.trim();
  const found = [];
  const digits = plain.replace(/0x/gi, "").replace(/[\s,:_-]/g, "");
  if (/^[0-9a-f]{1,32}$/i.test(digits)) {
    found.push({
      as: "hexadecimal",
      value: BigInt(`0x${digits}`),
      bytes: Math.ceil(digits.length / 2),
    });
  }
  if (/^[0-9]{1,39}$/.test(plain)) found.push({ as: "decimal", value: BigInt(plain), bytes: 0 });
  if (/^[A-Za-z0-9+/]{2,22}={0,2}$/.test(plain) && plain.length % 4 === 0) {
    const low = [...atob(plain)].map(letter => letter.charCodeAt(0));
    found.push({ as: "base64", value: number(low), bytes: low.length });
  }
  return found;
}

/**
 * Returns the usual variants of `value`, by name; equal ones once.
 * @type {(value: bigint, bits: number) => [string, bigint][]}
 */
function relatives(value, bits) {
  const count = bytesOf(bits);
  const all = (1n << BigInt(bits)) - 1n;
  const swap = (/** @type {bigint} */ it) => number(bytes(it, count).reverse());
  const turned = [...value.toString(2).padStart(bits, "0")].reverse().join("");
  /** @type {[string, bigint][]} */
  const every = [
    ["equal", value],
    ["byte-swapped", swap(value)],
    ["complemented", value ^ all],
    ["complemented and byte-swapped", swap(value ^ all)],
    ["bits reversed", BigInt(`0b${turned}`)],
  ];
  return every.filter(([, it], i) => every.findIndex(([, other]) => other === it) === i);
}

/**
 * Compares the value of a code with a found one. Returns their relation, empty if there is none,
 * and the probability that a random value would have one.
 * @param {Code} code
 * @param {string} hex
 * @param {ReturnType<typeof readings>} read
 */
export function compare(code, hex, read) {
  const mine = relatives(BigInt(`0x${hex}`), code.bits);
  const fitting = read.filter(it => it.bytes <= bytesOf(code.bits));
  const chance = (fitting.length * mine.length) / 2 ** code.bits;
  for (const it of fitting) {
    const hit = mine.find(([, value]) => value === it.value);
    if (hit) return { chance, relation: hit[0], as: it.as };
  }
  return { chance, relation: "", as: "" };
}
