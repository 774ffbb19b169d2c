//! CRC-32C (Castagnoli; CRC-32/ISCSI), the CRC of iSCSI, SCTP, ext4, Btrfs and NVMe/TCP, and the one whose division CPUs
//! have as an instruction: polynomial 1EDC6F41, reflected, init and xorout all ones (RFC 3720, section 12.1).
//!
//! Example: `123456789` gives E3069283. On the wire: lowest byte first.
//!
//! The instruction takes three cycles and a new one can start in each, so one chain of them uses a third of the unit.
//! The three-way kernels run three chains over adjacent segments of L bytes and join their registers: by carry-less
//! multiplication (V. Gopal et al., *Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction*, 2011), or by
//! tables (M. Adler).

use super::embedded::{Bitwise, BitwiseMsb};
use super::fold::Fold;
use super::tables::{Bytewise, Nibble, Slicing, Tabled, Tables};
use super::{Crc, Embedded, catalog, gf2};
use crate::arch::{CarryLess, CarryLessWide, Crc32cStep, Portable, Tier, on_aarch64, on_x86_64};
use crate::kernel::{Body, Dispatch, Family, Kernel};
use core::marker::PhantomData;

/// CRC-32C of `data`, of any length.
///
/// ```
/// assert_eq!(residue::crc32c(b"123456789"), 0xe306_9283);
/// ```
#[inline]
#[must_use]
pub fn crc32c(data: &[u8]) -> u32 {
    BEST.whole(&(), data)
}

/// CRC-32C with its constants compiled in, for everything [`crc32c`] does not do: streaming, combine, update, verify.
pub static CRC_32C: Crc = Crc::new(&catalog::CRC_32_ISCSI);

static TABLES: Tables<u32> = Tables::<u32>::new(&catalog::CRC_32_ISCSI);

/// The family of CRC-32C alone. Its state is the register, reflected, without init and xorout.
#[derive(Debug)]
pub struct Crc32c;

impl Family for Crc32c {
    type With = ();
    type State = u32;
    type Value = u32;

    #[inline(always)]
    fn start((): &()) -> u32 {
        u32::MAX
    }

    #[inline(always)]
    fn finish((): &(), state: u32) -> u32 {
        !state
    }
}

/// A kernel for any CRC of up to 64 bits, given this one's constants.
struct Any<B>(PhantomData<B>);

impl<T: Tier, B: Body<T, Family = Embedded>> Body<T> for Any<B> {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        match CRC_32C.constants() {
            Some(constants) => B::run(tier, constants, u64::from(state), data) as u32,
            None => state,
        }
    }
}

/// A kernel on tables, given this CRC's.
struct OnTables<B>(PhantomData<B>);

impl<T: Tier, B: Body<T, Family = Tabled<u32>>> Body<T> for OnTables<B> {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        B::run(tier, &TABLES, state, data)
    }
}

/// One chain of instructions: words of eight bytes, then four, two, one.
struct Serial;

impl<T: Crc32cStep> Body<T> for Serial {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (words, rest) = data.as_chunks::<8>();
        let state = words.iter().fold(state, |c, word| tier.step8(c, u64::from_le_bytes(*word)));
        tail(tier, state, rest)
    }
}

/// At most seven bytes: the ladder below a word of eight.
#[inline(always)]
fn tail<T: Crc32cStep>(tier: T, mut state: u32, mut rest: &[u8]) -> u32 {
    if let Some((word, after)) = rest.split_first_chunk() {
        state = tier.step4(state, u32::from_le_bytes(*word));
        rest = after;
    }
    if let Some((word, after)) = rest.split_first_chunk() {
        state = tier.step2(state, u16::from_le_bytes(*word));
        rest = after;
    }
    match rest {
        [byte] => tier.step1(state, *byte),
        _ => state,
    }
}

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

/// The constant that moves a register over `bytes` (at least 5) by a carry-less product and one step from zero:
/// x^(8 bytes - 33) mod P, reversed. The product comes out one place low and the step multiplies by x^32.
const fn shift_key(bytes: u64) -> u64 {
    const P: u64 = (catalog::CRC_32_ISCSI.poly as u64) << 32;
    // x^(n + 32) modulo P x^32 is x^32 times x^n modulo P.
    ((gf2::xpow(8 * bytes - 33 + 32, P) >> 32) as u32).reverse_bits() as u64
}

/// Three-way, joined by carry-less products: they are xored into the third segment's last word.
struct ThreeWay;

impl ThreeWay {
    #[inline(always)]
    fn blocks<T: Crc32cStep + CarryLess, const L: usize>(
        tier: T,
        mut state: u32,
        mut data: &[u8],
    ) -> (u32, &[u8]) {
        let (far, near) = const { (shift_key(2 * L as u64), shift_key(L as u64)) };
        while data.len() >= 3 * L {
            let (block, rest) = data.split_at(3 * L);
            let segments = [&block[..L], &block[L..2 * L], &block[2 * L..]];
            let (c, last) = chains::<T, L>(tier, state, segments);
            let moved = tier.mul(u64::from(c[0]), far) ^ tier.mul(u64::from(c[1]), near);
            state = tier.step8(c[2], last ^ moved as u64);
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
struct ThreeWayTables;

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

/// Short data by three chains of instructions, longer by folding wide vectors.
struct Composed;

impl Composed {
    /// The length from which folding wins, on a Zen 5 core on 2026-11-21: `residue bench -a crc32c -k
    /// sse42_pclmul,avx512_vpclmul,avx2_vpclmul --sizes 256,512,768`.
    const FOLD_FROM: usize = 512;
}

impl<T: Crc32cStep + CarryLessWide> Body<T> for Composed {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        if data.len() < Composed::FOLD_FROM {
            <ThreeWay as Body<T>>::run(tier, &(), state, data)
        } else {
            <Any<Fold> as Body<T>>::run(tier, &(), state, data)
        }
    }
}

/// The kernels, best first.
pub static KERNELS: &[Kernel<Crc32c>] = &[
    on_x86_64!(Avx512Vpclmul, Composed, "sse42_avx512_vpclmul"),
    on_x86_64!(Avx2Vpclmul, Composed, "sse42_avx2_vpclmul"),
    on_x86_64!(Avx512Vpclmul, Any<Fold>, "avx512_vpclmul").method(),
    on_x86_64!(Avx2Vpclmul, Any<Fold>, "avx2_vpclmul").method(),
    on_x86_64!(Sse42Pclmul, ThreeWay, "sse42_pclmul"),
    on_x86_64!(Sse42, ThreeWayTables, "sse42_tables"),
    on_x86_64!(Sse42, Serial, "sse42").historical(),
    on_x86_64!(Pclmul, Any<Fold>, "pclmul"),
    on_aarch64!(CrcPmull, ThreeWay, "crc_pmull"),
    on_aarch64!(Crc, Serial, "crc"),
    on_aarch64!(Pmull, Any<Fold>, "pmull"),
    Kernel::on::<Portable, Any<Fold>>("generic").method(),
    Kernel::on::<Portable, ThreeWay>("generic_three_way").method(),
    Kernel::on::<Portable, ThreeWayTables>("generic_tables").method(),
    Kernel::on::<Portable, OnTables<Slicing<u32, 16>>>("slicing16").method(),
    Kernel::on::<Portable, OnTables<Slicing<u32, 8>>>("slicing8").historical(),
    Kernel::on::<Portable, OnTables<Slicing<u32, 4>>>("slicing4").historical(),
    Kernel::on::<Portable, OnTables<Bytewise<u32>>>("bytewise").historical(),
    Kernel::on::<Portable, OnTables<Nibble<u32>>>("nibble").historical(),
    Kernel::on::<Portable, Any<Bitwise>>("bitwise").historical(),
    Kernel::on::<Portable, Any<BitwiseMsb>>("bitwise_msb").historical(),
    Kernel::on::<Portable, OnTables<Slicing<u32, 16>>>("portable").same_as("slicing16"),
];

pub(super) static BEST: Dispatch<Crc32c> = Dispatch::new(KERNELS);
