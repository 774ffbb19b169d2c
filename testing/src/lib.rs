//! What the tests of several crates share: random bytes, imports, tests that cannot run everywhere,
//! and other programs.

pub mod imports;
mod random;

pub use random::{Random, noise};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

/// Says that a test is skipped, and why.
///
/// The line goes past the test runner, which keeps what a passed test prints, so that `cargo xtask
/// test` can count it.
///
/// # Panics
/// If no test may be skipped: `RESIDUE_REQUIRE_ALL=1`.
#[track_caller]
pub fn skip(why: &str) {
    let required = std::env::var_os("RESIDUE_REQUIRE_ALL").is_some_and(|all| all == "1");
    assert!(!required, "{why}");
    // The runner may have begun a line with the test's name. One call, for other tests print too.
    let line = format!("\nskipped: {}\n", why.trim().replace('\n', " "));
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}

/// Returns whether a tool is installed; if not, [`skip`]s the test.
#[track_caller]
pub fn installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian's folder of programs for root.
    let places = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = places.into_iter().any(|place| place.join(tool).is_file());
    if !found {
        skip(&format!("{tool} is not installed"));
    }
    found
}

/// Returns the folder of the project's captures.
#[must_use]
pub fn captures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../captures"))
}

/// Runs a command line without quotes, which must succeed.
///
/// # Panics
/// If it does not.
#[track_caller]
pub fn must(line: &str) -> Output {
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = Command::new(words[0]).args(&words[1..]).output().expect(line);
    assert!(output.status.success(), "{line}: {output:?}");
    output
}

/// Returns a folder in memory where all may create files, or the one for temporary files: a test
/// that has thousands of files synchronised need not wait for a disk.
#[must_use]
pub fn memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Returns a time limit: the usual one, times the number in `RESIDUE_PATIENCE`, for emulators.
///
/// # Panics
/// If that is no number.
#[must_use]
pub fn patience(usual: Duration) -> Duration {
    let factor = std::env::var("RESIDUE_PATIENCE").ok();
    usual * factor.map_or(1, |factor| factor.parse().expect("RESIDUE_PATIENCE is a number"))
}

/// Waits up to 20 seconds for a condition, by [`patience`].
///
/// # Panics
/// If it does not come.
#[track_caller]
pub fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + patience(Duration::from_secs(20));
    while !is() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that is killed when this is dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Stops the process (SIGTERM), and returns its exit code and what it printed, if that goes to
    /// a pipe.
    ///
    /// # Panics
    /// If it does not print text.
    pub fn end(mut self) -> (i32, String) {
        must(&format!("kill {}", self.0.id()));
        let mut text = String::new();
        if let Some(out) = self.0.stdout.as_mut() {
            out.read_to_string(&mut text).expect("text");
        }
        (self.0.wait().expect("it ends").code().unwrap_or(-1), text)
    }

    /// Sends a signal, and waits for the end.
    pub fn signal(mut self, signal: &str) {
        must(&format!("kill -{signal} {}", self.0.id()));
        let _ = self.0.wait();
    }

    /// Waits for the end; returns whether it succeeded, and what it printed.
    pub fn ended(mut self) -> (bool, String) {
        let mut text = String::new();
        let [out, err] = [
            self.0.stdout.as_mut().map(|out| out.read_to_string(&mut text)),
            self.0.stderr.as_mut().map(|err| err.read_to_string(&mut text)),
        ];
        let _ = (out, err);
        (self.0.wait().is_ok_and(|status| status.success()), text)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    const INSIDE: &str = "RESIDUE_TEST_ROLE";

    /// The runner keeps what is printed, and not these lines.
    #[test]
    fn skipped_tests_are_seen() {
        if std::env::var_os(INSIDE).is_some() {
            println!("kept");
            return super::skip("one\nreason");
        }
        for threads in ["1", "2"] {
            let run = |required: &str| {
                let mut run = Command::new(std::env::current_exe().expect("a path"));
                run.args(["--exact", "tests::skipped_tests_are_seen", "--test-threads", threads]);
                run.env(INSIDE, "inside").env("RESIDUE_REQUIRE_ALL", required);
                let output = run.output().expect("it runs");
                (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
            };
            let (good, text) = run("0");
            assert!(good && text.contains("\nskipped: one reason\n"), "{text}");
            assert!(!text.contains("kept"), "{text}");
            let (good, text) = run("1");
            assert!(!good && !text.contains("skipped: "), "{text}");
        }
    }
}
