//! zstd's frames (RFC 8878), decoded by ruzstd block by block.

use ruzstd::decoding::BlockDecodingStrategy::UptoBlocks;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, BufRead, ErrorKind, Read};

/// An empty last block, and a checksum if one is expected.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// A decoder of consecutive frames.
pub(super) struct Zstd {
    decoder: FrameDecoder,
    state: State,
}

enum State {
    /// Before another frame, or the end.
    Between,
    Data,
    /// After all decoded bytes, before this error.
    Damaged(io::Error),
    End,
}

impl Zstd {
    pub fn new() -> Self {
        Zstd { decoder: FrameDecoder::new(), state: State::Between }
    }

    /// Begins the next frame with content, if any.
    fn begin(&mut self, input: &mut dyn BufRead) -> io::Result<State> {
        loop {
            match input.fill_buf() {
                Ok([]) => return Ok(State::End),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            match self.decoder.reset(&mut *input) {
                Ok(()) => return Ok(State::Data),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut Read::take(&mut *input, length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }

    /// Decodes a block, or ends the frame.
    fn go_on(&mut self, input: &mut dyn BufRead) -> State {
        if !self.decoder.is_finished() {
            return match self.decoder.decode_blocks(input, UptoBlocks(1)) {
                Ok(_) => State::Data,
                Err(error) => {
                    // The decoder holds back a window of bytes for later blocks, until a frame
                    // ends.
                    let _ = self.decoder.decode_blocks(&END[..], UptoBlocks(1));
                    State::Damaged(io::Error::other(error))
                }
            };
        }
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            let error = io::Error::new(ErrorKind::InvalidData, "wrong frame checksum");
            return State::Damaged(error);
        }
        State::Between
    }

    /// Returns an error once, after all bytes before the damage; then the data ends.
    pub fn read(&mut self, input: &mut dyn BufRead, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            match &self.state {
                State::Between => self.state = self.begin(input).unwrap_or_else(State::Damaged),
                State::Data | State::Damaged(_) if self.decoder.can_collect() > 0 => {
                    return self.decoder.read(buffer);
                }
                State::Data => self.state = self.go_on(input),
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
