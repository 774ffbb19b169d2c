//! The folder that holds the socket of a guard, and its state: `/run/residue-guard`, or, where that
//! is another user's, as it is in a user namespace, `residue-guard` in `$XDG_RUNTIME_DIR`.
//!
//! Only its owner may enter it. Nobody else can thus take the name of a socket before a guard does,
//! connect to a guard, or offer a guard a state to restore. It is checked once, when it is opened;
//! all files are then reached through the open folder, which nobody can exchange.

use crate::sys::local::user;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

const NAME: &str = "residue-guard";

/// An open folder of this process's effective user.
#[derive(Debug)]
pub(super) struct Folder {
    opened: File,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder, or creates it. Takes all rights of others from it.
    pub fn create() -> io::Result<Folder> {
        let folder = Folder::first(&places(), true)?;
        folder.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// Opens the folder; `None`: there is none.
    ///
    /// # Errors
    ///
    /// If all of its places are other users', or others may write to it.
    pub fn find() -> io::Result<Option<Folder>> {
        Folder::first(&places(), false)
    }

    /// Returns the path of a file in the folder, for messages.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns a path of a file in the folder that leads through the open folder.
    pub fn within(&self, name: &str) -> PathBuf {
        Path::new("/proc/self/fd").join(self.opened.as_raw_fd().to_string()).join(name)
    }

    /// Excludes other processes of this user that call this, until the folder is closed.
    pub fn lock(&self) -> io::Result<()> {
        self.opened.lock()
    }

    pub fn unlock(&self) -> io::Result<()> {
        self.opened.unlock()
    }

    /// Opens the first folder that is this user's.
    pub(super) fn first(places: &[PathBuf], create: bool) -> io::Result<Option<Folder>> {
        let (mut refused, mut is_missing) = (None, false);
        for path in places {
            if create {
                // If this fails, opening it does, too.
                let _ = DirBuilder::new().mode(0o700).create(path);
            }
            match Folder::open(path, create) {
                Ok(Some(folder)) => return Ok(Some(folder)),
                Ok(None) => refused = refused.or_else(|| Some(foreign(path))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => is_missing = true,
                Err(error) => return Err(named(path, &error)),
            }
        }
        match refused {
            Some(error) if create || !is_missing => Err(error),
            None if create => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!(
                    "no folder for the socket of the guard: {} cannot be created; set \
                     XDG_RUNTIME_DIR to a folder of this user",
                    places
                        .iter()
                        .map(|path| path.display().to_string())
                        .collect::<Vec<_>>()
                        .join(" or ")
                ),
            )),
            _ => Ok(None),
        }
    }

    /// Opens a folder; `None`: it is another user's.
    fn open(path: &Path, tighten: bool) -> io::Result<Option<Folder>> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let opened = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            opened => opened?,
        };
        let metadata = opened.metadata()?;
        if metadata.uid() != user() {
            return Ok(None);
        }
        if tighten && metadata.mode() & 0o777 != 0o700 {
            opened.set_permissions(Permissions::from_mode(0o700))?;
        } else if metadata.mode() & 0o022 != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "others may write to it; remove it, and start the guard again",
            ));
        }
        Ok(Some(Folder { opened, path: path.to_path_buf() }))
    }
}

/// Returns the places of the folder, by preference.
fn places() -> Vec<PathBuf> {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let own = own.filter(|folder| folder.is_absolute());
    [Some("/run".into()), own].into_iter().flatten().map(|place| place.join(NAME)).collect()
}

fn foreign(path: &Path) -> io::Error {
    let owner = path.symlink_metadata().map(|metadata| metadata.uid());
    let owner = owner.map_or_else(|_| "another user".to_string(), |user| format!("user {user}"));
    let words = format!(
        "{} belongs to {owner}, and a guard takes only a folder of its own user (here {}); run \
         this as that user, or remove the folder",
        path.display(),
        user()
    );
    io::Error::new(io::ErrorKind::PermissionDenied, words)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{chown, symlink};

    /// Returns an empty folder for a test.
    fn empty(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("{NAME}-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        folder
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn only_the_owner_may_enter() {
        let root = empty("own");
        let places = [root.join("one"), root.join("two")];
        assert!(Folder::first(&places, false).unwrap().is_none());
        let made = Folder::first(&places, true).unwrap().unwrap();
        assert_eq!((made.path("a"), mode(&places[0])), (places[0].join("a"), 0o700));
        fs::write(made.within("a"), b"").unwrap();
        assert!(places[0].join("a").exists());
        // One that others may write to is refused, and made the owner's by the next guard.
        fs::set_permissions(&places[0], Permissions::from_mode(0o777)).unwrap();
        let error = Folder::first(&places, false).unwrap_err().to_string();
        assert!(error.contains("one: others may write to it"), "{error}");
        assert!(Folder::first(&places, true).unwrap().is_some());
        assert_eq!(mode(&places[0]), 0o700);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn links_and_files_are_no_folders() {
        let root = empty("links");
        let (target, link, file) = (root.join("target"), root.join("link"), root.join("file"));
        fs::create_dir(&target).unwrap();
        symlink(&target, &link).unwrap();
        fs::write(&file, b"").unwrap();
        for place in [link, file] {
            for create in [false, true] {
                assert!(Folder::first(std::slice::from_ref(&place), create).is_err(), "{place:?}");
            }
        }
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn folders_of_other_users_are_refused() {
        if user() != 0 {
            return residue_testing::skip("folders of other users: not root");
        }
        let root = empty("foreign");
        let places = [root.join("one"), root.join("two")];
        fs::create_dir(&places[0]).unwrap();
        chown(&places[0], Some(65_534), None).unwrap();
        // The next place counts, as in a user namespace.
        assert!(Folder::first(&places, false).unwrap().is_none());
        assert_eq!(Folder::first(&places, true).unwrap().unwrap().path, places[1]);
        for create in [false, true] {
            let error = Folder::first(&places[..1], create).unwrap_err().to_string();
            assert!(error.contains("one belongs to user 65534"), "{error}");
        }
        fs::remove_dir_all(&root).unwrap();
    }
}
