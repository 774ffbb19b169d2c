//! The file of the state, by which guarded connections outlive the process.

use super::folder::Folder;
use crate::engine::Engine;
use crate::sys::local::user;
use residue_net::replace::replace;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Largest size of a file: more than the largest table takes.
const LONGEST: u64 = 64 << 20;
/// An older file is ignored: few of its connections are left.
const OLDEST: Duration = Duration::from_secs(3600);
/// Shortest pause between two files while connections come.
const PAUSE: Duration = Duration::from_millis(200);
/// Pause while only their sequence numbers advance.
const LONG_PAUSE: Duration = Duration::from_secs(2);
/// The pause lasts at least this many times as long as writing the file.
const SHARE: u32 = 20;

/// A file of the state.
#[derive(Debug)]
pub(super) struct Saved {
    path: PathBuf,
    changes: u64,
    packets: u64,
    last: Instant,
    pause: Duration,
}

/// Returns the default path of the state of an interface, in the guard's folder, which it creates
/// if needed. The network namespace is part of the name.
#[must_use]
pub fn default_state(interface: &str) -> Option<PathBuf> {
    let namespace = fs::read_link("/proc/self/ns/net").ok()?;
    let number: String = namespace.to_str()?.chars().filter(char::is_ascii_digit).collect();
    Some(Folder::create().ok()?.path(&format!("{interface}-{number}")))
}

impl Saved {
    /// Restores the state of a file, if there is one, and continues to write it. Returns why it
    /// could not be restored, if so.
    pub fn open(path: &Path, engine: &mut Engine, now: Duration) -> (Saved, Option<String>) {
        let saved = Saved {
            path: path.to_path_buf(),
            changes: engine.changes(),
            packets: 0,
            last: Instant::now(),
            pause: PAUSE,
        };
        let result = restore(path, engine, now);
        (saved, result.err().map(|error| format!("{}: {error}", path.display())))
    }

    /// Writes the file if it is time for it.
    pub fn update(&mut self, engine: &Engine, packets: u64, now: Duration) -> io::Result<()> {
        let (changes, elapsed) = (engine.changes(), self.last.elapsed());
        let progress = packets != self.packets && engine.guarded() > 0;
        let is_due = changes != self.changes && elapsed >= self.pause
            || progress && elapsed >= LONG_PAUSE.max(self.pause);
        if !is_due {
            return Ok(());
        }
        let start = Instant::now();
        let result = self.write(engine, now);
        self.last = Instant::now();
        self.pause = PAUSE.max((self.last - start) * SHARE);
        (self.changes, self.packets) = (changes, packets);
        result
    }

    /// Writes the file. Only its owner may read it: whoever knows the sequence numbers could forge
    /// segments.
    pub fn write(&self, engine: &Engine, now: Duration) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        replace(&self.path, None, |file| {
            file.set_permissions(Permissions::from_mode(0o600))?;
            file.write_all(&engine.save(now))
        })
    }
}

fn restore(path: &Path, engine: &mut Engine, now: Duration) -> io::Result<()> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let metadata = file.metadata()?;
    // In a folder to which others may write, such as /tmp, it may be anybody's.
    if metadata.uid() != user() || metadata.mode() & 0o022 != 0 {
        let words = "another user owns it, or may write to it; it is not restored";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
    }
    if metadata.modified()?.elapsed().is_ok_and(|age| age > OLDEST) {
        return Ok(());
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    engine.restore(&bytes, now).map(drop).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_file_is_written_read_and_refused() {
        let folder = std::env::temp_dir().join(format!("residue-guard-{}", std::process::id()));
        let path = folder.join("state");
        let mut engine = Engine::new(Config::offering(5, 5));
        let (saved, error) = Saved::open(&path, &mut engine, Duration::ZERO);
        assert_eq!(error, None);
        for _ in 0..2 {
            saved.write(&engine, Duration::ZERO).unwrap();
        }
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Saved::open(&path, &mut engine, Duration::ZERO).1, None);
        fs::write(&path, b"RGS1 and something else").unwrap();
        let (_, error) = Saved::open(&path, &mut engine, Duration::ZERO);
        assert!(error.unwrap().ends_with("state: the saved state is damaged"));
        saved.write(&engine, Duration::ZERO).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o622)).unwrap();
        let (_, error) = Saved::open(&path, &mut engine, Duration::ZERO);
        assert!(error.unwrap().contains("state: another user owns it, or may write to it"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
