//! Properties of this host for Table 7.1.

use super::threads;
use crate::negotiate::{auto, has_crc_instructions, table_7_1};
use crate::sys::interface::{Feature, addresses, has};
use residue::cpu::{Features, features};
use serde::Serialize;
use std::fs::read_to_string;
use std::io;
use std::net::{IpAddr, Ipv4Addr};

/// Whether a network address translator may be between this host and its peers, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Nat {
    /// No default route uses the interface: its peers are local.
    NoDefaultRoute,
    /// All its addresses are public.
    PublicAddress,
    /// It has a private address, and a default route.
    PrivateAddress,
    /// It has no address that decides it.
    NoAddress,
}

impl Nat {
    fn guess(addresses: &[IpAddr], has_default_route: bool) -> Nat {
        let mut far = addresses.iter().filter(|address| !is_near(address)).peekable();
        if far.peek().is_none() {
            // The loopback device has no other addresses; other devices may get one later.
            return if addresses.iter().any(IpAddr::is_loopback) {
                Nat::NoDefaultRoute
            } else {
                Nat::NoAddress
            };
        }
        if !has_default_route {
            Nat::NoDefaultRoute
        } else if far.any(is_private) {
            Nat::PrivateAddress
        } else {
            Nat::PublicAddress
        }
    }

    /// Returns whether a translator is possible: unless it can be excluded, the host counts as
    /// behind one.
    #[must_use]
    pub fn is_possible(self) -> bool {
        matches!(self, Nat::PrivateAddress | Nat::NoAddress)
    }
}

/// Returns whether an address is for local peers only.
fn is_near(address: &IpAddr) -> bool {
    address.is_loopback()
        || match address {
            IpAddr::V4(v4) => v4.is_link_local(),
            IpAddr::V6(v6) => v6.is_unicast_link_local(),
        }
}

/// Returns whether an address is private: RFC 1918, RFC 6598 (shared by the customers of a carrier)
/// or RFC 4193.
fn is_private(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let shared = u32::from(*v4) >> 22 == u32::from(Ipv4Addr::new(100, 64, 0, 0)) >> 22;
            v4.is_private() || shared
        }
        IpAddr::V6(v6) => v6.is_unique_local(),
    }
}

/// A host as seen from one of its interfaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Host {
    /// Name of the interface.
    pub interface: String,
    /// Instructions of this CPU that accelerate CRCs.
    pub crc_instructions: Vec<&'static str>,
    /// Whether it verifies checksums of received packets; `None`, here and below: unknown.
    pub rx_checksum: Option<bool>,
    /// Whether it computes checksums of sent packets.
    pub tx_checksum: Option<bool>,
    /// Whether it splits sent data into segments (TCP segmentation offload).
    pub tso: Option<bool>,
    /// Whether the kernel splits sent data late (generic segmentation offload).
    pub gso: Option<bool>,
    /// Whether the kernel merges received packets (generic receive offload).
    pub gro: Option<bool>,
    /// Whether threads receive its packets (threaded NAPI).
    pub receive_threads: Option<bool>,
    /// Addresses of the interface.
    pub addresses: Vec<IpAddr>,
    /// Whether a default route uses the interface.
    pub default_route: bool,
    /// Conclusion about a translator.
    pub nat: Nat,
    /// Value of Table 7.1.
    pub value: u8,
    /// Value of `auto`; `None`: no value, as the CPU has no CRC instructions.
    pub auto: Option<u8>,
}

impl Host {
    /// Inspects an interface of the current network namespace.
    ///
    /// # Errors
    ///
    /// If there is no such interface; the error lists the existing ones.
    pub fn of(interface: &str) -> io::Result<Host> {
        let devices = read_to_string("/proc/net/dev")?;
        let name = |line: &str| Some(line.split_once(':')?.0.trim().to_string());
        let names: Vec<String> = devices.lines().filter_map(name).collect();
        if !names.iter().any(|name| name == interface) {
            let words = format!(
                "no interface `{}`; there are {}",
                interface.escape_debug(),
                names.join(", ")
            );
            return Err(io::Error::new(io::ErrorKind::NotFound, words));
        }
        let has = |feature| has(interface, feature).ok();
        let [rx_checksum, tx_checksum] = [Feature::RxChecksum, Feature::TxChecksum].map(has);
        let addresses = addresses(interface)?;
        let routes = |path| read_to_string(path).unwrap_or_default();
        let default_route = has_default_route(
            interface,
            &routes("/proc/net/route"),
            &routes("/proc/net/ipv6_route"),
        );
        let nat = Nat::guess(&addresses, default_route);
        let offload = rx_checksum == Some(true) || tx_checksum == Some(true);
        let wanted = [Features::SSE42, Features::PCLMUL, Features::CRC, Features::PMULL];
        let wanted = wanted.into_iter().fold(Features::NONE, Features::union);
        Ok(Host {
            interface: interface.to_string(),
            crc_instructions: features().intersection(wanted).names().collect(),
            rx_checksum,
            tx_checksum,
            tso: has(Feature::Tso),
            gso: has(Feature::Gso),
            gro: has(Feature::Gro),
            receive_threads: threads::are_on(interface).ok(),
            addresses,
            default_route,
            nat,
            value: table_7_1(offload, nat.is_possible()),
            auto: auto(offload, nat.is_possible(), false),
        })
    }

    /// Returns whether the CPU has any of these instructions.
    #[must_use]
    pub fn has_crc_instructions(&self) -> bool {
        has_crc_instructions(features())
    }
}

/// Returns whether the kernel's tables /proc/net/route and /proc/net/ipv6_route have a default
/// route for the interface.
fn has_default_route(interface: &str, v4: &str, v6: &str) -> bool {
    let v4 = v4.lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        matches!(fields[..], [name, "00000000", _, _, _, _, _, "00000000", ..] if name == interface)
    });
    let v6 = v6.lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_default = fields.first().is_some_and(|to| to.bytes().all(|c| c == b'0'));
        is_default && fields.get(1) == Some(&"00") && fields.last() == Some(&interface)
    });
    v4 || v6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(addresses: &[&str], has_default_route: bool) -> Nat {
        let addresses: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        Nat::guess(&addresses, has_default_route)
    }

    #[test]
    fn where_nat_cannot_be_excluded_it_is_possible() {
        for private in
            ["10.1.2.3", "172.16.0.1", "192.168.1.2", "100.64.0.1", "100.127.255.254", "fd00::1"]
        {
            assert_eq!(guess(&[private, "fe80::1"], true), Nat::PrivateAddress, "{private}");
            assert_eq!(guess(&[private, "2001:db8::1"], true), Nat::PrivateAddress, "{private}");
            assert_eq!(guess(&[private], false), Nat::NoDefaultRoute, "{private}");
        }
        for public in ["203.0.113.1", "100.63.255.255", "100.128.0.0", "172.32.0.1", "2001:db8::1"]
        {
            assert_eq!(guess(&[public, "fe80::1"], true), Nat::PublicAddress, "{public}");
        }
        for none in [&[][..], &["fe80::1"], &["169.254.1.1", "fe80::1"]] {
            assert_eq!(guess(none, true), Nat::NoAddress);
            assert_eq!(guess(none, false), Nat::NoAddress);
        }
        assert_eq!(guess(&["127.0.0.1", "::1"], false), Nat::NoDefaultRoute);
        let possible =
            [Nat::NoDefaultRoute, Nat::PublicAddress, Nat::PrivateAddress, Nat::NoAddress]
                .map(Nat::is_possible);
        assert_eq!(possible, [false, false, true, true]);
    }

    #[test]
    fn default_routes() {
        const V4: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth2\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0
";
        const V6: &str = "\
fd000000000000000000000000000000 40 00000000000000000000000000000000 00 \
00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
fd000000000000000000000000000001 00000400 00000003 00000000 00000003     eth3
";
        let found = ["eth0", "eth1", "eth2", "eth3"].map(|name| has_default_route(name, V4, V6));
        assert_eq!(found, [true, false, false, true]);
        assert!(!has_default_route("lo", "", ""));
    }
}
