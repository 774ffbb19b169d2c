//! Gaussian elimination over GF(2): computes the matrices of a set of taps.
//!
//! GFNI removes single bytes instead of the lanes of folding, 64 at a time, by small bit matrices
//! instead of carry-less products. No earlier use of this method is known to us.
//!
//! **Identity.** A bytewise CRC of 8 bits is `crc = table[crc ^ byte]`. Its table is linear:
//! `table[a ^ b]` is `table[a] ^ table[b]` (rule 2 of [`gf2`](crate::crc::gf2)), so eight of its
//! 256 entries determine it, those of the single bits. They are the columns of an 8 by 8 bit matrix
//! C, and `table[v]` is the product C v: the xor of the columns whose bits are set in v. The
//! look-up removes a byte by adding C v to the *next* byte. With another C it can be added to any
//! later byte. GFNI multiplies all 64 bytes of a vector by one matrix, so the later byte is one 64
//! j bytes further on: then C is the same for every byte of the vector, and the bytes to change are
//! the vector j places later.
//!
//! A CRC of w bits needs k = ceil(w / 8) later bytes, the *taps*, for eight bits hold no more than
//! 256 remainders. A bit of the byte to remove stands for a power of x, and so do the 8 k bits of
//! the taps. If w of the latter are independent (none is the xor of others), every remainder of w
//! bits is the xor of some of them. To find the columns of the matrices is to find, for each of the
//! eight bits, the bits of the taps that add up to its remainder: w linear equations in 8 k
//! unknowns. Then, for vectors `v[0]`, `v[1]`, ... and for each tap j with its matrix C_j,
//!
//! ```text
//! v[t + j] ^= C_j v[t]   for each tap j;   then v[t] is removed
//! ```
//!
//! **By hand.** P = 13, "bytes" of 2 bits, vectors of two such bytes, hence of one hexadecimal
//! digit. w = 4 needs two taps; we try the vectors 1 and 3 further on. Counted from the last of
//! them, a bit of the byte to remove is x^12 or x^13, and the taps' bits are x^8, x^9 and 1, x:
//!
//! ```text
//! x^12 = f = 5 ^ a       = x^8 + x^9        bits 0 and 1 of tap 1
//! x^13 = d = 5 ^ a ^ 2   = x^8 + x^9 + x    bits 0 and 1 of tap 1, bit 1 of tap 3
//! ```
//!
//! The vector b is the bytes 10 and 11. Byte 10, with bit 1 set, adds 11 at tap 1 and 10 at tap 3.
//! Byte 11, with both, adds 11 ^ 11 = 00 and 00 ^ 10 = 10. Thus the message b000 can be replaced by
//! 0c0a, and both have the remainder 3. The taps 2 and 3 would not do: their bits stand for 3, 6, 1
//! and 2, and 3 = 1 ^ 2. The taps that work have to be searched for each polynomial.
//!
//! **Program.** CRC-16/XMODEM with taps 5 and 8. Two tap bytes have 2^16 values, so the equations
//! are solved by trying all; the library uses Gaussian elimination.
//!
//! ```rust
//! const TAPS: [usize; 2] = [5, 8];
//!
//! /// x^n mod P.
//! fn power(n: usize) -> u16 {
//!     (0..n).fold(1, |a, _| a << 1 ^ if a >> 15 == 1 { 0x1021 } else { 0 })
//! }
//!
//! /// For each bit of the byte to remove, the bytes to add at the taps: a column of both matrices.
//! fn columns() -> [[u8; 2]; 8] {
//!     // The bits of the taps, counted from the last one.
//!     let powers: [u16; 16] = std::array::from_fn(|i| power(512 * (8 - TAPS[i / 8]) + i % 8));
//!     let remainder =
//!         |taps: u16| (0..16).filter(|&i| taps >> i & 1 == 1).fold(0, |sum, i| sum ^ powers[i]);
//!     std::array::from_fn(|bit| {
//!         let wanted = power(512 * 8 + bit);
//!         (0..=u16::MAX).find(|&taps| remainder(taps) == wanted).unwrap().to_le_bytes()
//!     })
//! }
//!
//! let data: Vec<u8> = (0..=255).cycle().take(5000).collect();
//! // Zero bytes in front have no effect: they make the vectors whole.
//! let mut message = vec![0; data.len().next_multiple_of(64) - data.len()];
//! message.extend(&data);
//!
//! let columns = columns();
//! let window = message.len() - 8 * 64;
//! for at in 0..window {
//!     let byte = message[at];
//!     for tap in 0..2 {
//!         let chosen = (0..8).filter(|&bit| byte >> bit & 1 == 1);
//!         message[at + 64 * TAPS[tap]] ^= chosen.fold(0, |sum, bit| sum ^ columns[bit][tap]);
//!     }
//! }
//! // Only the last eight vectors are left.
//! let code: residue::Code = "crc-16/xmodem".parse().unwrap();
//! assert_eq!(code.value(&message[window..]), code.value(&data));
//! ```

/// The widest window of a set, in vectors.
pub(in crate::crc) const WINDOW: usize = 16;
/// The most taps of a set.
pub(in crate::crc) const TAPS: usize = 8;

/// The number of distances of taps from their window's end, in vectors: 0 to half of the window.
pub(super) const DISTANCES: usize = WINDOW / 2 + 1;
/// The order in which taps are eliminated: those that all sets of a window share come first.
const ORDER: [usize; 13] = [16, 15, 14, 12, 10, 9, 8, 13, 11, 7, 6, 5, 4];

/// The equations that the matrices of a window solve.
///
/// The unknowns are the bits to flip at the taps, the equations the bits of the residue, with eight
/// right-hand sides, one for each bit of the byte to delete. Gaussian elimination takes the eight
/// unknowns of a tap at a time: the sums of their equations are in two tables, so that two look-ups
/// clear their places in a row (the method of four Russians). Sets are solved one after the other,
/// each from the last state in which it has the taps of the one before.
pub(super) struct Elimination {
    /// Row r, for the residue's bit 63 - r, after the elimination of each number of taps. Bit
    /// 127 - c is the coefficient of unknown c, of the tap c / 8 vectors before the window's end;
    /// the lowest byte holds the right-hand sides.
    rows: [[u128; 64]; TAPS + 1],
    /// The taps eliminated.
    done: [usize; TAPS],
    /// The number of those.
    count: usize,
    /// The pivot rows of `done[i]` are `ends[i]` to `ends[i + 1]`.
    ends: [usize; TAPS + 1],
    /// The unknown of each pivot row.
    pivots: [usize; 64],
}

impl Elimination {
    pub(super) const EMPTY: Elimination = Elimination {
        rows: [[0; 64]; TAPS + 1],
        done: [0; TAPS],
        count: 0,
        ends: [0; TAPS + 1],
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
        let order = ordered(taps);
        let mut known = 0;
        while known < self.count && known < taps.len() && self.done[known] == order[known] {
            known += 1;
        }
        self.count = known;
        while self.count < taps.len() {
            let (tap, first) = (self.count, self.ends[self.count]);
            let distance = window - order[tap];
            self.rows[tap + 1] = self.rows[tap];
            let rows = &mut self.rows[tap + 1];
            let end = pivot_rows(rows, &mut self.pivots, first, width, distance);
            let sums = sums(rows, &self.pivots, first, end);
            let mut r = end;
            while r < width {
                let places = places(rows[r], distance);
                rows[r] ^= sums[0][places % 16] ^ sums[1][places / 16];
                r += 1;
            }
            self.ends[tap + 1] = end;
            self.done[tap] = order[tap];
            self.count += 1;
            // A bit whose column has no pivot need not be flipped, if enough others are left.
            if end + 8 * (taps.len() - self.count) < width {
                return None;
            }
        }

        // From the last unknowns to the first; only the right-hand sides matter.
        let rows = &self.rows[taps.len()];
        let (mut sides, mut r) = ([0; 64], 0);
        while r < width {
            sides[r] = rows[r] as u8;
            r += 1;
        }
        let mut matrices = [0; TAPS];
        let mut tap = taps.len();
        while tap > 0 {
            tap -= 1;
            let (first, end, distance) = (self.ends[tap], self.ends[tap + 1], window - order[tap]);
            let (mut of_bit, mut r) = ([0; 8], first);
            while r < end {
                of_bit[7 - self.pivots[r] % 8] = sides[r];
                r += 1;
            }
            // Output bit o of a tap's byte is that tap's column o: row o of its matrix, which the
            // instruction keeps in byte 7 - o.
            let mut place = 0;
            while taps[place] != order[tap] {
                place += 1;
            }
            matrices[place] = u64::from_le_bytes(of_bit);
            let (mut sums, mut i) = ([[0; 16]; 2], 1usize);
            while i < 16 {
                let (rest, bit) = (i & (i - 1), i.trailing_zeros() as usize);
                sums[0][i] = sums[0][rest] ^ of_bit[bit];
                sums[1][i] = sums[1][rest] ^ of_bit[4 + bit];
                i += 1;
            }
            let mut r = 0;
            while r < first {
                let places = places(rows[r], distance);
                sides[r] ^= sums[0][places % 16] ^ sums[1][places / 16];
                r += 1;
            }
        }
        Some(matrices)
    }
}

/// Returns taps in the order of their elimination.
const fn ordered(taps: &[usize]) -> [usize; TAPS] {
    let (mut ordered, mut count, mut i) = ([0; TAPS], 0, 0);
    while i < ORDER.len() {
        let mut place = 0;
        while place < taps.len() {
            if taps[place] == ORDER[i] {
                ordered[count] = ORDER[i];
                count += 1;
            }
            place += 1;
        }
        i += 1;
    }
    assert!(count == taps.len(), "a tap has no place in the order");
    ordered
}

/// Returns a row's coefficients of a tap, the first unknown's in bit 7.
const fn places(row: u128, distance: usize) -> usize {
    let half = if distance < 8 { (row >> 64) as u64 } else { row as u64 };
    (half >> (56 - 8 * (distance % 8)) & 0xff) as usize
}

/// Moves up to 8 rows to place `first` and the following ones, each with a bit at one of the tap's
/// places that the others of them lack. Returns the end of these rows.
const fn pivot_rows(
    rows: &mut [u128; 64],
    pivots: &mut [usize; 64],
    first: usize,
    width: usize,
    distance: usize,
) -> usize {
    let (mut end, mut r) = (first, first);
    while r < width && end < first + 8 {
        let mut row = rows[r];
        let mut p = first;
        while p < end {
            row ^= rows[p] & (row >> (127 - pivots[p]) & 1).wrapping_neg();
            p += 1;
        }
        rows[r] = row;
        let places = places(row, distance);
        if places != 0 {
            let pivot = 8 * distance + 7 - places.ilog2() as usize;
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

/// Returns the sums of pivot rows that clear the places of a tap, for all values of its last four
/// and of its first four coefficients.
const fn sums(
    rows: &[u128; 64],
    pivots: &[usize; 64],
    first: usize,
    end: usize,
) -> [[u128; 16]; 2] {
    let (mut of_bit, mut r) = ([0; 8], first);
    while r < end {
        of_bit[7 - pivots[r] % 8] = rows[r];
        r += 1;
    }
    let (mut sums, mut i) = ([[0; 16]; 2], 1usize);
    while i < 16 {
        let (rest, bit) = (i & (i - 1), i.trailing_zeros() as usize);
        sums[0][i] = sums[0][rest] ^ of_bit[bit];
        sums[1][i] = sums[1][rest] ^ of_bit[4 + bit];
        i += 1;
    }
    sums
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

/// Transposes 8 columns of 64 bits; column c of a row is its bit c, and row r holds the bits
/// 63 - r.
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
