//! Tests `residue pcap watch` on interfaces of a network namespace, beside tcpdump, and its ends.
//!
//! This needs Linux, iproute2, tcpdump, and root or the right to create user namespaces. The
//! namespace ends with the test. `RESIDUE_WATCH_PACKETS=1000000` sends that many packets.

#![cfg(target_os = "linux")]

use crate::common::RESIDUE;
use crate::common::hosts::{ROLE, again, options_for};
use crate::common::metrics::has_all_of_the_examples;
use crate::common::watching::Watch;
use residue_capture::send::Sender;
use residue_net::pcap::{LinkType, Reader};
use residue_testing::{captures, installed, must, until};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Number of packets to send.
const PACKETS: &str = "RESIDUE_WATCH_PACKETS";

#[test]
fn live_packets() {
    if std::env::var_os(ROLE).is_some() { inside() } else { outside() }
}

/// Starts this test again, in a new namespace.
fn outside() {
    if ["ip", "tcpdump", "unshare", "setpriv"].iter().any(|tool| !installed(tool)) {
        return;
    }
    let probe = "ip link add v0 type veth peer name v1 && ip link set v0 up && \
                 tcpdump -Z root -i v0 -w /dev/null";
    // tcpdump waits for a packet.
    match options_for(&format!("{probe} & sleep 0.3; kill -0 $! && kill $!")) {
        Err(why) => residue_testing::skip(&format!("watch in a namespace: {why}")),
        Ok(options) => {
            let text = again(options, "watch::live_packets", "inside");
            let lines = text.lines().filter(|line| line.starts_with("watch: "));
            lines.for_each(|line| println!("{line}"));
        }
    }
}

fn inside() {
    // Namespaces have packets of their own only with addresses.
    let _ = fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    let _ = fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    must("ip link set lo up");
    must("ip link add v0 type veth peer name v1");
    must("ip link set v0 up arp off");
    must("ip link set v1 up arp off");
    let folder = tempfile::tempdir().expect("a folder");
    as_verify_of_a_capture_by_tcpdump(folder.path());
    what_the_kernel_knows();
    tags_are_put_back(folder.path());
    all_interfaces();
    losses_are_counted();
    metrics(folder.path());
    ends(folder.path());
}

/// Waits until this many packets are verified, then interrupts it.
#[track_caller]
fn after(mut watch: Watch, packets: u64) -> (i32, Value, String) {
    let end = Instant::now() + Duration::from_secs(60);
    let mut seen = 0;
    while seen < packets {
        let line = watch.line().expect("it goes on");
        seen = number(&line, "packets") + number(&line["not_verified"], "dropped_by_kernel");
        assert!(Instant::now() < end, "{packets} packets: {line}");
    }
    watch.signal("INT");
    watch.end()
}

#[track_caller]
fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("{name}: {value}"))
}

/// Returns the frames of all captures of the project that an interface can carry.
fn frames() -> Vec<Vec<u8>> {
    let files = fs::read_dir(captures()).expect("captures").filter_map(Result::ok);
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "pcap"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let mut reader = Reader::new(File::open(file).expect("a file")).expect("a capture");
        while let Some(packet) = reader.next().expect("a packet") {
            let whole = packet.bytes.len() == packet.wire_length as usize;
            let fits = (14..=1514).contains(&packet.bytes.len());
            if packet.link == LinkType::ETHERNET && packet.fcs.is_none() && whole && fits {
                all.push(packet.bytes.to_vec());
            }
        }
    }
    assert!(all.len() > 200, "{}", all.len());
    all
}

/// Returns the number of packets that an interface has delivered to its peer. A loaded machine may
/// drop some between the two.
fn delivered(interface: &str) -> u64 {
    let output = must(&format!("ip -s -j link show {interface}"));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    number(&json[0]["stats64"]["tx"], "packets")
}

/// Sends `count` frames, the captures of the project over and over; returns how many have arrived.
fn send(interface: &str, count: usize) -> u64 {
    let before = delivered(interface);
    let frames = frames();
    let sender = Sender::open(interface).expect("a sender");
    let start = Instant::now();
    let mut left = count;
    while left > 0 {
        let some: Vec<&[u8]> = frames.iter().take(left).map(Vec::as_slice).collect();
        sender.send(&some).expect("frames are sent");
        left -= some.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    let arrived = delivered(interface) - before;
    println!(
        "watch: {count} packets sent in {seconds:.2} s, {:.0}/s, {arrived} arrived",
        count as f64 / seconds
    );
    assert!(arrived > count as u64 / 2 && arrived <= count as u64);
    arrived
}

/// Starts tcpdump, which writes `count` packets to a file. It would leave out packets that wait in
/// its own ring if it were interrupted.
fn tcpdump(interface: &str, count: usize, file: &Path) -> Child {
    let out = File::create(file).expect("a file");
    let mut command = Command::new("tcpdump");
    command.args(["-Z", "root", "-B", "524288", "-s", "0", "-w", "-", "-i", interface]);
    command.args(["-c", &count.to_string()]);
    let mut child = command.stdout(out).stderr(Stdio::piped()).spawn().expect("tcpdump starts");
    let mut line = String::new();
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    while !line.contains("listening on") {
        line.clear();
        assert_ne!(err.read_line(&mut line).expect("text"), 0, "tcpdump ends");
    }
    // Few lines follow, which fit into the pipe.
    child.stderr = Some(err.into_inner());
    child
}

/// Waits for the end of tcpdump, which must not have lost packets.
fn ended(mut tcpdump: Child) {
    let end = Instant::now() + Duration::from_secs(10);
    while tcpdump.try_wait().expect("a state").is_none() {
        if Instant::now() > end {
            must(&format!("kill -INT {}", tcpdump.id()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut text = String::new();
    tcpdump.stderr.take().expect("a pipe").read_to_string(&mut text).expect("text");
    assert!(text.contains("\n0 packets dropped by kernel"), "{text}");
}

fn verified(file: &Path) -> Value {
    let ran =
        crate::common::residue(["pcap", "verify", "--json", &file.display().to_string()]).run();
    ran.json()
}

/// The counts equal those of `verify` over the same packets, captured by tcpdump, except that sums
/// of pseudo-headers on the wire are bad.
fn as_verify_of_a_capture_by_tcpdump(folder: &Path) {
    let count = std::env::var(PACKETS).map_or(20_000, |count| count.parse().expect("a number"));
    let (file, damaged) = (folder.join("tcpdump.pcap"), folder.join("damaged.pcapng"));
    let buffer = if count > 100_000 { 512 } else { 64 };
    let words = format!("-i v1 --promiscuous --buffer {buffer} -w {}", damaged.display());
    let watch = Watch::start(&words);
    let tcpdump = tcpdump("v1", count, &file);
    let arrived = send("v0", count);
    let (code, live, err) = after(watch, arrived);
    ended(tcpdump);
    let stored = verified(&file);
    println!(
        "watch: {} packets, {} in the capture of tcpdump; not verified: {}",
        live["packets"], stored["packets"], live["not_verified"]
    );
    assert_eq!((code, err.as_str(), &live["ended"]), (1, "", &Value::from("signal")));
    assert_eq!(number(&live, "packets"), arrived);
    assert_eq!(live["packets"], stored["packets"]);
    assert_eq!(live["not_followed"], stored["not_followed"]);
    let protocols = stored["protocols"].as_object().expect("protocols");
    assert_eq!(live["protocols"].as_object().map(|all| all.len()), Some(protocols.len()));
    for (name, stored) in protocols {
        let (mut stored, live) = (stored.clone(), &live["protocols"][name]);
        stored["bad"] = (number(&stored, "bad") + number(&stored, "offloaded")).into();
        stored["offloaded"] = 0.into();
        assert_eq!(&stored, live, "{name}");
    }
    // Zero headers of IPv4 are no such sums.
    let sums = number(&stored["total"], "offloaded") - number(&protocols["ip"], "offloaded");
    assert!(sums > 0, "{stored}");
    assert_eq!(number(&live, "never_completed"), sums);

    // The written packets are those with damage, and hold a comment each.
    let written = verified(&damaged);
    assert_eq!(live["written"], live["wrong_packets"]);
    assert_eq!(written["packets"], live["written"]);
    let bytes = fs::read(&damaged).expect("a file");
    assert!(bytes.windows(12).any(|part| part == b", should be "), "no comment");

    // By a pipe, and from the file, the counts equal without exception.
    let file = file.display().to_string();
    let ran = crate::common::residue(["pcap", "watch", "--json", &file]).run();
    let last: Value = serde_json::from_str(ran.ends(1).lines().last().expect("a line")).unwrap();
    for part in ["packets", "total", "protocols", "causes", "senders", "flows"] {
        let top = |value: &Value| value[part].as_array().map(|all| all[..5].to_vec());
        match top(&stored) {
            Some(rows) => assert_eq!(Some(rows), top(&last), "{part}"),
            None => assert_eq!(stored[part], last[part], "{part}"),
        }
    }
}

/// Packets that this host sends are offloaded by the kernel's word, and good once they are whole.
fn what_the_kernel_knows() {
    must("ip link set lo mtu 1500");
    let watch = Watch::start("-i lo");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    // Somebody has to listen, or there are answers.
    let listener = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let to = listener.local_addr().expect("an address");
    for _ in 0..100 {
        socket.send_to(&[7; 300], to).expect("it is sent");
    }
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let to = server.local_addr().expect("an address");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        server.accept().expect("a connection").0.read_to_end(&mut bytes).expect("bytes");
        bytes.len()
    });
    TcpStream::connect(to).expect("a connection").write_all(&vec![1; 1 << 20]).expect("room");
    assert_eq!(reader.join().expect("it reads"), 1 << 20);
    let (code, last, err) = after(watch, 101);
    assert_eq!((code, err.as_str()), (0, ""), "{last}");
    let udp = &last["protocols"]["udp"];
    assert_eq!((number(udp, "offloaded"), number(udp, "bad")), (100, 0), "{last}");
    assert!(number(&last["protocols"]["tcp"], "offloaded") > 10, "{last}");
    assert_eq!((number(&last["total"], "bad"), number(&last, "never_completed")), (0, 0));
    assert_eq!(number(&last, "to_complete"), number(&last["total"], "offloaded"));
    // A megabyte goes in parts longer than the MTU.
    assert!(number(&last, "merged_packets") > 0, "{last}");
    must("ip link set lo mtu 65536");
}

/// The kernel removes VLAN tags on receipt; the frames have them again.
fn tags_are_put_back(folder: &Path) {
    let plain = frames().into_iter().find(|frame| frame[12..14] == [8, 0] && frame.len() > 60);
    let mut plain = plain.expect("a frame of IPv4");
    // The header's checksum.
    plain[24] ^= 0x55;
    let tags: [&[u8]; 4] =
        [&[], &[0x81, 0, 0x60, 5], &[0x88, 0xa8, 0, 7], &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 5]];
    let tagged: Vec<Vec<u8>> =
        tags.iter().map(|tag| [&plain[..12], tag, &plain[12..]].concat()).collect();
    let file = folder.join("tagged.pcapng");
    let watch = Watch::start(&format!("-i v1 --write {} --count 4", file.display()));
    let sender = Sender::open("v0").expect("a sender");
    let all: Vec<&[u8]> = tagged.iter().map(Vec::as_slice).collect();
    sender.send(&all).expect("frames are sent");
    let (code, last, _) = watch.end();
    assert_eq!((code, number(&last, "packets"), &last["ended"]), (1, 4, &Value::from("count")));
    let mut reader = Reader::new(File::open(&file).expect("a file")).expect("a capture");
    for frame in &tagged {
        let packet = reader.next().expect("a packet").expect("a packet");
        assert_eq!(packet.bytes, frame);
        assert_eq!(packet.wire_length as usize, frame.len());
        assert!(packet.time.is_some_and(|time| time > 1_700_000_000_000_000_000));
    }
    assert!(reader.next().expect("the end").is_none());
}

/// `any` sees packets of several kinds of interfaces.
fn all_interfaces() {
    let watch = Watch::start("-i any");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    for _ in 0..10 {
        socket.send_to(b"abc", socket.local_addr().expect("an address")).expect("it is sent");
    }
    let frame = frames().into_iter().find(|frame| frame[12..14] == [8, 0]).expect("a frame");
    let tagged = [&frame[..12], &[0x81, 0, 0, 9], &frame[12..]].concat();
    Sender::open("v0").expect("a sender").send(&[&frame, &tagged]).expect("frames are sent");
    // Once on lo; on the cable only at its end, as the sender goes past captures of its own.
    let (_, last, err) = after(watch, 12);
    assert_eq!((number(&last, "packets"), err.as_str()), (12, ""), "{last}");
    assert_eq!(number(&last["protocols"]["ip"], "good"), 12, "{last}");
}

/// While the program does not run, the kernel drops what the ring cannot hold; then the program
/// passes over some of it. Every packet is verified or counted as not verified.
fn losses_are_counted() {
    let count = 60_000;
    let watch = Watch::start("-i v1 --buffer 4 --every 1");
    watch.signal("STOP");
    let arrived = send("v0", count);
    watch.signal("CONT");
    std::thread::sleep(Duration::from_millis(300));
    watch.signal("TERM");
    let (_, last, _) = watch.end();
    let lost = &last["not_verified"];
    let (dropped, passed_over) = (number(lost, "dropped_by_kernel"), number(lost, "passed_over"));
    println!("watch: {} verified, not verified: {lost}", last["packets"]);
    assert!(dropped > 0 && passed_over > 0, "{last}");
    assert_eq!(number(&last, "packets") + dropped + passed_over, arrived, "{last}");
}

/// Metrics in a file, and over HTTP.
fn metrics(folder: &Path) {
    let file = folder.join("residue.prom");
    let watch = Watch::start(&format!("-i v1 --prometheus {}", file.display()));
    let server = Watch::start("-i v1 --prometheus 127.0.0.1:9470");
    let line = format!("residue_watch_packets_total{{source=\"v1\"}} {}", send("v0", 900));
    let has = |text: &str| text.lines().any(|each| each == line);
    until("the file is replaced", || has(&fs::read_to_string(&file).unwrap_or_default()));
    until("the server answers", || has(&get("/metrics")));
    let text = get("/");
    for line in [
        "# TYPE residue_watch_check_values_total counter",
        "residue_watch_packets_not_verified_total{source=\"v1\",why=\"dropped_by_kernel\"} 0",
    ] {
        assert!(text.lines().any(|each| each == line), "{line}: {text}");
    }
    has_all_of_the_examples(&text, "residue_watch_");
    let start = "residue_watch_check_values_total{source=\"v1\",protocol=\"tcp\",verdict=\"bad\"} ";
    assert!(text.lines().any(|line| line.starts_with(start)), "{text}");
    assert!(get("/other").starts_with("HTTP/1.1 404 "));
    // The address is in use, and a folder is no file.
    for (target, why) in [("127.0.0.1:9470", "cannot listen on 127.0.0.1:9470"), ("/", "/")] {
        let (code, _, err) = Watch::spawn(&format!("-i v1 --prometheus {target}")).end();
        assert!(code == 2 && err.contains(why), "{target}: {code} {err}");
    }
    for watch in [watch, server] {
        watch.signal("INT");
        assert_eq!(watch.end().0, 1);
    }
}

fn get(path: &str) -> String {
    let mut stream = TcpStream::connect("127.0.0.1:9470").expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").expect("a request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    text.replace('\r', "")
}

/// Every end prints the counts, and says why if it is an error.
fn ends(folder: &Path) {
    let file = folder.join("ends.pcapng");
    for signal in ["INT", "TERM", "HUP"] {
        let _ = fs::remove_file(&file);
        let watch = Watch::start(&format!("-i v1 -w {}", file.display()));
        let arrived = send("v0", 500);
        std::thread::sleep(Duration::from_millis(100));
        watch.signal(signal);
        let (code, last, err) = watch.end();
        assert_eq!((code, err.as_str(), &last["ended"]), (1, "", &Value::from("signal")));
        assert_eq!(number(&last, "packets"), arrived);
        assert_eq!(verified(&file)["packets"], last["wrong_packets"]);
    }
    let (code, last, _) = Watch::start("-i lo --duration 1").end();
    assert_eq!((code, &last["ended"]), (0, &Value::from("duration")));
    assert!(last["seconds"].as_f64() >= Some(1.0), "{last}");

    for (change, why) in [
        ("ip link set w1 down", "interface `w1` is down"),
        ("ip link del w0", "interface `w1` is gone"),
    ] {
        must("ip link add w0 type veth peer name w1");
        must("ip link set w0 up");
        must("ip link set w1 up");
        let watch = Watch::start("-i w1");
        let arrived = send("w0", 300);
        must(change);
        let (code, last, err) = watch.end();
        assert!(code == 2 && err.contains(why), "{change}: {code} {err}");
        assert_eq!((number(&last, "packets"), &last["ended"]), (arrived, &Value::from("error")));
        if change.contains("down") {
            let (code, _, err) = Watch::spawn("-i w1").end();
            assert!(code == 2 && err.contains("ip link set w1 up"), "{err}");
            must("ip link del w0");
        }
    }
    let (code, _, err) = Watch::spawn("-i w1").end();
    assert!(code == 2 && err.contains("no interface `w1`; there are lo, "), "{err}");
    for name in ["v0", "v1", "any"] {
        assert!(err.contains(name), "{err}");
    }

    let words = ["--bounding-set=-net_raw", "--inh-caps=-net_raw", "--", RESIDUE, "pcap", "watch"];
    let output = Command::new("setpriv").args(words).args(["-i", "lo"]).output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && err.contains("CAP_NET_RAW"), "{err}");
}
