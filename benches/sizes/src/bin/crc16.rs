#![cfg_attr(target_os = "none", no_std, no_main)]

use residue::crc::{Crc, catalog};

static MODBUS: Crc<u16> = Crc::new(&catalog::CRC_16_MODBUS);

sizes::program!(|data: &[u8]| MODBUS.checksum(data));
