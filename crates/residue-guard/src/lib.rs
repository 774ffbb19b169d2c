//! A CRC inside live TCP connections: Sahu's thesis of 2019, chapter 7, for applications that know
//! nothing of it.
//!
//! The [`Engine`] stands between a host's kernel and the network. It negotiates with TCP Alternate
//! Checksum Request (kind 14) in SYNs, puts TCP Alternate Checksum Data (kind 15) into every other
//! segment the kernel sends, and drops what the network has damaged before the kernel has it, so
//! that TCP sends it again. Layout and coverage of the values are in
//! [`residue_net::wire::tcp_checksum_option`], the rules in docs/guard.md.
//!
//! The engine does no input or output and reads no clock. `adapter`, on Linux alone, does both: it
//! is a client of the kernel's netfilter queue with the rules that fill it, and a loop around the
//! engine.

#![deny(unsafe_code)]

#[cfg(target_os = "linux")]
pub mod adapter;
mod config;
mod connection;
mod counters;
mod engine;
mod memory;
pub mod negotiate;
mod options;
mod packet;
pub mod simulate;
mod value;

pub use config::{Config, Limits, Policy, Timeouts};
pub use counters::{Counters, Received};
pub use engine::{Action, Engine, Entries, Reason};
