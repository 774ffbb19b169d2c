//! Switching the guard off, and forgetting.

use super::device;
use super::layout::{Config, Destination, STEP_OWN};
use super::load::remove;
use super::maps::Map;
use super::pins::{self, Pins};
use super::sockets::reset;
use super::status::{octets, sockets};
use std::io;
use std::net::IpAddr;

/// What to do with connections that have a value when the guard is switched off. Their peers drop
/// segments without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Guard them to their end: the programs stay until then.
    Finish,
    /// Reset them.
    Reset,
    /// Leave them without the programs, so that they hang.
    Abandon,
}

/// What is left after the guard was switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing; the number of connections that were reset or abandoned.
    Nothing(usize),
    /// The number of connections that are guarded to their end; new ones are regular TCP.
    Connections(usize),
}

/// Switches the guard of this network namespace off; `None` if there is none.
///
/// # Errors
///
/// If the connections cannot be found or reset, or something cannot be removed.
pub fn off(ending: Ending) -> io::Result<Option<Left>> {
    let all = Pins::all()?;
    if all.is_empty() {
        return Ok(None);
    }
    let guarded = stop_offering(&all);
    let count = match (guarded, ending) {
        // A broken guard protects nothing any more.
        (Err(_), _) => 0,
        (Ok(guarded), Ending::Finish) if !guarded.is_empty() => {
            return Ok(Some(Left::Connections(guarded.len())));
        }
        (Ok(guarded), Ending::Reset) => reset(&guarded)?,
        (Ok(guarded), _) => guarded.len(),
    };
    remove(&all)?;
    Ok(Some(Left::Nothing(count)))
}

/// Makes new connections regular TCP. Returns the open ones with a value; none if all interfaces
/// are gone, which must not keep the guard from being removed.
fn stop_offering(all: &[Pins]) -> io::Result<Vec<super::sockets::Socket>> {
    let (mut last, mut works) = (Config::default(), false);
    for pins in all {
        let map = Map::<u32, Config>::open(&pins.map("config"))?;
        let config = map.must_get(&0)?;
        map.put(&0, &Config { value: 0, flags: config.flags & !super::layout::REQUIRE, ..config })?;
        works |= pins.broken(config.device).is_none();
        last = config;
    }
    if works { sockets(all, &last).map(|(guarded, _)| guarded) } else { Ok(Vec::new()) }
}

/// Removes the guards of this network namespace, with or without open connections, and what those
/// of others that are gone have left. Returns what was removed.
///
/// # Errors
///
/// If something cannot be removed.
pub fn clean() -> io::Result<Vec<String>> {
    let mut removed = Vec::new();
    let all = Pins::all()?;
    remove(&all)?;
    for pins in &all {
        removed.push(format!("eBPF programs of {}, {}", pins.interface, pins.folder.display()));
    }
    removed.extend(device::remove_all()?.into_iter().map(|name| format!("device {name}")));
    for folder in pins::remove_dead()? {
        removed.push(format!("eBPF programs without an interface, {}", folder.display()));
    }
    Ok(removed)
}

/// Forgets that a value failed for a destination, or for all; returns for how many. `None`: no
/// guard is on.
///
/// # Errors
///
/// If the map cannot be read or changed.
pub fn forget(address: Option<IpAddr>) -> io::Result<Option<usize>> {
    let Some(pins) = Pins::all()?.into_iter().next() else { return Ok(None) };
    let map = Map::<[u8; 16], Destination>::open(&pins.map("destinations"))?;
    let wanted = address.map(octets);
    let mut count = 0;
    for (key, entry) in map.entries()? {
        if wanted.is_none_or(|wanted| wanted == key) {
            count += usize::from(map.remove(&key)? && entry.step != STEP_OWN);
        }
    }
    Ok(Some(count))
}
