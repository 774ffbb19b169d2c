//! Common parts of IPv4 and IPv6 for the layers above.

use crate::frame::{Ip, Walk};

/// A plain IP packet: without options, extension headers and fragments, its length not 0, and all
/// of it captured.
pub(crate) struct Plain<'a> {
    /// Source and destination address of equal length, and the payload behind them.
    pub bytes: &'a [u8],
    /// Number of bytes of both addresses.
    pub addresses: usize,
    /// Protocol number of the payload.
    pub protocol: u8,
}

/// Fields of the authentication header. Its length is in units of 4 bytes, less 2.
const NEXT_HEADER: u32 = 0;
const LENGTH: u32 = 1;

/// Walks the authentication header of IPsec (RFC 4302) and its payload. The integrity value cannot
/// be verified without a key.
pub fn authentication(walk: &mut Walk, ip: &Ip) {
    if let (Some(next), Some(length)) =
        (walk.u8(ip.payload, NEXT_HEADER), walk.u8(ip.payload, LENGTH))
    {
        let payload = ip.payload.skip((u32::from(length) + 2) * 4);
        super::ip_protocol(walk, &Ip { protocol: next, payload, ..*ip });
    }
}
