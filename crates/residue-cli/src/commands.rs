//! One file per command, each with a `run` that is given its arguments and where to print.

pub mod bench;
pub mod check;
pub mod conform;
pub mod explain;
pub mod guard;
pub mod identify;
pub mod list;
pub mod manual;
pub mod pcap;
pub mod self_test;
pub mod strength;
pub mod sum;
