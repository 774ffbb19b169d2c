//! Bodies made of bodies: one or another by the length of the data, and one out of line.

use super::{Body, Context, Edges, State, Tier};
use core::marker::PhantomData;

/// Runs body `Short` for data below `FROM` bytes, and body `Long` from there on.
///
/// `Long` is usually [`OutOfLine`], so that short data need no stack frame.
pub(crate) struct ByLength<Short, Long, const FROM: usize>(PhantomData<(Short, Long)>);

impl<T, Short, Long, const FROM: usize> Body<T> for ByLength<Short, Long, FROM>
where
    T: Tier,
    Short: Body<T>,
    Long: Body<T, Family = Short::Family>,
{
    type Family = Short::Family;
    const EDGES: Edges = Edges::of(&[FROM], &[Short::EDGES, Long::EDGES]);
    #[inline(always)]
    fn run(
        tier: T,
        context: &Context<Short, T>,
        state: State<Short, T>,
        data: &[u8],
    ) -> State<Short, T> {
        if data.len() < FROM {
            Short::run(tier, context, state, data)
        } else {
            Long::run(tier, context, state, data)
        }
    }
}

/// Runs a body out of line, where it may be shared.
pub(crate) struct OutOfLine<B>(PhantomData<B>);

impl<T: Tier, B: Body<T>> Body<T> for OutOfLine<B> {
    type Family = B::Family;
    const EDGES: Edges = B::EDGES;
    #[inline(always)]
    fn run(tier: T, context: &Context<B, T>, state: State<B, T>, data: &[u8]) -> State<B, T> {
        tier.outline::<B>(context, state, data)
    }
}
