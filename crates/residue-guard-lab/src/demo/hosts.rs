//! The three hosts, and the programs on them. This process is the router.

use crate::Router;
use anyhow::{Context as _, bail};
use residue_guard::negotiate::GREATEST;
use residue_guard::queue::{Queue, Status};
use residue_guard::{Counters, Received, kernel};
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
/// The exit code of `curl` after fewer bytes than the server has announced.
const CURL_PARTIAL_FILE: i32 = 18;
/// Time limit for the hosts to become ready.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Returns a command that also finds the programs of administrators, which are not in a user's
/// path.
pub(super) fn command<S: AsRef<OsStr>>(program: &str, words: &[S]) -> Command {
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
fn output(command: Command) -> anyhow::Result<String> {
    output_or(command, 0)
}

/// Runs a command, for whose output it may end with one other code than 0.
fn output_or(mut command: Command, other: i32) -> anyhow::Result<String> {
    let ended = command.output()?;
    if ![Some(0), Some(other)].contains(&ended.status.code()) {
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
    server: Running,
    /// Hosts whose guard is in the kernel: the client, the server. It stays there for the next
    /// case, because the kernel takes a second to verify it.
    in_kernel: [bool; 2],
}

/// Names of the hosts.
const HOSTS: [&str; 2] = ["client", "server"];

/// A file received by the client.
pub(super) struct Fetched {
    pub(super) bytes: Vec<u8>,
    pub(super) seconds: f64,
    pub(super) sha256: String,
}

impl Network {
    /// Creates the hosts, with a file of `segments` full segments.
    ///
    /// # Errors
    ///
    /// A program fails, or a file of the system cannot be written.
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
        // Pins of this demonstration end with it.
        let _ = must("mount -t bpf bpf /sys/fs/bpf");
        let server = serve()?;
        let network = Network { file, translates: false, server, in_kernel: [false; 2] };
        network.wait_for_server()?;
        Ok(network)
    }

    fn wait_for_server(&self) -> anyhow::Result<()> {
        for version in [4, 6] {
            until("the server answers", || self.fetch(version, "small").is_ok())?;
        }
        Ok(())
    }

    /// Starts the server again: the guard in the kernel sees only listeners that are younger than
    /// it.
    fn restart_server(&mut self) -> anyhow::Result<()> {
        let _ = self.server.0.kill();
        let _ = self.server.0.wait();
        self.server = serve()?;
        self.wait_for_server()
    }

    /// Starts the guards of both hosts: in the kernel, or as processes.
    pub(super) fn guards(&mut self, in_kernel: [bool; 2], value: u8) -> anyhow::Result<[Guard; 2]> {
        self.remove_from_kernel(in_kernel.map(|is_one| !is_one))?;
        if in_kernel[1] && !self.in_kernel[1] {
            self.on(1, value)?;
            self.restart_server()?;
        }
        if in_kernel[0] {
            self.on(0, value)?;
        }
        let mut guards = Vec::new();
        for (host, in_kernel) in in_kernel.into_iter().enumerate() {
            guards.push(if in_kernel {
                self.on(host, value)?;
                let before = Counts::of_kernel(&kernel_status(HOSTS[host])?);
                Guard::Kernel { host: HOSTS[host], before }
            } else {
                Guard::Process(Process::start(HOSTS[host], value, "queue")?)
            });
        }
        guards.try_into().map_err(|_| anyhow::anyhow!("two guards"))
    }

    fn on(&mut self, host: usize, value: u8) -> anyhow::Result<()> {
        let name = HOSTS[host];
        output(guard(name, &format!("on --interface uplink --value {value}"))?)?;
        output(guard(name, "forget")?)?;
        self.in_kernel[host] = true;
        Ok(())
    }

    /// Removes the guards of these hosts from the kernel: the client's, the server's.
    pub(super) fn remove_from_kernel(&mut self, which: [bool; 2]) -> anyhow::Result<()> {
        for (host, _) in which.into_iter().enumerate().filter(|&(_, is_one)| is_one) {
            if self.in_kernel[host] {
                output(guard(HOSTS[host], "off --now")?)?;
                self.in_kernel[host] = false;
            }
        }
        Ok(())
    }

    /// Starts a guard in the kernel of the server, with its manager in the foreground.
    pub(super) fn managed_server(&mut self, value: u8) -> anyhow::Result<Process> {
        self.remove_from_kernel([false, true])?;
        let manager = Process::start("server", value, "kernel")?;
        self.in_kernel[1] = true;
        self.restart_server()?;
        Ok(manager)
    }

    /// Returns the content of the file.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// Returns the content of the small file, which only tests that a connection works.
    pub(super) fn small(&self) -> &[u8] {
        &self.file[..SMALL.min(self.file.len())]
    }

    /// Returns the SHA-256 of the file on the server.
    ///
    /// # Errors
    ///
    /// `sha256sum` fails.
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
    pub(super) fn fetch(&self, version: u8, name: &str) -> anyhow::Result<Fetched> {
        self.fetch_or(version, name, 0)
    }

    /// Fetches the file as TCP delivers it, which without a guard may end too early: the segments
    /// at its end have other sequence numbers, and the one that closes the connection has not.
    pub(super) fn fetch_as_delivered(&self, version: u8) -> anyhow::Result<Fetched> {
        self.fetch_or(version, "file", CURL_PARTIAL_FILE)
    }

    fn fetch_or(&self, version: u8, name: &str, other: i32) -> anyhow::Result<Fetched> {
        let to = format!("{FOLDER}/got");
        let more = ["--speed-limit", "1", "--speed-time", "20", "-w", "%{time_total}"];
        let curl = Network::curl(version, name, &to, &more);
        let seconds = output_or(curl, other)?.trim().parse()?;
        Ok(Fetched { bytes: fs::read(&to)?, seconds, sha256: sha256(&to)? })
    }

    /// Starts to fetch the file slowly, calls `meanwhile` when some of it has arrived, and aborts.
    pub(super) fn during_transfer<T>(
        &self,
        version: u8,
        meanwhile: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // In a minute or more, much longer than the rest takes.
        let curl = self.slow_transfer(version, (self.file.len() / 60).max(1))?;
        let result = meanwhile();
        drop(curl);
        result
    }

    /// Fetches the file in seconds, and calls `meanwhile` when some of it has arrived.
    pub(super) fn fetch_while(
        &self,
        version: u8,
        meanwhile: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<Fetched> {
        let start = Instant::now();
        let mut curl = self.slow_transfer(version, (self.file.len() / 3).max(1))?;
        meanwhile()?;
        if curl.0.try_wait()?.is_some() {
            bail!("the transfer has ended before the guard was killed");
        }
        let mut why = String::new();
        curl.0.stderr.take().context("no pipe")?.read_to_string(&mut why)?;
        if !curl.0.wait()?.success() {
            bail!("curl: {}", why.trim());
        }
        let to = format!("{FOLDER}/part");
        let seconds = start.elapsed().as_secs_f64();
        Ok(Fetched { bytes: fs::read(&to)?, seconds, sha256: sha256(&to)? })
    }

    /// Starts to fetch the file, at so many bytes a second, and waits until some of it has arrived.
    fn slow_transfer(&self, version: u8, rate: usize) -> anyhow::Result<Running> {
        let to = format!("{FOLDER}/part");
        let _ = fs::remove_file(&to);
        let rate = rate.to_string();
        let more =
            ["--limit-rate", &rate, "--no-buffer", "--speed-limit", "1", "--speed-time", "20"];
        let mut curl = Running(Network::curl(version, "file", &to, &more).spawn()?);
        until("the transfer begins", || {
            let has_begun = Path::new(&to).metadata().is_ok_and(|file| file.len() > 0);
            has_begun || curl.0.try_wait().is_ok_and(|ended| ended.is_some())
        })?;
        if let Some(ended) = curl.0.try_wait()? {
            let mut why = String::new();
            curl.0.stderr.take().context("no pipe")?.read_to_string(&mut why)?;
            bail!("the transfer has ended too early: {ended}; {}", why.trim());
        }
        Ok(curl)
    }

    /// Turns on address translation in the router, and removes the server's route to the client.
    pub(super) fn translate(&mut self) -> anyhow::Result<()> {
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
    pub(super) fn while_damaging<T>(
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

/// Starts the server.
fn serve() -> anyhow::Result<Running> {
    let (port, www) = (PORT.to_string(), format!("{FOLDER}/www"));
    let words = ["python3", "-m", "http.server", &port, "--bind", "::", "--directory", &www];
    let mut server = on("server", &words);
    Ok(Running(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?))
}

/// Returns the command `residue guard` on a host.
fn guard(host: &str, words: &str) -> anyhow::Result<Command> {
    let own = std::env::current_exe()?;
    let own = own.to_str().context("the path of this program is not UTF-8")?;
    // `ip netns exec` would hide the BPF file system.
    let network = format!("--net=/run/netns/{host}");
    let words: Vec<&str> =
        [&network, "--", own, "guard"].into_iter().chain(words.split(' ')).collect();
    let mut command = command("nsenter", &words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn kernel_status(host: &str) -> anyhow::Result<kernel::Status> {
    Ok(serde_json::from_str(&output(guard(host, "status --json")?)?)?)
}

/// Removes what guards have left, and returns the lines that name it.
pub(super) fn clean(host: &str) -> anyhow::Result<Vec<String>> {
    let text = output(guard(host, "clean")?)?;
    Ok(text.lines().filter(|line| line.starts_with("removed:")).map(str::to_string).collect())
}

/// What a guard has counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Segments dropped for a wrong check value, but not for a missing one.
    pub(super) caught: u64,
    /// Agreed connections, by value.
    pub(super) agreed: [u64; GREATEST as usize + 1],
    /// Seconds of CPU time; `None` for the kernel engine, which has no process.
    pub(super) cpu_time: Option<f64>,
}

impl Counts {
    fn of(counters: &Counters, cpu_time: Option<f64>) -> Counts {
        let caught = |received: &Received| received.bad() - received.missing;
        let caught = counters.received.iter().map(caught).sum();
        Counts { caught, agreed: counters.agreed, cpu_time }
    }

    fn of_kernel(status: &kernel::Status) -> Counts {
        let counts = Counts::of(&status.counters, None);
        Counts { caught: counts.caught + status.kernel.out_of_window, ..counts }
    }
}

/// A guard of a host.
pub(super) enum Guard {
    /// The queue engine.
    Process(Process),
    /// The kernel engine: its host, and what it had counted before.
    Kernel { host: &'static str, before: Counts },
}

impl Guard {
    /// Stops a process; the guard in the kernel stays. Returns what it has counted.
    pub(super) fn end(self) -> anyhow::Result<Counts> {
        match self {
            Guard::Process(process) => process.end(),
            Guard::Kernel { host, before } => {
                let mut counts = Counts::of_kernel(&kernel_status(host)?);
                counts.caught -= before.caught;
                for (now, before) in counts.agreed.iter_mut().zip(before.agreed) {
                    *now -= before;
                }
                Ok(counts)
            }
        }
    }

    /// Kills a process, as by `kill -9`.
    pub(super) fn kill(self) {
        if let Guard::Process(process) = self {
            process.kill();
        }
    }
}

/// `residue guard run`.
pub(super) struct Process {
    running: Running,
    lines: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a guard, and waits until it works.
    fn start(host: &str, value: u8, engine: &str) -> anyhow::Result<Process> {
        let words = format!(
            "run --engine {engine} --interface uplink --value {value} --json --every 86400"
        );
        let mut child = guard(host, &words)?.spawn()?;
        let lines = BufReader::new(child.stdout.take().context("no pipe")?);
        let mut process = Process { running: Running(child), lines };
        let mut first = String::new();
        if process.lines.read_line(&mut first)? == 0 {
            let mut text = String::new();
            if let Some(mut errors) = process.running.0.stderr.take() {
                errors.read_to_string(&mut text)?;
            }
            bail!("the guard of the {host} does not start: {}", text.trim());
        }
        Ok(process)
    }

    /// Stops the queue engine, and returns its counts.
    fn end(mut self) -> anyhow::Result<Counts> {
        let process = self.running.0.id().to_string();
        output(command("sh", &["-c", "kill \"$1\"", "sh", &process]))?;
        let mut text = String::new();
        self.lines.read_to_string(&mut text)?;
        let last = text.lines().last().context("the guard has ended without printing a status")?;
        let status: Status = serde_json::from_str(last)?;
        Ok(Counts::of(&status.counters, Some(status.cpu_time)))
    }

    /// Kills it, as by `kill -9`.
    pub(super) fn kill(self) {
        drop(self.running);
    }
}
