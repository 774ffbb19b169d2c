//! The families that compute the sums, in one table.

use super::sum::{Group, Step};
use crate::Error;
use crate::crc::{Crc, Digest};
use crate::kernel::copy::Destination;
use crate::sums::baseline::{self, Add, Checksum, Xor};
use crate::sums::fletcher::{self, Bytes255, Bytes256, Sums, Variant, Words65535, Words65536};
use crate::sums::koopman::{self, Mod253, Mod65519, Mod65525, Mod4294967291};
use crate::sums::{adler, dual, internet, xns};

/// Declares the families: for each, how it streams, the dispatch of its kernels, its definition,
/// the bytes in a word, and the arithmetic of its states.
///
/// The first argument is a dollar sign, for the macro that this one declares.
macro_rules! families {
    ($d:tt; $(
        $kind:ident: $stream:ty, $best:expr, $reference:expr, $word:literal, $group:expr;
    )*) => {
        /// The family that computes a sum.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind),*
        }

        impl Kind {
            /// Returns the value of `data` by the family's definition.
            pub(super) fn reference(self, data: &[u8]) -> u32 {
                match self {
                    $(Kind::$kind => $reference(data).into()),*
                }
            }

            /// Returns how many bytes a word has.
            pub(super) const fn word(self) -> u64 {
                match self {
                    $(Kind::$kind => $word),*
                }
            }

            /// Returns the arithmetic of the states.
            pub(super) const fn group(self) -> Group {
                match self {
                    $(Kind::$kind => $group),*
                }
            }
        }

        /// Evaluates an expression for the family that computes a sum, with the dispatch of its
        /// kernels.
        macro_rules! of_sum {
            ($d kind:expr, |$d best:ident| $d body:expr) => {
                match $d kind {
                    $($crate::code::Kind::$kind => {
                        let $d best = $best;
                        $d body
                    })*
                }
            };
        }
        pub(crate) use of_sum;

        /// The state of a stream: the streaming type of one family.
        #[derive(Clone, Debug, PartialEq)]
        pub(super) enum State<'a> {
            $($kind($stream),)*
            Crc(Digest<u128, &'a Crc>),
        }

        impl State<'_> {
            pub(super) const fn new(kind: Kind) -> Self {
                match kind {
                    $(Kind::$kind => State::$kind(<$stream>::new())),*
                }
            }

            /// Continues after `bytes` bytes of data that have the family's value `value`.
            pub(super) fn resume(kind: Kind, value: u32, bytes: u64) -> Result<Self, Error> {
                Ok(match kind {
                    $(Kind::$kind => State::$kind(<$stream>::resume(value as _, bytes)?)),*
                })
            }

            pub(super) fn update(&mut self, data: &[u8]) {
                match self {
                    $(State::$kind(stream) => stream.update(data),)*
                    State::Crc(stream) => stream.update(data),
                }
            }

            pub(super) fn update_copying(
                &mut self,
                from: &[u8],
                to: &mut (impl Destination + ?Sized),
            ) {
                match self {
                    $(State::$kind(stream) => stream.update_copying(from, to),)*
                    State::Crc(stream) => stream.update_copying(from, to),
                }
            }

            /// Returns the family's value so far.
            pub(super) fn value(&self) -> u128 {
                match self {
                    $(State::$kind(stream) => stream.value().into(),)*
                    State::Crc(stream) => stream.value(),
                }
            }

            /// Appends the data of another stream of the family.
            pub(super) fn combine(&mut self, next: &State<'_>) -> Result<(), Error> {
                match (self, next) {
                    $((State::$kind(first), State::$kind(second)) => first.combine(second),)*
                    (State::Crc(first), State::Crc(second)) => first.combine(second),
                    _ => Err(Error::DifferentCodes),
                }
            }
        }
    };
}

/// Computes Fletcher's sums by their definition, as a value.
fn sums<V: Variant>(data: &[u8]) -> u32 {
    V::finish(&(), fletcher::reference::<V>(data))
}

families! {
    $;
    Internet: internet::Checksum, &crate::sums::internet::DISPATCH, internet::reference, 1,
        Group { modulus: 65535, step: Step::Rotate(8) };
    Xns: xns::Checksum, &crate::sums::xns::DISPATCH, xns::reference, 2,
        Group { modulus: 65535, step: Step::Rotate(1) };
    Bytes255: Sums<Bytes255>,
        <crate::sums::fletcher::Bytes255 as crate::sums::fletcher::Variant>::DISPATCH,
        sums::<Bytes255>, 1, Group { modulus: 255, step: Step::Sum };
    Words65535: Sums<Words65535>,
        <crate::sums::fletcher::Words65535 as crate::sums::fletcher::Variant>::DISPATCH,
        sums::<Words65535>, 2, Group { modulus: 65535, step: Step::Sum };
    Bytes256: Sums<Bytes256>,
        <crate::sums::fletcher::Bytes256 as crate::sums::fletcher::Variant>::DISPATCH,
        sums::<Bytes256>, 1, Group { modulus: 256, step: Step::Sum };
    Words65536: Sums<Words65536>,
        <crate::sums::fletcher::Words65536 as crate::sums::fletcher::Variant>::DISPATCH,
        sums::<Words65536>, 2, Group { modulus: 65536, step: Step::Sum };
    Adler: adler::Adler32, &crate::sums::adler::DISPATCH, adler::reference, 1,
        Group { modulus: adler::MODULUS as u64, step: Step::Sum };
    Xor8: Checksum<Xor, u8>, &crate::sums::baseline::DISPATCH_XOR_8,
        baseline::reference::<Xor, u8>, 1, Group { modulus: 0, step: Step::None };
    Xor16: Checksum<Xor, u16>, &crate::sums::baseline::DISPATCH_XOR_16,
        baseline::reference::<Xor, u16>, 2, Group { modulus: 0, step: Step::None };
    Xor32: Checksum<Xor, u32>, &crate::sums::baseline::DISPATCH_XOR_32,
        baseline::reference::<Xor, u32>, 4, Group { modulus: 0, step: Step::None };
    Add8: Checksum<Add, u8>, &crate::sums::baseline::DISPATCH_ADD_8,
        baseline::reference::<Add, u8>, 1, Group { modulus: 1 << 8, step: Step::None };
    Add16: Checksum<Add, u16>, &crate::sums::baseline::DISPATCH_ADD_16,
        baseline::reference::<Add, u16>, 2, Group { modulus: 1 << 16, step: Step::None };
    Add32: Checksum<Add, u32>, &crate::sums::baseline::DISPATCH_ADD_32,
        baseline::reference::<Add, u32>, 4, Group { modulus: 1 << 32, step: Step::None };
    Koopman8: koopman::Checksum<Mod253>, &crate::sums::koopman::DISPATCH_8,
        koopman::reference::<Mod253>, 1, Group { modulus: 253, step: Step::Scale };
    Koopman16: koopman::Checksum<Mod65519>, &crate::sums::koopman::DISPATCH_16,
        koopman::reference::<Mod65519>, 1, Group { modulus: 65519, step: Step::Scale };
    Koopman32: koopman::Checksum<Mod4294967291>, &crate::sums::koopman::DISPATCH_32,
        koopman::reference::<Mod4294967291>, 1,
        Group { modulus: 4_294_967_291, step: Step::Scale };
    Dual16: dual::Checksum<Mod253>, &crate::sums::dual::DISPATCH_16,
        dual::reference::<Mod253>, 4, Group { modulus: 253, step: Step::Sum };
    Dual32: dual::Checksum<Mod65525>, &crate::sums::dual::DISPATCH_32,
        dual::reference::<Mod65525>, 4, Group { modulus: 65525, step: Step::Sum };
}
