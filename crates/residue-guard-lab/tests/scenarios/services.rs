//! With the guard inside the kernel, in pods of Kubernetes and on their node, whose proxy directs
//! the connections of a service to pods: the router, with the rules of `kube-proxy`.

use super::hosts::{Network, kernel_scenario};
use residue_testing::{installed, must};
use std::io::Write as _;
use std::process::{Command, Stdio};

const FILE: usize = 1 << 20;

/// The service: its own address and two ports of the node, one that hides the client from the pod
/// (`externalTrafficPolicy: Cluster`) and one that does not (`Local`).
const SERVICE: &str = "10.96.0.10:80";
const NODE_PORTS: [&str; 2] = ["10.91.1.1:30080", "10.91.1.1:30081"];

/// What `kube-proxy` writes for the service in its mode `iptables`. Two endpoints are in the pod
/// `b`, which has two addresses.
const IPTABLES: &str = "\
*filter
-A FORWARD -m conntrack --ctstate INVALID -j DROP
COMMIT
*nat
:KUBE-SERVICES -
:KUBE-NODEPORTS -
:KUBE-POSTROUTING -
:KUBE-MARK-MASQ -
:KUBE-EXT-CLUSTER -
:KUBE-EXT-LOCAL -
:KUBE-SVC -
:KUBE-SEP-1 -
:KUBE-SEP-2 -
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
-A POSTROUTING -j KUBE-POSTROUTING
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000
-A KUBE-POSTROUTING -j MASQUERADE --random-fully
-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp --dport 80 -j KUBE-SVC
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-NODEPORTS -p tcp --dport 30080 -j KUBE-EXT-CLUSTER
-A KUBE-NODEPORTS -p tcp --dport 30081 -j KUBE-EXT-LOCAL
-A KUBE-EXT-CLUSTER -j KUBE-MARK-MASQ
-A KUBE-EXT-CLUSTER -j KUBE-SVC
-A KUBE-EXT-LOCAL -j KUBE-SVC
-A KUBE-SVC -m statistic --mode random --probability 0.5 -j KUBE-SEP-1
-A KUBE-SVC -j KUBE-SEP-2
-A KUBE-SEP-1 -s 10.91.2.0/24 -j KUBE-MARK-MASQ
-A KUBE-SEP-1 -p tcp -j DNAT --to-destination 10.91.2.2:8080
-A KUBE-SEP-2 -s 10.91.2.0/24 -j KUBE-MARK-MASQ
-A KUBE-SEP-2 -p tcp -j DNAT --to-destination 10.91.2.3:8080
COMMIT
";

/// These rules in its mode `nftables`.
const NFTABLES: &str = "\
table ip kube-proxy {
  chain services {
    ip daddr . tcp dport { 10.96.0.10 . 80 } goto service
    fib daddr type local tcp dport vmap { 30080 : goto external, 30081 : goto service }
  }
  chain endpoint-1 { meta l4proto tcp dnat to 10.91.2.2:8080; }
  chain endpoint-2 { meta l4proto tcp dnat to 10.91.2.3:8080; }
  chain external {
    meta mark set meta mark or 0x4000
    goto service
  }
  chain service {
    ip saddr 10.91.2.0/24 meta mark set meta mark or 0x4000
    numgen random mod 2 vmap { 0 : goto endpoint-1, 1 : goto endpoint-2 }
  }
  chain nat-prerouting { type nat hook prerouting priority dstnat; jump services; }
  chain nat-output { type nat hook output priority -100; jump services; }
  chain nat-postrouting {
    type nat hook postrouting priority srcnat;
    meta mark and 0x4000 == 0 return
    meta mark set meta mark xor 0x4000
    masquerade fully-random
  }
  chain filter-forward { type filter hook forward priority filter; ct state invalid drop; }
}
";

/// Feeds rules to a program on the node.
fn feed(program: &str, rules: &str) {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", "r"]).args(program.split(' ')).stdin(Stdio::piped());
    let mut child = command.spawn().expect("ip runs");
    child.stdin.take().expect("a pipe").write_all(rules.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success(), "{program}");
}

/// Connections through every way to the service, with guards in the pods and on the node.
#[test]
fn a_node_of_kubernetes() {
    if !installed("nft") {
        return;
    }
    kernel_scenario("services::a_node_of_kubernetes", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        must("ip -n b addr add 10.91.2.3/24 dev vb");
        // Linux looks for a route before the address of the service is translated.
        must("ip -n r route add default dev rb");
        let translate = [
            ("iptables-restore", IPTABLES, "iptables -t nat -F"),
            ("nft -f -", NFTABLES, "nft delete table ip kube-proxy"),
        ];
        for (program, rules, remove) in translate {
            feed(program, rules);
            for host in ["a", "b"] {
                network.install_as_container(host, 7);
            }
            network.install_on("r", "ra,rb", 7);
            connections(network);
            for host in ["a", "b", "r"] {
                network.remove(host);
            }
            must(&format!("ip netns exec r {remove}"));
        }
    });
}

/// Makes two connections in each way, and asserts that all were guarded by the processes' hosts.
fn connections(network: &Network) {
    let from_the_pod = [SERVICE, NODE_PORTS[0], NODE_PORTS[1]].map(|address| ("a", address));
    // A pod that gets itself as the endpoint, and a process of the node.
    let others = [("b", SERVICE), ("r", SERVICE)];
    for (host, address) in from_the_pod.into_iter().chain(others) {
        for kind in ["push", "pull"] {
            let (is_right, text) = network.client_on(host, address, kind, FILE).ended();
            assert!(is_right, "{kind} {host} {address}: {text} {:?}", network.kernel_status("b"));
        }
    }
    // The pod `b` is both ends of two of its twelve ends of connections.
    for (host, ends) in [("a", 6), ("b", 12), ("r", 2)] {
        let status = network.kernel_status(host);
        let counters = &status.counters;
        assert_eq!((counters.agreed[7], counters.agreed[0]), (ends, 0), "{host}: {status:?}");
        assert_eq!(counters.received[7].bad(), 0, "{host}: {status:?}");
        assert!(status.broken.is_none() && status.destinations.is_empty(), "{host}: {status:?}");
    }
}
