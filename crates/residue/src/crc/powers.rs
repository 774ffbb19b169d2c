//! Powers of x that undo the zeros behind a message.
//!
//! **Identity.** Let M be the message of n bytes, S the register, V the 64 bytes that begin with M
//! and have S added to their first eight, and w_0, ..., w_7 the words of 64 bits of V. As
//! polynomials,
//!
//! ```text
//! V = M x^(512 - 8 n) + S x^448 = sum of w_j x^(448 - 64 j)
//! register = M x^64 + S x^(8 n) = V x^(8 n - 448) = sum of w_j x^(8 n - 64 j)   modulo P
//! ```
//!
//! The part of the register that is behind a short message is right by itself. Words behind the
//! data are zeros, so only powers from x^8 to x^512 count. The words are multiplied by them, and
//! the sum is reduced as in [`keys`](super::keys).
//!
//! P x^(64-w), the polynomial of the embedding, has no constant term. There the powers are x^(64-w)
//! times those modulo P, with an exponent that is lower by 64 - w; and by one more, because
//! products of reversed words come out one place low. Powers below x^0 exist because P has a
//! constant term.

use super::gf2;

/// x^(8 r + 512), x^(8 r + 448), ..., x^(8 r) for each r from 0 to 7, in the form above, reversed
/// and in little-endian order, from byte 127 r on.
///
/// The powers of the words of 8 q + r bytes begin at byte 127 r + 64 - 8 q = 128 r + 64 - n, for
/// which nothing is divided: five instructions from the length to the address. What stands behind a
/// row is multiplied by zeros.
#[derive(Debug)]
pub struct Powers([u8; 1024 + 64]);

impl Powers {
    /// Computes the powers for a polynomial of `width` bits without its top term, which has a
    /// constant term; bit i is the coefficient of x^i.
    pub(super) const fn new(width: u32, poly: u64) -> Powers {
        assert!(poly & 1 == 1 && width <= 64);
        let spare = 64 - width;
        let poly = poly << spare;
        // The lowest power: divided by x, from 1.
        let (mut power, mut left) = (1_u64 << spare, spare + 1);
        while left > 0 {
            let odd = power >> spare & 1;
            power = (power ^ poly & odd.wrapping_neg()) >> 1 | odd << 63;
            left -= 1;
        }
        let mut powers = [0; 1024 + 64];
        let mut i = 0;
        while i <= 8 * 8 + 7 {
            let place = 127 * (i % 8) + 8 * (8 - i / 8);
            let bytes = power.reverse_bits().to_le_bytes();
            let mut byte = 0;
            while byte < 8 {
                powers[place + byte] = bytes[byte];
                byte += 1;
            }
            let mut bit = 0;
            while bit < 8 {
                power = gf2::mulx(power, poly);
                bit += 1;
            }
            i += 1;
        }
        Powers(powers)
    }

    /// Returns those of the words of 64 bytes, of which `n` are data.
    #[inline(always)]
    pub(super) fn from(&self, n: usize) -> &[u8; 64] {
        debug_assert!(n <= 64);
        let from = (128 * (n % 8) + 64).wrapping_sub(n);
        self.0[from % 1024..].first_chunk().unwrap_or(&[0; 64])
    }
}
