// Compiled by TypeScript, not run: what an ECMAScript module may and may not write.
import { Code, crc32, crc64nvme, type Data, type Digest } from "residue-codes";
import { crc32c } from "residue-codes/async";

const data: Data = new Uint8Array(3);
const value: number = crc32(data, crc32c("123456789"));
const wide: bigint = crc64nvme(data, 0n);
const digest: Digest = new Code({ width: 8, poly: 7 }).digest();
const stream: TransformStream = digest.update(data).through();
// @ts-expect-error The value is a number.
const wrong: string = crc32(data);
// @ts-expect-error A digest is made by a code.
new digest.constructor(data);

export { stream, value, wide, wrong };
