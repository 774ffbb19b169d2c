//! Two hosts, for one measurement of one case.

use super::settings::{Case, Engine, Settings};
use crate::shell::{done, entries, name, output, read};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The network namespaces, and the interfaces in them.
pub(super) const NAMES: [&str; 2] = ["a", "b"];
const DEVICES: [&str; 2] = ["rates0", "rates1"];
pub(super) const SERVER: &str = "10.93.0.2";
pub(super) const PORT: &str = "5999";

/// The numbers of a measurement, in the order of the columns.
pub struct Sample(pub Vec<f64>);

impl Sample {
    pub fn line(&self) -> String {
        self.0.iter().map(|number| format!("{number:.2}")).collect::<Vec<_>>().join(", ")
    }
}

/// Hides the namespaces of others from those of this process, and the other way round.
pub fn prepare() -> Result<(), String> {
    for words in [["tmpfs", "/run"], ["bpf", "/sys/fs/bpf"]] {
        let [kind, place] = words;
        done(Command::new("mount").args(["-t", kind, "none", place]))?;
    }
    Ok(())
}

/// A process that is killed when this is dropped, or when the measurement is.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The hosts, and what runs on them.
pub struct Hosts<'a> {
    pub(super) settings: &'a Settings,
    pub(super) case: &'a Case,
    program: PathBuf,
    running: Vec<Running>,
}

impl Drop for Hosts<'_> {
    fn drop(&mut self) {
        self.running.clear();
        for name in NAMES {
            // The pins outlive the namespace.
            let _ = done(&mut self.guard(name, &["off", "--now"]));
            let _ = ip(&format!("netns del {name}"));
        }
    }
}

impl<'a> Hosts<'a> {
    /// Makes the hosts, and starts their guards.
    pub fn new(settings: &'a Settings, case: &'a Case) -> Result<Hosts<'a>, String> {
        let program = settings.program.clone().ok_or("no program")?;
        let mut hosts = Hosts { settings, case, program, running: Vec::new() };
        for name in NAMES {
            ip(&format!("netns add {name}"))?;
            ip(&format!("-n {name} link set lo up"))?;
        }
        let [one, other] = DEVICES;
        ip(&format!("-n a link add {one} type veth peer name {other} netns b"))?;
        for (number, (name, device)) in (1..).zip(NAMES.into_iter().zip(DEVICES)) {
            ip(&format!("-n {name} addr add 10.93.0.{number}/24 dev {device}"))?;
            ip(&format!("-n {name} link set {device} mtu {} up", settings.mtu))?;
            if case.engine == Engine::Single {
                ip(&format!("-n {name} link set {device} gso_max_segs 1"))?;
            }
            if case.pfifo {
                let words = ["-n", name, "qdisc", "replace", "dev", device, "root", "pfifo"];
                done(Command::new("tc").args(words))?;
            }
            hosts.start_guard(number - 1, device)?;
        }
        if case.pinned {
            pin_threads()?;
        }
        Ok(hosts)
    }

    fn start_guard(&mut self, cpu: usize, device: &str) -> Result<(), String> {
        let value = self.settings.value.to_string();
        let options = ["--interface", device, "--value", &value];
        let name = NAMES[cpu];
        match self.case.engine {
            Engine::Kernel => {
                let threads = self.case.threads.then_some("--receive-threads");
                done(self.guard(name, &["on"]).args(options).args(threads))
            }
            Engine::Queue => {
                let program = self.program.clone();
                let mut command = self.on(cpu, &program.to_string_lossy());
                command.args(["guard", "run", "--engine", "queue", "--no-state"]).args(options);
                self.start(command)?;
                until("the guard starts", || done(&mut self.guard(name, &["status"])).is_ok())
            }
            _ => Ok(()),
        }
    }

    /// Returns a command of the guard. `ip netns exec` would hide the BPF file system.
    fn guard(&self, name: &str, words: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{name}")).arg(&self.program).arg("guard").args(words);
        command
    }

    /// Returns a command on a host, on one CPU if the case says so, that ends with this process.
    pub(super) fn on(&self, host: usize, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "nsenter"]);
        command.arg(format!("--net=/run/netns/{}", NAMES[host]));
        if self.case.pinned {
            command.args(["taskset", "--cpu-list", &host.to_string()]);
        }
        command.arg(program);
        command
    }

    fn start(&mut self, mut command: Command) -> Result<(), String> {
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.running.push(Running(child.map_err(|error| format!("{command:?}: {error}"))?));
        Ok(())
    }

    /// Starts a server, and waits until it listens.
    pub(super) fn serve(&mut self, program: &str, words: &[&str]) -> Result<(), String> {
        let mut command = self.on(1, program);
        command.args(words);
        self.start(command)?;
        let port = PORT.parse::<u16>().map_err(|error| error.to_string())?;
        // The states of sockets: listening.
        let listens = |line: &str| line.contains(&format!(":{port:04X} ")) && line.contains(" 0A ");
        let mut sockets = Command::new("nsenter");
        sockets.args(["--net=/run/netns/b", "cat", "/proc/net/tcp", "/proc/net/tcp6"]);
        until(&format!("{program} listens"), || {
            output(&mut sockets).is_ok_and(|text| text.lines().any(listens))
        })
    }

    /// Measures a transfer by iperf3.
    pub fn transfer(mut self) -> Result<Sample, String> {
        self.serve("iperf3", &["-s", "-p", PORT])?;
        let Settings { seconds, streams, .. } = self.settings;
        let mut command = self.on(0, "iperf3");
        command.args(["-c", SERVER, "-p", PORT, "-C", "cubic", "-J"]);
        command.args(["-t", &seconds.to_string(), "-P", &streams.to_string()]);
        let before = cpu_time()?;
        let result = output(&mut command)?;
        let after = cpu_time()?;
        let result: Value = serde_json::from_str(&result).map_err(|error| error.to_string())?;
        let of = |end: &str, what: &str| {
            let number = result["end"][end][what].as_f64();
            number.ok_or(format!("iperf3 has not reported {what}: {}", result["error"]))
        };
        let segments = of("sum_received", "bytes")? / self.data_of_a_segment();
        self.must_be_guarded("sent", segments)?;
        let [busy, all] = [0, 1].map(|at| after[at] - before[at]);
        Ok(Sample(vec![
            of("sum_received", "bits_per_second")? / 1e9,
            busy / segments / 2.0 * 1e6,
            busy / all,
            of("sum_sent", "retransmits")?,
        ]))
    }

    /// Returns the most bytes of data of a segment, behind headers of IP and TCP with timestamps.
    pub(super) fn data_of_a_segment(&self) -> f64 {
        let mtu = self.settings.mtu;
        f64::from(mtu - 52 - self.case.engine.growth(self.settings))
    }

    /// Measures requests by redis-benchmark.
    pub fn requests(mut self) -> Result<Sample, String> {
        let options = ["--port", PORT, "--protected-mode", "no", "--save", ""];
        self.serve("redis-server", &options)?;
        let mut command = self.on(0, "redis-benchmark");
        command.args(["-h", SERVER, "-p", PORT, "-t", "get", "-c", "20", "-n", "20000", "--csv"]);
        let result = output(&mut command)?;
        self.must_be_guarded("agreed", 20.0)?;
        let row = result.lines().find_map(|line| line.strip_prefix("\"GET\","));
        let row = row.ok_or(format!("redis-benchmark has no row of GET: {result}"))?;
        let row: Vec<f64> =
            row.split(',').filter_map(|f| f.trim_matches('"').parse().ok()).collect();
        // Rate, then average, least, p50, p95, p99, most.
        match row[..] {
            [rate, _, _, p50, _, p99, _] => Ok(Sample(vec![rate, p50, p99])),
            _ => Err(format!("redis-benchmark has another row: {result}")),
        }
    }

    /// Measures requests by ab, each on a connection of its own.
    pub fn connections(mut self) -> Result<Sample, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        self.serve(&own.to_string_lossy(), &["guard-rates", "--pages", PORT])?;
        let page = format!("http://{SERVER}:{PORT}/");
        let mut command = self.on(0, "ab");
        // The percentiles go to a file in full, and to the report in whole milliseconds.
        command.args(["-q", "-c", "20", "-n", "10000", "-e", "/dev/stdout", &page]);
        let result = output(&mut command)?;
        self.must_be_guarded("agreed", 10_000.0)?;
        ab(&result).ok_or(format!("ab has not reported what was expected: {result}"))
    }

    /// Returns an error if a guard has not sent so many segments with its value, or agreed on it
    /// for so many connections.
    pub(super) fn must_be_guarded(&self, counter: &str, expected: f64) -> Result<(), String> {
        if !self.case.engine.is_guard() {
            return Ok(());
        }
        let status = output(&mut self.guard("a", &["status", "--json"]))?;
        let status: Value = serde_json::from_str(&status).map_err(|error| error.to_string())?;
        let found =
            status["counters"][counter][self.settings.value as usize].as_f64().unwrap_or_default();
        if found < 0.9 * expected {
            let name = &self.case.name;
            return Err(format!("{name}: `{counter}` is {found}, expected {expected}"));
        }
        Ok(())
    }
}

/// Reads the report of ab: the rate, and percentiles in milliseconds. `None`: requests failed, or
/// it is another report.
fn ab(report: &str) -> Option<Sample> {
    let number = |start: &str| {
        let rest = report.lines().find_map(|line| line.strip_prefix(start))?;
        rest.split_whitespace().next()?.parse::<f64>().ok()
    };
    let failed = number("Failed requests:")?;
    let columns = [number("Requests per second:")?, number("50,")?, number("99,")?];
    (failed == 0.0).then_some(Sample(columns.to_vec()))
}

/// Binds the threads that receive for a host to its CPU.
fn pin_threads() -> Result<(), String> {
    for process in entries(Path::new("/proc"))? {
        let thread = read(process.join("comm")).unwrap_or_default();
        let of = |device: &str| thread.starts_with(&format!("napi/{device}-"));
        if let Some(cpu) = DEVICES.into_iter().position(of) {
            let mut command = Command::new("taskset");
            done(command.args(["--pid", "--cpu-list", &cpu.to_string()]).arg(name(&process)))?;
        }
    }
    Ok(())
}

/// Returns the seconds for which CPUs were busy since the machine started, and all their seconds.
/// The unit cancels out but for the first column: hundredths, as the kernel shows to programs.
pub(super) fn cpu_time() -> Result<[f64; 2], String> {
    let text = read("/proc/stat")?;
    let line = text.lines().next().unwrap_or_default();
    let fields: Vec<f64> =
        line.split_whitespace().skip(1).take(8).filter_map(|field| field.parse().ok()).collect();
    let [user, nice, system, idle, wait, irq, softirq, steal] = fields[..] else {
        return Err(format!("/proc/stat begins with {line}"));
    };
    let busy = user + nice + system + irq + softirq + steal;
    Ok([busy, busy + idle + wait].map(|ticks| ticks / 100.0))
}

fn ip(words: &str) -> Result<(), String> {
    done(Command::new("ip").args(words.split(' ')))
}

fn until(what: &str, mut is: impl FnMut() -> bool) -> Result<(), String> {
    let end = Instant::now() + Duration::from_secs(10);
    while !is() {
        if Instant::now() > end {
            return Err(format!("waited in vain: {what}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn reports_of_ab() {
        let report = "Percentage served,Time in ms\n0,0.021\n50,0.311\n99,1.250\n100,9.000\n\
                      Complete requests:      10000\nFailed requests:        0\n\
                      Requests per second:    27400.12 [#/sec] (mean)\n";
        assert_eq!(super::ab(report).unwrap().0, [27400.12, 0.311, 1.25]);
        assert!(super::ab(&report.replace("        0\n", "        3\n")).is_none());
        assert!(super::ab("").is_none());
    }
}
