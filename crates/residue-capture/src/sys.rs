//! System calls of Linux that std does not offer: the only unsafe code of this crate.
//!
//! Each function passes the kernel only borrowed descriptors, numbers, and memory that outlives the
//! call, with its length. The memory that is shared with the kernel is that of [`ring::Ring`].

#![allow(unsafe_code)]

pub(crate) mod ring;

use std::ffi::CStr;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::ptr::from_ref;
use std::time::Duration;

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Opens a packet socket that receives nothing until [`bind`]. `cooked` removes the link header.
/// Needs `CAP_NET_RAW`.
pub(crate) fn packet_socket(cooked: bool) -> io::Result<OwnedFd> {
    let kind = if cooked { libc::SOCK_DGRAM } else { libc::SOCK_RAW };
    // SAFETY: no memory is passed.
    let number = checked(unsafe { libc::socket(libc::AF_PACKET, kind | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Connects a packet socket with the packets of an interface, or with `all` to those of all
/// protocols; index 0 stands for all interfaces.
pub(crate) fn bind(socket: BorrowedFd, index: u32, all: bool) -> io::Result<()> {
    // SAFETY: zero is a valid value of each of its fields.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as libc::c_ushort;
    address.sll_protocol = if all { (libc::ETH_P_ALL as u16).to_be() } else { 0 };
    address.sll_ifindex = index as libc::c_int;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the address and its length are this variable's.
    checked(unsafe { libc::bind(socket.as_raw_fd(), from_ref(&address).cast(), length) }).map(drop)
}

/// An option of a packet socket whose value is a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PacketOption {
    /// Version of the ring: 2 is `TPACKET_V3`.
    Version,
    /// Free bytes before each packet.
    Reserve,
    /// Do not receive packets that this host sends (Linux 4.20).
    IgnoreOutgoing,
    /// Send past the queueing discipline.
    QdiscBypass,
}

/// Sets an option of a packet socket.
pub(crate) fn set(socket: BorrowedFd, option: PacketOption, value: libc::c_int) -> io::Result<()> {
    let name = match option {
        PacketOption::Version => libc::PACKET_VERSION,
        PacketOption::Reserve => libc::PACKET_RESERVE,
        PacketOption::IgnoreOutgoing => libc::PACKET_IGNORE_OUTGOING,
        PacketOption::QdiscBypass => libc::PACKET_QDISC_BYPASS,
    };
    set_value(socket, libc::SOL_PACKET, name, &value)
}

fn set_value<T: Copy>(
    socket: BorrowedFd,
    level: libc::c_int,
    name: libc::c_int,
    value: &T,
) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value and its length are this variable's; the kernel only reads them.
    let result = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, from_ref(value).cast(), length)
    };
    checked(result).map(drop)
}

/// Makes an interface receive packets for any address, for as long as the socket is open.
pub(crate) fn promiscuous(socket: BorrowedFd, index: u32) -> io::Result<()> {
    let request = libc::packet_mreq {
        mr_ifindex: index as libc::c_int,
        mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set_value(socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &request)
}

/// Makes a socket accept no more packets; those in the ring stay.
pub(crate) fn accept_no_more(socket: BorrowedFd) -> io::Result<()> {
    // BPF_RET: return 0, the number of bytes to keep.
    let mut filter = libc::sock_filter { code: 0x06, jt: 0, jf: 0, k: 0 };
    let program = libc::sock_fprog { len: 1, filter: &raw mut filter };
    // The kernel copies the one instruction that the program points to; it outlives the call.
    set_value(socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

/// Returns the number of packets that the kernel dropped since the last call because the ring was
/// full.
pub(crate) fn dropped(socket: BorrowedFd) -> io::Result<u32> {
    let mut counts = libc::tpacket_stats_v3 { tp_packets: 0, tp_drops: 0, tp_freeze_q_cnt: 0 };
    let mut length = size_of::<libc::tpacket_stats_v3>() as libc::socklen_t;
    // SAFETY: the pointers are these variables', and `length` is that of the first.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut counts).cast(),
            &raw mut length,
        )
    })?;
    Ok(counts.tp_drops)
}

/// Takes the error that a socket has noted, if there is one.
pub(crate) fn noted_error(socket: BorrowedFd) -> Option<io::Error> {
    let mut number: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the pointers are these variables', and `length` is that of the first.
    let result = checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ERROR,
            (&raw mut number).cast(),
            &raw mut length,
        )
    });
    match result {
        Err(error) => Some(error),
        Ok(_) => (number != 0).then(|| io::Error::from_raw_os_error(number)),
    }
}

/// Returns the indices and names of all interfaces of the network namespace.
pub(crate) fn interfaces() -> io::Result<Vec<(u32, String)>> {
    // SAFETY: no memory is passed.
    let list = unsafe { libc::if_nameindex() };
    if list.is_null() {
        return Err(io::Error::last_os_error());
    }
    let mut all = Vec::new();
    let mut next = list;
    loop {
        // SAFETY: the list ends with an entry whose index is 0, and is not read behind it.
        let entry = unsafe { &*next };
        if entry.if_index == 0 || entry.if_name.is_null() {
            break;
        }
        // SAFETY: a name is a string that ends with a zero.
        let name = unsafe { CStr::from_ptr(entry.if_name) };
        all.push((entry.if_index, name.to_string_lossy().into_owned()));
        // SAFETY: this entry is not the last one.
        next = unsafe { next.add(1) };
    }
    // SAFETY: the list came from `if_nameindex`, and nothing refers to it any more.
    unsafe { libc::if_freenameindex(list) };
    Ok(all)
}

/// A property of an interface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Property {
    /// Type of its hardware (`ARPHRD_...`).
    Hardware,
    /// Length of its longest packet, without the link header.
    Mtu,
}

/// Returns a property of an interface.
pub(crate) fn property(socket: BorrowedFd, name: &str, property: Property) -> io::Result<u32> {
    // SAFETY: zero is a valid value of the structure: an empty name, and a null pointer in the
    // union.
    let mut request: libc::ifreq = unsafe { zeroed() };
    if name.len() >= request.ifr_name.len() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    let command = match property {
        Property::Hardware => libc::SIOCGIFHWADDR,
        Property::Mtu => libc::SIOCGIFMTU,
    };
    // SAFETY: the request's name ends with a zero, and the call writes only to the request.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), command as _, &raw mut request) })?;
    Ok(match property {
        // SAFETY: this command sets this field of the union.
        Property::Hardware => unsafe { request.ifr_ifru.ifru_hwaddr.sa_family }.into(),
        // SAFETY: as above.
        Property::Mtu => unsafe { request.ifr_ifru.ifru_mtu }.unsigned_abs(),
    })
}

/// Returns a descriptor that becomes readable on SIGINT, SIGTERM or SIGHUP, which then do not end
/// the process.
pub(crate) fn signals() -> io::Result<OwnedFd> {
    // SAFETY: zero is a valid value of the set, which is initialised below; the calls get only
    // pointers to it.
    let number = unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&mut set, signal);
        }
        checked(libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()))?;
        checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?
    };
    // SAFETY: the descriptor is open, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Waits until a descriptor is readable or has an error, for at most `most`; returns which of them
/// are.
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

/// Largest number of frames of a call of [`send`].
pub(crate) const MOST: usize = 64;

/// Sends the first frames, at most [`MOST`]; returns how many were sent.
pub(crate) fn send(socket: BorrowedFd, frames: &[&[u8]]) -> io::Result<usize> {
    // SAFETY: zero is a valid value of each of their fields: null pointers with no length.
    let (mut vectors, mut headers): ([libc::iovec; MOST], [libc::mmsghdr; MOST]) =
        unsafe { (zeroed(), zeroed()) };
    let count = frames.len().min(MOST);
    for ((frame, vector), header) in frames.iter().zip(&mut vectors).zip(&mut headers) {
        vector.iov_base = frame.as_ptr().cast_mut().cast();
        vector.iov_len = frame.len();
        header.msg_hdr.msg_iov = vector;
        header.msg_hdr.msg_iovlen = 1;
    }
    // SAFETY: there are `count` headers; each has one vector, which is a frame that the kernel
    // only reads. All of them outlive the call.
    let sent = checked(unsafe {
        libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count as libc::c_uint, 0)
    })?;
    Ok(sent.unsigned_abs() as usize)
}
