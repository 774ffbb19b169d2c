//! The TCP sockets of this network namespace: which there are, and how to reset them.

use crate::sys::{self, Netlink};
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsFd as _;
use std::time::Duration;

/// States of sockets (net/tcp_states.h) that hold no connection, or none that the guard knows:
/// SYN_SENT, SYN_RECV, CLOSE, LISTEN, NEW_SYN_RECV.
const WITHOUT_CONNECTION: [u8; 5] = [2, 3, 7, 10, 12];
/// TIME_WAIT: nothing is left to protect but acknowledgments.
const TIME_WAIT: u8 = 6;

/// The connection of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Socket {
    pub local: (IpAddr, u16),
    pub remote: (IpAddr, u16),
    /// Whether it is a socket of IPv6, whose addresses may be IPv4-mapped.
    is_v6: bool,
}

/// Returns the sockets that have a connection.
pub(super) fn connections() -> io::Result<Vec<Socket>> {
    let mut found = Vec::new();
    for (path, is_v6) in [("/proc/net/tcp", false), ("/proc/net/tcp6", true)] {
        let table = match fs::read_to_string(path) {
            Ok(table) => table,
            // A kernel without IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_v6 => continue,
            Err(error) => return Err(error),
        };
        found.extend(table.lines().skip(1).filter_map(|line| parse(line, is_v6)));
    }
    Ok(found)
}

/// Parses a line of /proc/net/tcp: number, local and remote end, state, and so on.
fn parse(line: &str, is_v6: bool) -> Option<Socket> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, remote) = (end(fields.next()?)?, end(fields.next()?)?);
    let state = u8::from_str_radix(fields.next()?, 16).ok()?;
    let has_connection = !WITHOUT_CONNECTION.contains(&state) && state != TIME_WAIT;
    has_connection.then_some(Socket { local, remote, is_v6 })
}

/// Parses an address, in words of native byte order, and a port.
fn end(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = [0; 16];
    if !address.is_ascii() || !matches!(address.len(), 8 | 32) {
        return None;
    }
    for (to, at) in bytes.chunks_exact_mut(4).zip((0..address.len()).step_by(8)) {
        let word = u32::from_str_radix(&address[at..at + 8], 16).ok()?;
        to.copy_from_slice(&word.to_ne_bytes());
    }
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3])),
        _ => IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical(),
    };
    Some((address, port))
}

/// Resets connections: both ends get an error. Returns how many there were.
pub(super) fn reset(sockets: &[Socket]) -> io::Result<usize> {
    let netlink = sys::netlink_socket(Netlink::SocketDiagnosis)?;
    let mut answers = sys::Datagrams::new();
    let mut count = 0;
    for socket in sockets {
        sys::send(netlink.as_fd(), &destroy(socket))?;
        sys::wait([netlink.as_fd()], Duration::from_secs(5))?;
        answers.receive(netlink.as_fd())?;
        for answer in answers.iter() {
            match errno(answer) {
                Some(0) => count += 1,
                // It has ended meanwhile.
                Some(libc::ENOENT) | None => {}
                Some(libc::EOPNOTSUPP) => {
                    return Err(io::Error::new(
                        io::ErrorKind::Unsupported,
                        "this kernel cannot reset connections (CONFIG_INET_DIAG_DESTROY)",
                    ));
                }
                Some(error) => return Err(io::Error::from_raw_os_error(error)),
            }
        }
    }
    Ok(count)
}

/// Returns the netlink message that ends a connection: a header, and `struct inet_diag_req_v2`.
fn destroy(socket: &Socket) -> Vec<u8> {
    const SOCK_DESTROY: u16 = 21;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 5;
    const LENGTH: u32 = 16 + 56;
    let mut bytes = Vec::with_capacity(LENGTH as usize);
    bytes.extend(LENGTH.to_ne_bytes());
    bytes.extend(SOCK_DESTROY.to_ne_bytes());
    bytes.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    bytes.extend([0; 8]);
    let family = if socket.is_v6 { libc::AF_INET6 } else { libc::AF_INET };
    bytes.extend([family as u8, libc::IPPROTO_TCP as u8, 0, 0]);
    // All states.
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(socket.local.1.to_be_bytes());
    bytes.extend(socket.remote.1.to_be_bytes());
    for address in [socket.local.0, socket.remote.0] {
        let octets = match address {
            IpAddr::V4(v4) if !socket.is_v6 => {
                let mut octets = [0; 16];
                octets[..4].copy_from_slice(&v4.octets());
                octets
            }
            IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
            IpAddr::V6(v6) => v6.octets(),
        };
        bytes.extend(octets);
    }
    // Any interface, and no cookie.
    bytes.extend(0_u32.to_ne_bytes());
    bytes.extend([0xff; 8]);
    bytes
}

/// Returns the error of an answer, 0 for success.
fn errno(answer: &[u8]) -> Option<i32> {
    const ERROR: u16 = 2;
    let kind = answer.get(4..6)?.try_into().ok().map(u16::from_ne_bytes)?;
    let code = answer.get(16..20)?.try_into().ok().map(i32::from_ne_bytes)?;
    (kind == ERROR).then_some(-code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table() {
        let local = "127.0.0.1".parse().unwrap();
        // As a little-endian or a big-endian machine prints it.
        let address = format!("{:08X}", u32::from_ne_bytes([127, 0, 0, 1]));
        let line = |state: &str| {
            format!("   0: {address}:1F90 {address}:C001 {state} 00000000:00000000 00:00000000")
        };
        let socket = Socket { local: (local, 8080), remote: (local, 0xc001), is_v6: false };
        assert_eq!(parse(&line("01"), false), Some(socket));
        for none in ["0A", "06", "02", "03", "07", "xx"] {
            assert_eq!(parse(&line(none), false), None, "{none}");
        }
        let mapped = Ipv4Addr::new(10, 0, 0, 1).to_ipv6_mapped().octets();
        let words = mapped.chunks_exact(4).map(|word| {
            format!("{:08X}", u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        });
        let mapped = words.collect::<String>() + ":0050";
        assert_eq!(end(&mapped), Some(("10.0.0.1".parse().unwrap(), 80)));
        for bad in ["", "1:2", "0100007F", "0100007F:x", "010007é:0050", "00:00", "0100007F0:0050"]
        {
            assert_eq!(end(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_request_to_reset() {
        let socket = Socket {
            local: ("192.0.2.1".parse().unwrap(), 80),
            remote: ("192.0.2.2".parse().unwrap(), 1025),
            is_v6: true,
        };
        let bytes = destroy(&socket);
        assert_eq!(bytes.len(), 72);
        assert_eq!(bytes[24..28], [0, 80, 4, 1]);
        assert_eq!(bytes[38..44], [0xff, 0xff, 192, 0, 2, 1]);
        assert_eq!(bytes[54..60], [0xff, 0xff, 192, 0, 2, 2]);
    }
}
