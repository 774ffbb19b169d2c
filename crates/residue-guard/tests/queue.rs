//! The netfilter queue of the running kernel. Needs Linux, iptables, and a user who may make
//! namespaces; says why it skips.

#![cfg(target_os = "linux")]

use residue_guard::queue::{Judge, Queue, Verdict};
use std::net::UdpSocket;
use std::process::Command;
use std::time::{Duration, Instant};

const INSIDE: &str = "RESIDUE_TEST_INSIDE";

/// Passes data that begin with `p`, replaces those that begin with `r`, drops the rest. Packets are
/// UDP over IPv4 without options.
#[derive(Default)]
struct ByFirstByte {
    buffer: Vec<u8>,
    queues: Vec<u16>,
}

impl Judge for ByFirstByte {
    fn judge(&mut self, queue: u16, packet: &[u8]) -> Verdict<'_> {
        self.queues.push(queue);
        match packet[28] {
            b'p' => Verdict::Accept,
            b'r' => {
                // One byte longer, without a UDP checksum.
                self.buffer = [packet, b"!"].concat();
                let length = packet.len() as u16 + 1;
                self.buffer[2..4].copy_from_slice(&length.to_be_bytes());
                self.buffer[24..26].copy_from_slice(&(length - 20).to_be_bytes());
                self.buffer[26..28].fill(0);
                self.buffer[10..12].fill(0);
                let sum = residue::internet::checksum(&self.buffer[..20]);
                self.buffer[10..12].copy_from_slice(&sum.to_be_bytes());
                Verdict::Replace(&self.buffer)
            }
            _ => Verdict::Drop,
        }
    }
}

fn must(program: &str, words: &str) {
    let output = Command::new(program).args(words.split(' ')).output().expect(program);
    assert!(output.status.success(), "{program} {words}: {output:?}");
}

fn inside() {
    must("ip", "link set lo up");
    must("iptables", "-A OUTPUT -p udp --dport 7001 -j NFQUEUE --queue-num 21 --queue-bypass");
    must("iptables", "-A OUTPUT -p udp --dport 7002 -j NFQUEUE --queue-num 22 --queue-bypass");
    let receiver = [7001, 7002].map(|port| UdpSocket::bind(("127.0.0.1", port)).unwrap());
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let send = |bytes: &[u8], port: u16| sender.send_to(bytes, ("127.0.0.1", port)).unwrap();
    let received = |at: usize| {
        let mut bytes = vec![0; 1 << 16];
        receiver[at].set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let length = receiver[at].recv(&mut bytes).ok()?;
        bytes.truncate(length);
        Some(bytes)
    };
    // Nobody listens: the rule lets it through.
    send(b"early", 7001);
    assert_eq!(received(0).as_deref(), Some(&b"early"[..]));

    let mut queue = Queue::open(&[21, 22]).unwrap();
    let error = Queue::open(&[22]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let mut judge = ByFirstByte::default();
    let long = [b"p", &[7; 60_000][..]].concat();
    let sent: [(&[u8], u16); 5] =
        [(b"pass", 7001), (b"replace", 7001), (b"drop", 7002), (&long, 7001), (b"pass", 7002)];
    for (bytes, port) in sent {
        send(bytes, port);
    }
    let until = Instant::now() + Duration::from_secs(5);
    while judge.queues.len() < sent.len() && Instant::now() < until {
        queue.wait(Duration::from_millis(100)).unwrap();
        queue.batch(&mut judge).unwrap();
    }
    assert_eq!(judge.queues, [21, 21, 22, 21, 22]);
    for expected in [&b"pass"[..], b"replace!", &long] {
        assert!(received(0).as_deref() == Some(expected), "{:?}", &expected[..4]);
    }
    assert_eq!(received(1).as_deref(), Some(&b"pass"[..]));
    assert_eq!([received(0), received(1)], [None, None]);
    assert_eq!(queue.batch(&mut judge).unwrap(), 0);

    // As many bytes in one batch as are sent at once, and more.
    let long = [b"r", &[7; 60_000][..]].concat();
    for bytes in [&long[..], &long, &long, b"pass"] {
        send(bytes, 7001);
    }
    assert_eq!(queue.batch(&mut judge).unwrap(), 4);
    for _ in 0..3 {
        assert_eq!(received(0).map(|bytes| bytes.len()), Some(60_002));
    }
    assert_eq!(received(0).as_deref(), Some(&b"pass"[..]));

    drop(queue);
    send(b"late", 7002);
    assert_eq!(received(1).as_deref(), Some(&b"late"[..]));
}

#[test]
fn packets_are_judged() {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let probe = "iptables -A OUTPUT -p udp -j NFQUEUE --queue-num 1 --queue-bypass";
    let words = ["--user", "--map-root-user", "--net", "--mount", "--"];
    let unshare = |command: &[&str]| {
        let mut run = Command::new("unshare");
        run.args(words).args(command).env(INSIDE, "1").env("XTABLES_LOCKFILE", "/dev/null");
        run.output()
    };
    let probed = unshare(&probe.split(' ').collect::<Vec<_>>());
    match probed {
        Ok(output) if output.status.success() => {}
        other => {
            let why = match other {
                Ok(output) => String::from_utf8_lossy(&output.stderr).trim().replace('\n', " "),
                Err(error) => error.to_string(),
            };
            return residue_testing::skip(&format!("netfilter queue: {why}"));
        }
    }
    let own = std::env::current_exe().unwrap();
    let output = unshare(&[
        own.to_str().unwrap(),
        "--include-ignored",
        "--exact",
        "packets_are_judged",
        "--nocapture",
    ])
    .unwrap();
    let ran = String::from_utf8_lossy(&output.stdout).contains("1 passed");
    assert!(output.status.success() && ran, "{output:?}");
}
