//! Tests agreement with other programs, on real files.
#![cfg(unix)]

use crate::common::{RESIDUE, folder, output, typed};
use residue_testing::installed;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Real files (this program and its sources), and edge cases: empty files and odd lengths.
fn files(dir: &Path) -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files =
        vec![PathBuf::from(RESIDUE), source.join("Cargo.toml"), source.join("src/main.rs")];
    files.extend(["nine", "empty", "a b", "noise"].map(|name| dir.join(name)));
    files
}

/// Returns the value of a file, in hexadecimal unless options say otherwise.
fn ours(options: &[&str], file: &Path) -> String {
    let mut run = typed("sum").args(options);
    run.0.arg(file);
    let ran = run.run();
    ran.ends(0).split(' ').next().unwrap().to_string()
}

#[test]
fn cksum() {
    if !installed("cksum") {
        return;
    }
    let dir = folder();
    let files = files(dir.path());
    let names: Vec<&OsStr> = files.iter().map(|file| file.as_os_str()).collect();
    let mut run = typed("sum -a cksum");
    run.0.args(&names);
    assert_eq!(run.run().ends(0), output("cksum", &names));
}

#[test]
fn perl_crc32() {
    if !installed("crc32") {
        return;
    }
    let dir = folder();
    for file in files(dir.path()) {
        let theirs = output("crc32", &[file.as_os_str()]);
        assert_eq!(ours(&["-a", "crc-32"], &file), theirs.trim(), "{}", file.display());
    }
}

#[test]
fn rhash() {
    if !installed("rhash") {
        return;
    }
    let dir = folder();
    for file in files(dir.path()) {
        for (option, code) in [("--crc32", "crc-32"), ("--crc32c", "crc-32c")] {
            let theirs = output(
                "rhash",
                &["--simple", option]
                    .map(OsStr::new)
                    .into_iter()
                    .chain([file.as_os_str()])
                    .collect::<Vec<_>>(),
            );
            let theirs = theirs.split(' ').next().unwrap();
            assert_eq!(ours(&["-a", code], &file), theirs, "{}", file.display());
        }
    }
    // Each program verifies the tagged lists of the other.
    let list = Command::new("rhash")
        .args(["--bsd", "--crc32c", "nine", "noise"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let ran = typed("sum -c --strict").within(dir.path()).input(&list.stdout).run();
    assert_eq!(ran.ends(0), "nine: OK\nnoise: OK\n");
}

#[test]
fn python_zlib() {
    if !installed("python3") {
        return;
    }
    let dir = folder();
    let script = "import sys, zlib, binascii, base64
d = open(sys.argv[1], 'rb').read()
print('%08x %08x %04x %s' % (zlib.crc32(d), zlib.adler32(d), binascii.crc_hqx(d, 0),
    base64.b64encode(zlib.crc32(d).to_bytes(4, 'big')).decode()))";
    for file in files(dir.path()) {
        let theirs = output("python3", &[OsStr::new("-c"), OsStr::new(script), file.as_os_str()]);
        let ours = [
            ours(&["-a", "crc-32"], &file),
            ours(&["-a", "adler-32"], &file),
            ours(&["-a", "crc-16/xmodem"], &file),
            ours(&["-a", "crc-32", "--base64"], &file),
        ];
        assert_eq!(ours.join(" "), theirs.trim(), "{}", file.display());
    }
}
