//! Tests the guard on hosts: two connected network namespaces.
//!
//! This needs Linux, iproute2, iptables, dumpcap, tshark, and root or the right to create user
//! namespaces; the demonstration also needs curl and Python. The namespaces end with the test.

#![cfg(target_os = "linux")]

use crate::common::RESIDUE;
use crate::common::hosts::{self, QUEUE, ROLE, V4, V6, command, guard, options_for, own, start};
use residue_testing::{Running, installed, until};
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const TEST: &str = "guard::guarded_hosts";
const LENGTH: usize = 1 << 20;

#[test]
fn guarded_hosts() {
    match std::env::var(ROLE) {
        Ok(role) if role == "inside" => inside(),
        Ok(role) if role == "serve" => hosts::serve(LENGTH),
        Ok(role) => fetch(&role),
        Err(_) => outside(),
    }
}

/// Returns the options of `unshare` to run the guard in namespaces, or `None` to skip the test.
fn namespaces(tools: &[&str], probe: &str) -> Option<&'static [&'static str]> {
    if tools.iter().any(|tool| !installed(tool)) {
        return None;
    }
    options_for(probe).map_err(|why| residue_testing::skip(&format!("the guard: {why}"))).ok()
}

/// Starts this test again, in new namespaces.
fn outside() {
    // Where only root may run dumpcap, root in a user namespace may not.
    let tools = ["ip", "iptables", "ip6tables", "dumpcap", "tshark", "unshare"];
    let Some(options) = namespaces(&tools, &format!("{QUEUE} && dumpcap -v")) else { return };
    hosts::again(options, TEST, "inside");
}

fn can_demonstrate() -> bool {
    let tools = ["ip", "iptables", "ip6tables", "unshare", "curl", "python3", "sha256sum"];
    namespaces(&tools, QUEUE).is_some()
}

#[test]
fn demo() {
    if !can_demonstrate() {
        return;
    }
    let words = "guard demo --case swap,strip,kill --engine queue --value 4 --ip 6 --segments 300 \
                 --one-in 10";
    let ran = crate::common::typed(words).args(["--json"]).run();
    ran.ends(0);
    let json = ran.json();
    let cases = json["cases"].as_array().expect("cases");
    let [plain, guarded, strip, kill] = &cases[..] else { panic!("{json}") };
    let number = |row: &Value, name: &str| row[name].as_u64();

    assert!(number(plain, "wrong") > Some(0) && plain["sha256"] != json["sha256"], "{plain}");
    assert!(plain["agreed"].is_null() && plain["caught"].is_null(), "{plain}");
    for row in [guarded, strip, kill] {
        assert!(number(row, "wrong") == Some(0) && row["sha256"] == json["sha256"], "{row}");
        assert!(row["failure"].is_null() && row["seconds"].as_f64() > Some(0.0), "{row}");
    }
    assert!(number(guarded, "segments") >= Some(300) && number(guarded, "agreed") == Some(4));
    assert!(number(guarded, "damaged") >= Some(30), "{guarded}");
    assert_eq!(guarded["caught"], guarded["damaged"]);
    assert!(guarded["cpu_time"][0].as_f64() > Some(0.0), "{guarded}");
    assert!(number(strip, "damaged") > Some(0) && number(strip, "agreed") == Some(0), "{strip}");
    assert!(number(kill, "agreed") == Some(0), "{kill}");
}

/// Demonstrates guards in the kernel, at both ends and at one.
#[test]
fn demo_in_the_kernel() {
    if !can_demonstrate() {
        return;
    }
    let words = "guard demo --case swap,strip,kill --engine mixed,kernel --value 5 --ip 4,6 \
                 --segments 3000 --one-in 10";
    let ran = crate::common::typed(words).args(["--json"]).run();
    let why = "the kernel engine cannot run here";
    if ran.err.contains(why) {
        return residue_testing::skip(&format!("the guard: {}", ran.err));
    }
    ran.ends(0);
    let json = ran.json();
    let cases = json["cases"].as_array().expect("cases");
    // Two plain transfers; then for each version of IP: mixed twice, and in the kernel three times.
    assert_eq!(cases.len(), 2 + 2 * (2 + 3), "{json}");
    for row in cases.iter().filter(|row| !row["value"].is_null()) {
        assert!(row["failure"].is_null() && row["wrong"] == 0, "{row}");
        assert!(row["case"] == "strip" || row["damaged"].as_u64() >= Some(300), "{row}");
        assert_eq!(row["agreed"], if row["case"] == "strip" { 0 } else { 5 }, "{row}");
    }
}

/// Changed sequence numbers behind a NAT: with value 7, in every engine that works here.
#[test]
#[ignore = "long"]
fn demo_of_changed_sequence_numbers() {
    if !can_demonstrate() {
        return;
    }
    let words = "guard demo --case sequence --value 4,7 --segments 1000 --json";
    let ran = crate::common::typed(words).run();
    ran.ends(0);
    let json = ran.json();
    let cases = json["cases"].as_array().expect("cases");
    let (plain, guarded): (Vec<_>, Vec<_>) = cases.iter().partition(|row| row["value"].is_null());
    assert!(plain.len() == 2 && plain.iter().all(|row| row["wrong"].as_u64() > Some(0)), "{json}");
    assert!(guarded.len() == 2 || guarded.len() == 6, "{json}");
    for row in guarded {
        assert!(row["value"] == 7 && row["agreed"] == 7 && row["wrong"] == 0, "{row}");
        assert!(row["damaged"].as_u64() >= Some(100) && row["caught"] == row["damaged"], "{row}");
    }
}

/// Swapped words may leave sums as they are. All other damaged segments are caught, and no others
/// are delivered damaged.
#[test]
#[ignore = "long"]
fn demo_of_sums() {
    if !can_demonstrate() {
        return;
    }
    let words = "guard demo --case swap --value 1,2 --ip 4 --segments 6000 --json";
    let ran = crate::common::typed(words).run();
    ran.ends(0);
    let json = ran.json();
    let cases = json["cases"].as_array().expect("cases").iter();
    let guarded: Vec<&Value> = cases.filter(|row| !row["value"].is_null()).collect();
    assert!(guarded.len() == 2 || guarded.len() == 6, "{json}");
    for row in guarded {
        let number = |name: &str| row[name].as_u64().expect(name);
        assert!(row["failure"].is_null() && row["agreed"] == row["value"], "{row}");
        assert!(number("damaged") >= 600, "{row}");
        assert_eq!(number("caught") + number("undetectable"), number("damaged"), "{row}");
        // A swap changes four bytes at most.
        assert!(number("wrong") <= 4 * number("undetectable"), "{row}");
        assert_eq!(row["sha256"] == json["sha256"], number("undetectable") == 0, "{row}");
    }
}

/// A demonstration killed half-way leaves no process, and therefore no namespace.
#[test]
fn demo_leaves_nothing_behind() {
    if !can_demonstrate() {
        return;
    }
    // A number that no other process has in its arguments.
    let mark = (4_000_000_000 + u64::from(std::process::id())).to_string();
    let words = ["guard", "demo", "--case", "swap", "--one-in", &mark];
    let mut command = Command::new(RESIDUE);
    let command = command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
    let running = Running(command.stderr(Stdio::null()).spawn().expect("it starts"));
    let processes = |words: &[&str]| {
        let all = std::fs::read_dir("/proc").expect("/proc").filter_map(Result::ok);
        let lines = all.filter_map(|each| std::fs::read(each.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.filter(|line| words.iter().all(|word| line.contains(word))).count()
    };
    until("it has begun", || processes(&[&mark, "--inside"]) >= 2);
    // Long enough for some of the hosts to exist.
    std::thread::sleep(Duration::from_millis(300));
    drop(running);
    until("all its processes have ended", || processes(&[&mark]) == 0);
}

fn fetch(address: &str) {
    let mut file = Vec::new();
    hosts::connect(address).read_to_end(&mut file).expect("the file");
    assert!(file == residue_testing::noise(LENGTH), "the file arrives");
}

fn status(host: &str) -> Option<Value> {
    let (code, out, _) = guard(host, "status --json");
    (code == 0).then(|| serde_json::from_str(&out).expect("JSON"))
}

fn guarding(host: &str, words: &str) -> Running {
    let interface = format!("v{host}");
    let words = ["guard", "run", "--engine", "queue", "--interface", &interface]
        .into_iter()
        .chain(words.split(' '));
    let guard = start(host, &[RESIDUE].into_iter().chain(words).collect::<Vec<_>>());
    until("the guard answers", || status(host).is_some());
    guard
}

/// Returns whether rules of a guard are installed, by nft or iptables.
fn has_rules(host: &str) -> bool {
    ["iptables-save", "ip6tables-save", "nft list ruleset"].iter().any(|list| {
        let words: Vec<&str> = list.split(' ').collect();
        let output = command(host, &words).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).to_lowercase());
        text.is_ok_and(|text| text.contains("residue-guard") || text.contains("residue_guard"))
    })
}

fn fetched(address: &str) {
    let output = command("a", &own(TEST, address)).output().expect("it runs");
    assert!(output.status.success(), "{address}: {output:?}");
}

fn inside() {
    hosts::hosts();
    let _server = start("b", &own(TEST, "serve"));
    until("the server listens", || {
        command("a", &own(TEST, V4)).output().is_ok_and(|output| output.status.success())
    });

    let (code, out, err) = guard("a", "check --interface va");
    assert!(code == 0 && out.contains("NAT no: value 5\n"), "{out}{err}");
    let a = guarding("a", "--ports 8080");
    let b = guarding("b", "--ports 8000-8080 --value 5 --policy require");
    let (code, _, err) = guard("b", "run --interface vb");
    assert!(code == 2 && err.contains("guards `vb` by the queue engine"), "{err}");
    let (code, _, err) = guard("b", "clean");
    assert!(code == 2 && err.contains("guards `vb`"), "{err}");

    let folder = tempfile::tempdir().expect("a folder");
    let capture = folder.path().join("capture");
    let words = format!("dumpcap -q -P -i vb -f tcp -w {}", capture.display());
    let dumpcap = start("b", &words.split(' ').collect::<Vec<_>>());
    until("dumpcap has begun", || std::fs::metadata(&capture).is_ok_and(|file| file.len() >= 24));
    for address in [V4, V6] {
        fetched(address);
    }
    for host in ["a", "b"] {
        let status = status(host).expect("a status");
        let counters = &status["counters"];
        assert_eq!(counters["agreed"][5], 2, "{status}");
        assert!(counters["received"][5]["both_good"].as_u64() > Some(10), "{status}");
        let bad = ["only_tcp_bad", "only_crc_bad", "both_bad", "missing"];
        assert!(bad.iter().all(|which| counters["received"][5][which] == 0), "{status}");
        assert_eq!(counters["refused"], 0);
        let queues = status["queues"].as_array().expect("queues");
        assert!(queues.iter().all(|queue| queue["full"] == 0 && queue["lost"] == 0), "{status}");
    }
    let (code, text, _) = guard("b", "status --prometheus");
    assert!(code == 0 && text.contains("\nresidue_guard_agreed_total{value=\"5\"} 2\n"), "{text}");
    until("both files are in the capture", || {
        std::fs::metadata(&capture).is_ok_and(|file| file.len() > 2 * LENGTH as u64)
    });
    dumpcap.end();
    judge_capture(&capture);

    // After the guard is killed new connections are regular, and its rules can be removed.
    drop(b);
    assert!(has_rules("b"));
    fetched(V4);
    let (code, out, err) = guard("b", "clean");
    assert!(code == 0 && out.lines().count() >= 1, "{out}{err}");
    assert!(!has_rules("b"));
    let (code, out, _) = guard("b", "clean");
    assert!(code == 0 && out.starts_with("no rules"), "{out}");
    fetched(V6);
    // The next guard replaces the rules of a killed one.
    drop(guarding("b", "--value 5"));
    let b = guarding("b", "--value 3 --json --every 1");
    assert!(has_rules("b"));
    fetched(V4);

    let (code, text) = b.end();
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert!(code == 0 && last["counters"]["agreed"][5] == 1, "{text}");
    let (code, text) = a.end();
    assert!(code == 0 && text.starts_with("guarding va, ports 8080: value 5, preferred"), "{text}");
    assert!(!has_rules("a") && !has_rules("b"));
    fetched(V4);
}

/// Every SYN has a request, every other segment a check value, and all check values are right.
fn judge_capture(path: &Path) {
    let ran =
        crate::common::residue(["pcap", "verify", "--csv", path.to_str().expect("text")]).run();
    ran.ends(0);
    let file = std::fs::read(path).expect("the capture");
    let [mut syns, mut others] = [0, 0];
    let mut rest = &file[24..];
    while let Some(header) = rest.first_chunk::<16>() {
        let length = u32::from_ne_bytes([header[8], header[9], header[10], header[11]]) as usize;
        let packet = &rest[16 + 14..16 + length];
        rest = &rest[16 + length..];
        let tcp = if packet[0] >> 4 == 4 { &packet[20..] } else { &packet[40..] };
        let options = &tcp[20..usize::from(tcp[12] >> 4) * 4];
        let kinds = kinds(options);
        let (has_request, has_data) = (kinds.contains(&14), kinds.contains(&15));
        if tcp[13] & 2 == 2 {
            syns += 1;
            assert!(has_request && !has_data, "{kinds:?}");
        } else if tcp[13] & 4 == 0 {
            others += 1;
            assert!(!has_request && has_data, "{kinds:?}");
        }
    }
    assert!(syns == 4 && others > 100, "{syns} {others}");
    // residue-net finds all check values, none of them wrong.
    let found = format!(",tcp.alternate,{others},0,0,0,0,0,0");
    assert!(ran.text().lines().any(|line| line.ends_with(&found)), "{others}\n{}", ran.text());
    // tshark agrees.
    let is_syn = "tcp.flags.syn == 1";
    let regular = "tcp.flags.syn == 0 && tcp.flags.reset == 0";
    for (filter, expected) in [
        (format!("{is_syn} && tcp.option_kind == 14"), syns),
        (format!("{is_syn} && tcp.option_kind == 15"), 0),
        (format!("{regular} && tcp.option_kind == 14"), 0),
        (format!("{regular} && tcp.option_kind == 15"), others),
    ] {
        let mut tshark = Command::new("tshark");
        let output = tshark.arg("-r").arg(path).args(["-n", "-Y", &filter]).output();
        let output = output.expect("tshark runs");
        assert!(output.status.success(), "{output:?}");
        let lines = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        assert_eq!(lines.count(), expected, "{filter}");
    }
}

fn kinds(mut options: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    while let Some(&kind) = options.first().filter(|&&kind| kind != 0) {
        let length = if kind == 1 { 1 } else { usize::from(options[1]) };
        if kind > 1 {
            kinds.push(kind);
        }
        options = &options[length..];
    }
    kinds
}
