//! Tests the verification of captures, in one program: linking each file as one of its own
//! takes longer than compiling it.

mod across;
mod causes;
mod compare;
mod filter;
mod fixtures;
mod hostile;
mod iscsi;
mod nat;
mod patch;
mod pcap;
mod protocols;
mod replace;
mod select;
mod stream;
mod survey;
mod threads;
mod unfollowed;
mod walk;
mod wire;
