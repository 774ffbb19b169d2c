//! The CRCs that have an instruction, and moving their registers over zero bytes, by which the
//! registers of several chains are joined: factors for carry-less products, and tables.

use crate::arch::Polynomial;
use crate::crc::family::CompiledIn;
use crate::crc::gf2::{self, Multiples};

/// A CRC of 32 bits that a CPU may have an instruction for.
pub(crate) trait HasCrcInstruction: CompiledIn<Word = u32> {
    /// The polynomial of the CRC.
    type Polynomial: Polynomial;
    /// The multiples of the embedded polynomial, for constants.
    const MULTIPLES: &'static Multiples = &Multiples::new(embedded(Self::Polynomial::POLY));
    /// Returns the tables of [`ThreeWayTables`](super::ThreeWayTables).
    fn shift_tables() -> &'static ShiftTables;
}

/// Returns the factor that moves a register over `bytes` (at least 5) by a carry-less product and
/// one step from zero: x^(8 bytes - 33) mod P, reversed.
///
/// The product comes out one place low and the step multiplies by x^32. `multiples` are those of
/// [`HasCrcInstruction::MULTIPLES`].
pub(in crate::crc) const fn shift_key(multiples: &Multiples, bytes: u64) -> u64 {
    // x^(n + 32) modulo P x^32 is x^32 times x^n modulo P.
    ((multiples.xpow(8 * bytes - 33 + 32) >> 32) as u32).reverse_bits() as u64
}

/// Returns the polynomial in the embedding of 64 bits.
pub(in crate::crc) const fn embedded(poly: u32) -> u64 {
    (poly as u64) << 32
}

/// The lengths of the segments that tables join, long and short.
pub(super) const LONG: usize = 8192;
pub(super) const SHORT: usize = 256;

/// The tables for both lengths of segments, for a chain's register over a segment.
#[derive(Debug)]
pub(crate) struct ShiftTables {
    pub(super) long: ShiftTable,
    pub(super) short: ShiftTable,
}

impl ShiftTables {
    pub(crate) const fn new(poly: u32) -> Self {
        ShiftTables { long: ShiftTable::new(poly, LONG), short: ShiftTable::new(poly, SHORT) }
    }
}

/// The register after a number of zero bytes, from each of its half bytes.
#[derive(Debug)]
pub(super) struct ShiftTable([[u32; 16]; 8]);

impl ShiftTable {
    const fn new(poly: u32, bytes: usize) -> Self {
        let poly = embedded(poly);
        let power = Multiples::new(poly).xpow(8 * bytes as u64);
        let mut table = [[0; 16]; 8];
        // Bit i of a register is x^(31 - i), embedded x^(63 - i).
        let (mut moved, mut bit) = (gf2::mul(1 << 32, power, poly), 32);
        while bit > 0 {
            bit -= 1;
            table[bit / 4][1 << (bit % 4)] = ((moved >> 32) as u32).reverse_bits();
            moved = gf2::mulx(moved, poly);
        }
        let mut k = 0;
        while k < 8 {
            let mut i = 1usize;
            while i < 16 {
                let lowest = i & i.wrapping_neg();
                if lowest != i {
                    table[k][i] = table[k][lowest] ^ table[k][i ^ lowest];
                }
                i += 1;
            }
            k += 1;
        }
        ShiftTable(table)
    }

    #[inline(always)]
    pub(super) fn advance(&self, register: u32) -> u32 {
        let half_byte = |k: usize| (register >> (4 * k) & 15) as usize;
        (0..8).fold(0, |sum, k| sum ^ self.0[k][half_byte(k)])
    }
}
