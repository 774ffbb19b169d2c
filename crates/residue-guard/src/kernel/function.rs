//! The kernel's CRC-32C, for the programs: a function of a module (`kernel-module/`), which uses
//! the CPU's instructions. Without it they compute it themselves.

use super::object;
use crate::sys::bpf;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};

/// Name of the function, and of its module.
pub(super) const NAME: &str = "bpf_crc32c";

/// The function, as the kernel finds it.
#[derive(Debug)]
pub(super) struct Function {
    /// The types of its module.
    types: OwnedFd,
    /// The number of its type.
    number: u32,
}

impl Function {
    /// Finds it.
    pub(super) fn find() -> io::Result<Function> {
        let types = |of: &str| std::fs::read(Path::new("/sys/kernel/btf").join(of));
        let module = types(NAME).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(error.kind(), format!("module {NAME} is not loaded"))
            }
            _ => error,
        })?;
        let number = object::module_function(&types("vmlinux")?, &module, NAME);
        let number = number
            .ok_or_else(|| io::Error::other(format!("module {NAME} has no such function")))?;
        Ok(Function { types: bpf::module_types(NAME)?, number })
    }

    /// Returns the types of its module.
    pub(super) fn types(&self) -> BorrowedFd<'_> {
        self.types.as_fd()
    }

    /// Returns how a program calls it: [`object::Program::use_kernel`].
    pub(super) fn call(&self) -> (u32, u16) {
        (self.number, bpf::MODULE)
    }
}

/// Loads the module, if it is installed.
pub(super) fn load_module() {
    let mut command = Command::new("modprobe");
    command.args(["--quiet", NAME]).stdin(Stdio::null()).stdout(Stdio::null());
    // Without it, the programs do without.
    let _ = command.stderr(Stdio::null()).status();
}
