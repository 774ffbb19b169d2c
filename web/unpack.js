// @ts-check
// Decompresses LZMA, in the format of a single stream with a header of 13 bytes (`.lzma`) that ends
// with a mark. Browsers have only gzip, by which the module would be a quarter larger.

/** Bits of a slot, which is the order of magnitude of a distance. */
const SLOTS = 6;

/**
 * Returns the bytes that were compressed.
 * @param {Uint8Array} input
 * @param {number} total their number
 */
export function unpacked(input, total) {
  const view = new DataView(input.buffer, input.byteOffset);
  const lc = input[0] % 9;
  const lp = Math.floor(input[0] / 9) % 5;
  const pb = Math.floor(input[0] / 45);
  const out = new Uint8Array(total);
  let [at, range, code] = [18, 0xffffffff, view.getUint32(14)];

  // The range coder: a bit by its adaptive probability, or of even probability.
  const fresh = (/** @type {number} */ count) => new Uint16Array(count).fill(1024);
  /** @type {(probabilities: Uint16Array, i: number) => number} */
  const bit = (probabilities, i) => {
    const probability = probabilities[i];
    const bound = (range >>> 11) * probability;
    let is = 0;
    if (code >>> 0 < bound) {
      range = bound;
      probabilities[i] += (2048 - probability) >>> 5;
    } else {
      is = 1;
      range = (range - bound) >>> 0;
      code = (code - bound) >>> 0;
      probabilities[i] -= probability >>> 5;
    }
    if (range < 1 << 24) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | input[at++]) >>> 0;
    }
    return is;
  };
  const even = (/** @type {number} */ count) => {
    let number = 0;
    for (; count > 0; count--) {
      range >>>= 1;
      const is = code >= range ? 1 : 0;
      if (is) code = (code - range) >>> 0;
      number = (number << 1) | is;
      if (range < 1 << 24) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | input[at++]) >>> 0;
      }
    }
    return number;
  };
  /** @type {(probabilities: Uint16Array, from: number, bits: number) => number} */
  const tree = (probabilities, from, bits) => {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | bit(probabilities, from + node);
    return node - (1 << bits);
  };
  /** @type {(probabilities: Uint16Array, from: number, bits: number) => number} */
  const reversed = (probabilities, from, bits) => {
    let [node, number] = [1, 0];
    for (let i = 0; i < bits; i++) {
      const is = bit(probabilities, from + node);
      node = (node << 1) | is;
      number |= is << i;
    }
    return number;
  };
  const lengths = () => {
    const [choice, low, middle, high] = [fresh(2), fresh(128), fresh(128), fresh(256)];
    return (/** @type {number} */ place) => {
      if (!bit(choice, 0)) return tree(low, place << 3, 3);
      return bit(choice, 1) ? 16 + tree(high, 0, 8) : 8 + tree(middle, place << 3, 3);
    };
  };

  const literals = fresh(0x300 << (lc + lp));
  const [isMatch, isLong] = [fresh(192), fresh(192)];
  const [isRepeated, isFirst, isSecond, isThird] = [fresh(12), fresh(12), fresh(12), fresh(12)];
  const [slots, near, aligned] = [fresh(4 << SLOTS), fresh(128), fresh(16)];
  const [length, lengthRepeated] = [lengths(), lengths()];
  let [state, size] = [0, 0];
  let [last, second, third, fourth] = [0, 0, 0, 0];

  const literal = () => {
    const before = size ? out[size - 1] : 0;
    const of = ((size & ((1 << lp) - 1)) << lc) + (before >> (8 - lc));
    const from = 0x300 * of;
    let node = 1;
    if (state >= 7) {
      // After a match, the byte that would continue it is a context.
      let match = out[size - last - 1];
      while (node < 0x100) {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const is = bit(literals, from + ((1 + expected) << 8) + node);
        node = (node << 1) | is;
        if (is !== expected) break;
      }
    }
    while (node < 0x100) node = (node << 1) | bit(literals, from + node);
    out[size++] = node;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };

  const distance = (/** @type {number} */ count) => {
    const slot = tree(slots, Math.min(count, 3) << SLOTS, SLOTS);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) << bits;
    if (slot < 14) return high + reversed(near, high - slot, bits);
    return high + (even(bits - 4) << 4) + reversed(aligned, 0, 4);
  };

  while (size < out.length) {
    const place = size & ((1 << pb) - 1);
    if (!bit(isMatch, (state << 4) + place)) {
      literal();
      continue;
    }
    let count;
    if (bit(isRepeated, state)) {
      if (!bit(isFirst, state)) {
        if (!bit(isLong, (state << 4) + place)) {
          state = state < 7 ? 9 : 11;
          out[size] = out[size - last - 1];
          size++;
          continue;
        }
      } else if (!bit(isSecond, state)) {
        [last, second] = [second, last];
      } else if (!bit(isThird, state)) {
        [last, second, third] = [third, last, second];
      } else {
        [last, second, third, fourth] = [fourth, last, second, third];
      }
      count = lengthRepeated(place);
      state = state < 7 ? 8 : 11;
    } else {
      [second, third, fourth] = [last, second, third];
      count = length(place);
      state = state < 7 ? 7 : 10;
      last = distance(count);
    }
    if (last < 0 || last >= size) throw new Error("the module is damaged");
    for (const end = Math.min(size + count + 2, out.length); size < end; size++)
      out[size] = out[size - last - 1];
  }
  return out;
}
