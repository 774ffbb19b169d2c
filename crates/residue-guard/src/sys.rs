//! System calls of Linux that std does not offer: the only unsafe code of this crate.
//!
//! Each function passes the kernel only borrowed descriptors, numbers, and memory that outlives the
//! call, with its length.
//!
//! May use nothing else of this crate: every folder for Linux, `host/`, `queue/` and `kernel/`,
//! stands on this one.

#![allow(unsafe_code)]

pub(crate) mod bpf;
pub(crate) mod interface;
pub(crate) mod local;
pub(crate) mod process;
pub(crate) mod streams;
pub(crate) mod sysfs;

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::net::IpAddr;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::ptr::from_ref;
use std::time::Duration;

/// Largest number of datagrams per receive call.
pub(crate) const MOST: usize = 64;

/// Length of the longest datagram: a packet of 64 KiB (as on the loopback device) and its
/// attributes.
const LONGEST: usize = (64 << 10) + 1024;

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Repeats a call while signals interrupt it.
fn again<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// A part of the kernel that is reached by netlink.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Netlink {
    /// Netfilter: queues.
    Netfilter,
    /// Diagnosis of sockets: ends connections.
    SocketDiagnosis,
}

/// Opens a netlink socket, with an address of the kernel's choice.
pub(crate) fn netlink_socket(to: Netlink) -> io::Result<OwnedFd> {
    let protocol = match to {
        Netlink::Netfilter => libc::NETLINK_NETFILTER,
        Netlink::SocketDiagnosis => libc::NETLINK_SOCK_DIAG,
    };
    // SAFETY: no memory is passed.
    let result =
        unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, protocol) };
    let number = checked(result)?;
    // SAFETY: the descriptor is open, and has no other owner.
    let socket = unsafe { OwnedFd::from_raw_fd(number) };
    // SAFETY: zero is a valid value of each of its fields.
    let mut address: libc::sockaddr_nl = unsafe { zeroed() };
    address.nl_family = libc::AF_NETLINK as libc::sa_family_t;
    // SAFETY: the address and its length are this variable's.
    checked(unsafe {
        libc::bind(
            socket.as_raw_fd(),
            from_ref(&address).cast(),
            size_of::<libc::sockaddr_nl>() as libc::socklen_t,
        )
    })?;
    Ok(socket)
}

/// Opens a socket for whole IP packets of a version. Needs `CAP_NET_RAW`.
pub(crate) fn packet_socket(version: u8) -> io::Result<OwnedFd> {
    let family = if version == 4 { libc::AF_INET } else { libc::AF_INET6 };
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no memory is passed.
    let number = checked(unsafe { libc::socket(family, kind, libc::IPPROTO_RAW) })?;
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Sends a whole IP packet to an address; a link-local one belongs to the interface of this index.
pub(crate) fn send_packet(
    socket: BorrowedFd,
    packet: &[u8],
    to: IpAddr,
    interface: u32,
) -> io::Result<()> {
    // SAFETY: zero is a valid value of each of their fields.
    let (mut v4, mut v6): (libc::sockaddr_in, libc::sockaddr_in6) = unsafe { (zeroed(), zeroed()) };
    let (address, length): (*const libc::sockaddr, usize) = match to {
        IpAddr::V4(to) => {
            v4.sin_family = libc::AF_INET as libc::sa_family_t;
            v4.sin_addr.s_addr = u32::from_ne_bytes(to.octets());
            (from_ref(&v4).cast(), size_of_val(&v4))
        }
        IpAddr::V6(to) => {
            v6.sin6_family = libc::AF_INET6 as libc::sa_family_t;
            v6.sin6_addr.s6_addr = to.octets();
            v6.sin6_scope_id = interface;
            (from_ref(&v6).cast(), size_of_val(&v6))
        }
    };
    let length = length as libc::socklen_t;
    // SAFETY: the pointers and lengths are the slice's, and those of one of the variables above.
    let sent = unsafe {
        let (bytes, count) = (packet.as_ptr().cast(), packet.len());
        libc::sendto(socket.as_raw_fd(), bytes, count, 0, address, length)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A socket option whose value is a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SocketOption {
    /// Size of the receive buffer in bytes, regardless of the system's limit. Needs
    /// `CAP_NET_ADMIN`.
    ReceiveForce,
    /// Size of the receive buffer in bytes, up to the system's limit.
    Receive,
    /// Do not report packets lost for lack of memory as errors: /proc has their count.
    NoLossErrors,
    /// Report errors without the request.
    ShortErrors,
}

/// Sets a socket option.
pub(crate) fn set(socket: BorrowedFd, option: SocketOption, value: i32) -> io::Result<()> {
    let (level, name) = match option {
        SocketOption::ReceiveForce => (libc::SOL_SOCKET, libc::SO_RCVBUFFORCE),
        SocketOption::Receive => (libc::SOL_SOCKET, libc::SO_RCVBUF),
        SocketOption::NoLossErrors => (libc::SOL_NETLINK, libc::NETLINK_NO_ENOBUFS),
        SocketOption::ShortErrors => (libc::SOL_NETLINK, libc::NETLINK_CAP_ACK),
    };
    // SAFETY: the value and its length are this variable's.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            from_ref(&value).cast(),
            size_of::<i32>() as libc::socklen_t,
        )
    };
    checked(result).map(drop)
}

/// Sends one datagram.
pub(crate) fn send(socket: BorrowedFd, bytes: &[u8]) -> io::Result<()> {
    again(|| {
        // SAFETY: the pointer and the length are the slice's.
        let sent = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), 0) };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    })
}

/// Reusable memory for many datagrams.
#[derive(Debug)]
pub(crate) struct Datagrams {
    memory: Vec<u8>,
    lengths: [usize; MOST],
    count: usize,
}

impl Datagrams {
    /// Allocates memory without datagrams.
    pub fn new() -> Datagrams {
        Datagrams { memory: vec![0; MOST * LONGEST], lengths: [0; MOST], count: 0 }
    }

    /// Receives the available datagrams, without waiting. Returns their number.
    pub fn receive(&mut self, socket: BorrowedFd) -> io::Result<usize> {
        self.count = 0;
        // SAFETY: zero is a valid value of each of their fields: null pointers with no length.
        let (mut vectors, mut headers): ([libc::iovec; MOST], [libc::mmsghdr; MOST]) =
            unsafe { (zeroed(), zeroed()) };
        let rooms = self.memory.chunks_exact_mut(LONGEST);
        for ((room, vector), header) in rooms.zip(&mut vectors).zip(&mut headers) {
            vector.iov_base = room.as_mut_ptr().cast();
            vector.iov_len = room.len();
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
        }
        let received = again(|| {
            // SAFETY: there are MOST headers; each has one vector, a part of `memory` of its own.
            // All of them outlive the call.
            checked(unsafe {
                libc::recvmmsg(
                    socket.as_raw_fd(),
                    headers.as_mut_ptr(),
                    MOST as libc::c_uint,
                    libc::MSG_DONTWAIT as _,
                    std::ptr::null_mut(),
                )
            })
        });
        match received {
            Ok(count) => self.count = (count as usize).min(MOST),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        for (length, header) in self.lengths.iter_mut().zip(&headers[..self.count]) {
            *length = (header.msg_len as usize).min(LONGEST);
        }
        Ok(self.count)
    }

    /// Returns the datagrams received last.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let rooms = self.memory.chunks_exact(LONGEST);
        rooms.zip(self.lengths).take(self.count).map(|(room, length)| &room[..length])
    }
}

/// Waits until a descriptor is readable, for at most `most`; returns which of them are.
pub(crate) fn wait<const N: usize>(
    descriptors: [BorrowedFd; N],
    most: Duration,
) -> io::Result<[bool; N]> {
    let mut polled = descriptors.map(|descriptor| libc::pollfd {
        fd: descriptor.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    });
    // Rounded up, so that timers are due when it returns.
    let time = most.as_micros().div_ceil(1000).min(1 << 30) as libc::c_int;
    // SAFETY: the pointer and the length are the array's.
    let result = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, time) };
    match checked(result) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        Err(_) => Ok([false; N]),
        Ok(_) => Ok(polled.map(|each| each.revents != 0)),
    }
}
