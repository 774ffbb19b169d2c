//! `cargo xtask test`.

mod programs;

pub use programs::LONG;

use crate::debian::install;
use crate::outcome::{Counts, ended};
use crate::python::Built;
use std::process::ExitCode;
use std::thread::ScopedJoinHandle;

/// Programs that tests compare with or need, and the Debian package of each.
const TOOLS: [(&str, &str); 17] = [
    ("crc32", "libarchive-zip-perl"),
    ("rhash", "rhash"),
    ("python3", "python3"),
    ("tgtd", "tgt"),
    ("iscsi-inq", "libiscsi-bin"),
    ("tshark", "tshark"),
    ("ip", "iproute2"),
    ("ethtool", "ethtool"),
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

/// Runs the tests, with `long` also those that take minutes, and prints a final line of counts.
pub fn run(long: bool) -> ExitCode {
    let mut counts = Counts::default();
    for tool in TOOLS {
        if let Err(why) = install(&[tool]) {
            counts.skipped.push(format!("comparison with `{}`: {why}", tool.0));
        }
    }
    println!("compiling all tests");
    let programs = match programs::built(long) {
        Ok(programs) => programs,
        Err(why) => return ended(Err(why)),
    };
    // The tests do not always use all CPUs: the other languages' parts are built meanwhile.
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let package = crate::python::build();
            (package, crate::web::build(), crate::c::tests::run(long))
        });
        programs::run(programs, &mut counts);
        let (package, page, c) = joined(others);
        let page = scope.spawn(|| crate::web::run(page));
        python_package(package, &mut counts);
        counts.add("the page in a browser", joined(page));
        counts.add("C library", c);
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
