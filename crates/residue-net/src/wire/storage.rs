//! Storage protocols over TCP, whose PDUs have digests.

use super::{iscsi, nvme_tcp};

/// A storage protocol over TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// iSCSI.
    Iscsi,
    /// NVMe over TCP.
    NvmeTcp,
}

impl Kind {
    /// Returns the protocol that IANA has assigned one of these ports: 860 and 3260, 4420 and 8009.
    #[must_use]
    #[inline]
    pub fn of_ports(ports: [u16; 2]) -> Option<Kind> {
        ports.iter().find_map(|port| match port {
            860 | 3260 => Some(Kind::Iscsi),
            4420 | 8009 => Some(Kind::NvmeTcp),
            _ => None,
        })
    }

    /// Returns the protocol whose connections begin with this segment.
    #[must_use]
    #[inline]
    pub fn of_start(payload: &[u8]) -> Option<Kind> {
        match payload.first()? {
            0x03 | 0x43 | 0x23 if iscsi::is_login_start(payload) => Some(Kind::Iscsi),
            0 | 1 if nvme_tcp::is_initialize_start(payload) => Some(Kind::NvmeTcp),
            _ => None,
        }
    }

    /// Returns the number of bytes of a PDU that determine its lengths.
    #[must_use]
    pub const fn least(self) -> usize {
        match self {
            Kind::Iscsi => iscsi::BASIC_HEADER,
            Kind::NvmeTcp => nvme_tcp::COMMON_HEADER,
        }
    }
}
