//! Files replaced whole or not at all, and what is no file written to where it stands.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file, so that its name leads to all of the old content or to all of the new, never to
/// less. Returns what `write` does.
///
/// Links are followed and stay; one that leads nowhere gets its target. A file that is replaced
/// passes on its permissions and, where the system allows it, its owner; a new one has those of
/// `like`, or those of any new file. What is no regular file (a device, a pipe) is written to, not
/// replaced, and so is a file that is open already and named so (`/dev/stdout`, `/proc/self/fd/1`):
/// it is appended to.
///
/// `write` gets the file from its start. It has to do what the bytes need to be safe before their
/// name is ([`synced`]), and any buffering.
///
/// # Errors
///
/// Those of `write`, and if `path` is a folder or cannot be written. Then the old file is
/// untouched.
pub fn replace<T>(
    path: &Path,
    like: Option<&Path>,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let there = match fs::metadata(path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (target, open) = followed(path);
    if let Some(there) = &there {
        if there.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        }
        if open || !there.is_file() {
            let mut options = OpenOptions::new();
            return write(&mut options.write(true).append(there.is_file()).open(path)?);
        }
    }
    let like = match (&there, like) {
        (Some(there), _) => Some(there.permissions()),
        (None, Some(like)) => {
            Some(fs::metadata(like)?).filter(Metadata::is_file).map(|it| it.permissions())
        }
        (None, None) => None,
    };
    let folder = folder(&target);
    // So that the error of a missing folder does not name a temporary file.
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".residue-");
    #[cfg(unix)]
    if like.is_none() {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: less what the user's mask takes.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut new = builder.tempfile_in(folder)?;
    let result = write(new.as_file_mut())?;
    #[cfg(unix)]
    if let Some(there) = &there {
        use std::os::unix::fs::{MetadataExt, fchown};
        // The group may be one's own to give where the owner is not.
        let _ = fchown(new.as_file(), Some(there.uid()), Some(there.gid()))
            .or_else(|_| fchown(new.as_file(), None, Some(there.gid())));
    }
    if let Some(like) = like {
        new.as_file().set_permissions(like)?;
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(result)
}

/// Waits until a file's bytes are on the disk: a crash must not leave an empty file under a name.
/// What is no regular file is left alone.
///
/// # Errors
///
/// If they cannot be written.
pub fn synced(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// The most links that are followed, as Linux has it.
const MOST_LINKS: u32 = 40;

/// The path at the end of all links, whether something is there or not; and whether it names a file
/// that is open.
fn followed(path: &Path) -> (PathBuf, bool) {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = folder(&path);
        if fs::canonicalize(folder).is_ok_and(|folder| of_open_files(&folder)) {
            return (path, true);
        }
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder.join(next);
    }
    (path, false)
}

/// Whether a folder has a name for each file that a process has open.
fn of_open_files(folder: &Path) -> bool {
    folder == Path::new("/dev/fd") || folder.starts_with("/proc") && folder.ends_with("fd")
}

/// Where a path's last part stands.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}
