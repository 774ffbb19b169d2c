//! Verifies the check values of live packets.
//!
//! [`live`] verifies packets one by one, considers what the capturing kernel knows about their
//! checksums, and counts; [`damaged`] writes the packets with damage to a file. Both run on every
//! system. `capture`, on Linux only, takes packets from an interface: through a ring of memory that
//! it shares with the kernel (packet sockets, `TPACKET_V3`). Its `sys` module has the only unsafe
//! code of this crate.

#![deny(unsafe_code)]

#[cfg(target_os = "linux")]
pub mod capture;
pub mod damaged;
#[cfg(target_os = "linux")]
mod frame;
#[cfg(target_os = "linux")]
pub mod interface;
pub mod live;
#[cfg(target_os = "linux")]
pub mod send;
#[cfg(target_os = "linux")]
pub mod signals;
#[cfg(target_os = "linux")]
mod sys;
