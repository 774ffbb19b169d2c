//! Tests what other users of a host can do to a guard, and to root's commands: nothing.
//!
//! This needs Linux, root, iproute2, iptables and Python. All namespaces end with the tests.

#![cfg(target_os = "linux")]

use crate::common::RESIDUE;
use crate::common::hosts::{QUEUE, ROLE, again, unshared};
use residue_testing::{Running, installed, must, skip, until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A user without any rights.
const STRANGER: u32 = 65_534;
const FOLDER: &str = "/run/residue-guard";
const PINS: &str = "/sys/fs/bpf/residue-guard";

/// Runs `inside` in new namespaces, if `probe` succeeds there.
fn scenario(test: &str, probe: &str, inside: fn()) {
    if std::env::var_os(ROLE).is_some() {
        must("mount -t tmpfs -o mode=0755 none /run");
        must("ip link set lo up");
        return inside();
    }
    if !["ip", "unshare", "python3"].into_iter().all(installed) {
        return;
    }
    let own = std::fs::metadata("/proc/self").expect("/proc");
    let is_initial = std::fs::read_to_string("/proc/self/uid_map").expect("/proc");
    if own.uid() != 0 || !is_initial.contains("4294967295") {
        return skip("strangers: other users need root");
    }
    let probed = unshared(&[], ["sh", "-c", probe]);
    if !probed.status.success() {
        return skip(&format!("strangers: {}", String::from_utf8_lossy(&probed.stderr)));
    }
    again(&[], &format!("guard_strangers::{test}"), "inside");
}

/// Runs `residue guard` as root, and returns the exit code and what it printed.
fn guard(words: &str) -> (i32, String) {
    let output = Command::new(RESIDUE).arg("guard").args(words.split(' ')).output();
    let output = output.expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8(text).expect("text"))
}

/// Starts a guard by the queue engine.
fn guarding() -> Running {
    let words = ["guard", "run", "--engine", "queue", "--interface", "lo", "--no-state"];
    let mut command = Command::new(RESIDUE);
    let guard = Running(command.args(words).stdout(Stdio::piped()).spawn().expect("it starts"));
    until("the guard answers", || guard_status().is_some());
    guard
}

fn guard_status() -> Option<Value> {
    let (code, text) = guard("status --json");
    (code == 0).then(|| serde_json::from_str(&text).expect("JSON"))
}

/// Prepares a Python script.
fn python(script: &str, argument: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", script, argument]).stdin(Stdio::null()).current_dir("/");
    command
}

/// Runs a Python script as another user, and returns what it printed.
fn stranger(script: &str, argument: &str) -> String {
    let output = python(script, argument).uid(STRANGER).gid(STRANGER).output().expect("it runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Starts a Python script, and waits until it prints a line.
fn started(command: &mut Command) -> Running {
    let mut running = Running(command.stdout(Stdio::piped()).spawn().expect("it starts"));
    let mut line = String::new();
    let out = running.0.stdout.take().expect("a pipe");
    assert!(BufReader::new(out).read_line(&mut line).expect("a line") > 0, "it is ready");
    running
}

fn set_mode(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
}

fn mode(path: &str) -> u32 {
    std::fs::metadata(path).expect("a folder").mode() & 0o7777
}

/// Another user answers requests under the name of an abstract socket that a guard could have.
#[test]
fn an_impostor_is_not_believed() {
    scenario("an_impostor_is_not_believed", QUEUE, || {
        let mut victim = Running(Command::new("sleep").arg("1000").spawn().expect("it starts"));
        for process in [victim.0.id(), 0] {
            let status = json!({
                "process": process, "interface": "\u{1b}]0;title\u{7}", "ports": [], "value": 5,
                "required": false, "rules": "\u{9b}31m", "uptime": 1.0, "cpu_time": 1.0,
                "packets": 1, "batches": 1, "queues": [],
                "entries": residue_guard::Entries::default(),
                "counters": residue_guard::Counters::default(),
            });
            let script = "
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind('\\0residue-guard'); s.listen()
print('ready', flush=True)
while True:
    c, _ = s.accept()
    try: c.sendall(sys.argv[1].encode())
    except OSError: pass
    c.close()
";
            let mut command = python(script, &status.to_string());
            let _impostor = started(command.uid(STRANGER).gid(STRANGER));
            for words in ["forget", "status", "status --json", "status --prometheus"] {
                let (code, text) = guard(words);
                assert!(code == 2 && text.contains("no guard "), "{words}: {text}");
                assert!(!text.contains(['\u{1b}', '\u{9b}']), "{words}: {text:?}");
            }
            assert!(victim.0.try_wait().expect("a process").is_none(), "{process}");
            assert_eq!(guard("clean").0, 0);
            let guard = guarding();
            let own = guard_status().expect("a status");
            assert_eq!(own["process"], guard.0.id(), "{own}");
            assert_eq!(guard.end().0, 0);
        }
    });
}

/// Connects to the socket of a guard and sends requests; prints the answers, or the error.
const ASK: &str = "
import socket, sys
for word in (b'status\\n', b'forget\\n'):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(sys.argv[1])
        s.sendall(word)
        print('answer', s.recv(1 << 16))
    except OSError as error:
        print(type(error).__name__)
";

#[test]
fn only_root_may_ask() {
    scenario("only_root_may_ask", QUEUE, || {
        let running = guarding();
        let sockets = std::fs::read_dir(FOLDER).expect("a folder");
        let sockets: Vec<PathBuf> = sockets.map(|entry| entry.expect("a file").path()).collect();
        let [socket] = &sockets[..] else { panic!("{sockets:?}") };
        let path = socket.to_str().expect("text");
        assert_eq!(mode(FOLDER), 0o700);
        assert_eq!(stranger(ASK, path), "PermissionError\nPermissionError\n");
        // Even if someone opens the folder to all, the guard asks for the user, and so do commands.
        set_mode(FOLDER, 0o777);
        set_mode(socket, 0o777);
        let text = stranger(ASK, path);
        assert!(text.lines().count() == 2 && !text.contains('{'), "{text}");
        for words in ["status", "forget", "clean", "off"] {
            let (code, text) = guard(words);
            assert!(code == 2 && text.contains("others may write to it"), "{words}: {text}");
        }
        set_mode(FOLDER, 0o700);
        assert_eq!(guard("forget"), (0, "0 destinations forgotten\n".to_string()));
        let (code, text) = guard("run --engine queue --interface lo");
        assert!(
            code == 2 && text.contains(&format!("process {} guards", running.0.id())),
            "{text}"
        );

        // A killed guard leaves its socket; the next one takes its place.
        drop(running);
        assert!(socket.exists());
        let running = guarding();
        assert_eq!(running.end().0, 0);
        assert!(!socket.exists());

        // Another user was first.
        std::fs::remove_dir(FOLDER).expect("it is empty");
        set_mode("/run", 0o1777);
        assert_eq!(stranger("import os, sys; os.mkdir(sys.argv[1])", FOLDER), "");
        for words in ["run --engine queue --interface lo", "status", "forget", "off", "clean"] {
            let (code, text) = guard(words);
            let why = "/run/residue-guard belongs to user 65534";
            assert!(code == 2 && text.contains(why), "{words}: {text}");
        }
    });
}

/// Processes that connect as fast as they can keep a guard neither from signals nor from others.
#[test]
fn requests_do_not_stop_a_guard() {
    scenario("requests_do_not_stop_a_guard", QUEUE, || {
        let mut running = guarding();
        let socket = std::fs::read_dir(FOLDER).expect("a folder").next().expect("a socket");
        let socket = socket.expect("a file").path();
        let script = "
import socket, sys
print('ready', flush=True)
while True:
    s = socket.socket(socket.AF_UNIX)
    try: s.connect(sys.argv[1])
    except OSError: pass
    s.close()
";
        let path = socket.to_str().expect("text");
        let _loops = [(); 2].map(|()| started(&mut python(script, path)));
        assert!(guard_status().is_some());
        must(&format!("kill {}", running.0.id()));
        until("the guard ends", || running.0.try_wait().expect("a process").is_some());
        let rules = must("iptables-save").stdout;
        assert!(!String::from_utf8_lossy(&rules).contains("RESIDUE"));
    });
}

/// Another user makes the folder of the pins, or may change it.
#[test]
fn pins_of_others_are_refused() {
    let probe = "mount -t bpf bpf /sys/fs/bpf";
    scenario("pins_of_others_are_refused", probe, || {
        // The guard would take one that is mounted elsewhere.
        must("umount -a -t bpf");
        must("mount -t bpf -o mode=1777 bpf /sys/fs/bpf");
        must("ip link add va type veth peer name vb");
        must("ip link set va up");
        let all = ["on --interface va", "run --interface va", "status", "off", "forget", "clean"];
        let refused = |why: &str| {
            for words in all {
                let (code, text) = guard(words);
                assert!(code == 2 && text.contains(why), "{words}: {text}");
            }
        };
        assert_eq!(stranger("import os, sys; os.mkdir(sys.argv[1])", PINS), "");
        refused("/sys/fs/bpf/residue-guard belongs to user 65534");
        std::fs::remove_dir(PINS).expect("it is empty");

        let (code, text) = guard("on --interface va");
        if code != 0 {
            return skip(&format!("the guard in the kernel: {text}"));
        }
        let rename = "import os, sys\ntry: os.rename(sys.argv[1], sys.argv[1] + '2')\n\
                      except OSError as error: print(type(error).__name__)";
        assert_eq!(stranger(rename, PINS), "PermissionError\n");
        assert_eq!((mode(PINS), guard("status").0), (0o700, 0));
        set_mode(PINS, 0o777);
        refused("/sys/fs/bpf/residue-guard may be changed by other users");
        set_mode(PINS, 0o700);
        // Without the sticky bit, anyone may rename the folder.
        set_mode("/sys/fs/bpf", 0o777);
        refused("/sys/fs/bpf may be changed by other users");
        set_mode("/sys/fs/bpf", 0o1777);
        assert_eq!(guard("off").0, 0);

        // What the guard mounts is root's.
        must("umount /sys/fs/bpf");
        assert_eq!(guard("on --interface va").0, 0);
        assert_eq!((mode("/sys/fs/bpf") & 0o777, mode(PINS)), (0o700, 0o700));
        assert_eq!(guard("off").0, 0);
    });
}
