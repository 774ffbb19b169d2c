//! Threads that receive the packets of an interface (threaded NAPI, Linux 5.12). Without them, a
//! veth device receives on the CPU that has sent the packet, so that one CPU does the work of both
//! ends.
//!
//! The setting is that of the whole interface, in sysfs. Netlink (Linux 6.17) has one for each
//! receive queue, which is lost when the interface goes down, as the queues of veth end then.

use crate::sys::sysfs;
use std::io::{self, Read as _, Write as _};

/// The file of the setting.
const FILE: &str = "threaded";

/// Returns whether threads receive the packets of an interface.
///
/// # Errors
///
/// Without `CAP_SYS_ADMIN`, or if the kernel has no such setting.
pub(crate) fn are_on(interface: &str) -> io::Result<bool> {
    let mut text = String::new();
    sysfs::open(interface, FILE, false)?.read_to_string(&mut text)?;
    Ok(text.trim() != "0")
}

/// Makes threads receive the packets of an interface, or makes it receive as it did before.
/// `ours` says whether the guard has switched the threads on. Returns whether the guard has to
/// switch them off at its end.
///
/// # Errors
///
/// If the kernel cannot do so.
pub(crate) fn set(interface: &str, wanted: bool, ours: bool) -> io::Result<bool> {
    let change = || match (wanted, ours) {
        (true, _) if are_on(interface)? => Ok(ours),
        (true, _) => write(interface, "1").map(|()| true),
        (false, true) => write(interface, "0").map(|()| false),
        (false, false) => Ok(false),
    };
    change().map_err(|error| explain(interface, &error))
}

fn write(interface: &str, word: &str) -> io::Result<()> {
    sysfs::open(interface, FILE, true)?.write_all(word.as_bytes())
}

/// Adds advice to an error.
fn explain(interface: &str, error: &io::Error) -> io::Error {
    let why = match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            "it is down, or has no receive queues, as a bridge, a VLAN or a tunnel; bring it up, \
             or set the interface below it"
        }
        Some(libc::EPERM | libc::EACCES) => "not permitted; run it as root, with CAP_SYS_ADMIN",
        Some(libc::ENOENT | libc::ENOSYS) => "this needs Linux 5.12",
        _ => &error.to_string(),
    };
    let words = format!("threads cannot receive the packets of {interface}: {why}");
    io::Error::new(io::ErrorKind::InvalidInput, words)
}
