//! What the kernel engine needs.

use super::filters::{EGRESS, INGRESS};
use super::programs::{COMPLETE, Programs, SEGMENTS, SOCKETS, XDP, explain};
use super::{device, listeners, pins};
use crate::host::Need;
use std::io;

/// Name of a need: received segments are checked by XDP.
pub const BY_XDP: &str = "eBPF: received segments (XDP)";
/// Name of a need: sockets that listen already are included.
pub const LISTENING: &str = "eBPF: services that listen already";

/// Tests the requirements of the kernel engine, without attaching anything. It runs without those
/// that are replaceable: slower without XDP or the kernel's CRC-32C, and only for sockets younger
/// than itself without the iterator over those that listen.
#[must_use]
pub fn needs() -> Vec<Need> {
    let need = |name, result: io::Result<()>, replaceable| Need {
        name,
        missing: result.err().map(|error| error.to_string()),
        replaceable,
    };
    let mut needs = vec![
        need("BPF file system", pins::is_usable(), false),
        need("cgroups, version 2", pins::cgroups().map(drop), false),
        need("processes of all cgroups", pins::all_cgroups_are_seen(), true),
        need("ip (iproute2)", device::has_ip(), false),
        need("devices that cut packets", device::are_possible().map_err(explain), false),
    ];
    let mut programs = match Programs::new(None) {
        Ok(programs) => programs,
        Err(error) => {
            needs.push(need("eBPF", Err(error), false));
            return needs;
        }
    };
    for (name, program) in [
        ("eBPF: options of TCP headers", SOCKETS),
        ("eBPF: sent segments (tc)", EGRESS),
        ("eBPF: big packets (tc)", SEGMENTS),
        ("eBPF: values 1 to 3 (tc)", COMPLETE),
        ("eBPF: received segments (tc)", INGRESS),
    ] {
        needs.push(need(name, programs.load(program).map(drop), false));
    }
    let xdp = programs.load(XDP).map(drop);
    let by_tc = |error| io::Error::other(format!("checked by tc instead: {error}"));
    needs.push(need(BY_XDP, xdp.map_err(by_tc), true));
    needs.push(need(LISTENING, listeners::can_include(&programs), true));
    let by_programs = |error| io::Error::other(format!("computed by the programs: {error}"));
    needs.push(need(
        "eBPF: CRC-32C by the kernel",
        programs.settle_crc32c().map_err(by_programs),
        true,
    ));
    needs
}
