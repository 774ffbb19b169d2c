//! CRC-32C (Castagnoli; CRC-32/ISCSI), the CRC of iSCSI, SCTP, ext4, Btrfs and NVMe/TCP, and the one whose division most CPUs
//! have as an instruction: polynomial 1EDC6F41, reflected, init and xorout all ones (RFC 3720, section 12.1).
//!
//! Example: `123456789` gives E3069283. On the wire: lowest byte first.

use super::embedded::{Bitwise, BitwiseMsb};
use super::fold::Fold;
use super::steps::{
    ChainOrFold, ChainOrTables, ChainToFused, FoldSteps, Fused, FusedEor3, FusedPmull, HeadShift,
    Serial, ShiftTables, Stepped, ThreeWay, ThreeWayTables,
};
use super::tables::{Bytewise, Nibble, Slicing, Tabled, Tables};
use super::taps::{self, OnSet, Taps};
use super::{Constants, Crc, Embedded, catalog};
use crate::arch::{Portable, Tier, on_aarch64, on_x86_64};
use crate::kernel::{Body, ByLength, Dispatch, Family, Kernel};
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

impl Stepped for Crc32c {
    const POLY: u32 = catalog::CRC_32_ISCSI.poly as u32;

    #[inline(always)]
    fn constants() -> &'static Constants {
        const {
            match CRC_32C.constants() {
                Some(constants) => constants,
                None => panic!("it has 32 bits"),
            }
        }
    }

    #[inline(always)]
    fn shift_tables() -> &'static ShiftTables {
        static TABLES: ShiftTables = ShiftTables::new(Crc32c::POLY);
        &TABLES
    }

    #[inline(always)]
    fn register(state: u32) -> u32 {
        state
    }

    #[inline(always)]
    fn state(register: u32) -> u32 {
        register
    }
}

/// A kernel for any CRC of up to 64 bits, given this one's constants.
pub(crate) struct Any<B>(PhantomData<B>);

impl<T: Tier, B: Body<T, Family = Embedded>> Body<T> for Any<B> {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        B::run(tier, Crc32c::constants(), u64::from(state), data) as u32
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

/// One chain of instructions, then folding, then byte matrices.
type ComposedTaps =
    ByLength<ChainOrFold<Crc32c>, Any<OnSet<true, { taps::CRC_32C }>>, { Taps::FROM }>;

/// As many bytes for either unit: with vectors of two lanes each takes 8 bytes a cycle.
type FusedAvx2 = Fused<Crc32c, 1024, 4, 128, 4>;

/// One chain of instructions, then three, then folding, then both at once.
type Composed =
    ByLength<HeadShift<Crc32c>, ByLength<ThreeWay<Crc32c>, FusedAvx2, FOLD_FROM>, THREE_WAY_FROM>;

// The lengths from which each wins, on a Zen 3 core on 2026-11-21: `residue bench -a crc32c -k
// sse42_head,sse42_pclmul,avx2_vpclmul,avx2_fused --mode throughput --sizes 80,96,128,384,640,1024`.
const THREE_WAY_FROM: usize = 96;
const FOLD_FROM: usize = 640;

/// The kernels, best first.
pub static KERNELS: &[Kernel<Crc32c>] = &[
    on_x86_64!(Avx512Vpclmul, ComposedTaps, "sse42_avx512_gfni"),
    on_x86_64!(Avx2Vpclmul, Composed, "sse42_avx2_vpclmul"),
    on_x86_64!(Avx512Vpclmul, Any<Taps>, "avx512_gfni").method(),
    on_x86_64!(Avx512Vpclmul, FoldSteps<Crc32c>, "avx512_vpclmul").method(),
    on_x86_64!(Avx2Vpclmul, FoldSteps<Crc32c>, "avx2_vpclmul").method(),
    on_x86_64!(Sse42Pclmul, FoldSteps<Crc32c>, "pclmul_steps").method(),
    on_x86_64!(Sse42, HeadShift<Crc32c>, "sse42_head").method(),
    on_x86_64!(Avx2Vpclmul, FusedAvx2, "avx2_fused").method(),
    on_x86_64!(Sse42Pclmul, ThreeWay<Crc32c>, "sse42_pclmul"),
    on_x86_64!(Sse42, ThreeWayTables<Crc32c>, "sse42_tables"),
    on_x86_64!(Sse42, Serial<Crc32c>, "sse42").historical(),
    on_x86_64!(Pclmul, Any<Fold>, "pclmul"),
    on_aarch64!(CrcPmullEor3, ChainToFused<Crc32c, FusedEor3<Crc32c>>, "crc_pmull_eor3"),
    on_aarch64!(CrcPmull, ChainToFused<Crc32c, FusedPmull<Crc32c>>, "crc_pmull"),
    on_aarch64!(CrcPmullEor3, FusedEor3<Crc32c>, "crc_fused_eor3").method(),
    on_aarch64!(CrcPmull, FusedPmull<Crc32c>, "crc_fused").method(),
    on_aarch64!(CrcPmull, ThreeWay<Crc32c>, "crc_three_way").method(),
    on_aarch64!(Crc, ChainOrTables<Crc32c>, "crc_tables"),
    on_aarch64!(Crc, HeadShift<Crc32c>, "crc_head").method(),
    on_aarch64!(Crc, Serial<Crc32c>, "crc").historical(),
    on_aarch64!(Pmull, Any<Fold>, "pmull"),
    Kernel::on::<Portable, Any<Fold>>("generic").method(),
    Kernel::on::<Portable, ThreeWay<Crc32c>>("generic_three_way").method(),
    Kernel::on::<Portable, ThreeWayTables<Crc32c>>("generic_tables").method(),
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
