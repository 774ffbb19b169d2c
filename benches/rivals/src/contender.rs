//! The contenders: `residue`'s one-shot functions, and the types of the table of rivals.

use residue::Code;

/// A function from bytes to a value; every contender is called through such a pointer.
pub type Call = fn(&[u8]) -> u64;

/// A function from packets to the value of each.
pub type Many = fn(&[&[u8]], &mut Values);

/// A function that copies bytes and returns their value.
pub type Copied = fn(&[u8], &mut [u8]) -> u64;

/// Room for the values of a batch, of the width that a program would store.
#[derive(Default)]
pub struct Values {
    /// Values of the Internet checksum.
    pub narrow: [u16; 32],
    /// Values of CRC-32C.
    pub wide: [u32; 32],
}

impl Values {
    /// Returns one value.
    #[must_use]
    pub fn get(&self, code: &str, index: usize) -> u64 {
        if code == INTERNET { self.narrow[index].into() } else { self.wide[index].into() }
    }
}

/// Helps the compiler to see a closure's type.
pub const fn call<F: Fn(&[u8]) -> u64>(call: F) -> F {
    call
}

/// A [`Many`] that calls `$call` for each packet, inlined if it can be.
macro_rules! singly {
    ($values:ident, $call:expr) => {
        |packets, values| {
            let call = crate::contender::call($call);
            for (packet, value) in packets.iter().zip(&mut values.$values) {
                *value = call(packet) as _;
            }
        }
    };
}
pub(crate) use singly;

/// A code, and `residue`'s own function for it.
pub struct Subject {
    /// The code's name in the library.
    pub code: &'static str,
    /// The usual name.
    pub title: &'static str,
    /// `residue`'s function.
    pub call: Call,
    /// `residue`'s function for batches, and the calls it saves.
    pub batches: Option<[Many; 2]>,
    /// `residue`'s function for copies.
    pub copied: Copied,
    /// The modulus of each half of a value, where 0 and the modulus are one residue; else 0.
    pub modulus: u64,
}

/// CRC-32C.
pub const CRC_32C: &str = "crc-32/iscsi";
/// CRC-32, of Ethernet and zip.
pub const CRC_32: &str = "crc-32/iso-hdlc";
/// CRC-64/NVME.
pub const CRC_64: &str = "crc-64/nvme";
/// The Internet checksum.
pub const INTERNET: &str = "internet";
/// Adler-32.
pub const ADLER_32: &str = "adler-32";
/// Fletcher-16.
pub const FLETCHER_16: &str = "fletcher-16";
/// Fletcher-32 of little-endian words.
pub const FLETCHER_32: &str = "fletcher-32";

/// The codes that are compared.
pub const SUBJECTS: [Subject; 7] = [
    Subject {
        batches: Some([
            // It fails only if there are not as many values.
            |packets, values| {
                let _ = residue::batch::crc32c(packets, &mut values.wide[..packets.len()]);
            },
            singly!(wide, |data| residue::crc32c(data).into()),
        ]),
        ..subject(
            CRC_32C,
            "CRC-32C",
            0,
            |data| residue::crc32c(data).into(),
            |from, to| residue::copy::crc32c(from, to).into(),
        )
    },
    subject(
        CRC_32,
        "CRC-32",
        0,
        |data| residue::crc32(data).into(),
        |from, to| residue::copy::crc32(from, to).into(),
    ),
    subject(CRC_64, "CRC-64/NVME", 0, residue::crc64_nvme, |from, to| {
        residue::copy::crc64_nvme(from, to)
    }),
    Subject {
        batches: Some([
            |packets, values| {
                let _ = residue::batch::internet(packets, &mut values.narrow[..packets.len()]);
            },
            singly!(narrow, |data| residue::internet::checksum(data).into()),
        ]),
        ..subject(
            INTERNET,
            "Internet",
            65535,
            |data| residue::internet::checksum(data).into(),
            |from, to| residue::copy::internet(from, to).into(),
        )
    },
    subject(
        ADLER_32,
        "Adler-32",
        0,
        |data| residue::adler32(data).into(),
        |from, to| residue::copy::adler32(from, to).into(),
    ),
    subject(
        FLETCHER_16,
        "Fletcher-16",
        255,
        |data| residue::fletcher16(data).into(),
        |from, to| residue::copy::fletcher16(from, to).into(),
    ),
    subject(
        FLETCHER_32,
        "Fletcher-32",
        65535,
        |data| residue::fletcher32(data).into(),
        |from, to| residue::copy::fletcher32(from, to).into(),
    ),
];

const fn subject(
    code: &'static str,
    title: &'static str,
    modulus: u64,
    call: Call,
    copied: Copied,
) -> Subject {
    Subject { code, title, call, batches: None, copied, modulus }
}

impl Subject {
    /// Returns the library's code of this name.
    ///
    /// # Panics
    /// Never: the names are the library's.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code.parse().unwrap_or_else(|_| unreachable!("`{}` is a code", self.code))
    }

    /// Returns whether two values are equal residues, though one is 0 where the other is the
    /// modulus.
    #[must_use]
    pub fn same(&self, a: u64, b: u64) -> bool {
        let m = self.modulus;
        a == b || m > 0 && a % (m + 1) % m == b % (m + 1) % m && a / (m + 1) % m == b / (m + 1) % m
    }
}

/// The comparison that a rival belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The rival's best way, chosen by the CPU's features.
    Detected,
    /// The rival's only way, on every CPU: in both comparisons.
    Portable,
    /// The rival's fallback, called by name: in the comparison of portable code only.
    Fallback,
}

/// The buffers that a rival takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Buffers of any length at any address.
    Bytes,
    /// Buffers of 16-bit words: even lengths at even addresses.
    ///
    /// The rival is neither asked for others nor timed on them.
    Words,
}

/// One way to compute a code.
#[derive(Clone, Copy)]
pub struct Contender {
    /// The code's name.
    pub code: &'static str,
    /// The contender's name; a second word distinguishes one of several ways.
    pub name: &'static str,
    /// The comparison it belongs to.
    pub way: Way,
    /// The buffers it takes.
    pub takes: Takes,
    /// The length below which buffers are timed: it was found wrong at this length.
    pub below: usize,
    /// The function that is timed.
    pub call: Call,
    /// The function that is timed in batches: for rivals, calls one by one.
    pub many: Option<Many>,
    /// Calls one by one, beside `many`.
    pub singly: Option<Many>,
    /// The function that is timed in copies; without it, a copy and then a call.
    pub copied: Option<Copied>,
}

/// `residue`'s name among the contenders.
pub const OURS: &str = "residue";
/// The name of its calls one by one, beside its batches.
pub const SINGLY: &str = "residue singly";
/// The name of a copy and then its call, beside its copies.
pub const APART: &str = "residue apart";
/// The name of a copy without any check.
pub const MEMCPY: &str = "memcpy";
/// The name of it on one thread, beside all.
pub const ONE_THREAD: &str = "residue on one thread";

/// Returns whether a contender of this name is a rival: neither `residue` nor one of those it is
/// measured against besides.
#[must_use]
pub fn is_rival(name: &str) -> bool {
    ![OURS, SINGLY, APART, MEMCPY, ONE_THREAD].contains(&name)
}

impl Contender {
    /// Returns `residue` itself.
    #[must_use]
    pub const fn ours(subject: &Subject) -> Contender {
        let (many, singly) = match subject.batches {
            Some([many, singly]) => (Some(many), Some(singly)),
            None => (None, None),
        };
        Contender {
            many,
            singly,
            copied: Some(subject.copied),
            code: subject.code,
            name: OURS,
            way: Way::Portable,
            takes: Takes::Bytes,
            below: usize::MAX,
            call: subject.call,
        }
    }

    /// Returns the version that was compiled in, or linked.
    #[must_use]
    pub fn version(&self) -> String {
        let package = match self.name.split(' ').next().unwrap_or_default() {
            "ISA-L" => return option_env!("RIVALS_ISAL").unwrap_or_default().to_string(),
            "google-crc32c" => return option_env!("RIVALS_GOOGLE").unwrap_or_default().to_string(),
            "zlib" => return option_env!("RIVALS_ZLIB").unwrap_or_default().to_string(),
            "libdeflate" => "libdeflate-sys",
            "zlib-ng" => "libz-ng-sys",
            package => package,
        };
        locked(package)
    }
}

/// Returns the version of a package in the lock file.
fn locked(package: &str) -> String {
    let lock = include_str!("../Cargo.lock");
    let entry = lock.split_once(&format!("name = \"{package}\"\nversion = \""));
    let version = entry.and_then(|(_, rest)| rest.split_once('"'));
    version.map(|(version, _)| version.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_zeros_are_the_same_residue() {
        let fletcher = &SUBJECTS[6];
        assert!(fletcher.same(0xffff_1234, 0x0000_1234) && fletcher.same(0xffff_ffff, 0));
        assert!(!fletcher.same(0xffff_1234, 0x0001_1234) && !fletcher.same(1, 2));
        assert!(SUBJECTS[3].same(0xffff, 0) && !SUBJECTS[0].same(0xffff, 0));
    }

    #[test]
    fn every_rival_has_a_code_and_a_version() {
        for rival in crate::rivals::RIVALS {
            assert!(SUBJECTS.iter().any(|subject| subject.code == rival.code), "{}", rival.name);
            assert!(!rival.version().is_empty(), "{}", rival.name);
        }
    }
}
