//! Bounds on the width of a check value for a Hamming distance d at a length.
//!
//! Two bounds say which widths are worth a search where no known code does:
//! - *Sphere packing* (Hamming 1950): the words within t errors of codewords of distance 2t + 1
//!   do not overlap, so that 1 + n + ... + C(n, t) is at most 2^r. An even distance is one less
//!   with a bit taken away. No code has a smaller r.
//! - *BCH* (1960): for 2^m > n there is a cyclic code of distance 2t + 1 with r at most m t, and
//!   with x + 1 as one more factor, of distance 2t + 2. Cut short it is a CRC, so that some CRC of
//!   this r does.

use num_bigint::BigUint;

/// Returns whether the Hamming bound allows a code of `width` check bits, at least `distance` -
/// 1.
pub(crate) fn spheres_fit(data: u64, distance: u32, width: u32) -> bool {
    // A code of even distance less one bit is one of a width and a distance less one.
    let check = width.saturating_sub(u32::from(distance.is_multiple_of(2)));
    let length = data.saturating_add(check.into());
    let mut words = BigUint::from(1_u32);
    let mut all = words.clone();
    for i in 0..u64::from(distance.saturating_sub(1) / 2).min(length) {
        words = words * (length - i) / (i + 1);
        all += &words;
    }
    all <= BigUint::from(1_u32) << check
}

/// Returns the Hamming bound: no code of fewer check bits has the distance.
#[must_use]
pub fn least_width(data: u64, distance: u32) -> u32 {
    let first = distance.saturating_sub(1).max(1);
    (first..).find(|&width| spheres_fit(data, distance, width)).unwrap_or(u32::MAX)
}

/// Returns the width of BCH's construction: some CRC of this many check bits has the distance.
#[must_use]
pub fn enough_width(data: u64, distance: u32) -> u32 {
    let spare = u32::from(distance.is_multiple_of(2));
    let errors = distance.saturating_sub(1) / 2;
    let fits = |m: &u32| {
        let n = u128::from(data) + u128::from(m * errors + spare);
        // The distance that is promised must fit in, too.
        n < 1 << m && u128::from(distance) < 1 << m
    };
    let m = (1..120).find(fits).unwrap_or(120);
    m * errors + spare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_on_widths() {
        // Hamming codes are perfect, and so is Golay's of 12 bits with 11 of check.
        assert_eq!((least_width(4, 3), enough_width(4, 3)), (3, 3));
        // The extended code of 8 bits is not cyclic.
        assert_eq!((least_width(4, 4), enough_width(4, 4)), (4, 5));
        assert_eq!(least_width(12, 7), 11);
        assert_eq!(enough_width(12, 7), 15);
        assert_eq!((least_width(99, 2), enough_width(99, 2)), (1, 1));
        assert_eq!((least_width(12_000, 6), enough_width(12_000, 6)), (28, 29));
        // Every known limit lies between.
        for (data, distance, width) in [
            (32_738_u64, 6, 32),
            (2974, 5, 32),
            (91_607, 4, 32),
            (135, 6, 16),
            (241, 5, 16),
            (11, 12, 24),
        ] {
            assert!(least_width(data, distance) <= width, "{data} {distance}");
        }
    }
}
