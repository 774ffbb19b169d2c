//! Atomic replacement of files, and writing to devices and pipes.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg_attr(unix, path = "replace/unix.rs")]
#[cfg_attr(not(unix), path = "replace/portable.rs")]
mod system;
#[cfg(unix)]
mod walk;

/// Replaces a file atomically: its name refers to all of the old content or all of the new, also
/// after a crash. Returns the result of `write`, which gets the file at its start, and must flush
/// its own buffers.
///
/// Links are followed and stay; the target of a dangling link is created. A device or a pipe is
/// written to, not replaced; a file that is named by its descriptor (`/dev/stdout`,
/// `/proc/self/fd/1`) is appended to. The bytes are on the disk before their name exists, and then
/// the folder is synchronised.
///
/// # Owner and permissions
///
/// On Unix, the path is resolved once, one name at a time, and everything happens in the folder at
/// its end, whatever others do to the path meanwhile.
///
/// - If nobody else can change where the path leads, the new file has the owner, the group and the
///   permissions of the old one, as far as the system allows it. Somebody else can if a folder
///   passed is writable by a group or by all, or belongs to a user other than the caller and root;
///   a sticky folder is safe to pass through entries that belong to the caller or root.
/// - If somebody else can, a file that belongs to the caller, and has no second name, keeps its
///   permissions and, if allowed, its group. A file of another user is replaced by one of the
///   caller, whose permissions are those of the old one as far as the umask permits them.
/// - If an owner or a group cannot be kept, the umask limits the permissions too.
/// - Without an old file, the permissions are those of `like`, limited by the umask if its owner or
///   group differ from those of the new file; or the default without it.
/// - Set-user, set-group and sticky bits are never kept.
/// - In a folder that all may write, links, pipes and devices are refused unless they belong to the
///   caller or the owner of the folder (as with `protected_symlinks` and `protected_fifos` of
///   Linux).
///
/// # Errors
///
/// Returns the errors of `write`, and an error if `path` is a folder or cannot be written. The old
/// file is then unchanged, except if the new name could not be synchronised.
pub fn replace<T>(
    path: &Path,
    like: Option<&Path>,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    system::replace(path, like, write)
}

/// Returns whether [`replace`] makes a new file for a path. It does not for devices, pipes and
/// files that are named by their descriptors.
#[must_use]
pub fn makes_a_file(path: &Path) -> bool {
    system::makes_a_file(path)
}

/// Returns the error for a path that names a folder.
fn is_a_folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a folder")
}
