//! The ring: blocks of memory that belong in turn to the kernel, which fills them with packets, and
//! to this process, which reads them.

use super::{checked, set_value};
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::ptr::{NonNull, null_mut};
use std::slice::from_raw_parts_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Offset in a block of the word that says whose it is: after the version and the offset of private
/// data.
const STATUS: usize =
    offset_of!(libc::tpacket_block_desc, hdr) + offset_of!(libc::tpacket_hdr_v1, block_status);

/// Smallest frame of the ring. Packets of `TPACKET_V3` take what they need; the kernel only checks
/// that it divides a block.
const FRAME: usize = 1 << 11;

/// A packet socket with its ring of received packets.
#[derive(Debug)]
pub(crate) struct Ring {
    socket: OwnedFd,
    /// Memory of `blocks` blocks of `size` bytes, mapped until this is dropped.
    memory: NonNull<u8>,
    size: usize,
    blocks: usize,
}

impl Ring {
    /// Creates a ring of `blocks` blocks of `size` bytes, a power of two of pages. The kernel hands
    /// over a block when it is full, or at the latest after `delay`.
    pub fn new(socket: OwnedFd, blocks: usize, size: usize, delay: Duration) -> io::Result<Ring> {
        let request = libc::tpacket_req3 {
            tp_block_size: size as libc::c_uint,
            tp_block_nr: blocks as libc::c_uint,
            tp_frame_size: FRAME as libc::c_uint,
            tp_frame_nr: (size / FRAME * blocks) as libc::c_uint,
            tp_retire_blk_tov: delay.as_millis() as libc::c_uint,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        set_value(socket.as_fd(), libc::SOL_PACKET, libc::PACKET_RX_RING, &request)?;
        let length = size * blocks;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the address is the kernel's choice, where nothing else is mapped; `length` is
        // that of the ring.
        let memory = unsafe {
            libc::mmap(null_mut(), length, access, libc::MAP_SHARED, socket.as_raw_fd(), 0)
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Ring { socket, memory, size, blocks })
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Returns whether a block belongs to this process; `at` is taken modulo the number of blocks.
    pub fn is_ready(&self, at: usize) -> bool {
        // Acquired: what the kernel wrote to the block before is visible after.
        self.status(at).load(Ordering::Acquire) & libc::TP_STATUS_USER != 0
    }

    /// Returns the bytes of a block, if it belongs to this process.
    pub fn block(&mut self, at: usize) -> Option<&mut [u8]> {
        if !self.is_ready(at) {
            return None;
        }
        let start = at % self.blocks * self.size;
        // SAFETY: the block is within the mapped memory. The kernel does not write to it until
        // `release`, which needs `self` mutably and therefore comes after the last use of the
        // slice; nothing else in this process refers to it.
        Some(unsafe { from_raw_parts_mut(self.memory.as_ptr().add(start), self.size) })
    }

    /// Gives a block back to the kernel, if it belongs to this process.
    pub fn release(&mut self, at: usize) {
        if self.is_ready(at) {
            // Released: reads and writes before are done when the kernel sees it.
            self.status(at).store(libc::TP_STATUS_KERNEL, Ordering::Release);
        }
    }

    fn status(&self, at: usize) -> &AtomicU32 {
        let start = at % self.blocks * self.size;
        // SAFETY: the word is within the mapped memory, which lives as long as `self`, and aligned,
        // as blocks begin at pages. The kernel accesses it as a whole; in this process, no slice of
        // the block exists while `self` is borrowed here.
        unsafe { AtomicU32::from_ptr(self.memory.as_ptr().add(start + STATUS).cast()) }
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: this is the memory that `new` mapped, to which nothing refers any more. It cannot
        // fail.
        let _ =
            checked(unsafe { libc::munmap(self.memory.as_ptr().cast(), self.size * self.blocks) });
    }
}
