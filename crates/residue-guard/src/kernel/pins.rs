//! Where the kernel engine keeps its maps and links: in the BPF file system, below
//! `residue-guard/NAMESPACE/INTERFACE`. A pinned link holds its program, and both outlive the
//! process that made them. There is no other state: what `status` shows is derived from here.
//!
//! Whoever may rename a folder of these can hide the guard, and whoever makes one before the guard
//! does can put other maps in place of the guard's. So every command opens the folder first, and
//! refuses one that another user owns or may write to. The same holds for the root of the file
//! system, which may be writable by all if it is sticky, as some programs mount it: then only the
//! owner can rename the folder in it, and the path is safe from there on.

use super::filters;
use crate::sys::local::user;
use crate::sys::{bpf, interface};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Usual place of the BPF file system.
const BPFFS: &str = "/sys/fs/bpf";
const FOLDER: &str = "residue-guard";
/// Without a mode, all users may write to it.
const OPTIONS: &str = "nosuid,nodev,noexec,mode=0700";

/// Names of the links, in the order in which they are removed: no new connection is negotiated once
/// the first is gone.
pub(super) const LINKS: [&str; 10] = [
    "sockops",
    "egress",
    "egress_filter",
    "segments",
    "segments_filter",
    "complete",
    "complete_filter",
    "xdp",
    "ingress",
    "ingress_filter",
];

/// Those of them that are links of an interface, and know it.
const OF_INTERFACE: [&str; 3] = ["egress", "xdp", "ingress"];

/// The pinned objects of the guard of one interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pins {
    pub interface: String,
    pub folder: PathBuf,
}

impl Pins {
    /// Returns the place for the guard of an interface of this network namespace.
    pub fn of(interface: &str) -> io::Result<Pins> {
        // Dots are reserved in the BPF file system, and `+` is in no name that the guard accepts.
        let folder = namespace()?.join(interface.replace('.', "+"));
        Ok(Pins { interface: interface.to_string(), folder })
    }

    /// Returns the guards of this network namespace, whether they work or not. There are none
    /// without a BPF file system.
    pub fn all() -> io::Result<Vec<Pins>> {
        let Some(home) = home()? else { return Ok(Vec::new()) };
        Pins::below(&home.join(namespace_number()?.to_string()))
    }

    fn below(folder: &Path) -> io::Result<Vec<Pins>> {
        let mut all = Vec::new();
        for entry in entries(folder)? {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().replace('+', ".");
            all.push(Pins { interface: name, folder: entry });
        }
        all.sort_by(|one, other| one.interface.cmp(&other.interface));
        Ok(all)
    }

    pub fn create(&self) -> io::Result<()> {
        let mut folders = DirBuilder::new();
        folders.recursive(true).mode(0o700);
        folders.create(self.folder.join("maps"))?;
        folders.create(self.folder.join("links"))?;
        // Another user may have made the first one meanwhile.
        home().map(drop)
    }

    pub fn map(&self, name: &str) -> PathBuf {
        self.folder.join("maps").join(name)
    }

    pub fn link(&self, name: &str) -> PathBuf {
        self.folder.join("links").join(name)
    }

    /// Returns the names of the links that exist.
    pub fn links(&self) -> Vec<&'static str> {
        LINKS.into_iter().filter(|name| self.link(name).exists()).collect()
    }

    /// Returns the number of the cgroup whose sockets are guarded.
    pub fn cgroup_number(&self) -> io::Result<u64> {
        bpf::cgroup_of(bpf::open(&self.link("sockops"))?.as_fd())
    }

    /// Returns the folder of this cgroup, if it still exists and is seen here.
    pub fn cgroup(&self) -> Option<PathBuf> {
        folder_with(&cgroups().ok()?, self.cgroup_number().ok()?, 32)
    }

    /// Returns the time since the guard was installed.
    pub fn age(&self) -> Duration {
        let made = fs::metadata(&self.folder).and_then(|folder| folder.modified());
        made.ok().and_then(|made| SystemTime::now().duration_since(made).ok()).unwrap_or_default()
    }

    /// Returns why this guard protects nothing; `None`: its links are attached to the interface.
    /// `device` is the index of the interface when it was installed.
    pub fn broken(&self, device: u32) -> Option<String> {
        let interface = &self.interface;
        let Some(index) = interface::index(interface) else {
            return Some(format!("the interface {interface} was deleted"));
        };
        if index != device {
            return Some(format!("the interface {interface} was deleted and made again"));
        }
        for name in OF_INTERFACE {
            let path = self.link(name);
            if !path.exists() {
                continue;
            }
            let attached = bpf::open(&path).and_then(|link| bpf::interface_of(link.as_fd()));
            match attached {
                Ok(attached) if attached == index => {}
                Ok(_) => return Some(format!("its part `{name}` was detached")),
                Err(error) => return Some(format!("the link `{name}`: {error}")),
            }
        }
        match filters::missing(interface, |name| self.link(name)) {
            Ok(None) => {}
            Ok(Some(name)) => return Some(format!("its part `{name}` was detached")),
            Err(error) => return Some(format!("its filters cannot be read: {error}")),
        }
        let links = self.links();
        let has = |names: &[&str]| names.iter().any(|name| links.contains(name));
        for (part, names) in [
            ("sockops", &["sockops"][..]),
            ("egress", &["egress", "egress_filter"]),
            ("segments", &["segments", "segments_filter"]),
            ("complete", &["complete", "complete_filter"]),
            ("ingress", &["xdp", "ingress", "ingress_filter"]),
        ] {
            if !has(names) {
                return Some(format!("its part `{part}` is not attached"));
            }
        }
        None
    }

    /// Returns whether the interface is gone, whatever its network namespace.
    fn is_dead(&self) -> bool {
        let is_dead = |name: &&str| {
            let link = bpf::open(&self.link(name));
            link.and_then(|link| bpf::interface_of(link.as_fd())).is_ok_and(|index| index == 0)
        };
        OF_INTERFACE.iter().any(is_dead)
    }

    /// Removes all links and maps. The kernel detaches the programs.
    pub fn remove(&self) -> io::Result<()> {
        for name in LINKS {
            remove_file(&self.link(name))?;
        }
        for folder in ["maps", "links"] {
            let folder = self.folder.join(folder);
            for file in entries(&folder)? {
                remove_file(&file)?;
            }
            remove_folder(&folder)?;
        }
        remove_folder(&self.folder)?;
        // The folders above go with the last guard.
        for folder in self.folder.ancestors().skip(1).take(2) {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

/// Removes all links and maps of several guards. No new connection is negotiated once the links of
/// the sockets are gone, which they share.
pub(super) fn remove_all(all: &[Pins]) -> io::Result<()> {
    for pins in all {
        remove_file(&pins.link(LINKS[0]))?;
    }
    all.iter().try_for_each(Pins::remove)
}

/// Removes what guards of network namespaces that no longer exist have left: their links belong to
/// no interface. Returns their folders.
pub(super) fn remove_dead() -> io::Result<Vec<PathBuf>> {
    let Some(home) = home()? else { return Ok(Vec::new()) };
    let own = home.join(namespace_number()?.to_string());
    let mut removed = Vec::new();
    for namespace in entries(&home)? {
        if namespace == own {
            continue;
        }
        let all = Pins::below(&namespace)?;
        // The guards of other interfaces show that a network namespace is still there.
        if !all.iter().all(Pins::is_dead) {
            continue;
        }
        for pins in all {
            pins.remove()?;
            removed.push(pins.folder);
        }
    }
    Ok(removed)
}

/// Tests whether all cgroups are seen here. In a container with a cgroup namespace, a guard without
/// [`Settings::cgroup`](super::Settings::cgroup) is for the processes of the container alone.
///
/// # Errors
///
/// If others are hidden, or no cgroup is seen.
pub fn all_cgroups_are_seen() -> io::Result<()> {
    let root = cgroups()?;
    if number_of_cgroup(&root)? == ROOT {
        return Ok(());
    }
    let folder = root.display();
    Err(io::Error::other(format!("{folder} has those of this container alone, and hides the rest")))
}

/// Number of the cgroup that has all others.
pub(super) const ROOT: u64 = 1;

/// Returns the number of a cgroup: the inode number of its folder, wherever that is mounted.
pub(super) fn number_of_cgroup(folder: &Path) -> io::Result<u64> {
    Ok(fs::metadata(folder)?.ino())
}

/// Returns the folder of the cgroup (version 2) that has all others, or, if that is not seen here,
/// of the one that has those of a container.
pub(super) fn cgroups() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let is_root = |place: &Path| number_of_cgroup(place).is_ok_and(|number| number == ROOT);
    let unlike = |place: &PathBuf| (!is_root(place), place != Path::new("/sys/fs/cgroup"));
    places(&mounts, "cgroup2").min_by_key(unlike).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "no cgroup file system (version 2) is mounted")
    })
}

/// Returns the folder of the cgroup with this number, in a tree.
fn folder_with(root: &Path, number: u64, depth: u32) -> Option<PathBuf> {
    if number_of_cgroup(root).ok()? == number {
        return Some(root.to_path_buf());
    }
    let inner = fs::read_dir(root).ok().filter(|_| depth > 0)?;
    let folders = inner.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).find_map(|path| folder_with(&path, number, depth - 1))
}

/// Returns the number of this network namespace.
fn namespace_number() -> io::Result<u64> {
    Ok(fs::metadata("/proc/self/ns/net")?.ino())
}

/// Returns the folder for this network namespace.
fn namespace() -> io::Result<PathBuf> {
    let root = mounted()?.map_or_else(mount, Ok)?;
    let home = home()?.unwrap_or_else(|| root.join(FOLDER));
    Ok(home.join(namespace_number()?.to_string()))
}

/// Returns the guard's folder in the BPF file system, if there is one.
///
/// # Errors
///
/// If another user owns it, or may rename it or what is in it.
fn home() -> io::Result<Option<PathBuf>> {
    let Some(root) = mounted()? else { return Ok(None) };
    let path = root.join(FOLDER);
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let folder = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // There is no guard of this engine for the root of another user namespace.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !is_initial() => {
            return Ok(None);
        }
        Err(error) => {
            return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
        }
    };
    must_be_own(&path, &folder.metadata()?, false)?;
    must_be_own(&root, &File::open(&root)?.metadata()?, true)?;
    Ok(Some(path))
}

/// Returns an error if another user than root and this process's owns a folder, or may write to it.
fn must_be_own(path: &Path, folder: &Metadata, may_be_sticky: bool) -> io::Result<()> {
    let (owner, mode) = (folder.uid(), folder.mode());
    let why = if owner != 0 && owner != user() {
        format!("belongs to user {owner}, who could hide or exchange the guard's programs")
    } else if mode & 0o022 != 0 && !(may_be_sticky && mode & 0o1000 != 0) {
        "may be changed by other users, who could hide or exchange the guard's programs".to_string()
    } else {
        return Ok(());
    };
    let words = format!("{} {why}; see what is in it, remove it, and repeat this", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, words))
}

/// Returns whether this is the initial user namespace.
fn is_initial() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_ascii_whitespace().eq(["0", "0", "4294967295"])
}

/// Returns the BPF file system that this process sees.
fn mounted() -> io::Result<Option<PathBuf>> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    Ok(places(&mounts, "bpf").min_by_key(|place| place != Path::new(BPFFS)))
}

/// Returns the places where a file system of this kind is mounted.
fn places(mounts: &str, kind: &str) -> impl Iterator<Item = PathBuf> {
    mounts.lines().filter_map(move |line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let place = fields.next()?;
        (fields.next() == Some(kind)).then(|| PathBuf::from(place))
    })
}

/// Tests whether there is, or could be, a BPF file system for pins.
pub(super) fn is_usable() -> io::Result<()> {
    if mounted()?.is_some() { Ok(()) } else { is_shared() }
}

/// Mounts the BPF file system, as systemd does: only root may enter it. In a mount namespace of its
/// own, the guard would end with that namespace.
fn mount() -> io::Result<PathBuf> {
    is_shared()?;
    let output = Command::new("mount").args(["-t", "bpf", "-o", OPTIONS, "bpf", BPFFS]).output()?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("no BPF file system: {}", words.trim())));
    }
    Ok(BPFFS.into())
}

/// Returns an error if this process has a mount namespace of its own, other than that of its oldest
/// ancestor. Ancestors whose namespace it may not see do not count: even root may not see that of
/// process 1 if that process has capabilities that this one lacks.
fn is_shared() -> io::Result<()> {
    let namespace = |process: u32| fs::read_link(format!("/proc/{process}/ns/mnt"));
    let process = std::process::id();
    let oldest = ancestors(process).filter_map(|ancestor| namespace(ancestor).ok()).last();
    if oldest.is_some_and(|oldest| namespace(process).is_ok_and(|own| own != oldest)) {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "no BPF file system is visible here, as under `ip netns exec`, which hides \
             /sys/fs/bpf; use `nsenter --net=/run/netns/NAME residue guard ...`",
        ));
    }
    Ok(())
}

/// Returns the parent of a process, its parent, and so on.
fn ancestors(process: u32) -> impl Iterator<Item = u32> {
    let next = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        parent(&stat).filter(|&parent| parent != 0)
    };
    std::iter::successors(next(&process), next)
}

/// Returns the parent from a process's `stat`. The name before it, in parentheses, may hold any
/// character.
fn parent(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Returns the paths in a folder, which need not exist.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn remove_file(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_file(path))
}

fn remove_folder(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_dir(path))
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_found() {
        let mounts = "\
proc /proc proc rw 0 0
bpf /run/other/bpf bpf rw 0 0
none /sys/fs/bpf bpf rw,nosuid 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
";
        let all = |kind| places(mounts, kind).collect::<Vec<_>>();
        assert_eq!(all("bpf"), [Path::new("/run/other/bpf"), Path::new(BPFFS)]);
        assert_eq!(all("cgroup2"), [Path::new("/sys/fs/cgroup/unified")]);
        assert!(all("cgroup").is_empty());
    }

    #[test]
    fn parents_are_read_behind_any_name() {
        assert_eq!(parent("7 (residue) S 5 7 7 0"), Some(5));
        assert_eq!(parent("7 (a) S 9 (b) R 12 7"), Some(12));
        assert_eq!(parent("7 (cut"), None);
        assert_eq!(parent(""), None);
        let own = std::process::id();
        let ancestors: Vec<u32> = ancestors(own).collect();
        assert_eq!(ancestors.first(), Some(&std::os::unix::process::parent_id()));
        assert!(!ancestors.contains(&own));
    }
}
