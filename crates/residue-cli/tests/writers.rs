//! Tests all code that writes files, with every kind of path: regular files are replaced
//! atomically, everything else is written through.
#![cfg(target_os = "linux")]

mod synced;

use crate::common::residue;
use residue_bench::model::{Run, Statistic};
use residue_net::pcap::patch;
use residue_net::replace::replace;
use residue_papers::page;
use residue_report::files::write_whole;
use residue_strength::search::{Question, Range, Search, Task};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Code that writes one file.
struct Writer {
    name: &'static str,
    /// Name of the file in the folder passed to the writer.
    file: &'static str,
    write: fn(&Path) -> Result<(), String>,
}

/// All writers of the Rust crates.
const WRITERS: &[Writer] = &[
    Writer {
        name: "residue_net::replace",
        file: "any",
        write: |path| said(replace(path, None, |file| file.write_all(b"all of it"))),
    },
    Writer {
        name: "patch::copy_to_file",
        file: "new.pcap.gz",
        write: |path| said(patch::copy_to_file(&b"0123456789"[..], path, None, &[])),
    },
    Writer {
        name: "pcap fix -o",
        file: "new.pcap",
        write: |path| {
            let bad = capture("nat-tcp.bad.pcap");
            program(["pcap".as_ref(), "fix".as_ref(), bad.as_path(), "-o".as_ref(), path])
        },
    },
    Writer {
        name: "pcap nat -o",
        file: "new.pcap",
        write: |path| {
            let map = "192.0.2.1=10.0.0.1".as_ref();
            let good = capture("nat-tcp.good.pcap");
            let words = ["pcap".as_ref(), "nat".as_ref(), good.as_path(), "--map".as_ref(), map];
            program([&words[..], &["-o".as_ref(), path]].concat())
        },
    },
    Writer {
        name: "pcap make --synthetic",
        file: "new.pcap",
        write: |path| {
            let words = ["pcap", "make", "--synthetic", "20000"].map(Path::new);
            program([&words[..], &[path]].concat())
        },
    },
    Writer {
        name: "pcap make",
        file: "cases.csv",
        write: |path| program(["pcap".as_ref(), "make".as_ref(), folder(path)]),
    },
    Writer {
        name: "pcap make, a capture",
        file: "nat-tcp.good.pcap",
        write: |path| program(["pcap".as_ref(), "make".as_ref(), folder(path)]),
    },
    Writer {
        name: "man",
        file: "residue.1",
        write: |path| program(["man".as_ref(), folder(path)]),
    },
    Writer {
        name: "residue_report::files",
        file: "any",
        write: |path| said(write_whole(folder(path), "any", "all of it")),
    },
    Writer {
        name: "bench --report",
        file: "run.json",
        write: |path| said(page::write_report(reported(path), &run(), &[], Statistic::Median)),
    },
    Writer {
        name: "strength compare --report",
        file: "compare.json",
        write: |path| {
            let words = ["strength", "compare", "crc-8/smbus", "crc-8/autosar", "--length", "16"];
            let words = [&words[..], &["--report"]].concat();
            program(words.into_iter().map(Path::new).chain([reported(path)]))
        },
    },
    Writer {
        name: "strength data --report",
        file: "data.csv",
        write: |path| {
            let words = ["strength", "data", "--made", "ramp", "-a", "crc-16/arc", "--splices"];
            let words = [&words[..], &["1000", "--trials", "100", "--report"]].concat();
            program(words.into_iter().map(Path::new).chain([reported(path)]))
        },
    },
    Writer {
        name: "strength search --checkpoint",
        file: "checkpoint",
        write: |path| {
            let task = Task::new(8, Question::Survey).map_err(|error| error.to_string())?;
            said(Search::new(task, Range::WHOLE).write(path))
        },
    },
];

fn said<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

fn program<'a>(words: impl IntoIterator<Item = &'a Path>) -> Result<(), String> {
    let ran = residue(words).run();
    if ran.code == 0 { Ok(()) } else { Err(ran.err) }
}

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures").join(name)
}

/// Returns the folder of a file, which has the page of an earlier report.
fn reported(path: &Path) -> &Path {
    // Some tests take the right to write away.
    let _ = fs::write(folder(path).join("index.html"), residue_report::page::GENERATOR);
    folder(path)
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap()
}

fn run() -> Run {
    serde_json::from_str(
        r#"{"format":1,"residue":"0","date":"2026-01-02T03:04:05Z","mode":"thesis",
        "data":"random","samples":1000,
        "machine":{"cpu":"x","arch":"x86_64","features":[],"counter":"rdtsc",
        "ticks_per_cycle":1.0,"ns_per_tick":1.0,"resolution_ticks":1.0,"overhead_ticks":0.0},
        "cells":[],"steady":[],"conditions":[]}"#,
    )
    .unwrap()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Calls `test` for each writer in an empty folder, with the path to write and the expected
/// content.
fn each(test: impl Fn(&Writer, &Path, &[u8])) {
    each_in(&residue_testing::memory(), test);
}

/// Calls `test` as [`each`], with folders in `outer`.
fn each_in(outer: &Path, test: impl Fn(&Writer, &Path, &[u8])) {
    for writer in WRITERS {
        let place = tempfile::tempdir_in(outer).unwrap();
        let new = place.path().join("new");
        fs::create_dir(&new).unwrap();
        (writer.write)(&new.join(writer.file)).unwrap();
        let content = fs::read(new.join(writer.file)).unwrap();
        assert!(!content.is_empty(), "{}", writer.name);
        let folder = place.path().join("there");
        fs::create_dir(&folder).unwrap();
        test(writer, &folder.join(writer.file), &content);
        let left = fs::read_dir(&folder).into_iter().flatten().map(|it| it.unwrap().file_name());
        for name in left {
            assert!(!name.to_string_lossy().starts_with('.'), "{}: left {name:?}", writer.name);
        }
    }
}

#[track_caller]
fn holds(path: &Path, content: &[u8], writer: &Writer) {
    assert!(fs::read(path).unwrap() == content, "{}: {}", writer.name, path.display());
}

#[test]
fn a_file_that_is_replaced_keeps_mode_and_owner() {
    each(|writer, path, content| {
        fs::write(path, "old").unwrap();
        if is_root() {
            chown(path, Some(65534), Some(65533)).unwrap();
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o6750)).unwrap();
        let before = fs::metadata(path).unwrap();
        (writer.write)(path).unwrap();
        holds(path, content, writer);
        let after = fs::metadata(path).unwrap();
        // Set-user and set-group bits are not kept.
        assert_eq!((before.mode() & 0o7777, after.mode() & 0o7777), (0o6750, 0o750));
        let kept = |it: &fs::Metadata| (it.mode() & 0o777, it.uid(), it.gid());
        assert_eq!(kept(&after), kept(&before), "{}", writer.name);
        assert_ne!(after.ino(), before.ino(), "{}: changed where it stands", writer.name);
    });
}

#[test]
fn a_new_file_has_the_mode_of_any_new_file() {
    each(|writer, path, _| {
        (writer.write)(path).unwrap();
        let other = folder(path).join("other");
        File::create(&other).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode();
        // A changed capture has the mode of its source.
        let like = if writer.name.ends_with("-o") { capture("nat-tcp.bad.pcap") } else { other };
        assert_eq!(mode(path), mode(&like), "{}", writer.name);
    });
}

#[test]
fn links_stay_and_what_they_lead_to_is_replaced() {
    each(|writer, path, content| {
        let place = folder(path).parent().unwrap();
        fs::create_dir(place.join("far")).unwrap();
        let target = place.join("far/target");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o604)).unwrap();
        symlink("target", place.join("far/second")).unwrap();
        symlink("far/second", place.join("first")).unwrap();
        for link in ["../far/target", "../first", place.join("first").to_str().unwrap()] {
            symlink(link, path).unwrap();
            (writer.write)(path).unwrap();
            assert_eq!(fs::read_link(path).unwrap(), Path::new(link), "{}", writer.name);
            assert_eq!(fs::read_link(place.join("first")).unwrap(), Path::new("far/second"));
            assert_eq!(fs::read_link(place.join("far/second")).unwrap(), Path::new("target"));
            holds(&target, content, writer);
            assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o604, "{}", writer.name);
            fs::write(&target, "old").unwrap();
            fs::remove_file(path).unwrap();
        }
    });
}

#[test]
fn a_link_that_leads_nowhere_gets_its_target() {
    each(|writer, path, content| {
        symlink("../second", path).unwrap();
        symlink("target", folder(path).join("../second")).unwrap();
        (writer.write)(path).unwrap();
        assert!(fs::symlink_metadata(path).unwrap().is_symlink(), "{}", writer.name);
        let target = folder(path).join("../target");
        assert!(fs::symlink_metadata(&target).unwrap().is_file(), "{}", writer.name);
        holds(&target, content, writer);
        // A link to itself.
        fs::remove_file(&target).unwrap();
        symlink("second", &target).unwrap();
        (writer.write)(path).unwrap_err();
        assert!(fs::symlink_metadata(path).unwrap().is_symlink(), "{}", writer.name);
    });
}

#[test]
fn a_pipe_is_written_to() {
    each(|writer, path, content| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
        let pipe = path.to_path_buf();
        let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
        (writer.write)(path).unwrap();
        assert!(fs::symlink_metadata(path).unwrap().file_type().is_fifo(), "{}", writer.name);
        assert!(reader.join().unwrap() == content, "{}", writer.name);
    });
}

#[test]
fn a_device_is_written_to_not_replaced() {
    let place = tempfile::tempdir().unwrap();
    let probe = place.path().join("node");
    // Own nodes of the null and full devices, so that those of the system are not touched.
    let node = |path: &Path, minor: &str| {
        let made = Command::new("mknod").arg(path).args(["c", "1", minor]).output().unwrap();
        made.status.success() && OpenOptions::new().write(true).open(path).is_ok()
    };
    if !node(&probe, "3") {
        let why = "a device node needs root, and a folder for temporary files that allows devices";
        return residue_testing::skip(why);
    }
    each_in(&std::env::temp_dir(), |writer, path, _| {
        assert!(node(path, "3"));
        let before = fs::metadata(path).unwrap();
        (writer.write)(path).unwrap();
        let after = fs::symlink_metadata(path).unwrap();
        assert!(after.file_type().is_char_device(), "{}", writer.name);
        assert_eq!((after.rdev(), after.ino()), (before.rdev(), before.ino()), "{}", writer.name);
        fs::remove_file(path).unwrap();
        assert!(node(path, "7"));
        (writer.write)(path).expect_err(writer.name);
        let after = fs::symlink_metadata(path).unwrap();
        assert!(after.file_type().is_char_device(), "{}", writer.name);
    });
}

#[test]
fn a_file_that_is_open_already_is_appended_to() {
    // As in `(echo before; residue ... -o /dev/stdout) > file`.
    each(|writer, path, content| {
        let real = folder(path).join("../open");
        let mut file = File::create(&real).unwrap();
        file.write_all(b"before\n").unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&file);
        let before = fs::metadata(&real).unwrap().ino();
        symlink(format!("/proc/{}/fd/{number}", std::process::id()), path).unwrap();
        (writer.write)(path).unwrap();
        holds(&real, &[b"before\n", content].concat(), writer);
        assert_eq!(fs::metadata(&real).unwrap().ino(), before, "{}", writer.name);
    });
}

#[test]
fn folders_are_refused_by_name() {
    each(|writer, path, _| {
        fs::create_dir(path).unwrap();
        let error = (writer.write)(path).expect_err(writer.name);
        assert!(error.to_lowercase().contains("folder"), "{}: {error}", writer.name);
        assert!(path.is_dir(), "{}", writer.name);
    });
}

#[test]
fn a_folder_that_cannot_be_written_keeps_its_files() {
    let theirs = Path::new("/sys/kernel");
    each(|writer, path, _| {
        if is_root() {
            // Modes do not stop root.
            (writer.write)(&theirs.join(writer.file)).expect_err(writer.name);
            return;
        }
        fs::write(path, "old").unwrap();
        fs::set_permissions(folder(path), fs::Permissions::from_mode(0o555)).unwrap();
        (writer.write)(path).expect_err(writer.name);
        fs::set_permissions(folder(path), fs::Permissions::from_mode(0o755)).unwrap();
        holds(path, b"old", writer);
    });
}

#[test]
fn a_file_that_vanishes_is_written_anew() {
    each(|writer, path, content| {
        for _ in 0..2 {
            (writer.write)(path).unwrap();
            holds(path, content, writer);
            fs::remove_file(path).unwrap();
        }
    });
    // The file while it is written.
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    fs::write(&path, "old").unwrap();
    replace(&path, None, |file| {
        fs::remove_file(&path)?;
        file.write_all(b"new")
    })
    .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn a_change_in_place_is_made_where_the_file_stands() {
    let change = |path: &Path| {
        let fix = residue(["pcap", "fix", "--in-place"].map(Path::new).into_iter().chain([path]));
        fix.run().code
    };
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::copy(capture("nat-tcp.bad.pcap"), at("file")).unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", at("second")).unwrap();
    symlink("second", at("first")).unwrap();
    let before = fs::metadata(at("file")).unwrap();
    assert_eq!(change(&at("first")), 0);
    assert!(fs::read(at("file")).unwrap() == fs::read(capture("nat-tcp.good.pcap")).unwrap());
    let after = fs::metadata(at("file")).unwrap();
    assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
    assert!(fs::symlink_metadata(at("first")).unwrap().is_symlink());
    symlink("nowhere", at("dangling")).unwrap();
    for name in ["dangling", "none", "."] {
        assert_eq!(change(&at(name)), 2, "{name}");
    }
    assert!(!at("nowhere").exists() && !at("none").exists());
}

/// Only `replace` renames files.
#[test]
fn nothing_else_replaces_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut waiting = vec![crates.clone()];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !["target", "tests"].contains(&&*name) {
                waiting.push(path);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).unwrap();
                let calls = ["fs::rename", "renameat", ".persist("];
                if calls.iter().any(|call| text.contains(call)) {
                    found.push(name);
                }
            }
        }
    }
    found.sort();
    assert_eq!(found, ["portable.rs", "unix.rs"]);
}
