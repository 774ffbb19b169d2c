//! Network namespaces for tests: the test again inside of some, and two hosts, `a` and `b`, with a
//! cable between them.

use super::RESIDUE;
use residue_testing::{Running, must};
use std::ffi::OsStr;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The variable with the role of a child of a test.
pub const ROLE: &str = "RESIDUE_TEST_ROLE";
pub const PORT: u16 = 8080;
pub const V4: &str = "10.80.0.2:8080";
pub const V6: &str = "[fd80::2]:8080";
/// A rule of the queue engine, which shows whether it can run.
pub const QUEUE: &str = "iptables -A OUTPUT -p tcp -j NFQUEUE --queue-num 1 --queue-bypass";

/// Runs a command in new namespaces, which end with it.
pub fn unshared<S: AsRef<OsStr>>(options: &[&str], words: impl IntoIterator<Item = S>) -> Output {
    let mut run = Command::new("unshare");
    run.args(options).args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    run.args(words).output().expect("unshare runs")
}

/// Returns the options of `unshare` with which a script succeeds in new namespaces, those of a user
/// namespace first.
pub fn options_for(probe: &str) -> Result<&'static [&'static str], String> {
    const OPTIONS: [&[&str]; 2] = [&["--user", "--map-root-user"], &[]];
    let probed = OPTIONS.map(|options| (options, unshared(options, ["sh", "-c", probe])));
    let why = String::from_utf8_lossy(&probed[0].1.stderr).trim().to_string();
    let works = probed.into_iter().find(|(_, output)| output.status.success());
    works.map(|(options, _)| options).ok_or(why)
}

/// The words that run a test again, in a role.
pub fn own(test: &str, role: &str) -> Vec<String> {
    let own = std::env::current_exe().expect("a path").display().to_string();
    let role = format!("{ROLE}={role}");
    ["env", &role, &own, "--include-ignored", "--exact", test, "--nocapture"]
        .map(str::to_string)
        .to_vec()
}

/// Runs a test again in new namespaces, in a role, and returns what it printed.
#[track_caller]
pub fn again(options: &[&str], test: &str, role: &str) -> String {
    let output = unshared(options, own(test, role));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
    out
}

/// Makes both hosts.
pub fn hosts() {
    must("mount -t tmpfs none /run");
    for host in ["a", "b"] {
        must(&format!("ip netns add {host}"));
        must(&format!("ip -n {host} link set lo up"));
    }
    cable();
}

/// Connects the hosts.
pub fn cable() {
    must("ip -n a link add va type veth peer name vb netns b");
    for (host, number) in [("a", 1), ("b", 2)] {
        must(&format!("ip -n {host} addr add 10.80.0.{number}/24 dev v{host}"));
        must(&format!("ip -n {host} addr add fd80::{number}/64 dev v{host} nodad"));
        must(&format!("ip -n {host} link set v{host} up"));
    }
}

/// Returns a command on a host. `ip netns exec` would hide the BPF file system.
pub fn command<S: AsRef<OsStr>>(host: &str, words: &[S]) -> Command {
    let mut command = Command::new("nsenter");
    command.arg(format!("--net=/run/netns/{host}")).arg("--").args(words);
    command.env_remove("RESIDUE_CPU").env_remove("RESIDUE_PROFILE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a command on a host. Its errors are not read; the test detects their effect.
pub fn start<S: AsRef<OsStr>>(host: &str, words: &[S]) -> Running {
    Running(command(host, words).stderr(Stdio::inherit()).spawn().expect("it starts"))
}

/// Runs `residue guard` on a host, and returns the exit code, standard output and standard error.
pub fn guard(host: &str, words: &str) -> (i32, String, String) {
    let words: Vec<&str> = [RESIDUE, "guard"].into_iter().chain(words.split(' ')).collect();
    let output = command(host, &words).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// Sends a file of this length to every client.
pub fn serve(length: usize) {
    for stream in TcpListener::bind(("::", PORT)).expect("a port").incoming() {
        std::thread::spawn(move || {
            let file = residue_testing::noise(length);
            let _ = stream.and_then(|mut stream| stream.write_all(&file));
        });
    }
}

pub fn connect(address: &str) -> TcpStream {
    let address: SocketAddr = address.parse().expect("an address");
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(10));
    let stream = stream.expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream
}
