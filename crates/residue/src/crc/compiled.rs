//! CRC-32 and CRC-64/NVME with their constants compiled in: the kernels for any CRC of up to 64 bits, which need not ask
//! for the order of bits or read constants through a pointer; tables where there are no carry-less products; and for CRC-32 the
//! instructions of aarch64. ([`crc32c`](super::crc32c) has a family of its own.)

use super::embedded::{Bitwise, BitwiseMsb};
use super::fold::Fold;
use super::steps::{
    ChainOrTables, ChainToFused, FusedEor3, FusedPmull, HeadShift, Serial, ShiftTables, Stepped,
    ThreeWay,
};
use super::tables::{Bytewise, Nibble, Slicing, Tabled, Tables, Word};
use super::taps::Taps;
use super::{Constants, Embedded, catalog};
use crate::arch::{Portable, Tier, on_aarch64, on_x86_64};
use crate::kernel::{Body, Dispatch, Family, Kernel};
use core::marker::PhantomData;

/// The CRCs that have constants compiled in, by the function that computes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// [`crc32c`](crate::crc32c).
    Crc32c,
    /// [`crc32`](crate::crc32).
    Crc32,
    /// [`crc64_nvme`](crate::crc64_nvme).
    Crc64Nvme,
}

/// One such CRC, as a type. Its bits are reflected.
pub trait Named: Sized + 'static {
    /// The value's type.
    type Word: Word + Into<u64>;
    #[doc(hidden)]
    fn constants() -> &'static Constants;
    #[doc(hidden)]
    fn tables() -> &'static Tables<Self::Word>;
    /// The kernels, best first.
    const KERNELS: &'static [Kernel<One<Self>>];
}

/// The family of one CRC. Its state is the register, right-aligned.
#[derive(Debug)]
pub struct One<N>(PhantomData<N>);

impl<N: Named> Family for One<N> {
    type With = ();
    type State = u64;
    type Value = N::Word;

    #[inline(always)]
    fn start((): &()) -> u64 {
        Embedded::start(N::constants())
    }

    #[inline(always)]
    fn finish((): &(), state: u64) -> N::Word {
        N::Word::of_low(Embedded::finish(N::constants(), state))
    }
}

/// A kernel for any CRC of up to 64 bits, given this one's constants.
pub(crate) struct Given<N, B>(PhantomData<(N, B)>);

impl<N: Named, T: Tier, B: Body<T, Family = Embedded>> Body<T> for Given<N, B> {
    type Family = One<N>;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u64, data: &[u8]) -> u64 {
        B::run(tier, N::constants(), state, data)
    }
}

/// A kernel on tables, given this CRC's.
struct OnTables<N, B>(PhantomData<(N, B)>);

impl<N: Named, T: Tier, B: Body<T, Family = Tabled<N::Word>>> Body<T> for OnTables<N, B> {
    type Family = One<N>;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u64, data: &[u8]) -> u64 {
        B::run(tier, N::tables(), N::Word::of_low(state), data).into()
    }
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $word:ident, $params:ident, $best:ident; $($line:expr),*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl Named for $name {
            type Word = $word;

            #[inline(always)]
            fn constants() -> &'static Constants {
                static CONSTANTS: Constants = Constants::new(&catalog::$params);
                &CONSTANTS
            }

            #[inline(always)]
            fn tables() -> &'static Tables<$word> {
                static TABLES: Tables<$word> = Tables::<$word>::new(&catalog::$params);
                &TABLES
            }

            const KERNELS: &'static [Kernel<One<$name>>] = &[
                on_x86_64!(Avx512Vpclmul, Given<$name, Taps>, "avx512_gfni"),
                on_x86_64!(Avx512Vpclmul, Given<$name, Fold>, "avx512_vpclmul").method(),
                on_x86_64!(Avx2Vpclmul, Given<$name, Fold>, "avx2_vpclmul"),
                on_x86_64!(Pclmul, Given<$name, Fold>, "pclmul"),
                $($line,)*
                on_aarch64!(PmullEor3, Given<$name, Fold>, "pmull_eor3"),
                on_aarch64!(Pmull, Given<$name, Fold>, "pmull"),
                Kernel::on::<Portable, Given<$name, Fold>>("generic").method(),
                Kernel::on::<Portable, OnTables<$name, Slicing<$word, 16>>>("slicing16").method(),
                Kernel::on::<Portable, OnTables<$name, Slicing<$word, 8>>>("slicing8").historical(),
                Kernel::on::<Portable, OnTables<$name, Slicing<$word, 4>>>("slicing4").historical(),
                Kernel::on::<Portable, OnTables<$name, Bytewise<$word>>>("bytewise").historical(),
                Kernel::on::<Portable, OnTables<$name, Nibble<$word>>>("nibble").historical(),
                Kernel::on::<Portable, Given<$name, Bitwise>>("bitwise").historical(),
                Kernel::on::<Portable, Given<$name, BitwiseMsb>>("bitwise_msb").historical(),
                Kernel::on::<Portable, OnTables<$name, Slicing<$word, 16>>>("portable")
                    .same_as("slicing16"),
            ];
        }

        pub(crate) static $best: Dispatch<One<$name>> = Dispatch::new($name::KERNELS);
    };
}

named!(
    /// CRC-32/ISO-HDLC.
    Crc32, u32, CRC_32_ISO_HDLC, BEST_CRC32;
    on_aarch64!(CrcPmullEor3, ChainToFused<One<Crc32>, FusedEor3<One<Crc32>>>, "crc_pmull_eor3"),
    on_aarch64!(CrcPmull, ChainToFused<One<Crc32>, FusedPmull<One<Crc32>>>, "crc_pmull"),
    on_aarch64!(CrcPmullEor3, FusedEor3<One<Crc32>>, "crc_fused_eor3").method(),
    on_aarch64!(CrcPmull, FusedPmull<One<Crc32>>, "crc_fused").method(),
    on_aarch64!(CrcPmull, ThreeWay<One<Crc32>>, "crc_three_way").method(),
    on_aarch64!(Crc, ChainOrTables<One<Crc32>>, "crc_tables"),
    on_aarch64!(Crc, HeadShift<One<Crc32>>, "crc_head").method(),
    on_aarch64!(Crc, Serial<One<Crc32>>, "crc").historical()
);
named!(
    /// CRC-64/NVME.
    Crc64Nvme, u64, CRC_64_NVME, BEST_CRC64_NVME;
);

impl Stepped for One<Crc32> {
    const POLY: u32 = catalog::CRC_32_ISO_HDLC.poly as u32;

    #[inline(always)]
    fn constants() -> &'static Constants {
        Crc32::constants()
    }

    #[inline(always)]
    fn shift_tables() -> &'static ShiftTables {
        static TABLES: ShiftTables = ShiftTables::new(One::<Crc32>::POLY);
        &TABLES
    }

    #[inline(always)]
    fn register(state: u64) -> u32 {
        state as u32
    }

    #[inline(always)]
    fn state(register: u32) -> u64 {
        register.into()
    }
}
