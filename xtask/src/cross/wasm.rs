//! The library's tests in WebAssembly, without vectors and with them, as programs of WASI that Node
//! runs.

use crate::debian::install;
use crate::outcome::{Outcome, Problem, passed};
use crate::shell::{absolute, add_target, cargo, target_variable};
use std::time::Instant;

const TARGET: &str = "wasm32-wasip1";

/// Runs the test programs that the arguments of cargo choose; `filter` goes to each. Checks that
/// all pass.
pub fn tested(programs: &[&str], filter: &[&str]) -> Outcome {
    let prepared = add_target(TARGET).and_then(|()| install(&[("node", "nodejs")]));
    prepared.map_err(Problem::Skipped)?;
    // As a list: a folder's name may have blanks.
    let script = absolute("xtask/src/cross/wasi.mjs")?;
    let runner = format!("target.{TARGET}.runner=['node', '--no-warnings', {script:?}]");
    let mut bad = Vec::new();
    for (title, flags) in [("without vectors", ""), ("with vectors", "-C target-feature=+simd128")]
    {
        println!("== {TARGET} {title}");
        let start = Instant::now();
        let mut command = cargo();
        command
            .args(["test", "--package", "residue", "--target", TARGET, "--no-fail-fast"])
            .args(["--config", &runner])
            .args([programs, &["--"], filter].concat())
            .env(target_variable(TARGET, "RUSTFLAGS"), flags)
            .env("RESIDUE_EMULATED", "1")
            .env_remove("RESIDUE_CPU")
            // Programs of WASI start no others: those tests are skipped here, and run without it.
            .env_remove("RESIDUE_REQUIRE_ALL");
        if !passed(TARGET, &mut command) {
            bad.push(title);
        }
        println!("{:.0} s", start.elapsed().as_secs_f64());
    }
    if bad.is_empty() { Ok(()) } else { Err(format!("tests failed {}", bad.join("; ")).into()) }
}
