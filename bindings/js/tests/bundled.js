// Bundled into scripts of several formats, each of which must run by itself.
import { crc32 } from "residue-codes";

console.log(crc32("123456789").toString(16));
