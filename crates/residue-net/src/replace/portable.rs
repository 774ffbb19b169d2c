//! Replacement by paths, for systems without files relative to open folders.

use super::is_a_folder;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

pub(super) fn replace<T>(
    path: &Path,
    like: Option<&Path>,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let there = match fs::metadata(path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(there) = &there {
        if there.is_dir() {
            return Err(is_a_folder());
        }
        if !there.is_file() {
            return write(&mut OpenOptions::new().write(true).open(path)?);
        }
    }
    let like = match (&there, like) {
        (Some(there), _) => Some(there.permissions()),
        (None, Some(like)) => {
            Some(fs::metadata(like)?).filter(Metadata::is_file).map(|it| it.permissions())
        }
        (None, None) => None,
    };
    let target = followed(path);
    let folder = folder(&target);
    // The error of a missing folder must not name a temporary file.
    fs::metadata(folder)?;
    let mut new = tempfile::Builder::new().prefix(".residue-").tempfile_in(folder)?;
    let result = write(new.as_file_mut())?;
    new.as_file().sync_all()?;
    if let Some(like) = like {
        new.as_file().set_permissions(like)?;
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(result)
}

pub(super) fn makes_a_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |there| there.is_file())
}

/// Largest number of links to follow, as in Linux.
const MOST_LINKS: u32 = 40;

/// Returns the path at the end of all links, existing or not.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder(&path).join(next);
    }
    path
}

/// Returns the folder of a path.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}
