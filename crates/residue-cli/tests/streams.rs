//! Tests every command with standard streams that are closed, full, or open in the wrong direction,
//! and with folders in place of files.
#![cfg(target_os = "linux")]

use crate::common::{RESIDUE, residue};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Commands that read standard input, with arguments that make them do it.
const READERS: [&str; 20] = [
    "sum",
    "sum -",
    "sum -a cksum,crc-16/arc --json -",
    "sum --tag nine -",
    "sum --profile gcs -",
    "sum --profile s3-composite --part-size 8 -a crc-32c -",
    "sum --check",
    "sum --check -",
    "sum --check lists-stdin",
    "pcap verify -",
    "pcap fix - -n",
    "pcap fix - -o fixed.pcap",
    "pcap fix - --drop-doubled -n",
    "pcap annotate - -o noted.pcapng",
    "pcap nat - --map 10.0.0.1=192.0.2.1 -n",
    "pcap survey -",
    "pcap watch -",
    "pcap compare capture.pcap -",
    "identify --samples -",
    "identify --frames -",
];

/// Every command that prints, with arguments that make it fast.
const WRITERS: [&str; 36] = [
    "--help",
    "--version",
    "help sum",
    "sum nine",
    "sum --json nine",
    "sum --check list",
    "sum --explain --text a",
    "list",
    "list crc-32c",
    "bench --sizes 64 -a xns --samples 1",
    "bench --sizes 64 -a xns --samples 1 --csv",
    "bench iscsi --rounds 1",
    "strength crc-8/smbus",
    "strength weights crc-8/smbus --length 64",
    "strength data noise -a sum-8 --splices 1e4 --trials 1e4",
    "strength sums -a sum-8 --length 64",
    "strength search --width 8 --hd 4",
    "strength compare crc-8/smbus --length 8B",
    "strength advise --length 16B --hd 4 --width 8",
    "strength multiples crc-8/smbus",
    "pcap verify capture.pcap",
    "pcap fix capture.pcap -n",
    "pcap fix capture.pcap -o -",
    "pcap fix capture.pcap --drop-doubled -n",
    "pcap annotate capture.pcap -o -",
    "pcap annotate capture.pcap -o noted.pcapng",
    "pcap nat capture.pcap --map 10.0.0.1=192.0.2.1 -n",
    "pcap survey capture.pcap",
    "pcap watch capture.pcap",
    "pcap compare capture.pcap capture.pcap",
    "guard simulate --segments 100",
    "conform -a crc-32 -- false",
    "identify text:123456789:e3069283",
    "completions bash",
    "man pages",
    "pcap make made",
];

/// Commands that are in neither list, and why.
const LEFT_OUT: [(&str, &str); 12] = [
    ("guard-on", "changes the host's connections"),
    ("guard-off", "changes the host's connections"),
    ("guard-forget", "asks a guard that runs"),
    ("guard-run", "changes the host's rules"),
    ("guard-clean", "changes the host's rules"),
    ("guard-status", "asks a guard that runs"),
    ("guard-check", "needs an interface"),
    ("guard-demo", "makes network namespaces"),
    ("bench-claims", "takes seconds, and prints as `bench iscsi` does"),
    ("bench-compare", "needs two runs, and prints as `bench` does"),
    ("bench-iso", "takes seconds, and prints as `bench iscsi` does"),
    ("strength-claims", "takes minutes, and prints as the others do"),
];

struct Ended {
    code: i32,
    out: Vec<u8>,
    err: String,
}

/// Runs the program in a folder, its streams redirected by a shell.
#[track_caller]
fn redirected(args: &str, redirection: &str, dir: &Path) -> Ended {
    let script = format!("exec \"$0\" {args} {redirection}");
    let output = Command::new("sh")
        .args(["-c", &script, RESIDUE])
        .current_dir(dir)
        .env_remove("RESIDUE_CPU")
        .env_remove("RESIDUE_PROFILE")
        .output()
        .expect("sh is there");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or(-1);
    assert!(!err.contains("panicked") && code != 101, "{args} {redirection}: {err}");
    Ended { code, out: output.stdout, err }
}

fn folder() -> tempfile::TempDir {
    let dir = crate::common::folder();
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures");
    fs::copy(captures.join("4in6-tcp.bad.pcap"), dir.path().join("capture.pcap")).unwrap();
    fs::write(dir.path().join("list"), "CRC-32C (nine) = e3069283\n").unwrap();
    fs::write(dir.path().join("lists-stdin"), "CRC-32C (-) = 00000000\n").unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    dir
}

#[test]
fn a_closed_standard_input_is_an_error_of_every_command_that_reads_it() {
    let dir = folder();
    for args in READERS {
        for (redirection, why) in [
            ("<&-", "standard input is closed"),
            ("0>only-written", "standard input is not open for reading"),
            ("< folder", "is a folder"),
        ] {
            let ended = redirected(args, redirection, dir.path());
            // With a list that names standard input, the named file is unreadable.
            let code = if args.ends_with("lists-stdin") { 1 } else { 2 };
            assert_eq!(ended.code, code, "{args} {redirection}: {}", ended.err);
            let explained = ended.err.contains(why) || ended.err.contains("Is a directory");
            assert!(explained, "{args} {redirection}: {}", ended.err);
            assert!(!String::from_utf8_lossy(&ended.out).contains("00000000  "), "{args}");
        }
    }
}

#[test]
fn an_empty_standard_input_is_no_error() {
    let dir = folder();
    // /dev/null may have been opened for reading and writing.
    for redirection in ["< /dev/null", "<> /dev/null", "< empty"] {
        let ended = redirected("sum -", redirection, dir.path());
        assert_eq!((ended.code, &ended.out[..]), (0, &b"00000000  -\n"[..]), "{redirection}");
        let ended = redirected("sum --check lists-stdin", redirection, dir.path());
        assert_eq!((ended.code, &ended.out[..]), (0, &b"-: OK\n"[..]), "{}", ended.err);
    }
    // Commands that do not read standard input do not need it.
    for args in WRITERS.iter().filter(|args| !args.contains("conform")) {
        let ended = redirected(args, "<&-", dir.path());
        assert!(!ended.err.contains("standard input"), "{args}: {}", ended.err);
    }
}

#[test]
fn an_output_that_nobody_gets_is_an_error_of_every_command_that_prints() {
    let dir = folder();
    for args in WRITERS {
        for (redirection, why) in [
            (">&-", "standard output is closed"),
            ("1< empty", "standard output is not open for writing"),
            ("> /dev/full", "No space left on device"),
        ] {
            let ended = redirected(args, redirection, dir.path());
            // `conform` fails before it prints.
            if args.starts_with("conform") {
                assert_eq!(ended.code, 2, "{}", ended.err);
                continue;
            }
            assert_eq!(ended.code, 2, "{args} {redirection}: {}", ended.err);
            assert!(ended.err.contains(why), "{args} {redirection}: {}", ended.err);
        }
    }
}

#[test]
fn a_command_that_prints_nothing_needs_no_output() {
    let dir = folder();
    for args in ["sum --check --status list", "sum --check --quiet list"] {
        assert_eq!(redirected(args, ">&- 2>&-", dir.path()).code, 0, "{args}");
    }
}

#[test]
fn a_closed_standard_error_changes_no_exit_code() {
    let dir = folder();
    for args in
        WRITERS.into_iter().chain(["sum missing nine", "pcap verify missing", "sum --bogus"])
    {
        let usual = redirected(args, "", dir.path());
        for redirection in ["2>&-", "2< empty", "2> /dev/full"] {
            let ended = redirected(args, redirection, dir.path());
            assert_eq!(ended.code, usual.code, "{args} {redirection}");
        }
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_an_error_that_names_it() {
    let dir = folder();
    for args in [
        "sum folder",
        "sum --profile gcs folder",
        "sum --profile s3-composite --part-size 8 -a crc-32c folder",
        "sum --check folder",
        "pcap verify folder",
        "pcap fix folder -n",
        "pcap fix folder --drop-doubled -n",
        "pcap annotate folder -o noted.pcapng",
        "pcap annotate capture.pcap -o folder",
        "pcap annotate capture.pcap --before folder -o noted.pcapng",
        "pcap nat folder --map 10.0.0.1=192.0.2.1 -n",
        "pcap survey folder",
        "pcap compare folder capture.pcap",
        "pcap compare capture.pcap folder",
        "pcap fix capture.pcap -o folder",
        "identify --samples folder",
        "identify @folder:1234",
        "identify --frames folder",
        "strength data folder",
        "bench compare folder folder",
    ] {
        let ended = redirected(args, "", dir.path());
        assert_eq!(ended.code, 2, "{args}: {}", ended.err);
        assert!(ended.err.contains("folder"), "{args}: {}", ended.err);
    }
}

#[test]
fn every_command_is_tried() {
    let dir = tempfile::tempdir().unwrap();
    let pages = residue(["man".as_ref(), dir.path().as_os_str()]).run();
    let tried: BTreeSet<String> = READERS
        .iter()
        .chain(&WRITERS)
        .flat_map(|args| {
            let mut words = args.split(' ');
            let first = words.next().unwrap_or_default();
            [first.to_string(), format!("{first}-{}", words.next().unwrap_or_default())]
        })
        .chain(LEFT_OUT.map(|(name, _)| name.to_string()))
        .collect();
    for page in pages.ends(0).lines() {
        let name = Path::new(page).file_stem().unwrap().to_string_lossy().into_owned();
        let Some(name) = name.strip_prefix("residue-") else { continue };
        let group = tried.iter().any(|other| other.starts_with(&format!("{name}-")));
        assert!(group || tried.contains(name), "{name}");
    }
}
