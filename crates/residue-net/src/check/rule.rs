//! Rules for computing and storing check values.

use super::piece::Piece;
use super::span::Span;
use residue::crc::{Crc, catalog};
use residue::fletcher::{self, Mod255, Mod65535, check_octets};
use residue::internet::Checksum;

/// A rule for computing a check value from the covered bytes, with its own field taken as zero, and
/// for storing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The Internet checksum (RFC 1071), 2 bytes.
    Internet,
    /// The Internet checksum, with a computed 0 stored as FFFF, because 0 means no checksum (RFC
    /// 768).
    InternetNeverZero,
    /// The Internet checksum of Cisco's CDP, 2 bytes: an odd last byte is the low byte of a last
    /// word, sign-extended, less one if it is negative (the sum of whole words is truncated to 32
    /// bits).
    Cdp,
    /// The two octets that make both sums of the covered bytes zero (ISO 8473, RFC 1008; RFC 2328
    /// section 12.1.7).
    CheckOctets,
    /// RFC 1146's 8-bit Fletcher checksum, 2 bytes.
    Fletcher8,
    /// RFC 1146's 16-bit Fletcher checksum, 4 bytes.
    Fletcher16,
    /// Adler-32, highest byte first (RFC 2960).
    Adler32,
    /// XNS add and left-cycle, 2 bytes (XSIS 028112).
    Xns,
    /// CRC-32C, lowest byte first (RFC 9260 appendix A; RFC 7143 section 13.1).
    Crc32c,
    /// CRC-32C, highest byte first (TCP alternate checksums 3 to 5).
    Crc32cBig,
    /// CRC-32K, Koopman's 0x741B8CD7, highest byte first (TCP alternate checksum 6).
    Crc32kBig,
    /// CRC-32, lowest byte first (IEEE 802.3, InfiniBand).
    Crc32,
    /// CRC-32 exclusive-or 0x5354554E, highest byte first (RFC 8489 section 14.7).
    Stun,
    /// CRC-16/DNP, lowest byte first (IEEE 1815).
    Dnp3,
}

static CRC_16_DNP: Crc<u64> = Crc::new(&catalog::CRC_16_DNP);
static CRC_32_ISCSI: Crc<u64> = Crc::new(&catalog::CRC_32_ISCSI);
static CRC_32_ISO_HDLC: Crc<u64> = Crc::new(&catalog::CRC_32_ISO_HDLC);
/// CRC-32K is CRC-32/MEF with a final exclusive or.
static CRC_32_MEF: Crc<u64> = Crc::new(&catalog::CRC_32_MEF);

const STUN_XOR: u64 = u32::from_be_bytes(*b"STUN") as u64;

impl Rule {
    /// Returns the number of bytes of the field.
    #[must_use]
    pub const fn width(self) -> u32 {
        match self {
            Rule::Internet
            | Rule::InternetNeverZero
            | Rule::Cdp
            | Rule::CheckOctets
            | Rule::Fletcher8
            | Rule::Xns
            | Rule::Dnp3 => 2,
            Rule::Fletcher16
            | Rule::Adler32
            | Rule::Crc32c
            | Rule::Crc32cBig
            | Rule::Crc32kBig
            | Rule::Crc32
            | Rule::Stun => 4,
        }
    }

    /// Returns whether the rule is a one's-complement sum of 16-bit words.
    #[must_use]
    pub const fn is_internet(self) -> bool {
        matches!(self, Rule::Internet | Rule::InternetNeverZero)
    }

    /// Returns whether the coverage must contain the field, because the sum includes it.
    #[must_use]
    pub const fn covers_its_field(self) -> bool {
        matches!(self, Rule::CheckOctets | Rule::Cdp) || self.is_internet()
    }

    /// Returns the name of the code in `residue list`, for reports.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Rule::Internet | Rule::InternetNeverZero | Rule::Cdp => "internet",
            Rule::CheckOctets => "iso-8473",
            Rule::Fletcher8 => "fletcher-16",
            Rule::Fletcher16 => "fletcher-32",
            Rule::Adler32 => "adler-32",
            Rule::Xns => "xns",
            Rule::Crc32c | Rule::Crc32cBig => "crc-32/iscsi",
            Rule::Crc32kBig => "crc-32/mef",
            Rule::Crc32 | Rule::Stun => "crc-32/iso-hdlc",
            Rule::Dnp3 => "crc-16/dnp",
        }
    }

    const fn is_little_endian(self) -> bool {
        matches!(self, Rule::Crc32c | Rule::Crc32 | Rule::Dnp3)
    }

    /// Returns the value of these stored bytes.
    #[must_use]
    pub fn read(self, field: &[u8]) -> u64 {
        let join = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        if self.is_little_endian() {
            field.iter().rev().fold(0, join)
        } else {
            field.iter().fold(0, join)
        }
    }

    /// Returns the stored bytes of a value, and their number.
    #[must_use]
    pub fn write(self, value: u64) -> ([u8; 8], usize) {
        let width = self.width() as usize;
        let mut bytes = value.to_le_bytes();
        if !self.is_little_endian() {
            bytes[..width].reverse();
        }
        (bytes, width)
    }

    /// Returns whether a receiver accepts `stored` in place of `computed`. Sums have two zeros, and
    /// receivers only test whether the total is one of them.
    #[must_use]
    pub fn agrees(self, stored: u64, computed: u64) -> bool {
        let alike = |bits: u32, modulus: u64| {
            (0..2).all(|half| {
                let part = |value: u64| (value >> (half * bits) & modulus) % modulus;
                part(stored) == part(computed)
            })
        };
        match self {
            // Data of zeros has the checksum FFFF; with 0000 added, its sum is not FFFF.
            Rule::Internet | Rule::Cdp => stored == computed || (stored, computed) == (0xffff, 0),
            Rule::CheckOctets | Rule::Fletcher8 => alike(8, 255),
            Rule::Fletcher16 => alike(16, 65535),
            _ => stored == computed,
        }
    }

    /// Returns the value after covered bytes changed, without reading the others (RFC 1624;
    /// [`Crc::update`]); `None` if that is impossible.
    ///
    /// `changes` are the offsets of the changed bytes among the `length` covered ones, ordered,
    /// with the old and new bytes; `field` is the offset of the value itself among them, if it is
    /// covered.
    #[must_use]
    pub fn update(
        self,
        value: u64,
        length: u64,
        field: Option<u64>,
        changes: &[(u64, u8, u8)],
    ) -> Option<u64> {
        // Adjacent bytes count as one change.
        let mut runs = changes.chunk_by(|one, next| one.0 + 1 == next.0);
        runs.try_fold(value, |value, run| {
            let (old, new): (Vec<u8>, Vec<u8>) =
                run.iter().map(|&(_, old, new)| (old, new)).unzip();
            self.update_run(value, length, field, run[0].0, &old, &new)
        })
    }

    fn update_run(
        self,
        value: u64,
        length: u64,
        field: Option<u64>,
        offset: u64,
        old: &[u8],
        new: &[u8],
    ) -> Option<u64> {
        let crc = |crc: &Crc<u64>, last: u64| {
            Some(crc.update(value ^ last, length, offset, old, new)? ^ last)
        };
        match self {
            Rule::Internet | Rule::InternetNeverZero => {
                let checksum = u16::try_from(value).ok()?;
                let new = residue::internet::update_at(checksum, offset, old, new)?;
                let zero_as_ones = self == Rule::InternetNeverZero && new == 0;
                Some(u64::from(if zero_as_ones { 0xffff } else { new }))
            }
            // An odd last byte has its own rule.
            Rule::Cdp => None,
            Rule::CheckOctets => {
                let place = usize::try_from(field?).ok()?;
                let start = usize::try_from(offset).ok()?;
                let mut octets = u16::try_from(value).ok()?.to_be_bytes();
                for (at, (&old, &new)) in (start..).zip(old.iter().zip(new)) {
                    octets = check_octets::update(octets, place, at, old, new)?;
                }
                Some(u64::from(u16::from_be_bytes(octets)))
            }
            Rule::Fletcher8 => {
                let sums = [value >> 8 & 0xff, value & 0xff].map(|sum| sum as u32);
                let sums = fletcher::update_at::<Mod255>(sums, length, offset, old, new)?;
                let [a, b] = sums.map(|sum| if sum == 0 { 0xff } else { u64::from(sum) });
                Some(a << 8 | b)
            }
            Rule::Fletcher16 => {
                // Sums of little-endian words are byte-swapped sums of big-endian ones.
                let sums =
                    [value >> 16 & 0xffff, value & 0xffff].map(|sum| (sum as u16).swap_bytes());
                let sums = sums.map(u32::from);
                let sums = fletcher::update_at::<Mod65535>(sums, length, offset, old, new)?;
                let [a, b] =
                    sums.map(|sum| if sum == 0 { 0xffff } else { (sum as u16).swap_bytes() });
                Some(u64::from(a) << 16 | u64::from(b))
            }
            Rule::Adler32 => {
                let value = u32::try_from(value).ok()?;
                residue::adler::update_at(value, length, offset, old, new).map(u64::from)
            }
            Rule::Xns => {
                let value = u16::try_from(value).ok()?;
                residue::xns::update_at(value, length, offset, old, new).map(u64::from)
            }
            Rule::Crc32c | Rule::Crc32cBig => crc(&CRC_32_ISCSI, 0),
            Rule::Crc32kBig => crc(&CRC_32_MEF, 0xffff_ffff),
            Rule::Crc32 => crc(&CRC_32_ISO_HDLC, 0),
            Rule::Stun => crc(&CRC_32_ISO_HDLC, STUN_XOR),
            Rule::Dnp3 => crc(&CRC_16_DNP, 0),
        }
    }

    /// Computes the value over `pieces` of `buffer`, in order, with the bytes of `field` taken as
    /// zero; `None` if bytes are missing.
    #[must_use]
    pub fn compute(self, buffer: &[u8], pieces: &[Piece], field: &[Span; 2]) -> Option<u64> {
        let each = |take: &mut dyn FnMut(&[u8])| each_run(buffer, pieces, field, take);
        Some(match self {
            Rule::Internet | Rule::InternetNeverZero => {
                let mut sum = Checksum::new();
                each(&mut |run| sum.update(run))?;
                let zero_as_ones = self == Rule::InternetNeverZero && sum.value() == 0;
                u64::from(if zero_as_ones { 0xffff } else { sum.value() })
            }
            Rule::Cdp => {
                let all = joined(&each)?;
                let (words, tail) = all.split_at(all.len() & !1);
                let mut sum = Checksum::new();
                sum.update(words);
                if let &[last] = tail {
                    let negative = if last < 0x80 { [0, last] } else { [0xff, last - 1] };
                    sum.update(&negative);
                }
                u64::from(sum.value())
            }
            Rule::CheckOctets => {
                let mut sums = residue::fletcher::Fletcher16::new();
                each(&mut |run| sums.update(run))?;
                let place = place_of(field[0], pieces)?;
                u64::from(u16::from_be_bytes(check_octets::octets_from(&sums, place)?))
            }
            Rule::Fletcher8 => u64::from(residue::fletcher::rfc1146_8(&joined(&each)?)),
            Rule::Fletcher16 => u64::from(residue::fletcher::rfc1146_16(&joined(&each)?)),
            Rule::Adler32 => {
                let mut sums = residue::adler::Adler32::new();
                each(&mut |run| sums.update(run))?;
                u64::from(sums.value())
            }
            Rule::Xns => {
                let mut sum = residue::xns::Checksum::new();
                each(&mut |run| sum.update(run))?;
                u64::from(sum.value())
            }
            Rule::Crc32c | Rule::Crc32cBig => crc(&CRC_32_ISCSI, each)?,
            Rule::Crc32kBig => crc(&CRC_32_MEF, each)? ^ 0xffff_ffff,
            Rule::Crc32 => crc(&CRC_32_ISO_HDLC, each)?,
            Rule::Stun => crc(&CRC_32_ISO_HDLC, each)? ^ STUN_XOR,
            Rule::Dnp3 => crc(&CRC_16_DNP, each)?,
        })
    }
}

fn crc(crc: &Crc<u64>, each: impl Fn(&mut dyn FnMut(&[u8])) -> Option<()>) -> Option<u64> {
    let mut digest = crc.digest();
    each(&mut |run| digest.update(run))?;
    Some(digest.value())
}

fn joined(each: &impl Fn(&mut dyn FnMut(&[u8])) -> Option<()>) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    each(&mut |run| all.extend_from_slice(run))?;
    Some(all)
}

/// Passes the covered runs of bytes to a function, with zeros in place of the field.
fn each_run(
    buffer: &[u8],
    pieces: &[Piece],
    field: &[Span; 2],
    take: &mut dyn FnMut(&[u8]),
) -> Option<()> {
    for piece in pieces {
        let &Piece::Bytes(mut span) = piece else {
            take(piece.of(buffer)?);
            continue;
        };
        // The parts of the field, in the order of their offsets.
        let parts = if field[1].is_empty() || field[0].start < field[1].start {
            [field[0], field[1]]
        } else {
            [field[1], field[0]]
        };
        for part in parts {
            let inside = Span { start: part.start.max(span.start), end: part.end.min(span.end) };
            if inside.start < inside.end {
                take(Span { start: span.start, end: inside.start }.of(buffer)?);
                take(&[0; 8][..(inside.len() as usize).min(8)]);
                span.start = inside.end;
            }
        }
        take(span.of(buffer)?);
    }
    Some(())
}

/// Returns the number of covered bytes before the field.
fn place_of(field: Span, pieces: &[Piece]) -> Option<u64> {
    let mut before = 0;
    for piece in pieces {
        match *piece {
            Piece::Bytes(span) if span.start <= field.start && field.end <= span.end => {
                return Some(before + u64::from(field.start - span.start));
            }
            piece => before += u64::from(piece.len()),
        }
    }
    None
}
