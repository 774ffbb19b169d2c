//! Every writer has its bytes on the disk before their name, and then the name.

use super::{WRITERS, each, folder};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Names the writer that this test runs under strace, and its path.
const INSIDE: [&str; 2] = ["RESIDUE_TEST_WRITER", "RESIDUE_TEST_PATH"];

const NAME: &str = "writers::synced::bytes_are_on_the_disk_before_their_name";

#[test]
fn bytes_are_on_the_disk_before_their_name() {
    if let (Ok(name), Some(path)) = (env::var(INSIDE[0]), env::var_os(INSIDE[1])) {
        let writer = WRITERS.iter().find(|writer| writer.name == name).unwrap();
        return (writer.write)(Path::new(&path)).unwrap();
    }
    if !residue_testing::installed("strace") {
        return;
    }
    let probe = Command::new("strace").args(["-o", "/dev/null", "true"]).output().unwrap();
    if !probe.status.success() {
        return residue_testing::skip("strace is not allowed to trace processes");
    }
    each(|writer, path, _| {
        let trace = folder(path).parent().unwrap().join("trace");
        // Without the bytes: only names and descriptors count.
        let calls = "trace=/^(rename|fsync|fdatasync|p?write|copy_file_range|sendfile|ftruncate)";
        let mut run = Command::new("strace");
        run.args(["-f", "-y", "-s", "0", "-e", calls, "-o"]).arg(&trace);
        run.arg(env::current_exe().unwrap()).args(["--include-ignored", "--exact", NAME]);
        let ran = run.env(INSIDE[0], writer.name).env(INSIDE[1], path).output().unwrap();
        assert!(ran.status.success(), "{}: {ran:?}", writer.name);
        let trace = fs::read_to_string(trace).unwrap();
        let moves = judge(&trace).unwrap_or_else(|why| panic!("{}: {why}", writer.name));
        assert!(moves.iter().any(|name| name == path), "{}: not renamed\n{trace}", writer.name);
    });
}

/// Returns the names that a trace gives to files, or which of them come before the bytes, or are
/// themselves not on the disk.
fn judge(trace: &str) -> Result<Vec<PathBuf>, String> {
    let calls: Vec<(&str, &str)> = trace.lines().filter_map(call).collect();
    let of = |file: &Path| {
        let file = format!("<{}>", file.display());
        move |&(_, arguments): &(&str, &str)| arguments.split(", ").any(|it| it.contains(&file))
    };
    let mut moves = Vec::new();
    for (at, (name, arguments)) in calls.iter().enumerate() {
        if !name.starts_with("rename") {
            continue;
        }
        let [from, to] = ends(arguments).ok_or_else(|| format!("{name}({arguments}"))?;
        let last = calls[..at].iter().rfind(|call| of(&from)(call));
        if !last.is_some_and(|(name, _)| name.ends_with("sync")) {
            return Err(format!("{}: the name comes before the bytes\n{trace}", to.display()));
        }
        let is_sync = |call: &&(&str, &str)| call.0.ends_with("sync") && of(folder(&to))(call);
        if calls[at..].iter().find(is_sync).is_none() {
            return Err(format!("{}: the name is not on the disk\n{trace}", to.display()));
        }
        moves.push(to);
    }
    Ok(moves)
}

/// Returns the name and the arguments of a call that begins in a line.
fn call(line: &str) -> Option<(&str, &str)> {
    let (_, call) = line.split_once(|it: char| it.is_ascii_whitespace())?;
    call.trim_start().split_once('(').filter(|(name, _)| !name.starts_with('<'))
}

/// Returns the old and the new path of a call that renames.
fn ends(arguments: &str) -> Option<[PathBuf; 2]> {
    let mut place = PathBuf::new();
    let mut paths = Vec::new();
    for argument in arguments.split([',', ')']) {
        let argument = argument.trim().trim_end_matches(" <unfinished ...>");
        if let Some((_, open)) = argument.split_once('<') {
            place = PathBuf::from(open.strip_suffix('>')?);
        } else if let Some(path) = argument.strip_prefix('"') {
            paths.push(place.join(path.strip_suffix('"')?));
        }
    }
    paths.try_into().ok()
}

#[test]
fn traces_are_judged() {
    let good = "7  write(5</a/.t>, \"\"..., 3) = 3\n7  fsync(5</a/.t>) = 0\n\
                7  renameat(4</a>, \".t\", 4</a>, \"b\") = 0\n7  fsync(6</a>) = 0\n";
    assert_eq!(judge(good), Ok(vec![PathBuf::from("/a/b")]));
    let lines: Vec<&str> = good.lines().collect();
    for without in [1, 3] {
        let mut bad = lines.clone();
        bad.remove(without);
        judge(&bad.join("\n")).unwrap_err();
    }
    judge(&[lines[1], lines[0], lines[2], lines[3]].join("\n")).unwrap_err();
    let whole = "7 fdatasync(5</a/.t>) = 0\n8 rename(\"/a/.t\", \"/a/b\") = 0\n7 fsync(6</a>) = 0";
    assert_eq!(judge(whole), Ok(vec![PathBuf::from("/a/b")]));
}
