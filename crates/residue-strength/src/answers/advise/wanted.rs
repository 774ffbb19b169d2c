//! The requirements for a code.

use serde::Serialize;

use crate::Error;
use crate::answers::compare::{Known, Traffic, YEAR};
use crate::crc::probability;
use residue::Code;
use residue::cpu::Features;
use residue::kernel::{KernelInfo, Role};

/// The requirements for a code.
#[derive(Clone, Debug, Serialize)]
pub struct Wanted {
    /// The longest data, in bits.
    pub data_bits: u64,
    /// Shorter data that are sent too, in bits.
    pub shorter: Vec<u64>,
    /// The required Hamming distance, at least 2, which every code has.
    pub distance: u32,
    /// The largest width of the check value in bits, at most [`WIDEST`](crate::WIDEST).
    pub width: u32,
    /// The length of bursts, in bits, all of which must be detected; 0 or 1 for none.
    pub burst: u32,
    /// The share of bits that are wrong, independently of each other.
    pub rate: Option<f64>,
    /// The share of messages that are damaged beyond single bits: lost, swapped or foreign blocks.
    /// Of a CRC ten times the share of uniform data counts as undetected, or more where more was
    /// measured ([`measured`](super::measured)); a sum is given no credit.
    pub damaged: f64,
    /// The largest probability or number of undetected errors.
    pub target: Option<Target>,
    /// Bits per second, for numbers per hour.
    pub link: f64,
    /// Whether messages are files, read one after another, and not packets on Ethernet.
    pub files: bool,
    /// The CPU that is to compute the code.
    pub instructions: Instructions,
}

/// A limit on undetected errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The probability for one message.
    Message(f64),
    /// The expected number in an hour on a full link.
    Hour(f64),
    /// The expected number in 365 days on a full link.
    Year(f64),
}

/// The instructions of the CPU that is to compute the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Instructions {
    /// Those of this CPU.
    #[default]
    Here,
    /// Those for CRC-32C (on AArch64 also CRC-32), without carry-less multiplication.
    Crc,
    /// None beyond those of every CPU.
    None,
}

impl Wanted {
    /// Requires a Hamming distance in data of `data_bits` bits, and nothing more.
    #[must_use]
    pub fn new(data_bits: u64, distance: u32, width: u32) -> Wanted {
        Wanted {
            data_bits,
            shorter: Vec::new(),
            distance,
            width,
            burst: 0,
            rate: None,
            damaged: 0.0,
            target: None,
            link: 10e9,
            files: false,
            instructions: Instructions::Here,
        }
    }

    /// Returns every length of data, the longest first.
    pub fn lengths(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.data_bits).chain(self.shorter.iter().copied())
    }

    /// Returns whether probabilities can be given.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.rate.is_some() || self.damaged > 0.0
    }

    /// Returns the messages of a full link per second.
    #[must_use]
    pub fn per_second(&self, data_bits: u64) -> f64 {
        match self.files {
            true => self.link / data_bits.max(1) as f64,
            false => Traffic::Link(self.link).frames(data_bits),
        }
    }
}

impl Target {
    /// Reads a limit: `1e-15` for a message, `1e-9/h`, `1/year`.
    ///
    /// # Errors
    /// Returns [`Error::Target`].
    pub fn parse(text: &str) -> Result<Target, Error> {
        let fault = || Error::Target(text.escape_debug().to_string());
        let (number, unit) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let number: f64 = number.trim().parse().map_err(|_| fault())?;
        if !(f64::MIN_POSITIVE..=1e15).contains(&number) {
            return Err(fault());
        }
        match unit.map(str::trim) {
            None if number <= 1.0 => Ok(Target::Message(number)),
            Some("h" | "hour") => Ok(Target::Hour(number)),
            Some("y" | "a" | "year") => Ok(Target::Year(number)),
            _ => Err(fault()),
        }
    }

    /// Returns the limit on the probability for a message, of which so many are sent in a second.
    #[must_use]
    pub fn for_a_message(self, per_second: f64) -> f64 {
        match self {
            Target::Message(limit) => limit,
            Target::Hour(limit) => limit / 3600.0 / per_second,
            Target::Year(limit) => limit / YEAR / per_second,
        }
    }
}

/// Undetected errors at one length of data.
#[derive(Clone, Debug, Serialize)]
pub struct AtLength {
    /// Bits of data.
    pub data_bits: u64,
    /// The probability that a message is wrong and accepted.
    pub undetected: Known<f64>,
    /// The expected number in an hour on a full link.
    pub per_hour: f64,
    /// The expected number in 365 days on a full link.
    pub per_year: f64,
}

impl Instructions {
    /// Returns the kernel that such a CPU would use.
    #[must_use]
    pub fn kernel(self, code: &Code) -> Option<KernelInfo> {
        const CRC: Features = Features::SSE42
            .union(Features::SSE2)
            .union(Features::SSSE3)
            .union(Features::NEON)
            .union(Features::CRC);
        let features = match self {
            Instructions::Here => return Some(code.chosen()),
            Instructions::Crc => CRC,
            Instructions::None => Features::NONE,
        };
        code.kernels().find(|kernel| {
            kernel.role == Role::Dispatched && features.contains(kernel.needs) && kernel.supported()
        })
    }
}

/// Reads a share above 0 and up to 1/2, as a bit error rate.
///
/// # Errors
/// Returns [`Error::BitErrorRate`].
pub fn rate(text: &str) -> Result<f64, Error> {
    let rate = probability::rate(text)?;
    match (f64::MIN_POSITIVE..=0.5).contains(&rate) {
        true => Ok(rate),
        false => Err(Error::BitErrorRate(text.escape_debug().to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        for (text, target) in [
            ("1e-15", Target::Message(1e-15)),
            ("1e-9/h", Target::Hour(1e-9)),
            (" 2 / year", Target::Year(2.0)),
            ("0.5/y", Target::Year(0.5)),
        ] {
            assert_eq!(Target::parse(text).unwrap(), target, "{text}");
        }
        for wrong in ["", "0", "2", "-1", "1/", "1/day", "nan", "inf/h", "1e-9/h/h", "/h"] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Target::Hour(7200.0).for_a_message(4.0), 0.5);
    }

    #[test]
    fn kernels_of_other_cpus() {
        for name in ["crc-32/iscsi", "crc-16/xmodem", "internet", "adler-32"] {
            let code: Code = name.parse().unwrap();
            let none = Instructions::None.kernel(&code).unwrap();
            assert_eq!(none.needs, Features::NONE, "{name}");
            assert!(Instructions::Crc.kernel(&code).unwrap().supported(), "{name}");
            assert_eq!(Instructions::Here.kernel(&code), Some(code.chosen()));
        }
    }

    #[test]
    fn files_have_no_frames() {
        let mut wanted = Wanted::new(8 << 20, 2, 64);
        let frames = wanted.per_second(8 << 20);
        wanted.files = true;
        assert!(wanted.per_second(8 << 20) > frames);
    }
}
