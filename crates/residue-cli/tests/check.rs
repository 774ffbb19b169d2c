//! Tests `residue sum --check`.
#![cfg(unix)]

use crate::common::{Ran, folder, residue, typed};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn check(dir: &Path, list: &[u8], args: &[&str]) -> Ran {
    typed("sum -c").args(args).within(dir).input(list).run()
}

#[test]
fn every_format_goes_round() {
    let dir = tempfile::tempdir().unwrap();
    let names: &[&[u8]] =
        &[b"plain", b"a  b", b"new\nline", b"back\\slash", b"cr\r", b"(x) = y", b"\xff", b"*star"];
    for (i, name) in names.iter().enumerate() {
        fs::write(dir.path().join(OsStr::from_bytes(name)), residue_testing::noise(1000 * i))
            .unwrap();
    }
    let codes = "crc-32/iscsi crc-64/nvme crc-16/arc crc-5/usb crc-82/darc internet adler-32 \
        cksum crc-24/ble crc-8";
    let custom = "width=16,poly=1021,init=ffff,refin=true,refout=true";
    for code in codes.split(' ').chain([custom]) {
        for format in [
            &[][..],
            &["--tag"],
            &["--base64"],
            &["--decimal"],
            &["--tag", "--base64"],
            &["-z"],
            &["--tag", "-z"],
        ] {
            // cksum escapes no names, so its lists cannot hold every name.
            let usable =
                |name: &&&[u8]| code != "cksum" || !name.iter().any(|b| b"\n\r\\".contains(b));
            let names: Vec<&OsStr> =
                names.iter().filter(usable).map(|name| OsStr::from_bytes(name)).collect();
            let mut args: Vec<&OsStr> = ["sum", "-a", code].map(OsStr::new).to_vec();
            args.extend(format.iter().map(OsStr::new));
            args.push(OsStr::new("--"));
            args.extend(&names);
            let list = residue(args).within(dir.path()).run();
            assert_eq!((list.code, &*list.err), (0, ""));
            let zero = if format.contains(&"-z") { &["-z"][..] } else { &[] };
            let named = if format.contains(&"--tag") { &[][..] } else { &["-a", code] };
            // Long lists show their encoding; naming it does no harm.
            let spelled: Vec<&str> = ["--decimal", "--base64"]
                .into_iter()
                .filter(|option| format.contains(option))
                .collect();
            for spelled in [&[][..], &spelled] {
                let args = [zero, named, spelled, &["--strict"]].concat();
                let ran = check(dir.path(), &list.out, &args);
                let text = String::from_utf8_lossy(&ran.out).into_owned();
                assert_eq!((ran.code, &*ran.err), (0, ""), "{code} {format:?}: {text}");
                let good = text.matches(": OK").count();
                assert_eq!(good, names.len(), "{code} {format:?}: {text}");
            }
            // The list now refers to changed files.
            let other = tempfile::tempdir().unwrap();
            for name in &names {
                fs::write(other.path().join(name), b"something else").unwrap();
            }
            let ran = check(other.path(), &list.out, &[zero, named].concat());
            let bad = String::from_utf8_lossy(&ran.out).matches(": FAILED").count();
            // A narrow code may agree by chance.
            let least = if code == "crc-5/usb" || code == "crc-8" { 1 } else { names.len() };
            assert!(ran.code == 1 && bad >= least, "{code} {format:?}: {ran:?}");
        }
    }
}

/// The output of `sum`, in any format, is read with no options but that of the format.
#[test]
fn check_reads_everything_that_sum_prints() {
    let dir = tempfile::tempdir().unwrap();
    let names = [
        "plain",
        "a  b",
        "new\nline",
        "back\\slash",
        "cr\r",
        "(x) = y",
        " lead",
        "tail ",
        "*star",
        "e3069283",
        "12 x",
        "x.sfv 12345678",
        ";semi",
        "#hash",
    ];
    for (i, name) in names.iter().enumerate() {
        fs::write(dir.path().join(name), residue_testing::noise(1000 * i)).unwrap();
    }
    let custom = "width=16,poly=x^16+x^12+x^5+1,init=ffff";
    for (print, read) in [
        (&[][..], &[][..]),
        (&["--tag"], &[]),
        (&["--zero"], &["--zero"]),
        (&["--zero", "--tag"], &["--zero"]),
        (&["--base64"], &[]),
        (&["--base64", "--tag"], &["--base64"]),
        (&["--decimal"], &["--decimal"]),
        (&["--decimal", "--tag"], &["--decimal"]),
        (&["--format", "hex"], &[]),
        (&["--format", "be"], &["--format", "be"]),
        (&["--format", "le"], &["--format", "le"]),
        (&["--format", "le", "--tag"], &["--format", "le"]),
        (&["-a", "crc-32,adler-32,crc-64/nvme,cksum,crc-5/usb"], &[]),
        (&["-a", "crc-16/arc", "--tag"], &[]),
        (&["-a", "crc-16/arc"], &["-a", "crc-16/arc"]),
        (&["-a", custom, "--tag"], &[]),
        (&["-a", custom], &["-a", custom]),
        (&["--profile", "gcs"], &[]),
        (&["--profile", "s3"], &["--profile", "s3"]),
        (&["--profile", "s3", "--tag"], &[]),
        (&["--json"], &[]),
        (&["--json", "-a", "crc-32,cksum,internet"], &[]),
        (&["--json", "-a", custom], &[]),
    ] {
        let list = residue([&["sum"], print, &["--"], &names].concat()).within(dir.path()).run();
        assert_eq!((list.code, &*list.err), (0, ""), "{print:?}");
        let ran = check(dir.path(), &list.out, &[read, &["--strict"]].concat());
        let text = String::from_utf8_lossy(&ran.out).into_owned();
        assert_eq!((ran.code, &*ran.err), (0, ""), "{print:?}: {text}");
        let codes = print
            .iter()
            .find(|arg| arg.contains("crc-32,"))
            .map_or(1, |codes| codes.split(',').count());
        assert_eq!(text.matches(": OK").count(), codes * names.len(), "{print:?}: {text}");
    }
}

#[test]
fn sfv_files_and_prefixes() {
    let dir = folder();
    let sfv = b"; by somebody\r\nnine CBF43926\r\na b    caf3a94c\r\n";
    let ran = check(dir.path(), sfv, &["--strict", "--json"]);
    assert_eq!(ran.json()[0]["entries"][0]["code"], "crc-32/iso-hdlc");
    assert_eq!(ran.json()[0]["good"], 1);
    let list = b"0xBB3D  nine\n0xbb3d nine\nbb3d  nine\nBB3D *nine\n";
    check(dir.path(), list, &["-a", "crc-16/arc", "--strict"]).ends(0);
}

#[test]
fn several_codes_in_a_list() {
    let dir = folder();
    let list = typed("sum -a crc-32,xns,cksum,crc-64/xz nine noise").within(dir.path()).run();
    assert_eq!(check(dir.path(), &list.out, &[]).ends(0).lines().count(), 8);
    let text = list.text().replace("cbf43926", "cbf43927");
    let ran = check(dir.path(), text.as_bytes(), &["--json"]);
    ran.ends(1);
    let report = &ran.json()[0];
    assert_eq!((&report["good"], &report["bad"]), (&7.into(), &1.into()));
    assert_eq!(report["entries"][0]["verdict"], "FAILED");
    assert_eq!(report["entries"][0]["expected"], "cbf43927");
    assert_eq!(report["entries"][0]["actual"], "cbf43926");
    assert_eq!(report["entries"][1]["verdict"], "OK");
}

#[test]
fn what_is_printed() {
    let dir = folder();
    let list = b"e3069283  nine\n00000001  empty\n12345678  nosuch\nnonsense\n";
    let run = |args: &[&str]| check(dir.path(), list, &[&["-a", "crc32c"], args].concat());
    let ran = run(&[]);
    assert_eq!(ran.ends(1), "nine: OK\nempty: FAILED\nnosuch: FAILED open or read\n");
    assert_eq!(
        ran.err,
        "residue: nosuch: No such file or directory\n\
         residue: WARNING: 1 line is improperly formatted\n\
         residue: WARNING: 1 listed file could not be read\n\
         residue: WARNING: 1 computed check value did NOT match\n"
    );
    assert_eq!(run(&["--quiet"]).ends(1), "empty: FAILED\nnosuch: FAILED open or read\n");
    let status = run(&["--status"]);
    assert_eq!(status.ends(1), "");
    assert_eq!(status.err, "residue: nosuch: No such file or directory\n");
    let ignoring = run(&["--ignore-missing"]);
    assert_eq!(ignoring.ends(1), "nine: OK\nempty: FAILED\n");
    assert!(!ignoring.err.contains("nosuch"));
    assert!(run(&["--warn"]).err.contains("residue: -: 4: improperly formatted"));
    run(&["--strict"]).ends(2);
    let json = run(&["--json", "--ignore-missing"]);
    assert_eq!(json.json()[0]["missing"], 1);
    assert_eq!(json.json()[0]["malformed"][0], 4);
}

#[test]
fn lists_that_are_none() {
    let dir = folder();
    for (list, args, code, message) in [
        (&b"hello\nworld\n"[..], &["-a", "crc32c"][..], 2, "no properly formatted"),
        (b"", &[], 2, "no properly formatted"),
        (b"# e3069283  nine\n", &["-a", "crc32c"], 2, "no properly formatted"),
        (b"bb3d  nine\n", &[], 2, "line 1 names no code; give it with -a CODE"),
        (
            b"930766865 8 nine\n",
            &[],
            2,
            "line 1 may be `value bytes name`, as printed by cksum; give -a",
        ),
        (b"cafebabe A3B1C2D4\n", &[], 2, "may be `value name` or `name value`; give the code"),
        (b"00000001  nine\n", &[], 1, "checked as crc-32/iscsi; give -a CODE"),
        (b"e3069283  nine\n", &["-a", "crc-16"], 2, "no properly formatted"),
        (b"SHA256 (nine) = e3069283\n", &[], 2, "no properly formatted"),
        (b"\xff\xfe\x00\x01\n\n\x00", &["-a", "crc32c"], 2, "no properly formatted"),
        (b"e3069283  nosuch\n", &["-a", "crc32c", "--ignore-missing"], 1, "no file was verified"),
        (b"e3069283  -\n", &["-a", "crc32c"], 1, "-: No such file"),
        (b"e3069283  nine\n", &["-a", "crc32c,xns"], 2, "takes one code"),
    ] {
        let ran = check(dir.path(), list, args);
        ran.ends(code);
        assert!(ran.err.contains(message), "{list:?}: {}", ran.err);
    }
    let ran = typed("sum -c nosuch . list").within(dir.path()).run();
    ran.ends(2);
    assert!(
        ran.err.contains("nosuch: No such file") && ran.err.contains(".: Is a directory"),
        "{}",
        ran.err
    );
}

#[test]
fn lists_from_elsewhere() {
    let dir = folder();
    // Windows line ends, a byte order mark, capitals, BSD tags, a binary star, one space, a tab.
    let list = b"\xef\xbb\xbfE3069283 *nine\r\ne3069283 nine\r\ne3069283\tnine\nCRC32C (nine) = \
        E3069283\r\n\
                 CRC32 (nine) = cbf43926\n\n# comment\n";
    let ran = check(dir.path(), list, &["-a", "crc32c", "--strict"]);
    assert_eq!(ran.ends(0), "nine: OK\n".repeat(5));
    let cksum = check(dir.path(), b"930766865 9 nine\n", &["-a", "cksum"]);
    assert_eq!(cksum.ends(0), "nine: OK\n");
    check(dir.path(), b"930766865 8 nine\n", &["-a", "cksum"]).ends(1);
}

/// Lists of cksum are recognised where the files confirm their lengths, and only there.
#[test]
fn lists_of_cksum_name_no_code() {
    let dir = folder();
    fs::write(dir.path().join("one"), "1").unwrap();
    fs::write(dir.path().join("9"), "changed").unwrap();
    let good = check(dir.path(), b"930766865 9 nine\n", &[]);
    assert_eq!(good.ends(0), "nine: OK\n");
    let rows = check(dir.path(), b"930766865 9 nine\n", &["--json"]);
    assert!(rows.ends(0).contains("\"cksum\""));
    // One file confirms the form for those that are missing or changed.
    let some = check(dir.path(), b"930766865 9 nine\n930766865 9 9\n4294967295 0 nosuch\n", &[]);
    assert_eq!(some.ends(1), "nine: OK\n9: FAILED\nnosuch: FAILED open or read\n");
    for (list, why) in [
        (&b"930766865 8 nine\n"[..], "no file has its length"),
        (b"4294967295 1 one\n", "`sum` prints blocks"),
        (b"930766865 9 nine\ne3069283 nine\n", "a line has another form"),
    ] {
        let ran = check(dir.path(), list, &[]);
        assert!(ran.err.contains("may be `value bytes name`"), "{why}: {}", ran.err);
    }
    fs::write(dir.path().join("9 nine"), "123456789").unwrap();
    let both = check(dir.path(), b"930766865 9 nine\n", &[]);
    both.ends(2);
    assert!(both.err.contains("may be `value bytes name`"), "{}", both.err);
}

#[test]
fn several_lists_and_standard_input() {
    let dir = folder();
    for (name, list) in
        [("good", "e3069283  nine\n"), ("bad", "e3069284  nine\n"), ("stdin", "e3069283  -\n")]
    {
        fs::write(dir.path().join(name), list).unwrap();
    }
    let run = |lists: &[&str]| {
        let args = [&["sum", "-a", "crc32c", "-c"], lists].concat();
        residue(args).within(dir.path()).input(b"123456789").run()
    };
    assert_eq!(run(&["good", "stdin"]).ends(0), "nine: OK\n-: OK\n");
    assert_eq!(run(&["good", "bad"]).ends(1), "nine: OK\nnine: FAILED\n");
    assert_eq!(run(&["bad", "nosuch", "good"]).ends(2), "nine: FAILED\nnine: OK\n");
}

#[test]
fn every_list_is_read_in_parallel() {
    let dir = folder();
    let pipes = ["first", "second"].map(|name| dir.path().join(name));
    assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
    for (name, list) in [
        ("files", "e3069283  nine\n00000000  empty\n"),
        ("pipes", "e3069283  first\ne3069283  second\n"),
    ] {
        fs::write(dir.path().join(name), list).unwrap();
    }
    // The writer fills the first pipe only while the second is read: reading one after the other
    // would deadlock.
    std::thread::spawn(move || {
        for pipe in pipes.iter().rev() {
            fs::write(pipe, b"123456789").unwrap();
        }
    });
    let mut child = Command::new(crate::common::RESIDUE)
        .args(["sum", "-a", "crc32c", "-c", "files", "pipes"])
        .current_dir(dir.path())
        .env("RAYON_NUM_THREADS", "2")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("the second list is not read in parallel");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "nine: OK\nempty: OK\nfirst: OK\nsecond: OK\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn decimal_numbers_that_look_hexadecimal() {
    let dir = folder();
    // Bytes whose decimal value has eight digits, as hexadecimal values have.
    let eight = |value: &u32| (10_000_000..100_000_000).contains(value);
    let bytes = (0u32..).map(u32::to_le_bytes).find(|bytes| eight(&residue::crc32c(bytes)));
    let bytes = bytes.expect("one value in fifty is such");
    let value = residue::crc32c(&bytes);
    fs::write(dir.path().join("f"), bytes).unwrap();
    let doubtful = format!("{value}  f\n");
    let doubtful_twice = format!("{doubtful}12345678  f\n");
    let decimal = format!("{doubtful}3808858755  nine\n");
    let hexadecimal = format!("{doubtful}e3069283  nine\n");
    for (list, args, code) in [
        // A hexadecimal list may hold digits alone, and must not pass when read as decimal.
        (&doubtful, &[][..], 1),
        (&doubtful_twice, &[], 1),
        (&doubtful, &["--decimal"], 0),
        (&decimal, &[], 0),
        (&decimal, &["--decimal"], 0),
        // Among hexadecimal values it is read as hexadecimal, and is wrong.
        (&hexadecimal, &[], 1),
    ] {
        let args = [&["-a", "crc32c", "--strict"], args].concat();
        let ran = check(dir.path(), list.as_bytes(), &args);
        assert_eq!(ran.code, code, "{list} {args:?}");
        if code == 1 {
            assert!(ran.text().starts_with("f: FAILED\n"), "{list} {args:?}");
        }
    }
    check(dir.path(), b"e3069283  nine\n", &["-a", "crc32c", "--decimal"]).ends(2);
    check(dir.path(), b"00000012  nine\n", &["-a", "crc32c", "--base64"]).ends(2);
}
