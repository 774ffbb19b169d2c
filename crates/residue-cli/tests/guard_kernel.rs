//! Tests the guard inside the kernel, between network namespaces.
//!
//! This needs Linux with eBPF, cgroups of version 2, iproute2, and root. The namespaces, and with
//! them all pins, end with the test; cgroups are removed at its end.

#![cfg(target_os = "linux")]

mod cgroups;
mod rollout;

use crate::common::RESIDUE;
use crate::common::hosts::{
    self, PORT, QUEUE, ROLE, V4, V6, cable, command, connect, guard, own, unshared,
};
use crate::common::metrics::has_all_of_the_examples;
use residue_testing::{Running, must, until};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

const TEST: &str = "guard_kernel::guarded_in_the_kernel";
/// More than the buffers of both ends hold.
const LENGTH: usize = 24 << 20;

#[test]
#[ignore = "long"]
fn guarded_in_the_kernel() {
    match std::env::var(ROLE) {
        Ok(role) if role == "inside" => inside(),
        Ok(role) if role == "rollout" => rollout::inside(),
        Ok(role) if role == "serve" => hosts::serve(LENGTH),
        Ok(role) => match role.strip_prefix("hold ") {
            Some(address) => hold(address),
            None => fetch(&role),
        },
        Err(_) => outside("inside"),
    }
}

#[test]
fn the_page_on_rollout_is_walked() {
    outside("rollout");
}

/// Pins in a mount namespace of the guard's own would end with it, so it names another way.
#[test]
fn a_mount_namespace_without_the_bpf_file_system() {
    let script = format!("umount -alt bpf; {RESIDUE} guard check --interface lo --json");
    let probed = Command::new("unshare").args(["--mount", "sh", "-c", &script]).output();
    let probed = probed.expect("unshare runs");
    let errors = String::from_utf8_lossy(&probed.stderr);
    if errors.contains("unshare failed") {
        return residue_testing::skip(&format!("a mount namespace: {errors}"));
    }
    let needs = needs(&probed);
    let need = needs.iter().find(|need| need["name"] == "BPF file system").expect("this need");
    let missing = need["missing"].as_str().unwrap_or_default();
    assert!(missing.contains("nsenter --net="), "{need} {errors}");
}

/// The kernel ends the verification of a program when a signal comes, with EAGAIN.
#[test]
#[ignore = "long"]
fn signals_while_programs_are_verified() {
    let start = Instant::now();
    let undisturbed = needs(&check().output().expect("the program runs"));
    let missing = undisturbed.iter().find(|need| {
        let is_ebpf = need["name"].as_str().is_some_and(|it| it.contains("eBPF"));
        is_ebpf && !need["missing"].is_null() && need["replaceable"] == false
    });
    if let Some(need) = missing {
        return residue_testing::skip(&format!("eBPF: {need}"));
    }
    // No program takes longer than all, so each is verified between two signals.
    let pause = start.elapsed();
    for part in 1..=5 {
        let mut process = check().spawn().expect("the program runs");
        let id = process.id();
        std::thread::sleep(pause * part / 6);
        while process.try_wait().expect("a child").is_none() {
            let script = format!("kill -STOP {id} && kill -CONT {id}");
            // It may have ended meanwhile.
            let _ = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).status();
            std::thread::sleep(pause);
        }
        assert_eq!(needs(&process.wait_with_output().expect("its output")), undisturbed);
    }
}

/// Returns a command that verifies all programs.
fn check() -> Command {
    let mut command = Command::new(RESIDUE);
    command.args(["guard", "check", "--interface", "lo", "--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the needs of the kernel engine that a check printed.
fn needs(output: &Output) -> Vec<Value> {
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    json["kernel"].as_array().cloned().unwrap_or_else(|| {
        panic!("no needs: {}", String::from_utf8_lossy(&output.stderr));
    })
}

/// Starts the tests of a role in new namespaces, if the kernel engine can run there.
fn outside(role: &str) {
    let probe = format!(
        "mount -t bpf bpf /sys/fs/bpf && ip link set lo up && {RESIDUE} guard check --interface lo \
         --json"
    );
    let probed = unshared(&[], ["sh", "-c", &probe]);
    let json: Value = serde_json::from_slice(&probed.stdout).unwrap_or_default();
    if json["engine"] != "kernel" {
        let missing = json["kernel"].as_array().into_iter().flatten();
        let missing: Vec<String> = missing
            .filter(|need| !need["missing"].is_null())
            .map(|need| format!("{}: {}", need["name"], need["missing"]))
            .collect();
        let errors = String::from_utf8_lossy(&probed.stderr);
        let why = format!("the guard in the kernel: {} {}", errors.trim(), missing.join("; "));
        return residue_testing::skip(&why);
    }
    hosts::again(&[], TEST, role);
}

fn fetch(address: &str) {
    let mut file = Vec::new();
    connect(address).read_to_end(&mut file).expect("the file");
    assert!(file == residue_testing::noise(LENGTH), "the file arrives");
}

/// Fetches the file; waits for a line of input after the first byte.
fn hold(address: &str) {
    let mut stream = connect(address);
    let mut file = vec![0];
    stream.read_exact(&mut file).expect("a byte");
    println!("held");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a line");
    stream.read_to_end(&mut file).expect("the file");
    assert!(file == residue_testing::noise(LENGTH), "the file arrives");
}

/// Runs `residue guard`, which must succeed; returns its output.
fn good(host: &str, words: &str) -> String {
    let (code, out, err) = guard(host, words);
    assert!(code == 0, "{host}: {words}: {code} {out}{err}");
    out
}

fn status(host: &str) -> Value {
    serde_json::from_str(&guard(host, "status --json").1).expect("JSON")
}

fn agreed(host: &str, value: usize) -> u64 {
    status(host)["counters"]["agreed"][value].as_u64().expect("a number")
}

fn start(host: &str, role: &str) -> Running {
    let mut command = command(host, &own(TEST, role));
    Running(command.stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("it starts"))
}

/// Starts the server of a host, after its guard: older listeners stay regular.
fn server(host: &str) -> Running {
    let server = start(host, "serve");
    until("the server listens", || {
        let listening = command(host, &["cat", "/proc/net/tcp6"]).output().expect("cat runs");
        // Earlier connections, which may still wait for their end, have the port of a client here.
        let listens = format!(":{PORT:04X} {}:0000 0A ", "0".repeat(32));
        String::from_utf8_lossy(&listening.stdout).contains(&listens)
    });
    server
}

fn fetched(address: &str) {
    let output = command("a", &own(TEST, address)).output().expect("it runs");
    assert!(output.status.success(), "{address}: {output:?}");
}

/// Starts to fetch the file, and waits for its first byte.
fn holding(address: &str) -> Running {
    let mut client = start("a", &format!("hold {address}"));
    let mut lines = BufReader::new(client.0.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("text").contains("held")));
    client.0.stdout = None;
    // The rest of its output is not read.
    std::thread::spawn(move || lines.count());
    client
}

/// Lets the client go on; returns whether it has received the file.
fn finishes(mut client: Running) -> bool {
    client.0.stdin.take().expect("a pipe").write_all(b"go\n").expect("it reads");
    client.0.wait().expect("it ends").success()
}

fn inside() {
    hosts::hosts();
    must("mount -t bpf bpf /sys/fs/bpf");
    on_and_off();
    interface_deleted();
    refused();
    several_interfaces();
    a_kernel_without_macvlan();
    with_the_queue_engine();
    with_the_rights_of_the_unit();
    cgroups::pods();
    cgroups::containers();
}

fn on_and_off() {
    let (code, _, err) = guard("a", "status");
    assert!(code == 2 && err.contains("no guard runs in this network namespace"), "{err}");
    let out = good("a", "on --interface va --ports 8080 --value 5");
    assert!(out.starts_with("guarding va, ports 8080") && !out.contains("threads"), "{out}");
    let out = good("b", "on --interface vb --value 5 --policy require");
    assert!(out.contains("value 5, required; in the kernel"), "{out}");
    let (code, _, err) = guard("b", "run --interface vb");
    assert!(code == 2 && err.contains("a guard of vb is on here"), "{err}");

    let mut _server = server("b");
    fetched(V4);
    fetched(V6);
    for host in ["a", "b"] {
        let status = status(host);
        let counters = &status["counters"];
        assert_eq!(counters["agreed"][5], 2, "{status}");
        assert!(counters["received"][5]["both_good"].as_u64() > Some(10), "{status}");
        let bad = ["only_tcp_bad", "only_crc_bad", "both_bad", "missing"];
        assert!(bad.iter().all(|which| counters["received"][5][which] == 0), "{status}");
        assert_eq!(counters["refused"], 0);
        assert!(status["broken"].is_null() && status["engine"] == "kernel", "{status}");
    }
    let text = good("b", "status --prometheus");
    assert!(text.contains("\nresidue_guard_agreed_total{value=\"5\"} 2\n"), "{text}");
    assert!(text.contains("\nresidue_guard_up 1\n"), "{text}");
    assert!(text.contains("\nresidue_guard_unprotected_connections 0\n"), "{text}");
    has_all_of_the_examples(&text, "residue_guard_");

    // Settings change in place, and counters stay.
    let out = good("a", "on --interface va --ports 8080 --value 4 --receive-threads");
    assert!(out.trim_end().ends_with("; threads receive from va"), "{out}");
    assert_eq!(status("a")["interfaces"][0]["receive_threads"], true);
    let out = good("a", "check --interface va");
    let threads = out.lines().find_map(|line| line.strip_prefix("threads that receive "));
    assert_eq!(threads.map(str::trim), Some("on"), "{out}");
    let (code, _, err) = guard("a", "run --interface va --engine queue --receive-threads");
    assert!(code == 2 && err.contains("--receive-threads goes with the kernel engine"), "{err}");
    fetched(V4);
    assert_eq!((agreed("a", 4), agreed("a", 5)), (1, 2));
    assert!(good("a", "forget").starts_with("0 destinations"));
    let out = good("a", "forget 192.0.2.1");
    assert_eq!(out, "nothing was remembered of 192.0.2.1\n");

    // A manager that is killed has no part in what goes on.
    good("b", "clean");
    let words = ["guard", "run", "--interface", "vb", "--value", "5", "--engine", "kernel"];
    let words: Vec<&str> = [RESIDUE].into_iter().chain(words).collect();
    let mut manager = Running(command("b", &words).spawn().expect("it starts"));
    let mut line = String::new();
    let out = manager.0.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("text");
    assert!(line.starts_with("guarding vb, all ports"), "{line}");
    drop(_server);
    _server = server("b");
    let client = holding(V4);
    let before = status("b")["counters"]["sent"][4].as_u64();
    drop(manager);
    assert!(finishes(client));
    assert!(status("b")["counters"]["sent"][4].as_u64() > before);
    fetched(V6);
    assert_eq!(agreed("b", 4), 2);

    // Off: open connections are guarded to their end; with --reset they end at once.
    let [first, second] = [V4, V6].map(holding);
    assert_eq!(status("a")["guarded"], 2);
    let out = good("a", "off");
    assert!(out.contains("2 guarded ones go on"), "{out}");
    assert!(status("a")["value"].is_null());
    assert!(finishes(first));
    until("the first one has ended", || status("a")["guarded"] == 1);
    let out = good("a", "off --reset");
    assert_eq!(out, "off; 1 connections were reset\n");
    assert!(!finishes(second));
    assert_eq!(guard("a", "status").0, 2);
    fetched(V4);
    assert_eq!(agreed("b", 4), 4);
    good("b", "off --now");
    assert!(good("b", "off").starts_with("no guard is on"));
    assert!(good("b", "clean").starts_with("no rules or programs"));
    let devices = must("ip -n b -br link").stdout;
    assert!(!String::from_utf8_lossy(&devices).contains("rguard"));
}

fn interface_deleted() {
    good("a", "on --interface va");
    must("ip -n a link del va");
    let (code, out, _) = guard("a", "status");
    assert!(
        code == 1 && out.contains("NOTHING IS PROTECTED: the interface va was deleted"),
        "{out}"
    );
    assert!(guard("a", "status --prometheus").1.contains("\nresidue_guard_up 0\n"));
    cable();
    let (code, out, _) = guard("a", "status");
    assert!(code == 1 && out.contains("was deleted and made again"), "{out}");
    let (code, _, err) = guard("a", "on --interface va");
    assert!(code == 2 && err.contains("deleted and made again"), "{err}");
    assert!(good("a", "clean").starts_with("removed: eBPF programs of va"));
    good("a", "on --interface va");
    good("a", "off");
}

/// What the guard cannot do is refused with the reason, or shown.
fn refused() {
    let before = good("a", "on --interface va");
    assert!(before.starts_with("guarding va"));
    let (code, _, err) = guard("a", "run --interface va --interface lo --engine queue");
    assert!(code == 2 && err.contains("a guard of va is on here"), "{err}");
    must("ip -n a link set va mtu 20000");
    let (code, out, _) = guard("a", "status");
    let why = "the MTU of va is 20000 now, and longer packets than 16384 bytes are lost";
    assert!(code == 1 && out.contains(why) && !out.contains("NOTHING"), "{out}");
    good("a", "off");
    let (code, _, err) = guard("a", "on --interface va");
    let why = "the MTU of va is 20000; the kernel engine takes 16384 at most";
    assert!(code == 2 && err.contains(why), "{err}");
    must("ip -n a link set va mtu 1500");
    let (code, _, err) = guard("a", "run --interface va --interface lo --engine queue");
    assert!(code == 2 && err.contains("the queue engine guards one interface"), "{err}");
    let devices = must("ip -n a -br link").stdout;
    assert!(!String::from_utf8_lossy(&devices).contains("rguard"));
}

/// Connections of all guarded interfaces are guarded, and counted together.
fn several_interfaces() {
    must("ip -n a link add wa type veth peer name wb netns b");
    for (host, number) in [("a", 1), ("b", 2)] {
        must(&format!("ip -n {host} addr add 10.81.0.{number}/24 dev w{host}"));
        must(&format!("ip -n {host} link set w{host} up"));
    }
    const OTHER: &str = "10.81.0.2:8080";
    let out = good("a", "on --interface va --interface wa --value 5");
    assert!(out.starts_with("guarding va and wa, all ports"), "{out}");
    // The second one joins.
    good("b", "on --interface vb --value 5");
    let out = good("b", "on --interface wb --value 6");
    assert!(out.starts_with("guarding vb and wb") && out.contains(": value 6,"), "{out}");
    let server = server("b");
    for (at, address) in [V4, OTHER, V6].into_iter().enumerate() {
        fetched(address);
        assert_eq!([agreed("a", 5), agreed("b", 5)], [at as u64 + 1; 2]);
    }
    for host in ["a", "b"] {
        let status = status(host);
        let interfaces = status["interfaces"].as_array().expect("interfaces");
        let names: Vec<&Value> = interfaces.iter().map(|each| &each["name"]).collect();
        assert_eq!(names, [&format!("v{host}"), &format!("w{host}")]);
        assert!(status["counters"]["agreed"][0] == 0 && status["broken"].is_null(), "{status}");
    }
    assert!(status("b")["kernel"]["segmented"].as_u64() > Some(0));

    must("ip -n a link add link va name above type macvlan");
    let (code, _, err) = guard("a", "on --interface above");
    assert!(code == 2 && err.contains("packets of above also pass va"), "{err}");
    must("ip -n a link del above");

    // One goes on without the other.
    let client = holding(V4);
    must("ip -n a link del wa");
    let (code, out, _) = guard("a", "status");
    let why = "NOT ALL INTERFACES ARE PROTECTED: the interface wa was deleted";
    assert!(code == 1 && out.contains(why), "{out}");
    let (code, _, err) = guard("a", "on --interface va");
    assert!(code == 2 && err.contains("the interface wa was deleted"), "{err}");
    assert!(good("a", "off").contains("1 guarded ones go on"));
    assert!(finishes(client));
    drop(server);
    until("no connection needs the guard", || good("a", "off") == "off\n");
    let out = good("b", "clean");
    assert!(out.contains("programs of vb") && out.contains("programs of wb"), "{out}");
    for host in ["a", "b"] {
        let devices = must(&format!("ip -n {host} -br link")).stdout;
        assert!(!String::from_utf8_lossy(&devices).contains("rguard"));
    }
}

/// `check` makes the guard's devices where nobody sees them, and names what is missing.
fn a_kernel_without_macvlan() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"#!/bin/sh
        case "$*" in *macvlan*) echo 'RTNETLINK answers: Operation not supported' >&2; exit 2;; esac
        PATH=/usr/sbin:/sbin:/usr/bin:/bin
        exec ip "$@"
    "#;
    let file = folder.path().join("ip");
    std::fs::write(&file, script).expect("a script");
    must(&format!("chmod +x {}", file.display()));
    let path = format!("PATH={}:/usr/sbin:/sbin:/usr/bin:/bin", folder.path().display());
    for (path, is_missing) in [("A=B", false), (&*path, true)] {
        let words = ["env", path, RESIDUE, "guard", "check", "--interface", "va", "--json"];
        let output = command("a", &words).output().expect("it runs");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let needs = json["kernel"].as_array().expect("the needs of the engine");
        let name = "devices that cut packets";
        let need = needs.iter().find(|need| need["name"] == name).expect("this need");
        let missing = need["missing"].as_str().unwrap_or_default();
        assert_eq!(missing.contains("CONFIG_MACVLAN"), is_missing, "{need}");
        assert_eq!(json["engine"] == "kernel", !is_missing, "{json}");
    }
}

/// One host has the guard in the kernel, the other one a process.
fn with_the_queue_engine() {
    let probe = ["sh", "-c", QUEUE];
    if !command("a", &probe).output().is_ok_and(|output| output.status.success()) {
        return residue_testing::skip("both engines: no netfilter queue");
    }
    must("nsenter --net=/run/netns/a iptables -F OUTPUT");
    for (kernel, queue) in [("a", "b"), ("b", "a")] {
        good(kernel, &format!("on --interface v{kernel} --value 5"));
        let interface = format!("v{queue}");
        let words =
            ["guard", "run", "--engine", "queue", "--value", "5", "--interface", &interface];
        let words: Vec<&str> = [RESIDUE].into_iter().chain(words).collect();
        let process = Running(command(queue, &words).spawn().expect("it starts"));
        until("the guard answers", || guard(queue, "status --json").0 == 0);
        let (code, _, err) = guard(queue, &format!("on --interface {interface}"));
        assert!(code == 2 && err.contains("by the queue engine; stop it first"), "{err}");
        let server = server("b");
        fetched(V4);
        fetched(V6);
        for host in ["a", "b"] {
            let status = status(host);
            assert_eq!(status["counters"]["agreed"][5], 2, "{status}");
            let received = &status["counters"]["received"][5];
            let bad = ["only_tcp_bad", "only_crc_bad", "both_bad", "missing"];
            assert!(bad.iter().all(|which| received[which] == 0), "{status}");
        }
        drop((server, process));
        good(queue, "clean");
        good(kernel, "off --now");
    }
}

/// The capabilities that the unit for systemd leaves to the guard are enough.
fn with_the_rights_of_the_unit() {
    let unit = include_str!("../../../examples/residue-guard.service");
    let rights = unit.lines().find_map(|line| line.strip_prefix("CapabilityBoundingSet="));
    let rights = rights.expect("its rights").to_lowercase().replace("cap_", "+").replace(' ', ",");
    let rights = format!("--bounding-set=-all,{rights}");
    for words in [
        "check --interface va",
        "on --interface va --value 5",
        "on --interface va --value 5 --policy require",
        "status",
        "forget",
        "off --reset",
        "clean",
    ] {
        let command_line = ["setpriv", "--no-new-privs", &rights, RESIDUE, "guard"];
        let words: Vec<&str> = command_line.into_iter().chain(words.split(' ')).collect();
        let output = command("a", &words).output().expect("setpriv runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
}
