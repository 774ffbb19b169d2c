//! Protection that stays on: outages, paths that lose or divide segments, and translations, with
//! the guard inside the kernel. Needs Linux 6.12 and root.

use super::hosts::{ADDRESSES, Network, kernel_scenario};
use residue_guard::Failure;
use residue_testing::{must, until};
use std::time::Duration;

const FILE: usize = 1 << 20;

fn sleep(time: Duration) {
    std::thread::sleep(time);
}

fn install(network: &Network, value: u8) {
    must("mount -t bpf bpf /sys/fs/bpf");
    for host in ["a", "b"] {
        network.install(host, value);
    }
}

/// Changes a rule of the router for IPv4 and IPv6.
fn router(how: &str, rule: &str) {
    for program in ["iptables", "ip6tables"] {
        must(&format!("ip netns exec r {program} -w {how} FORWARD -p tcp {rule}"));
    }
}

/// Asserts that every connection was guarded, and none is suspected.
fn all_are_guarded(network: &Network, what: &str) {
    for host in ["a", "b"] {
        let status = network.kernel_status(host);
        assert_eq!(status.counters.agreed[0], 0, "{what}, {host}: {status:?}");
        assert_eq!(status.counters.received[5].bad(), 0, "{what}, {host}: {status:?}");
        assert!(status.destinations.is_empty(), "{what}, {host}: {status:?}");
    }
}

/// The longest outage, in seconds.
fn longest() -> u64 {
    std::env::var("RESIDUE_OUTAGE").map_or(5, |text| text.parse().expect("a number of seconds"))
}

/// The path is cut while new connections send their first data, and while others open. All recover,
/// guarded, and so is every later one, whether or not a value has worked before.
#[test]
#[ignore = "long"]
fn outages() {
    kernel_scenario("lasting::outages", |network| {
        install(network, 5);
        let times = [200, 1000, 2500, 5000, 10_000, 30_000].map(Duration::from_millis);
        let longest = Duration::from_secs(longest());
        for (round, time) in times.into_iter().filter(|time| *time <= longest).enumerate() {
            let address = ADDRESSES[round % 2];
            let count = [1, 8][round % 2];
            let mut opened: Vec<_> = (0..count).map(|_| network.conversation(address)).collect();
            router("-A", "-j DROP");
            std::thread::scope(|scope| {
                for conversation in &mut opened {
                    scope.spawn(|| conversation.upload(1000));
                }
                // A pool replaces its connections.
                let mut pool = Vec::new();
                for _ in 0..4 {
                    pool.push(network.client(address, "patient", 1000));
                    sleep(time / 4);
                }
                router("-D", "-j DROP");
                for client in pool {
                    let (is_right, text) = client.ended();
                    assert!(is_right, "{time:?}: {text}");
                }
            });
            for address in ADDRESSES {
                network.transfers(address, "push", 10_000);
            }
            all_are_guarded(network, &format!("after {time:?}"));
        }
    });
}

/// The path loses SYNs with the option, then SYN-ACKs with it. Hosts learn it from two connections.
#[test]
#[ignore = "long"]
fn a_path_without_the_option() {
    kernel_scenario("lasting::a_path_without_the_option", |network| {
        install(network, 5);
        for (host, rule) in [
            ("a", "--tcp-flags SYN,ACK SYN --tcp-option 14 -j DROP"),
            ("b", "--tcp-flags SYN,ACK SYN,ACK --tcp-option 14 -j DROP"),
        ] {
            router("-A", rule);
            let before = network.kernel_status(host).counters.silent;
            for expected in [1, 2, 2, 2] {
                network.transfers(ADDRESSES[0], "push", 1000);
                let status = network.kernel_status(host);
                assert_eq!(status.counters.silent - before, expected, "{rule}: {status:?}");
            }
            let status = network.kernel_status(host);
            let failures: Vec<_> = status.destinations.iter().map(|each| each.failure).collect();
            assert_eq!(failures, [Failure::Silence], "{status:?}");
            router("-D", rule);
            network.forget(host);
            let agreed = || network.kernel_status(host).counters.agreed[5];
            let before = agreed();
            network.transfers(ADDRESSES[0], "push", 1000);
            assert_eq!(agreed() - before, 1);
        }
    });
}

/// Idle connections beside short ones. The map of those that have ended displaces its oldest from
/// 65,536 on.
#[test]
fn idle_connections_beside_many() {
    kernel_scenario("lasting::idle_connections_beside_many", |network| {
        let count = Network::short_connections();
        install(network, 5);
        network.idle_beside_short(100, count, || {
            for host in ["a", "b"] {
                let status = network.kernel_status(host);
                assert_eq!((status.guarded, status.unprotected), (100, 0), "{status:?}");
                assert!(status.counters.agreed[5] >= count as u64, "{status:?}");
            }
        });
        all_are_guarded(network, "all");
    });
}

/// Hosts that do not ask for the MTU of paths, and a router with a smaller one. The guard asks, so
/// nothing is fragmented.
#[test]
fn a_path_that_fragments() {
    kernel_scenario("lasting::a_path_that_fragments", |network| {
        install(network, 5);
        network.never_asks_for_mtu();
        for (exit, kind) in [("rb", "push"), ("ra", "pull")] {
            must(&format!("ip -n r link set {exit} mtu 1300"));
            network.transfers(ADDRESSES[0], kind, FILE);
            must(&format!("ip -n r link set {exit} mtu 1500"));
        }
        all_are_guarded(network, "all");
    });
}

/// A box fragments in spite of that. The receiver learns it from one connection.
#[test]
fn fragments_all_the_same() {
    kernel_scenario("lasting::fragments_all_the_same", |network| {
        install(network, 5);
        must("ip -n r link set rb mtu 1300");
        must("ip netns exec r nft add table ip t");
        must("ip netns exec r nft add chain ip t c { type filter hook prerouting priority 0 ; }");
        must("ip netns exec r nft add rule ip t c ip protocol tcp ip frag-off set 0");
        let lost = network.client(ADDRESSES[0], "push", FILE);
        until("it is learned", || !network.kernel_status("b").destinations.is_empty());
        let failure = network.kernel_status("b").destinations[0].failure;
        assert_eq!(failure, Failure::Large);
        drop(lost);
        network.transfers(ADDRESSES[0], "push", FILE);
    });
}

/// Large segments vanish, and nobody reports it. The sender learns it from two connections.
#[test]
#[ignore = "long"]
fn a_black_hole() {
    kernel_scenario("lasting::a_black_hole", |network| {
        install(network, 5);
        let rule = "-m length --length 1300: --tcp-option 15 -j DROP";
        router("-A", rule);
        network.transfers(ADDRESSES[0], "push", 500);
        for _ in 0..2 {
            assert!(network.kernel_status("a").destinations.is_empty());
            let lost = network.client(ADDRESSES[0], "push", FILE);
            // The fifth repetition comes after six seconds.
            sleep(Duration::from_secs(9));
            drop(lost);
        }
        let status = network.kernel_status("a");
        assert_eq!(status.destinations[0].failure, Failure::Large, "{status:?}");
        network.transfers(ADDRESSES[0], "push", FILE);
    });
}

/// Hosts that translate the addresses of their own connections, and the ports of others'.
#[test]
fn hosts_that_translate() {
    kernel_scenario("lasting::hosts_that_translate", |network| {
        install(network, 5);
        network.transfers_to_translated(FILE);
        all_are_guarded(network, "all");
        for host in ["a", "b"] {
            assert_eq!(network.kernel_status(host).counters.agreed[5], 6, "{host}");
        }
    });
}
