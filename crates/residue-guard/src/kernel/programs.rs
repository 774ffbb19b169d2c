//! The programs, loaded one by one, and the maps that they share.

use super::PROGRAMS;
use super::filters::{EGRESS, INGRESS};
use super::function::{self, Function};
use super::object::{self, Object};
use super::pins::Pins;
use crate::sys::bpf::{self, Kind, NewMap};
use crate::sys::process::lift_memory_limit;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

/// The programs, by the names of their functions.
#[cfg(test)]
pub(super) const NAMES: [&str; 7] = [SOCKETS, EGRESS, SEGMENTS, COMPLETE, INGRESS, XDP, LISTENERS];
pub(super) const SOCKETS: &str = "guard_sockops";
pub(super) const LISTENERS: &str = "guard_listeners";
pub(super) const SEGMENTS: &str = "guard_segments";
pub(super) const COMPLETE: &str = "guard_complete";
pub(super) const XDP: &str = "guard_xdp";

/// Kind of maps that hold cgroups (`BPF_MAP_TYPE_CGROUP_ARRAY`).
const CGROUPS: u32 = 8;

/// The programs, and the maps that they share.
#[derive(Debug)]
pub(super) struct Programs {
    object: Object<'static>,
    types: OwnedFd,
    pub(super) maps: Vec<(String, OwnedFd)>,
    /// The kernel's CRC-32C, if programs are to call it.
    pub(super) crc32c: Option<Function>,
}

impl Programs {
    /// Creates the maps, or opens those of another interface's guard but the configuration.
    pub(super) fn new(first: Option<&Pins>) -> io::Result<Programs> {
        lift_memory_limit();
        let object = Object::parse(PROGRAMS)?;
        let types = bpf::load_types(&object.types()?).map_err(explain)?;
        let mut maps = Vec::new();
        for map in &object.maps {
            if let Some(first) = first.filter(|_| map.name != "config") {
                maps.push((map.name.clone(), bpf::open(&first.map(&map.name))?));
                continue;
            }
            // The kernel takes no types for descriptors.
            let has_types = map.kind != CGROUPS;
            let new = NewMap {
                name: &map.name,
                kind: map.kind,
                key_size: map.key_size,
                value_size: map.value_size,
                max_entries: map.max_entries,
                flags: map.flags,
                types: types.as_fd(),
                key_type: if has_types { map.key_type } else { 0 },
                value_type: if has_types { map.value_type } else { 0 },
            };
            let created = bpf::create_map(&new).map_err(explain)?;
            maps.push((map.name.clone(), created));
        }
        Ok(Programs { object, types, maps, crc32c: None })
    }

    pub(super) fn map(&self, name: &str) -> io::Result<BorrowedFd<'_>> {
        let map = self.maps.iter().find(|(each, _)| each == name);
        let map = map.ok_or_else(|| io::Error::other(format!("the object has no map `{name}`")))?;
        Ok(map.1.as_fd())
    }

    /// Loads a program: the verifier of this kernel accepts it.
    pub(super) fn load(&self, name: &str) -> io::Result<OwnedFd> {
        self.load_with(name, self.crc32c.as_ref())
    }

    /// Makes the programs do without the kernel's CRC-32C, unless the verifier of this kernel lets
    /// all of them call it that it accepts at all.
    ///
    /// # Errors
    ///
    /// Why they do without.
    pub(super) fn settle_crc32c(&mut self) -> io::Result<()> {
        let may_call = |crc32c: &Function| {
            [EGRESS, INGRESS, XDP].iter().try_for_each(|name| {
                let called = self.load_with(name, Some(crc32c)).map(drop);
                called.or_else(|why| self.load_with(name, None).map_or(Ok(()), |_| Err(why)))
            })
        };
        let result = Function::find().and_then(|it| may_call(&it).map(|()| it));
        let (crc32c, why) = match result {
            Ok(crc32c) => (Some(crc32c), Ok(())),
            Err(why) => (None, Err(why)),
        };
        self.crc32c = crc32c;
        why
    }

    /// Loads a program that calls the kernel's CRC-32C, or does not.
    pub(super) fn load_with(&self, name: &str, crc32c: Option<&Function>) -> io::Result<OwnedFd> {
        let mut program = self.object.program(name)?;
        program.use_kernel(function::NAME, crc32c.map(Function::call));
        for &(at, map) in &program.maps {
            let descriptor = self.maps[map].1.as_raw_fd();
            program.instructions[at + 4..at + 8].copy_from_slice(&descriptor.to_ne_bytes());
        }
        let kind = match name {
            SOCKETS => Kind::SocketOperations,
            XDP => Kind::Xdp,
            LISTENERS => Kind::Iterator(tcp_iterator()?),
            _ => Kind::Classifier,
        };
        let (code, functions) = (&program.instructions, &program.functions);
        let module = crc32c.map(Function::types);
        bpf::load_program(name, kind, code, self.types.as_fd(), functions, module).map_err(explain)
    }
}

/// Returns the number of the type of iterators over TCP sockets in this kernel.
fn tcp_iterator() -> io::Result<u32> {
    let types = std::fs::read("/sys/kernel/btf/vmlinux")?;
    object::function(&types, "bpf_iter_tcp")
        .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "no iterator over TCP sockets"))
}

/// Adds advice to an error.
pub(super) fn explain(error: io::Error) -> io::Error {
    let words = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "not permitted; run it as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"
        }
        _ if error.raw_os_error() == Some(libc::ENOSYS) => {
            "this kernel has no eBPF (CONFIG_BPF_SYSCALL)"
        }
        _ => return error,
    };
    io::Error::new(error.kind(), words)
}
