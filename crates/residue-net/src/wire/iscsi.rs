//! iSCSI (RFC 7143): header and data digests.
//!
//! A PDU is a basic header of 48 bytes, additional headers, a digest of these, data padded to a
//! multiple of 4 bytes, and a digest of data and padding. The digests are negotiated at the login
//! of an initiator, and are used in both directions from the first PDU after the login.

use super::pdu::{DIGEST, Layout};
use super::{Field, number};
use crate::check::{Protocol, Span};

/// The header digest.
pub static HEADER: Protocol = Protocol {
    name: "iscsi.header",
    title: "iSCSI header digest",
    source: "RFC 7143 section 11.2.3",
};

/// The data digest.
pub static DATA: Protocol =
    Protocol { name: "iscsi.data", title: "iSCSI data digest", source: "RFC 7143 section 11.2.3" };

/// Length of the basic header segment.
pub const BASIC_HEADER: usize = 48;

const OPCODE: usize = 0;
const FLAGS: usize = 1;
/// Offset of the length of additional headers, in units of 4 bytes.
const ADDITIONAL_LENGTH: usize = 4;
const DATA_LENGTH: Field = 5..8;
/// Offset of the status class of a login response.
const STATUS: usize = 36;

const FINAL: u8 = 0x80;
/// Flag of a login PDU whose text continues in the next one.
const CONTINUES: u8 = 0x40;
/// Flags of a login PDU that moves to the full feature phase.
const TO_FULL_FEATURE: u8 = 0x83;

const LOGIN_REQUEST: u8 = 0x03;
const LOGIN_RESPONSE: u8 = 0x23;
/// Bit of the opcodes of targets.
const FROM_TARGET: u8 = 0x20;

/// Returns the opcode of a PDU.
fn opcode(header: &[u8; BASIC_HEADER]) -> u8 {
    header[OPCODE] & 0x3f
}

/// Returns whether a PDU is part of a login. Such PDUs have no digests.
#[must_use]
pub fn is_login(header: &[u8; BASIC_HEADER]) -> bool {
    matches!(opcode(header), LOGIN_REQUEST | LOGIN_RESPONSE)
}

/// Returns whether the target sent a PDU.
#[must_use]
pub fn is_from_target(header: &[u8; BASIC_HEADER]) -> bool {
    header[OPCODE] & FROM_TARGET != 0
}

/// Returns whether a PDU can begin with these bytes.
#[must_use]
pub fn is_believable(header: &[u8; BASIC_HEADER]) -> bool {
    let is_last = header[FLAGS] & FINAL != 0;
    header[OPCODE] & 0x80 == 0
        && match opcode(header) {
            0x01 | 0x03..=0x05 | 0x23..=0x25 => true,
            // In other PDUs, the bit is fixed.
            0x00 | 0x02 | 0x06 | 0x10 | 0x20..=0x22 | 0x26 | 0x31 | 0x32 | 0x3f => is_last,
            _ => false,
        }
}

/// Returns the layout of the PDU with this header, if it has these digests.
#[must_use]
pub fn layout(header: &[u8; BASIC_HEADER], digests: [bool; 2]) -> Layout {
    let additional = u32::from(header[ADDITIONAL_LENGTH]) * 4;
    let data = number(header, DATA_LENGTH);
    let mut layout = Layout {
        header: BASIC_HEADER as u32 + additional,
        data: Span::default(),
        digests,
        whole: 0,
    };
    layout.data = Span::at(layout.header_end(), data.next_multiple_of(4));
    let has_digest = digests[1] && data > 0;
    layout.whole = layout.data.end + if has_digest { DIGEST } else { 0 };
    layout
}

/// Returns whether the payload of a TCP segment begins with the login of an initiator, or the
/// answer to one.
#[must_use]
pub fn is_login_start(payload: &[u8]) -> bool {
    let Some((header, rest)) = payload.split_first_chunk() else { return false };
    let length = layout(header, [false; 2]).data.len() as usize;
    if !is_login(header)
        || !is_believable(header)
        || header[ADDITIONAL_LENGTH] != 0
        || length > rest.len()
    {
        return false;
    }
    // Every first request names the initiator; an answer is recognised by its keys.
    let text = &rest[..length];
    if is_from_target(header) { keys(text).next().is_some() } else { names_initiator(text) }
}

fn names_initiator(text: &[u8]) -> bool {
    keys(text).any(|(key, _)| key == b"InitiatorName")
}

/// Returns text keys and their values (RFC 7143 section 6.1).
fn keys(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|&byte| byte == 0).filter_map(|pair| {
        let equals = pair.iter().position(|&byte| byte == b'=')?;
        let key = &pair[..equals];
        let is_key = key.first().is_some_and(u8::is_ascii_uppercase) && key.len() <= 63;
        is_key.then(|| (key, &pair[equals + 1..]))
    })
}

/// Largest length of text spread over several PDUs, which any receiver accepts in one.
const LONGEST_TEXT: usize = 8192;

/// The state of a login.
#[derive(Debug, Default)]
pub struct Login {
    /// Unfinished text of initiator and target.
    texts: [Vec<u8>; 2],
    /// Values of `HeaderDigest` and `DataDigest`: the answer, which comes last, selects one of a
    /// list.
    values: [Option<bool>; 2],
    /// Whether the first request was seen; otherwise a missing key proves nothing.
    begun: bool,
}

/// The result of a login PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The login continues.
    Going,
    /// The login is over: whether there are digests of header and data, if its PDUs show it.
    Done([Option<bool>; 2]),
}

impl Login {
    /// Processes a complete login PDU.
    pub fn take(&mut self, pdu: &[u8]) -> Step {
        let Some((header, rest)) = pdu.split_first_chunk::<BASIC_HEADER>() else {
            return Step::Going;
        };
        let length = number(header, DATA_LENGTH) as usize;
        let from_target = is_from_target(header);
        let text = &mut self.texts[usize::from(from_target)];
        let start = usize::from(header[ADDITIONAL_LENGTH]) * 4;
        let more = rest.get(start..start.saturating_add(length)).unwrap_or_default();
        if text.len() + more.len() <= LONGEST_TEXT {
            text.extend_from_slice(more);
        }
        if header[FLAGS] & CONTINUES != 0 {
            return Step::Going;
        }
        for (key, value) in keys(text) {
            let digest = match key {
                b"HeaderDigest" => 0,
                b"DataDigest" => 1,
                _ => continue,
            };
            self.values[digest] = match value {
                b"CRC32C" => Some(true),
                b"None" => Some(false),
                _ => self.values[digest],
            };
        }
        self.begun |= names_initiator(text);
        *text = Vec::new();
        let status = header[STATUS];
        let to_full_feature = header[FLAGS] & TO_FULL_FEATURE == TO_FULL_FEATURE;
        if from_target && to_full_feature && status == 0 {
            Step::Done(self.values.map(|value| value.or(self.begun.then_some(false))))
        } else {
            Step::Going
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7143's example of a read command (RFC 3720 appendix B.4).
    const READ: [u8; 52] =
        *b"\x01\xc0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0\0\0\x04\0\0\0\0\x14\0\0\0\x18\
        \x28\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x56\x3a\x96\xd9";

    fn login(opcode: u8, flags: u8, text: &str) -> Vec<u8> {
        let mut pdu = vec![0; BASIC_HEADER];
        (pdu[0], pdu[1], pdu[7]) = (opcode, flags, text.len() as u8);
        pdu.extend(text.bytes());
        pdu.resize(pdu.len().next_multiple_of(4), 0);
        pdu
    }

    #[test]
    fn the_example_of_the_rfc() {
        let layout = layout(READ.first_chunk().unwrap(), [true, true]);
        assert_eq!((layout.header, layout.whole), (48, 52));
        assert_eq!(layout.is_right(0, &READ), Some(true));
        assert_eq!(layout.is_right(1, &READ), None);
        assert_eq!(layout.is_right(0, &READ[..51]), None);
    }

    #[test]
    fn additional_headers_and_padding() {
        let mut header = [0; BASIC_HEADER];
        (header[0], header[4], header[7]) = (0x25, 3, 37);
        let both = layout(&header, [true, true]);
        assert_eq!(both.parts()[0], Some((Span { start: 0, end: 60 }, Span::at(60, 4))));
        assert_eq!(both.parts()[1], Some((Span { start: 64, end: 104 }, Span::at(104, 4))));
        assert_eq!(both.whole, 108);
        assert_eq!(layout(&header, [false, false]).whole, 100);
        assert_eq!(layout(&header, [false, true]).whole, 104);
    }

    #[test]
    fn logins() {
        let offer = "InitiatorName=iqn.a\0HeaderDigest=CRC32C,None\0DataDigest=None,CRC32C\0";
        let cases = [
            ("HeaderDigest=CRC32C\0DataDigest=None\0", [Some(true), Some(false)]),
            ("HeaderDigest=None\0DataDigest=CRC32C\0", [Some(false), Some(true)]),
            ("HeaderDigest=Reject\0", [Some(false), Some(false)]),
        ];
        for (answer, expected) in cases {
            let mut talk = Login::default();
            assert!(is_login_start(&login(0x43, 0x87, offer)));
            assert_eq!(talk.take(&login(0x43, 0x87, offer)), Step::Going);
            assert_eq!(talk.take(&login(0x23, 0x87, answer)), Step::Done(expected));
        }
        // The request was not captured: what the answer does not say is not known.
        let mut talk = Login::default();
        let answer = login(0x23, 0x87, "DataDigest=CRC32C\0");
        assert_eq!(talk.take(&answer), Step::Done([None, Some(true)]));
        // A key in two PDUs, and a login that is refused.
        let mut talk = Login::default();
        talk.take(&login(0x43, 0x44, &offer[..27]));
        talk.take(&login(0x43, 0x87, &offer[27..]));
        let mut refused = login(0x23, 0x87, "HeaderDigest=CRC32C\0");
        refused[36] = 2;
        assert_eq!(talk.take(&refused), Step::Going);
        talk.take(&login(0x23, 0x44, "HeaderDig"));
        let end = login(0x23, 0x87, "est=CRC32C\0");
        assert_eq!(talk.take(&end), Step::Done([Some(true), Some(false)]));
    }
}
