//! Finds a flipped bit: for a CRC its place, for a sum its weight.

use super::Bit;
use crate::buffer::Finding;
use crate::check::{Piece, Rule};
use residue::crc::catalog;

/// Largest number of bits to search: a megabyte. Longer coverage stays unexplained.
const MOST_BITS: usize = 1 << 23;

/// Returns the single bit whose flip explains the stored value.
pub fn find(finding: &Finding<'_>, stored: u64, computed: u64) -> Option<Bit> {
    let (poly, width) = match finding.check.rule {
        Rule::Internet | Rule::InternetNeverZero | Rule::Cdp | Rule::Xns => {
            return weight(computed, stored).map(Bit::Weight);
        }
        Rule::Crc32c | Rule::Crc32cBig => (catalog::CRC_32_ISCSI.poly, 32),
        Rule::Crc32kBig => (catalog::CRC_32_MEF.poly, 32),
        Rule::Crc32 | Rule::Stun => (catalog::CRC_32_ISO_HDLC.poly, 32),
        Rule::Dnp3 => (catalog::CRC_16_DNP.poly, 16),
        // A bit changes both sums: many places can explain the difference.
        Rule::CheckOctets | Rule::Fletcher8 | Rule::Fletcher16 | Rule::Adler32 => return None,
    };
    let difference = stored ^ computed;
    if difference.is_power_of_two() {
        return in_field(finding, difference);
    }
    // A flipped bit changes a CRC by its power of x, for any data (all rules above process the
    // lowest bit of a byte first): walk backwards from the last bit.
    let reflected = (poly as u64).reverse_bits() >> (64 - width);
    let mut change = reflected;
    let mut bits = 0;
    for piece in finding.cover().iter().rev() {
        let bytes = piece.of(finding.buffer.bytes)?;
        for at in (0..bytes.len()).rev() {
            for bit in (0..8).rev() {
                if change == difference {
                    let Piece::Bytes(span) = piece else { return None };
                    return Some(Bit::At { offset: span.start + at as u32, bit });
                }
                change = change >> 1 ^ if change & 1 == 1 { reflected } else { 0 };
            }
        }
        bits += bytes.len() * 8;
        if bits > MOST_BITS {
            return None;
        }
    }
    None
}

/// Returns the flipped bit of the value itself.
fn in_field(finding: &Finding<'_>, difference: u64) -> Option<Bit> {
    let (bytes, length) = finding.check.rule.write(difference);
    let at = bytes[..length].iter().position(|&byte| byte != 0)?;
    let mut before = at as u32;
    for span in finding.check.field {
        if before < span.len() {
            let offset = span.start + before;
            return Some(Bit::At { offset, bit: bytes[at].trailing_zeros() as u8 });
        }
        before -= span.len();
    }
    None
}

/// Returns the weight of the bit whose flip turns one value into the other, modulo 65535.
pub fn weight(one: u64, other: u64) -> Option<u8> {
    let difference = (one + 65535 - other % 65535) % 65535;
    let power = |value: u64| value.is_power_of_two().then(|| value.trailing_zeros() as u8);
    power(difference).or_else(|| power(65535 - difference))
}
