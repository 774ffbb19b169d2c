//! Weighted sums of bytes in rows of two 64-bit words, of which compilers make vectors.
//!
//! Idea. As in [`Groups`], bytes at even and at odd places of a word are added in fields of 16
//! bits. There the fields of each word and the words are then added across, by products, which
//! vectors of 64-bit numbers do not have. Here they are added across once, at the end: after each
//! group of 16 rows they go, still apart, to fields of 32 bits, so that all work on a group is done
//! on both words of a row alike.
//!
//! A byte in group g of n has rows, words and places behind it. In terms of the sums of its field,
//! the *plain* one, those *within* a group before each row and those *earlier* than each group,
//!
//! ```text
//! W = 256 earlier + 16 within + (16 - place in the row) plain
//! ```

use super::weighted::{Fields, Groups, Modular, joined};
use crate::arch::Bytes;
use crate::body::{Body, ByLength, Edges, OutOfLine, Tier};
use core::marker::PhantomData;

/// Sums a few words at once, more in groups, and long data in rows.
pub(super) type FieldsOrRows<F> = ByLength<Fields<F, 49>, OutOfLine<Rows<F>>, 1024>;

/// Whether each CPU of the target has vectors. Without, rows are no faster than groups.
const VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128",
    target_feature = "vsx",
    target_feature = "lsx",
    target_feature = "vector",
    target_feature = "v",
));

/// Sums rows of two words, and the rest in [`Groups`].
pub(super) struct Rows<F>(PhantomData<F>);

/// The bytes of a row.
const ROW: usize = 16;
/// The bytes of a group: fields of 16 bits hold its sums before each row.
const GROUP: usize = 16 * ROW;
/// The bytes after which the sums are added across: fields of 32 bits hold the earlier ones.
const BLOCK: usize = 1024 * GROUP;

const _: () = {
    let (rows, groups) = ((GROUP / ROW) as u64, (BLOCK / GROUP) as u64);
    assert!(255 * (rows * (rows - 1) / 2) < 1 << 16);
    assert!(255 * rows * (groups * (groups - 1) / 2) < 1 << 32);
};

/// Both words of a row, or fields of them.
#[derive(Clone, Copy)]
struct Row([u64; 2]);

impl Row {
    const ZERO: Row = Row([0; 2]);

    #[inline(always)]
    fn load(bytes: &[u8; ROW]) -> Row {
        let mut row = Row::ZERO;
        for (word, bytes) in row.0.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        row
    }

    #[inline(always)]
    fn map(self, field: impl Fn(u64) -> u64) -> Row {
        Row([field(self.0[0]), field(self.0[1])])
    }

    #[inline(always)]
    fn add(&mut self, other: Row) {
        self.0[0] = self.0[0].wrapping_add(other.0[0]);
        self.0[1] = self.0[1].wrapping_add(other.0[1]);
    }

    /// Returns the fields of 16 bits at even places, from the sum of whole words and that of the
    /// fields at odd places. The former overflows, the latter does not.
    #[inline(always)]
    fn even(whole: Row, odd: Row) -> Row {
        let mut even = odd.map(|odd| (odd << 8).wrapping_neg());
        even.add(whole);
        even
    }

    /// Adds fields of 16 bits to sums in fields of 32: of the bytes 0 and 4 of each word, 1 and 5,
    /// 2 and 6, 3 and 7.
    #[inline(always)]
    fn add_fields(sums: &mut [Row; 4], even: Row, odd: Row) {
        let low = |fields| fields & 0xffff_0000_ffff;
        sums[0].add(even.map(low));
        sums[1].add(odd.map(low));
        sums[2].add(even.map(|even| low(even >> 16)));
        sums[3].add(odd.map(|odd| low(odd >> 16)));
    }
}

/// Returns S and W of whole groups. All codes share it.
#[inline(never)]
fn sums(groups: &[[u8; GROUP]]) -> (u64, u64) {
    let [mut plain, mut within, mut earlier] = [[Row::ZERO; 4]; 3];
    for group in groups {
        let [mut whole, mut odd, mut whole_within, mut odd_within] = [Row::ZERO; 4];
        for row in group.as_chunks().0 {
            let row = Row::load(row);
            whole_within.add(whole);
            odd_within.add(odd);
            whole.add(row);
            odd.add(row.map(|word| word >> 8 & 0x00ff_00ff_00ff_00ff));
        }
        for (earlier, plain) in earlier.iter_mut().zip(plain) {
            earlier.add(plain);
        }
        Row::add_fields(&mut plain, Row::even(whole, odd), odd);
        Row::add_fields(&mut within, Row::even(whole_within, odd_within), odd_within);
    }
    let (mut s, mut w) = (0, 0);
    for place in 0..ROW {
        let field = |sums: &[Row; 4]| sums[place % 4].0[place / 8] >> (place / 4 % 2 * 32);
        let [plain, within, earlier] =
            [&plain, &within, &earlier].map(|sums| field(sums) & 0xffff_ffff);
        s += plain;
        w += GROUP as u64 * earlier + ROW as u64 * within + (ROW - place) as u64 * plain;
    }
    (s, w)
}

impl<F: Modular<Unit = Bytes>, T: Tier> Body<T> for Rows<F> {
    type Family = F;
    const EDGES: Edges = Edges::of(&[GROUP, BLOCK], &[<Groups<F> as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, (): &(), mut state: [u32; 2], mut data: &[u8]) -> [u32; 2] {
        if VECTORS {
            let (groups, rest) = data.as_chunks();
            for block in groups.chunks(BLOCK / GROUP) {
                state = joined::<F>(state, block.len() * GROUP, sums(block));
            }
            data = rest;
        }
        tier.outline::<Groups<F>>(&(), state, data)
    }
}
