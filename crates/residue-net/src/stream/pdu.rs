//! The PDUs of streams.

use crate::buffer::{Buffer, Origin, Places};
use crate::frame::Found;

/// A PDU with digests; or, without bytes, the report on a stream in which no PDU was found.
#[derive(Debug)]
pub struct Pdu {
    /// The packet in which it begins.
    pub origin: Origin,
    /// Number among the captured PDUs of its sender, from 1; 0 if it is not a PDU.
    pub number: u64,
    /// Source and destination address, followed by the captured bytes.
    pub bytes: Vec<u8>,
    /// Places of these bytes in the file, as in [`Places::Runs`].
    pub places: Vec<(u32, u64)>,
    /// Checks of the PDU.
    pub found: Found,
    /// Whether bytes are missing.
    pub is_cut: bool,
}

impl Pdu {
    /// Returns the PDU as a buffer of findings.
    pub fn buffer(&self) -> Buffer<'_> {
        Buffer {
            packet: self.origin.packet,
            link: self.origin.link,
            time: self.origin.time,
            bytes: &self.bytes,
            places: Places::Runs(&self.places),
            copies: &[],
            found: &self.found,
            is_cut: self.is_cut,
            sent: u32::try_from(self.bytes.len()).unwrap_or(u32::MAX),
            doubt: None,
            pdu: (self.number > 0).then_some(self.number),
        }
    }
}
