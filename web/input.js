// @ts-check
// Converts typed data to bytes.

/**
 * Parses hexadecimal digits; `0x`, spaces, commas, colons and dashes may separate them.
 * @param {string} text
 */
export function fromHex(text) {
  const digits = text.replace(/0x/gi, "").replace(/[\s,:_-]/g, "");
  const wrong = /[^0-9a-f]/i.exec(digits);
  if (wrong) throw new Error(`“${[...digits.slice(wrong.index)][0]}” is not a hexadecimal digit`);
  if (digits.length % 2)
    throw new Error(
      `${digits.length} hexadecimal digits are not a whole number of bytes; is one missing?`,
    );
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

/**
 * Parses base64, in either alphabet, with or without padding.
 * @param {string} text
 */
export function fromBase64(text) {
  const plain = text
    .replace(/\s/g, "")
    .replace(/-/g, "+")
    .replace(/_/g, "/")
    .replace(/={1,2}$/, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(plain);
  if (wrong)
    throw new Error(`“${[...plain.slice(wrong.index)][0]}” is not in the base64 alphabet`);
  if (plain.length % 4 === 1)
    throw new Error(
      `${plain.length} base64 characters are not a whole number of bytes; is one missing?`,
    );
  return Uint8Array.from(atob(plain), letter => letter.charCodeAt(0));
}

/**
 * Converts typed data to bytes.
 * @param {string} kind `text`, `hex` or `base64`
 * @param {string} text
 */
export function typed(kind, text) {
  if (kind === "hex") return fromHex(text);
  if (kind === "base64") return fromBase64(text);
  return new TextEncoder().encode(text);
}
