//! The pair of devices through which big packets are cut: the kernel segments a packet in one go
//! when it leaves through a device without segmentation offload, and each segment gets its check
//! value on the other side of the pair.

use crate::adapter::sys::interface::{Feature, index, set};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::{Command, Stdio};

/// Names of the pair's ends: big packets enter at the first, segments leave at the second.
pub(super) const ENDS: [&str; 2] = ["rguard-in", "rguard-out"];

/// Packets that may wait for a CPU: a big packet becomes up to 45 segments, and each connection may
/// have several on the way. The kernel's default is 1000.
const BACKLOG: u32 = 10_000;
const BACKLOG_FILE: &str = "/proc/sys/net/core/netdev_max_backlog";

/// Raises the kernel's limit of waiting packets. It belongs to the whole machine, and only its
/// first network namespace sees it.
fn raise_backlog() {
    let now = fs::read_to_string(BACKLOG_FILE).ok().and_then(|text| text.trim().parse().ok());
    if now.is_some_and(|now: u32| now < BACKLOG) {
        // The guard works without it, and loses segments under load, which TCP retransmits.
        let _ = fs::write(BACKLOG_FILE, BACKLOG.to_string());
    }
}

/// Creates the pair; returns the indices of its ends.
pub(super) fn create() -> io::Result<[u32; 2]> {
    remove()?;
    raise_backlog();
    let [entry, exit] = ENDS;
    ip(&["link", "add", entry, "type", "veth", "peer", "name", exit])?;
    let made = configure();
    if made.is_err() {
        // The first error is the one to report.
        let _ = remove();
    }
    made
}

fn configure() -> io::Result<[u32; 2]> {
    for end in ENDS {
        // No addresses and no IPv6 neighbour discovery: only redirected packets pass.
        ip(&["link", "set", end, "addrgenmode", "none"])?;
        ip(&["link", "set", end, "mtu", "65535", "txqueuelen", "1000"])?;
        ip(&["link", "set", end, "up"])?;
    }
    set(ENDS[0], Feature::Tso, false)?;
    set(ENDS[0], Feature::Gso, false)?;
    // The programs read each segment as a whole.
    set(ENDS[0], Feature::ScatterGather, false)?;
    // Merged segments would have one check value.
    set(ENDS[1], Feature::Gro, false)?;
    let gone = || io::Error::other("the guard's own devices are gone");
    Ok([index(ENDS[0]).ok_or_else(gone)?, index(ENDS[1]).ok_or_else(gone)?])
}

/// Removes the pair, if it exists; returns whether it did.
pub(super) fn remove() -> io::Result<bool> {
    if index(ENDS[0]).is_none() {
        return Ok(false);
    }
    ip(&["link", "del", ENDS[0]]).map(|()| true)
}

fn ip(words: &[&str]) -> io::Result<()> {
    iproute2("ip", words)
}

/// Returns an error if `ip` is missing.
pub(super) fn is_possible() -> io::Result<()> {
    ip(&["-V"])
}

/// Runs a program of iproute2.
pub(super) fn iproute2(program: &str, words: &[&str]) -> io::Result<()> {
    // The folders of administrators' programs, which not all users have on their path.
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(OsString::from(":/usr/sbin:/sbin"));
    let mut command = Command::new(program);
    command.args(words).env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let words = format!("{program} is not installed (Debian package iproute2)");
            io::Error::new(error.kind(), words)
        }
        _ => error,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{program} {}: {}", words.join(" "), text.trim())))
}
