//! Three hosts on this machine, `a`, the router `r`, and `b`, and the programs on them.

use super::roles::{PORT, play};
use residue_guard::kernel;
use residue_guard::queue::Status;
use residue_testing::{Running, must, skip, until};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Mutex;

/// The role of a child of the test, and its arguments.
const ROLE: &str = "RESIDUE_TEST_ROLE";
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios");
const NAMESPACES: [&str; 6] =
    ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// In a user namespace, where all rights are those of a user without any.
const USER: &[&str] = &["--user", "--map-root-user"];

/// Runs `inside` in new namespaces, or a child's role. As root with all rights, if possible: the
/// guard takes precedence then.
pub fn scenario(test: &str, inside: fn(&Network)) {
    scenario_by(test, &[&[], USER], inside);
}

/// As [`scenario`], never with the rights of root.
pub fn scenario_without_root(test: &str, inside: fn(&Network)) {
    scenario_by(test, &[USER], inside);
}

fn scenario_by(test: &str, ways: &[&[&str]], inside: fn(&Network)) {
    match std::env::var(ROLE) {
        Ok(role) if role == "inside" => inside(&Network::new(test)),
        Ok(role) => play(&role.split(' ').collect::<Vec<_>>()),
        Err(_) => outside(test, ways),
    }
}

/// As [`scenario`], for the guard inside the kernel.
pub fn kernel_scenario(test: &str, inside: fn(&Network)) {
    if std::env::var_os(ROLE).is_some() {
        return scenario(test, inside);
    }
    let missing = missing_tool().or_else(|| {
        kernel::needs().into_iter().filter(|need| !need.replaceable).find_map(|need| {
            let why = need.missing?;
            Some(format!("{}: {why}", need.name))
        })
    });
    let mut probe = Command::new("unshare");
    probe.args(NAMESPACES).args(["mount", "-t", "bpf", "bpf", "/mnt"]);
    let missing = missing.or_else(|| match probe.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_string()),
        Err(error) => Some(error.to_string()),
    });
    match missing {
        Some(why) => skip(&format!("guarded hosts: {why}")),
        None => again(test, &NAMESPACES),
    }
}

/// Runs the test again, in new namespaces.
fn again(test: &str, words: &[&str]) {
    let mut run = Command::new("unshare");
    run.args(words).args(own(test)).env(ROLE, "inside");
    let output = run.output().expect("unshare runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
    match out.lines().find_map(|line| line.strip_prefix("skipped: ")) {
        Some(why) => skip(why),
        None => print!("{out}"),
    }
}

/// Returns which program is missing that the hosts, and the rules between them, need.
fn missing_tool() -> Option<String> {
    let tools = ["ip", "iptables", "ip6tables", "unshare", "python3", "ethtool"];
    let missing = tools.into_iter().find(|tool| {
        let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
        !found.is_ok_and(|output| output.status.success())
    });
    missing.map(|tool| format!("{tool} is not installed"))
}

/// Runs the test again in namespaces, in the first of these ways that is possible.
fn outside(test: &str, ways: &[&[&str]]) {
    let missing = missing_tool();
    let probe = "iptables -A OUTPUT -p tcp -j NFQUEUE --queue-num 1 --queue-bypass";
    let ways = ways.iter().map(|more| [more, &NAMESPACES[..]].concat());
    let has_all = missing.is_none();
    let mut why = missing.unwrap_or_default();
    let works = |words: &Vec<&str>| {
        let output = Command::new("unshare").args(words).args(["sh", "-c", probe]).output();
        output.map_err(|error| error.to_string()).and_then(|output| {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_string();
            output.status.success().then_some(()).ok_or(text)
        })
    };
    let words =
        ways.filter(|_| has_all).find(|words| works(words).map_err(|error| why = error).is_ok());
    match words {
        Some(words) => again(test, &words),
        None => skip(&format!("guarded hosts: {why}")),
    }
}

fn own(test: &str) -> Vec<String> {
    let own = std::env::current_exe().expect("a path").display().to_string();
    // Long tests are ignored, and this process does not know whether its parent runs them.
    [&own, "--include-ignored", "--exact", test, "--nocapture", "--test-threads=1"]
        .map(str::to_string)
        .to_vec()
}

/// The hosts, with a server on `b`.
pub struct Network {
    test: String,
    server: Mutex<Option<Running>>,
}

pub const ADDRESSES: [&str; 2] = ["10.91.2.2", "fd91:0:0:2::2"];

impl Network {
    fn new(test: &str) -> Network {
        must("mount -t tmpfs none /run");
        for host in ["a", "r", "b"] {
            must(&format!("ip netns add {host}"));
            must(&format!("ip -n {host} link set lo up"));
        }
        for (number, host) in [(1, "a"), (2, "b")] {
            must(&format!("ip -n {host} link add v{host} type veth peer name r{host} netns r"));
            for (of, device, end) in [(host, format!("v{host}"), 2), ("r", format!("r{host}"), 1)] {
                must(&format!("ip -n {of} addr add 10.91.{number}.{end}/24 dev {device}"));
                must(&format!(
                    "ip -n {of} addr add fd91:0:0:{number}::{end}/64 dev {device} nodad"
                ));
                must(&format!("ip -n {of} link set {device} up"));
            }
            must(&format!("ip -n {host} route add default via 10.91.{number}.1"));
            must(&format!("ip -n {host} -6 route add default via fd91:0:0:{number}::1"));
        }
        let forward = "echo 1 > /proc/sys/net/ipv4/ip_forward; \
                       echo 1 > /proc/sys/net/ipv6/conf/all/forwarding";
        let words = ["netns", "exec", "r", "sh", "-c", forward];
        assert!(Command::new("ip").args(words).status().expect("ip runs").success());
        let network = Network { test: test.to_string(), server: Mutex::default() };
        network.restart_server();
        for address in ADDRESSES {
            until("the server answers", || network.client(address, "pull", 1).ended().0);
        }
        network
    }

    /// Starts the server, again if it runs, and waits until it listens.
    fn restart_server(&self) {
        let mut server = self.server.lock().expect("no other");
        // The old one ends first, for both have one port.
        *server = None;
        *server = Some(Running(role(&self.test, "b", "serve").spawn().expect("it starts")));
        let listens = format!(":{PORT:04X} 00000000000000000000000000000000:0000 0A");
        until("the server listens", || {
            let sockets = must("ip netns exec b cat /proc/net/tcp6").stdout;
            String::from_utf8_lossy(&sockets).contains(&listens)
        });
    }

    /// Returns whether the kernel has what the engine can do without, such as XDP; skips the test
    /// if it has not.
    pub fn has(&self, name: &str) -> bool {
        let need = kernel::needs().into_iter().find(|need| need.name == name);
        let missing = need.expect("a need with this name").missing;
        if let Some(why) = &missing {
            skip(&format!("{name}: {why}"));
        }
        missing.is_none()
    }

    /// Starts a guard, and waits until its rules are active.
    pub fn guard(&self, host: &str, value: u8) -> Running {
        let guard = role(&self.test, host, &format!("guard v{host} {value}")).spawn();
        let guard = Running(guard.expect("it starts"));
        until("the guard answers", || self.asked(host).is_some());
        guard
    }

    /// Uploads while the router's exit has an MTU of 1280, then while the client's own interface
    /// has.
    pub fn uploads_on_smaller_paths(&self, length: usize) {
        for address in ADDRESSES {
            must("ip -n r link set rb mtu 1280");
            self.transfers(address, "push", length);
            must("ip -n r link set rb mtu 1500");
            must("ip -n a route flush cache");
            must("ip -n a -6 route flush cache");
        }
        for address in ADDRESSES {
            let mut conversation = self.conversation(address);
            conversation.upload(length);
            must("ip -n a link set va mtu 1280");
            conversation.upload(length);
            must("ip -n a link set va mtu 1500");
        }
    }

    /// Installs a guard inside the kernel.
    pub fn install(&self, host: &str, value: u8) {
        self.install_on(host, &format!("v{host}"), value);
    }

    /// Installs a guard of an interface inside the kernel.
    pub fn install_on(&self, host: &str, interface: &str, value: u8) {
        assert_eq!(self.asked_to_install(host, &format!("{interface} {value}")), "on");
    }

    /// Installs a guard inside the kernel as an init container does: with namespaces of its own,
    /// except the pod's network and the node's BPF file system, which end with it.
    pub fn install_as_container(&self, host: &str, value: u8) {
        let container = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--mount-proc"];
        let text = self.in_network(host, &container, &format!("on v{host} {value}"));
        assert!(text.lines().any(|line| line == "on"), "{text}");
    }

    /// Asks for a guard inside the kernel; returns `on`, or why it was refused.
    pub fn asked_to_install(&self, host: &str, words: &str) -> String {
        let text = self.in_kernel(host, &format!("on {words}"));
        let is_answer = |line: &&str| *line == "on" || line.starts_with("refused: ");
        let answer = text.lines().find(is_answer).expect("an answer").to_string();
        // As operators must where the kernel does not include it.
        if text.contains("restart services") {
            self.restart_server();
        }
        answer
    }

    /// Removes the guard inside the kernel, with the connections that it guards.
    pub fn remove(&self, host: &str) {
        self.in_kernel(host, "off");
    }

    /// Makes a host forget destinations for which a value failed.
    pub fn forget(&self, host: &str) {
        self.in_kernel(host, "forget");
    }

    /// Makes both hosts send packets that routers may fragment.
    pub fn never_asks_for_mtu(&self) {
        for host in ["a", "b"] {
            let set = "echo 1 > /proc/sys/net/ipv4/ip_no_pmtu_disc";
            let words = ["netns", "exec", host, "sh", "-c", set];
            assert!(Command::new("ip").args(words).status().expect("ip runs").success());
        }
    }

    pub fn kernel_status(&self, host: &str) -> kernel::Status {
        let text = self.in_kernel(host, "kernel-status");
        let line = text.lines().find(|line| line.starts_with('{')).expect("a guard");
        serde_json::from_str(line).expect("a status")
    }

    /// Runs a role in a host's network only: `ip netns exec` hides the BPF file system.
    fn in_kernel(&self, host: &str, role: &str) -> String {
        self.in_network(host, &[], role)
    }

    /// As [`Network::in_kernel`], through the program `by`.
    fn in_network(&self, host: &str, by: &[&str], role: &str) -> String {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{host}")).args(by).args(own(&self.test));
        let output = command.env(ROLE, role).output().expect("nsenter runs");
        assert!(output.status.success(), "{role}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn asked(&self, host: &str) -> Option<Status> {
        let output = role(&self.test, host, "status").output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find(|line| line.starts_with('{'))?;
        Some(serde_json::from_str(line).expect("a status"))
    }

    pub fn status(&self, host: &str) -> Status {
        self.asked(host).expect("a running guard")
    }

    /// Starts a client on `a`.
    pub fn client(&self, address: &str, kind: &str, bytes: usize) -> Running {
        self.client_on("a", address, kind, bytes)
    }

    /// Starts a client of an address, which may have a port.
    pub fn client_on(&self, host: &str, address: &str, kind: &str, bytes: usize) -> Running {
        let words = format!("client {address} {kind} {bytes}");
        Running(role(&self.test, host, &words).spawn().expect("it starts"))
    }

    /// Sends so many bytes from `a` to each of the addresses, and gets as many from there.
    pub fn both_ways(&self, addresses: [&str; 2], bytes: usize) {
        for address in addresses {
            self.transfers(address, "push", bytes);
            self.transfers(address, "pull", bytes);
        }
    }

    /// Runs a client on `a` to its end.
    pub fn transfers(&self, address: &str, kind: &str, bytes: usize) {
        let (is_right, text) = self.client(address, kind, bytes).ended();
        let guards = || ["a", "b"].map(|host| self.asked(host).map(|s| (s.counters, s.queues)));
        assert!(is_right, "{kind} {address}: {text}\n{:?}", guards());
    }

    /// Starts the client of a conversation.
    pub fn conversation(&self, address: &str) -> Conversation {
        let mut running = self.client(address, "talk", 0);
        let input = running.0.stdin.take().expect("a pipe");
        let output = BufReader::new(running.0.stdout.take().expect("a pipe"));
        let mut conversation = Conversation { running, input, output };
        conversation.heard("connected").expect("a connection");
        conversation
    }

    /// Number of forged segments of an attack: one for each port, or what the environment says.
    pub fn forged() -> usize {
        let count = std::env::var("RESIDUE_FORGED_SEGMENTS").ok();
        count.map_or(28_232, |count| count.parse().expect("a number of segments"))
    }

    /// Forges segments from the router.
    pub fn forge(&self, words: &str) {
        must(&format!("ip netns exec r python3 {SCRIPTS}/forge.py {words}"));
    }

    /// Transfers in a flood. TCP may give a connection up there, as without a guard, and the next
    /// one works, at last once the flood is over. None waits for so long that the guard sends a SYN
    /// without the option, which it does after 12 seconds without an answer.
    fn transfers_in_a_flood(&self, address: &str) {
        const TRIES: usize = 100;
        let tries = (0..TRIES).find(|_| self.client(address, "brief", 10_000).ended().0);
        assert!(tries.is_some(), "{address}");
    }

    /// Transfers while others forge SYNs with requests, and segments with right check values:
    /// 100,000 of each, 20,000 a second, all to the server's port.
    pub fn flood_of_requests(&self, more: &str) {
        let mut conversation = self.conversation(ADDRESSES[0]);
        conversation.upload(1000);
        // Each guard knows that its peer has one.
        self.transfers(ADDRESSES[1], "push", 1000);
        std::thread::scope(|scope| {
            let words = "10.91.1.2 10.91.2.2 --source-ports 1024-60999 --ports 8080 --count 100000 \
                         --rate 20000";
            let floods = ["--value 5", "--flags 2 --request 5"]
                .map(|kind| scope.spawn(move || self.forge(&format!("{words} {kind} {more}"))));
            while !floods.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                conversation.upload(1000);
                for address in ADDRESSES {
                    self.transfers_in_a_flood(address);
                }
            }
        });
        conversation.upload(1000);
        for address in ADDRESSES {
            self.transfers_in_a_flood(address);
        }
    }

    /// Makes both hosts use TCP Fast Open, and starts a server; with `bare`, it needs no cookies.
    pub fn fast_open(&self, more: &str) -> Running {
        for host in ["a", "b"] {
            let enable = "echo 3 > /proc/sys/net/ipv4/tcp_fastopen";
            let words = ["netns", "exec", host, "sh", "-c", enable];
            assert!(Command::new("ip").args(words).status().expect("ip runs").success());
        }
        let server = self.script("b", &format!("fastopen.py serve {more}"));
        // Without a guard, data come in the SYN once the client has a cookie.
        for address in ADDRESSES {
            until("Fast Open works", || self.requests_in_syns(address, more) == Some(3));
        }
        server
    }

    /// Sends three requests by TCP Fast Open; returns how many were accepted in the SYN. `None`:
    /// something failed.
    pub fn requests_in_syns(&self, address: &str, more: &str) -> Option<usize> {
        let words = format!("fastopen.py ask {address} 3 {more}");
        let (is_right, text) = self.script("a", words.trim()).ended();
        is_right.then(|| text.matches("in the SYN").count())
    }

    /// Makes both hosts open one connection: their first SYNs are lost, and the next ones find the
    /// other end opening, too. Both send and receive.
    pub fn both_open_at_once(&self) {
        for [one, other] in [["10.91.1.2", ADDRESSES[0]], ["fd91:0:0:1::2", ADDRESSES[1]]] {
            let program = if one.contains(':') { "ip6tables" } else { "iptables" };
            let rule =
                |how| must(&format!("ip netns exec r {program} {how} FORWARD -p tcp -j DROP"));
            rule("-A");
            let ends = [("a", other), ("b", one)]
                .map(|(host, peer)| self.script(host, &format!("both.py {peer}")));
            let opens = |host: &str| {
                let sockets =
                    must(&format!("ip netns exec {host} cat /proc/net/tcp /proc/net/tcp6"));
                // The state of a socket: a SYN was sent.
                String::from_utf8_lossy(&sockets.stdout).lines().any(|line| line.contains(" 02 "))
            };
            until("both open", || opens("a") && opens("b"));
            rule("-D");
            for end in ends {
                let (is_right, text) = end.ended();
                assert!(is_right, "{one}: {text}");
            }
        }
    }

    /// Makes the router translate the addresses of `a`, and change the sequence number of one in
    /// eight segments with data, of both directions, with a right checksum.
    pub fn translates_and_changes_numbers(&self) -> Running {
        for program in ["iptables", "ip6tables"] {
            let rule = |words: &str| must(&format!("ip netns exec r {program} {words}"));
            rule("-t nat -A POSTROUTING -o rb -j MASQUERADE");
            rule("-t mangle -A FORWARD -p tcp -j NFQUEUE --queue-num 9 --queue-bypass");
        }
        let router = Running(role(&self.test, "r", "router").spawn().expect("it starts"));
        until("the router has its queue", || {
            let queues = "ip netns exec r cat /proc/net/netfilter/nfnetlink_queue";
            !must(queues).stdout.is_empty()
        });
        router
    }

    /// Transfers in both directions; returns what the wrong ones said.
    pub fn wrong_transfers(&self, bytes: usize) -> Vec<String> {
        let all = ADDRESSES.iter().flat_map(|address| ["push", "pull"].map(|kind| (address, kind)));
        let ended = all.map(|(address, kind)| self.client(address, kind, bytes).ended());
        ended.filter(|(is_right, _)| !is_right).map(|(_, text)| text).collect()
    }

    /// Transfers to addresses that `a` translates, and to a port that `b` does, and then to its
    /// own: six connections.
    pub fn transfers_to_translated(&self, bytes: usize) {
        for (program, [service, target]) in [
            ("iptables", ["10.99.0.1", "10.91.2.2:8081"]),
            ("ip6tables", ["fd99::1", "[fd91:0:0:2::2]:8081"]),
        ] {
            must(&format!(
                "ip netns exec a {program} -t nat -A OUTPUT -p tcp -d {service} -j DNAT \
                 --to-destination {target}"
            ));
            must(&format!(
                "ip netns exec b {program} -t nat -A PREROUTING -p tcp --dport 8081 -j REDIRECT \
                 --to-ports {PORT}"
            ));
            for kind in ["push", "pull"] {
                self.transfers(service, kind, bytes);
            }
        }
        for address in ADDRESSES {
            self.transfers(address, "push", bytes);
        }
    }

    /// Number of short connections beside idle ones.
    pub fn short_connections() -> usize {
        let count = std::env::var("RESIDUE_SHORT_CONNECTIONS").ok();
        count.map_or(4000, |count| count.parse().expect("a number of connections"))
    }

    /// Makes short connections beside idle ones, calls `check`, and uses the idle ones again.
    pub fn idle_beside_short(&self, idle: usize, count: usize, check: impl FnOnce()) {
        let _server = self.script("b", "many.py serve");
        until("it answers", || self.script("a", "many.py ask 10.91.2.2 0 0").ended().0);
        let mut client = self.script("a", &format!("many.py ask 10.91.2.2 {idle} {count}"));
        let mut lines = BufReader::new(client.0.stdout.take().expect("a pipe")).lines();
        let mut said = || lines.next().and_then(Result::ok).unwrap_or_default();
        let word = said();
        if word != "idle" {
            panic!("{word}: {}", client.ended().1);
        }
        check();
        writeln!(client.0.stdin.as_mut().expect("a pipe")).expect("it lives");
        assert_eq!(said(), "used");
    }

    /// Makes connections from `a`, one after another with the same ports; returns whether all were
    /// right.
    pub fn used_again(&self, address: &str, count: usize) -> bool {
        self.script("a", &format!("again.py ask {address} {count}")).ended().0
    }

    /// Starts a script on a host.
    pub fn script(&self, host: &str, words: &str) -> Running {
        let line = format!("netns exec {host} python3 {SCRIPTS}/{words}");
        let mut command = Command::new("ip");
        command.args(line.split(' ')).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().expect("it starts"))
    }
}

/// A client that uploads on request.
pub struct Conversation {
    running: Running,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Conversation {
    fn heard(&mut self, word: &str) -> Result<(), String> {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap_or(0) == 0 {
                return Err(all);
            }
            if line.trim() == word {
                return Ok(());
            }
            all += &line;
        }
    }

    /// Uploads on the same connection, and waits for the answer.
    pub fn upload(&mut self, bytes: usize) {
        writeln!(self.input, "{bytes}").expect("the client lives");
        let result = self.heard("done");
        let mut errors = String::new();
        if result.is_err()
            && let Some(stderr) = self.running.0.stderr.as_mut()
        {
            let _ = stderr.read_to_string(&mut errors);
        }
        assert!(result.is_ok(), "{result:?} {errors}");
    }
}

fn role(test: &str, host: &str, role: &str) -> Command {
    let mut command = Command::new("ip");
    // The test's other threads must not take signals for the guard.
    let block = ["env", "--block-signal=INT,TERM,USR1"];
    command.args(["netns", "exec", host]).args(block).args(own(test)).env(ROLE, role);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
