//! A thread that reads, and decompresses, while what it read before is used.

use super::window::Chunk;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Chunks that go round: one is being used, one read, one waits.
const CHUNKS: usize = 3;

/// Chunks of a capture, in order, and the way back for those that were used.
pub(super) struct Ahead {
    full: Receiver<io::Result<Chunk>>,
    spare: Sender<Chunk>,
}

impl Ahead {
    /// Begins to read. The thread ends with what it reads, or when nobody waits for it any more.
    pub fn begin(input: impl Read + Send + 'static) -> io::Result<Self> {
        let (spare, used) = channel();
        let (sender, full) = sync_channel(CHUNKS);
        for _ in 1..CHUNKS {
            // The receiver is here: this cannot fail.
            let _ = spare.send(Chunk::new());
        }
        thread::Builder::new()
            .name("read ahead".into())
            .spawn(move || read(input, &used, &sender))?;
        Ok(Ahead { full, spare })
    }

    /// The next chunk, in exchange for a used one. `None` at the end.
    pub fn exchange(&self, used: Chunk) -> io::Result<Option<Chunk>> {
        // A thread that has come to its end takes none.
        let _ = self.spare.send(used);
        self.full.recv().ok().transpose()
    }
}

fn read(mut input: impl Read, used: &Receiver<Chunk>, full: &SyncSender<io::Result<Chunk>>) {
    while let Ok(mut chunk) = used.recv() {
        let count = loop {
            match input.read(chunk.room()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let result = match count {
            Ok(0) => return,
            Ok(count) => {
                chunk.filled(count);
                Ok(chunk)
            }
            Err(error) => Err(error),
        };
        let failed = result.is_err();
        if full.send(result).is_err() || failed {
            return;
        }
    }
}
