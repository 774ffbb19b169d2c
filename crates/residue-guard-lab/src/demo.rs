//! The demonstration: a client, a router that damages files, and a server, in network
//! namespaces.
//!
//! The command starts itself again, by `unshare`, in new namespaces for network, mounts and
//! processes; that network is the router's. When the first process of a process namespace ends, the
//! OS ends all others, and removes the namespaces, their rules and the files, which are in memory.
//! The inner command ends when the outer one does, for whatever reason, because the pipe between
//! them is closed. Nothing is left to clean up.

#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod hosts;
#[cfg(target_os = "linux")]
mod namespaces;

#[cfg(target_os = "linux")]
pub use {
    case::{Case, Row, cases},
    hosts::Network,
    namespaces::{again, end_with_outer},
};

use residue_net::named;
use serde::Serialize;

named! {
    /// Engines of the two guards.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Engines {
        /// Both are processes.
        Queue = "queue",
        /// The client's is in the kernel with IPv4, the server's with IPv6.
        Mixed = "mixed",
        /// Both are in the kernel.
        Kernel = "kernel",
    }
}

named! {
    /// What happens in a case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// The router swaps words.
        Swap = "swap",
        /// The router changes a byte and writes a valid checksum.
        Rewrite = "rewrite",
        /// The router removes the request from SYNs.
        Strip = "strip",
        /// The process of the server's guard is killed.
        Kill = "kill",
        /// As `Swap`, with address translation.
        Nat = "nat",
        /// The router changes sequence numbers, with a valid checksum and address translation.
        Sequence = "sequence",
    }
}
