//! Tests `residue sum --profile`: the values that object stores show.

use crate::common::{output, residue, typed};
use residue_testing::{installed, noise};
use std::ffi::OsStr;
use std::fs;

/// Independent definitions: crc32 of zlib, and CRC-32C bit by bit.
const SCRIPT: &str = r#"
import base64, sys, zlib

def crc32c(data):
    register = 0xffffffff
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82f63b78 if register & 1 else 0)
    return register ^ 0xffffffff

code = {"crc-32": zlib.crc32, "crc-32c": crc32c}[sys.argv[1]]
part, data = int(sys.argv[2]), open(sys.argv[3], "rb").read()
parts = [data[i:i + part] for i in range(0, len(data), part)] or [b""]
of_parts = b"".join(code(one).to_bytes(4, "big") for one in parts)
print(base64.b64encode(code(of_parts).to_bytes(4, "big")).decode() + "-" + str(len(parts)))
"#;

fn shown(args: &[&str]) -> String {
    let ran = typed("sum --profile").args(args).run();
    assert_eq!(ran.err, "");
    ran.ends(0).to_string()
}

#[test]
fn whole_objects() {
    let nine = ["--text", "123456789"];
    let all = |args: &[&str]| shown(&[args, &nine[..]].concat());
    // The value that gcloud and gsutil print.
    assert_eq!(all(&["gcs"]), "4waSgw==  text:123456789\n");
    assert_eq!(all(&["s3", "-a", "crc32c"]), "4waSgw==  text:123456789\n");
    assert_eq!(all(&["s3", "-a", "crc-32"]), "y/Q5Jg==  text:123456789\n");
    assert_eq!(all(&["s3"]), "rosUhgp5mIg=  text:123456789\n");
    assert_eq!(
        all(&["s3", "--tag", "-a", "crc-32,crc32c"]),
        "CRC-32/ISO-HDLC (text:123456789) = y/Q5Jg==\nCRC-32/ISCSI (text:123456789) = 4waSgw==\n"
    );
}

#[test]
fn composites() {
    let s3 = |args: &[&str]| shown(&[&["s3-composite", "-a", "crc-32"], args].concat());
    let nine = ["--text", "123456789"];
    let sized = |size: &str| s3(&["--part-size", size, nine[0], nine[1]]);
    // Smaller than a part: one piece. As large as a part: one part, and -1.
    assert_eq!(sized("10"), "y/Q5Jg==  text:123456789\n");
    let one = sized("9");
    assert!(one.ends_with("==-1  text:123456789\n") && !one.starts_with("y/Q5Jg=="), "{one}");
    assert_eq!(s3(&["--part-size", "8MiB", "--multipart-threshold", "0", nine[0], nine[1]]), one);
    assert_eq!(
        s3(&["--part-size", "4", "--multipart-threshold", "10", nine[0], nine[1]]),
        "y/Q5Jg==  text:123456789\n"
    );
    let json = typed("sum --profile s3-composite -a crc32c,crc-32 --part-size 4 --json")
        .input(b"123456789")
        .run();
    json.ends(0);
    let row = &json.json()[0];
    assert_eq!((&row["bytes"], &row["codes"][0]["parts"]), (&9.into(), &3.into()));
    assert!(row["codes"][1]["shown"].as_str().unwrap().ends_with("-3"));
    let empty = s3(&["--part-size", "4", "--text", ""]);
    assert_eq!(empty, "AAAAAA==  text:\n");
}

#[test]
fn composites_of_the_definition() {
    if !installed("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    fs::write(path("script"), SCRIPT).unwrap();
    for (length, size) in
        [(0, 5), (1, 5), (4, 5), (5, 5), (6, 5), (10, 5), (70_001, 7_000), (70_000, 7_000)]
    {
        fs::write(path("data"), noise(length)).unwrap();
        for code in ["crc-32", "crc-32c"] {
            let size = size.to_string();
            let words = [path("script"), code.into(), size.clone(), path("data")];
            let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
            let expected = output("python3", &words);
            let data = path("data");
            let args =
                ["s3-composite", "-a", code, "--part-size", &size, "--multipart-threshold", "0"];
            let line = shown(&[&args[..], &[&data]].concat());
            assert_eq!(line.split(' ').next(), Some(expected.trim()), "{length} {size} {code}");
            // A pipe gives the same value.
            let words = [&["sum", "--profile"], &args[..]].concat();
            let piped = residue(words).input(&fs::read(&data).unwrap()).run();
            assert_eq!(piped.ends(0), format!("{}  -\n", expected.trim()));
        }
    }
}

/// A file large enough for several threads gives the same values as a pipe.
#[test]
fn large_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("large").to_string_lossy().into_owned();
    let data = noise(20_000_001);
    fs::write(&path, &data).unwrap();
    for size in ["5MiB", "1000000", "30MiB"] {
        let args = [
            "sum",
            "--profile",
            "s3-composite",
            "-a",
            "crc-32c,crc-32",
            "--part-size",
            size,
            "--json",
        ];
        let file = residue([&args[..], &[&path]].concat()).run();
        let pipe = residue(args).input(&data).run();
        file.ends(0);
        assert_eq!(file.json()[0]["codes"], pipe.json()[0]["codes"], "{size}");
    }
    let whole = shown(&["s3", "-a", "crc-32", &path]);
    assert_eq!(shown(&["s3-composite", "-a", "crc-32", "--part-size", "30MiB", &path]), whole);
}

#[test]
fn lists_are_checked() {
    let dir = crate::common::folder();
    for (profile, code) in [("gcs", None), ("s3", None), ("s3", Some("crc-32c"))] {
        let code: Vec<&str> = code.map_or(vec![], |code| vec!["-a", code]);
        let args = [&["sum", "--profile", profile], &code[..], &["nine", "noise"]].concat();
        let list = residue(args).within(dir.path()).run();
        fs::write(dir.path().join("list"), &list.out).unwrap();
        let check = [&["sum", "-c", "--profile", profile], &code[..], &["list"]].concat();
        assert_eq!(residue(check).within(dir.path()).run().ends(0), "nine: OK\nnoise: OK\n");
    }
}

#[test]
fn what_no_store_shows() {
    let refuse = |args: &[&str], why: &str| {
        let ran = typed("sum --text x --profile").args(args).run();
        ran.ends(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    };
    refuse(&["gcs", "-a", "crc-32"], "does not support the code; it supports crc-32/iscsi");
    refuse(&["s3", "-a", "adler-32"], "it supports crc-64/nvme, crc-32/iso-hdlc, crc-32/iscsi");
    refuse(&["s3-composite", "-a", "crc-64/nvme", "--part-size", "5"], "does not support the code");
    refuse(&["s3-composite", "--part-size", "5"], "needs the code of the upload");
    refuse(&["s3-composite", "-a", "crc-32"], "needs the size of the parts");
    refuse(&["s3-composite", "-a", "crc-32", "--part-size", "0"], "--part-size 0");
    refuse(&["s3-composite", "-a", "crc-32", "--part-size", "8 parts"], "8MiB");
    refuse(&["gcs", "--part-size", "5"], "--part-size goes with");
    refuse(&["gcs", "--decimal"], "cannot be used with");
    let many =
        typed("sum --profile s3-composite -a crc-32 --part-size 1").input(&noise(10_001)).run();
    many.ends(2);
    assert!(many.err.contains("S3 allows 10000 parts"), "{}", many.err);
    let composite = typed("sum -c --profile s3-composite -a crc-32").run();
    composite.ends(2);
    assert!(composite.err.contains("--check cannot verify composite values"), "{}", composite.err);
    let missing = typed("sum --profile s3-composite -a crc-32 --part-size 5 /nonexistent").run();
    missing.ends(2);
    assert!(missing.err.contains("/nonexistent: No such file"), "{}", missing.err);
}

#[test]
fn spellings() {
    let spelled = |spelling: &str| {
        let args = ["sum", "--format", spelling, "--text", "123456789"];
        residue(args).run().ends(0).split(' ').next().unwrap().to_string()
    };
    assert_eq!(spelled("hex"), "e3069283");
    assert_eq!(spelled("be"), "e3069283");
    assert_eq!(spelled("le"), "839206e3");
    assert_eq!(spelled("base64"), "4waSgw==");
    assert_eq!(spelled("decimal"), "3808858755");
    let dir = crate::common::folder();
    let list = typed("sum --format le --tag nine").within(dir.path()).run();
    fs::write(dir.path().join("list"), &list.out).unwrap();
    let check = |args: &[&str], code: i32| {
        typed("sum -c list").args(args).within(dir.path()).run().ends(code).to_string()
    };
    assert_eq!(check(&["--format", "le"], 0), "nine: OK\n");
    assert_eq!(check(&[], 1), "nine: FAILED\n");
}
