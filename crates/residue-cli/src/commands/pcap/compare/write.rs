//! The altered packets as a capture.

use residue_net::compare::{Altered, Toward};
use residue_net::pcap::write::{COMMENT, NgWriter};
use residue_net::pcap::{ByteOrder, LinkType};
use std::io::{self, Write};

/// Option of a pcapng interface: its name.
const NAME: u16 = 2;

/// A writer of altered packets: interface 0 is the first point, 1 the second.
pub struct Pairs<W> {
    writer: NgWriter<W>,
}

impl<W: Write> Pairs<W> {
    pub fn new(out: W) -> io::Result<Pairs<W>> {
        let mut writer = NgWriter::new(out, ByteOrder::Little, &[])?;
        for name in ["before", "after"] {
            let link = u16::try_from(LinkType::RAW.0).map_err(io::Error::other)?;
            writer.interface(link, 0, &[(NAME, name.as_bytes())])?;
        }
        Ok(Pairs { writer })
    }

    /// Writes an altered packet as it was at both points, where it came from first.
    pub fn add(&mut self, altered: &Altered, bytes: [&[u8]; 2]) -> io::Result<()> {
        let points = if altered.toward == Toward::After { [0, 1] } else { [1, 0] };
        for point in points {
            let comment = format!(
                "packet {} {}: {}, {}",
                altered.packets[point],
                if point == points[0] { "as sent" } else { "as it arrived" },
                altered.damage.shape.name(),
                altered.outcome.name()
            );
            let bytes = bytes[point];
            let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
            self.writer.packet(point as u32, 0, length, bytes, &[(COMMENT, comment.as_bytes())])?;
        }
        Ok(())
    }

    /// Writes what is buffered, and returns the output.
    pub fn finish(self) -> io::Result<W> {
        let mut out = self.writer.into_inner();
        out.flush()?;
        Ok(out)
    }
}
