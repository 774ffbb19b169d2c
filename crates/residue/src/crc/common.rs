//! CRCs in common use, ready to run. The catalogue has all others.

use super::{Crc, catalog};

macro_rules! statics {
    ($($name:ident: $word:ident, $params:ident, $about:literal;)*) => {
        $(
            #[doc = $about]
            pub static $name: Crc<$word> = Crc::new(&catalog::$params);
        )*
    };
}

statics! {
    CRC_8_SMBUS: u8, CRC_8_SMBUS, "CRC-8/SMBUS, often called CRC-8: polynomial 07, not reflected.";
    CRC_16_ARC: u16, CRC_16_ARC, "CRC-16/ARC, often called CRC-16: polynomial 8005, reflected.";
    CRC_16_MODBUS: u16, CRC_16_MODBUS, "CRC-16/MODBUS: CRC-16/ARC with `init` FFFF.";
    CRC_16_XMODEM: u16, CRC_16_XMODEM,
        "CRC-16/XMODEM, of XMODEM and YMODEM: polynomial 1021, not reflected.";
    CRC_16_IBM_3740: u16, CRC_16_IBM_3740,
        "CRC-16/IBM-3740, often called CRC-16/CCITT-FALSE: CRC-16/XMODEM with `init` FFFF.";
    CRC_16_IBM_SDLC: u16, CRC_16_IBM_SDLC,
        "CRC-16/IBM-SDLC, of X.25, HDLC and PPP (RFC 1662): polynomial 1021, reflected.";
    CRC_24_OPENPGP: u32, CRC_24_OPENPGP, "CRC-24/OPENPGP (RFC 4880, section 6.1).";
    CRC_32_BZIP2: u32, CRC_32_BZIP2, "CRC-32/BZIP2: the polynomial of CRC-32, not reflected.";
    CRC_64_XZ: u64, CRC_64_XZ, "CRC-64/XZ, of xz files: ECMA-182's polynomial, reflected.";
}
