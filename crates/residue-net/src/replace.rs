//! Atomic replacement of files, and writing to devices and pipes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Replaces a file atomically: its name refers to all of the old content or all of the new. Returns
/// the result of `write`.
///
/// Links are followed and stay; the target of a dangling link is created. The new file has the
/// permissions of the old one and, where the system allows it, its owner; without an old one, the
/// permissions of `like`, or the default. A device or a pipe is written to, not replaced; a file
/// that is named by its descriptor (`/dev/stdout`, `/proc/self/fd/1`) is appended to.
///
/// `write` gets the file at its start. It must flush its own buffers, and make the bytes safe
/// before their name exists ([`synced`]).
///
/// # Errors
///
/// Returns the errors of `write`, and an error if `path` is a folder or cannot be written. The old
/// file is then unchanged.
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
    // The error of a missing folder must not name a temporary file.
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".residue-");
    #[cfg(unix)]
    if like.is_none() {
        use std::os::unix::fs::PermissionsExt;
        // The default mode, reduced by the user's mask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut new = builder.tempfile_in(folder)?;
    let result = write(new.as_file_mut())?;
    #[cfg(unix)]
    if let Some(there) = &there {
        use std::os::unix::fs::{MetadataExt, fchown};
        // A user may be allowed to set the group, but not the owner.
        let _ = fchown(new.as_file(), Some(there.uid()), Some(there.gid()))
            .or_else(|_| fchown(new.as_file(), None, Some(there.gid())));
    }
    if let Some(like) = like {
        new.as_file().set_permissions(like)?;
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(result)
}

/// Returns whether [`replace`] makes a new file for a path. It does not for devices, pipes and
/// files that are named by their descriptors.
#[must_use]
pub fn makes_a_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |there| there.is_file() && !followed(path).1)
}

/// Waits until the bytes of a file are on the disk: a crash must not leave an empty file under its
/// name. Does nothing for devices and pipes.
///
/// # Errors
///
/// If they cannot be written.
pub fn synced(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// Largest number of links to follow, as in Linux.
const MOST_LINKS: u32 = 40;

/// Returns the path at the end of all links, existing or not, and whether it is a descriptor.
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

/// Returns whether a folder names the open files of a process.
fn of_open_files(folder: &Path) -> bool {
    folder == Path::new("/dev/fd") || folder.starts_with("/proc") && folder.ends_with("fd")
}

/// Returns the folder of a path.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}
