//! A run of `residue pcap watch --json`.

use super::RESIDUE;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

pub struct Watch {
    pub child: Child,
    pub out: BufReader<ChildStdout>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watch {
    /// Starts a run, and waits for its first line.
    #[track_caller]
    pub fn start(words: &str) -> Watch {
        let mut watch = Watch::spawn(words);
        let first = watch.line().expect("a first line");
        assert_eq!((&first["packets"], &first["ended"]), (&Value::from(0), &Value::Null));
        watch
    }

    pub fn spawn(words: &str) -> Watch {
        let mut command = Command::new(RESIDUE);
        command.args(["pcap", "watch", "--json"]).args(words.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        Watch { child, out }
    }

    /// Writes to its standard input.
    pub fn write(&mut self, bytes: &[u8]) {
        self.child.stdin.as_mut().expect("a pipe").write_all(bytes).expect("it reads");
    }

    pub fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        (!line.is_empty()).then(|| serde_json::from_str(&line).expect("JSON"))
    }

    pub fn signal(&self, name: &str) {
        residue_testing::must(&format!("kill -{name} {}", self.child.id()));
    }

    /// Waits for the end; returns the exit code, the last line, and standard error.
    pub fn end(mut self) -> (i32, Value, String) {
        let (mut last, mut err) = (Value::Null, String::new());
        while let Some(line) = self.line() {
            last = line;
        }
        self.child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
        let code = self.child.wait().expect("it ends").code().unwrap_or(-1);
        assert!(!err.contains("panicked"), "{err}");
        (code, last, err)
    }
}
