//! Filters of tc: for kernels that have no links for tc (before Linux 6.6). A pin of the program
//! says that the guard has added one.

use super::device::{iproute2, output};
use crate::sys::interface;
use std::io;
use std::path::Path;

/// Preference of the filters.
const PREFERENCE: &str = "14";

/// The program of sent segments.
pub(super) const EGRESS: &str = "guard_egress";
/// The program of received segments.
pub(super) const INGRESS: &str = "guard_ingress";

/// The programs of packets of a guarded interface, names of their pins, and their direction.
/// Filters of the guard's own devices end with these.
const ALL: [(&str, &str, &str); 2] =
    [(EGRESS, "egress_filter", "egress"), (INGRESS, "ingress_filter", "ingress")];

/// Adds a filter for a pinned program.
pub(super) fn add(interface: &str, direction: &str, pin: &Path) -> io::Result<()> {
    // It exists already if others use it.
    let _ = iproute2("tc", &["qdisc", "add", "dev", interface, "clsact"]);
    let place = ["filter", "add", "dev", interface, direction, "pref", PREFERENCE];
    let program = ["bpf", "da", "object-pinned", &pin.to_string_lossy()];
    iproute2("tc", &[&place[..], &program].concat())
}

/// Returns whether an interface has the filter of a program.
fn is_there(interface: &str, direction: &str, program: &str) -> bool {
    let shown = output("tc", &["filter", "show", "dev", interface, direction, "pref", PREFERENCE]);
    // The kernel keeps 15 bytes of a program's name.
    let name = &program[..program.len().min(15)];
    shown.is_ok_and(|text| String::from_utf8_lossy(&text).contains(name))
}

/// Returns the name of a filter that the guard added, as its pin shows, and others removed.
pub(super) fn missing(interface: &str, is_pinned: impl Fn(&str) -> bool) -> Option<&'static str> {
    let is_gone = |&&(program, pin, direction): &&(&str, &str, &str)| {
        is_pinned(pin) && !is_there(interface, direction, program)
    };
    ALL.iter().find(is_gone).map(|&(_, pin, _)| pin)
}

/// Removes the filters of a guard. Links need no such thing, as they end with their pins.
pub(super) fn remove(interface: &str, is_pinned: impl Fn(&str) -> bool) -> io::Result<()> {
    for (program, pin, direction) in ALL {
        // A filter ends with its interface, and others may have removed it.
        if is_pinned(pin)
            && interface::index(interface).is_some()
            && is_there(interface, direction, program)
        {
            iproute2("tc", &["filter", "del", "dev", interface, direction, "pref", PREFERENCE])?;
        }
    }
    Ok(())
}
