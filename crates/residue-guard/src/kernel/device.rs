//! The devices in which big packets are cut. The kernel segments a packet in one go when it leaves
//! through a device that takes single segments only: `rguard-in`. That one is a macvlan, which
//! hands each segment at once to the device below it, `rguard-out`. There a program sends it on to
//! the guarded interface, and nothing leaves `rguard-out` itself. All of this happens inside the
//! call that sends the packet. So packets keep their order, and TCP learns when they have left.

use crate::adapter::sys::interface::index;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::{Command, Stdio};

/// The device that cuts big packets.
const ENTRY: &str = "rguard-in";
/// The device below it.
pub(super) const EXIT: &str = "rguard-out";
/// The other end of `EXIT`, a veth: nothing arrives there.
const END: &str = "rguard-end";

/// Packets that may wait for a CPU: where a veth device is on the way, a big packet comes as up to
/// 45 segments, and each connection may have several on the way. The kernel's default is 1000.
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

/// Creates the devices; returns the index of the one that cuts packets.
pub(super) fn create() -> io::Result<u32> {
    remove()?;
    raise_backlog();
    let made = make();
    if made.is_err() {
        // The first error is the one to report.
        let _ = remove();
    }
    made
}

fn make() -> io::Result<u32> {
    // No addresses and no IPv6 neighbour discovery: only redirected packets pass.
    const QUIET: [&str; 4] = ["addrgenmode", "none", "mtu", "65535"];
    let made = ip(&["link", "add", EXIT, "type", "veth", "peer", "name", END]);
    made.map_err(|error| lacking(error, "CONFIG_VETH"))?;
    for end in [EXIT, END] {
        ip(&[&["link", "set", end][..], &QUIET].concat())?;
        ip(&["link", "set", end, "up"])?;
    }
    let below = ["link", "add", "link", EXIT, "name", ENTRY];
    let made = ip(&[&below[..], &["type", "macvlan", "mode", "private"]].concat());
    made.map_err(|error| lacking(error, "CONFIG_MACVLAN"))?;
    ip(&[&["link", "set", ENTRY][..], &QUIET, &["gso_max_segs", "1"]].concat())?;
    ip(&["link", "set", ENTRY, "up"])?;
    index(ENTRY).ok_or_else(|| io::Error::other("the guard's own devices are gone"))
}

/// Names the setting of the kernel that may be missing.
fn lacking(error: io::Error, setting: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{error} (the kernel needs {setting})"))
}

/// Removes the devices, if they exist; returns whether they did.
pub(super) fn remove() -> io::Result<bool> {
    if index(EXIT).is_none() {
        return Ok(false);
    }
    // Its other end, and the device above it, go with it.
    ip(&["link", "del", EXIT]).map(|()| true)
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
