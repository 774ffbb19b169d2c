//! Tests that no control character of a name, of an argument or of a file's contents reaches a
//! terminal, and that lists for other programs still hold every name as it is.
#![cfg(target_os = "linux")]

use crate::common::{RESIDUE, residue};
use residue_testing::{captures, installed};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Names that change colours, the title or the direction of writing, in every encoding.
const NAMES: [&[u8]; 10] = [
    b"a\x1b[31mred\x1b[0m",
    b"b\x1b]0;title\x07",
    b"c\x7f\x08\x0b",
    "d\u{9b}2J\u{9d}0;title\u{9c}".as_bytes(),
    b"e\x9b2J",
    "f\u{202e}gnp\u{202c}".as_bytes(),
    "g\u{2066}h\u{2069}\u{200f}\u{61c}".as_bytes(),
    b"i\nresidue: j\rk",
    b"l\tm\\",
    b"=n\x1b[2m",
];

/// Creates a folder with a file of each name.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let capture = fs::read(captures().join("nat-tcp.bad.pcap")).unwrap();
    for name in NAMES {
        fs::write(dir.path().join(OsStr::from_bytes(name)), &capture).unwrap();
    }
    dir
}

/// Returns arguments as words of a shell.
fn words(args: &[&OsStr]) -> OsString {
    let mut line = Vec::new();
    for arg in args {
        line.extend(b" '");
        for &byte in arg.as_bytes() {
            if byte == b'\'' { line.extend(b"'\\''") } else { line.push(byte) }
        }
        line.push(b'\'');
    }
    OsString::from_vec(line)
}

/// Runs the program on a terminal of its own, and returns everything that this terminal gets.
fn on_terminal(dir: &Path, colour: bool, args: &[&OsStr]) -> String {
    let mut line = OsString::from("exec ");
    line.push(words(&[OsStr::new(RESIDUE)]));
    line.push(words(args));
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c"]).arg(line).arg("/dev/null").current_dir(dir);
    command.env("TERM", "xterm").env("SHELL", "/bin/sh").stdin(Stdio::null());
    if !colour {
        command.env("NO_COLOR", "1");
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).expect("text, even of names that are none");
    assert!(!text.contains("panicked"), "{text}");
    assert!(!text.is_empty(), "{args:?}");
    text
}

/// Asserts that a terminal shows all of a text and obeys nothing but the ends of lines.
#[track_caller]
fn is_harmless(text: &str, what: &impl std::fmt::Debug) {
    // The lines of changing text are drawn again by these; no name has one of them.
    let mut text = text.replace("\r\x1b[2K", "");
    for (count, way) in (1..9).flat_map(|count| ['A', 'B'].map(|way| (count, way))) {
        text = text.replace(&format!("\x1b[{count}{way}"), "");
    }
    for line in text.split("\r\n") {
        let bad = |c: char| {
            c.is_control()
                || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!line.contains(bad), "{what:?} prints {line:?}");
    }
}

/// Returns a line of arguments, in which `NAMES` stands for all names.
fn arguments(line: &str) -> Vec<&OsStr> {
    let mut args = Vec::new();
    for word in line.split(' ') {
        match word {
            "NAMES" => args.extend(NAMES.iter().map(|name| OsStr::from_bytes(name))),
            word => args.push(OsStr::new(word)),
        }
    }
    args
}

#[test]
fn names_reach_a_terminal_as_text() {
    if !installed("script") {
        return;
    }
    let dir = folder();
    let sums = residue(arguments("sum NAMES")).within(dir.path()).run().out;
    // Two of the names are wrong, and a third one is missing.
    let wrong: Vec<u8> = sums.iter().map(|&byte| if byte == b'1' { b'2' } else { byte }).collect();
    let missing = b"CRC-32C (no\x1b[31m\xc2\x9b) = 00000000\n";
    fs::write(dir.path().join("list"), [&wrong[..], missing].concat()).unwrap();
    fs::write(dir.path().join("zero"), b"e3069283  \x1b[31m\ncode\x07\0").unwrap();
    fs::write(dir.path().join("junk"), b"\x1b[31m\x07\xc2\x9bjunk\n").unwrap();
    let list = OsString::from_vec(b"list\x1b[31m".to_vec());
    fs::copy(dir.path().join("list"), dir.path().join(&list)).unwrap();
    for line in [
        "sum NAMES",
        "sum --tag NAMES",
        "sum -a cksum NAMES",
        "sum -a crc-8,crc-16 NAMES",
        "sum --zero NAMES",
        "sum --json NAMES",
        "sum -r .",
        "sum --profile s3-composite -a crc32c --part-size 9 NAMES",
        "sum --profile s3-composite -a crc32c --part-size 9 --json NAMES",
        "sum -c list",
        "sum -c --warn list junk NAMES",
        "sum -c --json list junk NAMES",
        "sum -c --zero zero",
        "pcap verify NAMES",
        "pcap verify --list NAMES",
        "pcap verify --csv NAMES",
        "pcap verify --csv --list NAMES",
        "pcap verify --json NAMES",
        "pcap verify --json --list NAMES",
        "pcap survey NAMES",
        "identify --samples junk",
        "conform -a crc32c --vectors junk -- true",
        "strength search --merge NAMES",
        "bench compare NAMES",
        "pcap compare NAMES",
    ] {
        // A zero byte ends lines of `--zero`; terminals ignore it.
        let text = on_terminal(dir.path(), false, &arguments(line)).replace('\0', "\r\n");
        is_harmless(&text, &line);
    }
    for name in NAMES.map(OsStr::from_bytes).into_iter().chain([list.as_os_str()]) {
        for line in [
            "sum -c",
            "pcap fix -n",
            "pcap fix -n --json",
            "pcap nat -n --map 10.0.0.1=192.0.2.1",
            "pcap watch",
            "pcap watch --json",
            "pcap compare list",
            "bench compare list",
            "identify --samples",
            "identify --frames",
            "strength data -a crc-8 --trials 10 --splices 10 --json",
            "strength sums -a crc-16 --data",
            "strength search --resume",
            "list",
            "nonsense",
            "sum -a",
            "sum --hex",
            "sum --text",
            "pcap verify --filter",
            "pcap watch -i",
            "guard status --interface",
        ] {
            let mut args = arguments(line);
            args.push(name);
            is_harmless(&on_terminal(dir.path(), false, &args), &args);
        }
        // Names that look like options come from patterns of the shell.
        let option = [OsStr::new("--"), name].map(OsStr::as_bytes).concat();
        let args = [OsStr::new("sum"), OsStr::from_bytes(&option)];
        is_harmless(&on_terminal(dir.path(), false, &args), &args);
    }
}

#[test]
fn colours_are_the_programs_own() {
    if !installed("script") {
        return;
    }
    let dir = folder();
    let sums = residue(arguments("sum NAMES")).within(dir.path()).run().out;
    fs::write(dir.path().join("list"), sums).unwrap();
    for (line, own) in [("sum -c list", "\x1b[32mOK\x1b[0m"), ("pcap verify NAMES", "\x1b[")] {
        let text = on_terminal(dir.path(), true, &arguments(line));
        assert!(text.contains(own), "{line} has no colours: {text:?}");
        let rest = ["1", "2", "31", "32", "0"]
            .iter()
            .fold(text.clone(), |text, code| text.replace(&format!("\x1b[{code}m"), ""));
        is_harmless(&rest, &line);
        assert!(!text.contains("a\x1b[31mred") && text.contains("a\\u{1b}[31mred"), "{text}");
    }
}

#[test]
fn lists_in_pipes_hold_the_names_as_they_are() {
    let dir = folder();
    for (print, check) in [
        ("sum NAMES", "sum -c"),
        ("sum --tag NAMES", "sum -c"),
        ("sum --zero NAMES", "sum -c --zero"),
    ] {
        let list = residue(arguments(print)).within(dir.path()).run();
        assert_eq!(list.code, 0, "{}", list.err);
        assert!(list.out.windows(9).any(|part| part == b"a\x1b[31mred"), "{print}");
        assert!(list.out.windows(4).any(|part| part == b"e\x9b2J"), "{print}");
        let ran = residue(arguments(check)).within(dir.path()).input(&list.out).run();
        assert_eq!(ran.code, 0, "{print}: {}", ran.err);
        let good = ran.out.windows(4).filter(|part| part == b": OK").count();
        assert_eq!(good, NAMES.len(), "{print}");
    }
}

#[test]
fn messages_have_no_control_characters_in_files_either() {
    let dir = tempfile::tempdir().unwrap();
    for name in NAMES.map(OsStr::from_bytes) {
        for line in ["sum", "sum -c", "pcap verify", "bench compare list", "list"] {
            let mut args = arguments(line);
            args.push(name);
            let ran = residue(&args).within(dir.path()).run();
            assert_eq!(ran.code, 2, "{args:?}");
            assert!(!ran.err.contains("\nresidue: j"), "{}", ran.err);
            is_harmless(&ran.err.replace('\n', "\r\n"), &args);
        }
        for option in ["--nonsense", "--kernel", "--format"] {
            let arg = [option.as_bytes(), b"=", name.as_bytes()].concat();
            let ran = residue([OsStr::new("sum"), OsStr::from_bytes(&arg)]).run();
            assert_eq!(ran.code, 2, "{arg:?}");
            assert!(!ran.err.contains("\nresidue: j"), "{}", ran.err);
            is_harmless(&ran.err.replace('\n', "\r\n"), &arg);
        }
    }
}
