//! Names of protocols and ports.

/// Names and numbers of the payloads of IP. Most are primitives on their own as well.
const PROTOCOLS: [(&str, u8); 15] = [
    ("ah", 51),
    ("dccp", 33),
    ("eigrp", 88),
    ("esp", 50),
    ("gre", 47),
    ("icmp", 1),
    ("icmp6", 58),
    ("igmp", 2),
    ("ospf", 89),
    ("pim", 103),
    ("sctp", 132),
    ("tcp", 6),
    ("udp", 17),
    ("udplite", 136),
    ("vrrp", 112),
];

/// Returns the number of a payload of IP.
pub fn protocol(name: &str) -> Option<u8> {
    PROTOCOLS.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

/// Names and numbers of EtherTypes.
const ETHER_TYPES: [(&str, u16); 4] =
    [("arp", 0x0806), ("ip", 0x0800), ("ip6", 0x86dd), ("rarp", 0x8035)];

/// Returns the number of an EtherType.
pub fn ether_type(name: &str) -> Option<u16> {
    ETHER_TYPES.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

/// Protocols with ports: TCP, UDP, DCCP, SCTP, UDP-Lite.
pub const WITH_PORTS: [u8; 5] = [6, 17, 33, 132, 136];

/// Names and numbers of common services, as in the registry of IANA.
const PORTS: [(&str, u16); 32] = [
    ("bgp", 179),
    ("bootpc", 68),
    ("bootps", 67),
    ("domain", 53),
    ("ftp", 21),
    ("ftp-data", 20),
    ("geneve", 6081),
    ("gtp-user", 2152),
    ("http", 80),
    ("http-alt", 8080),
    ("https", 443),
    ("imap", 143),
    ("imaps", 993),
    ("isakmp", 500),
    ("iscsi-target", 3260),
    ("kerberos", 88),
    ("l2tp", 1701),
    ("ldap", 389),
    ("ldaps", 636),
    ("mdns", 5353),
    ("nfs", 2049),
    ("ntp", 123),
    ("pop3", 110),
    ("sip", 5060),
    ("smtp", 25),
    ("snmp", 161),
    ("ssh", 22),
    ("stun", 3478),
    ("syslog", 514),
    ("telnet", 23),
    ("tftp", 69),
    ("vxlan", 4789),
];

/// Returns the number of a port.
pub fn port(name: &str) -> Option<u16> {
    PORTS.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        assert!(PROTOCOLS.is_sorted() && ETHER_TYPES.is_sorted() && PORTS.is_sorted());
        assert_eq!((protocol("sctp"), protocol("http")), (Some(132), None));
        assert_eq!((port("http"), port("tcp")), (Some(80), None));
        for number in WITH_PORTS {
            assert!(PROTOCOLS.iter().any(|&(_, known)| known == number));
        }
    }
}
