//! Walks docs/guard/rollout.md on three hosts: its commands, as they stand there, and the steps by
//! which a fleet gets the guard and loses it.

use super::{agreed, fetched, finishes, good, holding, server, status};
use crate::common::containers::Cgroup;
use crate::common::hosts::{PORT, command, guard};
use crate::common::search_path;
use residue_testing::{must, until};

const PAGE: &str = include_str!("../../../../docs/guard/rollout.md");
const HOSTS: [&str; 3] = ["a", "b", "c"];
/// Where `b` and `c` serve the file.
const AT_B: &str = "10.82.0.2:8080";
const AT_C: &str = "10.82.0.3:8080";

pub(super) fn inside() {
    must("mount -t tmpfs none /run");
    must("mount -t bpf bpf /sys/fs/bpf");
    network();
    one_host();
    one_service();
    a_whole_fleet();
}

/// Connects the hosts by their interfaces `eth0`.
fn network() {
    must("ip link add switch type bridge");
    must("ip link set switch up");
    for (host, number) in HOSTS.into_iter().zip(1..) {
        must(&format!("ip netns add {host}"));
        must(&format!("ip link add to-{host} type veth peer name eth0 netns {host}"));
        must(&format!("ip link set to-{host} master switch up"));
        must(&format!("ip -n {host} addr add 10.82.0.{number}/24 dev eth0"));
        must(&format!("ip -n {host} link set lo up"));
        must(&format!("ip -n {host} link set eth0 up"));
    }
}

/// Returns the commands of a section of the page.
fn commands(title: &str) -> Vec<&'static str> {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(title));
    // What stands between fences.
    let blocks = section.expect("this section").split("```").skip(1).step_by(2);
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect()
}

/// Runs a command of the page on a host; returns its output, and then its messages.
fn run(host: &str, line: &str) -> String {
    let mut run = command(host, &["sh", "-c", line]);
    let output = run.env("PATH", search_path()).output().expect("it runs");
    assert!(output.status.success(), "{host}: {line}: {output:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("text")
}

fn unprotected(host: &str) -> u64 {
    status(host)["unprotected"].as_u64().expect("a number")
}

fn devices(host: &str) -> Vec<u8> {
    must(&format!("ip -n {host} -br link")).stdout
}

/// `check` changes nothing, and a peer without a guard gets regular TCP.
fn one_host() {
    let before = devices("a");
    let [check, on, status, ..] = commands("One host")[..] else { panic!("three commands") };
    let out = run("a", check);
    assert!(out.contains("kernel") && devices("a") == before, "{out}");
    assert_eq!(guard("a", "status").0, 2);
    assert!(run("a", on).starts_with("guarding eth0"));
    assert!(run("a", status).contains("eth0"));
    let _server = server("b");
    fetched(AT_B);
    assert!((1..8).all(|value| agreed("a", value) == 0));
    assert!(run("a", "residue guard off").starts_with("off"));
}

/// By ports, and by a cgroup.
fn one_service() {
    let lines = commands("One service");
    let [by_ports, by_cgroup, ..] = lines[..] else { panic!("two commands") };
    let out = run("a", by_ports);
    assert!(out.starts_with("guarding eth0, ports 3260, 4420, 8009"), "{out}");
    assert_eq!(status("a")["value"], 5);
    good("a", "off --now");
    let service = Cgroup::new("service");
    let cgroup = by_cgroup.split_once("--cgroup ").expect("a cgroup").1;
    run("a", &by_cgroup.replace(cgroup, &service.0.display().to_string()));
    assert_eq!(status("a")["cgroup"], service.0.to_str().expect("text"));
    good("a", "off --now");
}

fn a_whole_fleet() {
    // On a few hosts that talk to each other, with the value by default.
    let on = commands("One host")[1];
    for host in ["a", "b"] {
        assert!(!run(host, on).contains("required"));
    }
    let value = status("a")["value"].as_u64().expect("a value") as usize;
    let [_of_b, mut of_c] = ["b", "c"].map(server);
    fetched(AT_B);
    assert_eq!((agreed("a", value), agreed("b", value)), (1, 1));
    let regular = holding(AT_C);
    assert_eq!((agreed("a", value), unprotected("a")), (1, 1));
    metrics("a");

    // One more host: its open connection goes on as it is, and new ones are guarded.
    let out = run("c", on);
    assert_eq!(unprotected("a"), 1);
    assert!(finishes(regular));
    if out.contains("restart them") {
        drop(of_c);
        of_c = server("c");
    }
    let guarded = holding(AT_C);
    assert_eq!((agreed("a", value), agreed("c", value)), (2, 1));
    until("no connection is unprotected", || unprotected("a") == 0);

    // Protection becomes mandatory under an open connection, which goes on.
    for host in HOSTS {
        let out = run(host, &format!("{on} --policy require --ports {PORT}"));
        assert!(out.contains("required"), "{out}");
    }
    fetched(AT_B);
    assert!(finishes(guarded));
    good("c", "off --now");
    let before = status("a")["counters"]["refused"].as_u64();
    let refused = super::start("a", AT_C);
    until("the connection is refused", || status("a")["counters"]["refused"].as_u64() > before);
    drop((refused, of_c));

    // Back: first without the demand, then off, while a connection is open.
    for host in ["a", "b"] {
        assert!(!run(host, &format!("{on} --policy prefer")).contains("required"));
    }
    let _of_c = server("c");
    fetched(AT_C);
    let last = holding(AT_B);
    for host in ["a", "b"] {
        assert!(run(host, "residue guard off").contains("1 guarded ones go on"));
    }
    assert!(finishes(last));
    for host in ["a", "b"] {
        until("no connection needs the guard", || good(host, "off") == "off\n");
        assert_eq!(guard(host, "status").0, 2);
    }
    fetched(AT_B);
    for host in HOSTS {
        assert!(!String::from_utf8_lossy(&devices(host)).contains("rguard"));
    }
}

/// The page's line for `cron` writes a file with every metric that the page names.
fn metrics(host: &str) {
    must("mount -t tmpfs none /var/lib");
    must("mkdir /var/lib/node_exporter");
    let line = commands("See that it protects")[0];
    run(host, line.split_once(" root ").expect("the line of a user").1);
    let text = std::fs::read_to_string("/var/lib/node_exporter/residue.prom").expect("metrics");
    must("umount /var/lib");
    let named = PAGE.split('`').filter(|it| it.starts_with("residue_guard_"));
    let is_there = |metric: &&str| {
        let (name, label) = metric.split_once('{').unwrap_or((metric, ""));
        let label = label.trim_end_matches('}');
        text.lines().any(|line| line.starts_with(name) && line.contains(label))
    };
    let missing: Vec<&str> = named.clone().filter(|metric| !is_there(metric)).collect();
    assert!(missing.is_empty() && named.count() >= 6, "{missing:?}: {text}");
    assert!(text.contains("\nresidue_guard_unprotected_connections 1\n"), "{text}");
}
