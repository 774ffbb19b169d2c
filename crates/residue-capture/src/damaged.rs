//! The packets with damage, in a pcapng file with a comment on each.

use residue_net::pcap::write::{COMMENT, NgWriter};
use residue_net::pcap::{ByteOrder, LinkType, Packet};
use residue_net::verify::{Finding, Places};
use std::io::{self, Write};

/// Option of an interface: its name.
const NAME: u16 = 2;
/// Option of an interface: the unit of its time stamps, as a negative power of ten.
const RESOLUTION: u16 = 9;
/// Largest number of interfaces, one for each link type.
const MOST_LINKS: usize = 256;
/// Largest length of a comment in bytes.
const LONGEST: usize = 1024;
/// Largest number of bytes of a block beside the packet and the comment.
const BLOCK: u64 = 64;

/// A writer of packets with damage.
pub struct Damaged<W> {
    file: NgWriter<W>,
    name: String,
    links: Vec<LinkType>,
    /// Number of packets written.
    pub written: u64,
    /// Number of packets left out because the file would have become too long.
    pub left_out: u64,
    /// Number of bytes that may still be written.
    room: u64,
}

impl<W: Write> Damaged<W> {
    /// Begins a file for packets of the interface `name`, of at most about `longest` bytes.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(out: W, name: &str, longest: u64) -> io::Result<Self> {
        let file = NgWriter::new(out, ByteOrder::Little, &[])?;
        let name = name.to_string();
        Ok(Damaged { file, name, links: Vec::new(), written: 0, left_out: 0, room: longest })
    }

    /// Writes a packet, with a comment.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn packet(&mut self, packet: &Packet<'_>, comment: &str) -> io::Result<()> {
        let length = packet.bytes.len() as u64 + comment.len() as u64 + BLOCK;
        let (Some(room), Ok(link)) = (self.room.checked_sub(length), u16::try_from(packet.link.0))
        else {
            self.left_out += 1;
            return Ok(());
        };
        let known = self.links.iter().position(|link| *link == packet.link);
        let interface = match known {
            Some(known) => known,
            None if self.links.len() == MOST_LINKS => {
                self.left_out += 1;
                return Ok(());
            }
            None => {
                let options = [(NAME, self.name.as_bytes()), (RESOLUTION, &[9][..])];
                self.file.interface(link, 0, &options)?;
                self.links.push(packet.link);
                self.links.len() - 1
            }
        };
        self.room = room;
        self.written += 1;
        let Packet { time, wire_length, bytes, .. } = *packet;
        let comment = [(COMMENT, comment.as_bytes())];
        self.file.packet(interface as u32, time.unwrap_or(0), wire_length, bytes, &comment)
    }

    /// Returns the output, to flush it.
    pub fn out(&mut self) -> &mut W {
        self.file.out()
    }
}

/// Adds a finding to the comment on a packet.
pub fn describe(finding: &Finding<'_>, comment: &mut String) {
    let digits = finding.check.rule.width() as usize * 2;
    let hex = |value: Option<u64>| value.map(|value| format!("{value:0digits$X}"));
    let mut text = format!("{}: {}", finding.check.protocol.name, finding.verdict.name());
    if let (Some(stored), Some(computed)) = (hex(finding.stored()), hex(finding.computed())) {
        text += &format!(", {stored}, should be {computed}");
    }
    if matches!(finding.buffer.places, Places::Runs(_)) {
        text += " (reassembled: this packet completes it)";
    }
    if comment.len() + text.len() + 2 <= LONGEST {
        if !comment.is_empty() {
            comment.push_str("; ");
        }
        comment.push_str(&text);
    }
}
