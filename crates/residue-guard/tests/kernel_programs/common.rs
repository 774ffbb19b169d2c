//! Packets of the golden connections, engines at their ends, and the programs.

use residue_guard::kernel::layout::{AGREED, Config as KernelConfig, Connection, Key, VERSION};
use residue_guard::kernel::trial::Trial;
use residue_guard::negotiate::GREATEST;
use residue_guard::{Action, Config, Engine, Reason};
use residue_net::wire::tcp_checksum_option::Layout;
pub use residue_testing::Random;
use residue_testing::Running;
use std::io::{BufRead as _, BufReader};
use std::ops::Deref;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// An Ethernet header of 14 bytes without its type.
const ADDRESSES: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
/// Offset of the checksum field in the TCP header.
const CHECKSUM: usize = 16;

/// A segment as its kernel sends it, and as it goes over the network.
pub struct Line {
    pub name: String,
    pub sent: Vec<u8>,
    pub wire: Vec<u8>,
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
    (0..hexadecimal.len()).step_by(2).map(digits).collect()
}

/// The segments of a connection in `golden.txt`.
pub fn golden(version: u8, value: u8) -> Vec<Line> {
    let start = format!("{version} {value} ");
    let lines = include_str!("../golden.txt").lines().filter_map(|line| line.strip_prefix(&start));
    lines
        .map(|line| {
            let [name, sent, wire, _] =
                line.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
            Line { name: name.to_string(), sent: bytes(sent), wire: bytes(wire) }
        })
        .collect()
}

/// Calls `test` with the programs for each value; skips without them.
pub fn each_value(mut test: impl FnMut(u8, &Trial)) {
    for value in 1..=GREATEST {
        let Some(trial) = trial(value, 0) else { return };
        test(value, &trial);
    }
}

/// Programs that no test uses at the moment, kept because the kernel takes long to verify them.
static IDLE: Mutex<Vec<Trial>> = Mutex::new(Vec::new());

/// Programs that a test uses.
pub struct Lent(Option<Trial>);

impl Deref for Lent {
    type Target = Trial;
    fn deref(&self) -> &Trial {
        self.0.as_ref().expect("until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.0.take());
    }
}

/// The programs with this value, or `None` to skip the test.
pub fn trial(value: u8, flags: u32) -> Option<Lent> {
    let config = KernelConfig {
        version: VERSION,
        value,
        instead: 5,
        tries: 2,
        flags,
        failed_time: 600_000_000_000,
        ..KernelConfig::default()
    };
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let ready = match idle {
        Some(trial) => trial.begin(&config).map(|()| trial),
        None => Trial::new(&config),
    };
    match ready {
        Ok(trial) => {
            // Set where it is known whether the module bpf_crc32c is loaded.
            if let Ok(expected) = std::env::var("RESIDUE_KERNEL_CRC") {
                assert_eq!(trial.calls_kernel_crc(), expected == "1", "module bpf_crc32c");
            }
            Some(Lent(Some(trial)))
        }
        Err(error) => {
            residue_testing::skip(&format!("programs in the kernel: {error}"));
            None
        }
    }
}

/// Offset of the TCP header in a packet of `golden.txt`.
pub fn start(packet: &[u8]) -> usize {
    if packet[0] >> 4 == 4 { 20 } else { 40 }
}

/// The key of a packet's connection, at its sender or its receiver.
pub fn key(packet: &[u8], is_sender: bool) -> Key {
    let address = |at: usize| {
        let mut address = [0; 16];
        if packet[0] >> 4 == 4 {
            address[10..12].fill(0xff);
            address[12..].copy_from_slice(&packet[12 + at * 4..16 + at * 4]);
        } else {
            address.copy_from_slice(&packet[8 + at * 16..24 + at * 16]);
        }
        address
    };
    let port = |at: usize| {
        let at = start(packet) + at * 2;
        u16::from_ne_bytes([packet[at], packet[at + 1]])
    };
    let [local, remote] = if is_sender { [0, 1] } else { [1, 0] };
    Key {
        local: address(local),
        remote: address(remote),
        local_port: port(local),
        remote_port: port(remote),
    }
}

pub fn agreed(value: u8) -> Connection {
    Connection { phase: AGREED, value, proven: 1, ..Connection::default() }
}

/// A frame with `tags` VLAN tags.
pub fn frame(packet: &[u8], tags: usize, to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(&ADDRESSES);
    for tag in 0..tags {
        to.extend_from_slice(if tag + 1 < tags { &[0x88, 0xa8, 0, 7] } else { &[0x81, 0, 0, 9] });
    }
    let is_ipv4 = packet.first().is_some_and(|byte| byte >> 4 == 4);
    to.extend_from_slice(if is_ipv4 { &[8, 0] } else { &[0x86, 0xdd] });
    to.extend_from_slice(packet);
}

/// Writes the ordinary checksum of a segment without extension headers.
pub fn complete(packet: &mut [u8]) {
    let start = start(packet);
    let length = packet.len() - start;
    packet[start + CHECKSUM..start + CHECKSUM + 2].fill(0);
    let mut sum = residue::internet::Checksum::new();
    sum.update(&packet[start - if start == 20 { 8 } else { 32 }..start]);
    sum.update(&[0, 6]);
    sum.update(&(length as u16).to_be_bytes());
    sum.update(&packet[start..]);
    packet[start + CHECKSUM..start + CHECKSUM + 2].copy_from_slice(&sum.value().to_be_bytes());
}

/// Puts `with` in place of the option's data of a segment whose option comes first.
pub fn with_data(packet: &[u8], with: [u8; 4]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let at = start(&packet) + 20;
    assert_eq!(packet[at..at + 2], [15, 6]);
    packet[at + 2..at + 6].copy_from_slice(&with);
    complete(&mut packet);
    packet
}

/// Returns whether a value leaves the checksum field as ever.
pub fn keeps_checksum(value: u8) -> bool {
    Layout::of(value).expect("a value").keeps_checksum
}

/// A segment as the kernel sends it, and as it gets it from XDP: with the value in place of its
/// check value in the option, if there is one, and the Internet checksum.
pub fn placed(packet: &[u8], value: u8) -> Vec<u8> {
    if keeps_checksum(value) {
        return with_data(packet, [0, 0, 0, value]);
    }
    let mut packet = packet.to_vec();
    if value > 1 {
        let at = start(&packet) + 20;
        packet[at..at + 4].copy_from_slice(&[15, 4, 0, value]);
    }
    complete(&mut packet);
    packet
}

/// A segment with a wrong check value in its option, or in the checksum field, and otherwise right.
pub fn spoilt(packet: &[u8], value: u8) -> Vec<u8> {
    if keeps_checksum(value) {
        return with_data(packet, [1, 2, 3, 4]);
    }
    let mut packet = packet.to_vec();
    let at = start(&packet) + CHECKSUM;
    packet[at] ^= 0x55;
    packet
}

/// Runs `inside` in a network namespace where somebody listens at the server's port of the golden
/// connections, and has sockets connected to these peers (`ADDRESS PORT`).
pub fn with_sockets(test: &str, peers: &[&str], inside: fn()) {
    const INSIDE: &str = "RESIDUE_TEST_INSIDE";
    const SCRIPT: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernel_programs/established.py");
    if std::env::var_os(INSIDE).is_some() {
        let mut sockets = std::process::Command::new("python3");
        sockets.arg(SCRIPT).args(peers.iter().flat_map(|peer| peer.split(' ')));
        sockets.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut sockets = Running(sockets.spawn().expect("python3 runs"));
        let mut line = String::new();
        let output = sockets.0.stdout.as_mut().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("an answer");
        assert_eq!(line, "ready\n");
        return inside();
    }
    if trial(5, 0).is_none() {
        return;
    }
    let mut again = std::process::Command::new("unshare");
    again.arg("--net").arg(std::env::current_exe().expect("a path")).env(INSIDE, "1");
    let output = again
        .args(["--include-ignored", "--exact", test, "--nocapture"])
        .output()
        .expect("unshare runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text} {output:?}");
}

/// Engines at both ends of a golden connection, after the handshake.
pub fn engines(value: u8, lines: &[Line]) -> [Engine; 2] {
    let mut ends = [(); 2].map(|()| Engine::new(Config::offering(value, 5)));
    for line in &lines[..3] {
        let [opener, answerer] = &mut ends;
        let back = line.name == "syn-ack";
        let (from, to) = if back { (answerer, opener) } else { (opener, answerer) };
        from.egress(&line.sent, Duration::ZERO);
        to.ingress(&line.wire, Duration::ZERO);
    }
    ends
}

/// Engines that are made anew after a segment that may change their connection.
pub struct Ends<'a> {
    value: u8,
    lines: &'a [Line],
    engines: [Engine; 2],
    pub are_fresh: bool,
}

impl Ends<'_> {
    pub fn new(value: u8, lines: &[Line]) -> Ends<'_> {
        Ends { value, lines, engines: engines(value, lines), are_fresh: true }
    }

    pub fn get(&mut self) -> &mut [Engine; 2] {
        if !self.are_fresh {
            self.engines = engines(self.value, self.lines);
        }
        self.are_fresh = false;
        &mut self.engines
    }
}

/// Number of damaged segments of each value and program: a million in all.
pub fn segments() -> usize {
    let count = std::env::var("RESIDUE_KERNEL_SEGMENTS").ok();
    count.map_or(72_000, |count| count.parse().expect("a number of segments"))
}

/// Verdict of the engine, with the counter for the reason.
pub fn verdict(action: Action<'_>) -> Option<Reason> {
    match action {
        Action::Drop(reason) => Some(reason),
        Action::Pass | Action::Replace(_) => None,
    }
}

/// A segment as the opener's kernel sends it, with random data.
pub fn plain(random: &mut Random, line: &Line) -> Vec<u8> {
    let mut sent = line.sent.clone();
    let start = start(&sent);
    let header = start + usize::from(sent[start + 12] >> 4) * 4;
    sent.truncate(header);
    let length = [0, 1, 5, 100, 447, 448, 536, 1000, 1448][random.below(9)];
    sent.extend((0..length).map(|_| random.next() as u8));
    let said = if start == 20 { sent.len() } else { sent.len() - 40 } as u16;
    let at = if start == 20 { 2 } else { 4 };
    sent[at..at + 2].copy_from_slice(&said.to_be_bytes());
    complete(&mut sent);
    sent
}

/// A segment as the answerer of a golden connection gets it, right by the value.
pub fn right(random: &mut Random, opener: &mut Engine, line: &Line) -> Vec<u8> {
    match opener.egress(&plain(random, line), Duration::ZERO) {
        Action::Replace(bytes) => bytes.to_vec(),
        other => panic!("{other:?}"),
    }
}
