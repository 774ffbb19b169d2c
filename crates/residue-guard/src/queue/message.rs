//! Messages of the kernel's netfilter queue (linux/netfilter/nfnetlink_queue.h): parsed and built,
//! without input or output.
//!
//! A message is a netlink header (16 bytes), a netfilter header (4 bytes: family, version, queue
//! number) and attributes (length and type, 2 bytes each, then data, padded to a multiple of 4).
//! Netlink's own fields are in native byte order, those of netfilter in network order.

/// Upper byte of the type of messages to and from a queue (`NFNL_SUBSYS_QUEUE`).
const SUBSYSTEM: u16 = 3;
const PACKET: u16 = 0;
const VERDICT: u16 = 1;
const CONFIG: u16 = 2;
/// `NLMSG_ERROR`: an error; an acknowledgment if its number is 0.
const ERROR: u16 = 2;
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;

const HEADERS: usize = 20;

/// Attributes of packets and verdicts.
const PACKET_HEADER: u16 = 1;
const VERDICT_HEADER: u16 = 2;
const PAYLOAD: u16 = 10;
/// Attributes of the configuration.
const COMMAND: u16 = 1;
const PARAMETERS: u16 = 2;
const MOST_PACKETS: u16 = 3;

/// Mask of an attribute's type; the upper two bits are flags.
const TYPE: u16 = 0x3fff;

/// A message from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    /// A packet that waits for its verdict.
    Packet {
        /// Number of the queue.
        queue: u16,
        /// Number of the packet in the queue.
        id: u32,
        /// The packet, beginning with its IP header; at most 65,531 bytes of it.
        bytes: &'a [u8],
    },
    /// The result of the request with this sequence number: 0, or the number of an error.
    Answer { sequence: u32, error: i32 },
    /// Any other message.
    Other,
}

/// Returns the messages in the data of one receive call. Ends at a truncated message, or one with
/// an impossible length.
pub(crate) fn messages(bytes: &[u8]) -> impl Iterator<Item = Message<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(*rest.first_chunk()?) as usize;
        let message = rest.get(..length).filter(|message| message.len() >= 16)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(parse(message))
    })
}

fn parse(message: &[u8]) -> Message<'_> {
    let kind = u16::from_ne_bytes([message[4], message[5]]);
    if kind == ERROR {
        let sequence = u32::from_ne_bytes([message[8], message[9], message[10], message[11]]);
        let error = message[16..].first_chunk().map(|&error| i32::from_ne_bytes(error));
        return error.map_or(Message::Other, |error| Message::Answer {
            sequence,
            error: error.saturating_neg(),
        });
    }
    if kind == SUBSYSTEM << 8 | PACKET {
        packet(message).unwrap_or(Message::Other)
    } else {
        Message::Other
    }
}

fn packet(message: &[u8]) -> Option<Message<'_>> {
    let queue = u16::from_be_bytes(*message.get(18..HEADERS)?.first_chunk()?);
    let (mut id, mut bytes) = (None, &[][..]);
    let mut rest = &message[HEADERS..];
    while let Some(&[a, b, c, d]) = rest.first_chunk() {
        let length = usize::from(u16::from_ne_bytes([a, b]));
        let data = rest.get(4..length)?;
        match u16::from_ne_bytes([c, d]) & TYPE {
            PACKET_HEADER => id = data.first_chunk().map(|&id| u32::from_be_bytes(id)),
            PAYLOAD => bytes = data,
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(Message::Packet { queue, id: id?, bytes })
}

/// Consecutive messages to the kernel.
#[derive(Debug, Default)]
pub(crate) struct Requests(Vec<u8>);

impl Requests {
    /// Requests a queue: its packets come to this socket, whole, and at most `most` of them wait
    /// for a verdict. Adds three messages, with the sequence numbers `sequence` to `sequence + 2`;
    /// each is answered.
    pub fn bind(&mut self, queue: u16, most: u32, sequence: u32) {
        const BIND: u8 = 1;
        const COPY_PACKET: u8 = 2;
        self.configure(queue, sequence, COMMAND, &[BIND, 0, 0, 0]);
        self.configure(queue, sequence + 1, PARAMETERS, &[0, 0, 0xff, 0xff, COPY_PACKET]);
        self.configure(queue, sequence + 2, MOST_PACKETS, &most.to_be_bytes());
    }

    /// Adds a verdict. A packet too long for an attribute is dropped; IP allows none.
    pub fn verdict(&mut self, queue: u16, id: u32, accept: bool, instead: Option<&[u8]>) {
        let fits = instead.is_none_or(|bytes| bytes.len() + 4 <= usize::from(u16::MAX));
        let start = self.header(VERDICT, REQUEST, 0, queue);
        let mut verdict = [0; 8];
        verdict[3] = u8::from(accept && fits);
        verdict[4..].copy_from_slice(&id.to_be_bytes());
        self.attribute(VERDICT_HEADER, &verdict);
        if let Some(bytes) = instead.filter(|_| fits) {
            self.attribute(PAYLOAD, bytes);
        }
        self.end(start);
    }

    /// Returns the messages.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn configure(&mut self, queue: u16, sequence: u32, kind: u16, data: &[u8]) {
        let start = self.header(CONFIG, REQUEST | ACKNOWLEDGE, sequence, queue);
        self.attribute(kind, data);
        self.end(start);
    }

    fn header(&mut self, kind: u16, flags: u16, sequence: u32, queue: u16) -> usize {
        let start = self.0.len();
        let mut header = [0; HEADERS];
        header[4..6].copy_from_slice(&(SUBSYSTEM << 8 | kind).to_ne_bytes());
        header[6..8].copy_from_slice(&flags.to_ne_bytes());
        header[8..12].copy_from_slice(&sequence.to_ne_bytes());
        header[18..].copy_from_slice(&queue.to_be_bytes());
        self.0.extend_from_slice(&header);
        start
    }

    fn attribute(&mut self, kind: u16, data: &[u8]) {
        let length = 4 + data.len();
        self.0.extend_from_slice(&(length as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(data);
        self.0.resize(self.0.len() + length.next_multiple_of(4) - length, 0);
    }

    /// Writes the length of the message that began at `start`.
    fn end(&mut self, start: usize) {
        let length = (self.0.len() - start) as u32;
        self.0[start..start + 4].copy_from_slice(&length.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a message as Linux 6.18 sent it, field by field: a packet of 5 bytes in queue 14,
    /// with an unknown attribute.
    fn sent() -> Vec<u8> {
        let mut requests = Requests::default();
        let start = requests.header(PACKET, 0, 0, 14);
        requests.attribute(PACKET_HEADER, &[0, 0, 0, 9, 0x08, 0x00, 4]);
        requests.attribute(5, &[0, 0, 0, 2]);
        requests.attribute(PAYLOAD, &[0x45, 1, 2, 3, 4]);
        requests.end(start);
        requests.0
    }

    const EXPECTED: Message = Message::Packet { queue: 14, id: 9, bytes: &[0x45, 1, 2, 3, 4] };

    #[test]
    fn packets_and_answers_are_read() {
        let mut bytes = sent();
        bytes.extend(36_u32.to_ne_bytes());
        bytes.extend(ERROR.to_ne_bytes());
        bytes.extend([0, 1]);
        bytes.extend(7_u32.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend((-16_i32).to_ne_bytes());
        bytes.extend([0; 16]);
        bytes.extend(sent());
        let all: Vec<Message> = messages(&bytes).collect();
        assert_eq!(all, [EXPECTED, Message::Answer { sequence: 7, error: 16 }, EXPECTED]);
    }

    #[test]
    fn bytes_of_any_kind_are_borne() {
        let good = sent();
        for cut in 0..good.len() {
            assert!(!messages(&good[..cut]).any(|message| message == EXPECTED), "{cut}");
        }
        for place in 0..good.len() {
            for value in [0, 1, 3, 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[place] = value;
                assert!(messages(&bad).count() <= 1);
            }
        }
        // A header with the length 0 must not cause an endless loop.
        assert_eq!(messages(&[0; 64]).count(), 0);
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn requests_are_laid_out_as_the_kernel_wants_them() {
        let mut requests = Requests::default();
        requests.bind(14, 1024, 1);
        let word = |at: usize| u32::from_le_bytes(*requests.bytes()[at..].first_chunk().unwrap());
        assert_eq!(
            requests.bytes()[..28],
            *b"\x1c\0\0\0\x02\x03\x05\0\x01\0\0\0\0\0\0\0\0\0\0\x0e\x08\0\x01\0\x01\0\0\0"
        );
        assert_eq!(requests.bytes()[48..60], *b"\x09\0\x02\0\0\0\xff\xff\x02\0\0\0");
        assert_eq!((word(28), word(60)), (32, 28));
        assert_eq!(requests.bytes()[80..], *b"\x08\0\x03\0\0\0\x04\0");
        requests.clear();
        requests.verdict(15, 0x0102_0304, true, Some(b"abcde"));
        requests.verdict(15, 6, false, None);
        assert_eq!(
            requests.bytes()[16..44],
            *b"\0\0\0\x0f\x0c\0\x02\0\0\0\0\x01\x01\x02\x03\x04\x09\0\x0a\0abcde\0\0\0"
        );
        assert_eq!(
            requests.bytes()[44..],
            *b"\x20\0\0\0\x01\x03\x01\0\0\0\0\0\0\0\0\0\0\0\0\x0f\x0c\0\x02\0\0\0\0\0\0\0\0\x06"
        );
    }

    #[test]
    fn what_fits_no_attribute_is_dropped() {
        let mut requests = Requests::default();
        requests.verdict(1, 2, true, Some(&[0; 65532]));
        assert_eq!(requests.bytes().len(), 32);
        assert_eq!(requests.bytes()[27], 0);
    }
}
