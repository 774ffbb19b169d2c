//! With the guard inside the kernel. Needs Linux 6.12 and root.

use super::hosts::{ADDRESSES, Network, kernel_scenario};
use residue_guard::kernel::{BY_XDP, LISTENING, Status};
use residue_guard::negotiate::GREATEST;
use residue_testing::{must, until};
use std::process::Command;

const FILE: usize = 1 << 20;

/// Guards both hosts. The server of `b` listens already.
fn install(network: &Network, value: u8) {
    must("mount -t bpf bpf /sys/fs/bpf");
    for host in ["a", "b"] {
        network.install(host, value);
    }
}

/// Asserts that every connection was guarded and nothing was dropped for a bad check value.
fn all_are_guarded(status: &Status, value: u8) {
    let counters = &status.counters;
    assert!(counters.agreed[usize::from(value)] > 0 && counters.agreed[0] == 0, "{status:?}");
    assert_eq!(counters.received[usize::from(value)].bad(), 0, "{status:?}");
    assert!(status.destinations.is_empty(), "{status:?}");
}

#[test]
#[ignore = "long"]
fn every_value_and_pair_of_values() {
    kernel_scenario("kernel::every_value_and_pair_of_values", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        let equal = (4..=GREATEST).map(|value| (value, value, value));
        let others = [(4, 5, 4), (5, 4, 4), (6, 5, 5), (5, 6, 5), (6, 4, 4)];
        let with_7 = [(7, 5, 7), (4, 7, 4), (7, 6, 7), (6, 7, 7)];
        all_agree(network, equal.chain(others).chain(with_7));
    });
}

/// Values that stand in the checksum field take a way of their own.
#[test]
#[ignore = "long"]
fn every_value_in_the_checksum_field() {
    kernel_scenario("kernel::every_value_in_the_checksum_field", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        let equal = (1..=3).map(|value| (value, value, value));
        let with_3 = [(3, 4, 4), (5, 3, 5), (3, 7, 7), (3, 6, 5), (6, 3, 5)];
        all_agree(network, equal.chain(with_3));
    });
}

/// Transfers files between guards with these requests, which agree on the third value of each.
fn all_agree(network: &Network, requests: impl Iterator<Item = (u8, u8, u8)>) {
    for (one, other, agreed) in requests {
        network.install("a", one);
        network.install("b", other);
        network.both_ways(ADDRESSES, FILE);
        for host in ["a", "b"] {
            let status = network.kernel_status(host);
            all_are_guarded(&status, agreed);
            assert_eq!(status.counters.agreed[usize::from(agreed)], 4);
            assert!(status.kernel.segmented > 0, "{status:?}");
            network.remove(host);
        }
    }
}

/// The engines understand each other, whichever opens the connection.
#[test]
#[ignore = "long"]
fn with_the_queue_engine() {
    kernel_scenario("kernel::with_the_queue_engine", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for (inside, other) in [("a", "b"), ("b", "a")] {
            let equal = (1..=GREATEST).map(|value| (value, value, value));
            let others = [(5, 3, 5), (6, 3, 5), (7, 3, 7), (7, 6, 7), (6, 7, 7)];
            for (value, theirs, agreed) in equal.chain(others) {
                network.install(inside, value);
                let guard = network.guard(other, theirs);
                network.both_ways(ADDRESSES, FILE);
                all_are_guarded(&network.kernel_status(inside), agreed);
                assert_eq!(network.status(other).counters.agreed[usize::from(agreed)], 4);
                guard.signal("TERM");
                must(&format!("rm -f /run/state-v{other}"));
                network.remove(inside);
            }
        }
    });
}

/// The router's exit has an MTU of 1280, then the client's own interface.
#[test]
fn a_smaller_mtu() {
    kernel_scenario("kernel::a_smaller_mtu", |network| {
        install(network, 5);
        network.uploads_on_smaller_paths(FILE);
        all_are_guarded(&network.kernel_status("a"), 5);
    });
}

#[test]
fn jumbo_frames() {
    kernel_scenario("kernel::jumbo_frames", |network| {
        for device in ["a link set va", "r link set ra", "r link set rb", "b link set vb"] {
            must(&format!("ip -n {device} mtu 9000"));
        }
        install(network, 6);
        network.both_ways(ADDRESSES, 4 * FILE);
        for host in ["a", "b"] {
            let status = network.kernel_status(host);
            all_are_guarded(&status, 6);
            // Acknowledgments included.
            assert!(status.counters.sent[6] < 4 * 4 * FILE as u64 / 4000, "{status:?}");
        }
    });
}

/// One end has a guard. Forged segments with right check values of all ports, and of the
/// connection's ports, change nothing.
#[test]
#[ignore = "long"]
fn forged_segments() {
    kernel_scenario("kernel::forged_segments", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for host in ["a", "b"] {
            network.install(host, 5);
            let mut conversation = network.conversation(ADDRESSES[0]);
            conversation.upload(1000);
            let (from, to, ports) = if host == "a" {
                ("10.91.2.2", "10.91.1.2", "--ports 32768-60999 --source-ports 8080")
            } else {
                ("10.91.1.2", "10.91.2.2", "--ports 8080 --source-ports 32768-60999")
            };
            for value in [3, 4, 5] {
                let count = Network::forged();
                network.forge(&format!("{from} {to} {ports} --count {count} --value {value}"));
            }
            conversation.upload(1000);
            network.transfers(ADDRESSES[0], "pull", 1000);
            let status = network.kernel_status(host);
            assert!(status.kernel.unconfirmed > 0, "{status:?}");
            assert_eq!((status.counters.sent, status.guarded), ([0; GREATEST as usize + 1], 0));
            assert!(status.destinations.is_empty());
            network.remove(host);
        }
    });
}

/// Both ends have a guard. A flood of forged segments and SYNs hurts no guarded connection, and new
/// ones are guarded.
#[test]
#[ignore = "long"]
fn a_flood() {
    kernel_scenario("kernel::a_flood", |network| {
        install(network, 5);
        let mut conversation = network.conversation(ADDRESSES[0]);
        conversation.upload(1000);
        std::thread::scope(|scope| {
            let words = "10.91.1.2 10.91.2.2 --source-ports 1024-60999 --ports 8080 --count 100000";
            let floods = ["", "--flags 2", "--value 5"]
                .map(|more| scope.spawn(move || network.forge(&format!("{words} {more}"))));
            while !floods.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                conversation.upload(1000);
                // While requests flood, a host answers with SYN cookies, and TCP itself may reset
                // a connection that is new.
                let mut tries = (0..3).map(|_| network.client(ADDRESSES[1], "push", 10_000));
                assert!(tries.any(|client| client.ended().0), "no connection is made");
            }
        });
        for host in ["a", "b"] {
            let status = network.kernel_status(host);
            assert!(status.counters.agreed[5] >= 2 && status.counters.agreed[0] == 0, "{status:?}");
            assert_eq!(status.counters.received[5].only_crc_bad, 0, "{status:?}");
            assert!(status.destinations.is_empty(), "{status:?}");
        }
    });
}

/// Both ends have a guard. A flood of SYNs with requests to the server's port, and of segments with
/// right check values, turns no connection regular.
#[test]
#[ignore = "long"]
fn a_flood_of_requests() {
    kernel_scenario("kernel::a_flood_of_requests", |network| {
        install(network, 5);
        network.flood_of_requests("--spread");
        for host in ["a", "b"] {
            let status = network.kernel_status(host);
            assert_eq!(status.counters.agreed[0], 0, "{status:?}");
            assert!(status.destinations.is_empty(), "{status:?}");
        }
    });
}

/// A translator changes what value 5 covers. The host learns it, and requests 4.
#[test]
#[ignore = "long"]
fn value_5_behind_a_translator() {
    kernel_scenario("kernel::value_5_behind_a_translator", |network| {
        must("ip netns exec r iptables -t nat -A POSTROUTING -o rb -j MASQUERADE");
        install(network, 5);
        let tries = (0..3).find(|_| network.client(ADDRESSES[0], "pull", 1000).ended().0);
        let status = network.kernel_status("a");
        assert!(tries.is_some(), "{status:?}");
        assert!(!status.destinations.is_empty() && status.counters.agreed[4] > 0, "{status:?}");
    });
}

/// Changed sequence numbers behind a translator: value 4 delivers wrong bytes, value 7 none.
#[test]
fn changed_numbers_behind_a_translator() {
    kernel_scenario("kernel::changed_numbers_behind_a_translator", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        let _router = network.translates_and_changes_numbers();
        for value in [4, 7] {
            ["a", "b"].into_iter().for_each(|host| network.install(host, value));
            let wrong = network.wrong_transfers(FILE);
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                let received = status.counters.received[usize::from(value)];
                let bad = received.bad() + status.kernel.out_of_window;
                assert_eq!(status.counters.agreed[usize::from(value)], 4, "{wrong:?} {status:?}");
                assert_eq!(!wrong.is_empty(), value == 4, "{wrong:?} {status:?}");
                assert_eq!(bad > 50, value == 7, "{status:?}");
                network.remove(host);
            }
        }
    });
}

/// The path loses everything while a connection opens: the next one is guarded again.
#[test]
fn an_outage() {
    kernel_scenario("kernel::an_outage", |network| {
        install(network, 5);
        must("ip netns exec r iptables -A FORWARD -p tcp -j DROP");
        let client = network.client(ADDRESSES[0], "push", 1000);
        std::thread::sleep(std::time::Duration::from_millis(2200));
        must("ip netns exec r iptables -D FORWARD -p tcp -j DROP");
        assert!(client.ended().0);
        network.transfers(ADDRESSES[0], "push", 1000);
        let status = network.kernel_status("a");
        assert!(status.counters.agreed[5] > 0, "{status:?}");
    });
}

/// Packets of a tunnel have no link header.
#[test]
fn a_tunnel() {
    kernel_scenario("kernel::a_tunnel", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        let _ends = [
            ("a", "tunnel.py tun0 10.91.1.2 10.91.2.2 --address 10.92.0.1/24 --address fd92::1/64"),
            ("b", "tunnel.py tun0 10.91.2.2 10.91.1.2 --address 10.92.0.2/24 --address fd92::2/64"),
        ]
        .map(|(host, words)| network.script(host, words));
        let addresses = ["10.92.0.2", "fd92::2"];
        for address in addresses {
            until("the tunnel carries", || network.client(address, "pull", 1).ended().0);
        }
        for value in [5, 1, 3] {
            for host in ["a", "b"] {
                network.install_on(host, "tun0", value);
            }
            network.both_ways(addresses, FILE);
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                all_are_guarded(&status, value);
                let kernel = &status.kernel;
                assert!(kernel.segmented > 0 && kernel.unsegmented == 0, "{status:?}");
                network.remove(host);
            }
        }
    });
}

/// The sockets of a connection signed by MD5 ask for nothing.
#[test]
fn a_signed_connection() {
    kernel_scenario("kernel::a_signed_connection", |network| {
        install(network, 5);
        let _server = network.script("b", "signed.py serve 10.91.2.2 10.91.1.2");
        until("it answers", || network.script("a", "signed.py ask 10.91.1.2 10.91.2.2").ended().0);
        for host in ["a", "b"] {
            let status = network.kernel_status(host);
            assert_eq!(status.kernel.requests + status.kernel.answers, 0, "{status:?}");
            assert_eq!(
                (status.counters.agreed, status.counters.sent),
                ([0; GREATEST as usize + 1], [0; GREATEST as usize + 1])
            );
        }
    });
}

/// Returns whether threads receive, as the host itself sees it: `ip netns exec` mounts its own
/// `/sys`.
fn has_threads(host: &str, interface: &str) -> bool {
    let file = format!("/sys/class/net/{interface}/threaded");
    let output = must(&format!("ip netns exec {host} cat {file}"));
    String::from_utf8_lossy(&output.stdout).trim() == "1"
}

/// Threads receive while the settings say so, on guarded interfaces of this host alone. What the
/// operator has switched on stays on.
#[test]
fn threads_that_receive() {
    kernel_scenario("kernel::threads_that_receive", |network| {
        // A veth device has receive queues only with XDP.
        if !network.has(BY_XDP) {
            return;
        }
        install(network, 5);
        // The same name in the namespace of the test, whose /sys this process sees.
        must("ip link add va type veth peer name vx");
        let seen = |network: &Network| network.kernel_status("a").interfaces[0].receive_threads;
        assert_eq!((seen(network), has_threads("a", "va")), (Some(false), false));
        for (words, is_on) in [("va 5 threads", true), ("va 5", false), ("va 4 threads", true)] {
            assert_eq!(network.asked_to_install("a", words), "on");
            assert_eq!((seen(network), has_threads("a", "va")), (Some(is_on), is_on), "{words}");
            network.transfers(ADDRESSES[0], "push", FILE);
            network.transfers(ADDRESSES[1], "pull", FILE);
        }
        // Its receive queues end with the interface, and the setting does not.
        must("ip -n a link set va down");
        must("ip -n a link set va up");
        assert!(has_threads("a", "va") && !has_threads("b", "vb"));
        network.remove("a");
        assert!(!has_threads("a", "va"));

        // Switched on by others, and then wanted by the guard, too.
        network.install("a", 5);
        let words = ["netns", "exec", "a", "sh", "-c", "echo 1 > /sys/class/net/va/threaded"];
        assert!(Command::new("ip").args(words).status().expect("ip runs").success());
        assert_eq!(network.asked_to_install("a", "va 5 threads"), "on");
        network.remove("a");
        assert!(has_threads("a", "va"));
    });
}

/// Segments are merged after their check: TCP gets few of them. A veth device merges by itself only
/// if its user asks for it; after the guard it is as before.
#[test]
fn segments_are_merged_after_their_check() {
    kernel_scenario("kernel::segments_are_merged_after_their_check", |network| {
        let merges = |host: &str, interface: &str| {
            let features = must(&format!("ip netns exec {host} ethtool -k {interface}"));
            let features = String::from_utf8_lossy(&features.stdout).into_owned();
            features.contains("generic-receive-offload: on")
        };
        let received = || {
            let counters = must("ip netns exec b cat /proc/net/snmp").stdout;
            let counters = String::from_utf8_lossy(&counters).into_owned();
            let numbers = counters.lines().filter(|line| line.starts_with("Ip: ")).nth(1);
            let number = numbers.and_then(|line| line.split(' ').nth(3));
            number.and_then(|number| number.parse::<u64>().ok()).expect("a number of packets")
        };
        let before = merges("b", "vb");
        install(network, 5);
        let by_xdp = network.has(BY_XDP);
        assert_eq!(merges("b", "vb"), before || by_xdp);
        assert_eq!(network.kernel_status("b").interfaces[0].merges, Some(before || by_xdp));
        let start = received();
        network.transfers(ADDRESSES[0], "push", 8 * FILE);
        let (packets, counters) = (received() - start, network.kernel_status("b").counters);
        let segments = counters.received[5].both_good;
        assert!(segments > 5000, "{segments}");
        assert!(!by_xdp || packets < segments / 2, "{packets} {segments}");
        network.remove("b");
        assert_eq!(merges("b", "vb"), before);
        // What its user has switched on stays on.
        must("ip netns exec b ethtool -K vb gro on");
        network.install("b", 5);
        network.remove("b");
        assert!(merges("b", "vb"));
    });
}

/// A bridge has no receive queues that a thread could serve, and a veth device none while it is
/// down.
#[test]
fn interfaces_without_receive_queues() {
    kernel_scenario("kernel::interfaces_without_receive_queues", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        must("ip -n a link add bridge type bridge");
        must("ip -n a link set bridge up");
        must("ip -n a link set va down");
        for interface in ["bridge", "va"] {
            let answer = network.asked_to_install("a", &format!("{interface} 5 threads"));
            let why = format!("refused: threads cannot receive the packets of {interface}: it is");
            assert!(answer.starts_with(&why), "{answer}");
            let devices = must("ip -n a -br link").stdout;
            assert!(!String::from_utf8_lossy(&devices).contains("rguard"));
            // Nothing is left in the way.
            network.install_on("a", interface, 5);
            network.remove("a");
        }
    });
}

/// Data in a SYN have no check value. A guard on both ends makes TCP send them again after the
/// handshake; with a guard on one end, Fast Open goes on.
#[test]
fn fast_open() {
    kernel_scenario("kernel::fast_open", |network| {
        if !network.has(LISTENING) {
            return;
        }
        must("mount -t bpf bpf /sys/fs/bpf");
        for more in ["", "bare"] {
            let _server = network.fast_open(more);
            network.install("b", 5);
            for address in ADDRESSES {
                let count = network.requests_in_syns(address, more);
                assert_eq!(count, Some(3), "{address} {more}: {:?}", network.kernel_status("b"));
            }
            network.install("a", 5);
            for address in ADDRESSES {
                let count = network.requests_in_syns(address, more);
                assert_eq!(count, Some(0), "{address} {more}: {:?}", network.kernel_status("a"));
            }
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                all_are_guarded(&status, 5);
                assert_eq!(status.counters.agreed[5], 6, "{status:?}");
            }
            assert!(network.kernel_status("a").counters.fast_open_removed >= 6);
            ["a", "b"].into_iter().for_each(|host| network.remove(host));
        }
    });
}

/// With value 6, such a connection is regular.
#[test]
#[ignore = "long"]
fn both_open_at_once() {
    kernel_scenario("kernel::both_open_at_once", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for value in 1..=GREATEST {
            ["a", "b"].into_iter().for_each(|host| network.install(host, value));
            network.both_open_at_once();
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                let guarded = if value == 6 { 0 } else { 2 };
                assert_eq!(status.counters.agreed[usize::from(value)], guarded, "{status:?}");
                assert_eq!(status.counters.received[usize::from(value)].bad(), 0, "{status:?}");
                network.remove(host);
            }
        }
    });
}

/// A server that closes first remembers a connection for a minute. Meanwhile its peer may use the
/// same ports again, with another value: guarded, with XDP and without.
#[test]
#[ignore = "long"]
fn ports_used_again() {
    kernel_scenario("kernel::ports_used_again", |network| {
        if !network.has(LISTENING) {
            return;
        }
        must("mount -t bpf bpf /sys/fs/bpf");
        let _server = network.script("b", "again.py serve");
        until("it answers", || network.used_again(ADDRESSES[0], 1));
        for more in ["", " oldest"] {
            assert_eq!(network.asked_to_install("b", &format!("vb 6{more}")), "on");
            for value in [5, 4, 6, 7] {
                assert_eq!(network.asked_to_install("a", &format!("va {value}{more}")), "on");
                for address in ADDRESSES {
                    let is_right = network.used_again(address, 3);
                    assert!(is_right, "{value}{more}: {:?}", network.kernel_status("b"));
                }
            }
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                assert_eq!(status.counters.agreed, [0, 0, 0, 0, 6, 6, 6, 6], "{status:?}");
                assert!(status.destinations.is_empty(), "{status:?}");
                network.remove(host);
            }
        }
    });
}

/// Filters of tc, which kernels before 6.6 need, without XDP. `off` removes them, whoever else has
/// removed them already.
#[test]
fn filters_of_old_kernels() {
    kernel_scenario("kernel::filters_of_old_kernels", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        let filters = |direction: &str| {
            let shown = must(&format!("tc -n a filter show dev va {direction}")).stdout;
            String::from_utf8_lossy(&shown).contains("guard_")
        };
        for (others, value) in [(false, 3), (true, 5)] {
            for host in ["a", "b"] {
                let words = format!("v{host} {value} oldest");
                assert_eq!(network.asked_to_install(host, &words), "on");
            }
            assert!(filters("egress") && filters("ingress"));
            network.both_ways(ADDRESSES, FILE);
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                let parts = ["egress", "segments", "complete", "ingress"];
                let parts = parts.map(|part| format!("{part}_filter"));
                let parts = [&["sockops".to_string()][..], &parts].concat();
                assert_eq!(status.interfaces[0].parts, parts);
                assert!(status.broken.is_none(), "{status:?}");
                all_are_guarded(&status, value);
                assert_eq!(status.counters.agreed[usize::from(value)], 4, "{status:?}");
                assert!(status.kernel.segmented > 0, "{status:?}");
            }
            if others {
                must("tc -n a qdisc del dev va clsact");
                let broken = network.kernel_status("a").broken.unwrap_or_default();
                assert!(broken.contains("its part `egress_filter` was detached"), "{broken}");
            }
            ["a", "b"].into_iter().for_each(|host| network.remove(host));
            assert!(!filters("egress") && !filters("ingress"));
            let devices = must("ip -n a -br link").stdout;
            assert!(!String::from_utf8_lossy(&devices).contains("rguard"));
        }
    });
}
