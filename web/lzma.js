// @ts-check
// Decompresses LZMA, which makes the module smaller than gzip does, the format of browsers.
// The format is that of `xz --format=lzma` (LZMA SDK, lzma-specification.txt): 13 bytes of header,
// then bits of adaptive probability in a range coder.

/** Size of the header: settings, size of the dictionary, size of the data. */
const HEADER = 13;
/** States of the machine that knows the kinds of the last packets; the first 7 end in a literal. */
const STATES = 12;
const AFTER_LITERAL = 7;
/** Most positions (by their low bits) that have probabilities of their own. */
const POSITIONS = 16;
/** Distances from this slot on have fixed bits in their middle. */
const FIRST_FIXED = 14;

/** Where the probabilities of lengths stand, as below: two bits, then three trees. */
const LENGTH = { long: 0, longer: 1, low: 2, middle: 2 + 8 * POSITIONS, high: 2 + 16 * POSITIONS };
const LENGTHS = LENGTH.high + 256;
/**
 * Where the probabilities of each kind stand among all. A tree of `n` bits has `1 << n` of them, of
 * which the first is not used.
 */
const AT = (() => {
  let end = 0;
  /** @param {number} count */
  const next = count => (end += count) - count;
  return {
    match: next(STATES * POSITIONS),
    repeat: next(STATES),
    repeatOlder: next(STATES),
    repeatThird: next(STATES),
    repeatFourth: next(STATES),
    repeatLong: next(STATES * POSITIONS),
    slot: next(4 * 64),
    distance: next(128),
    align: next(16),
    matchLength: next(LENGTHS),
    repeatLength: next(LENGTHS),
    literal: end,
  };
})();

/**
 * Returns the decompressed bytes. Throws an error if the data end early, or copy from in front of
 * their first byte; other damage gives other bytes.
 * @param {Uint8Array<ArrayBuffer>} packed with an end marker, as `xz` writes it
 */
export function unpacked(packed) {
  const settings = packed[0];
  const literalContext = settings % 9;
  const literalPosition = Math.floor(settings / 9) % 5;
  const positionBits = Math.floor(settings / 45);
  const literals = 0x300 << (literalContext + literalPosition);
  const probabilities = new Uint16Array(AT.literal + literals).fill(1024);

  let from = HEADER + 1;
  let range = 0xffffffff;
  let code = 0;
  const refill = () => {
    if (from >= packed.length) throw new Error("the compressed module ends early");
    return packed[from++];
  };
  for (let i = 0; i < 4; i++) code = code * 256 + refill();

  const normalize = () => {
    if (range >= 1 << 24) return;
    range *= 256;
    code = code * 256 + refill();
  };
  /** @type {(at: number) => number} */
  const bit = at => {
    const probability = probabilities[at];
    const bound = (range >>> 11) * probability;
    const one = code >= bound;
    if (one) {
      code -= bound;
      range -= bound;
      probabilities[at] = probability - (probability >> 5);
    } else {
      range = bound;
      probabilities[at] = probability + ((2048 - probability) >> 5);
    }
    normalize();
    return Number(one);
  };
  /** Bits of equal probability. @type {(count: number) => number} */
  const fixed = count => {
    let value = 0;
    for (; count > 0; count--) {
      range = Math.floor(range / 2);
      const one = code >= range;
      if (one) code -= range;
      value = 2 * value + Number(one);
      normalize();
    }
    return value;
  };
  /** @type {(at: number, bits: number) => number} */
  const tree = (at, bits) => {
    let node = 1;
    for (let i = 0; i < bits; i++) node = 2 * node + bit(at + node);
    return node - (1 << bits);
  };
  /** As `tree`, the least significant bit first. @type {(at: number, bits: number) => number} */
  const reversed = (at, bits) => {
    let [node, value] = [1, 0];
    for (let i = 0; i < bits; i++) {
      const next = bit(at + node);
      node = 2 * node + next;
      value += next << i;
    }
    return value;
  };
  /** @type {(at: number, position: number) => number} */
  const length = (at, position) => {
    if (!bit(at + LENGTH.long)) return 2 + tree(at + LENGTH.low + 8 * position, 3);
    if (!bit(at + LENGTH.longer)) return 10 + tree(at + LENGTH.middle + 8 * position, 3);
    return 18 + tree(at + LENGTH.high, 8);
  };
  /** @type {(length: number) => number} */
  const distance = length => {
    const slot = tree(AT.slot + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) * 2 ** bits;
    if (slot < FIRST_FIXED) return high + reversed(AT.distance + high - slot, bits);
    return high + 16 * fixed(bits - 4) + reversed(AT.align, 4);
  };

  let output = new Uint8Array(4 * packed.length);
  let done = 0;
  /** @type {(count: number) => void} */
  const room = count => {
    if (done + count <= output.length) return;
    const larger = new Uint8Array(2 * (done + count));
    larger.set(output);
    output = larger;
  };
  /** The last four distances, minus 1. */
  let last = [0, 0, 0, 0];
  let state = 0;
  for (;;) {
    const position = done & ((1 << positionBits) - 1);
    if (!bit(AT.match + state * POSITIONS + position)) {
      const before = done > 0 ? output[done - 1] : 0;
      const low = done & ((1 << literalPosition) - 1);
      const context = (low << literalContext) + (before >> (8 - literalContext));
      const at = AT.literal + 0x300 * context;
      let node = 1;
      if (state >= AFTER_LITERAL) {
        // The byte at the last distance is another one, so it says much of this.
        let match = output[done - last[0] - 1];
        do {
          const expected = match >> 7;
          match = (match << 1) & 255;
          const next = bit(at + ((1 + expected) << 8) + node);
          node = 2 * node + next;
          if (next !== expected) break;
        } while (node < 256);
      }
      while (node < 256) node = 2 * node + bit(at + node);
      room(1);
      output[done++] = node;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(AT.repeat + state)) {
      const recent = !bit(AT.repeatOlder + state)
        ? 0
        : !bit(AT.repeatThird + state)
          ? 1
          : 2 + bit(AT.repeatFourth + state);
      if (recent === 0 && !bit(AT.repeatLong + state * POSITIONS + position)) {
        count = 1;
        state = state < AFTER_LITERAL ? 9 : 11;
      } else {
        const [chosen] = last.splice(recent, 1);
        last.unshift(chosen);
        count = length(AT.repeatLength, position);
        state = state < AFTER_LITERAL ? 8 : 11;
      }
    } else {
      count = length(AT.matchLength, position);
      const back = distance(count);
      if (back === 0xffffffff) return output.subarray(0, done);
      last = [back, last[0], last[1], last[2]];
      state = state < AFTER_LITERAL ? 7 : 10;
    }
    if (last[0] >= done) throw new Error("the compressed module is damaged");
    room(count);
    for (let i = 0; i < count; i++, done++) output[done] = output[done - last[0] - 1];
  }
}
