//! A thread that reads, and decompresses, while what it read before is used.

use super::window::Chunk;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Chunks that go round: one is being used, one read, one waits.
pub(super) const CHUNKS: usize = 3;

/// Chunks of a capture, in order, and the way back for those that were used.
pub(super) struct Ahead {
    full: Receiver<io::Result<Chunk>>,
    spare: Sender<Chunk>,
}

impl Ahead {
    /// Begins to read. The thread ends with what it reads, or when nobody waits for it any more.
    pub fn begin(
        input: impl Read + Send + 'static,
        chunks: [Chunk; CHUNKS - 1],
    ) -> io::Result<Self> {
        let (spare, used) = channel();
        let (sender, full) = sync_channel(CHUNKS);
        for chunk in chunks {
            // The receiver is here: this cannot fail.
            let _ = spare.send(chunk);
        }
        thread::Builder::new()
            .name("read ahead".into())
            .spawn(move || read(input, &used, &sender))?;
        Ok(Ahead { full, spare })
    }

    /// Shows the next chunk to `each`, and takes back what `each` leaves in its place; `false` at
    /// the end.
    pub fn next(&self, each: impl FnOnce(&mut Chunk)) -> io::Result<bool> {
        let Ok(next) = self.full.recv() else { return Ok(false) };
        let mut chunk = next?;
        each(&mut chunk);
        // A thread that has come to its end takes none.
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
