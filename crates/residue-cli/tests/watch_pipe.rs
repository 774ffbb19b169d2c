//! Tests `residue pcap watch` on captures that another program writes, and its bad input.
#![cfg(unix)]

use crate::common::watching::Watch;
use crate::common::{residue, typed};
use residue_net::pcap::Reader;
use residue_testing::captures;
use serde_json::Value;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every capture has the counts that `verify` gives, and the exit code.
#[test]
fn counts_are_those_of_verify() {
    let mut files: Vec<PathBuf> =
        fs::read_dir(captures()).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().contains(".pcap"));
    files.sort();
    assert!(files.len() > 200);
    // One in three: they take seconds.
    for file in files.iter().step_by(3) {
        let name = file.to_str().unwrap();
        let verify = residue(["pcap", "verify", "--json", "--top", "5", name]).run();
        let watch = typed("pcap watch --json -").input(&fs::read(file).unwrap()).run();
        let last: Value = serde_json::from_str(watch.ends(verify.code).lines().last().unwrap())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let stored = verify.json();
        for part in ["packets", "cut_packets", "total", "protocols", "causes", "not_followed"] {
            assert_eq!(stored[part], last[part], "{name}: {part}");
        }
        for part in ["rewritten", "senders", "flows"] {
            assert_eq!(stored[part], last[part], "{name}: {part}");
        }
        assert_eq!(last["ended"], "input", "{name}");
    }
}

/// Starts a watch of a pipe.
fn piped(words: &str) -> Watch {
    Watch::start(&format!("- {words}"))
}

/// Lines come while no packet does, and a signal ends the watch at a half-written packet.
#[test]
#[cfg(target_os = "linux")]
fn a_quiet_pipe_and_a_signal() {
    let bytes = fs::read(captures().join("nat-tcp.bad.pcap")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("damaged.pcapng");
    let mut watch = piped(&format!("--write {}", file.display()));
    watch.write(&bytes[..bytes.len() - 3]);
    let complete = loop {
        let line = watch.line().unwrap();
        if line["packets"].as_u64() > Some(0) {
            break line["packets"].clone();
        }
    };
    assert_eq!(complete, 7);
    // Packets are in the file as soon as they are counted.
    let mut reader = Reader::new(File::open(&file).unwrap()).unwrap();
    let mut count = 0;
    while reader.next().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 7);
    watch.signal("INT");
    let start = Instant::now();
    let (code, last, err) = watch.end();
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!((&last["packets"], &last["ended"]), (&complete, &Value::from("signal")));
}

/// After a signal, packets that the capturing program still writes are counted.
#[test]
#[cfg(target_os = "linux")]
fn packets_after_a_signal() {
    let bytes = fs::read(captures().join("nat-tcp.bad.pcap")).unwrap();
    let mut watch = piped("");
    watch.write(&bytes[..100]);
    watch.signal("TERM");
    watch.write(&bytes[100..]);
    drop(watch.child.stdin.take());
    let (code, last, err) = watch.end();
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!((&last["packets"], &last["ended"]), (&Value::from(8), &Value::from("signal")));
}

#[test]
fn an_end_by_count_or_duration() {
    let file = captures().join("nat-tcp.bad.pcap");
    let file = file.to_str().unwrap();
    for (words, packets) in [
        (&["--count", "3"][..], 3),
        (&["--filter", "tcp port 80", "--count", "2"], 2),
        (&["--filter", "udp", "--count", "2"], 8),
    ] {
        let ran = residue([&["pcap", "watch", "--json", file], words].concat()).run();
        let code = i32::from(!words.contains(&"udp"));
        let last: Value = serde_json::from_str(ran.ends(code).lines().last().unwrap()).unwrap();
        assert_eq!(last["packets"], packets, "{words:?}");
        assert_eq!(last["ended"], if packets == 8 { "input" } else { "count" }, "{words:?}");
    }
    #[cfg(target_os = "linux")]
    {
        let (code, last, _) = piped("--duration 1").end();
        // Not even a header was written.
        assert_eq!((code, &last["ended"]), (0, &Value::from("duration")));
    }
}

/// The text has the counts of `verify`.
#[test]
fn text() {
    let dir = tempfile::tempdir().unwrap();
    let file = captures().join("nat-tcp.bad.pcap");
    let words = ["pcap", "watch", file.to_str().unwrap(), "--write", "damaged.pcapng"];
    let ran = residue(words).within(dir.path()).run();
    let text = ran.ends(1);
    for line in ["IPv4 header     8    -", "8 check values wrong", "8 damaged packets written"] {
        assert!(text.lines().any(|each| each == line), "{line}\n{text}");
    }
    assert!(text.lines().next().unwrap().contains(": 0 s, 8 packets"), "{text}");
    let again = typed("pcap verify damaged.pcapng").within(dir.path()).run();
    assert!(again.ends(1).contains("8 check values wrong"));
}

#[test]
fn what_cannot_be_done_is_explained() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("there"), "old").unwrap();
    fs::write(dir.path().join("text"), "no capture").unwrap();
    fs::write(dir.path().join("empty"), "").unwrap();
    let bytes = fs::read(captures().join("nat-tcp.bad.pcap")).unwrap();
    fs::write(dir.path().join("cut"), &bytes[..bytes.len() - 1]).unwrap();
    for (words, why) in [
        ("", "--interface"),
        ("-i lo -", "cannot be used with"),
        ("--promiscuous -", "cannot be used with"),
        ("--buffer 64 -", "cannot be used with"),
        ("--every 0 -", "1..=86400"),
        ("--count 0 -", "1"),
        ("--buffer 1 -i lo", "4..=4095"),
        ("--prometheus localhost:1 -", "127.0.0.1:9470"),
        ("--filter htp text", "--filter: "),
        ("--write there cut", "`there` is there already"),
        ("--write none/there cut", "none/there"),
        ("--write . cut", "--write: ."),
        ("--prometheus none/there cut", "none/there"),
        ("missing", "missing: No such file"),
        (".", "is a folder"),
        ("text", "text: not a capture"),
        ("empty", "empty: the file is empty"),
        ("cut", "cut: the file ends inside the record"),
    ] {
        let words = ["pcap", "watch"].into_iter().chain(words.split_whitespace());
        let ran = residue(words.clone()).within(dir.path()).run();
        let words: Vec<&str> = words.collect();
        assert!(ran.code == 2 && ran.err.contains(why), "{words:?}: {} {}", ran.code, ran.err);
        // The packets before are counted.
        let has_counts = ran.text().contains("7 check values wrong");
        assert_eq!(has_counts, words[2..] == ["cut"], "{words:?}: {}", ran.text());
    }
    assert_eq!(fs::read_to_string(dir.path().join("there")).unwrap(), "old");
}

/// A reader that goes away ends the watch.
#[test]
fn a_closed_output() {
    let mut watch = piped("");
    drop(std::mem::replace(&mut watch.out, BufReader::new(no_output())));
    let end = Instant::now() + Duration::from_secs(60);
    while watch.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn no_output() -> std::process::ChildStdout {
    let mut child = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    child.wait().unwrap();
    out
}

/// What cannot be written at an interval, and again at the end, is said once.
#[test]
fn what_cannot_be_written_is_said_once() {
    let words = ["pcap", "watch", "--prometheus", "/nonexistent/x", "nat-tcp.bad.pcap"];
    let ran = residue(words).within(&captures()).run();
    assert_eq!((ran.code, ran.err.matches("cannot write").count()), (2, 1), "{}", ran.err);
}
