//! Paths resolved one name at a time, relative to open folders.
//!
//! A path that is resolved twice may lead to two places. Here it is resolved once: each folder is
//! opened below the last one, without links, and what is known of a file or a link comes from the
//! descriptor that it is used by.

use super::is_a_folder;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// Largest number of links to follow, as in Linux.
const MOST_LINKS: u32 = 40;

/// Flags to open a folder to work in it. Elsewhere than on Linux, it must be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Flags to open a device or a pipe, or a file by its descriptor.
const THROUGH: OFlags = OFlags::WRONLY.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Returns the kind of a file.
pub(super) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// An open folder.
pub(super) struct Folder {
    pub(super) open: OwnedFd,
    stat: Stat,
}

impl Folder {
    fn new(open: OwnedFd) -> io::Result<Folder> {
        let stat = fs::fstat(&open)?;
        Ok(Folder { open, stat })
    }

    /// Opens the folder where a path begins.
    fn start(path: &[u8]) -> io::Result<Folder> {
        let start = if path.starts_with(b"/") { "/" } else { "." };
        Folder::new(fs::openat(CWD, start, FOLDER, Mode::empty())?)
    }

    /// Opens a folder in this one.
    fn below(&self, name: &OsStr, flags: OFlags) -> io::Result<Folder> {
        Folder::new(fs::openat(&self.open, name, FOLDER | flags, Mode::empty())?)
    }

    /// Returns what a name refers to, and the text of a link.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn entry(&self, name: &OsStr) -> io::Result<Option<(Stat, Vec<u8>)>> {
        // The owner and the text must be those of one link.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = match fs::openat(&self.open, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            open => open?,
        };
        let stat = fs::fstat(&open)?;
        let text = match kind(&stat) {
            FileType::Symlink => fs::readlinkat(&open, "", Vec::new())?.into_bytes(),
            _ => Vec::new(),
        };
        Ok(Some((stat, text)))
    }

    /// Returns what a name refers to, and the text of a link.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn entry(&self, name: &OsStr) -> io::Result<Option<(Stat, Vec<u8>)>> {
        let stat = || fs::statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW);
        let first = match stat() {
            Err(Errno::NOENT) => return Ok(None),
            first => first?,
        };
        if kind(&first) != FileType::Symlink {
            return Ok(Some((first, Vec::new())));
        }
        let text = fs::readlinkat(&self.open, name, Vec::new())?.into_bytes();
        if same(&first, &stat()?) { Ok(Some((first, text))) } else { Err(exchanged()) }
    }

    /// Returns whether a name leads to an open file of a process. The text of such a link is not
    /// always a path, so only the system can follow it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn is_magic(&self, entry: &Stat) -> bool {
        let system = || fs::fstatfs(&self.open).map(|system| system.f_type);
        kind(entry) == FileType::Symlink && system() == Ok(fs::PROC_SUPER_MAGIC)
    }

    /// Returns whether a name leads to an open file of a process.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn is_magic(&self, _: &Stat) -> bool {
        fs::stat("/dev/fd").is_ok_and(|open| same(&open, &self.stat))
    }

    fn may(&self, mode: Mode) -> bool {
        Mode::from_raw_mode(self.stat.st_mode).intersects(mode)
    }

    /// Returns whether somebody other than the caller and root may change the names in the folder.
    /// The bits of the group are also set if an access control list lets others write.
    fn is_shared(&self) -> bool {
        !is_trusted(self.stat.st_uid) || self.may(Mode::WGRP | Mode::WOTH)
    }

    /// Returns whether only the caller and root may exchange this entry.
    fn holds(&self, entry: &Stat) -> bool {
        let is_sticky = is_trusted(self.stat.st_uid) && self.may(Mode::SVTX);
        !self.is_shared() || is_sticky && is_trusted(entry.st_uid)
    }

    /// Refuses links, pipes and devices that anybody may have put into a folder that all may write.
    fn admits(&self, entry: &Stat, what: &str) -> io::Result<()> {
        let owner = entry.st_uid;
        if !self.may(Mode::WOTH) || owner == self.stat.st_uid || owner == geteuid().as_raw() {
            return Ok(());
        }
        let why = format!(
            "leads through a {what} of another user (number {owner}) in a folder that all may \
             write; name another file"
        );
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
    }

    /// Waits until the names in the folder are on the disk.
    pub(super) fn synced(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = match fs::openat(&self.open, ".", flags, Mode::empty()) {
            // A folder may be writable and not readable.
            Err(Errno::ACCESS) => return Ok(()),
            open => open?,
        };
        match fs::fsync(open) {
            // Not all file systems can.
            Err(Errno::INVAL | Errno::NOTSUP | Errno::BADF) => Ok(()),
            done => Ok(done?),
        }
    }
}

/// Returns whether a user is the caller or root.
fn is_trusted(user: u32) -> bool {
    user == 0 || user == geteuid().as_raw()
}

/// Returns whether two descriptions are of one file.
fn same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

fn exchanged() -> io::Error {
    io::Error::other("was exchanged while it was opened; try again")
}

/// The end of a path.
pub(super) struct Place {
    pub(super) folder: Folder,
    pub(super) name: OsString,
    pub(super) end: End,
    /// Whether nobody but the caller and root can change where the path leads.
    pub(super) is_safe: bool,
}

/// What is at the end of a path.
pub(super) enum End {
    Nothing,
    File(Stat),
    /// A device, a pipe or a socket.
    Through(Stat),
    /// An open file of a process.
    Descriptor,
}

impl Place {
    /// Opens a device, a pipe or a file by its descriptor; nothing for other files.
    pub(super) fn through(&self) -> io::Result<Option<File>> {
        let open = |flags| fs::openat(&self.folder.open, &self.name, flags, Mode::empty());
        match &self.end {
            End::Nothing | End::File(_) => Ok(None),
            End::Through(stat) => {
                self.folder.admits(stat, "pipe or device")?;
                let open = open(THROUGH | OFlags::NOFOLLOW)?;
                if same(&fs::fstat(&open)?, stat) {
                    Ok(Some(open.into()))
                } else {
                    Err(exchanged())
                }
            }
            End::Descriptor => {
                let there = fs::statat(&self.folder.open, &self.name, AtFlags::empty())?;
                match kind(&there) {
                    FileType::Directory => Err(is_a_folder()),
                    FileType::RegularFile => Ok(Some(open(THROUGH | OFlags::APPEND)?.into())),
                    _ => Ok(Some(open(THROUGH)?.into())),
                }
            }
        }
    }
}

/// Follows a path to its end, through all links.
pub(super) fn find(path: &Path) -> io::Result<Place> {
    let path = path.as_os_str().as_bytes();
    if path.is_empty() {
        return Err(Errno::NOENT.into());
    }
    let mut folder = Folder::start(path)?;
    let mut names = Vec::new();
    push(&mut names, path);
    let (mut links, mut is_safe) = (0, true);
    while let Some(name) = names.pop() {
        let is_last = names.is_empty();
        if name == "." || name == ".." {
            folder = folder.below(&name, OFlags::empty())?;
            continue;
        }
        let below = if is_last { None } else { Some(folder.below(&name, OFlags::NOFOLLOW)) };
        if let Some(Ok(below)) = below {
            is_safe &= folder.holds(&below.stat);
            folder = below;
            continue;
        }
        let Some((stat, text)) = folder.entry(&name)? else {
            let end = if is_last { End::Nothing } else { return Err(Errno::NOENT.into()) };
            is_safe &= !folder.is_shared();
            return Ok(Place { folder, name, end, is_safe });
        };
        if is_last && folder.is_magic(&stat) {
            return Ok(Place { folder, name, end: End::Descriptor, is_safe: false });
        }
        if kind(&stat) != FileType::Symlink {
            if let Some(Err(error)) = below {
                return Err(error);
            }
            let end = match kind(&stat) {
                FileType::Directory => return Err(is_a_folder()),
                FileType::RegularFile => End::File(stat),
                _ => End::Through(stat),
            };
            is_safe &= !folder.is_shared();
            return Ok(Place { folder, name, end, is_safe });
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(Errno::LOOP.into());
        }
        if folder.is_magic(&stat) {
            is_safe = false;
            folder = folder.below(&name, OFlags::empty())?;
            continue;
        }
        folder.admits(&stat, "link")?;
        is_safe &= folder.holds(&stat);
        if text.starts_with(b"/") {
            folder = Folder::start(&text)?;
        }
        push(&mut names, &text);
    }
    Err(is_a_folder())
}

/// Puts the names of a path before the others, the first one last.
fn push(names: &mut Vec<OsString>, path: &[u8]) {
    // A path that ends in a slash names a folder.
    if path.ends_with(b"/") || path.ends_with(b"/.") || path == b"." {
        names.push(".".into());
    }
    let parts = path.split(|&byte| byte == b'/').filter(|part| !matches!(*part, b"" | b"."));
    names.extend(parts.rev().map(|part| OsString::from_vec(part.to_vec())));
}
