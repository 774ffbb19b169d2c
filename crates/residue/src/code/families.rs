//! The families that compute the sums, in one table.

use crate::Error;
use crate::crc::{Crc, Digest};
use crate::kernel::copy::Destination;
use crate::sums::baseline::{self, Add, Baseline, Xor};
use crate::sums::dual::{self, Dual};
use crate::sums::fletcher::{self, Mod255, Mod256, Mod65535, Mod65536, Variant};
use crate::sums::group::Group;
use crate::sums::koopman::{self, Koopman, Mod253, Mod65519, Mod65525, Mod4294967291};
use crate::sums::running::{Running, Summed};
use crate::sums::{adler, internet, xns};

/// Declares the families: for each, its type and its definition.
///
/// The first argument is a dollar sign, for the macro that this one declares.
macro_rules! families {
    ($d:tt; $($kind:ident: $family:ty, $reference:expr;)*) => {
        /// The family that computes a sum.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind),*
        }

        /// The families by the names of their kinds.
        pub(crate) mod types {
            use super::*;

            $(pub(crate) type $kind = $family;)*
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
                    $(Kind::$kind => <$family>::WORD as u64),*
                }
            }

            /// Returns the arithmetic of the states.
            pub(super) const fn group(self) -> Group {
                match self {
                    $(Kind::$kind => <$family>::GROUP),*
                }
            }

            /// Returns the state of no data.
            pub(super) fn start(self) -> u64 {
                match self {
                    $(Kind::$kind => <$family>::pack(<$family>::START, 0)),*
                }
            }

            /// Returns the state of `bytes` bytes of data with the family's value `value`.
            pub(super) fn state(self, value: u32, bytes: u64) -> u64 {
                match self {
                    $(Kind::$kind => <$family>::pack(<$family>::state_of(value as _), bytes)),*
                }
            }

            /// Returns the family's value of `bytes` bytes of data, not all zero if `nonzero`, with
            /// this state.
            pub(super) fn value(self, state: u64, bytes: u64, nonzero: bool) -> u32 {
                match self {
                    $(Kind::$kind => {
                        <$family>::value_of(<$family>::unpack(state, bytes, nonzero)).into()
                    })*
                }
            }
        }

        /// Evaluates an expression for the family that computes a sum, with the dispatch of its
        /// kernels.
        macro_rules! of_sum {
            ($d kind:expr, |$d best:ident| $d body:expr) => {{
                use $crate::code::families::{Kind, types};
                use $crate::sums::running::Summed;
                match $d kind {
                    $(Kind::$kind => {
                        let $d best = types::$kind::DISPATCH;
                        $d body
                    })*
                }
            }};
        }
        pub(crate) use of_sum;

        /// The state of a stream: the streaming type of one family.
        #[derive(Clone, Debug, PartialEq)]
        pub(super) enum State<'a> {
            $($kind(Running<$family>),)*
            Crc(Digest<u128, &'a Crc>),
        }

        impl State<'_> {
            pub(super) const fn new(kind: Kind) -> Self {
                match kind {
                    $(Kind::$kind => State::$kind(Running::new())),*
                }
            }

            /// Continues after `bytes` bytes of data that have the family's value `value`, not all
            /// zero if `nonzero`.
            pub(super) fn resume(
                kind: Kind,
                value: u32,
                bytes: u64,
                nonzero: bool,
            ) -> Result<Self, Error> {
                Ok(match kind {
                    $(Kind::$kind => {
                        let mut stream = Running::<$family>::resume(value as _, bytes)?;
                        stream.set_nonzero(nonzero);
                        State::$kind(stream)
                    })*
                })
            }

            /// Returns whether any byte was not zero, if the family's encodings need to know.
            pub(super) fn nonzero(&self) -> bool {
                match self {
                    $(State::$kind(stream) => stream.nonzero(),)*
                    State::Crc(_) => true,
                }
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
    V::value_of(fletcher::reference::<V>(data))
}

families! {
    $;
    Internet: internet::Internet, internet::reference;
    Xns: xns::Xns, xns::reference;
    Fletcher16: Mod255, sums::<Mod255>;
    Fletcher32: Mod65535, sums::<Mod65535>;
    Fletcher16Mod256: Mod256, sums::<Mod256>;
    Fletcher32Mod65536: Mod65536, sums::<Mod65536>;
    Adler: adler::Adler, adler::reference;
    Xor8: Baseline<Xor, u8>, baseline::reference::<Xor, u8>;
    Xor16: Baseline<Xor, u16>, baseline::reference::<Xor, u16>;
    Xor32: Baseline<Xor, u32>, baseline::reference::<Xor, u32>;
    Add8: Baseline<Add, u8>, baseline::reference::<Add, u8>;
    Add16: Baseline<Add, u16>, baseline::reference::<Add, u16>;
    Add32: Baseline<Add, u32>, baseline::reference::<Add, u32>;
    Koopman8: Koopman<Mod253>, koopman::reference::<Mod253>;
    Koopman16: Koopman<Mod65519>, koopman::reference::<Mod65519>;
    Koopman32: Koopman<Mod4294967291>, koopman::reference::<Mod4294967291>;
    Dual16: Dual<Mod253>, dual::reference::<Mod253>;
    Dual32: Dual<Mod65525>, dual::reference::<Mod65525>;
}
