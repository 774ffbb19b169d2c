//! `cargo xtask test`.

mod programs;

pub use programs::LONG;

use crate::debian::install;
use crate::outcome::{Counts, ended};
use crate::python::Built;
use crate::shell::joined;
use std::process::ExitCode;

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
    // The programs do not always use all CPUs: the other languages' parts are built and tested
    // meanwhile. The page's tests take axe by the Python package's environment.
    std::thread::scope(|scope| {
        let c = scope.spawn(|| crate::c::tests::run(long));
        let others = scope.spawn(|| {
            let (mut counts, package) = (Counts::default(), crate::python::build());
            let page = scope.spawn(|| crate::web::run(crate::web::build()));
            python_package(package, &mut counts);
            counts.add("the page in a browser", joined(page));
            counts
        });
        programs::run(programs, &mut counts);
        counts.add("C library", joined(c));
        counts.join(joined(others));
    });
    counts.closed()
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
