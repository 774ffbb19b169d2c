//! The devices in which big packets are cut. The kernel segments a packet in one go when it leaves
//! through a device that takes single segments only: `rguard-in`. That one is a macvlan, which
//! hands each segment at once to the device below it, `rguard-out`. There a program sends it on to
//! the guarded interface, and nothing leaves `rguard-out` itself. All of this happens inside the
//! call that sends the packet. So packets keep their order, and TCP learns when they have left.
//!
//! Values that stand in the checksum field need a field that nobody writes later. Their packets
//! leave through the other end of `rguard-out`, `rguard-end`, which computes no checksums: the
//! kernel does so before. They arrive at `rguard-out`, and a program sends them on as well.
//!
//! Each guarded interface has devices of its own, with its index in their names.

use super::layout::Config;
use crate::sys::interface::{Feature, compute_no_checksums, has, index};
use crate::sys::process::in_own_network;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::{Command, Stdio};

/// The device that cuts big packets.
const ENTRY: &str = "rguard-in";
/// The device below it.
const EXIT: &str = "rguard-out";
/// The other end of `EXIT`, a veth: nothing arrives there, but what leaves it arrives at `EXIT`.
const END: &str = "rguard-end";

/// Returns the name of a device for the interface with an index: 15 characters at most.
fn name(kind: &str, interface: u32) -> String {
    format!("{kind}{:x}", interface & 0xf_ffff)
}

/// Returns the name of the device below the one that cuts packets.
pub(super) fn exit(interface: u32) -> String {
    name(EXIT, interface)
}

/// Creates the devices for the interface of a configuration, and puts them into it.
pub(super) fn create(config: &mut Config) -> io::Result<()> {
    let interface = config.device;
    remove(interface)?;
    let made = make(interface);
    if made.is_err() {
        // The first error is the one to report.
        let _ = remove(interface);
    }
    [config.segmenter, config.completed, config.completer] = made?;
    Ok(())
}

/// Returns the indices of `rguard-in`, `rguard-out` and `rguard-end`.
fn make(interface: u32) -> io::Result<[u32; 3]> {
    let [entry, exit, end] = [ENTRY, EXIT, END].map(|kind| name(kind, interface));
    let [entry, exit, end] = [&*entry, &exit, &end];
    // No addresses and no IPv6 neighbour discovery: only redirected packets pass.
    const QUIET: [&str; 4] = ["addrgenmode", "none", "mtu", "65535"];
    // Single segments only.
    const SINGLE: [&str; 2] = ["gso_max_segs", "1"];
    let made = ip(&["link", "add", exit, "type", "veth", "peer", "name", end]);
    made.map_err(|error| lacking(error, "CONFIG_VETH"))?;
    for device in [exit, end] {
        ip(&[&["link", "set", device][..], &QUIET].concat())?;
        ip(&["link", "set", device, "up"])?;
    }
    let below = ["link", "add", "link", exit, "name", entry];
    let made = ip(&[&below[..], &["type", "macvlan", "mode", "private"]].concat());
    made.map_err(|error| lacking(error, "CONFIG_MACVLAN"))?;
    ip(&[&["link", "set", entry][..], &QUIET, &SINGLE].concat())?;
    ip(&[&["link", "set", end][..], &SINGLE].concat())?;
    compute_no_checksums(end)?;
    if has(end, Feature::TxChecksum)? {
        let words = format!("{end} goes on computing checksums (`ethtool -K {end} tx off`)");
        return Err(io::Error::other(words));
    }
    ip(&["link", "set", entry, "up"])?;
    let gone = || io::Error::other("the guard's own devices are gone");
    let [entry, exit, end] = [entry, exit, end].map(|name| index(name).ok_or_else(gone));
    Ok([entry?, exit?, end?])
}

/// Names the setting of the kernel that may be missing.
fn lacking(error: io::Error, setting: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{error} (the kernel needs {setting})"))
}

/// Removes the devices of an interface, if they exist.
pub(super) fn remove(interface: u32) -> io::Result<()> {
    let exit = exit(interface);
    // Its other end, and the device above it, go with it.
    if index(&exit).is_some() { ip(&["link", "del", &exit]) } else { Ok(()) }
}

/// Removes the devices of all interfaces; returns the names of those with a program.
pub(super) fn remove_all() -> io::Result<Vec<String>> {
    let devices = fs::read_to_string("/proc/net/dev")?;
    let names = devices.lines().filter_map(|line| Some(line.split_once(':')?.0.trim()));
    let exits: Vec<String> =
        names.filter(|name| name.starts_with(EXIT)).map(str::to_string).collect();
    exits.iter().try_for_each(|exit| ip(&["link", "del", exit]))?;
    Ok(exits)
}

fn ip(words: &[&str]) -> io::Result<()> {
    iproute2("ip", words)
}

/// Returns an error if `ip` is missing.
pub(super) fn has_ip() -> io::Result<()> {
    ip(&["-V"])
}

/// Tests whether the devices can be made, in a network namespace that ends with the test.
pub(super) fn are_possible() -> io::Result<()> {
    in_own_network(|| make(0)).map(drop)
}

/// Returns the output of `ip`.
pub(super) fn output_of_ip(words: &[&str]) -> io::Result<Vec<u8>> {
    output("ip", words)
}

/// Runs a program of iproute2.
pub(super) fn iproute2(program: &str, words: &[&str]) -> io::Result<()> {
    output(program, words).map(drop)
}

/// Runs a program of iproute2, and returns its output.
pub(super) fn output(program: &str, words: &[&str]) -> io::Result<Vec<u8>> {
    // The folders of administrators' programs, which not all users have on their path.
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(OsString::from(":/usr/sbin:/sbin"));
    let mut command = Command::new(program);
    command.args(words).env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    let result = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let words = format!("{program} is not installed (Debian package iproute2)");
            io::Error::new(error.kind(), words)
        }
        _ => error,
    })?;
    if result.status.success() {
        return Ok(result.stdout);
    }
    let text = String::from_utf8_lossy(&result.stderr);
    Err(io::Error::other(format!("{program} {}: {}", words.join(" "), text.trim())))
}
