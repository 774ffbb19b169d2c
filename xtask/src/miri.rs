//! Runs the library's kernels, copies and batches in Miri, which reports each access to memory
//! outside of the data, and to memory that was not written.

use crate::outcome::{Counts, alone, counted};
use crate::shell::{done, nightly};
use std::process::ExitCode;

/// What the library is compiled for: features whose instructions Miri knows.
const FEATURES: &str = "+ssse3,+sse4.2,+pclmulqdq,+avx2,+bmi2,+vpclmulqdq";

/// The values of `RESIDUE_CPU` with which copies and batches run, as the library chooses one kernel
/// for them. Those before the last: all tests run without it.
const TIERS: [&str; 5] = ["portable", "sse2", "ssse3", "sse42_pclmul", "avx2"];

/// Runs the tests.
pub fn run() -> ExitCode {
    let mut counts = Counts::default();
    if done(&mut nightly(&["miri", "--version"])).is_err() {
        return alone("Miri", || {
            Err("no nightly compiler with Miri (`rustup +nightly component add miri rust-src`)"
                .to_string())
        });
    }
    tests(&["--test", "memory"], None, &mut counts);
    for tier in TIERS {
        println!("RESIDUE_CPU={tier}");
        let words = ["--test", "memory", "--", "copies", "batches"];
        tests(&words, Some(tier), &mut counts);
    }
    counts.closed()
}

/// Runs tests of the library.
fn tests(words: &[&str], tier: Option<&str>, counts: &mut Counts) {
    let mut miri = nightly(&["miri", "test", "--package", "residue"]);
    miri.args(words).env("RUSTFLAGS", format!("-C target-feature={FEATURES}"));
    miri.env("MIRIFLAGS", "-Zmiri-env-forward=RESIDUE_CPU -Zmiri-strict-provenance");
    miri.envs(tier.map(|tier| ("RESIDUE_CPU", tier)));
    counted(&mut miri, counts);
}
