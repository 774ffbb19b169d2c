//! NVMe over TCP (NVM Express TCP Transport Specification 1.0): header and data digests.
//!
//! Two flags of a PDU state which digests it has, and the two ends negotiate them when they set up
//! the connection. The negotiated digests take precedence over the flags, which may be corrupted.

use super::pdu::{DIGEST, Layout};
use crate::check::{Protocol, Span};

/// The header digest.
pub static HEADER: Protocol = Protocol {
    name: "nvme.header",
    title: "NVMe/TCP header digest",
    source: "NVM Express TCP Transport 1.0, HDGST",
};

/// The data digest.
pub static DATA: Protocol = Protocol {
    name: "nvme.data",
    title: "NVMe/TCP data digest",
    source: "NVM Express TCP Transport 1.0, DDGST",
};

/// Length of the common header of all PDUs.
pub const COMMON_HEADER: usize = 8;

const TYPE: usize = 0;
const FLAGS: usize = 1;
const HEADER_LENGTH: usize = 2;
/// Offset of the digests that a setup PDU requests or grants.
const DIGESTS: usize = 11;

const INITIALIZE_REQUEST: u8 = 0x00;
const INITIALIZE_RESPONSE: u8 = 0x01;
const HOST_TERMINATES: u8 = 0x02;
const CONTROLLER_TERMINATES: u8 = 0x03;
const COMMAND: u8 = 0x04;
const HOST_DATA: u8 = 0x06;
const CONTROLLER_DATA: u8 = 0x07;

/// Length of the two PDUs that set up a connection.
const INITIALIZE_LENGTH: u8 = 128;

/// Returns the length of the header of a type of PDU.
fn header_length(kind: u8) -> Option<u8> {
    match kind {
        INITIALIZE_REQUEST | INITIALIZE_RESPONSE => Some(INITIALIZE_LENGTH),
        COMMAND => Some(72),
        HOST_TERMINATES | CONTROLLER_TERMINATES | 0x05 | HOST_DATA | CONTROLLER_DATA | 0x09 => {
            Some(24)
        }
        _ => None,
    }
}

fn is_initialize(header: &[u8; COMMON_HEADER]) -> bool {
    header[TYPE] <= INITIALIZE_RESPONSE
        && header[HEADER_LENGTH] == INITIALIZE_LENGTH
        && header[FLAGS] == 0
}

/// Returns whether a PDU can begin with these bytes.
#[must_use]
pub fn is_believable(header: &[u8; COMMON_HEADER]) -> bool {
    header_length(header[TYPE]) == Some(header[HEADER_LENGTH])
}

/// Returns the layout of the PDU with this header; `None` if it is not a header, even with one
/// wrong byte. `agreed` are the digests of header and data, if known.
#[must_use]
pub fn layout(header: &[u8; COMMON_HEADER], agreed: [Option<bool>; 2]) -> Option<Layout> {
    let [kind, flags, length, offset, ..] = *header;
    let header_length = match length {
        24 | 72 | INITIALIZE_LENGTH => length,
        _ => header_length(kind)?,
    };
    let terminates = matches!(kind, HOST_TERMINATES | CONTROLLER_TERMINATES) && flags == 0;
    let digests = if is_initialize(header) || terminates {
        [false; 2]
    } else {
        [0, 1].map(|digest| agreed[digest].unwrap_or(flags >> digest & 1 != 0))
    };
    let whole = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    let mut layout =
        Layout { header: u32::from(header_length), data: Span::default(), digests, whole };
    layout.whole = whole.max(layout.header_end());
    let data_start = u32::from(offset);
    let has_data = matches!(kind, COMMAND | HOST_DATA | CONTROLLER_DATA);
    if has_data && layout.header_end() <= data_start && data_start < layout.whole {
        let end = layout.whole.saturating_sub(if digests[1] { DIGEST } else { 0 });
        layout.data = Span { start: data_start, end: end.max(data_start) };
    }
    Some(layout)
}

/// Returns whether the payload of a TCP segment begins with one of the two PDUs that set up a
/// connection.
#[must_use]
pub fn is_initialize_start(payload: &[u8]) -> bool {
    // Type, no flags, 128 bytes of header, no data, 128 bytes in total, version 0; reserved fields
    // are zero.
    payload.len() >= usize::from(INITIALIZE_LENGTH)
        && payload[TYPE] <= INITIALIZE_RESPONSE
        && payload[1..10] == [0, 128, 0, 128, 0, 0, 0, 0, 0]
        && payload[16..128].iter().all(|&byte| byte == 0)
}

/// Returns the digests of header and data that a controller's answer settles, if the PDU is one.
#[must_use]
pub fn agreed(pdu: &[u8]) -> Option<[bool; 2]> {
    let is_answer =
        pdu.first_chunk().is_some_and(is_initialize) && pdu[TYPE] == INITIALIZE_RESPONSE;
    let digests = *pdu.get(DIGESTS)?;
    is_answer.then_some([digests & 1 != 0, digests & 2 != 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        // Controller data with both digests, data at offset 32 behind 4 bytes of padding.
        let header = [CONTROLLER_DATA, 3, 24, 32, 32 + 10 + 4, 0, 0, 0];
        let both = layout(&header, [None; 2]).unwrap();
        assert_eq!(both.parts()[0], Some((Span { start: 0, end: 24 }, Span::at(24, 4))));
        assert_eq!(both.parts()[1], Some((Span { start: 32, end: 42 }, Span::at(42, 4))));
        assert_eq!(both.whole, 46);
        // Flags cleared on the way.
        let cleared = [CONTROLLER_DATA, 0, 24, 32, 46, 0, 0, 0];
        assert_eq!(layout(&cleared, [Some(true); 2]), Some(both));
        assert_eq!(layout(&cleared, [None; 2]).unwrap().parts(), [None; 2]);
        // A byte that cannot be.
        let length = [CONTROLLER_DATA, 3, 25, 32, 46, 0, 0, 0];
        assert_eq!(layout(&length, [None; 2]), Some(both));
        let kind = [0x47, 3, 24, 32, 46, 0, 0, 0];
        assert_eq!(layout(&kind, [None; 2]).unwrap().header, 24);
        assert_eq!(layout(&[0x47, 3, 25, 32, 46, 0, 0, 0], [None; 2]), None);
        // A length that is too short, data that begin in the header.
        let short = layout(&[CONTROLLER_DATA, 3, 24, 24, 8, 0, 0, 0], [None; 2]).unwrap();
        assert_eq!((short.whole, short.data.is_empty()), (28, true));
    }

    #[test]
    fn set_up() {
        let mut answer = [0; 128];
        (answer[0], answer[2], answer[4], answer[11]) = (1, 128, 128, 2);
        assert!(is_initialize_start(&answer));
        assert_eq!(agreed(&answer), Some([false, true]));
        assert_eq!(layout(answer.first_chunk().unwrap(), [Some(true); 2]).unwrap().whole, 128);
        answer[0] = 0;
        assert_eq!(agreed(&answer), None);
        assert!(!is_initialize_start(&answer[..127]));
    }
}
