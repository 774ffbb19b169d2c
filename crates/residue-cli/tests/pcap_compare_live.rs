//! Tests `residue pcap compare` on live traffic: two hosts, and a router between them that
//! translates addresses and damages segments, which tcpdump captures on both of its sides, with
//! segmentation offload on none of them or on one.
//!
//! This needs Linux, iproute2, iptables, tcpdump, ethtool, and root or the right to create user
//! namespaces. The namespaces end with the test.

#![cfg(target_os = "linux")]

use crate::common::hosts::{PORT, ROLE, again, own, unshared};
use crate::common::residue;
use residue_guard::queue::{Judge, Queue, Verdict};
use residue_guard_lab::{Fault, Router};
use residue_testing::{Running, installed, must, until};
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const TEST: &str = "pcap_compare_live::through_a_router";
/// Number of bytes that the server sends in each connection.
const LENGTH: usize = 1 << 21;
/// One of so many segments is damaged.
const ONE_IN: u64 = 20;
const QUEUE: u16 = 1;

#[test]
fn through_a_router() {
    match std::env::var(ROLE).as_deref() {
        Ok("router") => inside(),
        Ok("server") => serve(),
        Ok(_) => fetch(),
        Err(_) => outside(),
    }
}

/// Starts this test again, in new namespaces; as root in a user namespace if that suffices.
fn outside() {
    let tools = ["ip", "iptables", "tcpdump", "ethtool", "unshare"];
    if tools.iter().any(|tool| !installed(tool)) {
        return;
    }
    let rule = format!("iptables -A OUTPUT -p tcp -j NFQUEUE --queue-num {QUEUE}");
    let probe = format!("{rule} && iptables -t nat -A POSTROUTING -j MASQUERADE && tcpdump -D");
    // Where only root may run tcpdump, root in a user namespace may not: the real one comes first.
    let options: [&[&str]; 2] = [&[], &["--user", "--map-root-user"]];
    let works = |it: &&&[&str]| unshared(it, ["sh", "-c", &probe]).status.success();
    let Some(options) = options.iter().find(works) else {
        return residue_testing::skip("no network namespaces");
    };
    again(options, TEST, "router");
}

/// Prepares this test in another role, on a host.
fn on(host: &str, role: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", host]).args(own(TEST, role));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Sends bytes to every client.
fn serve() {
    for stream in TcpListener::bind(("0.0.0.0", PORT)).expect("a port").incoming() {
        let _ = stream.and_then(|mut stream| stream.write_all(&residue_testing::noise(LENGTH)));
    }
}

/// Fetches the bytes, damaged or not.
fn fetch() {
    let mut stream = TcpStream::connect(("10.82.2.2", PORT)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    let mut file = Vec::new();
    stream.read_to_end(&mut file).expect("the file");
    assert_eq!(file.len(), LENGTH);
}

fn hosts() {
    must("mount -t tmpfs none /run");
    fs::write("/proc/sys/net/ipv4/ip_forward", "1").expect("forwarding");
    for (number, host) in [(1, "client"), (2, "server")] {
        for line in [
            format!("ip netns add {host}"),
            format!("ip -n {host} link set lo up"),
            format!("ip link add to-{host} type veth peer name uplink netns {host}"),
            format!("ip addr add 10.82.{number}.1/24 dev to-{host}"),
            format!("ip link set to-{host} up"),
            format!("ip -n {host} addr add 10.82.{number}.2/24 dev uplink"),
            format!("ip -n {host} link set uplink up"),
            format!("ip -n {host} route add default via 10.82.{number}.1"),
            // Segments of the wire, not those of the host, are compared.
            format!("ethtool -K to-{host} tso off gso off gro off"),
            format!("ip netns exec {host} ethtool -K uplink tso off gso off gro off"),
        ] {
            must(&line);
        }
    }
    // A virtual cable to a card that joins segments drops packets once 256 wait, as on a busy
    // machine: no more than half as many are on their way.
    let window = "echo 4096 131072 131072 > /proc/sys/net/ipv4/tcp_rmem";
    let set = Command::new("ip").args(["netns", "exec", "client", "sh", "-c", window]).status();
    assert!(set.expect("ip runs").success());
    must(&format!(
        "iptables -t mangle -A FORWARD -p tcp --sport {PORT} -j NFQUEUE --queue-num {QUEUE} \
         --queue-bypass"
    ));
    must("iptables -t nat -A POSTROUTING -o to-server -j MASQUERADE");
}

/// Captures on a side of the router.
fn tcpdump(host: Option<&str>, side: &str, file: &Path) -> Running {
    // Without delay: what waits in the ring when tcpdump ends is lost. On an interface with offload
    // each place of the ring is for 256 KiB.
    let words = [
        "--immediate-mode",
        "-q",
        "-U",
        "-n",
        "-B",
        "131072",
        "-s",
        "0",
        "-Z",
        "root",
        "-i",
        side,
        "-w",
    ];
    let mut command = match host {
        None => Command::new("tcpdump"),
        Some(host) => {
            let mut command = Command::new("ip");
            command.args(["netns", "exec", host, "tcpdump"]);
            command
        }
    };
    command.args(words).arg(file).arg(format!("tcp port {PORT}"));
    let running = Running(command.stderr(Stdio::null()).spawn().expect("tcpdump starts"));
    until("tcpdump has begun", || fs::metadata(file).is_ok_and(|file| file.len() >= 24));
    running
}

/// A router that also loses segments.
struct Losing {
    router: Router,
    seen: u64,
    lost: u64,
}

/// One of so many packets with data is lost.
const LOST_ONE_IN: u64 = 97;

impl Judge for Losing {
    fn judge(&mut self, queue: u16, packet: &[u8]) -> Verdict<'_> {
        self.seen += u64::from(packet.len() > 200);
        if packet.len() > 200 && self.seen.is_multiple_of(LOST_ONE_IN) {
            self.lost += 1;
            return Verdict::Drop;
        }
        self.router.judge(queue, packet)
    }
}

/// Fetches the file while the router damages and loses segments; returns their numbers.
fn fetched(fault: Fault) -> [u64; 2] {
    let mut queue = Queue::open(&[QUEUE]).expect("a queue");
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let router = scope.spawn(|| {
            let router = Router::new(fault, ONE_IN, 1);
            let mut router = Losing { router, seen: 0, lost: 0 };
            while !ended.load(Ordering::Relaxed) {
                if queue.wait(Duration::from_millis(20)).expect("the queue") {
                    while queue.batch(&mut router).expect("a batch") > 0 {}
                }
            }
            [router.router.damaged, router.lost]
        });
        let status = on("client", "client").status();
        ended.store(true, Ordering::Relaxed);
        let injected = router.join().expect("the router");
        assert!(status.expect("the client").success());
        injected
    })
}

/// Segmentation offload around the captures: what is turned on, where the captures are (hosts and
/// interfaces). On an interface without offload, tcpdump would cut large segments.
struct Offload {
    name: &'static str,
    features: &'static [&'static str],
    points: [(Option<&'static str>, &'static str); 2],
    /// Which capture has large segments.
    large: [bool; 2],
}

const ROUTER: [(Option<&str>, &str); 2] = [(None, "to-server"), (None, "to-client")];

const OFFLOADS: [Offload; 3] = [
    Offload { name: "none", features: &[], points: ROUTER, large: [false; 2] },
    Offload {
        name: "sender",
        features: &["ip netns exec server ethtool -K uplink tso on gso on"],
        points: [(Some("server"), "uplink"), ROUTER[1]],
        large: [true, false],
    },
    Offload {
        name: "receiver",
        features: &[
            "ip netns exec server ethtool -K uplink tso off gso off",
            "ip netns exec client ethtool -K uplink gro on",
            // Without a wait, each packet of a virtual cable is passed on by itself.
            "ip netns exec client sh -c 'echo 10 > /sys/class/net/uplink/napi_defer_hard_irqs'",
            "ip netns exec client sh -c 'echo 500000 > /sys/class/net/uplink/gro_flush_timeout'",
        ],
        points: [ROUTER[0], (Some("client"), "uplink")],
        large: [false, true],
    },
];

fn inside() {
    hosts();
    let server = Running(on("server", "server").spawn().expect("it starts"));
    until("the server listens", || {
        TcpStream::connect_timeout(&([10, 82, 2, 2], PORT).into(), Duration::from_millis(100))
            .is_ok()
    });
    // The rest of that connection is not to be captured.
    std::thread::sleep(Duration::from_millis(300));
    println!("offload    damaged    found  dropped     lost  extra  joined");
    for offload in &OFFLOADS {
        for line in offload.features {
            let ran = Command::new("sh").args(["-c", line]).status().expect("sh runs");
            assert!(ran.success(), "{line}");
        }
        compared(offload);
    }
    drop(server);
}

/// Compares captures of both sides of the router while it damages segments.
fn compared(offload: &Offload) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["server", "client"].map(|side| folder.path().join(format!("{side}.pcap")));
    let start = |point: usize| {
        let (host, side) = offload.points[point];
        tcpdump(host, side, &paths[point])
    };
    let captures = [start(0), start(1)];
    let injected = [Fault::WordSwap, Fault::NatDamage, Fault::BitFlip].map(fetched);
    let damaged = injected.map(|[damaged, _]| damaged);
    let dropped: u64 = injected.iter().map(|[_, lost]| lost).sum();
    assert!(damaged.iter().all(|&damaged| damaged > 50) && dropped > 30, "{injected:?}");
    // The last packets may not be written yet.
    std::thread::sleep(Duration::from_millis(500));
    captures.into_iter().for_each(|capture| drop(capture.end()));

    let ran = residue(
        ["pcap", "compare", "--json"]
            .map(Path::new)
            .into_iter()
            .chain(paths.iter().map(|path| path.as_path())),
    )
    .run();
    let lines: Vec<Value> =
        ran.ends(1).lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let summary = lines.last().expect("a summary");
    let [client, server] = [&summary["toward_after"], &summary["toward_before"]];
    let all: u64 = damaged.iter().sum();
    let joined = &client["resegmented"];
    let (found, lost, extra) = (&client["altered"], &client["lost"], &client["extra"]);
    let name = offload.name;
    println!("{name:<9}  {all:>7}  {found:>7}  {dropped:>7}  {lost:>7}  {extra:>5}  {joined}");
    assert_eq!(client["altered"], all, "{name}: {summary}");
    assert_eq!(server["lost"], 0, "{name}: {summary}");
    // Those at the end of the captures may be on their way, and parts of a large segment in a row
    // are one gap.
    let number = |value: &Value| value.as_u64().expect("a number");
    let missed = number(lost) + number(&summary["before"]["outside"]);
    let whole = *joined == serde_json::json!([0, 0]);
    let is_right = if whole { missed == dropped } else { missed <= dropped };
    assert!(is_right && missed * 3 >= dropped * 2, "{name}: {summary}");
    // A segment sent again for nothing may be lost, too, and nothing is to be repaired.
    let repaired = number(&client["repaired"]);
    assert!(repaired <= number(lost) && repaired * 2 >= number(lost), "{name}: {summary}");
    for direction in [client, server] {
        for none in ["extra", "duplicated"] {
            assert_eq!(direction[none], 0, "{name}: {none}: {summary}");
        }
        // Two CPUs that capture may exchange a few packets, and so may the card that joins them.
        let arrived = number(&direction["matched"]) + number(&direction["resegmented"][1]);
        assert!(number(&direction["reordered"]) * 10 <= arrived, "{name}: {summary}");
        assert!(direction["translated"].as_u64() > Some(0), "{summary}");
        assert_eq!(direction["translated"], direction["matched"], "{summary}");
        assert_eq!(direction["hops"]["1"], direction["matched"], "{summary}");
    }
    assert_eq!(server["altered"], 0, "{summary}");
    let large = [0, 1].map(|point| joined[point].as_u64() < joined[1 - point].as_u64());
    assert_eq!(large, offload.large, "{name}: {summary}");
    // Both captures are by one clock.
    assert!(client["nanoseconds"]["least"].as_i64() >= Some(0), "{name}: {summary}");
    // The first router swaps words, which sometimes differ in one bit only, so that a bit column
    // explains them, too; the second changes a byte, sometimes by one bit.
    let of = |patterns: &[&str], outcome: &str| -> u64 {
        lines
            .iter()
            .filter(|line| line["event"] == "group")
            .filter(|line| patterns.iter().any(|pattern| line["pattern"] == *pattern))
            .filter_map(|line| line["outcomes"][outcome].as_u64())
            .sum()
    };
    if large != [false; 2] {
        // The checksum of a large segment is not that of its parts: what came of it is sometimes
        // not known.
        let any = ["swap", "bit column", "byte", "bit"];
        let outcomes = ["blind", "recomputed", "noticed", "unknown"].map(|it| of(&any, it));
        assert_eq!(outcomes.iter().sum::<u64>(), all, "{name}: {summary}");
        return;
    }
    let swaps = of(&["swap", "bit column"], "blind");
    assert_eq!(swaps, damaged[0], "{name}: {summary}");
    assert_eq!(of(&["byte", "bit"], "recomputed"), damaged[1], "{name}: {summary}");
    assert_eq!(of(&["bit", "bit column", "swap"], "noticed"), damaged[2], "{name}: {summary}");
}
