// @ts-check
// The codes in common use, most used first.

export const COMMON = [
  "crc-32/iso-hdlc",
  "crc-32/iscsi",
  "crc-16/modbus",
  "crc-16/ibm-3740",
  "crc-16/xmodem",
  "crc-16/kermit",
  "crc-16/ibm-sdlc",
  "crc-16/arc",
  "crc-8/smbus",
  "crc-8/maxim-dow",
  "crc-32/mpeg-2",
  "crc-64/xz",
  "crc-64/nvme",
  "internet",
  "adler-32",
  "fletcher-16",
  "fletcher-32",
];
