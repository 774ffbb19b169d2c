//! Gaussian elimination over GF(2): computes the matrices of a set of taps.

use super::{TAPS, WINDOW};

/// The number of distances of taps from their window's end, in vectors: 0 to half of the window.
pub(super) const DISTANCES: usize = WINDOW / 2 + 1;
/// The number of unknowns that are eliminated together.
const GROUP: usize = 4;
/// The number of groups of a tap.
const GROUPS: usize = 8 / GROUP;

/// The equations that the matrices of a window solve.
///
/// The unknowns are the bits to flip at the taps, the equations the bits of the residue, with eight
/// right-hand sides, one for each bit of the byte to delete. Gaussian elimination takes [`GROUP`]
/// unknowns at a time: all sums of their equations are in a table, so that one look-up clears their
/// places in a row (the method of four Russians). Sets are solved one after the other, each from
/// the last state in which it has the taps of the one before.
pub(super) struct Elimination {
    /// Row r, for the residue's bit 63 - r, after the elimination of each number of taps. Bit
    /// 127 - c is the coefficient of unknown c, of the tap c / 8 vectors before the window's end;
    /// the lowest byte holds the right-hand sides.
    rows: [[u128; 64]; TAPS + 1],
    /// The taps eliminated, in descending order, as distances from the window's end.
    done: [usize; TAPS],
    /// The number of those.
    count: usize,
    /// The pivot rows of the group g are `ends[g]` to `ends[g + 1]`.
    ends: [usize; GROUPS * TAPS + 1],
    /// The unknown of each pivot row.
    pivots: [usize; 64],
}

impl Elimination {
    pub(super) const EMPTY: Elimination = Elimination {
        rows: [[0; 64]; TAPS + 1],
        done: [0; TAPS],
        count: 0,
        ends: [0; GROUPS * TAPS + 1],
        pivots: [0; 64],
    };

    /// Takes the residues of the eight bits of a byte, lowest memory bit first, at each distance
    /// from the window's end, and those of the byte to delete.
    pub(super) const fn start(&mut self, columns: &[[u64; 8]; DISTANCES], goals: [u64; 8]) {
        let (mut first, mut i) = ([0; 64], 0);
        while i < 64 {
            first[i] = columns[i / 8][i % 8];
            i += 1;
        }
        let (first, last) = (transposed(first), transposed_columns(columns[DISTANCES - 1]));
        let (sides, mut r) = (transposed_columns(goals), 0);
        while r < 64 {
            let last = last[r].reverse_bits();
            self.rows[0][r] = (first[r] as u128) << 64 | (last as u128) << 56 | sides[r] as u128;
            r += 1;
        }
        self.count = 0;
    }

    /// Computes the matrix of each tap, or `None` if the taps' bits are dependent.
    pub(super) const fn solve(&mut self, width: usize, taps: &[usize]) -> Option<[u64; TAPS]> {
        let window = taps[taps.len() - 1];
        let mut known = 0;
        while known < self.count
            && known < taps.len()
            && self.done[known] == window - taps[taps.len() - 1 - known]
        {
            known += 1;
        }
        self.count = known;
        while self.count < taps.len() {
            let tap = self.count;
            let distance = window - taps[taps.len() - 1 - tap];
            self.rows[tap + 1] = self.rows[tap];
            let (rows, mut group) = (&mut self.rows[tap + 1], 0);
            while group < GROUPS {
                let step = GROUPS * tap + group;
                let first = self.ends[step];
                let last = 8 * distance + GROUP * (group + 1) - 1;
                let end = pivot_rows(rows, &mut self.pivots, first, width, last);
                clear(rows, &self.pivots, (first, end), (end, width), last);
                self.ends[step + 1] = end;
                group += 1;
            }
            self.done[tap] = distance;
            self.count += 1;
            // A bit whose column has no pivot need not be flipped, if enough others are left.
            if self.ends[GROUPS * self.count] + 8 * (taps.len() - self.count) < width {
                return None;
            }
        }

        let mut rows = self.rows[taps.len()];
        let mut step = GROUPS * taps.len();
        while step > 0 {
            step -= 1;
            let last = 8 * self.done[step / GROUPS] + GROUP * (step % GROUPS + 1) - 1;
            let (first, end) = (self.ends[step], self.ends[step + 1]);
            clear(&mut rows, &self.pivots, (first, end), (0, first), last);
        }
        // Output bit o of a tap's byte is that tap's column o: row o of its matrix, which the
        // instruction keeps in byte 7 - o.
        let (mut matrices, mut tap) = ([0; TAPS], 0);
        while tap < taps.len() {
            let place = taps.len() - 1 - tap;
            let (mut r, end) = (self.ends[GROUPS * place], self.ends[GROUPS * (place + 1)]);
            while r < end {
                let output = self.pivots[r] % 8;
                matrices[tap] |= (rows[r] as u64 & 0xff) << (8 * (7 - output));
                r += 1;
            }
            tap += 1;
        }
        Some(matrices)
    }
}

/// Transposes a matrix of bits; column c of a row is its bit 63 - c.
///
/// Swaps the off-diagonal quarters of each block of 64, 32, ..., 2 rows and columns.
const fn transposed(mut rows: [u64; 64]) -> [u64; 64] {
    let (mut half, mut mask) = (32, u64::MAX >> 32);
    while half != 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (rows[row] ^ rows[row + half] >> half) & mask;
            rows[row] ^= swapped;
            rows[row + half] ^= swapped << half;
            row = (row + half + 1) & !half;
        }
        half >>= 1;
        mask ^= mask << half;
    }
    rows
}

/// Transposes 8 columns of 64 bits; column c of a row is its bit c, and row r holds the bits 63 - r.
///
/// Each block of 8 by 8 bits is one word, in which bits off the diagonal are swapped as in
/// [`transposed`].
const fn transposed_columns(columns: [u64; 8]) -> [u8; 64] {
    let (mut rows, mut block) = ([0; 64], 0);
    while block < 8 {
        let (mut word, mut column) = (0, 8);
        while column > 0 {
            column -= 1;
            word = word << 8 | columns[column] >> (8 * block) & 0xff;
        }
        let swapped = (word ^ word >> 7) & 0x00aa_00aa_00aa_00aa;
        word ^= swapped ^ swapped << 7;
        let swapped = (word ^ word >> 14) & 0x0000_cccc_0000_cccc;
        word ^= swapped ^ swapped << 14;
        let swapped = (word ^ word >> 28) & 0x0000_0000_f0f0_f0f0;
        word ^= swapped ^ swapped << 28;
        let bytes = word.to_le_bytes();
        let mut bit = 0;
        while bit < 8 {
            rows[63 - 8 * block - bit] = bytes[bit];
            bit += 1;
        }
        block += 1;
    }
    rows
}

/// Moves up to [`GROUP`] rows to place `first` and the following ones, each with a bit at one of
/// the group's places, up to `last`, that the others of them lack. Returns the end of these rows.
const fn pivot_rows(
    rows: &mut [u128; 64],
    pivots: &mut [usize; 64],
    first: usize,
    width: usize,
    last: usize,
) -> usize {
    let (mut end, mut r) = (first, first);
    while r < width && end < first + GROUP {
        let mut row = rows[r];
        let mut p = first;
        while p < end {
            row ^= rows[p] & (row >> (127 - pivots[p]) & 1).wrapping_neg();
            p += 1;
        }
        rows[r] = row;
        let places = (row >> (127 - last)) as usize % (1 << GROUP);
        if places != 0 {
            let pivot = last - places.ilog2() as usize;
            let mut p = first;
            while p < end {
                rows[p] ^= row & (rows[p] >> (127 - pivot) & 1).wrapping_neg();
                p += 1;
            }
            (rows[r], rows[end]) = (rows[end], row);
            pivots[end] = pivot;
            end += 1;
        }
        r += 1;
    }
    end
}

/// Clears the places of a group, up to `last`, in the rows `from..to` by adding its pivot rows
/// `first..end`.
const fn clear(
    rows: &mut [u128; 64],
    pivots: &[usize; 64],
    (first, end): (usize, usize),
    (from, to): (usize, usize),
    last: usize,
) {
    let (mut of_bit, mut p) = ([0; GROUP], first);
    while p < end {
        of_bit[last - pivots[p]] = rows[p];
        p += 1;
    }
    let (mut sums, mut places) = ([0; 1 << GROUP], 1usize);
    while places < 1 << GROUP {
        sums[places] = sums[places & (places - 1)] ^ of_bit[places.trailing_zeros() as usize];
        places += 1;
    }
    // A group is in one half of a row.
    let (half, shift, mut r) = (64 - last / 64 * 64, 63 - last % 64, from);
    while r < to {
        rows[r] ^= sums[((rows[r] >> half) as u64 >> shift) as usize % (1 << GROUP)];
        r += 1;
    }
}
