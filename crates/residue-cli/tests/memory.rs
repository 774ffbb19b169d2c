//! Memory is constant: ten times as many packets, files or lines take no more.
#![cfg(target_os = "linux")]

use crate::common::{RESIDUE, typed};
use residue_testing::Random;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

/// Limits of the address space, in KiB.
const STEP: u64 = 2 << 10;
/// The smallest limit: below it threads may be refused, and the result varies.
const LEAST: u64 = 32 << 10;
/// Allowance for ten times the input: buffers that were not full before.
const SLACK: u64 = 6 << 10;
/// Address space of the program, its threads and their buffers without tables.
const PROGRAM: u64 = 48 << 10;

/// Runs the program with a limited address space, and returns whether it succeeds.
fn fits(args: &[&str], dir: &Path, limit: u64, code: i32) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {limit} && exec \"$0\" \"$@\""), RESIDUE]);
    // One heap and a fixed number of threads: the address space that each reserves would hide the
    // memory in use.
    command.args(args).env("MALLOC_ARENA_MAX", "1").env("RAYON_NUM_THREADS", "2");
    command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("sh starts").code() == Some(code)
}

/// Checks that `args` take hardly more memory with the large input than with the small one.
#[track_caller]
fn takes_no_more(dir: &Path, args: &[&str], small: &str, large: &str, code: i32) {
    let with = |input| [args, &[input]].concat();
    let (mut low, mut high) = (LEAST, 1 << 20);
    assert!(fits(&with(small), dir, high, code), "{args:?} {small} with 1 GiB");
    while high - low > STEP {
        let middle = low.midpoint(high);
        if fits(&with(small), dir, middle, code) { high = middle } else { low = middle }
    }
    assert!(
        fits(&with(large), dir, high + SLACK, code),
        "{args:?}: {small} takes {high} KiB, {large} more than {SLACK} KiB beyond"
    );
}

/// Writes a capture of UDP datagrams, all with wrong checksums.
fn capture(packets: u32) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    for number in 0..packets {
        let mut packet = vec![0x45, 0, 0, 32, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2];
        let header = residue::internet::checksum(&packet);
        packet[10..12].copy_from_slice(&header.to_be_bytes());
        packet.extend([4, 210, 0, 80, 0, 12, 0, 1]);
        packet.extend(number.to_be_bytes());
        for word in [0, 0, 32, 32] {
            file.extend(u32::to_le_bytes(word));
        }
        file.extend(packet);
    }
    file
}

/// Writes a capture of UDP datagrams with random addresses and wrong checksums: no two have a cause
/// in common.
fn damaged(packets: u32) -> Vec<u8> {
    let mut file = capture(packets);
    let mut random = Random(1);
    for packet in file[24..].chunks_exact_mut(48) {
        let [a, b, c, d, e, f, ..] = random.next().to_be_bytes();
        let packet = &mut packet[16..];
        packet[13..16].copy_from_slice(&[a, b, c]);
        packet[17..19].copy_from_slice(&[b ^ d, a ^ c]);
        packet[26..28].copy_from_slice(&[d ^ e, e | 1]);
        packet[28] = f;
        packet[10..12].fill(0);
        let header = residue::internet::checksum(&packet[..20]);
        packet[10..12].copy_from_slice(&header.to_be_bytes());
    }
    file
}

/// Far more kinds of damage than are stored.
#[test]
fn damage_without_a_pattern_is_counted_in_limited_memory() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("damaged"), damaged(150_000)).unwrap();
    assert!(fits(&["pcap", "verify", "damaged"], dir.path(), 200 << 10, 1));
    let ran = typed("pcap verify --json damaged").within(dir.path()).run();
    let unknown = ran.json()["causes"]["unknown"]["udp"].as_u64().unwrap();
    assert!(unknown >= 149_900, "{unknown}");
}

#[test]
#[ignore = "long"]
fn lists_of_packets_are_printed_in_constant_memory_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("small"), capture(2_000)).unwrap();
    fs::write(dir.path().join("large"), capture(20_000)).unwrap();
    for (args, code) in [
        (&["pcap", "verify", "--json", "--list=all"][..], 1),
        (&["pcap", "verify", "--list=all"], 1),
        (&["pcap", "verify", "--csv", "--list=all"], 1),
        (&["pcap", "verify", "--filter", "udp and net 192.0.2.0/24", "--list", "--time"], 1),
        (&["pcap", "verify", "--report", "page"], 1),
        (&["pcap", "fix", "--dry-run", "--all", "--list", "--json"], 0),
        (&["pcap", "fix", "--dry-run", "--all", "--list"], 0),
        (&["pcap", "nat", "--dry-run", "--map", "192.0.2.1=10.0.0.1"], 0),
        (&["pcap", "survey", "--json"], 0),
    ] {
        takes_no_more(dir.path(), args, "small", "large", code);
    }
}

#[test]
fn trees_of_files_are_read_in_constant_memory() {
    let dir = tempfile::tempdir().unwrap();
    for (root, folders) in [("small", 4), ("large", 40)] {
        for folder in 0..folders {
            let folder = dir.path().join(root).join(format!("{folder:060}"));
            fs::create_dir_all(&folder).unwrap();
            for file in 0..1000 {
                fs::write(folder.join(format!("{file:060}")), "x").unwrap();
            }
        }
    }
    for args in [&["sum", "-r", "--json"][..], &["sum", "-r"]] {
        takes_no_more(dir.path(), args, "small", "large", 0);
    }
}

#[test]
fn long_lists_are_checked_in_constant_memory() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "123456789").unwrap();
    for (name, lines) in [("small", 6_000), ("large", 60_000)] {
        let dots = |number: usize| "./".repeat(1 + number % 2 * 60);
        let line = |number| format!("CRC-32C ({}a) = e3069283\n", dots(number));
        fs::write(dir.path().join(name), (0..lines).map(line).collect::<String>()).unwrap();
    }
    for args in [&["sum", "--check", "--json"][..], &["sum", "--check"]] {
        takes_no_more(dir.path(), args, "small", "large", 0);
    }
}

#[test]
fn a_full_device_is_an_error_while_a_list_is_printed() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        return residue_testing::skip("there is no /dev/full");
    };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("capture"), capture(2_000)).unwrap();
    fs::create_dir(dir.path().join("tree")).unwrap();
    for file in 0..2000 {
        fs::write(dir.path().join(format!("tree/{file}")), "x").unwrap();
    }
    let list = typed("sum -r --tag tree").within(dir.path()).run();
    fs::write(dir.path().join("list"), &list.out).unwrap();
    for args in [
        &["pcap", "verify", "--json", "--list", "capture", "capture"][..],
        &["pcap", "verify", "--list", "capture", "capture"],
        &["pcap", "verify", "--csv", "--list", "capture"],
        &["pcap", "fix", "-n", "--all", "--list", "--json", "capture"],
        &["pcap", "survey", "--json", "capture"],
        &["sum", "-r", "--json", "tree"],
        &["sum", "-r", "tree"],
        &["sum", "--check", "--json", "list"],
        &["sum", "--check", "list"],
    ] {
        let mut command = Command::new(RESIDUE);
        command.args(args).current_dir(dir.path()).stdin(Stdio::null());
        let output = command.stdout(full.try_clone().unwrap()).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err, "residue: No space left on device\n", "{args:?}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly_while_a_list_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("capture"), capture(2_000)).unwrap();
    let lines = "CRC-32C (capture) = 00000000\n".repeat(20_000);
    fs::write(dir.path().join("list"), lines).unwrap();
    for (args, code, said) in [
        (&["pcap", "verify", "--json", "--list", "capture"][..], 1, false),
        (&["pcap", "fix", "-n", "--all", "--list", "--json", "capture"], 0, false),
        (&["sum", "-r", "--json", "."], 0, false),
        (&["sum", "--check", "--json", "list"], 1, true),
    ] {
        let mut command = Command::new(RESIDUE);
        command.args(args).current_dir(dir.path()).stdin(Stdio::null());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), !err.is_empty()), (Some(code), said), "{args:?}: {err}");
    }
}

/// Profiles of all kinds: by logarithms, in the middle with few and many anchors, wide words.
#[test]
#[ignore = "long"]
fn a_profile_keeps_to_its_memory() {
    let folder = crate::common::folder();
    for code in ["crc-64/nvme", "crc-64/ecma-182", "crc-32", "crc-40/gsm", "crc-82/darc"] {
        for megabytes in [16, 96] {
            let memory = format!("{megabytes}MiB");
            let args = ["strength", code, "--memory", &memory, "--patience", "2"];
            let limit = megabytes << 10;
            assert!(fits(&args, folder.path(), limit + PROGRAM, 0), "{code} in {memory}");
        }
    }
}
