//! The three hosts, and the programs on them. This process is the router.

use anyhow::{Context as _, bail};
use residue_guard::adapter::{Queue, Router, Status};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A folder in memory, invisible to processes outside the namespaces.
const FOLDER: &str = "/run/residue-demo";
const PORT: u16 = 8080;
/// Number of the router's queue.
const QUEUE: u16 = 16;
/// Bytes of data in a full segment, with IPv4 and no guard.
const SEGMENT: usize = 1448;
/// Size of the small file in bytes.
const SMALL: usize = 100_000;
/// Time limit for the hosts to become ready.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Returns a command that also finds the programs of administrators, which are not in a user's
/// path.
pub fn command<S: AsRef<OsStr>>(program: &str, words: &[S]) -> Command {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin:/usr/bin:/bin");
    let mut command = Command::new(program);
    command.args(words).env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// Returns a command that runs on a host.
fn on(host: &str, words: &[&str]) -> Command {
    let mut command = command("ip", &[&["netns", "exec", host], words].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command, and returns its output. The error is what it printed itself.
fn output(mut command: Command) -> anyhow::Result<String> {
    let ended = command.output()?;
    if !ended.status.success() {
        let words: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
        let text = String::from_utf8_lossy(&ended.stderr);
        bail!("`{} {}`: {}", command.get_program().display(), words.join(" "), text.trim());
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Runs a command line, whose words hold no spaces.
fn must(line: &str) -> anyhow::Result<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (program, words) = words.split_first().context("no program")?;
    output(command(program, words))
}

fn until(what: &str, mut is: impl FnMut() -> bool) -> anyhow::Result<()> {
    let end = Instant::now() + TIME_LIMIT;
    while !is() {
        if Instant::now() > end {
            bail!("{what}: not within {} s", TIME_LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A process that is killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The hosts and the server.
pub struct Network {
    file: Vec<u8>,
    translates: bool,
    _server: Running,
}

/// A file received by the client.
pub struct Fetched {
    pub bytes: Vec<u8>,
    pub seconds: f64,
    pub sha256: String,
}

impl Network {
    /// Creates the hosts, with a file of `segments` full segments.
    pub fn new(segments: u32) -> anyhow::Result<Network> {
        must("mount -t tmpfs none /run")?;
        let www = format!("{FOLDER}/www");
        fs::create_dir_all(&www)?;
        let mut file = Vec::new();
        let random = fs::File::open("/dev/urandom")?;
        random.take(u64::from(segments) * SEGMENT as u64).read_to_end(&mut file)?;
        fs::write(format!("{www}/file"), &file)?;
        fs::write(format!("{www}/small"), &file[..SMALL.min(file.len())])?;

        fs::write("/proc/sys/net/ipv4/ip_forward", "1")?;
        fs::write("/proc/sys/net/ipv6/conf/all/forwarding", "1")?;
        for (number, host) in [(1, "client"), (2, "server")] {
            for line in [
                format!("ip netns add {host}"),
                format!("ip -n {host} link set lo up"),
                format!("ip link add to-{host} type veth peer name uplink netns {host}"),
                format!("ip addr add 10.81.{number}.1/24 dev to-{host}"),
                format!("ip addr add fd81:0:0:{number}::1/64 dev to-{host} nodad"),
                format!("ip link set to-{host} up"),
                format!("ip -n {host} addr add 10.81.{number}.2/24 dev uplink"),
                format!("ip -n {host} addr add fd81:0:0:{number}::2/64 dev uplink nodad"),
                format!("ip -n {host} link set uplink up"),
                format!("ip -n {host} route add default via 10.81.{number}.1"),
                format!("ip -n {host} -6 route add default via fd81:0:0:{number}::1"),
            ] {
                must(&line)?;
            }
        }
        for program in ["iptables", "ip6tables"] {
            for packets in [format!("--sport {PORT}"), format!("--dport {PORT} --syn")] {
                must(&format!(
                    "{program} -t mangle -A FORWARD -p tcp {packets} -j NFQUEUE --queue-num \
                     {QUEUE} --queue-bypass"
                ))?;
            }
        }
        let port = PORT.to_string();
        let words = ["python3", "-m", "http.server", &port, "--bind", "::", "--directory", &www];
        let mut server = on("server", &words);
        let server = Running(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
        let network = Network { file, translates: false, _server: server };
        for version in [4, 6] {
            until("the server answers", || network.fetch(version, "small").is_ok())?;
        }
        Ok(network)
    }

    /// Returns the content of the file.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// Returns the content of the small file, which only tests that a connection works.
    pub fn small(&self) -> &[u8] {
        &self.file[..SMALL.min(self.file.len())]
    }

    /// Returns the SHA-256 of the file on the server.
    pub fn sha256(&self) -> anyhow::Result<String> {
        sha256(&format!("{FOLDER}/www/file"))
    }

    fn curl(version: u8, name: &str, to: &str, more: &[&str]) -> Command {
        let host = if version == 4 { "10.81.2.2" } else { "[fd81:0:0:2::2]" };
        let url = format!("http://{host}:{PORT}/{name}");
        let words = ["curl", "-q", "-g", "-sS", "--noproxy", "*", "-o", to, &url];
        on("client", &[&words, more].concat())
    }

    /// Fetches a file from the client.
    pub fn fetch(&self, version: u8, name: &str) -> anyhow::Result<Fetched> {
        let to = format!("{FOLDER}/got");
        let more = ["--speed-limit", "1", "--speed-time", "20", "-w", "%{time_total}"];
        let seconds = output(Network::curl(version, name, &to, &more))?.trim().parse()?;
        Ok(Fetched { bytes: fs::read(&to)?, seconds, sha256: sha256(&to)? })
    }

    /// Starts to fetch the file slowly, calls `meanwhile` when some of it has arrived, and aborts.
    pub fn during_transfer<T>(
        &self,
        version: u8,
        meanwhile: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let to = format!("{FOLDER}/part");
        let _ = fs::remove_file(&to);
        let rate = (self.file.len() / 20).to_string();
        let more = ["--limit-rate", &rate, "--no-buffer"];
        let mut curl = Running(Network::curl(version, "file", &to, &more).spawn()?);
        until("the transfer begins", || {
            Path::new(&to).metadata().is_ok_and(|file| file.len() > 0)
        })?;
        if curl.0.try_wait()?.is_some() {
            bail!("the transfer has ended too early");
        }
        meanwhile()
    }

    /// Turns on address translation in the router, and removes the server's route to the client.
    pub fn translate(&mut self) -> anyhow::Result<()> {
        if self.translates {
            return Ok(());
        }
        for line in [
            "iptables -t nat -A POSTROUTING -o to-server -j MASQUERADE",
            "ip6tables -t nat -A POSTROUTING -o to-server -j MASQUERADE",
            "ip -n server route del default",
            "ip -n server -6 route del default",
        ] {
            must(line)?;
        }
        self.translates = true;
        Ok(())
    }

    /// Does `work` while the router damages the packets that it forwards.
    pub fn while_damaging<T>(
        &self,
        mut router: Router,
        work: impl FnOnce() -> T,
    ) -> anyhow::Result<(T, Router)> {
        let mut queue = Queue::open(&[QUEUE]).context("the router's queue")?;
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    queue.wait(Duration::from_millis(20))?;
                    while queue.batch(&mut router)? > 0 {}
                }
                anyhow::Ok(router)
            });
            let result = work();
            is_done.store(true, Ordering::Relaxed);
            let router = thread.join().map_err(|_| anyhow::anyhow!("the router"))??;
            Ok((result, router))
        })
    }
}

fn sha256(path: &str) -> anyhow::Result<String> {
    let text = must(&format!("sha256sum {path}"))?;
    Ok(text.split_whitespace().next().unwrap_or_default().to_string())
}

/// Returns the command `residue guard` on a host.
fn guard(host: &str, words: &str) -> anyhow::Result<Command> {
    let own = std::env::current_exe()?;
    let own = own.to_str().context("the path of this program is not UTF-8")?;
    let words: Vec<&str> = [own, "guard"].into_iter().chain(words.split(' ')).collect();
    Ok(on(host, &words))
}

/// Removes the rules of a killed guard, and returns the lines that name them.
pub fn clean(host: &str) -> anyhow::Result<Vec<String>> {
    let text = output(guard(host, "clean")?)?;
    Ok(text.lines().filter(|line| line.starts_with("removed:")).map(str::to_string).collect())
}

/// A running guard.
pub struct Guard {
    running: Running,
    lines: BufReader<ChildStdout>,
}

impl Guard {
    /// Starts a guard, and waits until its rules are active.
    pub fn start(host: &str, value: u8) -> anyhow::Result<Guard> {
        let words = format!("run --interface uplink --value {value} --json --every 86400");
        let mut child = guard(host, &words)?.spawn()?;
        let lines = BufReader::new(child.stdout.take().context("no pipe")?);
        let mut guard = Guard { running: Running(child), lines };
        let mut first = String::new();
        if guard.lines.read_line(&mut first)? == 0 {
            let mut text = String::new();
            if let Some(mut errors) = guard.running.0.stderr.take() {
                errors.read_to_string(&mut text)?;
            }
            bail!("the guard of the {host} does not start: {}", text.trim());
        }
        Ok(guard)
    }

    /// Stops the guard, and returns its counts.
    pub fn end(mut self) -> anyhow::Result<Status> {
        let process = self.running.0.id().to_string();
        output(command("sh", &["-c", "kill \"$1\"", "sh", &process]))?;
        let mut text = String::new();
        self.lines.read_to_string(&mut text)?;
        let last = text.lines().last().context("the guard has ended without printing a status")?;
        Ok(serde_json::from_str(last)?)
    }

    /// Kills the guard, as by `kill -9`.
    pub fn kill(self) {
        drop(self.running);
    }
}
