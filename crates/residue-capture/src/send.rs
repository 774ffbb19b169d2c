//! Sends whole frames, as tests of captures need.

use crate::interface::Interface;
use crate::sys::{self, PacketOption};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// A sender of frames, which begin with their link header.
#[derive(Debug)]
pub struct Sender(OwnedFd);

impl Sender {
    /// Opens an interface for sending.
    ///
    /// # Errors
    ///
    /// If there is no such interface, or no right to use it.
    pub fn open(name: &str) -> io::Result<Sender> {
        let interface = Interface::find(name).map_err(io::Error::other)?;
        let socket = sys::packet_socket(false)?;
        sys::bind(socket.as_fd(), interface.index, false)?;
        // Without it, frames still go, but slower.
        let _ = sys::set(socket.as_fd(), PacketOption::QdiscBypass, 1);
        Ok(Sender(socket))
    }

    /// Sends all frames, in order; waits while the interface has no room.
    ///
    /// # Errors
    ///
    /// Those of the system call, as for frames longer than the interface allows.
    pub fn send(&self, frames: &[&[u8]]) -> io::Result<()> {
        let mut rest = frames;
        while !rest.is_empty() {
            match sys::send(self.0.as_fd(), rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                    std::thread::yield_now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
