//! The named CRCs: the 113 entries of the RevEng catalogue (G. Cook, *Catalogue of parametrised CRC
//! algorithms*, reveng.sourceforge.io/crc-catalogue), by width. Generated from the tables of crate
//! `crc-catalog` 2.5.0; a test recomputes every check value and residue from the definition.

use super::params::Params;

macro_rules! catalog {
    ($($name:literal $constant:ident $width:literal $poly:literal $init:literal $refin:literal
       $refout:literal $xorout:literal $check:literal $residue:literal;)*) => {
        $(
            #[doc = concat!(
                $name, ": polynomial `", stringify!($poly),
                "`, check value `", stringify!($check), "`."
            )]
            pub const $constant: Params = Params {
                name: $name,
                width: $width,
                poly: $poly,
                init: $init,
                refin: $refin,
                refout: $refout,
                xorout: $xorout,
                check: $check,
                residue: $residue,
            };
        )*

        /// All entries, narrowest first.
        pub static ALL: &[Params] = &[$($constant),*];
    };
}

// name, constant, width, poly, init, refin, refout, xorout, check, residue
catalog! {
    "crc-3/gsm" CRC_3_GSM 3 0x3 0x0 false false 0x7 0x4 0x2;
    "crc-3/rohc" CRC_3_ROHC 3 0x3 0x7 true true 0x0 0x6 0x0;
    "crc-4/g-704" CRC_4_G_704 4 0x3 0x0 true true 0x0 0x7 0x0;
    "crc-4/interlaken" CRC_4_INTERLAKEN 4 0x3 0xf false false 0xf 0xb 0x2;
    "crc-5/epc-c1g2" CRC_5_EPC_C1G2 5 0x9 0x9 false false 0x0 0x0 0x0;
    "crc-5/g-704" CRC_5_G_704 5 0x15 0x0 true true 0x0 0x7 0x0;
    "crc-5/usb" CRC_5_USB 5 0x5 0x1f true true 0x1f 0x19 0x6;
    "crc-6/cdma2000-a" CRC_6_CDMA2000_A 6 0x27 0x3f false false 0x0 0xd 0x0;
    "crc-6/cdma2000-b" CRC_6_CDMA2000_B 6 0x7 0x3f false false 0x0 0x3b 0x0;
    "crc-6/darc" CRC_6_DARC 6 0x19 0x0 true true 0x0 0x26 0x0;
    "crc-6/g-704" CRC_6_G_704 6 0x3 0x0 true true 0x0 0x6 0x0;
    "crc-6/gsm" CRC_6_GSM 6 0x2f 0x0 false false 0x3f 0x13 0x3a;
    "crc-7/mmc" CRC_7_MMC 7 0x9 0x0 false false 0x0 0x75 0x0;
    "crc-7/rohc" CRC_7_ROHC 7 0x4f 0x7f true true 0x0 0x53 0x0;
    "crc-7/umts" CRC_7_UMTS 7 0x45 0x0 false false 0x0 0x61 0x0;
    "crc-8/autosar" CRC_8_AUTOSAR 8 0x2f 0xff false false 0xff 0xdf 0x42;
    "crc-8/bluetooth" CRC_8_BLUETOOTH 8 0xa7 0x0 true true 0x0 0x26 0x0;
    "crc-8/cdma2000" CRC_8_CDMA2000 8 0x9b 0xff false false 0x0 0xda 0x0;
    "crc-8/darc" CRC_8_DARC 8 0x39 0x0 true true 0x0 0x15 0x0;
    "crc-8/dvb-s2" CRC_8_DVB_S2 8 0xd5 0x0 false false 0x0 0xbc 0x0;
    "crc-8/gsm-a" CRC_8_GSM_A 8 0x1d 0x0 false false 0x0 0x37 0x0;
    "crc-8/gsm-b" CRC_8_GSM_B 8 0x49 0x0 false false 0xff 0x94 0x53;
    "crc-8/hitag" CRC_8_HITAG 8 0x1d 0xff false false 0x0 0xb4 0x0;
    "crc-8/i-432-1" CRC_8_I_432_1 8 0x7 0x0 false false 0x55 0xa1 0xac;
    "crc-8/i-code" CRC_8_I_CODE 8 0x1d 0xfd false false 0x0 0x7e 0x0;
    "crc-8/lte" CRC_8_LTE 8 0x9b 0x0 false false 0x0 0xea 0x0;
    "crc-8/maxim-dow" CRC_8_MAXIM_DOW 8 0x31 0x0 true true 0x0 0xa1 0x0;
    "crc-8/mifare-mad" CRC_8_MIFARE_MAD 8 0x1d 0xc7 false false 0x0 0x99 0x0;
    "crc-8/nrsc-5" CRC_8_NRSC_5 8 0x31 0xff false false 0x0 0xf7 0x0;
    "crc-8/opensafety" CRC_8_OPENSAFETY 8 0x2f 0x0 false false 0x0 0x3e 0x0;
    "crc-8/rohc" CRC_8_ROHC 8 0x7 0xff true true 0x0 0xd0 0x0;
    "crc-8/sae-j1850" CRC_8_SAE_J1850 8 0x1d 0xff false false 0xff 0x4b 0xc4;
    "crc-8/smbus" CRC_8_SMBUS 8 0x7 0x0 false false 0x0 0xf4 0x0;
    "crc-8/tech-3250" CRC_8_TECH_3250 8 0x1d 0xff true true 0x0 0x97 0x0;
    "crc-8/wcdma" CRC_8_WCDMA 8 0x9b 0x0 true true 0x0 0x25 0x0;
    "crc-10/atm" CRC_10_ATM 10 0x233 0x0 false false 0x0 0x199 0x0;
    "crc-10/cdma2000" CRC_10_CDMA2000 10 0x3d9 0x3ff false false 0x0 0x233 0x0;
    "crc-10/gsm" CRC_10_GSM 10 0x175 0x0 false false 0x3ff 0x12a 0xc6;
    "crc-11/flexray" CRC_11_FLEXRAY 11 0x385 0x1a false false 0x0 0x5a3 0x0;
    "crc-11/umts" CRC_11_UMTS 11 0x307 0x0 false false 0x0 0x61 0x0;
    "crc-12/cdma2000" CRC_12_CDMA2000 12 0xf13 0xfff false false 0x0 0xd4d 0x0;
    "crc-12/dect" CRC_12_DECT 12 0x80f 0x0 false false 0x0 0xf5b 0x0;
    "crc-12/gsm" CRC_12_GSM 12 0xd31 0x0 false false 0xfff 0xb34 0x178;
    "crc-12/umts" CRC_12_UMTS 12 0x80f 0x0 false true 0x0 0xdaf 0x0;
    "crc-13/bbc" CRC_13_BBC 13 0x1cf5 0x0 false false 0x0 0x4fa 0x0;
    "crc-14/darc" CRC_14_DARC 14 0x805 0x0 true true 0x0 0x82d 0x0;
    "crc-14/gsm" CRC_14_GSM 14 0x202d 0x0 false false 0x3fff 0x30ae 0x31e;
    "crc-15/can" CRC_15_CAN 15 0x4599 0x0 false false 0x0 0x59e 0x0;
    "crc-15/mpt1327" CRC_15_MPT1327 15 0x6815 0x0 false false 0x1 0x2566 0x6815;
    "crc-16/arc" CRC_16_ARC 16 0x8005 0x0 true true 0x0 0xbb3d 0x0;
    "crc-16/cdma2000" CRC_16_CDMA2000 16 0xc867 0xffff false false 0x0 0x4c06 0x0;
    "crc-16/cms" CRC_16_CMS 16 0x8005 0xffff false false 0x0 0xaee7 0x0;
    "crc-16/dds-110" CRC_16_DDS_110 16 0x8005 0x800d false false 0x0 0x9ecf 0x0;
    "crc-16/dect-r" CRC_16_DECT_R 16 0x589 0x0 false false 0x1 0x7e 0x589;
    "crc-16/dect-x" CRC_16_DECT_X 16 0x589 0x0 false false 0x0 0x7f 0x0;
    "crc-16/dnp" CRC_16_DNP 16 0x3d65 0x0 true true 0xffff 0xea82 0x66c5;
    "crc-16/en-13757" CRC_16_EN_13757 16 0x3d65 0x0 false false 0xffff 0xc2b7 0xa366;
    "crc-16/genibus" CRC_16_GENIBUS 16 0x1021 0xffff false false 0xffff 0xd64e 0x1d0f;
    "crc-16/gsm" CRC_16_GSM 16 0x1021 0x0 false false 0xffff 0xce3c 0x1d0f;
    "crc-16/ibm-3740" CRC_16_IBM_3740 16 0x1021 0xffff false false 0x0 0x29b1 0x0;
    "crc-16/ibm-sdlc" CRC_16_IBM_SDLC 16 0x1021 0xffff true true 0xffff 0x906e 0xf0b8;
    "crc-16/iso-iec-14443-3-a" CRC_16_ISO_IEC_14443_3_A 16 0x1021 0xc6c6 true true 0x0 0xbf05 0x0;
    "crc-16/kermit" CRC_16_KERMIT 16 0x1021 0x0 true true 0x0 0x2189 0x0;
    "crc-16/lj1200" CRC_16_LJ1200 16 0x6f63 0x0 false false 0x0 0xbdf4 0x0;
    "crc-16/m17" CRC_16_M17 16 0x5935 0xffff false false 0x0 0x772b 0x0;
    "crc-16/maxim-dow" CRC_16_MAXIM_DOW 16 0x8005 0x0 true true 0xffff 0x44c2 0xb001;
    "crc-16/mcrf4xx" CRC_16_MCRF4XX 16 0x1021 0xffff true true 0x0 0x6f91 0x0;
    "crc-16/modbus" CRC_16_MODBUS 16 0x8005 0xffff true true 0x0 0x4b37 0x0;
    "crc-16/nrsc-5" CRC_16_NRSC_5 16 0x80b 0xffff true true 0x0 0xa066 0x0;
    "crc-16/opensafety-a" CRC_16_OPENSAFETY_A 16 0x5935 0x0 false false 0x0 0x5d38 0x0;
    "crc-16/opensafety-b" CRC_16_OPENSAFETY_B 16 0x755b 0x0 false false 0x0 0x20fe 0x0;
    "crc-16/profibus" CRC_16_PROFIBUS 16 0x1dcf 0xffff false false 0xffff 0xa819 0xe394;
    "crc-16/riello" CRC_16_RIELLO 16 0x1021 0xb2aa true true 0x0 0x63d0 0x0;
    "crc-16/spi-fujitsu" CRC_16_SPI_FUJITSU 16 0x1021 0x1d0f false false 0x0 0xe5cc 0x0;
    "crc-16/t10-dif" CRC_16_T10_DIF 16 0x8bb7 0x0 false false 0x0 0xd0db 0x0;
    "crc-16/teledisk" CRC_16_TELEDISK 16 0xa097 0x0 false false 0x0 0xfb3 0x0;
    "crc-16/tms37157" CRC_16_TMS37157 16 0x1021 0x89ec true true 0x0 0x26b1 0x0;
    "crc-16/umts" CRC_16_UMTS 16 0x8005 0x0 false false 0x0 0xfee8 0x0;
    "crc-16/usb" CRC_16_USB 16 0x8005 0xffff true true 0xffff 0xb4c8 0xb001;
    "crc-16/xmodem" CRC_16_XMODEM 16 0x1021 0x0 false false 0x0 0x31c3 0x0;
    "crc-17/can-fd" CRC_17_CAN_FD 17 0x1685b 0x0 false false 0x0 0x4f03 0x0;
    "crc-21/can-fd" CRC_21_CAN_FD 21 0x102899 0x0 false false 0x0 0xed841 0x0;
    "crc-24/ble" CRC_24_BLE 24 0x65b 0x555555 true true 0x0 0xc25a56 0x0;
    "crc-24/flexray-a" CRC_24_FLEXRAY_A 24 0x5d6dcb 0xfedcba false false 0x0 0x7979bd 0x0;
    "crc-24/flexray-b" CRC_24_FLEXRAY_B 24 0x5d6dcb 0xabcdef false false 0x0 0x1f23b8 0x0;
    "crc-24/interlaken" CRC_24_INTERLAKEN 24 0x328b63 0xffffff false false 0xffffff 0xb4f3e6
        0x144e63;
    "crc-24/lte-a" CRC_24_LTE_A 24 0x864cfb 0x0 false false 0x0 0xcde703 0x0;
    "crc-24/lte-b" CRC_24_LTE_B 24 0x800063 0x0 false false 0x0 0x23ef52 0x0;
    "crc-24/openpgp" CRC_24_OPENPGP 24 0x864cfb 0xb704ce false false 0x0 0x21cf02 0x0;
    "crc-24/os-9" CRC_24_OS_9 24 0x800063 0xffffff false false 0xffffff 0x200fa5 0x800fe3;
    "crc-30/cdma" CRC_30_CDMA 30 0x2030b9c7 0x3fffffff false false 0x3fffffff 0x4c34abf 0x34efa55a;
    "crc-31/philips" CRC_31_PHILIPS 31 0x4c11db7 0x7fffffff false false 0x7fffffff 0xce9e46c
        0x4eaf26f1;
    "crc-32/aixm" CRC_32_AIXM 32 0x814141ab 0x0 false false 0x0 0x3010bf7f 0x0;
    "crc-32/autosar" CRC_32_AUTOSAR 32 0xf4acfb13 0xffffffff true true 0xffffffff 0x1697d06a
        0x904cddbf;
    "crc-32/base91-d" CRC_32_BASE91_D 32 0xa833982b 0xffffffff true true 0xffffffff 0x87315576
        0x45270551;
    "crc-32/bzip2" CRC_32_BZIP2 32 0x4c11db7 0xffffffff false false 0xffffffff 0xfc891918
        0xc704dd7b;
    "crc-32/cd-rom-edc" CRC_32_CD_ROM_EDC 32 0x8001801b 0x0 true true 0x0 0x6ec2edc4 0x0;
    "crc-32/cksum" CRC_32_CKSUM 32 0x4c11db7 0x0 false false 0xffffffff 0x765e7680 0xc704dd7b;
    "crc-32/iscsi" CRC_32_ISCSI 32 0x1edc6f41 0xffffffff true true 0xffffffff 0xe3069283 0xb798b438;
    "crc-32/iso-hdlc" CRC_32_ISO_HDLC 32 0x4c11db7 0xffffffff true true 0xffffffff 0xcbf43926
        0xdebb20e3;
    "crc-32/jamcrc" CRC_32_JAMCRC 32 0x4c11db7 0xffffffff true true 0x0 0x340bc6d9 0x0;
    "crc-32/mef" CRC_32_MEF 32 0x741b8cd7 0xffffffff true true 0x0 0xd2c22f51 0x0;
    "crc-32/mpeg-2" CRC_32_MPEG_2 32 0x4c11db7 0xffffffff false false 0x0 0x376e6e7 0x0;
    "crc-32/xfer" CRC_32_XFER 32 0xaf 0x0 false false 0x0 0xbd0be338 0x0;
    "crc-40/gsm" CRC_40_GSM 40 0x4820009 0x0 false false 0xffffffffff 0xd4164fc646 0xc4ff8071ff;
    "crc-64/ecma-182" CRC_64_ECMA_182 64 0x42f0e1eba9ea3693 0x0 false false 0x0 0x6c40df5f0b497347
        0x0;
    "crc-64/go-iso" CRC_64_GO_ISO 64 0x1b 0xffffffffffffffff true true 0xffffffffffffffff
        0xb90956c775a41001 0x5300000000000000;
    "crc-64/ms" CRC_64_MS 64 0x259c84cba6426349 0xffffffffffffffff true true 0x0 0x75d4b74f024eceea
        0x0;
    "crc-64/nvme" CRC_64_NVME 64 0xad93d23594c93659 0xffffffffffffffff true true 0xffffffffffffffff
        0xae8b14860a799888 0xf310303b2b6f6e42;
    "crc-64/redis" CRC_64_REDIS 64 0xad93d23594c935a9 0x0 true true 0x0 0xe9c6d914c4b8d9ca 0x0;
    "crc-64/we" CRC_64_WE 64 0x42f0e1eba9ea3693 0xffffffffffffffff false false 0xffffffffffffffff
        0x62ec59e3f1a4f00a 0xfcacbebd5931a992;
    "crc-64/xz" CRC_64_XZ 64 0x42f0e1eba9ea3693 0xffffffffffffffff true true 0xffffffffffffffff
        0x995dc9bbdf1939fa 0x49958c9abd7d353f;
    "crc-82/darc" CRC_82_DARC 82 0x308c0111011401440411 0x0 true true 0x0 0x9ea83f625023801fd612
        0x0;
}

/// Aliases of entries of the catalogue, in lower case.
pub static ALIASES: &[(&str, &Params)] = &[
    ("crc-4/itu", &CRC_4_G_704),
    ("crc-5/epc", &CRC_5_EPC_C1G2),
    ("crc-5/itu", &CRC_5_G_704),
    ("crc-6/itu", &CRC_6_G_704),
    ("crc-7", &CRC_7_MMC),
    ("crc-8", &CRC_8_SMBUS),
    ("crc-8/itu", &CRC_8_I_432_1),
    ("crc-8/maxim", &CRC_8_MAXIM_DOW),
    ("dow-crc", &CRC_8_MAXIM_DOW),
    ("crc-8/ebu", &CRC_8_TECH_3250),
    ("crc-8/aes", &CRC_8_TECH_3250),
    ("crc-10", &CRC_10_ATM),
    ("crc-10/i-610", &CRC_10_ATM),
    ("crc-11", &CRC_11_FLEXRAY),
    ("crc-12/3gpp", &CRC_12_UMTS),
    ("crc-15", &CRC_15_CAN),
    ("crc-16", &CRC_16_ARC),
    ("crc-16/lha", &CRC_16_ARC),
    ("crc-16/bluetooth", &CRC_16_KERMIT),
    ("kermit", &CRC_16_KERMIT),
    ("crc-16/ccitt", &CRC_16_KERMIT),
    ("crc-16/ccitt-true", &CRC_16_KERMIT),
    ("crc-16/v-41-lsb", &CRC_16_KERMIT),
    ("crc-16/ccitt-false", &CRC_16_IBM_3740),
    ("crc-ccitt-false", &CRC_16_IBM_3740),
    ("crc-16/autosar", &CRC_16_IBM_3740),
    ("crc-16/x-25", &CRC_16_IBM_SDLC),
    ("x-25", &CRC_16_IBM_SDLC),
    ("crc-16/iso-hdlc", &CRC_16_IBM_SDLC),
    ("crc-16/aug-ccitt", &CRC_16_SPI_FUJITSU),
    ("crc-16/buypass", &CRC_16_UMTS),
    ("crc-16/verifone", &CRC_16_UMTS),
    ("crc-16/acorn", &CRC_16_XMODEM),
    ("crc-16/lte", &CRC_16_XMODEM),
    ("crc-16/v-41-msb", &CRC_16_XMODEM),
    ("xmodem", &CRC_16_XMODEM),
    ("zmodem", &CRC_16_XMODEM),
    ("modbus", &CRC_16_MODBUS),
    ("crc-16/epc", &CRC_16_GENIBUS),
    ("crc-16/i-code", &CRC_16_GENIBUS),
    ("crc-16/darc", &CRC_16_GENIBUS),
    ("crc-16/iec-61158-2", &CRC_16_PROFIBUS),
    ("crc-16/maxim", &CRC_16_MAXIM_DOW),
    ("crc-a", &CRC_16_ISO_IEC_14443_3_A),
    ("crc-b", &CRC_16_IBM_SDLC),
    ("crc-24", &CRC_24_OPENPGP),
    ("crc-32", &CRC_32_ISO_HDLC),
    ("crc-32/adccp", &CRC_32_ISO_HDLC),
    ("crc-32/v-42", &CRC_32_ISO_HDLC),
    ("crc-32/xz", &CRC_32_ISO_HDLC),
    ("crc-32/ethernet", &CRC_32_ISO_HDLC),
    ("crc-32/ieee", &CRC_32_ISO_HDLC),
    ("crc-32/zlib", &CRC_32_ISO_HDLC),
    ("pkzip", &CRC_32_ISO_HDLC),
    ("crc-32c", &CRC_32_ISCSI),
    ("crc-32/castagnoli", &CRC_32_ISCSI),
    ("crc-32/nvme", &CRC_32_ISCSI),
    ("crc-32/interlaken", &CRC_32_ISCSI),
    ("castagnoli", &CRC_32_ISCSI),
    ("crc-32/aal5", &CRC_32_BZIP2),
    ("bzip2", &CRC_32_BZIP2),
    ("crc-32/dect-b", &CRC_32_BZIP2),
    ("crc-32b", &CRC_32_ISO_HDLC),
    ("crc-32/posix", &CRC_32_CKSUM),
    ("cksum", &CRC_32_CKSUM),
    ("crc-32d", &CRC_32_BASE91_D),
    ("crc-32q", &CRC_32_AIXM),
    ("crc-40", &CRC_40_GSM),
    ("crc-64", &CRC_64_ECMA_182),
    ("crc-64/nvm", &CRC_64_NVME),
    ("crc-64/go-ecma", &CRC_64_XZ),
];

/// Finds the entry with this name or alias; case, `-`, `_` and `/` do not matter.
#[must_use]
pub fn find(name: &str) -> Option<&'static Params> {
    let same = |other: &str| same_name(name, other);
    let aliased = || ALIASES.iter().find(|(alias, _)| same(alias)).map(|(_, params)| *params);
    ALL.iter().find(|params| same(params.name)).or_else(aliased)
}

/// Returns whether two names are equal but for case, `-`, `_` and `/`.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    spelled(a).eq(spelled(b))
}

/// Returns the significant letters of a name, in lower case.
fn spelled(name: &str) -> impl Iterator<Item = u8> {
    name.bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b'/'))
        .map(|byte| byte.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values_and_residues_follow_from_the_definition() {
        assert!(ALL.len() >= 113);
        for params in ALL {
            assert_eq!(params.reference(b"123456789"), params.check, "{}", params.name);
            assert_eq!(params.computed_residue(), params.residue, "{}", params.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let names = || ALL.iter().map(|p| p.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
        for (i, name) in names().enumerate() {
            assert!(names().skip(i + 1).all(|other| !spelled(name).eq(spelled(other))), "{name}");
            assert!(find(name).is_some());
        }
        for (name, meant) in [
            ("CRC32C", "crc-32/iscsi"),
            ("crc-32/c", "crc-32/iscsi"),
            ("crc16_modbus", "crc-16/modbus"),
            ("CRC-16-CCITT-FALSE", "crc-16/ibm-3740"),
            ("crc-32-bzip2", "crc-32/bzip2"),
        ] {
            assert_eq!(find(name).map(|p| p.name), Some(meant), "{name}");
        }
        assert_eq!(find("crc-33"), None);
    }
}
