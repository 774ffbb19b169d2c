/**
 * Data: a text (its bytes in UTF-8), a buffer, or a view of one, as a `Uint8Array` or `Buffer`.
 *
 * A function throws a `TypeError` for anything else and for detached memory, and a `RangeError` for
 * a text with half of a surrogate pair, which has no bytes in UTF-8.
 */
export type Data = string | ArrayBufferView | ArrayBufferLike;

/**
 * Returns the CRC-32 of zip, gzip and Ethernet (CRC-32/ISO-HDLC). To go on where an earlier call
 * ended, pass its value. As of all such functions, the value must be a whole number from 0 to
 * 2^32 - 1: other numbers throw a `RangeError`, other types a `TypeError`.
 *
 *     crc32("123456789") === 0xcbf43926
 */
export function crc32(data: Data, value?: number): number;

/** Returns the CRC-32C of iSCSI and of many file systems (CRC-32/ISCSI); goes on from `value`. */
export function crc32c(data: Data, value?: number): number;

/** Returns the CRC-64/NVME; goes on from `value`, from 0n to 2n ** 64n - 1n. */
export function crc64nvme(data: Data, value?: bigint): bigint;

/** Returns the Adler-32 of zlib (RFC 1950); goes on from `value`. */
export function adler32(data: Data, value?: number): number;

/** Returns the Internet checksum (RFC 1071), complemented, as a big-endian header stores it. */
export function internet(data: Data): number;

/** Returns the Fletcher-16 checksum, modulo 255. */
export function fletcher16(data: Data): number;

/** Returns the Fletcher-32 checksum, modulo 65535, over little-endian words. */
export function fletcher32(data: Data): number;

/** Returns the names of all codes. */
export function codes(): string[];

/** The version of the library. */
export const version: string;

/**
 * The parameters of a CRC, in the convention of the RevEng catalogue. Numbers must be whole and fit
 * the width, and must be BigInts from 2^53 on.
 */
export interface Parameters {
  /** The width in bits, 1 to 128. */
  width: number;
  /** The generator polynomial, without its highest term. */
  poly: number | bigint;
  /** The register before the first bit; 0 by default. */
  init?: number | bigint;
  /** Whether the lowest bit of each byte comes first; false by default. */
  refin?: boolean;
  /** Whether the register is reflected at the end; as `refin` by default. */
  refout?: boolean;
  /** The value to xor into the result; 0 by default. */
  xorout?: number | bigint;
}

/**
 * A code: one of `codes()` by its name, or a CRC by its parameters.
 *
 * Values are numbers for codes of up to 32 bits, and BigInts for wider ones.
 *
 *     new Code("crc-16/arc").value("123456789") === 0xbb3d
 */
export class Code {
  /**
   * Throws a `RangeError` if the name is unknown or no CRC has these parameters, and a `TypeError`
   * if one has the wrong type.
   */
  constructor(code: string | Parameters);
  /** The name, as in `codes()`. */
  readonly name: string;
  /** What the code is, in one sentence. */
  readonly about: string;
  /** The width of the values in bits. */
  readonly width: number;
  /** Returns the value of the data. */
  value(data: Data): number | bigint;
  /** Returns a digest for data in pieces. */
  digest(): Digest;
  /** Frees the memory of the code now. Without this call, the garbage collector frees it. */
  free(): void;
}

/** The `TransformStream` of the platform. */
export type Through = typeof globalThis extends { TransformStream: { prototype: infer T } }
  ? T
  : unknown;

/** The value of data that comes in pieces. */
export class Digest {
  private constructor();
  /** Appends data. */
  update(data: Data): this;
  /**
   * Appends the data of another digest of this code, by its value alone. Throws a `TypeError` if
   * `next` is not a digest or was freed, and a `RangeError` if it is one of another code.
   */
  combine(next: Digest): this;
  /** Returns the value of all data so far. */
  value(): number | bigint;
  /** Forgets all data. */
  reset(): this;
  /** Returns a copy. */
  copy(): Digest;
  /**
   * Returns a `TransformStream` that appends what passes through it, and changes nothing. It also
   * fits into `pipeline` of Node's `stream/promises`.
   */
  through(): Through;
  /** Frees the memory of the digest now. Without this call, the garbage collector frees it. */
  free(): void;
}
