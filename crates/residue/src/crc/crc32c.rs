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
use super::fold::{Fold, fold};
use super::tables::{Bytewise, Nibble, Slicing, Tabled, Tables};
use super::taps::{self, OnSet, Taps};
use super::{Crc, Embedded, catalog, gf2};
use crate::arch::{ByteMatrix, CarryLessWide, Crc32cStep, Portable, Tier, on_aarch64, on_x86_64};
use crate::kernel::{Body, Dispatch, Family, Kernel};
use chain::Serial;
use core::marker::PhantomData;
use fused::Fused;
use three_way::{ThreeWay, ThreeWayTables};

mod chain;
mod fused;
mod three_way;

pub(crate) use chain::HeadShift;

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
pub(crate) struct Any<B>(PhantomData<B>);

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

/// The constant that moves a register over `bytes` (at least 5) by a carry-less product and one step from zero:
/// x^(8 bytes - 33) mod P, reversed. The product comes out one place low and the step multiplies by x^32.
const fn shift_key(bytes: u64) -> u64 {
    const P: u64 = (catalog::CRC_32_ISCSI.poly as u64) << 32;
    // x^(n + 32) modulo P x^32 is x^32 times x^n modulo P.
    ((gf2::xpow(8 * bytes - 33 + 32, P) >> 32) as u32).reverse_bits() as u64
}

/// Folding as for any CRC of up to 64 bits, the last lane reduced by the instruction: 6 cycles where Barrett's method takes
/// three products in a row.
pub(crate) struct FoldSteps;

impl<T: Crc32cStep + CarryLessWide> Body<T> for FoldSteps {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        match CRC_32C.constants() {
            Some(constants) if data.len() > 16 => {
                let lane = fold::<T, true>(tier, &constants.fold, u64::from(state), data);
                let (low, high) = (tier.low_of(lane), tier.low_of(tier.high_down(lane)));
                tier.step8(tier.step8(0, low), high)
            }
            _ => <HeadShift as Body<T>>::run(tier, &(), state, data),
        }
    }
}

/// One chain of instructions, then folding.
struct ChainOrFold;

impl ChainOrFold {
    /// The length from which folding is to take over. Not measured in the vectors this serves, of one and of four lanes; in
    /// those of two the chain is ahead to 128 bytes: `residue bench -a crc32c -k sse42_head,avx2_vpclmul --mode throughput
    /// --sizes 64,80,96,128,160`, on a Zen 3 core on 2026-11-21.
    const FOLD_FROM: usize = 80;
}

impl<T: Crc32cStep + CarryLessWide> Body<T> for ChainOrFold {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        if data.len() < ChainOrFold::FOLD_FROM {
            <HeadShift as Body<T>>::run(tier, &(), state, data)
        } else {
            tier.outline::<FoldSteps>(&(), state, data)
        }
    }
}

/// The same, and from [`Taps::FROM`] bytes on byte matrices.
struct ComposedTaps;

impl<T: Crc32cStep + ByteMatrix> Body<T> for ComposedTaps {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        if data.len() < Taps::FROM {
            <ChainOrFold as Body<T>>::run(tier, &(), state, data)
        } else {
            tier.outline::<Any<OnSet<true, { taps::CRC_32C }>>>(&(), state, data)
        }
    }
}

/// One chain of instructions, then three, then folding, then both at once.
struct Composed;

impl Composed {
    // The lengths from which each wins, on a Zen 3 core on 2026-11-21: `residue bench -a crc32c -k
    // sse42_head,sse42_pclmul,avx2_vpclmul,avx2_fused --mode throughput --sizes 80,96,128,384,640,1024`.
    const THREE_WAY_FROM: usize = 96;
    const FOLD_FROM: usize = 640;
}

impl<T: Crc32cStep + CarryLessWide> Body<T> for Composed {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        if data.len() < Composed::THREE_WAY_FROM {
            <HeadShift as Body<T>>::run(tier, &(), state, data)
        } else if data.len() < Composed::FOLD_FROM {
            tier.outline::<ThreeWay>(&(), state, data)
        } else {
            tier.outline::<Fused>(&(), state, data)
        }
    }
}

/// The kernels, best first.
pub static KERNELS: &[Kernel<Crc32c>] = &[
    on_x86_64!(Avx512Vpclmul, ComposedTaps, "sse42_avx512_gfni"),
    on_x86_64!(Avx2Vpclmul, Composed, "sse42_avx2_vpclmul"),
    on_x86_64!(Avx512Vpclmul, Any<Taps>, "avx512_gfni").method(),
    on_x86_64!(Avx512Vpclmul, FoldSteps, "avx512_vpclmul").method(),
    on_x86_64!(Avx2Vpclmul, FoldSteps, "avx2_vpclmul").method(),
    on_x86_64!(Sse42Pclmul, FoldSteps, "pclmul_steps").method(),
    on_x86_64!(Sse42, HeadShift, "sse42_head").method(),
    on_x86_64!(Avx2Vpclmul, Fused, "avx2_fused").method(),
    on_x86_64!(Sse42Pclmul, ThreeWay, "sse42_pclmul"),
    on_x86_64!(Sse42, ThreeWayTables, "sse42_tables"),
    on_x86_64!(Sse42, Serial, "sse42").historical(),
    on_x86_64!(Pclmul, Any<Fold>, "pclmul"),
    on_aarch64!(CrcPmullEor3, ChainOrFold, "crc_pmull_eor3"),
    on_aarch64!(CrcPmull, ChainOrFold, "crc_pmull"),
    on_aarch64!(CrcPmull, ThreeWay, "crc_three_way").method(),
    on_aarch64!(Crc, HeadShift, "crc_head"),
    on_aarch64!(Crc, Serial, "crc").historical(),
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

pub(crate) static BEST: Dispatch<Crc32c> = Dispatch::new(KERNELS);
