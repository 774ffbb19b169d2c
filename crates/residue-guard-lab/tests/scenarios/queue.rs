//! With the queue engine. Needs a user who may make namespaces.

use super::hosts::{ADDRESSES, Network, scenario, scenario_without_root};
use residue_guard::negotiate::GREATEST;
use residue_testing::{must, until};
use std::time::Duration;

const FILE: usize = 1 << 20;

fn sleep(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// Whom the kernel engine cannot serve: eBPF programs need root outside of user namespaces.
#[test]
fn without_root() {
    scenario_without_root("queue::without_root", |network| {
        for value in [3, 5] {
            let guards = ["a", "b"].map(|host| network.guard(host, value));
            network.both_ways(ADDRESSES, FILE);
            for host in ["a", "b"] {
                let counters = network.status(host).counters;
                assert_eq!(counters.agreed[usize::from(value)], 4, "{counters:?}");
                assert_eq!(counters.received[usize::from(value)].bad(), 0, "{counters:?}");
            }
            for guard in guards {
                guard.signal("TERM");
            }
        }
    });
}

/// The router's exit has an MTU of 1280, then the client's own interface.
#[test]
fn a_smaller_mtu() {
    scenario("queue::a_smaller_mtu", |network| {
        for value in [4, 5] {
            let (a, b) = (network.guard("a", value), network.guard("b", value));
            network.uploads_on_smaller_paths(FILE);
            let counters = network.status("a").counters;
            assert!(counters.agreed[usize::from(value)] == 4 && counters.agreed[0] == 0);
            a.signal("TERM");
            b.signal("TERM");
            must("ip -n a route flush cache");
            must("ip -n a -6 route flush cache");
        }
    });
}

/// A guard is stopped or killed, and starts again: on the side that sends, and on the other.
#[test]
#[ignore = "long"]
fn a_restart() {
    scenario("queue::a_restart", |network| {
        for signal in ["INT", "TERM", "KILL"] {
            for host in ["a", "b"] {
                let other = if host == "a" { "b" } else { "a" };
                let (first, _second) = (network.guard(host, 5), network.guard(other, 5));
                let mut conversation = network.conversation(ADDRESSES[0]);
                conversation.upload(1000);
                let download = network.client(ADDRESSES[1], "slow", FILE);
                sleep(1000);
                first.signal(signal);
                sleep(300);
                let _first = network.guard(host, 5);
                conversation.upload(1000);
                let (is_right, text) = download.ended();
                assert!(is_right, "{signal} {host}: {text}");
                conversation.upload(1000);
                let counters = network.status(host).counters;
                assert!(counters.restored >= 2 && counters.sent[5] > 10, "{counters:?}");
            }
        }
    });
}

/// One end has a guard. Forged segments with right check values of all ports, and of the
/// connection's ports, change nothing.
#[test]
#[ignore = "long"]
fn forged_segments() {
    scenario("queue::forged_segments", |network| {
        for host in ["a", "b"] {
            for own in [3, 5] {
                let _guard = network.guard(host, own);
                let mut conversation = network.conversation(ADDRESSES[0]);
                conversation.upload(1000);
                let ports = "--ports 32768-60999 --source-ports 8080";
                let swapped = "--ports 8080 --source-ports 32768-60999";
                let (from, to, ports) = if host == "a" {
                    ("10.91.2.2", "10.91.1.2", ports)
                } else {
                    ("10.91.1.2", "10.91.2.2", swapped)
                };
                for value in [3, 4, 5] {
                    let count = Network::forged();
                    network.forge(&format!("{from} {to} {ports} --count {count} --value {value}"));
                }
                conversation.upload(1000);
                network.transfers(ADDRESSES[0], "pull", 1000);
                let status = network.status(host);
                let counters = status.counters;
                assert!(counters.claims + counters.orphans > 1000, "{counters:?}");
                assert_eq!((counters.adopted, counters.sent), (0, [0; GREATEST as usize + 1]));
                assert!(status.destinations.is_empty());
            }
        }
    });
}

/// Both ends have a guard. A flood of forged segments, and of SYNs to another port, hurts no
/// guarded connection, and new ones are guarded.
#[test]
#[ignore = "long"]
fn a_flood() {
    scenario("queue::a_flood", |network| {
        let (_a, _b) = (network.guard("a", 5), network.guard("b", 5));
        let mut conversation = network.conversation(ADDRESSES[0]);
        conversation.upload(1000);
        std::thread::scope(|scope| {
            let words = "10.91.1.2 10.91.2.2 --source-ports 1024-60999 --count 100000";
            // SYNs to the server's port would make its kernel send cookies, as without a guard.
            let floods = ["--ports 8080", "--ports 9 --flags 2", "--ports 8080 --value 5"]
                .map(|more| scope.spawn(move || network.forge(&format!("{words} {more}"))));
            while !floods.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                conversation.upload(1000);
                network.transfers(ADDRESSES[1], "push", 10_000);
            }
        });
        for host in ["a", "b"] {
            let status = network.status(host);
            assert_eq!(status.counters.agreed[0], 0, "{status:?}");
            assert!(status.destinations.is_empty(), "{status:?}");
        }
        assert!(network.status("a").counters.agreed[5] >= 2);
    });
}

/// Both ends have a guard. A flood of SYNs with requests to the server's port, and of segments with
/// right check values, comes from anywhere or in the client's name. Open connections go on, and no
/// new one becomes regular, in the flood and after it, however busy the machine is.
#[test]
#[ignore = "long"]
fn a_flood_of_requests() {
    scenario("queue::a_flood_of_requests", |network| {
        let (_a, _b) = (network.guard("a", 5), network.guard("b", 5));
        for from in ["--spread", ""] {
            network.flood_of_requests(from);
            for host in ["a", "b"] {
                let status = network.status(host);
                assert_eq!(status.counters.agreed[0], 0, "{from} {status:?}");
                // Connections that hang one after the other may lead to value 4.
                let is_guarded = status.destinations.iter().all(|each| each.value.is_some());
                assert!(is_guarded, "{from} {status:?}");
            }
        }
    });
}

/// A translator takes segments of value 3 for damaged. The host learns it.
#[test]
#[ignore = "long"]
fn value_3_behind_a_translator() {
    scenario("queue::value_3_behind_a_translator", |network| {
        must("ip netns exec r iptables -t nat -A POSTROUTING -o rb -j MASQUERADE");
        for has_route in [true, false] {
            let (a, b) = (network.guard("a", 3), network.guard("b", 3));
            if !has_route {
                must("ip -n b route del default");
            }
            let tries = (0..3).find(|_| network.client(ADDRESSES[0], "pull", 1000).ended().0);
            assert!(tries.is_some(), "{:?}", network.status("a"));
            let status = network.status("a");
            assert!(!status.destinations.is_empty() && status.counters.sent[4] > 0, "{status:?}");
            a.signal("TERM");
            b.signal("TERM");
            must("rm /run/state-va");
        }
    });
}

/// Changed sequence numbers behind a translator: value 4 delivers wrong bytes, value 7 none.
#[test]
#[ignore = "long"]
fn changed_numbers_behind_a_translator() {
    scenario("queue::changed_numbers_behind_a_translator", |network| {
        let _router = network.translates_and_changes_numbers();
        for value in [4, 7] {
            let guards = ["a", "b"].map(|host| network.guard(host, value));
            let wrong = network.wrong_transfers(1 << 20);
            for host in ["a", "b"] {
                let counters = network.status(host).counters;
                let received = counters.received[usize::from(value)];
                assert_eq!(counters.agreed[usize::from(value)], 4, "{wrong:?} {counters:?}");
                assert_eq!(!wrong.is_empty(), value == 4, "{wrong:?} {counters:?}");
                assert_eq!(received.bad() > 50, value == 7, "{counters:?}");
            }
            guards.into_iter().for_each(|guard| guard.signal("TERM"));
            must("rm -f /run/state-va /run/state-vb");
        }
    });
}

/// A guard without its interface ends, and says why.
#[test]
fn a_deleted_interface() {
    scenario("queue::a_deleted_interface", |network| {
        let guard = network.guard("a", 5);
        must("ip -n a link del va");
        let (is_right, text) = guard.ended();
        assert!(!is_right && text.contains("interface `va` is gone"), "{text}");
        let rules = must("ip netns exec a iptables-save").stdout;
        assert!(!String::from_utf8_lossy(&rules).contains("RESIDUE"));
    });
}

/// SIGUSR1 makes a guard forget failed destinations.
#[test]
#[ignore = "long"]
fn failed_destinations_are_forgotten() {
    scenario("queue::failed_destinations_are_forgotten", |network| {
        // Option 15 is removed on the way: value 4 fails.
        must(
            "ip netns exec r iptables -t mangle -A FORWARD -p tcp ! --syn -j TCPOPTSTRIP \
             --strip-options 15",
        );
        let guard = network.guard("a", 4);
        let _b = network.guard("b", 4);
        assert!(!network.client(ADDRESSES[0], "push", 100).ended().0);
        until("it is remembered", || !network.status("a").destinations.is_empty());
        network.transfers(ADDRESSES[0], "push", 100);
        must(&format!("kill -USR1 {}", guard.0.id()));
        until("it is forgotten", || network.status("a").destinations.is_empty());
    });
}

/// Data in a SYN have no check value: they come after the handshake.
#[test]
#[ignore = "long"]
fn fast_open() {
    scenario("queue::fast_open", |network| {
        for more in ["", "bare"] {
            let _server = network.fast_open(more);
            let guards = ["a", "b"].map(|host| network.guard(host, 5));
            for address in ADDRESSES {
                let count = network.requests_in_syns(address, more);
                assert_eq!(count, Some(0), "{address} {more}: {:?}", network.status("a"));
            }
            for host in ["a", "b"] {
                let counters = network.status(host).counters;
                assert_eq!((counters.agreed[5], counters.agreed[0]), (6, 0), "{counters:?}");
            }
            assert!(network.status("a").counters.fast_open_removed >= 6);
            guards.into_iter().for_each(|guard| guard.signal("TERM"));
            must("rm -f /run/state-va /run/state-vb");
        }
    });
}

/// As in the kernel engine's test: a pair of ports is used again at once.
#[test]
#[ignore = "long"]
fn ports_used_again() {
    scenario("queue::ports_used_again", |network| {
        let _server = network.script("b", "again.py serve");
        until("it answers", || network.used_again(ADDRESSES[0], 1));
        let _b = network.guard("b", 6);
        for value in [5, 4, 6] {
            let a = network.guard("a", value);
            for address in ADDRESSES {
                let is_right = network.used_again(address, 3);
                assert!(is_right, "{value}: {:?}", network.status("b"));
            }
            let agreed = network.status("a").counters.agreed;
            assert_eq!((agreed[0], agreed[usize::from(value)]), (0, 6), "{agreed:?}");
            a.signal("TERM");
        }
        let status = network.status("b");
        assert_eq!(status.counters.agreed, [0, 0, 0, 0, 6, 6, 6, 0], "{status:?}");
        assert!(status.destinations.is_empty(), "{status:?}");
    });
}

#[test]
#[ignore = "long"]
fn both_open_at_once() {
    scenario("queue::both_open_at_once", |network| {
        for value in [3, 5, 6, 7] {
            let guards = ["a", "b"].map(|host| network.guard(host, value));
            network.both_open_at_once();
            for host in ["a", "b"] {
                let agreed = network.status(host).counters.agreed;
                assert_eq!((agreed[0], agreed[usize::from(value)]), (0, 2), "{agreed:?}");
            }
            guards.into_iter().for_each(|guard| guard.signal("TERM"));
            must("rm -f /run/state-va /run/state-vb");
        }
    });
}

/// Hosts that do not ask for the MTU of paths, and a router with a smaller one. The guard asks, so
/// nothing is fragmented.
#[test]
fn a_path_that_fragments() {
    scenario("queue::a_path_that_fragments", |network| {
        let (_a, _b) = (network.guard("a", 5), network.guard("b", 5));
        network.never_asks_for_mtu();
        for (exit, kind) in [("rb", "push"), ("ra", "pull")] {
            must(&format!("ip -n r link set {exit} mtu 1300"));
            network.transfers(ADDRESSES[0], kind, FILE);
            must(&format!("ip -n r link set {exit} mtu 1500"));
        }
        let counters = network.status("a").counters;
        assert_eq!((counters.agreed[5], counters.agreed[0]), (2, 0), "{counters:?}");
    });
}

/// The path loses SYNs with the option: the connection is regular. It loses everything while others
/// open, longer than SYNs have the option alone: they are guarded.
#[test]
#[ignore = "long"]
fn an_outage() {
    scenario("queue::an_outage", |network| {
        let (_a, _b) = (network.guard("a", 5), network.guard("b", 5));
        let rule = |how: &str, rule: &str| {
            must(&format!("ip netns exec r iptables -w {how} FORWARD -p tcp {rule} -j DROP"));
        };
        let without = "--tcp-flags SYN,ACK SYN --tcp-option 14";
        rule("-A", without);
        network.transfers(ADDRESSES[0], "push", 1000);
        let counters = network.status("a").counters;
        assert_eq!((counters.agreed[0], counters.silent), (1, 1), "{counters:?}");
        rule("-D", without);
        rule("-A", "");
        let clients = [(); 4].map(|()| network.client(ADDRESSES[0], "push", 1000));
        until("copies are sent", || network.status("a").counters.silent >= 5);
        sleep(500);
        rule("-D", "");
        for client in clients {
            let (is_right, text) = client.ended();
            assert!(is_right, "{text}");
        }
        let status = network.status("a");
        assert_eq!((status.counters.agreed[5], status.counters.agreed[0]), (4, 1), "{status:?}");
        assert!(status.destinations.is_empty(), "{status:?}");
    });
}

/// Idle connections beside short ones.
#[test]
#[ignore = "long"]
fn idle_connections_beside_many() {
    scenario("queue::idle_connections_beside_many", |network| {
        let count = Network::short_connections();
        let (_a, _b) = (network.guard("a", 5), network.guard("b", 5));
        network.idle_beside_short(100, count, || {
            for host in ["a", "b"] {
                let status = network.status(host);
                assert!(status.counters.agreed[5] >= count as u64, "{status:?}");
                assert_eq!(status.counters.agreed[0], 0, "{status:?}");
            }
        });
    });
}
