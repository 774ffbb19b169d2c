//! The states of the Internet checksum.

use crate::words::short_word;

/// The family of the Internet checksum.
///
/// The state is a sum of *little-endian* words, congruent modulo 65535 and zero only for zero data.
/// Swapping the bytes of every word swaps the bytes of the sum (RFC 1071, section 2), so one swap
/// at the end suffices.
#[derive(Clone, Copy, Debug)]
pub struct Internet;

/// Folds 64 bits to 16, end-around: zero stays zero, and no other sum becomes zero.
///
/// Adding a number to its rotation makes the upper half the end-around sum of both halves, which
/// cannot carry again.
#[inline(always)]
pub(crate) const fn fold(sum: u64) -> u16 {
    let sum = (sum.wrapping_add(sum.rotate_left(32)) >> 32) as u32;
    (sum.wrapping_add(sum.rotate_left(16)) >> 16) as u16
}

/// Returns the end-around sum of two 64-bit numbers: a carry out of the top is 2^64, and 2^64 = 1
/// modulo 65535.
#[inline(always)]
pub(crate) const fn add(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    // After a carry, sum is at most 2^64 - 2.
    sum + carry as u64
}

/// Sums at most 24 bytes, so that an IPv4 header needs no branch on its length; `None` for longer
/// data.
///
/// The last one to eight bytes are the end of a word that ends with them; up to two words precede
/// it.
#[inline(always)]
pub(crate) fn up_to_24(data: &[u8]) -> Option<u64> {
    let n = data.len();
    if n > 24 {
        return None;
    }
    let (Some(first), Some(last)) = (data.first_chunk(), data.last_chunk()) else {
        return Some(short_word(data));
    };
    let last = u64::from_le_bytes(*last) >> (8 * (n.wrapping_neg() & 7));
    let first = if n > 8 { u64::from_le_bytes(*first) } else { 0 };
    let second = data.get(8..16).and_then(|word| word.first_chunk());
    let second = second.map_or(0, |word| if n > 16 { u64::from_le_bytes(*word) } else { 0 });
    Some(add(add(first, second), last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fold_is_exact_at_the_edges() {
        let edges = [
            0,
            1,
            0xffff,
            0x10000,
            u64::from(u32::MAX),
            1 << 32,
            u64::MAX - 1,
            u64::MAX,
            0xffff_ffff_0000_0000,
        ];
        for sum in edges {
            let residue = (sum % 65535) as u16;
            let expected = if residue == 0 && sum != 0 { 0xffff } else { residue };
            assert_eq!(fold(sum), expected, "{sum:x}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "four thousand million steps")]
    fn fold_is_exact_for_every_32_bit_sum() {
        // A lower half alone goes only through the last step; any upper half reaches the same sums.
        let mut expected = 0u16;
        // Under an emulator (`cargo xtask cross`) one in 256 of them.
        let last = if option_env!("RESIDUE_EMULATED").is_some() { u32::MAX >> 8 } else { u32::MAX };
        for sum in 0..=last {
            if fold(u64::from(sum)) != expected {
                panic!("{sum:x}: {:x}, not {expected:x}", fold(u64::from(sum)));
            }
            expected = if expected == 0xffff { 1 } else { expected + 1 };
        }
        for sum in (0..=u32::MAX).step_by(65_521) {
            assert_eq!(fold(u64::from(sum)), fold(u64::from(sum) << 32), "{sum:x}");
        }
    }
}
