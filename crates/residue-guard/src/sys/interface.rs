//! Network interfaces: their offloads for TCP, and their addresses.

use super::checked;
use std::ffi::CString;
use std::io;
use std::mem::{size_of, zeroed};
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

/// Returns the command that reads a feature, ETHTOOL_GRXCSUM and so on.
fn reads(feature: Feature) -> u32 {
    match feature {
        Feature::RxChecksum => 0x14,
        Feature::TxChecksum => 0x16,
        Feature::Tso => 0x1e,
        Feature::Gso => 0x23,
        Feature::Gro => 0x2b,
    }
}

/// Returns whether a feature is on; an error if there is no such interface, or it cannot report it.
pub(crate) fn has(interface: &str, feature: Feature) -> io::Result<bool> {
    ethtool(interface, reads(feature), 0).map(|data| data != 0)
}

/// Makes an interface compute no checksums of what it sends, so that the kernel does.
pub(crate) fn compute_no_checksums(interface: &str) -> io::Result<()> {
    const ETHTOOL_STXCSUM: u32 = 0x17;
    ethtool(interface, ETHTOOL_STXCSUM, 0).map(drop)
}

/// Makes an interface merge received segments, or deliver each by itself.
pub(crate) fn merge(interface: &str, on: bool) -> io::Result<()> {
    const ETHTOOL_SGRO: u32 = 0x2c;
    ethtool(interface, ETHTOOL_SGRO, on.into()).map(drop)
}

/// Returns the cookie of this network namespace, which eBPF programs can compare (Linux 5.14).
pub(crate) fn namespace_cookie() -> io::Result<u64> {
    let socket = any_socket()?;
    let mut cookie = 0_u64;
    let mut length = size_of::<u64>() as libc::socklen_t;
    // SAFETY: the pointers are these variables', and `length` is that of the first.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NETNS_COOKIE,
            (&raw mut cookie).cast(),
            &raw mut length,
        )
    })?;
    Ok(cookie)
}

/// Returns whether packets of an interface begin with an Ethernet header.
pub(crate) fn is_ethernet(interface: &str) -> io::Result<bool> {
    let mut request = request(interface)?;
    let socket = any_socket()?;
    // SAFETY: the request's name ends with a zero, and the call writes only to the request.
    checked(unsafe {
        libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFHWADDR as _, &raw mut request)
    })?;
    // SAFETY: this command sets this field of the union.
    let kind = unsafe { request.ifr_ifru.ifru_hwaddr.sa_family };
    // The loopback device has such headers, too.
    Ok(matches!(kind, libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK))
}

/// Returns the length of the longest packet of an interface, without its link header.
pub(crate) fn mtu(interface: &str) -> io::Result<u32> {
    let mut request = request(interface)?;
    let socket = any_socket()?;
    // SAFETY: the request's name ends with a zero, and the call writes only to the request.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFMTU as _, &raw mut request) })?;
    // SAFETY: this command sets this field of the union.
    Ok(unsafe { request.ifr_ifru.ifru_mtu }.unsigned_abs())
}

/// Returns the driver of an interface, and its place on a bus; empty if it is on none.
pub(crate) fn driver(interface: &str) -> io::Result<[String; 2]> {
    /// `struct ethtool_drvinfo`.
    #[repr(C)]
    struct DriverInfo {
        command: u32,
        driver: [u8; 32],
        versions: [u8; 64],
        bus: [u8; 32],
        rest: [u8; 64],
    }
    const ETHTOOL_GDRVINFO: u32 = 3;
    let mut info = DriverInfo {
        command: ETHTOOL_GDRVINFO,
        driver: [0; 32],
        versions: [0; 64],
        bus: [0; 32],
        rest: [0; 64],
    };
    let mut request = request(interface)?;
    request.ifr_ifru.ifru_data = (&raw mut info).cast();
    let socket = any_socket()?;
    // SAFETY: the request's name ends with a zero, and its pointer is to a structure of the kind
    // and length that this command wants; both outlive the call.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) })?;
    Ok([info.driver, info.bus].map(|text| {
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }))
}

/// Returns a request for an interface.
fn request(interface: &str) -> io::Result<libc::ifreq> {
    // SAFETY: zero is a valid value of the structure: an empty name, and a null pointer in the
    // union.
    let mut request: libc::ifreq = unsafe { zeroed() };
    if interface.len() >= request.ifr_name.len() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}

/// Returns a socket for calls that any socket serves.
fn any_socket() -> io::Result<UdpSocket> {
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .or_else(|_| UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)))
}

/// Runs a command with the value 0; returns what it answers.
fn ethtool(interface: &str, command: u32, data: u32) -> io::Result<u32> {
    let mut value = Value { command, data };
    let mut request = request(interface)?;
    request.ifr_ifru.ifru_data = (&raw mut value).cast();
    let socket = any_socket()?;
    // SAFETY: the request's name ends with a zero, and its pointer is to a `struct ethtool_value`,
    // as these commands want; both outlive the call.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) })?;
    Ok(value.data)
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
