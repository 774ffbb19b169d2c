//! Tests the options of `residue pcap verify` that select packets, and the order and the columns of
//! its lists.

use crate::common::{Ran, typed};
use residue_testing::captures;
use std::fs;

fn verify(args: &[&str]) -> Ran {
    typed("pcap verify").args(args).within(&captures()).run()
}

/// A capture of the packets of others, a second apart. The first is an IPv4 packet with a good and
/// the others with a bad TCP checksum, in VXLAN and without.
fn mixed() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Vec::new();
    let names = ["tcp-v4.good.pcap", "vxlan-tcp.bad.pcap", "tcp-v6.bad.pcap", "vlan-tcp.bad.pcap"];
    for (second, name) in names.into_iter().enumerate() {
        let capture = fs::read(captures().join(name)).unwrap();
        if second == 0 {
            file.extend(&capture[..24]);
        }
        // One packet each.
        let length = u32::from_le_bytes(capture[32..36].try_into().unwrap());
        assert_eq!(capture.len(), 40 + length as usize, "{name}");
        file.extend((1_700_000_000 + second as u32).to_le_bytes());
        file.extend(&capture[28..]);
    }
    let path = dir.path().join("mixed.pcap");
    fs::write(&path, file).unwrap();
    let path = path.to_str().unwrap().to_string();
    (dir, path)
}

#[test]
fn filters_and_ranges_select_what_is_reported() {
    let (_dir, path) = mixed();
    // Arguments, exit code, packets of the list of TCP.
    let cases: [(&[&str], i32, &[u64]); 14] = [
        (&[], 1, &[1, 2, 3, 4]),
        (&["--filter", ""], 1, &[1, 2, 3, 4]),
        (&["--filter", "udp port 4789"], 1, &[2]),
        (&["--filter", "not udp"], 1, &[1, 3, 4]),
        (&["--filter", "vlan"], 1, &[4]),
        (&["--filter", "ip6 and tcp"], 1, &[3]),
        (&["--filter", "tcp and not ip6 and not vlan and not vxlan"], 2, &[]),
        (&["--filter", "tcp and not (ip6 or vlan or udp)"], 0, &[1]),
        (&["--filter", "arp"], 0, &[]),
        (&["--from", "1", "--to", "3s"], 1, &[2, 3]),
        (&["--to", "2023-11-14T22:13:21.1Z"], 0, &[1]),
        (&["--from", "2023-11-14T23:13:23+01:00"], 1, &[4]),
        (&["--from", "1h"], 0, &[]),
        (&["--from", "1", "--filter", "ip"], 1, &[2, 4]),
    ];
    for (args, code, packets) in cases {
        let ran = verify(&[&["--json", "--list=all", &path], args].concat());
        ran.ends(code);
        if code == 2 {
            continue;
        }
        let lines = ran.json_lines();
        let listed = lines[1..].iter().filter(|line| line["protocol"] == "tcp");
        let listed: Vec<u64> = listed.map(|line| line["packet"].as_u64().unwrap()).collect();
        assert_eq!(listed, packets, "{args:?}");
        let count = (!args.is_empty()).then_some(packets.len() as u64);
        assert_eq!(lines[0]["selected_packets"].as_u64(), count, "{args:?}");
        assert_eq!(lines[0]["packets"], 4);
        let total = lines[0]["total"].as_object().unwrap();
        let total: u64 = total.iter().filter_map(|(_, number)| number.as_u64()).sum();
        assert_eq!(total, lines.len() as u64 - 1, "{args:?}");
        // The text agrees.
        let text = verify(&[&["--list=all", &path], args].concat());
        assert_eq!(text.code, code);
        let listed = text.text().lines().filter(|line| line.contains(": tcp ")).count();
        assert_eq!(listed, packets.len(), "{args:?}");
        if let Some(count) = count {
            let title = format!("mixed.pcap: pcap, 4 packets, {count} selected\n");
            assert!(text.text().contains(&title), "{args:?}: {}", text.text());
        }
    }
}

#[test]
fn wrong_filters_and_times_are_explained() {
    let ran = verify(&["--filter", "host 10.0.0.1 and tcp prot 80", "nosuch"]);
    ran.ends(2);
    assert_eq!(
        ran.err,
        "residue: --filter: expected `and`, `or`, or a word such as `host` or `port` after `tcp`\n\
         \u{20} host 10.0.0.1 and tcp prot 80\n\
         \u{20}                       ^^^^\n"
    );
    for (args, message) in [
        (&["--filter", "tcp[13] & 2 != 0"][..], "comparisons of bytes"),
        (&["--filter", "(((("], "expected a primitive"),
        (&["--filter", "host \u{1b}[31m"], "no character `\\u{1b}`"),
        (&["--from", "yesterday"], "expected a time (2026-11-23T10:00:00Z"),
        (&["--to", "2026-11-23"], "expected a time"),
        (&["--time=local"], "invalid value 'local'"),
    ] {
        let ran = verify(&[args, &["tcp-v4.good.pcap"]].concat());
        ran.ends(2);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains('\u{1b}'), "{args:?}: {}", ran.err);
    }
}

#[test]
fn lists_show_times_and_link_types() {
    let (_dir, path) = mixed();
    let first = |args: &[&str]| {
        let ran = verify(&[args, &["--list", &path]].concat());
        ran.ends(1).lines().next().unwrap().to_string()
    };
    let start = "packet 2 at 2023-11-14T22:13:21.123456000Z: tcp ";
    assert!(first(&["--time"]).starts_with(start), "{}", first(&["--time"]));
    assert!(first(&["--time=relative"]).starts_with("packet 2 after 1.000000000 s: tcp "));
    assert!(first(&["--link"]).starts_with("packet 2 (ETHERNET): tcp "));
    let both = first(&["--link", "--time=relative", "--from", "2"]);
    assert!(both.starts_with("packet 3 after 2.000000000 s (ETHERNET): tcp "), "{both}");
    let csv = verify(&["--csv", "--list", &path]);
    let row = csv.ends(1).lines().nth(1).unwrap();
    assert!(row.ends_with(",2023-11-14T22:13:21.123456000Z,ETHERNET"), "{row}");
    let several = verify(&["--list", "--link", &path, "raw-tcp.bad.pcap"]);
    let text = several.ends(1);
    assert!(text.contains("\nraw-tcp.bad.pcap: packet 1 (RAW): tcp "), "{text}");
}

/// Values of streams and of reassembled datagrams are found late, and listed in their places.
#[test]
fn lists_are_in_the_order_of_packets() {
    let mut late = 0;
    for name in ["iscsi.pcap", "fragments-v4.bad.pcap", "fragments-v6.bad.pcap"] {
        let json = verify(&["--json", "--list=all", name]);
        let lines = json.json_lines();
        let number = |line: &serde_json::Value| line["packet"].as_u64().unwrap();
        let packets: Vec<u64> = lines[1..].iter().map(number).collect();
        assert!(packets.is_sorted(), "{name}: {packets:?}");
        let text = verify(&["--list=all", name]);
        let listed = text.text().lines().filter_map(|line| line.strip_prefix("packet "));
        let listed: Vec<u64> =
            listed.map(|line| line.split(':').next().unwrap().parse().unwrap()).collect();
        assert_eq!(listed, packets, "{name}");
        let csv = verify(&["--csv", "--list=all", name]);
        let rows: Vec<u64> = csv
            .text()
            .lines()
            .skip(1)
            .map(|row| row.split(',').nth(1).unwrap().parse().unwrap())
            .collect();
        assert_eq!(rows, packets, "{name}");
        let digests = lines
            .iter()
            .filter(|line| line["protocol"].as_str().is_some_and(|name| name.starts_with("iscsi")));
        late += digests.count();
    }
    assert!(late > 10, "{late}");
}
