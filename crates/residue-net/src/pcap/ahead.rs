//! A thread that reads and decompresses ahead.

use super::chunk::Chunk;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Number of chunks: one in use, one being read, one waiting.
pub(super) const CHUNKS: usize = 3;

/// The chunks of a capture in order, and the return channel for used ones.
pub(super) struct Ahead {
    full: Receiver<io::Result<Chunk>>,
    spare: Sender<Chunk>,
}

impl Ahead {
    /// Starts to read. The thread ends with its input, or when the receiver is dropped.
    pub fn begin(
        input: impl Read + Send + 'static,
        chunks: [Chunk; CHUNKS - 1],
    ) -> io::Result<Self> {
        let (spare, used) = channel();
        let (sender, full) = sync_channel(CHUNKS);
        for chunk in chunks {
            // The receiver exists: this cannot fail.
            let _ = spare.send(chunk);
        }
        thread::Builder::new()
            .name("read ahead".into())
            .spawn(move || read(input, &used, &sender))?;
        Ok(Ahead { full, spare })
    }

    /// Passes the next chunk to `each`, and returns what `each` leaves in its place to the thread;
    /// `false` at the end.
    pub fn next(&self, each: impl FnOnce(&mut Chunk)) -> io::Result<bool> {
        let Ok(next) = self.full.recv() else { return Ok(false) };
        let mut chunk = next?;
        each(&mut chunk);
        // Fails if the thread has ended, which needs no chunk.
        let _ = self.spare.send(chunk);
        Ok(true)
    }
}

fn read(mut input: impl Read, used: &Receiver<Chunk>, full: &SyncSender<io::Result<Chunk>>) {
    while let Ok(mut chunk) = used.recv() {
        let more = loop {
            match chunk.read(&mut input) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let result = match more {
            Ok(false) => return,
            Ok(true) => Ok(chunk),
            Err(error) => Err(error),
        };
        let failed = result.is_err();
        if full.send(result).is_err() || failed {
            return;
        }
    }
}
