//! The status of the guard inside the kernel, read from its maps.

use super::layout::{
    AGREED, Config, Connection, Counters as Raw, Destination as Entry, KERNEL_CRC, Key, PORTS,
    REASON_LARGE, REASON_SILENT, REQUIRE, STEP_FOUR, STEP_OWN,
};
use super::load::LONGEST;
use super::maps::{self, Map};
use super::pins::Pins;
use super::sockets::{Socket, connections};
use crate::host::metrics::Metrics;
use crate::host::threads;
use crate::sys::interface::{self, Feature};
use crate::{Counters, Destination, Failure};
use serde::{Deserialize, Serialize};
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The state of the guard inside the kernel, and its counts since it was installed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// `kernel`.
    pub engine: String,
    /// The guarded interfaces.
    pub interfaces: Vec<Interface>,
    /// Why the guard does not protect one of them, if so.
    pub broken: Option<String>,
    /// What keeps it from working well, if anything.
    pub warning: Option<String>,
    /// Guarded ports; empty: all.
    pub ports: Vec<String>,
    /// Requested value; `None`: the guard was switched off, and goes on for connections that need
    /// it.
    pub value: Option<u8>,
    /// Whether it refuses connections that it cannot guard.
    pub required: bool,
    /// Whether the kernel computes CRC-32C for the programs: module `bpf_crc32c` was loaded when
    /// the guard was switched on.
    pub kernel_crc32c: bool,
    /// Folder of the cgroup whose sockets are guarded.
    pub cgroup: Option<PathBuf>,
    /// Seconds since it was installed.
    pub uptime: f64,
    /// Open connections with a value.
    pub guarded: usize,
    /// Open connections of the interface's ports without one.
    pub unprotected: usize,
    /// Destinations from which less is requested.
    pub destinations: Vec<Destination>,
    /// Counters, as those of the queue engine.
    pub counters: Counters,
    /// Counters of this engine alone.
    pub kernel: KernelCounters,
}

/// A guarded interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Why it is not protected, if so.
    pub broken: Option<String>,
    /// Names of the attached parts.
    pub parts: Vec<String>,
    /// Whether threads receive its packets; `None`: unknown.
    pub receive_threads: Option<bool>,
    /// Whether it merges received segments (GRO); `None`: unknown.
    pub merges: Option<bool>,
}

/// Counters of the kernel engine alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCounters {
    /// SYNs sent with a request.
    pub requests: u64,
    /// SYN-ACKs sent with an answer.
    pub answers: u64,
    /// Segments of connections without agreement whose option is right: delivered, without effect.
    pub unconfirmed: u64,
    /// Bad segments outside the receive window: dropped, and in no other counter.
    pub out_of_window: u64,
    /// Options added to acknowledgments that the kernel sends without a socket.
    pub appended: u64,
    /// Big packets passed to the guard's own devices, which cut them.
    pub segmented: u64,
    /// Big packets dropped because these devices are missing.
    pub unsegmented: u64,
}

/// Returns the status of the guard in this network namespace; `None` if there is none.
///
/// # Errors
///
/// If the maps cannot be read, for example without permission.
pub fn status() -> io::Result<Option<Status>> {
    let all = Pins::all()?;
    all.first().map(|first| read(&all, first)).transpose()
}

/// Returns the configuration of an interface.
fn config(pins: &Pins) -> io::Result<Config> {
    let config = Map::<u32, Config>::open(&pins.map("config")).map_err(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            return error;
        }
        let words = format!(
            "the guard of {} is incomplete, as its installation was interrupted; run `residue \
             guard clean`",
            pins.interface
        );
        io::Error::new(error.kind(), words)
    })?;
    config.must_get(&0)
}

/// Reads what the guards of all interfaces share from the first one's maps.
fn read(all: &[Pins], pins: &Pins) -> io::Result<Status> {
    let mut interfaces = Vec::new();
    for pins in all {
        interfaces.push(Interface {
            name: pins.interface.clone(),
            broken: pins.broken(config(pins)?.device),
            parts: pins.links().into_iter().map(String::from).collect(),
            receive_threads: threads::are_on(&pins.interface).ok(),
            merges: interface::has(&pins.interface, Feature::Gro).ok(),
        });
    }
    let config = config(pins)?;
    let (guarded, unprotected) = sockets(all, &config)?;
    let (counters, kernel) = counters(&Map::open(&pins.map("counters"))?.get_per_cpu(&0_u32)?);
    let ports = &config.ports[..usize::from(config.port_count).min(PORTS)];
    Ok(Status {
        engine: "kernel".to_string(),
        broken: interfaces.iter().find_map(|interface| interface.broken.clone()),
        warning: all.iter().find_map(|pins| too_long(&pins.interface)),
        interfaces,
        ports: ports.iter().map(ToString::to_string).collect(),
        value: (config.value > 0).then_some(config.value),
        required: config.flags & REQUIRE > 0,
        kernel_crc32c: config.flags & KERNEL_CRC > 0,
        cgroup: pins.cgroup(),
        uptime: pins.age().as_secs_f64(),
        guarded: guarded.len(),
        unprotected,
        destinations: destinations(pins, &config)?,
        counters,
        kernel,
    })
}

/// Returns a warning if the interface has got a larger MTU than the programs can handle.
fn too_long(interface: &str) -> Option<String> {
    let mtu = interface::mtu(interface).ok().filter(|&mtu| mtu > LONGEST)?;
    Some(format!(
        "the MTU of {interface} is {mtu} now, and longer packets than {LONGEST} bytes are lost; \
         lower it, or run `residue guard off`"
    ))
}

/// Returns the open connections with a value, and the number of others that the guard could have
/// guarded.
pub(super) fn sockets(all: &[Pins], config: &Config) -> io::Result<(Vec<Socket>, usize)> {
    let Some(first) = all.first() else { return Ok((Vec::new(), 0)) };
    // The second one has those beyond the limit of the first.
    let tables = ["connections", "closed"];
    let [open, more] = tables.map(|map| Map::<Key, Connection>::open(&first.map(map)));
    let (open, more) = (open?, more?);
    let is_agreed = |found: Option<Connection>| found.is_some_and(|found| found.phase == AGREED);
    let mut addresses = Vec::new();
    for pins in all {
        addresses.extend(interface::addresses(&pins.interface)?);
    }
    let ports = &config.ports[..usize::from(config.port_count).min(PORTS)];
    let is_one = |port: &u16| ports.is_empty() || ports.contains(port);
    let (mut guarded, mut unprotected) = (Vec::new(), 0);
    for socket in connections()? {
        let key = Key {
            local: octets(socket.local.0),
            remote: octets(socket.remote.0),
            local_port: socket.local.1.to_be(),
            remote_port: socket.remote.1.to_be(),
        };
        if is_agreed(open.get(&key)?) || is_agreed(more.get(&key)?) {
            guarded.push(socket);
        } else if addresses.contains(&socket.local.0)
            // A connection of the host with itself goes by the loopback device.
            && !addresses.contains(&socket.remote.0)
            && (is_one(&socket.local.1) || is_one(&socket.remote.1))
        {
            unprotected += 1;
        }
    }
    Ok((guarded, unprotected))
}

/// Returns an address as keys of the maps have it: IPv4 addresses are IPv4-mapped.
pub(super) fn octets(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    }
}

fn destinations(pins: &Pins, config: &Config) -> io::Result<Vec<Destination>> {
    let table = Map::<[u8; 16], Entry>::open(&pins.map("destinations"))?;
    let mut all = Vec::new();
    for (address, entry) in table.entries()? {
        let age = maps::since(entry.since);
        let value = match entry.step {
            STEP_OWN => continue,
            STEP_FOUR => Some(4),
            _ if config.flags & REQUIRE > 0 => Some(4),
            _ => None,
        };
        if age.as_nanos() > u128::from(config.failed_time) {
            continue;
        }
        all.push(Destination {
            address: IpAddr::from(address).to_canonical().to_string(),
            value,
            failure: match entry.reason {
                REASON_SILENT => Failure::Silence,
                REASON_LARGE => Failure::Large,
                _ => Failure::NothingGood,
            },
            age: age.as_secs(),
            left: Duration::from_nanos(config.failed_time).saturating_sub(age).as_secs(),
        });
    }
    all.sort_by_key(|each| each.age);
    all.dedup_by(|a, b| a.address == b.address);
    Ok(all)
}

/// Adds up the counters of all CPUs.
fn counters(of_cpus: &[Raw]) -> (Counters, KernelCounters) {
    let mut counters = Counters::default();
    let mut kernel = KernelCounters::default();
    for raw in of_cpus {
        for (to, from) in counters.received.iter_mut().zip(&raw.received) {
            to.both_good += from.both_good;
            to.only_tcp_bad += from.only_tcp_bad;
            to.only_crc_bad += from.only_crc_bad;
            to.both_bad += from.both_bad;
            to.missing += from.missing;
        }
        for (to, from) in [(&mut counters.sent, &raw.sent), (&mut counters.agreed, &raw.agreed)] {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        for (to, from) in [
            (&mut counters.orphans, raw.orphans),
            (&mut counters.failed_destinations, raw.failed_destinations),
            (&mut counters.silent, raw.silent),
            (&mut counters.no_room, raw.no_room),
            (&mut counters.sack_blocks_cut, raw.sack_blocks_cut),
            (&mut counters.fast_open_removed, raw.fast_open_removed),
            (&mut counters.bad_syns, raw.bad_syns),
            (&mut counters.fragments, raw.fragments),
            (&mut counters.refused, raw.refused),
            (&mut kernel.requests, raw.requests),
            (&mut kernel.answers, raw.answers),
            (&mut kernel.unconfirmed, raw.unconfirmed),
            (&mut kernel.out_of_window, raw.out_of_window),
            (&mut kernel.appended, raw.appended),
            (&mut kernel.segmented, raw.segmented),
            (&mut kernel.unsegmented, raw.unsegmented),
        ] {
            *to += from;
        }
    }
    (counters, kernel)
}

impl Status {
    /// Formats the status for Prometheus. Counters end in `_total`.
    #[must_use]
    pub fn prometheus(&self) -> String {
        let one = |number: f64| [(String::new(), number)];
        let mut text = Metrics::default();
        for (name, help, number) in [
            ("up", "1 if all interfaces are guarded", f64::from(self.broken.is_none())),
            ("uptime_seconds", "Seconds since the start", self.uptime),
            ("guarded_connections", "Connections with a check value, now", self.guarded as f64),
            (
                "unprotected_connections",
                "Regular connections, which have no check value, now",
                self.unprotected as f64,
            ),
        ] {
            text.metric(name, help, "gauge", one(number));
        }
        text.destinations(&self.destinations);
        text.counters(&self.counters);
        text.counters(&self.kernel);
        text.finish()
    }
}
