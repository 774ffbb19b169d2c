//! Where are the check values in this packet, are they right, and if not, why?
//!
//! A packet's [`wire`] layers yield [`check::Check`]s: where a check value stands, which bytes it
//! covers, by which rule. Everything else works on checks alone, and does not change for a new
//! protocol: [`verify`] finds the verdict, [`diagnose`] the cause, [`fix`] the bytes to change.
//! [`pcap`] reads captures from readers it is handed.
//!
//! Feature `json` (off by default): `json`, the report of a capture for programs.

#![forbid(unsafe_code)]

mod address;
mod buffer;
pub mod check;
mod datagram;
pub mod diagnose;
mod error;
pub mod fix;
pub mod frame;
#[cfg(feature = "json")]
pub mod json;
pub mod lru;
pub mod nat;
pub mod pcap;
pub mod record;
pub mod replace;
pub mod rewrite;
mod stream;
pub mod summary;
pub mod survey;
pub mod unfollowed;
pub mod verify;
pub mod wire;

pub use address::Address;
pub use error::Error;
