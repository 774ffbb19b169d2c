//! CRC-32 and CRC-64/NVME with their constants compiled in: the kernels for any CRC of up to 64 bits, which need not ask
//! for the order of bits or read constants through a pointer, and tables where there are no carry-less products.
//! ([`crc32c`](super::crc32c) has kernels of its own beside.)

use super::embedded::{Bitwise, BitwiseMsb};
use super::fold::Fold;
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
    const KERNELS: &'static [Kernel<One<Self>>] = &[
        on_x86_64!(Avx512Vpclmul, Given<Self, Taps>, "avx512_gfni"),
        on_x86_64!(Avx512Vpclmul, Given<Self, Fold>, "avx512_vpclmul").method(),
        on_x86_64!(Avx2Vpclmul, Given<Self, Fold>, "avx2_vpclmul"),
        on_x86_64!(Pclmul, Given<Self, Fold>, "pclmul"),
        on_aarch64!(PmullEor3, Given<Self, Fold>, "pmull_eor3"),
        on_aarch64!(Pmull, Given<Self, Fold>, "pmull"),
        Kernel::on::<Portable, Given<Self, Fold>>("generic").method(),
        Kernel::on::<Portable, OnTables<Self, Slicing<Self::Word, 16>>>("slicing16").method(),
        Kernel::on::<Portable, OnTables<Self, Slicing<Self::Word, 8>>>("slicing8").historical(),
        Kernel::on::<Portable, OnTables<Self, Slicing<Self::Word, 4>>>("slicing4").historical(),
        Kernel::on::<Portable, OnTables<Self, Bytewise<Self::Word>>>("bytewise").historical(),
        Kernel::on::<Portable, OnTables<Self, Nibble<Self::Word>>>("nibble").historical(),
        Kernel::on::<Portable, Given<Self, Bitwise>>("bitwise").historical(),
        Kernel::on::<Portable, Given<Self, BitwiseMsb>>("bitwise_msb").historical(),
        Kernel::on::<Portable, OnTables<Self, Slicing<Self::Word, 16>>>("portable")
            .same_as("slicing16"),
    ];
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
    ($(#[$doc:meta])* $name:ident, $word:ident, $params:ident, $best:ident) => {
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
        }

        pub(crate) static $best: Dispatch<One<$name>> = Dispatch::new($name::KERNELS);
    };
}

named!(
    /// CRC-32/ISO-HDLC.
    Crc32, u32, CRC_32_ISO_HDLC, BEST_CRC32
);
named!(
    /// CRC-64/NVME.
    Crc64Nvme, u64, CRC_64_NVME, BEST_CRC64_NVME
);
