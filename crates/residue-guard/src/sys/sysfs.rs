//! The files of network interfaces in sysfs, as this network namespace has them.

use super::checked;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::null;

/// `FSOPEN_CLOEXEC` and `FSMOUNT_CLOEXEC` of linux/mount.h.
const CLOSE_ON_EXEC: u32 = 1;
/// `FSCONFIG_CMD_CREATE` of linux/mount.h.
const CREATE: u32 = 6;

/// Opens a file of an interface. `/sys` shows the interfaces of the network namespace in which it
/// was mounted, which is another one under `nsenter --net`. So this mounts a sysfs of its own,
/// which nobody else sees and which ends with the file. Needs `CAP_SYS_ADMIN` (Linux 5.2).
pub(crate) fn open(interface: &str, name: &str, writable: bool) -> io::Result<File> {
    let path = CString::new(format!("class/net/{interface}/{name}"))?;
    let mount = mount(c"sysfs")?;
    let access = if writable { libc::O_RDWR } else { libc::O_RDONLY };
    // SAFETY: the path ends with a zero, and outlives the call.
    let number = checked(unsafe {
        libc::openat(mount.as_raw_fd(), path.as_ptr(), access | libc::O_CLOEXEC)
    })?;
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { File::from_raw_fd(number) })
}

/// Mounts a file system without a place; returns its root.
fn mount(kind: &CStr) -> io::Result<OwnedFd> {
    // SAFETY: the name ends with a zero, and outlives the call.
    let context = unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), CLOSE_ON_EXEC) };
    let context = owned(context)?;
    let number = context.as_raw_fd();
    // SAFETY: this command takes no key and no value.
    let created =
        unsafe { libc::syscall(libc::SYS_fsconfig, number, CREATE, null::<u8>(), null::<u8>(), 0) };
    checked(created as libc::c_int)?;
    // SAFETY: only numbers are passed.
    owned(unsafe { libc::syscall(libc::SYS_fsmount, number, CLOSE_ON_EXEC, 0) })
}

/// Returns the descriptor that a system call has returned.
fn owned(result: libc::c_long) -> io::Result<OwnedFd> {
    let number = checked(result as libc::c_int)?;
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
