//! Kernels, the implementations of a code: one table per family, and the choice between them.
//!
//! A kernel is a *body* (generic over the vector operations it needs) on a *tier* (a marker that
//! proves the CPU has those operations, see the module `arch`). Its line in a family's `KERNELS`
//! makes two entries from the one body: `run`, from state to state, for streaming; and `oneshot`,
//! from bytes to finished value, where the constants of the start fold into the code and a short
//! input needs no stack frame. A line may name two more bodies: `copy`, which stores the bytes it
//! loads, and `batch`, for many packets at once. Dispatch, copies, batches, lists, tests and
//! benchmarks all read the table.
//!
//! This folder uses `body`, `arch` and `cpu`, and knows no code.
//!
//! Safety rests on one chain: `needs` comes from the tier's type, a kernel's entries are `unsafe`
//! and private to this folder, and the only ways to call them (`Dispatch`, `Kernel::force`) compare
//! `needs` with [`cpu::features`] first.

use crate::cpu::{self, Features, Profile};

pub(crate) mod copy;
mod dispatch;
mod lines;
mod outlined;
pub(crate) mod table;

pub(crate) use dispatch::*;
pub(crate) use lines::{line, on_aarch64, on_riscv64, on_s390x, on_x86_64};
pub(crate) use outlined::Outlined;
pub(crate) use table::*;

/// The role of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Chosen by the library where the CPU supports it.
    Dispatched,
    /// A single method, run only when tests or benchmarks ask for it by name.
    ///
    /// A kernel named `generic` is a vector body on arrays instead of vectors: it runs anywhere,
    /// slowly.
    Method,
    /// A single method, kept because the literature describes it.
    Historical,
}

impl Role {
    /// Returns `dispatched`, `method` or `historical`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Dispatched => "dispatched",
            Role::Method => "method",
            Role::Historical => "historical",
        }
    }
}

/// Metadata common to all kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// The name: a Rust identifier, unique in its family.
    pub name: &'static str,
    /// The CPU features it needs.
    pub needs: Features,
    /// Its role.
    pub role: Role,
    /// The width in bits of the widest CRC that it computes by byte matrices: it is dispatched only
    /// where [`Profile::matrices_to`] is no smaller.
    pub matrices: Option<u32>,
    /// The kernel of this table with identical code; benchmarks skip one of them.
    pub same_as: Option<&'static str>,
}

impl KernelInfo {
    pub(crate) const PORTABLE: KernelInfo = KernelInfo {
        name: "portable",
        needs: Features::NONE,
        role: Role::Dispatched,
        matrices: None,
        same_as: None,
    };

    /// Returns whether this CPU (under the mask `RESIDUE_CPU`) can run the kernel.
    #[must_use]
    pub fn supported(&self) -> bool {
        cpu::features().contains(self.needs)
    }

    /// Returns whether a CPU with `features` can run the kernel and gains by its matrices.
    fn suits(&self, features: Features, profile: &Profile) -> bool {
        features.contains(self.needs)
            && self.matrices.is_none_or(|width| width <= profile.matrices_to)
    }

    /// Returns whether the kernel may be chosen on this architecture.
    const fn may_be_chosen(&self) -> bool {
        matches!(self.role, Role::Dispatched) && Features::POSSIBLE.contains(self.needs)
    }
}
