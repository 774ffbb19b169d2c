//! Replacement of files where other users can write: nothing is given to them, and nothing of the
//! caller's is changed for them.
#![cfg(target_os = "linux")]

use residue_net::replace::{makes_a_file, replace};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A user without privilege, and without files.
const OTHER: u32 = 65534;

/// What the test program does as another user, and where.
const ROLE: &str = "RESIDUE_TEST_ROLE";
const PLACE: &str = "RESIDUE_TEST_PLACE";

/// Races are won within ten tries.
const TRIES: u32 = 3000;

fn write(path: &Path) -> io::Result<()> {
    replace(path, None, |file| file.write_all(b"new"))
}

fn seen(path: &Path) -> Metadata {
    fs::symlink_metadata(path).unwrap()
}

fn mode(path: &Path) -> u32 {
    seen(path).mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn made(path: &Path, owner: u32, mode: u32) {
    fs::write(path, "old").unwrap();
    chown(path, Some(owner), Some(owner)).unwrap();
    set_mode(path, mode);
}

/// Returns the user of the tests.
fn user() -> u32 {
    fs::metadata("/proc/self").unwrap().uid()
}

/// A folder that all may write, where nobody may rename the files of others; below it, a folder of
/// the caller with a file, and this program.
struct Shared {
    /// Deleted at the end.
    _all: [tempfile::TempDir; 2],
    shared: PathBuf,
    precious: PathBuf,
    program: PathBuf,
    default_mode: u32,
}

impl Shared {
    /// Creates the folders, if the tests can take the role of another user.
    fn new() -> Option<Shared> {
        if user() != 0 {
            residue_testing::skip("to act as another user needs root");
            return None;
        }
        let all = tempfile::tempdir_in(residue_testing::memory()).unwrap();
        set_mode(all.path(), 0o755);
        let at = |name: &str| all.path().join(name);
        fs::create_dir(at("own")).unwrap();
        fs::write(at("own/file"), "precious").unwrap();
        fs::create_dir(at("shared")).unwrap();
        set_mode(&at("shared"), 0o1777);
        // The other user may not be able to read the folder of the build. Copied by a process of
        // its own: a program that is open for writing, also by a child of another test, cannot be
        // run.
        let program = tempfile::tempdir().unwrap();
        set_mode(program.path(), 0o755);
        let copy = program.path().join("program");
        let this = std::env::current_exe().unwrap();
        let copied = Command::new("cp").args([&this, &copy]).status().unwrap();
        assert!(copied.success());
        set_mode(&copy, 0o755);
        File::create(at("default")).unwrap();
        Some(Shared {
            shared: at("shared"),
            precious: at("own/file"),
            program: copy,
            default_mode: mode(&at("default")),
            _all: [all, program],
        })
    }

    /// Starts this program as the other user.
    fn start(&self, role: &str) -> residue_testing::Running {
        let mut program = Command::new(&self.program);
        program
            .args(["--include-ignored", "--exact", "replace::the_other_user", "--nocapture"])
            .env(ROLE, role);
        program.env(PLACE, &self.shared).current_dir("/").uid(OTHER).gid(OTHER);
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        residue_testing::Running(program.spawn().unwrap())
    }

    /// Lets the other user do something to its end.
    fn play(&self, role: &str) {
        let (good, text) = self.start(role).ended();
        assert!(good, "{role}: {text}");
    }

    fn at(&self, name: &str) -> PathBuf {
        self.shared.join(name)
    }

    #[track_caller]
    fn nothing_is_lost(&self) {
        let there = seen(&self.precious);
        assert_eq!((there.uid(), there.mode() & 0o777), (0, self.default_mode));
        assert_eq!(fs::read(&self.precious).unwrap(), b"precious");
    }

    /// Writes to a path thousands of times while the other user plays a role.
    fn race(&self, role: &str, path: &Path, after: impl Fn()) {
        let mut other = self.start(role);
        residue_testing::until("the other user begins", || self.at("begun").exists());
        let (mut written, mut refused, mut tries) = (0, 0, 0);
        while tries < TRIES || written == 0 || refused == 0 {
            match write(path) {
                Ok(()) => written += 1,
                Err(_) => refused += 1,
            }
            self.nothing_is_lost();
            after();
            tries += 1;
            assert!(tries < 100 * TRIES, "{written} written, {refused} refused");
        }
        assert!(other.0.try_wait().unwrap().is_none(), "{:?}", other.ended());
    }
}

/// Does what the tests let another user do.
#[test]
fn the_other_user() {
    let (Ok(role), Some(place)) = (std::env::var(ROLE), std::env::var_os(PLACE)) else { return };
    assert_eq!(user(), OTHER);
    let place = Path::new(&place);
    let at = |name: &str| place.join(name);
    let precious = place.join("../own/file");
    match &*role {
        "make a file" => {
            fs::write(at("file"), "old").unwrap();
            set_mode(&at("file"), 0o6777);
        }
        "make links" => {
            symlink(&precious, at("link")).unwrap();
            symlink(precious.parent().unwrap(), at("folder")).unwrap();
            symlink("nothing", at("dangling")).unwrap();
            let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
            assert!(made.success());
        }
        "exchange a file and a link" => loop {
            // Fails while the file is that of root.
            for (name, is_link) in [("a", true), ("b", false)] {
                let _ = if is_link {
                    symlink(&precious, at(name))
                } else {
                    File::create(at(name))
                        .and_then(|file| file.set_permissions(Permissions::from_mode(0o666)))
                };
                let _ = fs::rename(at(name), at("file"));
            }
            let _ = File::create(at("begun"));
        },
        "exchange a folder and a link" => {
            fs::create_dir(at("folder")).unwrap();
            set_mode(&at("folder"), 0o777);
            symlink(precious.parent().unwrap(), at("link")).unwrap();
            File::create(at("begun")).unwrap();
            loop {
                // Fails in the folder of root.
                let path = at("folder/file");
                let _ = fs::remove_file(&path);
                if File::create_new(&path).is_ok() {
                    // By now it may be that of root.
                    let _ = fs::set_permissions(&path, Permissions::from_mode(0o666));
                }
                renameat_with(CWD, at("folder"), CWD, at("link"), RenameFlags::EXCHANGE).unwrap();
            }
        }
        "replace" => {
            write(&at("file")).unwrap();
            assert_eq!(fs::read(at("file")).unwrap(), b"new");
        }
        _ => panic!("{role}"),
    }
}

#[test]
fn a_race_for_a_link_is_not_won() {
    let Some(shared) = Shared::new() else { return };
    let path = shared.at("file");
    // The other user cannot replace the file of root.
    shared.race("exchange a file and a link", &path, || drop(fs::remove_file(&path)));
}

#[test]
fn a_race_for_a_folder_is_not_won() {
    let Some(shared) = Shared::new() else { return };
    shared.race("exchange a folder and a link", &shared.at("folder/file"), || ());
}

#[test]
fn a_file_of_another_user_becomes_the_callers() {
    let Some(shared) = Shared::new() else { return };
    shared.play("make a file");
    let path = shared.at("file");
    write(&path).unwrap();
    assert_eq!((seen(&path).uid(), mode(&path)), (0, shared.default_mode));
    // In a folder of the other user, in one of a group, and below one that is sticky no more.
    let inner = shared.at("inner");
    fs::create_dir(&inner).unwrap();
    for (what, owner, folder_mode, outer) in [
        ("other", OTHER, 0o755, 0o1777),
        ("group", 0, 0o775, 0o1777),
        ("all", 0, 0o777, 0o1777),
        ("outer", 0, 0o755, 0o777),
    ] {
        set_mode(&inner, folder_mode);
        chown(&inner, Some(owner), Some(0)).unwrap();
        set_mode(&shared.shared, outer);
        for (old, new) in [(0o666, shared.default_mode), (0o600, 0o600), (0o4711, 0o600)] {
            made(&inner.join("file"), OTHER, old);
            write(&inner.join("file")).unwrap();
            let there = seen(&inner.join("file"));
            assert_eq!((there.uid(), there.gid()), (0, 0), "{what} {old:o}");
            assert_eq!(there.mode() & 0o7777, new, "{what} {old:o}");
        }
    }
}

#[test]
fn owners_are_kept_where_nobody_else_writes() {
    let Some(shared) = Shared::new() else { return };
    let inner = shared.at("inner");
    fs::create_dir(&inner).unwrap();
    for (old, new) in [(0o640, 0o640), (0o666, 0o666), (0o6755, 0o755), (0o1600, 0o600)] {
        made(&inner.join("file"), OTHER, old);
        write(&inner.join("file")).unwrap();
        let there = seen(&inner.join("file"));
        assert_eq!((there.uid(), there.gid()), (OTHER, OTHER), "{old:o}");
        assert_eq!(there.mode() & 0o7777, new, "{old:o}");
    }
}

#[test]
fn a_second_name_gives_no_permissions() {
    let Some(shared) = Shared::new() else { return };
    made(&shared.precious, 0, 0o666);
    fs::hard_link(&shared.precious, shared.at("file")).unwrap();
    write(&shared.at("file")).unwrap();
    assert_eq!(mode(&shared.at("file")), shared.default_mode);
    assert_eq!(fs::read(&shared.precious).unwrap(), b"old");
}

#[test]
fn links_and_pipes_of_another_user_are_refused_where_all_write() {
    let Some(shared) = Shared::new() else { return };
    shared.play("make links");
    for sticky in [0o1777, 0o777] {
        set_mode(&shared.shared, sticky);
        for name in ["link", "folder/file", "folder/new", "dangling", "pipe"] {
            let error = write(&shared.at(name)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{name}");
            assert!(error.to_string().contains("of another user (number 65534)"), "{error}");
        }
    }
    shared.nothing_is_lost();
    assert!(!shared.at("nothing").exists());
    // Elsewhere, all links are followed.
    set_mode(&shared.shared, 0o755);
    write(&shared.at("dangling")).unwrap();
    assert_eq!(seen(&shared.at("nothing")).uid(), 0);
    // And those of the caller everywhere.
    set_mode(&shared.shared, 0o1777);
    symlink("nothing", shared.at("own")).unwrap();
    write(&shared.at("own")).unwrap();
}

#[test]
fn a_user_without_privilege_replaces_what_the_folder_allows() {
    let Some(shared) = Shared::new() else { return };
    // The file of root, in a folder of the user.
    chown(&shared.shared, Some(OTHER), Some(OTHER)).unwrap();
    set_mode(&shared.shared, 0o755);
    for (old, new) in [(0o644, 0o644), (0o666, shared.default_mode)] {
        made(&shared.at("file"), 0, old);
        shared.play("replace");
        let there = seen(&shared.at("file"));
        assert_eq!((there.uid(), there.gid(), there.mode() & 0o7777), (OTHER, OTHER, new));
    }
    // The own file of the user keeps its mode.
    made(&shared.at("file"), OTHER, 0o6666);
    shared.play("replace");
    assert_eq!(mode(&shared.at("file")), 0o666);
}

#[test]
fn the_mode_of_another_users_source_is_limited() {
    let Some(shared) = Shared::new() else { return };
    shared.play("make a file");
    let new = |like: &Path| {
        let path = shared.precious.with_file_name("new");
        let _ = fs::remove_file(&path);
        replace(&path, Some(like), |file| file.write_all(b"new")).unwrap();
        mode(&path)
    };
    assert_eq!(new(&shared.at("file")), shared.default_mode);
    made(&shared.precious, 0, 0o4666);
    assert_eq!(new(&shared.precious), 0o666);
    made(&shared.precious, 0, 0o600);
    assert_eq!(new(&shared.precious), 0o600);
}

#[test]
fn paths_lead_where_the_system_leads_them() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::create_dir(at("c")).unwrap();
    symlink("../c", at("a/up")).unwrap();
    symlink(at("a"), at("absolute")).unwrap();
    symlink("absolute/b/../up//./", at("c/far")).unwrap();
    fs::rename(at("c/far"), at("far")).unwrap();
    symlink("far/file", at("first")).unwrap();
    for name in ["first", "far/file", "c/../c/file", "absolute/up/file", "a/b/../../c//./file"] {
        let path = at(name);
        assert!(makes_a_file(&path), "{name}");
        write(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(fs::read(at("c/file")).unwrap(), b"new", "{name}");
        fs::remove_file(at("c/file")).unwrap();
    }
    // A folder that is open, by the name of the process.
    let open = File::open(at("c")).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&open);
    write(Path::new(&format!("/proc/self/fd/{number}/file"))).unwrap();
    assert_eq!(fs::read(at("c/file")).unwrap(), b"new");
    for folder in ["a", "a/", "a/.", "a/b/..", "far", "far/"] {
        let kind = write(&at(folder)).unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::IsADirectory, "{folder}");
    }
    for folder in ["/", ".", ".."] {
        assert_eq!(write(Path::new(folder)).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
    for none in ["none/file", "none/", "c/none/."] {
        assert_eq!(write(&at(none)).unwrap_err().kind(), io::ErrorKind::NotFound, "{none}");
    }
    assert_eq!(write(Path::new("")).unwrap_err().kind(), io::ErrorKind::NotFound);
    for file in ["c/file/", "c/file/.", "c/file/more"] {
        assert_eq!(write(&at(file)).unwrap_err().kind(), io::ErrorKind::NotADirectory, "{file}");
    }
    let names = fs::read_dir(at("c")).unwrap();
    assert_eq!(names.count(), 1);
}

#[test]
fn forty_links_are_followed_and_no_loop() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    symlink("file", at("1")).unwrap();
    for number in 2..=41 {
        symlink((number - 1).to_string(), at(&number.to_string())).unwrap();
    }
    write(&at("40")).unwrap();
    assert_eq!(fs::read(at("file")).unwrap(), b"new");
    assert!(fs::write(at("41"), "by the system").is_err());
    symlink("loop/loop", at("loop")).unwrap();
    for name in ["41", "loop", "loop/file"] {
        let error = write(&at(name)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::LOOP.raw_os_error()), "{name}");
    }
}
