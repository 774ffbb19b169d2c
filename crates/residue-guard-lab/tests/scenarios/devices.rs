//! With the guard inside the kernel, on the devices and paths of other kernel modules. On one
//! machine, segments come through all of these with checksums that nobody has computed yet.

use super::hosts::{ADDRESSES, Network, kernel_scenario};
use residue_guard::kernel::Status;
use residue_testing::{must, skip, until};
use std::process::Command;

const FILE: usize = 1 << 20;

/// Runs a command line that kernels without a module refuse; skips the test then.
fn is_possible(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let output = Command::new(words[0]).args(&words[1..]).output().expect(line);
    if !output.status.success() {
        skip(&format!("{line}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    output.status.success()
}

/// Guards a device of each host, transfers both ways between their addresses, and removes the
/// guards.
fn transfer(network: &Network, devices: [&str; 2], addresses: [&str; 2], value: u8) -> [Status; 2] {
    for address in addresses {
        until("the path carries", || network.client(address, "pull", 1).ended().0);
    }
    for (host, device) in ["a", "b"].into_iter().zip(devices) {
        network.install_on(host, device, value);
    }
    network.both_ways(addresses, FILE);
    ["a", "b"].map(|host| {
        let status = network.kernel_status(host);
        let agreed = &status.counters.agreed;
        assert_eq!((agreed[usize::from(value)], agreed[0]), (4, 0), "{devices:?} {status:?}");
        assert!(status.broken.is_none() && status.destinations.is_empty(), "{status:?}");
        network.remove(host);
        status
    })
}

/// As [`transfer`], with each of the values, and nothing is dropped for a bad check value.
fn all_are_good(network: &Network, devices: [&str; 2], addresses: [&str; 2], values: &[u8]) {
    for &value in values {
        for status in transfer(network, devices, addresses, value) {
            let received = status.counters.received[usize::from(value)];
            assert_eq!(received.bad() + status.counters.bad_syns, 0, "{devices:?} {status:?}");
        }
    }
}

/// A value in an option, and one in the checksum field.
const BOTH: &[u8] = &[5, 3];

/// Joins the hosts by a tunnel of the kind, guards its ends, and removes it.
fn by_tunnel(network: &Network, kind: &str) {
    let ends = ["10.91.1.2", "10.91.2.2"];
    for (host, number, own, peer) in [("a", 1, ends[0], ends[1]), ("b", 2, ends[1], ends[0])] {
        let words = kind.replace("OWN", own).replace("PEER", peer);
        must(&format!("ip -n {host} link add end type {words}"));
        must(&format!("ip -n {host} addr add 10.92.0.{number}/24 dev end"));
        must(&format!("ip -n {host} addr add fd92::{number}/64 dev end nodad"));
        must(&format!("ip -n {host} link set end mtu 1400 up"));
    }
    all_are_good(network, ["end"; 2], ["10.92.0.2", "fd92::2"], BOTH);
    ["a", "b"].into_iter().for_each(|host| drop(must(&format!("ip -n {host} link del end"))));
}

/// Gives the addresses of a host to a device above or in place of its own.
fn move_addresses(host: &str, device: &str) {
    let number = if host == "a" { 1 } else { 2 };
    must(&format!("ip -n {host} addr flush dev v{host}"));
    must(&format!("ip -n {host} addr add 10.91.{number}.2/24 dev {device}"));
    must(&format!("ip -n {host} addr add fd91:0:0:{number}::2/64 dev {device} nodad"));
    must(&format!("ip -n {host} link set {device} up"));
    must(&format!("ip -n {host} route replace default via 10.91.{number}.1"));
    must(&format!("ip -n {host} -6 route replace default via fd91:0:0:{number}::1"));
}

#[test]
fn vxlan() {
    kernel_scenario("devices::vxlan", |network| {
        if !is_possible("ip link add probe type vxlan id 8 dstport 4789") {
            return;
        }
        must("mount -t bpf bpf /sys/fs/bpf");
        by_tunnel(network, "vxlan id 7 local OWN remote PEER dstport 4789");
    });
}

#[test]
fn a_bridge_and_a_macvlan() {
    kernel_scenario("devices::a_bridge_and_a_macvlan", |network| {
        if !is_possible("ip -n a link add bridge type bridge") {
            return;
        }
        must("mount -t bpf bpf /sys/fs/bpf");
        must("ip -n a link set va master bridge");
        must("ip -n b link add link vb name upper type macvlan mode bridge");
        move_addresses("a", "bridge");
        move_addresses("b", "upper");
        all_are_good(network, ["bridge", "upper"], ADDRESSES, BOTH);
    });
}

/// A router that tracks connections, drops what belongs to none, and translates addresses.
#[test]
fn connection_tracking() {
    kernel_scenario("devices::connection_tracking", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for program in ["iptables", "ip6tables"] {
            let rule = |words: &str| must(&format!("ip netns exec r {program} {words}"));
            rule("-A FORWARD -m conntrack --ctstate INVALID -j DROP");
            rule("-t nat -A POSTROUTING -o rb -j MASQUERADE");
        }
        all_are_good(network, ["va", "vb"], ADDRESSES, &[7]);
    });
}

/// Tunnels with and without link headers.
#[cfg(feature = "modules")]
#[test]
fn other_tunnels() {
    kernel_scenario("devices::other_tunnels", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for kind in ["gre", "gretap"] {
            by_tunnel(network, &format!("{kind} local OWN remote PEER"));
        }
        by_tunnel(network, "geneve id 7 remote PEER");
    });
}

/// IPVLAN on one host, and a bond on the other.
#[cfg(feature = "modules")]
#[test]
fn ipvlan_and_a_bond() {
    kernel_scenario("devices::ipvlan_and_a_bond", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        must("ip -n a link add link va name upper type ipvlan mode l2");
        must("ip -n b link add bond type bond mode active-backup");
        must("ip -n b link set vb down");
        must("ip -n b link set vb master bond");
        move_addresses("a", "upper");
        move_addresses("b", "bond");
        all_are_good(network, ["upper", "bond"], ADDRESSES, BOTH);
    });
}

/// Tagged frames: the guard is on the VLAN's device.
#[cfg(feature = "modules")]
#[test]
fn vlan() {
    kernel_scenario("devices::vlan", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for (host, number) in [("a", 1), ("b", 2)] {
            for (of, device, end) in [(host, format!("v{host}"), 2), ("r", format!("r{host}"), 1)] {
                must(&format!("ip -n {of} link add link {device} name {device}.7 type vlan id 7"));
                let address = |it: &str| must(&format!("ip -n {of} addr add {it} dev {device}.7"));
                address(&format!("10.93.{number}.{end}/24"));
                address(&format!("fd93:0:0:{number}::{end}/64 nodad"));
                must(&format!("ip -n {of} link set {device}.7 up"));
            }
            let other = 3 - number;
            must(&format!("ip -n {host} route add 10.93.{other}.0/24 via 10.93.{number}.1"));
            must(&format!(
                "ip -n {host} -6 route add fd93:0:0:{other}::/64 via fd93:0:0:{number}::1"
            ));
        }
        all_are_good(network, ["va.7", "vb.7"], ["10.93.2.2", "fd93:0:0:2::2"], BOTH);
    });
}

/// A path that loses, repeats, reorders and damages: nothing wrong is delivered.
#[cfg(feature = "modules")]
#[test]
fn netem() {
    kernel_scenario("devices::netem", |network| {
        must("mount -t bpf bpf /sys/fs/bpf");
        for device in ["ra", "rb"] {
            must(&format!(
                "tc -n r qdisc add dev {device} root netem limit 10000 delay 2ms 1ms \
                 loss 0.5% duplicate 1% reorder 10% 50% corrupt 1%"
            ));
        }
        let both = transfer(network, ["va", "vb"], ADDRESSES, 5);
        let bad: u64 = both.iter().map(|status| status.counters.received[5].bad()).sum();
        assert!(bad > 0, "nothing was damaged: {both:?}");
    });
}
