//! Network interfaces: their offloads for TCP, and their addresses.

use super::checked;
use std::ffi::CString;
use std::io;
use std::mem::zeroed;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::ptr::null_mut;

/// An offload of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Verification of checksums of received packets.
    RxChecksum,
    /// Computation of checksums of sent packets.
    TxChecksum,
    /// Segmentation of sent data.
    Tso,
    /// Segmentation late in the kernel.
    Gso,
    /// Merging of received segments.
    Gro,
}

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Returns whether a feature is on; an error if there is no such interface, or it cannot report it.
pub(crate) fn has(interface: &str, feature: Feature) -> io::Result<bool> {
    // ETHTOOL_GRXCSUM and so on.
    let command = match feature {
        Feature::RxChecksum => 0x14,
        Feature::TxChecksum => 0x16,
        Feature::Tso => 0x1e,
        Feature::Gso => 0x23,
        Feature::Gro => 0x2b,
    };
    let mut value = Value { command, data: 0 };
    // SAFETY: zero is a valid value of the structure: an empty name, and a null pointer in the
    // union.
    let mut request: libc::ifreq = unsafe { zeroed() };
    if interface.len() >= request.ifr_name.len() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_data = (&raw mut value).cast();
    // Any socket serves.
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .or_else(|_| UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)))?;
    // SAFETY: the request's name ends with a zero, and its pointer is to a `struct ethtool_value`,
    // as these commands want; both outlive the call.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) })?;
    Ok(value.data != 0)
}

/// Returns the index of the interface of this name; `None` if there is none.
pub(crate) fn index(interface: &str) -> Option<u32> {
    let name = CString::new(interface).ok()?;
    // SAFETY: the name ends with a zero, and outlives the call.
    Some(unsafe { libc::if_nametoindex(name.as_ptr()) }).filter(|&index| index != 0)
}

/// Returns the addresses of an interface.
pub(crate) fn addresses(interface: &str) -> io::Result<Vec<IpAddr>> {
    let mut list: *mut libc::ifaddrs = null_mut();
    // SAFETY: the pointer is this variable's.
    checked(unsafe { libc::getifaddrs(&mut list) })?;
    let mut found = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: the list's entries are valid until it is freed, below; none is written to.
        let entry = unsafe { &*next };
        next = entry.ifa_next;
        // SAFETY: a name is a string that ends with a zero.
        let name = unsafe { std::ffi::CStr::from_ptr(entry.ifa_name) };
        if name.to_bytes() != interface.as_bytes() || entry.ifa_addr.is_null() {
            continue;
        }
        // SAFETY: the address is not null, and is as long as its family says. It may be less
        // aligned than its type.
        let address: Option<IpAddr> = unsafe {
            match i32::from((*entry.ifa_addr).sa_family) {
                libc::AF_INET => {
                    let address = entry.ifa_addr.cast::<libc::sockaddr_in>().read_unaligned();
                    Some(Ipv4Addr::from(address.sin_addr.s_addr.to_ne_bytes()).into())
                }
                libc::AF_INET6 => {
                    let address = entry.ifa_addr.cast::<libc::sockaddr_in6>().read_unaligned();
                    Some(Ipv6Addr::from(address.sin6_addr.s6_addr).into())
                }
                _ => None,
            }
        };
        found.extend(address);
    }
    // SAFETY: the list came from `getifaddrs`, and nothing refers to it any more.
    unsafe { libc::freeifaddrs(list) };
    Ok(found)
}
