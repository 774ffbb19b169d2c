//! Families of CRCs: their registers, and the CRCs whose constants the compiler knows.

use super::constants::{Constants, Embedded};
use super::powers::Powers;
use super::tables::{ReflectedEnd, Tabled, Tables, Word};
use super::width::Width;
use crate::body::{Body, Edges, Family, Tier};
use core::marker::PhantomData;

/// A family of CRCs, whose values determine their registers.
pub(crate) trait Register: Family<State: Word, Value: Into<u128>> {
    /// Returns the register for `value`, which must be no wider than the CRC.
    fn register(context: &Self::Context, value: u128) -> Self::State;
}

impl Register for Embedded {
    #[inline(always)]
    fn register(context: &Constants, value: u128) -> u64 {
        context.register(value as u64 ^ context.xorout)
    }
}

/// A CRC with compiled-in constants, as a type, which is the family of its kernels.
///
/// Its bits are reflected, its width is that of its word, and both the initial register and the
/// final xor value are all ones. The state is the register.
pub trait CompiledIn:
    Family<Context = (), State = <Self as CompiledIn>::Word, Value = <Self as CompiledIn>::Word>
{
    /// The type of its registers and values.
    type Word: Word + Into<u64>;
    fn constants() -> &'static Constants;
    fn powers() -> &'static Powers;
    /// Returns the tables, or `None` if they were not computed before and shall not be now.
    fn tables(compute: bool) -> Option<&'static Tables<Self::Word>>;
}

impl<N: CompiledIn> Register for N {
    #[inline(always)]
    fn register((): &(), value: u128) -> N::Word {
        !N::Word::of_low(value)
    }
}

/// A kernel for any CRC of up to 64 bits, with this CRC's constants.
pub(crate) struct WithConstants<N, B>(PhantomData<(N, B)>);

impl<N: CompiledIn, T: Tier, B: Body<T, Family = Embedded>> Body<T> for WithConstants<N, B> {
    type Family = N;
    const EDGES: Edges = B::EDGES;
    #[inline(always)]
    fn run(tier: T, (): &(), state: N::Word, data: &[u8]) -> N::Word {
        N::Word::of_low(B::run(tier, N::constants(), state.into(), data).into())
    }
}

/// A kernel on tables, with this CRC's tables.
pub(crate) struct OnTables<N, B>(PhantomData<(N, B)>);

impl<N: CompiledIn, T: Tier, B: Body<T, Family = Tabled<N::Word>>> Body<T> for OnTables<N, B> {
    type Family = N;
    const EDGES: Edges = B::EDGES;
    #[inline(always)]
    fn run(tier: T, (): &(), state: N::Word, data: &[u8]) -> N::Word {
        if let Some(tables) = N::tables(false) {
            return B::run(tier, tables, state, data);
        }
        /// Computes the tables, and takes this data by code that the sparse kernels have anyway. A
        /// function of its own: around a call, all others would save registers.
        #[cold]
        #[inline(never)]
        fn first<N: CompiledIn, T: Tier>(tier: T, state: N::Word, data: &[u8]) -> N::Word {
            N::tables(true);
            tier.outline::<OnTables<N, ReflectedEnd<N::Word>>>(&(), state, data)
        }
        first::<N, T>(tier, state, data)
    }
}
