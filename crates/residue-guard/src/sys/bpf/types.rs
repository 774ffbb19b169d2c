//! Types (BTF).

use super::{Command, bpf, descriptor, read_information};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// The place of a module's types among the descriptors of a program.
pub(crate) const MODULE: u16 = 1;

/// Loads types (BTF).
pub(crate) fn load_types(types: &[u8]) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        types: u64,
        log: u64,
        length: u32,
        log_length: u32,
        log_level: u32,
        padding: u32,
    }
    let mut attributes = Attributes {
        types: types.as_ptr() as u64,
        log: 0,
        length: types.len() as u32,
        log_length: 0,
        log_level: 0,
        padding: 0,
    };
    // SAFETY: the layout is the command's, which reads as many bytes as the slice has.
    unsafe { descriptor(Command::TypesLoad, &mut attributes) }
}

/// Opens the types of a module that is loaded.
pub(crate) fn module_types(module: &str) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        number: u32,
        next: u32,
        flags: u32,
    }
    let mut attributes = Attributes { number: 0, next: 0, flags: 0 };
    loop {
        // SAFETY: the layout is the command's, which takes no pointers.
        unsafe { bpf(Command::TypesNext, &mut attributes) }?;
        attributes.number = attributes.next;
        let mut this = Attributes { number: attributes.next, next: 0, flags: 0 };
        // SAFETY: as above.
        match unsafe { descriptor(Command::TypesOpen, &mut this) } {
            Ok(types) if is_of(&types, module)? => return Ok(types),
            // They may have gone in the meantime.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

/// Returns whether types are of a module with this name, not a program's.
fn is_of(types: &OwnedFd, module: &str) -> io::Result<bool> {
    /// `struct bpf_btf_info`.
    #[repr(C)]
    struct Info {
        types: u64,
        size: u32,
        number: u32,
        name: u64,
        name_length: u32,
        of_kernel: u32,
    }
    let mut name = [0_u8; 64];
    let mut info = Info {
        types: 0,
        size: 0,
        number: 0,
        name: name.as_mut_ptr() as u64,
        name_length: name.len() as u32,
        of_kernel: 0,
    };
    // SAFETY: the layout is that of types, whose name has at most as many bytes as there are.
    unsafe { read_information(types.as_fd(), &mut info) }?;
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    Ok(info.of_kernel != 0 && name == module.as_bytes())
}
