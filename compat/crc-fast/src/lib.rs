//! The face of the crate `crc-fast` 1, on residue.
//!
//! `CrcParams` has no keys: those are constants of the original's kernels. It is made by
//! `CrcParams::new`.

use digest::{DynDigest, InvalidBufferSize};
use residue::crc::{Crc, Params, catalog};
use std::fs::File;
use std::io::{Read, Write};
use std::{fmt, io, str::FromStr, sync::Mutex};

macro_rules! algorithms {
    ($($algorithm:ident $params:ident $name:literal $code:ident;)*) => {
        /// A code, by its name.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum CrcAlgorithm {
            /// Any code, by [`CrcParams`].
            CrcCustom,
            /// Any code of 32 bits, by [`CrcParams`].
            Crc32Custom,
            /// Any code of 64 bits, by [`CrcParams`].
            Crc64Custom,
            $(#[doc = $name] $algorithm,)*
        }

        mod codes {
            $(pub static $code: super::Crc<u64> = super::Crc::new(&super::catalog::$code);)*
        }

        $(
            #[doc(hidden)]
            pub const $params: CrcParams =
                CrcParams::of(CrcAlgorithm::$algorithm, $name, &catalog::$code, &codes::$code);
        )*

        impl CrcAlgorithm {
            fn params(self) -> CrcParams {
                match self {
                    $(Self::$algorithm => $params,)*
                    _ => panic!("custom codes need `CrcParams`"),
                }
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$algorithm => $name,)*
                    Self::CrcCustom => "CRC/CUSTOM",
                    Self::Crc32Custom => "CRC-32/CUSTOM",
                    Self::Crc64Custom => "CRC-64/CUSTOM",
                }
            }
        }

        impl FromStr for CrcAlgorithm {
            type Err = ();

            fn from_str(name: &str) -> Result<Self, ()> {
                match name {
                    $($name => Ok(Self::$algorithm),)*
                    _ => Err(()),
                }
            }
        }
    };
}

algorithms! {
    Crc16Arc CRC16_ARC "CRC-16/ARC" CRC_16_ARC;
    Crc16Cdma2000 CRC16_CDMA2000 "CRC-16/CDMA2000" CRC_16_CDMA2000;
    Crc16Cms CRC16_CMS "CRC-16/CMS" CRC_16_CMS;
    Crc16Dds110 CRC16_DDS_110 "CRC-16/DDS-110" CRC_16_DDS_110;
    Crc16DectR CRC16_DECT_R "CRC-16/DECT-R" CRC_16_DECT_R;
    Crc16DectX CRC16_DECT_X "CRC-16/DECT-X" CRC_16_DECT_X;
    Crc16Dnp CRC16_DNP "CRC-16/DNP" CRC_16_DNP;
    Crc16En13757 CRC16_EN_13757 "CRC-16/EN-13757" CRC_16_EN_13757;
    Crc16Genibus CRC16_GENIBUS "CRC-16/GENIBUS" CRC_16_GENIBUS;
    Crc16Gsm CRC16_GSM "CRC-16/GSM" CRC_16_GSM;
    Crc16Ibm3740 CRC16_IBM_3740 "CRC-16/IBM-3740" CRC_16_IBM_3740;
    Crc16IbmSdlc CRC16_IBM_SDLC "CRC-16/IBM-SDLC" CRC_16_IBM_SDLC;
    Crc16IsoIec144433A CRC16_ISO_IEC_14443_3_A "CRC-16/ISO-IEC-14443-3-A" CRC_16_ISO_IEC_14443_3_A;
    Crc16Kermit CRC16_KERMIT "CRC-16/KERMIT" CRC_16_KERMIT;
    Crc16Lj1200 CRC16_LJ1200 "CRC-16/LJ1200" CRC_16_LJ1200;
    Crc16M17 CRC16_M17 "CRC-16/M17" CRC_16_M17;
    Crc16MaximDow CRC16_MAXIM_DOW "CRC-16/MAXIM-DOW" CRC_16_MAXIM_DOW;
    Crc16Mcrf4xx CRC16_MCRF4XX "CRC-16/MCRF4XX" CRC_16_MCRF4XX;
    Crc16Modbus CRC16_MODBUS "CRC-16/MODBUS" CRC_16_MODBUS;
    Crc16Nrsc5 CRC16_NRSC_5 "CRC-16/NRSC-5" CRC_16_NRSC_5;
    Crc16OpensafetyA CRC16_OPENSAFETY_A "CRC-16/OPENSAFETY-A" CRC_16_OPENSAFETY_A;
    Crc16OpensafetyB CRC16_OPENSAFETY_B "CRC-16/OPENSAFETY-B" CRC_16_OPENSAFETY_B;
    Crc16Profibus CRC16_PROFIBUS "CRC-16/PROFIBUS" CRC_16_PROFIBUS;
    Crc16Riello CRC16_RIELLO "CRC-16/RIELLO" CRC_16_RIELLO;
    Crc16SpiFujitsu CRC16_SPI_FUJITSU "CRC-16/SPI-FUJITSU" CRC_16_SPI_FUJITSU;
    Crc16T10Dif CRC16_T10_DIF "CRC-16/T10-DIF" CRC_16_T10_DIF;
    Crc16Teledisk CRC16_TELEDISK "CRC-16/TELEDISK" CRC_16_TELEDISK;
    Crc16Tms37157 CRC16_TMS37157 "CRC-16/TMS37157" CRC_16_TMS37157;
    Crc16Umts CRC16_UMTS "CRC-16/UMTS" CRC_16_UMTS;
    Crc16Usb CRC16_USB "CRC-16/USB" CRC_16_USB;
    Crc16Xmodem CRC16_XMODEM "CRC-16/XMODEM" CRC_16_XMODEM;
    Crc32Aixm CRC32_AIXM "CRC-32/AIXM" CRC_32_AIXM;
    Crc32Autosar CRC32_AUTOSAR "CRC-32/AUTOSAR" CRC_32_AUTOSAR;
    Crc32Base91D CRC32_BASE91_D "CRC-32/BASE91-D" CRC_32_BASE91_D;
    Crc32Bzip2 CRC32_BZIP2 "CRC-32/BZIP2" CRC_32_BZIP2;
    Crc32CdRomEdc CRC32_CD_ROM_EDC "CRC-32/CD-ROM-EDC" CRC_32_CD_ROM_EDC;
    Crc32Cksum CRC32_CKSUM "CRC-32/CKSUM" CRC_32_CKSUM;
    Crc32Iscsi CRC32_ISCSI "CRC-32/ISCSI" CRC_32_ISCSI;
    Crc32IsoHdlc CRC32_ISO_HDLC "CRC-32/ISO-HDLC" CRC_32_ISO_HDLC;
    Crc32Jamcrc CRC32_JAMCRC "CRC-32/JAMCRC" CRC_32_JAMCRC;
    Crc32Mef CRC32_MEF "CRC-32/MEF" CRC_32_MEF;
    Crc32Mpeg2 CRC32_MPEG_2 "CRC-32/MPEG-2" CRC_32_MPEG_2;
    Crc32Xfer CRC32_XFER "CRC-32/XFER" CRC_32_XFER;
    Crc64Ecma182 CRC64_ECMA_182 "CRC-64/ECMA-182" CRC_64_ECMA_182;
    Crc64GoIso CRC64_GO_ISO "CRC-64/GO-ISO" CRC_64_GO_ISO;
    Crc64Ms CRC64_MS "CRC-64/MS" CRC_64_MS;
    Crc64Nvme CRC64_NVME "CRC-64/NVME" CRC_64_NVME;
    Crc64Redis CRC64_REDIS "CRC-64/REDIS" CRC_64_REDIS;
    Crc64We CRC64_WE "CRC-64/WE" CRC_64_WE;
    Crc64Xz CRC64_XZ "CRC-64/XZ" CRC_64_XZ;
}

impl fmt::Display for CrcAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The parameters of a code.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct CrcParams {
    pub algorithm: CrcAlgorithm,
    pub name: &'static str,
    pub width: u8,
    pub poly: u64,
    pub init: u64,
    /// The register before any data.
    pub init_algorithm: u64,
    pub refin: bool,
    pub refout: bool,
    pub xorout: u64,
    pub check: u64,
    crc: &'static Crc<u64>,
}

/// The codes that [`CrcParams::new`] has made. They live as long as the program.
static CUSTOM: Mutex<Vec<&'static Crc<u64>>> = Mutex::new(Vec::new());

impl CrcParams {
    const fn of(
        algorithm: CrcAlgorithm,
        name: &'static str,
        params: &Params,
        crc: &'static Crc<u64>,
    ) -> Self {
        let register = if params.refin { params.reflect(params.init) } else { params.init };
        CrcParams {
            algorithm,
            name,
            width: params.width,
            poly: params.poly as u64,
            init: params.init as u64,
            init_algorithm: register as u64,
            refin: params.refin,
            refout: params.refout,
            xorout: params.xorout as u64,
            check: params.check as u64,
            crc,
        }
    }

    /// Creates the parameters of a code of 16, 32 or 64 bits.
    ///
    /// # Panics
    /// Panics at another width, and if a parameter does not fit in the width.
    pub fn new(
        name: &'static str,
        width: u8,
        poly: u64,
        init: u64,
        reflected: bool,
        xorout: u64,
        check: u64,
    ) -> Self {
        assert!(matches!(width, 16 | 32 | 64), "Unsupported width: {width}");
        let params = Params {
            width,
            poly: poly.into(),
            init: init.into(),
            refin: reflected,
            refout: reflected,
            xorout: xorout.into(),
            check: check.into(),
            ..Params::CUSTOM
        };
        let code = |it: &Params| (it.width, it.poly, it.init, it.refin, it.refout, it.xorout);
        let mut made = CUSTOM.lock().unwrap_or_else(|error| error.into_inner());
        let known = made.iter().find(|crc| code(crc.params()) == code(&params)).copied();
        let crc = known.unwrap_or_else(|| {
            let crc: &'static Crc<u64> = Box::leak(Box::new(Crc::new(&params)));
            made.push(crc);
            crc
        });
        CrcParams::of(CrcAlgorithm::CrcCustom, name, &params, crc)
    }
}

/// The CRC of data that may come in pieces.
#[derive(Copy, Clone, Debug)]
pub struct Digest {
    params: CrcParams,
    /// The value so far.
    value: u64,
    amount: u64,
}

impl Digest {
    /// Creates the digest of no data.
    pub fn new(algorithm: CrcAlgorithm) -> Self {
        Digest::new_with_params(algorithm.params())
    }

    /// Creates a digest that continues from a register.
    pub fn new_with_init_state(algorithm: CrcAlgorithm, init_state: u64) -> Self {
        let params = algorithm.params();
        Digest { params, value: init_state ^ params.xorout, amount: 0 }
    }

    /// Creates the digest of no data by the parameters of its code.
    pub fn new_with_params(params: CrcParams) -> Self {
        Digest { params, value: params.init_algorithm ^ params.xorout, amount: 0 }
    }

    /// Appends data.
    pub fn update(&mut self, data: &[u8]) {
        self.value = self.params.crc.extend(self.value, data);
        self.amount += data.len() as u64;
    }

    /// Returns the CRC.
    pub fn finalize(&self) -> u64 {
        self.value
    }

    /// Returns the CRC and forgets all data.
    pub fn finalize_reset(&mut self) -> u64 {
        let value = self.value;
        self.reset();
        value
    }

    /// Forgets all data.
    pub fn reset(&mut self) {
        *self = Digest::new_with_params(self.params);
    }

    /// Appends the data of another digest of this code, by its value and length.
    pub fn combine(&mut self, other: &Self) {
        self.amount += other.amount;
        self.value = self.params.crc.combine(self.value, other.value, other.amount);
    }

    /// Returns the number of bytes so far.
    pub fn get_amount(&self) -> u64 {
        self.amount
    }

    /// Returns the register.
    pub fn get_state(&self) -> u64 {
        self.value ^ self.params.xorout
    }
}

impl DynDigest for Digest {
    fn update(&mut self, data: &[u8]) {
        self.update(data);
    }

    fn finalize_into(self, out: &mut [u8]) -> Result<(), InvalidBufferSize> {
        if out.len() != self.output_size() {
            return Err(InvalidBufferSize);
        }
        out.copy_from_slice(&self.value.to_be_bytes()[8 - out.len()..]);
        Ok(())
    }

    fn finalize_into_reset(&mut self, out: &mut [u8]) -> Result<(), InvalidBufferSize> {
        self.finalize_into(out)?;
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        self.reset();
    }

    fn output_size(&self) -> usize {
        usize::from(self.params.width) / 8
    }

    fn box_clone(&self) -> Box<dyn DynDigest> {
        Box::new(*self)
    }
}

impl Write for Digest {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.update(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the CRC of the data.
pub fn checksum(algorithm: CrcAlgorithm, data: &[u8]) -> u64 {
    checksum_with_params(algorithm.params(), data)
}

/// Returns the CRC of the data by the parameters of its code.
pub fn checksum_with_params(params: CrcParams, data: &[u8]) -> u64 {
    params.crc.checksum(data)
}

/// Returns the CRC of a file, read in pieces of `chunk_size` bytes.
///
/// # Errors
/// Returns the errors of the file.
pub fn checksum_file(
    algorithm: CrcAlgorithm,
    path: &str,
    chunk_size: Option<usize>,
) -> io::Result<u64> {
    checksum_file_with_params(algorithm.params(), path, chunk_size)
}

/// Returns the CRC of a file by the parameters of its code.
///
/// # Errors
/// Returns the errors of the file.
pub fn checksum_file_with_params(
    params: CrcParams,
    path: &str,
    chunk_size: Option<usize>,
) -> io::Result<u64> {
    let mut digest = Digest::new_with_params(params);
    let mut file = File::open(path)?;
    let mut piece = vec![0; chunk_size.unwrap_or(1 << 19)];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest.finalize()),
            length => digest.update(&piece[..length]),
        }
    }
}

/// Returns the CRC of two pieces of data, from their CRCs and the length of the second one.
pub fn checksum_combine(algorithm: CrcAlgorithm, first: u64, second: u64, length: u64) -> u64 {
    checksum_combine_with_params(algorithm.params(), first, second, length)
}

/// Returns the CRC of two pieces of data by the parameters of their code.
pub fn checksum_combine_with_params(
    params: CrcParams,
    first: u64,
    second: u64,
    length: u64,
) -> u64 {
    params.crc.combine(first, second, length)
}

/// Returns the architecture, this library, and the CPU's profile.
pub fn get_calculator_target(_algorithm: CrcAlgorithm) -> String {
    let architecture = match std::env::consts::ARCH {
        known @ ("aarch64" | "x86" | "x86_64") => known,
        _ => "software",
    };
    format!("{architecture}-residue-{}", residue::cpu::profile().name)
}

/// Returns the CRC-32C of the data.
pub fn crc32_iscsi(data: &[u8]) -> u32 {
    residue::crc32c(data)
}

/// Returns the CRC-32 of the data.
pub fn crc32_iso_hdlc(data: &[u8]) -> u32 {
    residue::crc32(data)
}

/// Returns the CRC-64/NVME of the data.
pub fn crc64_nvme(data: &[u8]) -> u64 {
    residue::crc::CRC_64_NVME.checksum(data)
}
