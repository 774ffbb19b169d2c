//! Filters of tc: for kernels that have no links for tc (before Linux 6.6). A pin of the program
//! says that the guard has added one.

use super::device::{iproute2, output};
use crate::sys::{bpf, interface};
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

/// Preference of the filters.
const PREFERENCE: &str = "14";

/// The program of sent segments.
pub(super) const EGRESS: &str = "guard_egress";
/// The program of received segments.
pub(super) const INGRESS: &str = "guard_ingress";

/// Names of the pins of a guarded interface's filters, and their directions. Filters of the guard's
/// own devices end with these.
const ALL: [(&str, &str); 2] = [("egress_filter", "egress"), ("ingress_filter", "ingress")];

/// Adds a filter for a pinned program.
pub(super) fn add(interface: &str, direction: &str, pin: &Path) -> io::Result<()> {
    // It exists already if others use it.
    let _ = iproute2("tc", &["qdisc", "add", "dev", interface, "clsact"]);
    let place = ["filter", "add", "dev", interface, direction, "pref", PREFERENCE];
    let program = ["bpf", "da", "object-pinned", &pin.to_string_lossy()];
    iproute2("tc", &[&place[..], &program].concat())
}

/// Returns whether an interface has the filter of a pinned program, by the program's number: its
/// name is shown to those alone who may open any program (`CAP_SYS_ADMIN`).
fn is_there(interface: &str, direction: &str, pin: &Path) -> io::Result<bool> {
    let number = bpf::number_of(bpf::open(pin)?.as_fd())?.to_string();
    let shown = output("tc", &["filter", "show", "dev", interface, direction, "pref", PREFERENCE])?;
    let text = String::from_utf8_lossy(&shown);
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(words.windows(2).any(|two| two == ["id", number.as_str()]))
}

/// Returns the name of a filter that the guard added, as its pin shows, and others removed; `pin`
/// returns the places of pins.
///
/// # Errors
///
/// If the filters cannot be read.
pub(super) fn missing(
    interface: &str,
    pin: impl Fn(&str) -> PathBuf,
) -> io::Result<Option<&'static str>> {
    for (name, direction) in ALL {
        let pin = pin(name);
        if pin.exists() && !is_there(interface, direction, &pin)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Removes the filters of a guard. Links need no such thing, as they end with their pins.
pub(super) fn remove(interface: &str, pin: impl Fn(&str) -> PathBuf) -> io::Result<()> {
    for (name, direction) in ALL {
        let pin = pin(name);
        // A filter ends with its interface, and others may have removed it.
        if pin.exists()
            && interface::index(interface).is_some()
            && is_there(interface, direction, &pin)?
        {
            iproute2("tc", &["filter", "del", "dev", interface, direction, "pref", PREFERENCE])?;
        }
    }
    Ok(())
}
