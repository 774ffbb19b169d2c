//! Sets of taps, and the byte matrices that delete a byte by additions to the bytes at its taps.
//!
//! [`elimination`] derives the method. [`SETS`] has taps for every polynomial of the catalogue.

mod elimination;

use self::elimination::{DISTANCES, Elimination};
pub(super) use self::elimination::{TAPS, WINDOW};
use super::gf2::{self, Multiples};
use super::keys::Keys;

/// A set of taps for some polynomials, in vectors of 64 bytes.
pub(super) struct Set {
    /// The ascending offsets; the last is the window, a multiple of four.
    pub(super) taps: &'static [usize],
    /// The class: if bit t is set and the CRC is reflected, a carry-less product deletes vector t
    /// of the window.
    pub(super) class: u32,
}

impl Set {
    /// Returns the window.
    pub(super) const fn window(&self) -> usize {
        self.taps[self.taps.len() - 1]
    }
}

/// The sets in the order of trial: fewest taps first.
///
/// Taps with as many bits as the polynomial suit three polynomials of ten, with eight bits more
/// nearly all. Few sets therefore suffice. Those of the CRCs with compiled-in constants have as
/// many bits as the polynomial. Sets with one window lie next to each other, because an
/// [`Elimination`] goes on from the set before.
pub(super) const SETS: &[Set] = &[
    Set { taps: &[8], class: 0 },
    Set { taps: &[7, 8], class: 0 },
    Set { taps: &[6, 7, 8], class: 0x11 },
    Set { taps: &[5, 6, 7, 8], class: 0x49 },
    Set { taps: &[4, 6, 7, 8], class: 0x22 },
    Set { taps: &[4, 5, 6, 7, 8], class: 0x22 },
    Set { taps: &[9, 10, 11, 12, 13, 14, 15, 16], class: 0xb5a5 },
    Set { taps: &[8, 9, 10, 12, 13, 14, 15, 16], class: 0xb5a5 },
    Set { taps: &[8, 9, 10, 11, 12, 14, 15, 16], class: 0xb5a5 },
];

/// The indices in [`SETS`] of the sets of CRCs with compiled-in constants.
pub(super) const CRC_32C: usize = 3;
pub(super) const CRC_32: usize = 4;
pub(super) const CRC_64_NVME: usize = 6;

/// The matrices of one polynomial.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    /// The index of its taps in [`SETS`].
    pub(super) set: usize,
    /// One matrix for each tap.
    pub(super) rows: [u64; TAPS],
    /// The factors that move a lane forward by the window.
    pub(super) window: u128,
}

impl Matrices {
    /// Computes the matrices of the first set that suits the polynomial, given in the 64-bit
    /// embedding. `keys` are the keys of the same CRC.
    pub(crate) const fn new(
        poly: u64,
        multiples: &Multiples,
        keys: &Keys,
        width: u8,
        reflected: bool,
    ) -> Option<Matrices> {
        // The compiler need not check indices then.
        let width = if width < 64 { width as usize } else { 64 };
        let (mut set, mut window) = (0, 0);
        let mut elimination = Elimination::EMPTY;
        while set < SETS.len() {
            let taps = SETS[set].taps;
            if taps.len() * 8 >= width {
                if taps[taps.len() - 1] != window {
                    window = taps[taps.len() - 1];
                    let (mut columns, mut distance) = ([[0; 8]; DISTANCES], 0);
                    while distance <= window / 2 {
                        let residue = keys.word_after_vectors(distance, multiples, reflected);
                        columns[distance] = bits_of_byte(residue, poly, reflected);
                        distance += 1;
                    }
                    let (_, residue) = keys.of_window(window, multiples, reflected);
                    let goals = bits_of_byte(residue, poly, reflected);
                    elimination.start(&columns, goals);
                }
                if let Some(rows) = elimination.solve(width, taps) {
                    return Some(Matrices {
                        set,
                        rows,
                        window: keys.of_window(window, multiples, reflected).0,
                    });
                }
            }
            set += 1;
        }
        None
    }
}

/// Returns `power` times x^0 to x^7: the embedded residues of the eight bits of a byte whose lowest
/// power of x is `power`, lowest memory bit first.
pub(super) const fn bits_of_byte(power: u64, poly: u64, reflected: bool) -> [u64; 8] {
    let (mut bits, mut power, mut i) = ([0; 8], power, 0);
    while i < 8 {
        bits[if reflected { 7 - i } else { i }] = power;
        power = gf2::mulx(power, poly);
        i += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::{Params, catalog};

    #[test]
    fn sets_of_the_crcs_compiled_in() {
        let sets = [
            (&catalog::CRC_32_ISCSI, CRC_32C),
            (&catalog::CRC_32_ISO_HDLC, CRC_32),
            (&catalog::CRC_64_NVME, CRC_64_NVME),
        ];
        for (params, set) in sets {
            assert_eq!(matrices(params).0.set, set);
        }
    }

    fn matrices(params: &Params) -> (Matrices, &'static [usize]) {
        let poly = (params.poly as u64) << (64 - params.width);
        let multiples = Multiples::new(poly);
        let keys = Keys::new(poly, &multiples, params.refin);
        let matrices = Matrices::new(poly, &multiples, &keys, params.width, params.refin)
            .unwrap_or_else(|| panic!("{}", params.name));
        let taps = SETS[matrices.set].taps;
        (matrices, taps)
    }

    /// Compares with matrices that an independent model of the algebra computed in another
    /// language.
    #[test]
    fn matrices_of_the_model() {
        let (found, taps) = matrices(&catalog::CRC_32_ISO_HDLC);
        assert_eq!(taps, [4, 6, 7, 8]);
        let expected = [
            0x91e9_a130_609b_a73c,
            0xe839_ca94_503a_bfcd,
            0x735e_94c0_10c8_5060,
            0xcb7f_87bd_9225_a828,
        ];
        assert_eq!(found.rows[..4], expected);
        let (found, taps) = matrices(&catalog::CRC_32_ISCSI);
        assert_eq!(taps, [5, 6, 7, 8]);
        let expected = [
            0xaabd_781b_9c91_8801,
            0x5149_9365_cad4_abfc,
            0x42d6_57fe_06f4_51a0,
            0x1023_bdd1_a3fc_43d5,
        ];
        assert_eq!(found.rows[..4], expected);
    }

    #[test]
    fn all_catalogue_polynomials_have_taps() {
        for params in catalog::ALL.iter().filter(|params| params.width <= 64) {
            let (_, taps) = matrices(params);
            assert!(8 * taps.len() >= usize::from(params.width), "{}", params.name);
        }
    }
}
