//! The regular files below a folder, sorted by name, in constant memory.

use std::collections::{BTreeMap, btree_map};
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::PathBuf;

/// Names held of one folder. A larger folder is read again for the next names.
const MOST: usize = 1 << 16;

/// An iterator over the files below a folder.
pub struct Walk {
    folders: Vec<Folder>,
    most: usize,
}

/// A folder on the way to the current file.
struct Folder {
    path: PathBuf,
    /// Names that come next.
    names: btree_map::IntoIter<OsString, FileType>,
    /// The last name read, if the folder may hold more.
    last: Option<OsString>,
}

impl Walk {
    /// Starts at the first name in the folder.
    pub fn new(path: PathBuf) -> Walk {
        Walk::keeping(MOST, path)
    }

    fn keeping(most: usize, path: PathBuf) -> Walk {
        // Unread yet: names after the empty one are still to come.
        let folder = Folder { path, names: BTreeMap::new().into_iter(), last: Some("".into()) };
        Walk { folders: vec![folder], most }
    }
}

impl Folder {
    /// Reads the first `most` names after `last`.
    fn read(&self, last: &OsString, most: usize) -> io::Result<BTreeMap<OsString, FileType>> {
        let mut names = BTreeMap::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            let full = names.len() >= most;
            if name <= *last || full && names.last_key_value().is_some_and(|(end, _)| name > *end) {
                continue;
            }
            let kind = entry.file_type()?;
            // Symbolic links could lead out of the folder, or in circles.
            if kind.is_file() || kind.is_dir() {
                names.insert(name, kind);
            }
            if names.len() > most {
                names.pop_last();
            }
        }
        Ok(names)
    }
}

impl Iterator for Walk {
    /// A file, or a folder that cannot be read.
    type Item = Result<PathBuf, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let folder = self.folders.last_mut()?;
            if let Some((name, kind)) = folder.names.next() {
                let path = folder.path.join(name);
                if kind.is_file() {
                    return Some(Ok(path));
                }
                self.folders.extend(Walk::keeping(self.most, path).folders);
            } else if let Some(last) = folder.last.take() {
                match folder.read(&last, self.most) {
                    Ok(names) => {
                        if names.len() >= self.most {
                            folder.last = names.last_key_value().map(|(name, _)| name.clone());
                        }
                        folder.names = names.into_iter();
                    }
                    Err(error) => return Some(Err((folder.path.clone(), error))),
                }
            } else {
                self.folders.pop();
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn every_file_once_in_the_order_of_names_however_few_names_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut expected = Vec::new();
        for folder in ["", "b", "b/c", "k", "z/y/x"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
            for name in ["0", "a", "aa", "c d", "zz", "\u{fc}"] {
                let path = dir.path().join(folder).join(name);
                fs::write(&path, name).unwrap();
                expected.push(path);
            }
        }
        fs::create_dir(dir.path().join("empty")).unwrap();
        std::os::unix::fs::symlink("..", dir.path().join("b/up")).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("b/to-a")).unwrap();
        expected.sort();
        for most in [1, 2, 3, 6, 7, 8, MOST] {
            let walk = Walk::keeping(most, dir.path().into());
            assert_eq!(walk.map(Result::unwrap).collect::<Vec<_>>(), expected, "{most}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_and_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        let mut walk = Walk::new(gone.clone());
        let (path, error) = walk.next().unwrap().unwrap_err();
        assert_eq!((path, error.kind()), (gone, io::ErrorKind::NotFound));
        assert!(walk.next().is_none());
    }
}
