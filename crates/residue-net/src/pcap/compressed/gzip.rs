//! gzip's framing (RFC 1952) of deflated data. The readers of flate2 drop decompressed bytes before
//! damage; this one returns all of them first.

use flate2::{Decompress, FlushDecompress, Status};
use residue::crc::{CRC_32, Digest};
use std::io::{self, BufRead, ErrorKind};

/// First bytes of a member.
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The only defined compression method.
const DEFLATE: u8 = 8;

// Flags of optional fields.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// A decoder of consecutive members.
pub(super) struct Gzip {
    inflate: Decompress,
    /// CRC-32 of the header, then of the data.
    crc: Digest<u32>,
    /// Number of decompressed bytes, modulo 2^32.
    length: u32,
    state: State,
}

enum State {
    /// Before the first member.
    Start,
    Data,
    /// Before another member, or the end.
    Between,
    /// After all decompressed bytes, before this error.
    Damaged(io::Error),
    End,
}

impl Gzip {
    pub fn new() -> Self {
        let (inflate, crc) = (Decompress::new(false), CRC_32.digest());
        Gzip { inflate, crc, length: 0, state: State::Start }
    }

    /// Begins the next member. Other data after the last one is ignored, as in gzip(1), be it the
    /// zeros that fill a tape block or anything else.
    fn begin(&mut self, input: &mut dyn BufRead) -> io::Result<State> {
        self.crc = CRC_32.digest();
        let is_first = matches!(self.state, State::Start);
        let mut magic = [0; 2];
        let mut there = 0;
        while there < 2 {
            match input.read(&mut magic[there..]) {
                Ok(0) if is_first => return Err(cut()),
                Ok(0) => return Ok(State::End),
                Ok(count) => there += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if magic != MAGIC {
            return Ok(State::End);
        }
        self.crc.update(&magic);
        let [method, flags, ..] = self.take::<8>(input)?;
        if method != DEFLATE {
            return Err(wrong(format!("unknown compression method {method}")));
        }
        if flags & RESERVED != 0 {
            return Err(wrong(format!("unknown flags {flags:#04x}")));
        }
        if flags & EXTRA != 0 {
            for _ in 0..u16::from_le_bytes(self.take(input)?) {
                self.take::<1>(input)?;
            }
        }
        for field in [NAME, COMMENT] {
            while flags & field != 0 && self.take(input)? != [0] {}
        }
        if flags & HEADER_CRC != 0 {
            let computed = self.crc.value() as u16;
            if u16::from_le_bytes(self.take(input)?) != computed {
                return Err(wrong("wrong checksum of a member's header".to_owned()));
            }
        }
        self.inflate.reset(false);
        self.crc = CRC_32.digest();
        self.length = 0;
        Ok(State::Data)
    }

    /// Reads the next bytes of the header or trailer.
    fn take<const N: usize>(&mut self, input: &mut dyn BufRead) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => cut(),
            _ => error,
        })?;
        self.crc.update(&bytes);
        Ok(bytes)
    }

    /// Reads the end of a member: CRC-32 and length of its data.
    fn end(&mut self, input: &mut dyn BufRead) -> io::Result<State> {
        let computed = self.crc.value();
        if u32::from_le_bytes(self.take(input)?) != computed {
            return Err(wrong("wrong CRC-32".to_owned()));
        }
        if u32::from_le_bytes(self.take(input)?) != self.length {
            return Err(wrong("wrong length".to_owned()));
        }
        Ok(State::Between)
    }

    /// Decompresses some bytes; returns their number and the next state.
    fn data(&mut self, input: &mut dyn BufRead, buffer: &mut [u8]) -> io::Result<(usize, State)> {
        let compressed = input.fill_buf()?;
        let is_end = compressed.is_empty();
        let before = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(compressed, buffer, FlushDecompress::None);
        // Also after a failure, the counts are correct.
        input.consume((self.inflate.total_in() - before.0) as usize);
        let count = (self.inflate.total_out() - before.1) as usize;
        self.crc.update(&buffer[..count]);
        self.length = self.length.wrapping_add(count as u32);
        let next = match status {
            Ok(Status::StreamEnd) => self.end(input),
            Ok(_) if is_end && count == 0 => Err(cut()),
            Ok(_) => Ok(State::Data),
            // The error of flate2 depends on the size of the request.
            Err(_) => Err(wrong("the deflated data are wrong".to_owned())),
        };
        Ok((count, next.unwrap_or_else(State::Damaged)))
    }

    /// Returns an error once, after all bytes before the damage; then the data ends.
    pub fn read(&mut self, input: &mut dyn BufRead, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            match &self.state {
                State::Start | State::Between => {
                    self.state = self.begin(input).unwrap_or_else(State::Damaged);
                }
                State::Data => {
                    let (count, next) = self.data(input, buffer)?;
                    self.state = next;
                    if count > 0 {
                        return Ok(count);
                    }
                }
                State::Damaged(_) => {
                    if let State::Damaged(error) = std::mem::replace(&mut self.state, State::End) {
                        return Err(error);
                    }
                }
                State::End => break,
            }
        }
        Ok(0)
    }
}

fn cut() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the file ends inside of a member")
}

fn wrong(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
