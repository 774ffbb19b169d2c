//! Shared by the tests: runs the program, and creates files.

#[cfg(target_os = "linux")]
pub mod containers;
pub mod hosts;
pub mod metrics;
pub mod schema;
#[cfg(unix)]
pub mod watching;

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Path of the program.
pub const RESIDUE: &str = env!("CARGO_BIN_EXE_residue");

/// Returns a value of `PATH` by which the program is found by its name.
pub fn search_path() -> String {
    let folder = Path::new(RESIDUE).parent().expect("a folder");
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: Vec<u8>,
    pub err: String,
}

impl Ran {
    /// Returns standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("output is UTF-8")
    }

    /// Returns standard output; the run must have this exit code.
    #[track_caller]
    pub fn ends(&self, code: i32) -> &str {
        assert_eq!(
            self.code,
            code,
            "\nout: {}\nerr: {}",
            String::from_utf8_lossy(&self.out),
            self.err
        );
        self.text()
    }

    /// Returns standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Returns the lines of standard output, each a value of JSON.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.text().lines().map(read).collect()
    }
}

/// A run to be started.
pub struct Run(pub Command, Vec<u8>);

/// Prepares a run of the program with these arguments.
pub fn residue<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let mut command = Command::new(RESIDUE);
    command
        .args(args)
        .env_remove("RESIDUE_CPU")
        .env_remove("RESIDUE_PROFILE")
        .env_remove("CLICOLOR_FORCE");
    Run(command, Vec::new())
}

/// Prepares a run of the program with the words of a line.
pub fn typed(line: &str) -> Run {
    residue(line.split_whitespace())
}

impl Run {
    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Run {
        self.0.args(args);
        self
    }

    pub fn within(mut self, dir: &Path) -> Run {
        self.0.current_dir(dir);
        self
    }

    pub fn with(mut self, key: &str, value: &str) -> Run {
        self.0.env(key, value);
        self
    }

    pub fn input(mut self, bytes: &[u8]) -> Run {
        self.1 = bytes.to_vec();
        self
    }

    /// Runs the program to its end. A panic always fails the test.
    #[track_caller]
    pub fn run(self) -> Ran {
        let Run(mut command, input) = self;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().expect("the program ends");
        writer.join().expect("input is written");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code().unwrap_or(-1);
        assert!(!err.contains("panicked") && code != 101, "{err}");
        Ran { code, out: output.stdout, err }
    }
}

/// Creates a folder with a few files.
pub fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in [
        ("nine", &b"123456789"[..]),
        ("empty", b""),
        ("a b", b"abc\n"),
        ("noise", &residue_testing::noise(100_003)),
    ] {
        std::fs::write(dir.path().join(name), bytes).expect("a file is written");
    }
    dir
}

/// Returns a value as printed.
pub fn hex(code: &residue::Code, value: u128) -> String {
    format!("{value:0digits$x}", digits = code.width().div_ceil(4) as usize)
}

pub fn code(name: &str) -> residue::Code {
    name.parse().unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Runs another program, which must succeed, and returns its output.
pub fn output(tool: &str, args: &[&OsStr]) -> String {
    let output = Command::new(tool).args(args).output().unwrap_or_else(|e| panic!("{tool}: {e}"));
    assert!(output.status.success(), "{tool}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
