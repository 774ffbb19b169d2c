//! The test programs of the workspace, which cargo builds: they run one more at a time than there
//! are CPUs, as many of them wait for other processes, and each is reported when it ends.

use crate::outcome::Counts;
use crate::shell::{ONCE, cargo};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Instant;

/// Programs that take longest, which begin first.
const LONGEST: [&str; 6] =
    ["program", "scenarios", "residue_strength", "kernels", "certificates", "codes"];

/// Arguments of a test program that has it run what takes long, too. What is run by hand writes
/// files, or only measures.
pub const LONG: [&str; 3] = ["--include-ignored", "--skip", "by_hand::"];

/// A test program, or the tests in documentation.
pub struct Program {
    name: String,
    command: Command,
}

/// Compiles all tests, on all CPUs, and returns their programs, which run `long` tests as well or
/// not.
///
/// # Errors
/// That they do not compile; the compiler has said why.
pub fn built(long: bool) -> Result<Vec<Program>, String> {
    let mut build = cargo();
    build.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    let output = build.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err("the tests do not compile".to_string());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut programs: Vec<Program> = messages
        .lines()
        .filter_map(|line| Program::of(&serde_json::from_str(line).ok()?))
        .collect();
    for program in &mut programs {
        if long {
            program.command.args(LONG);
        }
    }
    let mut documentation = cargo();
    documentation.args(["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"]);
    programs.push(Program { name: "documentation".to_string(), command: documentation });
    programs.sort_by_key(|program| {
        let last = program.name.rsplit(' ').next().unwrap_or_default();
        LONGEST.iter().position(|name| *name == last).unwrap_or(LONGEST.len())
    });
    Ok(programs)
}

impl Program {
    /// Returns the test program that a message of cargo names, if it does.
    fn of(message: &Value) -> Option<Program> {
        let executable = message["executable"].as_str()?;
        if message["profile"]["test"] != true {
            return None;
        }
        let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_path_buf();
        let package = folder.file_name()?.to_str()?;
        let name = format!("{package} {}", message["target"]["name"].as_str()?);
        let mut command = Command::new(executable);
        // As cargo runs them.
        command.current_dir(&folder).env("CARGO_MANIFEST_DIR", &folder);
        command.env("CARGO", cargo().get_program()).envs(ONCE);
        Some(Program { name, command })
    }
}

/// Runs programs, one more at a time than there are CPUs: one that waits leaves its own to others.
/// Prints one line for each that passes, and all output of one that fails.
pub fn run(programs: Vec<Program>, counts: &mut Counts) {
    let all = programs.len();
    let queue = Mutex::new(VecDeque::from(programs));
    let ended = Mutex::new((0, counts));
    let work = || {
        loop {
            let next = locked(&queue).pop_front();
            let Some(program) = next else { break };
            let (report, own) = program.run();
            let (number, counts) = &mut *locked(&ended);
            *number += 1;
            println!("{number} of {all}: {report}");
            counts.join(own);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..=available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

impl Program {
    /// Runs it; returns a line on it, with all its output if it failed, and its counts.
    fn run(mut self) -> (String, Counts) {
        let began = Instant::now();
        let output = self.command.output();
        let seconds = began.elapsed().as_secs_f64();
        let (good, text) = match &output {
            Ok(output) => {
                let [text, errors] = [&output.stdout, &output.stderr];
                let both = [text, errors].map(|it| String::from_utf8_lossy(it));
                (output.status.success(), both.concat())
            }
            Err(error) => (false, error.to_string()),
        };
        let counts = Counts::of(&text, good);
        let name = &self.name;
        let Counts { passed, failed, left_out, skipped } = &counts;
        let mut line = format!("{name}: {passed} passed in {seconds:.1} s");
        if *left_out > 0 {
            line += &format!(", {left_out} left out");
        }
        if !skipped.is_empty() {
            line += &format!(", {} skipped", skipped.len());
        }
        match failed {
            0 => (line, counts),
            _ => (format!("{line}, {failed} FAILED\n{text}"), counts),
        }
    }
}

fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn test_programs_alone_are_run_each_in_its_package() {
        let message = |executable: Value, test: bool| {
            json!({
                "reason": "compiler-artifact",
                "manifest_path": "/place/crates/residue-net/Cargo.toml",
                "target": {"name": "pcap"},
                "profile": {"test": test},
                "executable": executable,
            })
        };
        let program = Program::of(&message("/bin/true".into(), true)).expect("a test");
        assert_eq!(program.name, "residue-net pcap");
        let folder = program.command.get_current_dir();
        assert_eq!(folder, Some(std::path::Path::new("/place/crates/residue-net")));
        assert!(Program::of(&message("/bin/true".into(), false)).is_none(), "the program itself");
        assert!(Program::of(&message(Value::Null, true)).is_none(), "a library");
    }

    #[test]
    fn ci_builds_as_this_program_does() {
        let ci = include_str!("../../../.ci/run");
        for (name, value) in ONCE {
            assert!(ci.lines().any(|line| line == format!("export {name}={value}")), "{name}");
        }
    }

    #[test]
    fn output_is_shown_of_programs_that_fail() {
        let run = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            Program { name: "it".to_string(), command }.run()
        };
        let good = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out";
        let (report, counts) = run(&format!("echo '{good}'; echo 'skipped: no tool'"));
        assert!(report.starts_with("it: 2 passed in ") && !report.contains("result"), "{report}");
        assert!(report.ends_with("1 left out, 1 skipped"), "{report}");
        assert_eq!((counts.passed, counts.failed, counts.left_out), (2, 0, 1));
        let (report, counts) = run("echo thread panicked; exit 101");
        assert!(report.ends_with("1 FAILED\nthread panicked\n"), "{report}");
        assert_eq!((counts.passed, counts.failed), (0, 1));
        assert_eq!(counts, Counts::of("", false));
    }
}
