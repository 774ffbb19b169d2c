//! Unix sockets: who is at the other end, and connecting within a time.

use super::checked;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::ptr::from_ref;
use std::time::Duration;

/// The process at the other end of a Unix socket, as it was when it connected or listened. The
/// kernel vouches for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Number of the process; 0: it is in a PID namespace that this process does not see.
    pub process: u32,
    /// Its effective user; the overflow user if this user namespace has no number for it.
    pub user: u32,
}

/// Returns the process at the other end.
pub(crate) fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the pointers are these variables', and `length` is that of the first.
    checked(unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &raw mut length,
        )
    })?;
    Ok(Peer { process: u32::try_from(credentials.pid).unwrap_or(0), user: credentials.uid })
}

/// Returns the effective user of this process.
pub(crate) fn user() -> u32 {
    // SAFETY: the call takes nothing, and always succeeds.
    unsafe { libc::geteuid() }
}

/// Connects to the socket of a path. With too many others before it, this waits for at most `most`,
/// and then fails with `WouldBlock`.
pub(crate) fn connect(path: &Path, most: Duration) -> io::Result<UnixStream> {
    // SAFETY: zero is a valid value of each of its fields.
    let mut address: libc::sockaddr_un = unsafe { zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() >= address.sun_path.len() || bytes.contains(&0) {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    for (to, from) in address.sun_path.iter_mut().zip(bytes) {
        *to = *from as libc::c_char;
    }
    // SAFETY: no memory is passed.
    let number =
        checked(unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: the descriptor is open, and has no other owner.
    let stream = unsafe { UnixStream::from_raw_fd(number) };
    stream.set_write_timeout(Some(most))?;
    // SAFETY: the address and its length are this variable's.
    checked(unsafe {
        libc::connect(
            number,
            from_ref(&address).cast(),
            size_of::<libc::sockaddr_un>() as libc::socklen_t,
        )
    })?;
    Ok(stream)
}
