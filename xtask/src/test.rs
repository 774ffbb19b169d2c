//! `cargo xtask test`.

use crate::debian::install;
use crate::outcome::{Counts, counted};
use crate::python::Built;
use crate::shell::cargo;
use std::process::ExitCode;
use std::thread::ScopedJoinHandle;

/// Programs that tests compare with or need, and the Debian package of each.
const TOOLS: [(&str, &str); 16] = [
    ("crc32", "libarchive-zip-perl"),
    ("rhash", "rhash"),
    ("python3", "python3"),
    ("tgtd", "tgt"),
    ("iscsi-inq", "libiscsi-bin"),
    ("tshark", "tshark"),
    ("ip", "iproute2"),
    ("iptables", "iptables"),
    ("nft", "nftables"),
    ("dumpcap", "tshark"),
    ("curl", "curl"),
    ("man", "man-db"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("systemd-analyze", "systemd"),
    ("strace", "strace"),
];

/// Runs all tests, and prints a final line of counts.
pub fn run() -> ExitCode {
    let mut counts = Counts::default();
    for tool in TOOLS {
        if let Err(why) = install(&[tool]) {
            counts.skipped.push(format!("comparison with `{}`: {why}", tool.0));
        }
    }
    // Compiles on all CPUs. The tests do not always use them all, so the other languages' parts are
    // built meanwhile, and the fuzz targets run. If this fails, so does the next command, which
    // reports it.
    let _ = cargo().args(["test", "--workspace", "--no-run", "--quiet"]).status();
    std::thread::scope(|scope| {
        let compiled = scope.spawn(|| (crate::web::build(), crate::c::tests::run()));
        let packed = scope.spawn(|| (crate::python::build(), crate::fuzz::run()));
        // `--no-fail-fast`: one broken crate must not hide another.
        counted(cargo().args(["test", "--workspace", "--no-fail-fast"]), &mut counts);
        let (page, c) = joined(compiled);
        let (package, fuzz) = joined(packed);
        let page = scope.spawn(|| crate::web::run(page));
        python_package(package, &mut counts);
        counts.add("the page in a browser", joined(page));
        counts.add("C library", c);
        counts.add("fuzz targets", fuzz);
    });
    counts.closed()
}

/// Returns the result of a thread. A panic in it goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn python_package(built: Result<Built, String>, counts: &mut Counts) {
    if let Err(why) = crate::python::run(built, counts) {
        counts.skipped.push(format!("Python package: {why}"));
    }
}

/// Tests the Python package alone.
pub fn python() -> ExitCode {
    let mut counts = Counts::default();
    python_package(crate::python::build(), &mut counts);
    counts.closed()
}
