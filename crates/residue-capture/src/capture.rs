//! A capture on an interface.

use crate::frame::{Link, Packets, ROOM};
use crate::interface::{ANY, Interface};
use crate::signals::Signals;
use crate::sys::{self, PacketOption, Property, ring::Ring};
use residue_net::pcap::LinkType;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

pub use crate::frame::Frame;
pub use crate::interface::Error;

/// Size of a block of the ring: longer than any packet, also before its segmentation (512 KiB).
const BLOCK: usize = 1 << 20;
/// Smallest number of blocks, so that the ring has several parts.
const FEWEST: usize = 4;
/// Time after which the kernel hands over a block that is not full.
const DELAY: Duration = Duration::from_millis(50);
/// Longest time between the end of an interface's operation and that of its existence.
const REMOVAL: Duration = Duration::from_millis(300);

/// Options of a capture.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the interface, or [`ANY`].
    pub interface: String,
    /// Whether to receive frames for other hosts, too.
    pub promiscuous: bool,
    /// Size of the ring in bytes, rounded up to whole blocks.
    pub buffer: usize,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There are frames, perhaps.
    Frames,
    /// The user ends the capture.
    Signal,
    /// The time is over.
    Time,
}

/// A capture on an interface, from its creation on.
#[derive(Debug)]
pub struct Capture {
    ring: Ring,
    interface: Interface,
    link: Link,
    mtu: Option<u32>,
    /// The next block to read, counted without end.
    next: usize,
    ended: bool,
    passing_over: bool,
    passed_over: u64,
    dropped: u64,
}

impl Capture {
    /// Begins to capture.
    ///
    /// # Errors
    ///
    /// If there is no such interface, it is down, or the process may not capture.
    pub fn open(options: &Options) -> Result<Capture, Error> {
        let interface = Interface::find(&options.interface)?;
        let any = interface.name == ANY;
        let open = |cooked| {
            sys::packet_socket(cooked).map_err(|error| match error.kind() {
                io::ErrorKind::PermissionDenied => Error::NotPermitted,
                _ => Error::io("open a packet socket", error),
            })
        };
        let mut socket = open(any)?;
        let of_interface = |what| match any {
            true => None,
            false => sys::property(socket.as_fd(), &interface.name, what).ok(),
        };
        let (hardware, mtu) = (of_interface(Property::Hardware), of_interface(Property::Mtu));
        let link = hardware.map_or(Link::Cooked, Link::of_hardware);
        if link == Link::Cooked && !any {
            socket = open(true)?;
        }
        let prepare = || {
            let version = libc::tpacket_versions::TPACKET_V3 as libc::c_int;
            sys::set(socket.as_fd(), PacketOption::Version, version)?;
            sys::set(socket.as_fd(), PacketOption::Reserve, ROOM as libc::c_int)
        };
        prepare().map_err(|error| Error::io("prepare a packet socket", error))?;
        if hardware == Some(libc::ARPHRD_LOOPBACK.into()) {
            // Without it, they take room in the ring until they are left out.
            let _ = sys::set(socket.as_fd(), PacketOption::IgnoreOutgoing, 1);
        }
        let blocks = options.buffer.div_ceil(BLOCK).max(FEWEST);
        let ring = Ring::new(socket, blocks, BLOCK, DELAY).map_err(|error| {
            Error::io("share memory with the kernel; try a smaller --buffer", error)
        })?;
        if options.promiscuous && !any {
            sys::promiscuous(ring.as_fd(), interface.index)
                .map_err(|error| Error::io("receive frames for other hosts", error))?;
        }
        let bound = sys::bind(ring.as_fd(), interface.index, true);
        let capture = Capture {
            ring,
            interface,
            link,
            mtu,
            next: 0,
            ended: false,
            passing_over: false,
            passed_over: 0,
            dropped: 0,
        };
        bound.map_err(|error| capture.explained(error))?;
        capture.check()?;
        Ok(capture)
    }

    /// Returns the type of the first header of the frames.
    #[must_use]
    pub fn link(&self) -> LinkType {
        self.link.kind()
    }

    /// Returns the length of the longest packet that the interface sends, without its link header;
    /// `None` if there are several interfaces.
    #[must_use]
    pub fn mtu(&self) -> Option<u32> {
        self.mtu
    }

    /// Waits for frames, for at most `most`, or for a signal.
    ///
    /// # Errors
    ///
    /// If the interface is down or gone. Frames from before are still in the ring.
    pub fn wait(&self, signals: &Signals, most: Duration) -> Result<Waited, Error> {
        let (signal, other) = signals
            .wait(self.ring.as_fd(), most)
            .map_err(|error| Error::io("wait for packets", error))?;
        if signal {
            return Ok(Waited::Signal);
        }
        if !other {
            return Ok(Waited::Time);
        }
        if !self.ring.is_ready(self.next) {
            self.check()?;
        }
        Ok(Waited::Frames)
    }

    /// Reports an error that the socket has noted.
    fn check(&self) -> Result<(), Error> {
        sys::noted_error(self.ring.as_fd()).map_or(Ok(()), |error| Err(self.explained(error)))
    }

    /// Returns the meaning of an error of the socket.
    fn explained(&self, error: io::Error) -> Error {
        let name = self.interface.name.clone();
        match error.raw_os_error() {
            Some(libc::ENETDOWN | libc::ENODEV | libc::ENXIO) => {
                // An interface that is removed goes down first.
                let end = Instant::now() + REMOVAL;
                while self.interface.exists() {
                    if Instant::now() > end {
                        return Error::Down { name };
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                Error::Gone { name }
            }
            _ => Error::io("receive packets", error),
        }
    }

    /// Passes the frames of the next block to `each`, until it breaks; the rest of the block is
    /// lost then. Returns whether there was a block.
    ///
    /// If most of the ring waits, blocks are passed over until it is half empty, so that the kernel
    /// has room: their packets are counted, but `each` does not get them.
    pub fn block(&mut self, mut each: impl FnMut(&Frame<'_>) -> ControlFlow<()>) -> bool {
        let blocks = self.ring.blocks();
        // Blocks are filled in order: if this one is ready, all before it are.
        let limit = if self.passing_over { blocks / 2 } else { blocks - blocks / 4 };
        self.passing_over = !self.ended && self.ring.is_ready(self.next + limit);
        let Some(block) = self.ring.block(self.next) else { return false };
        let mut packets = Packets::of(block, self.link);
        if self.passing_over {
            self.passed_over += packets.count();
        } else {
            while let Some(frame) = packets.next() {
                if each(&frame).is_break() {
                    break;
                }
            }
        }
        self.ring.release(self.next);
        self.next = self.next.wrapping_add(1);
        true
    }

    /// Ends the capture: passes the frames that came before to `each`, until it breaks.
    pub fn finish(&mut self, mut each: impl FnMut(&Frame<'_>) -> ControlFlow<()>) {
        // If it fails, frames that come meanwhile are counted, too.
        let _ = sys::accept_no_more(self.ring.as_fd());
        self.ended = true;
        let mut is_over = false;
        // The kernel hands over the last block after its delay.
        let mut quiet = Instant::now() + 2 * DELAY;
        // A bound, in case that frames go on coming.
        let mut left = 2 * self.ring.blocks();
        while !is_over && left > 0 && Instant::now() < quiet {
            let found = self.block(|frame| {
                let flow = each(frame);
                is_over = flow.is_break();
                flow
            });
            if found {
                left -= 1;
                quiet = Instant::now() + 2 * DELAY;
            } else {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }

    /// Returns the number of packets that [`Capture::block`] has passed over.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Returns the number of packets that the kernel has dropped because the ring was full.
    pub fn dropped(&mut self) -> u64 {
        // The count of a socket that exists can be read.
        self.dropped += u64::from(sys::dropped(self.ring.as_fd()).unwrap_or(0));
        self.dropped
    }
}
