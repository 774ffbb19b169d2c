//! Three chains of CRC-32C instructions at once.

use super::chain::Serial;
use super::{CRC_32C, Crc32c, shift_key};
use crate::arch::{CarryLess, Crc32cStep};
use crate::kernel::Body;

/// Three chains over three segments of `L` bytes; the second and third start at zero. The last word of the third is left
/// out: its step can take in what the joining adds.
#[inline(always)]
fn chains<T: Crc32cStep, const L: usize>(
    tier: T,
    state: u32,
    segments: [&[u8]; 3],
) -> ([u32; 3], u64) {
    let [first, second, third] = segments.map(|segment| segment.as_chunks::<8>().0);
    let word = |segment: &[[u8; 8]], i: usize| u64::from_le_bytes(segment[i]);
    let (first, second, third) = (&first[..L / 8], &second[..L / 8], &third[..L / 8]);
    let mut c = [state, 0, 0];
    for i in 0..L / 8 - 1 {
        c[0] = tier.step8(c[0], word(first, i));
        c[1] = tier.step8(c[1], word(second, i));
        c[2] = tier.step8(c[2], word(third, i));
    }
    let end = L / 8 - 1;
    c[0] = tier.step8(c[0], word(first, end));
    c[1] = tier.step8(c[1], word(second, end));
    (c, word(third, end))
}

/// Three-way, joined by carry-less products: they are xored into the third segment's last word.
pub(super) struct ThreeWay;

impl ThreeWay {
    #[inline(always)]
    fn blocks<T: Crc32cStep + CarryLess, const L: usize>(
        tier: T,
        mut state: u32,
        mut data: &[u8],
    ) -> (u32, &[u8]) {
        let far_near =
            const { (shift_key(L as u64) as u128) << 64 | shift_key(2 * L as u64) as u128 };
        while data.len() >= 3 * L {
            let (block, rest) = data.split_at(3 * L);
            let segments = [&block[..L], &block[L..2 * L], &block[2 * L..]];
            let (c, last) = chains::<T, L>(tier, state, segments);
            let keys = tier.lane_of(far_near);
            let first = tier.product::<0x00>(tier.lane_of(u128::from(c[0])), keys);
            let second = tier.product::<0x10>(tier.lane_of(u128::from(c[1])), keys);
            state = tier.step8(c[2], last ^ tier.low_of(tier.xor(first, second)));
            data = rest;
        }
        (state, data)
    }
}

impl<T: Crc32cStep + CarryLess> Body<T> for ThreeWay {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (state, data) = Self::blocks::<T, 8192>(tier, state, data);
        let (state, data) = Self::blocks::<T, 1024>(tier, state, data);
        let (state, data) = Self::blocks::<T, 336>(tier, state, data);
        let (state, data) = Self::blocks::<T, 64>(tier, state, data);
        let (state, data) = Self::blocks::<T, 24>(tier, state, data);
        <Serial as Body<T>>::run(tier, &(), state, data)
    }
}

/// Three-way, joined by tables: advancing a register over L bytes is linear in its 32 bits, so four tables of 256 do it.
pub(super) struct ThreeWayTables;

/// The register after `L` zero bytes, from each of its bytes.
struct ShiftTable([[u32; 256]; 4]);

impl ShiftTable {
    const fn new(bytes: u64) -> Self {
        let mut table = [[0; 256]; 4];
        let mut bit = 0;
        while bit < 32 {
            let Some(constants) = CRC_32C.constants() else { panic!("CRC-32C has 32 bits") };
            table[bit / 8][1 << (bit % 8)] = constants.advance(1 << bit, bytes) as u32;
            bit += 1;
        }
        let mut k = 0;
        while k < 4 {
            let mut i = 1usize;
            while i < 256 {
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
    fn advance(&self, state: u32) -> u32 {
        let [a, b, c, d] = state.to_le_bytes().map(usize::from);
        self.0[0][a] ^ self.0[1][b] ^ self.0[2][c] ^ self.0[3][d]
    }
}

static LONG: ShiftTable = ShiftTable::new(8192);
static SHORT: ShiftTable = ShiftTable::new(256);

impl ThreeWayTables {
    #[inline(always)]
    fn blocks<'a, T: Crc32cStep, const L: usize>(
        tier: T,
        table: &ShiftTable,
        mut state: u32,
        mut data: &'a [u8],
    ) -> (u32, &'a [u8]) {
        while data.len() >= 3 * L {
            let (block, rest) = data.split_at(3 * L);
            let segments = [&block[..L], &block[L..2 * L], &block[2 * L..]];
            let (c, last) = chains::<T, L>(tier, state, segments);
            let third = tier.step8(c[2], last);
            state = table.advance(table.advance(c[0]) ^ c[1]) ^ third;
            data = rest;
        }
        (state, data)
    }
}

impl<T: Crc32cStep> Body<T> for ThreeWayTables {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (state, data) = Self::blocks::<T, 8192>(tier, &LONG, state, data);
        let (state, data) = Self::blocks::<T, 256>(tier, &SHORT, state, data);
        <Serial as Body<T>>::run(tier, &(), state, data)
    }
}
