//! Tiers, the sets of CPU features as types, and bodies, the algorithms that run on them.

use super::{Edges, Family, Packets};
use crate::cpu::Features;

/// A set of CPU features as a type.
///
/// Holding a value of the type proves that the CPU has them.
pub trait Tier: Copy + 'static {
    /// The features of the tier.
    const NEEDS: Features;

    /// Runs a body out of line, for the long path of a composed kernel.
    ///
    /// The short path then needs no stack frame.
    #[allow(private_bounds, private_interfaces)]
    fn outline<B: Body<Self>>(
        self,
        context: &Context<B, Self>,
        state: State<B, Self>,
        data: &[u8],
    ) -> State<B, Self>;
}

/// A tier with its entries, the functions that kernels call.
pub trait Enter: Tier {
    /// The tier that also stores the bytes it loads.
    type Copying: Tier;

    /// Runs a body with the features enabled.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter<B: Body<Self>>(
        state: State<B, Self>,
        data: &[u8],
        context: &Context<B, Self>,
    ) -> State<B, Self>;

    /// Runs a body with the features enabled, from first byte to finished value.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_oneshot<B: Body<Self>>(
        data: &[u8],
        context: &Context<B, Self>,
    ) -> Value<B, Self>;

    /// Runs a body with the features enabled, and stores all bytes of `data` that it loads as
    /// vectors at their offsets in `to`.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`]. `to` must be valid for writes of `data.len()` bytes and
    /// must not overlap `data`.
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_copying<B: Body<Self::Copying>>(
        context: &Context<B, Self::Copying>,
        state: State<B, Self::Copying>,
        data: &[u8],
        to: *mut u8,
    ) -> State<B, Self::Copying>;

    /// Computes the values of many packets with the features enabled.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_batch<B: Batch<Self>>(
        context: &<B::Family as Family>::Context,
        packets: Packets<'_>,
        values: &mut [<B::Family as Family>::Value],
    );
}

/// An algorithm that computes a family's state on every tier `T` for which it is implemented.
pub(crate) trait Body<T: Tier>: 'static {
    type Family: Family;
    /// The lengths around which tests go.
    const EDGES: Edges;
    /// Advances `state` over `data`.
    ///
    /// Implementations are `#[inline(always)]`.
    fn run(
        tier: T,
        context: &<Self::Family as Family>::Context,
        state: <Self::Family as Family>::State,
        data: &[u8],
    ) -> <Self::Family as Family>::State;
}

/// An algorithm that computes the values of many packets on every tier `T` for which it is
/// implemented.
pub(crate) trait Batch<T: Tier>: 'static {
    type Family: Family;
    /// Computes the value of each packet; there are as many values as packets.
    ///
    /// Implementations are `#[inline(always)]`.
    fn run(
        tier: T,
        context: &<Self::Family as Family>::Context,
        packets: Packets<'_>,
        values: &mut [<Self::Family as Family>::Value],
    );
}

/// The parameters of the kernels of a body's family.
pub(crate) type Context<B, T> = <<B as Body<T>>::Family as Family>::Context;
pub(crate) type State<B, T> = <<B as Body<T>>::Family as Family>::State;
pub(crate) type Value<B, T> = <<B as Body<T>>::Family as Family>::Value;
