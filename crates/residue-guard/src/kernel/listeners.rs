//! Sockets that listen already when the guard is switched on: without their inclusion (Linux 6.12)
//! they make regular connections until they are opened again.

use super::programs::{LISTENERS, Programs};
use crate::sys::bpf;
use crate::sys::process::in_own_network;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd as _;

/// Includes the sockets that listen already; returns whether this kernel can do so.
pub(super) fn include(programs: &Programs) -> bool {
    included(programs).is_ok_and(|count| count > 0) || can_include(programs).is_ok()
}

/// Includes the sockets that listen already, and returns how many.
fn included(programs: &Programs) -> io::Result<u64> {
    bpf::iterate(programs.load(LISTENERS)?.as_fd())
}

/// Tests it with one, in a network namespace that ends with the test: kernels before 6.12 load the
/// program, and refuse what it asks for.
pub(super) fn can_include(programs: &Programs) -> io::Result<()> {
    let count = in_own_network(|| {
        let _listener = TcpListener::bind(("0.0.0.0", 0))?;
        included(programs)
    })?;
    if count > 0 {
        return Ok(());
    }
    let words = "not by this kernel (Linux 6.12): restart them after `residue guard on`";
    Err(io::Error::new(io::ErrorKind::Unsupported, words))
}
