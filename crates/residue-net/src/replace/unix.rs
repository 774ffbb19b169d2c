//! Replacement relative to an open folder.

use super::walk::{End, Folder, Place, find, kind};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::fchown;
use std::path::Path;

/// Permissions to read and write; the umask reduces those of a new file.
const DEFAULT: Mode = Mode::from_bits_truncate(0o666);
/// Permissions that may be kept.
const KEPT: Mode = Mode::from_bits_truncate(0o777);

/// Tries to find a free name; another user may have taken some.
const TRIES: u32 = 100;

pub(super) fn replace<T>(
    path: &Path,
    like: Option<&Path>,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let place = find(path)?;
    let mut new = New::at(&place, like)?;
    let result = write(new.file())?;
    new.finish(&place)?;
    Ok(result)
}

pub(super) fn makes_a_file(path: &Path) -> bool {
    find(path).map_or(true, |place| matches!(place.end, End::Nothing | End::File(_)))
}

/// The file that gets the bytes.
enum New<'a> {
    /// It is there already, and keeps its name.
    Through(File),
    /// It gets the name, and before that the permissions, if it does not have them yet.
    Temporary(Temporary<'a>, Option<Mode>),
}

impl<'a> New<'a> {
    fn at(place: &'a Place, like: Option<&Path>) -> io::Result<New<'a>> {
        if let Some(file) = place.through()? {
            return Ok(New::Through(file));
        }
        let (new, mode) = Temporary::for_place(place, like)?;
        Ok(New::Temporary(new, mode))
    }

    fn file(&mut self) -> &mut File {
        match self {
            New::Through(file) => file,
            New::Temporary(new, _) => &mut new.file,
        }
    }

    /// Takes the place, after all bytes were written.
    fn finish(self, place: &Place) -> io::Result<()> {
        match self {
            New::Through(file) if file.metadata()?.is_file() => file.sync_all(),
            New::Through(_) => Ok(()),
            New::Temporary(new, mode) => {
                if let Some(mode) = mode {
                    fs::fchmod(&new.file, mode)?;
                }
                new.synced()?.rename(place)
            }
        }
    }
}

/// A file with a name of its own in a folder. It is removed when it is dropped.
struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    file: File,
    is_renamed: bool,
}

impl<'a> Temporary<'a> {
    /// Creates the file that takes a place. Returns it, and the permissions that it gets when its
    /// bytes are there, if it does not have them yet.
    fn for_place(
        place: &'a Place,
        like: Option<&Path>,
    ) -> io::Result<(Temporary<'a>, Option<Mode>)> {
        let old = if let End::File(old) = place.end { Some(old) } else { None };
        let like = match (old, like) {
            (None, Some(like)) => {
                Some(fs::stat(like)?).filter(|like| kind(like) == FileType::RegularFile)
            }
            (old, _) => old,
        };
        let create = |mode| Temporary::create(&place.folder, mode);
        let Some(like) = like else { return Ok((create(DEFAULT)?, None)) };
        // Created with the permissions that the umask allows; nothing is written to it if it gets
        // others, as who opened it now could read all.
        let first = create(permissions(&like) & DEFAULT)?;
        // A second name may have been given by another user, to a file in another folder.
        let is_own = like.st_uid == geteuid().as_raw() && like.st_nlink == 1;
        if old.is_some() && !place.is_safe && !is_own {
            return Ok((first, None));
        }
        let limited = fs::fstat(&first.file)?;
        drop(first);
        let new = create(Mode::RUSR | Mode::WUSR)?;
        let is_kept = if old.is_some() {
            // A user may be allowed to set the group, but not the owner.
            fchown(&new.file, Some(like.st_uid), Some(like.st_gid)).is_ok()
                || fchown(&new.file, None, Some(like.st_gid)).is_ok() && is_own
        } else {
            (limited.st_uid, limited.st_gid) == (like.st_uid, like.st_gid)
        };
        Ok((new, Some(permissions(if is_kept { &like } else { &limited }))))
    }

    fn create(folder: &Folder, mode: Mode) -> io::Result<Temporary<'_>> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..TRIES {
            let name = format!(".residue-{:016x}", RandomState::new().hash_one(0));
            match fs::openat(&folder.open, &name, flags, mode) {
                Err(Errno::EXIST) => {}
                open => {
                    let file = File::from(open?);
                    return Ok(Temporary { folder, name, file, is_renamed: false });
                }
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Waits until the bytes and the permissions are on the disk.
    fn synced(self) -> io::Result<Synced<'a>> {
        self.file.sync_all()?;
        Ok(Synced(self))
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            let _ = fs::unlinkat(&self.folder.open, &self.name, AtFlags::empty());
        }
    }
}

/// A file whose bytes are on the disk. No other may take a name.
struct Synced<'a>(Temporary<'a>);

impl Synced<'_> {
    /// Gives the file its name, and waits until the name is on the disk.
    fn rename(mut self, place: &Place) -> io::Result<()> {
        let folder = &place.folder;
        fs::renameat(&folder.open, &self.0.name, &folder.open, &place.name)?;
        self.0.is_renamed = true;
        folder.synced()
    }
}

/// Returns the permissions of a file, without the set-user, set-group and sticky bits.
fn permissions(stat: &Stat) -> Mode {
    Mode::from_raw_mode(stat.st_mode) & KEPT
}
