//! Attaches the programs, and pins what keeps them alive.

use super::device;
use super::filters::{self, EGRESS, INGRESS};
use super::function;
use super::layout::{
    Config, KERNEL_CRC, LIMITED, MERGING, NO_ETHERNET, PARTIAL, PORTS, REQUIRE, THREADS, TOP,
    VERSION, crc_tables,
};
use super::listeners;
use super::maps::{Map, put};
use super::pins::{self, Pins};
use super::programs::{COMPLETE, Programs, SEGMENTS, SOCKETS, XDP};
use super::stack;
use crate::host::{Ports, threads};
use crate::negotiate::{GREATEST, Offer};
use crate::sys::bpf::{self, Attachment};
use crate::sys::interface::{self, Feature};
use crate::{Config as Defaults, Policy};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::PathBuf;

/// Longest packet that the programs read.
pub(super) const LONGEST: u32 = 16_384;

/// Drivers of virtual cards that deliver segments of the same machine whose checksums are not
/// computed yet.
const VIRTUAL_CARDS: [&str; 5] = ["virtio_net", "vif", "vmxnet3", "hv_netvsc", "tun"];

/// What the kernel engine guards, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Names of the interfaces.
    pub interfaces: Vec<String>,
    /// Ports of the connections, at either end; empty: all.
    pub ports: Vec<Ports>,
    /// Value to request and to answer with.
    pub offer: Offer,
    /// Policy without an agreement.
    pub policy: Policy,
    /// Folder of a cgroup (version 2) whose processes are guarded; `None`: all processes of the
    /// network namespace.
    pub cgroup: Option<PathBuf>,
    /// Whether threads receive the packets of the interfaces, so that another CPU can do so than
    /// the one that has sent them, until the guard is removed.
    pub receive_threads: bool,
    /// Attach as Linux 5.15 needs it, by filters of tc and without XDP: for tests.
    #[doc(hidden)]
    pub as_oldest: bool,
}

/// Returns what the kernel engine requests by itself where a host has this value of table 7.1: for
/// 3, which stands in the checksum field, each segment waits in one more queue.
#[must_use]
pub fn instead_of(value: u8) -> u8 {
    if value == 3 { 5 } else { value }
}

/// Guards interfaces, until [`off`](super::off). Connections that are open already stay as they
/// are. If the guard is on, value, policy and ports change for new connections on all interfaces,
/// and everything else stays, counters too. Interfaces that are not guarded yet join.
///
/// Returns whether sockets that listen already are included. Otherwise (before Linux 6.12) they
/// make regular connections until they are opened again.
///
/// # Errors
///
/// If a guard of another cgroup is on, or the kernel lacks something; nothing is attached then.
pub fn on(settings: &Settings) -> io::Result<bool> {
    // The devices of a dead guard would be in the way.
    pins::remove_dead()?;
    let there = Pins::all()?;
    let is_new = |name: &&String| there.iter().all(|pins| pins.interface != **name);
    let mut new: Vec<&String> = settings.interfaces.iter().filter(is_new).collect();
    new.sort();
    new.dedup();
    // What is wrong with an interface must be known before anything changes.
    for name in &new {
        config(settings, name)?;
    }
    let named = there.iter().map(|pins| &pins.interface).chain(new.iter().copied());
    stack::must_be_apart(named.map(String::as_str))?;
    if !there.is_empty() {
        change(settings, &there)?;
    }
    let (mut attached, mut included) = (Vec::new(), true);
    for name in new {
        let pins = Pins::of(name)?;
        let first = there.first().or(attached.first()).cloned();
        attached.push(pins.clone());
        let result = pins.create().and_then(|()| attach(settings, &pins, first.as_ref()));
        if result.is_err() {
            // The first error is the one to report.
            let _ = remove(&attached);
            let _ = interface::index(name).map(device::remove);
        }
        included &= result?;
    }
    Ok(included)
}

/// Changes the settings of a guard that is on.
fn change(settings: &Settings, there: &[Pins]) -> io::Result<()> {
    let cgroup = pins::number_of_cgroup(&cgroup(settings)?)?;
    let mut changes = Vec::new();
    for pins in there {
        let map = Map::<u32, Config>::open(&pins.map("config"))?;
        let before = map.must_get(&0)?;
        let is_cgroup = pins.cgroup_number().is_ok_and(|is| is == cgroup);
        let why = match pins.broken(before.device) {
            Some(why) => why,
            None if before.version != VERSION => {
                "it is of another version of residue, whose maps have another layout".to_string()
            }
            None if !is_cgroup => "another cgroup cannot take its place".to_string(),
            None => {
                let Config { segmenter, completer, completed, .. } = before;
                let config = config(settings, &pins.interface)?;
                let flags = config.flags | before.flags & (KERNEL_CRC | MERGING);
                let config = Config { flags, segmenter, completer, completed, ..config };
                changes.push((pins, map, before, config));
                continue;
            }
        };
        let words = format!(
            "a guard of {} is on already, and {why}; end it first (`residue guard off`)",
            pins.interface
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, words));
    }
    changes.iter().try_for_each(|(pins, map, before, config)| {
        let ours = before.flags & THREADS > 0;
        let config = with_threads(settings, &pins.interface, *config, ours)?;
        map.put(&0, &config)
    })
}

/// Makes threads receive the packets of an interface, or not, as the settings want. `ours` says
/// whether an earlier configuration has switched them on.
fn with_threads(
    settings: &Settings,
    interface: &str,
    config: Config,
    ours: bool,
) -> io::Result<Config> {
    let ours = threads::set(interface, settings.receive_threads, ours)?;
    let flag = if ours { THREADS } else { 0 };
    Ok(Config { flags: config.flags & !THREADS | flag, ..config })
}

/// Removes guards, and their devices. If threads go on receiving that a guard has switched on, the
/// guards are removed all the same, and the error says so.
pub(super) fn remove(all: &[Pins]) -> io::Result<()> {
    let mut threads = Ok(());
    for pins in all {
        filters::remove(&pins.interface, |name| pins.link(name))?;
        let config = Map::<u32, Config>::open(&pins.map("config")).and_then(|map| map.must_get(&0));
        // Without a configuration, `clean` removes the devices.
        if let Ok(config) = config {
            device::remove(config.device)?;
            let is_there = interface::index(&pins.interface) == Some(config.device);
            // Before XDP goes, and with it the receive queues of a veth device.
            if is_there && config.flags & MERGING > 0 {
                // It works in either way.
                let _ = interface::merge(&pins.interface, false);
            }
            if is_there && config.flags & THREADS > 0 {
                threads = threads.and(threads::set(&pins.interface, false, true).map(drop));
            }
        }
    }
    pins::remove_all(all)?;
    threads
}

/// Attaches the programs to an interface. With those of the `first` one they share all maps but the
/// configuration, and the program of sockets.
///
/// Returns whether sockets that listen already are included: only the first one includes them.
fn attach(settings: &Settings, pins: &Pins, first: Option<&Pins>) -> io::Result<bool> {
    let interface = &pins.interface;
    let mut config = config(settings, interface)?;
    device::create(&mut config)?;
    let mut programs = Programs::new(first)?;
    if !settings.as_oldest {
        function::load_module();
        if programs.settle_crc32c().is_ok() {
            config.flags |= KERNEL_CRC;
        }
    }
    put(programs.map("config")?, &0_u32, &config)?;
    let cgroup = File::open(cgroup(settings)?)?;
    let target = cgroup.as_raw_fd() as u32;
    if first.is_none() {
        for (at, tables) in (0_u32..).zip(crc_tables()) {
            put(programs.map("crc_tables")?, &at, &tables)?;
        }
        put(programs.map("cgroups")?, &0_u32, &target)?;
    }
    for (name, map) in &programs.maps {
        bpf::pin(map.as_fd(), &pins.map(name))?;
    }
    // Received segments last: no connection is negotiated before their program marks its SYN, so
    // one that is finds the rest.
    let exit = device::exit(config.device);
    let to = |interface, device| Target { interface, device, as_oldest: settings.as_oldest };
    attach_tc(&programs, SEGMENTS, &to(&exit, config.completed), pins)?;
    attach_tc(&programs, COMPLETE, &to(&exit, config.completed), pins)?;
    attach_tc(&programs, EGRESS, &to(interface, config.device), pins)?;
    if attach_ingress(&programs, &to(interface, config.device), pins)? && start_merging(interface) {
        config.flags |= MERGING;
        // What fails from here on ends with `remove`.
        put(programs.map("config")?, &0_u32, &config)?;
    }
    // A veth device has receive queues only with XDP.
    let config = with_threads(settings, interface, config, false)?;
    put(programs.map("config")?, &0_u32, &config)?;
    let link = match first {
        Some(first) => bpf::open(&first.link("sockops"))?,
        None => {
            let program = programs.load(SOCKETS)?;
            let attached = bpf::attach(program.as_fd(), target, Attachment::SocketOperations);
            attached.map_err(full)?
        }
    };
    bpf::pin(link.as_fd(), &pins.link("sockops"))?;
    Ok(first.is_some() || listeners::include(&programs))
}

/// Explains why a cgroup takes no more programs.
fn full(error: io::Error) -> io::Error {
    if error.raw_os_error() != Some(libc::E2BIG) {
        return error;
    }
    io::Error::other(
        "as many programs as a cgroup can have (64) are attached to it already, as by guards of \
         many pods; give each guard the cgroup of its pod (`--cgroup`)",
    )
}

/// Attaches the check of received segments: by XDP in the driver, so that the kernel merges
/// segments afterwards, or else by tc. XDP outside the driver comes after merging, too.
///
/// Returns whether it is XDP.
fn attach_ingress(programs: &Programs, target: &Target, pins: &Pins) -> io::Result<bool> {
    let attach =
        |program: OwnedFd| bpf::attach(program.as_fd(), target.device, Attachment::Xdp).ok();
    let program = programs.load(XDP).ok().filter(|_| !target.as_oldest);
    match program.and_then(attach) {
        Some(link) => bpf::pin(link.as_fd(), &pins.link("xdp")).map(|()| true),
        None => attach_tc(programs, INGRESS, target, pins).map(|()| false),
    }
}

/// Makes a veth device merge received segments, which it does not by default: what it receives is
/// seldom cut, and from a guard always. Returns whether this changed the device.
fn start_merging(interface: &str) -> bool {
    let is_veth = interface::driver(interface).is_ok_and(|[driver, _]| driver == "veth");
    is_veth
        && interface::has(interface, Feature::Gro).is_ok_and(|merges| !merges)
        && interface::merge(interface, true).is_ok()
}

/// Where programs of packets are attached.
struct Target<'a> {
    interface: &'a str,
    /// Its index.
    device: u32,
    /// [`Settings::as_oldest`].
    as_oldest: bool,
}

/// Attaches a program of tc: as a link (Linux 6.6), or else as a filter.
fn attach_tc(programs: &Programs, name: &str, target: &Target, pins: &Pins) -> io::Result<()> {
    let program = programs.load(name)?;
    let part = part(name);
    let (attachment, direction) = direction(name);
    if !target.as_oldest
        && let Ok(link) = bpf::attach(program.as_fd(), target.device, attachment)
    {
        return bpf::pin(link.as_fd(), &pins.link(part));
    }
    // The pin also says that the filter is there.
    let pin = pins.link(&format!("{part}_filter"));
    bpf::pin(program.as_fd(), &pin)?;
    filters::add(target.interface, direction, &pin)
}

/// Returns the name of a program's link.
fn part(program: &str) -> &str {
    program.trim_start_matches("guard_")
}

fn direction(program: &str) -> (Attachment, &'static str) {
    if program == EGRESS || program == SEGMENTS {
        (Attachment::Egress, "egress")
    } else {
        (Attachment::Ingress, "ingress")
    }
}

/// Returns the folder of the cgroup whose sockets are guarded.
fn cgroup(settings: &Settings) -> io::Result<PathBuf> {
    let Some(folder) = &settings.cgroup else { return pins::cgroups() };
    // Version 1 has no such file.
    if !folder.join("cgroup.controllers").exists() {
        let words = format!("{} is not the folder of a cgroup (version 2)", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, words));
    }
    Ok(folder.clone())
}

/// Returns the configuration of an interface.
///
/// The guard's own devices are missing in it.
fn config(settings: &Settings, interface: &str) -> io::Result<Config> {
    let Settings { ports, offer, policy, .. } = settings;
    if !matches!(offer.value, 1..=GREATEST) {
        let words = format!("value {} guards nothing; give one of 1 to {GREATEST}", offer.value);
        return Err(io::Error::new(io::ErrorKind::Unsupported, words));
    }
    let listed: Vec<u16> = ports.iter().flat_map(Ports::iter).take(PORTS + 1).collect();
    if listed.len() > PORTS {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the kernel engine takes {PORTS} ports at most, those of ranges included"),
        ));
    }
    let device = interface::index(interface).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("no interface `{interface}`"))
    })?;
    let mtu = interface::mtu(interface)?;
    if mtu > LONGEST {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("the MTU of {interface} is {mtu}; the kernel engine takes {LONGEST} at most"),
        ));
    }
    let defaults = Defaults::default();
    let mut config = Config {
        version: VERSION,
        value: offer.value,
        instead: instead_of(offer.instead),
        tries: defaults.tries,
        port_count: listed.len() as u8,
        device,
        // Older kernels guard the sockets of the cgroup in all network namespaces.
        netns: interface::namespace_cookie().unwrap_or(0),
        failed_time: defaults.timeouts.failed.as_nanos() as u64,
        ..Config::default()
    };
    config.ports[..listed.len()].copy_from_slice(&listed);
    if *policy == Policy::Require {
        config.flags |= REQUIRE;
    }
    if pins::number_of_cgroup(&cgroup(settings)?)? != pins::ROOT {
        config.flags |= LIMITED;
    }
    if !interface::is_ethernet(interface)? {
        config.flags |= NO_ETHERNET;
    }
    let [driver, bus] = interface::driver(interface).unwrap_or_default();
    if !is_card([&driver, &bus]) {
        config.flags |= PARTIAL;
    }
    if stack::is_top(interface)? {
        config.flags |= TOP;
    }
    Ok(config)
}

/// Returns whether an interface with this driver in this place on a bus is a card, to which
/// segments come by a cable. All others, also those above a card, such as VXLAN or macvlan, may
/// deliver what never left the machine.
fn is_card([driver, bus]: [&str; 2]) -> bool {
    !matches!(bus, "" | "N/A") && !VIRTUAL_CARDS.contains(&driver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cables_lead_to_cards() {
        let pci = "0000:00:03.0";
        for card in [["mlx5_core", pci], ["ena", pci], ["cdc_ether", "usb-0000:00:14.0-1"]] {
            assert!(is_card(card), "{card:?}");
        }
        for other in [
            ["virtio_net", pci],
            ["vif", "vif-0"],
            ["veth", ""],
            ["vxlan", ""],
            ["macvlan", ""],
            ["bridge", "N/A"],
            ["tun", "tap"],
            ["", ""],
        ] {
            assert!(!is_card(other), "{other:?}");
        }
    }
}
