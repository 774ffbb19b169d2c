//! Runs the fuzz targets on new inputs.

use crate::debian::install;
use crate::outcome::{Results, alone};
use crate::shell::{created, done, host, nightly, output, shown, target};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Initial corpus: every protocol, with good and bad check values.
const SEEDS: &str = "captures";
/// The targets' programs.
const PROGRAMS: &str = "fuzz/fuzz_targets";
/// The target of the C library, whose program is one of its tests.
const OF_C: (&str, &str) = ("c_calls", "bindings/c/tests/calls.c");

/// What a compiler adds for a fuzzer to see the paths taken, as cargo-fuzz has it.
const INSTRUMENTED: &str = "-Zsanitizer=address -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 -Cdebug-assertions";

/// Settings of libFuzzer. The sanitizer keeps freed memory for a while.
const SETTINGS: [&str; 3] = ["-rss_limit_mb=2048", "-max_len=65536", "-verbosity=0"];

/// Runs the named targets, or all, for some seconds each, with new inputs each time.
pub fn explore(words: &[&str]) -> ExitCode {
    let all = match targets() {
        Ok(all) => all,
        Err(why) => {
            eprintln!("xtask: {PROGRAMS}: {why}");
            return ExitCode::FAILURE;
        }
    };
    let (seconds, named) = match words {
        [seconds, named @ ..] => (seconds.parse::<u32>(), named),
        [] => (Ok(60), words),
    };
    let named: Vec<String> = named.iter().map(ToString::to_string).collect();
    let (Ok(seconds), true) = (seconds, named.iter().all(|target| all.contains(target))) else {
        eprintln!("xtask: usage: fuzz [SECONDS [TARGET ...]], of {}", all.join(", "));
        return ExitCode::from(2);
    };
    let chosen = if named.is_empty() { &all } else { &named };
    alone("fuzz targets", || each(chosen, seconds))
}

/// Returns the names of all targets.
fn targets() -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(PROGRAMS)? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.push(OF_C.0.to_string());
    names.sort();
    Ok(names)
}

/// Runs targets with AddressSanitizer.
fn each(targets: &[String], seconds: u32) -> Results {
    if targets.iter().any(|target| target != OF_C.0) {
        done(&mut nightly(&["fuzz", "--version"]))
            .map_err(|_| "no nightly compiler, or no cargo-fuzz (`cargo install cargo-fuzz`)")?;
    }
    let mut bad = Vec::new();
    for target in targets {
        let corpus = format!("fuzz/corpus/{target}");
        created(Path::new(&corpus))?;
        let run = if target == OF_C.0 {
            of_c().map(|program| {
                let mut run = Command::new(program);
                run.arg(&corpus);
                run
            })
        } else {
            let words = ["fuzz", "run", "--features", "fuzzer", target, &corpus, SEEDS, "--"];
            Ok(nightly(&words))
        };
        let ended = run.and_then(|mut run| {
            shown(run.args(SETTINGS).arg(format!("-max_total_time={seconds}")))
        });
        bad.extend(ended.map_err(|why| format!("fuzz target {target}: {why}")).err());
    }
    Ok(((targets.len() - bad.len()) as u64, bad))
}

/// Builds the fuzz target of the C library, and returns its path.
fn of_c() -> Result<PathBuf, String> {
    install(&[("clang", "clang")])?;
    let runtime = output(Command::new("clang").arg("--print-runtime-dir"))?;
    let fuzzer = format!("{}/libclang_rt.fuzzer-{}.a", runtime.trim(), std::env::consts::ARCH);
    install(&[(&fuzzer, "libclang-rt-dev")])?;
    // With a target named, programs that run during the build are not instrumented.
    let triple = host()?;
    let folder = target()?.join("fuzz-c");
    let mut build = nightly(&["build", "--release", "--quiet", "--package", "residue-c"]);
    build.args(["--target", &triple]).env("RUSTFLAGS", INSTRUMENTED);
    done(build.env("CARGO_TARGET_DIR", &folder))?;
    let program = folder.join(OF_C.0);
    let mut clang = Command::new("clang");
    clang.args(["-g", "-O1", "-fsanitize=fuzzer,address", "-DFUZZER", OF_C.1]);
    clang.args(["-I", "bindings/c/include", "-o"]).arg(&program);
    clang.arg(folder.join(triple).join("release/libresidue_c.a"));
    done(clang.args(["-lpthread", "-ldl", "-lm"]))?;
    Ok(program)
}
