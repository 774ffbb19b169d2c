//! Finds, verifies and explains the check values in packets.
//!
//! The [`wire`] layers of a packet yield [`check::Check`]s: the place of a check value, the bytes
//! that it covers, and its rule. All other modules work on checks alone, and need no change for a
//! new protocol: [`verify`] determines the verdict, [`diagnose`] the cause, [`fix`] the bytes to
//! change. [`pcap`] reads captures from readers.
//!
//! Feature `json` (off by default): `json`, the JSON report of a capture.

#![forbid(unsafe_code)]

mod address;
pub mod agreements;
mod buffer;
pub mod check;
pub mod compare;
pub mod copies;
mod datagram;
pub mod diagnose;
mod error;
pub mod filter;
pub mod fix;
pub mod frame;
#[cfg(feature = "json")]
pub mod json;
pub mod lru;
mod named;
pub mod nat;
pub mod pcap;
pub mod record;
pub mod replace;
pub mod rewrite;
pub mod select;
mod stream;
pub mod summary;
pub mod survey;
pub mod time;
pub mod unfollowed;
pub mod verify;
pub mod wire;

pub use address::Address;
pub use error::Error;
