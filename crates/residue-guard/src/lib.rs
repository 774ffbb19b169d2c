//! CRCs in live TCP connections, after Sahu's thesis of 2019, chapter 7, transparent to
//! applications.
//!
//! The [`Engine`] is placed between the kernel of a host and the network. It negotiates with TCP
//! Alternate Checksum Request (kind 14) in SYNs, and adds TCP Alternate Checksum Data (kind 15) to
//! every other segment that the kernel sends. Damaged segments are dropped before the kernel sees
//! them, so TCP retransmits. Layout and coverage of the values are in
//! [`residue_net::wire::tcp_checksum_option`], the rules in docs/guard/rules.md.
//!
//! The engine does no input or output and reads no clock. `queue`, on Linux only, does both: it is
//! a client of the kernel's netfilter queue, with the rules that fill it, and a loop around the
//! engine. `kernel` guards with eBPF programs instead. Both use `host` and `sys`, the system calls,
//! and neither uses the other.

#![deny(unsafe_code)]

mod config;
mod connection;
mod counters;
mod engine;
#[cfg(target_os = "linux")]
pub mod host;
#[cfg(target_os = "linux")]
pub mod kernel;
mod memory;
pub mod negotiate;
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod packet;
#[cfg(target_os = "linux")]
pub mod queue;
#[cfg(target_os = "linux")]
mod sys;
mod value;

pub use config::{Config, Limits, Policy, Timeouts};
pub use counters::{Counters, Received};
pub use engine::{Action, Engine, Entries, Reason, StateError};
pub use memory::{Destination, Failure};
pub use value::is_right;
