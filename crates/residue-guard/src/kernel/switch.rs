//! Switching the guard off, and forgetting.

use super::device;
use super::layout::{Config, Destination};
use super::load::remove_filters;
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
    let Some(pins) = Pins::all()?.into_iter().next() else { return Ok(None) };
    let guarded = stop_offering(&pins);
    let count = match (guarded, ending) {
        // A broken guard protects nothing any more.
        (Err(_), _) => 0,
        (Ok(guarded), Ending::Finish) if !guarded.is_empty() => {
            return Ok(Some(Left::Connections(guarded.len())));
        }
        (Ok(guarded), Ending::Reset) => reset(&guarded)?,
        (Ok(guarded), _) => guarded.len(),
    };
    remove(&pins)?;
    Ok(Some(Left::Nothing(count)))
}

/// Makes new connections regular TCP. Returns the open ones with a value; none if the interface is
/// gone, which must not keep the guard from being removed.
fn stop_offering(pins: &Pins) -> io::Result<Vec<super::sockets::Socket>> {
    let map = Map::<u32, Config>::open(&pins.map("config"))?;
    let config = map.must_get(&0)?;
    map.put(&0, &Config { value: 0, flags: config.flags & !super::layout::REQUIRE, ..config })?;
    if pins.broken(config.device).is_some() {
        return Ok(Vec::new());
    }
    sockets(pins, &config).map(|(guarded, _)| guarded)
}

fn remove(pins: &Pins) -> io::Result<()> {
    remove_filters(pins)?;
    pins.remove()?;
    device::remove().map(drop)
}

/// Removes the guards of this network namespace, with or without open connections, and what those
/// of others that are gone have left. Returns what was removed.
///
/// # Errors
///
/// If something cannot be removed.
pub fn clean() -> io::Result<Vec<String>> {
    let mut removed = Vec::new();
    for pins in Pins::all()? {
        remove(&pins)?;
        removed.push(format!("eBPF programs of {}, {}", pins.interface, pins.folder.display()));
    }
    if device::remove()? {
        removed.push(format!("device {}", device::EXIT));
    }
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
    for (key, _) in map.entries()? {
        if wanted.is_none_or(|wanted| wanted == key) {
            count += usize::from(map.remove(&key)?);
        }
    }
    Ok(Some(count))
}
