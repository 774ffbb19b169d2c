//! Tests `residue sum`: formats, inputs, and errors of files.
#![cfg(unix)]

use crate::common::{code, folder, hex, residue, typed};
use residue::Code;
use residue_testing::{installed, noise};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn formats() {
    let dir = folder();
    let run = |args: &[&str]| {
        let ran = typed("sum").args(args).within(dir.path()).run();
        assert_eq!(ran.err, "");
        ran.ends(0).to_string()
    };
    assert_eq!(run(&["nine", "empty"]), "e3069283  nine\n00000000  empty\n");
    assert_eq!(run(&["--tag", "nine"]), "CRC-32/ISCSI (nine) = e3069283\n");
    assert_eq!(run(&["--base64", "nine"]), "4waSgw==  nine\n");
    assert_eq!(run(&["--decimal", "nine"]), "3808858755  nine\n");
    assert_eq!(run(&["--decimal", "--tag", "nine"]), "CRC-32/ISCSI (nine) = 3808858755\n");
    assert_eq!(run(&["-z", "nine", "a b"]).matches('\0').count(), 2);
    assert_eq!(
        run(&["-a", "crc-32,adler-32", "-a", "xns", "nine"]),
        "CRC-32/ISO-HDLC (nine) = cbf43926\nADLER-32 (nine) = 091e01de\nXNS (nine) = 521c\n"
    );
    assert_eq!(
        run(&["-a", "width=16,poly=1021,init=ffff,crc-8", "nine"]),
        "width=16,poly=1021,init=ffff,refin=false,refout=false,xorout=0 (nine) = \
            29b1\nCRC-8/SMBUS (nine) = f4\n"
    );
    assert_eq!(
        run(&["--text", "123456789", "--hex", "0x31 32:33"]),
        "e3069283  text:123456789\n107b2fb2  hex:0x31 32:33\n"
    );
    assert_eq!(run(&["-a", "cksum", "nine"]), "930766865 9 nine\n");
    assert_eq!(run(&["-a", "crc-32/cksum", "--text", "123456789"]), "765e7680  text:123456789\n");
}

#[test]
fn json() {
    let dir = folder();
    let ran = typed("sum --json -a crc32c,crc-64/nvme nine nosuch").within(dir.path()).run();
    ran.ends(2);
    let rows = ran.json();
    assert_eq!(rows[0]["file"], "nine");
    assert_eq!(rows[0]["bytes"], 9);
    assert_eq!(rows[0]["codes"][0]["code"], "crc-32/iscsi");
    assert_eq!(rows[0]["codes"][0]["value"], "e3069283");
    assert_eq!(rows[0]["codes"][0]["base64"], "4waSgw==");
    assert_eq!(rows[0]["codes"][0]["decimal"], "3808858755");
    assert_eq!(rows[0]["codes"][1]["value"], "ae8b14860a799888");
    assert_eq!(rows[1]["codes"].as_array().unwrap().len(), 0);
    assert_eq!(rows[1]["error"], "No such file or directory");
}

#[test]
fn every_code_of_a_file_and_of_a_pipe() {
    let dir = folder();
    let data = noise(100_003);
    let names: Vec<&str> = Code::names().collect();
    let args = ["sum", "--json", "-a", &names.join(",")];
    let file = residue(args.iter().chain(&["noise"])).within(dir.path()).run().json();
    let pipe = residue(args).input(&data).run().json();
    assert_eq!((&pipe[0]["file"], &pipe[0]["bytes"]), (&"-".into(), &100_003.into()));
    for (i, code) in Code::all().enumerate() {
        let value = hex(&code, code.value(&data));
        assert_eq!(file[0]["codes"][i]["value"], value, "{code}");
        assert_eq!(pipe[0]["codes"][i]["value"], value, "{code}");
    }
}

#[test]
fn standard_input() {
    let run = |args: &[&str]| typed("sum").args(args).input(b"123456789").run();
    assert_eq!(run(&[]).ends(0), "e3069283  -\n");
    assert_eq!(run(&["-"]).ends(0), "e3069283  -\n");
    assert_eq!(run(&["-a", "cksum"]).ends(0), "930766865 9\n");
    assert_eq!(run(&["-a", "cksum", "-"]).ends(0), "930766865 9 -\n");
    assert!(run(&["-", "-"]).err.contains("`-` is given twice"));
    assert_eq!(typed("sum").run().ends(0), "00000000  -\n");
}

#[test]
fn names_are_escaped() {
    let dir = tempfile::tempdir().unwrap();
    let odd: &[&[u8]] =
        &[b"new\nline", b"back\\slash", b"return\r", b"\xff\xfe", b" (x) = ", b"-z"];
    for name in odd {
        fs::write(dir.path().join(OsStr::from_bytes(name)), b"123456789").unwrap();
    }
    let args = |zero: &'static str| {
        let names = odd.iter().map(|name| OsStr::from_bytes(name));
        ["sum", zero, "--"].map(OsStr::new).into_iter().chain(names).collect::<Vec<_>>()
    };
    let ran = residue(args("--decimal")).within(dir.path()).run();
    let mut expected =
        b"\\3808858755  new\\nline\n\\3808858755  back\\\\slash\n\\3808858755  return\\r\n"
            .to_vec();
    expected.extend(b"3808858755  \xff\xfe\n3808858755   (x) = \n3808858755  -z\n");
    assert_eq!((ran.code, ran.out), (0, expected));
    let ran = residue(args("-z")).within(dir.path()).run();
    assert!(ran.out.starts_with(b"e3069283  new\nline\0e3069283  back\\slash\0"));
}

#[test]
fn unreadable_files_are_reported_and_the_others_are_done() {
    let dir = folder();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let ran = typed("sum nosuch nine sub empty").within(dir.path()).run();
    assert_eq!(ran.ends(2), "e3069283  nine\n00000000  empty\n");
    assert_eq!(
        ran.err,
        "residue: nosuch: No such file or directory\nresidue: sub: is a folder; use --recursive \
            to read the files in it\n"
    );
}

#[test]
fn folders() {
    let dir = folder();
    fs::create_dir_all(dir.path().join("sub/deep")).unwrap();
    fs::write(dir.path().join("sub/deep/x"), b"x").unwrap();
    fs::write(dir.path().join("sub/a"), b"a").unwrap();
    std::os::unix::fs::symlink("..", dir.path().join("sub/loop")).unwrap();
    std::os::unix::fs::symlink("../nine", dir.path().join("sub/link")).unwrap();
    let names = |args: &[&str], code: i32| -> Vec<String> {
        let ran = typed("sum -r").args(args).within(dir.path()).run();
        ran.ends(code).lines().map(|line| line[10..].to_string()).collect()
    };
    assert_eq!(names(&["sub"], 0), ["sub/a", "sub/deep/x"]);
    assert_eq!(
        names(&["."], 0),
        ["./a b", "./empty", "./nine", "./noise", "./sub/a", "./sub/deep/x"]
    );
    assert_eq!(
        names(&["nine", "sub/link", "nosuch", "sub/deep"], 2),
        ["nine", "sub/link", "sub/deep/x"]
    );
}

#[test]
fn many_files_keep_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut expected = String::new();
    for i in 0..500usize {
        // Long files first: they are done last.
        let data = noise(if i % 50 == 0 { 3_000_000 } else { i });
        fs::write(dir.path().join(format!("{i:03}")), &data).unwrap();
        expected += &format!("{:08x}  ./{i:03}\n", residue::crc32c(&data));
    }
    let ran = typed("sum -r .").within(dir.path()).run();
    assert_eq!(ran.ends(0), expected);
    let one = typed("sum -r .").within(dir.path()).with("RAYON_NUM_THREADS", "1").run();
    assert_eq!(one.ends(0), expected);
}

#[test]
fn a_large_file_by_several_threads() {
    let dir = tempfile::tempdir().unwrap();
    let data = noise((40 << 20) + 12_345);
    fs::write(dir.path().join("large"), &data).unwrap();
    let names = "crc-32/iscsi,internet,xns,fletcher-32,adler-32,crc-16/xmodem,cksum";
    let args = ["sum", "--json", "-a", names];
    let pipe = residue(args).input(&data).run().json();
    for threads in ["1", "2", "5"] {
        let run = residue(args.iter().chain(&["large", "large"])).within(dir.path());
        let files = run.with("RAYON_NUM_THREADS", threads).run().json();
        for file in files.as_array().unwrap() {
            assert_eq!(file["bytes"], data.len());
            assert_eq!(file["codes"], pipe[0]["codes"], "{threads} threads");
        }
    }
    assert_eq!(pipe[0]["codes"][0]["value"], format!("{:08x}", residue::crc32c(&data)));
}

#[test]
fn kernels_by_name() {
    for name in ["crc-32/iscsi", "internet", "crc-82/darc", "crc-5/usb", "fletcher-32"] {
        let code = code(name);
        for kernel in code.kernels() {
            let ran =
                residue(["sum", "-a", name, "--kernel", kernel.name, "--text", "hello"]).run();
            if kernel.supported() {
                assert_eq!(
                    ran.ends(0),
                    format!("{}  text:hello\n", hex(&code, code.value(b"hello")))
                );
            } else {
                ran.ends(2);
            }
        }
    }
    let unknown = residue(["sum", "--kernel", "warp", "--text", ""]).run();
    unknown.ends(2);
    assert!(unknown.err.contains("slicing8"), "{}", unknown.err);
    typed("sum --kernel portable").run().ends(2);
    typed("sum --kernel portable file").run().ends(2);
}

/// Returns the value of zero bytes, computed from values of shorter runs.
fn of_zeros(code: &Code, length: u64) -> u128 {
    let Code::Crc(crc) = code else { panic!("{code} is no CRC") };
    let (mut value, mut run, mut bytes) = (crc.checksum(b""), crc.checksum(&[0]), 1);
    while bytes <= length {
        if length & bytes != 0 {
            value = crc.combine(value, run, bytes);
        }
        run = crc.combine(run, run, bytes);
        bytes *= 2;
    }
    value
}

#[test]
#[ignore = "long"]
fn a_sparse_file_of_more_than_four_gibibytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse");
    let (hole, tail) = (1u64 << 32, b"123456789");
    let mut file = File::create(&path).unwrap();
    file.seek(SeekFrom::Start(hole)).unwrap();
    file.write_all(tail).unwrap();
    drop(file);
    let rows = typed("sum --json -a crc-32/iscsi,internet,cksum").run_on(&path);
    let crc = code("crc-32/iscsi");
    let Code::Crc(iscsi) = &crc else { panic!() };
    let expected = iscsi.combine(of_zeros(&crc, hole), iscsi.checksum(tail), 9);
    assert_eq!(rows[0]["bytes"], hole + 9);
    assert_eq!(rows[0]["codes"][0]["value"], hex(&crc, expected));
    // Zeros do not change a sum.
    assert_eq!(rows[0]["codes"][1]["value"], format!("{:04x}", residue::internet::checksum(tail)));
    if installed("cksum") {
        let theirs = crate::common::output("cksum", &[path.as_os_str()]);
        let ours = rows[0]["codes"][2]["decimal"].as_str().unwrap();
        assert_eq!(theirs.split(' ').next(), Some(ours));
    }
}

/// Data between holes, at the ends and beside each other, with lengths within words.
#[test]
fn holes_of_sparse_files_count_as_zeros() {
    const MIB: u64 = 1 << 20;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse");
    let names = "crc-32/iscsi,internet,xns,fletcher-32,adler-32,crc-82/darc,cksum";
    let layouts: [(&[(u64, usize)], u64); 6] = [
        (&[], 0),
        (&[], MIB + 3),
        (&[(0, 5000)], 20 * MIB + 7),
        (&[(70_001, 9), (9 * MIB, 123_457)], 30 * MIB),
        (&[(12 * MIB - 1, 2)], 12 * MIB + 1),
        (&[(0, 3), (4 * MIB + 1, 1), (16 * MIB - 3, 3)], 16 * MIB),
    ];
    for (parts, length) in layouts {
        let mut file = File::create(&path).unwrap();
        for &(place, bytes) in parts {
            file.seek(SeekFrom::Start(place)).unwrap();
            file.write_all(&noise(bytes)).unwrap();
        }
        file.set_len(length).unwrap();
        let read = typed(&format!("sum --json -a {names}")).run_on(&path);
        for threads in ["1", "2"] {
            let run = typed(&format!("sum --sparse --json -a {names}"));
            let counted = run.with("RAYON_NUM_THREADS", threads).run_on(&path);
            assert_eq!(counted, read, "{parts:?} of {length}, {threads} threads");
        }
    }
    let list = typed("sum --sparse sparse").within(dir.path()).run();
    let check = typed("sum --sparse --check").within(dir.path()).input(list.ends(0).as_bytes());
    assert_eq!(check.run().ends(0), "sparse: OK\n");
    // More than is read in an hour.
    let mut file = File::create(&path).unwrap();
    let hole = 10 << 40;
    if file.set_len(hole).is_err() {
        return residue_testing::skip("the file system has no files of 10 TiB");
    }
    file.seek(SeekFrom::Start(hole)).unwrap();
    file.write_all(b"123456789").unwrap();
    let rows = typed("sum --sparse --json -a crc-32/iscsi").run_on(&path);
    let crc = code("crc-32/iscsi");
    let Code::Crc(iscsi) = &crc else { panic!() };
    let expected = iscsi.combine(of_zeros(&crc, hole), iscsi.checksum(b"123456789"), 9);
    assert_eq!(
        (&rows[0]["bytes"], &rows[0]["codes"][0]["value"]),
        (&(hole + 9).into(), &hex(&crc, expected).into())
    );
}

trait On {
    fn run_on(self, path: &Path) -> serde_json::Value;
}

impl On for crate::common::Run {
    /// Runs the program on a file.
    fn run_on(mut self, path: &Path) -> serde_json::Value {
        self.0.arg(path);
        let ran = self.run();
        ran.ends(0);
        ran.json()
    }
}

/// Runs the program on a sparse file of `before` bytes that is set to `after` bytes meanwhile.
/// Repeats this until the change happens in time.
fn changed_while_read(before: u64, after: u64) -> (serde_json::Value, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("changing");
    for delay in [20, 40, 80, 160, 10, 5, 2, 1, 320, 640].into_iter().cycle().take(60) {
        let file = File::create(&path).unwrap();
        file.set_len(before).unwrap();
        let child = Command::new(crate::common::RESIDUE)
            .args(["sum", "--json", "-a", "crc-32/iscsi"])
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        file.set_len(after).unwrap();
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!err.contains("panicked"), "{err}");
        if output.status.code() == Some(2) {
            return (serde_json::from_slice(&output.stdout).unwrap(), err);
        }
        // Too early or too late: the program saw one length.
        assert_eq!(output.status.code(), Some(0), "{err}");
    }
    panic!("the file could not be changed in time");
}

#[test]
fn a_file_that_shrinks_while_read() {
    let (before, after) = (2 << 30, 1 << 20);
    let (rows, err) = changed_while_read(before, after);
    let bytes = rows[0]["bytes"].as_u64().unwrap();
    assert!(bytes < before);
    assert!(err.contains(&format!("shrank from {before} to {bytes} bytes while read")), "{err}");
    assert!(rows[0]["error"].as_str().unwrap().starts_with("shrank"));
    // The value is of the bytes read.
    let crc = code("crc-32/iscsi");
    assert_eq!(rows[0]["codes"][0]["value"], hex(&crc, of_zeros(&crc, bytes)));
}

#[test]
fn a_file_that_grows_while_read() {
    let (before, after) = (1 << 30, (1 << 30) + 12_345);
    let (rows, err) = changed_while_read(before, after);
    assert_eq!(rows[0]["bytes"], after);
    assert!(err.contains(&format!("grew from {before} to {after} bytes while read")), "{err}");
    let crc = code("crc-32/iscsi");
    assert_eq!(rows[0]["codes"][0]["value"], hex(&crc, of_zeros(&crc, after)));
}

#[test]
fn files_whose_length_is_fiction() {
    for path in ["/proc/cpuinfo", "/sys/devices/system/cpu/online"] {
        if Path::new(path).exists() {
            residue(["sum", path]).run().ends(0);
        } else {
            residue_testing::skip(&format!("{path} does not exist"));
        }
    }
}
