//! Tests `residue pcap verify`.

use crate::common::{RESIDUE, Ran, residue, typed};
use residue_net::check::Verdict;
use residue_testing::captures;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn verify(args: &[&str]) -> Ran {
    typed("pcap verify").args(args).within(&captures()).run()
}

#[test]
fn what_is_printed() {
    assert_eq!(
        verify(&["--list", "nat6-tcp.bad.pcap"]).ends(1).lines().skip(6).collect::<Vec<_>>(),
        [
            "packet 7: tcp [2001:db8::1]:1234 -> [2001:db8::2]:80: bad, 1D28, should be 1D9E, \
                rewritten",
            "packet 8: tcp [2001:db8::1]:1234 -> [2001:db8::2]:80: bad, 0BB4, should be 0C2A, \
                rewritten",
            "nat6-tcp.bad.pcap: pcap, 8 packets",
            "",
            "protocol  good  bad",
            "TCP          -    8",
            "",
            "values  cause",
            "     8  rewritten: tcp (1 in 10^34 by chance)",
            "",
            "packets  rewritten",
            "      8  2001:db8::1 -> 2001:db8::2, lacking 0076: an address or a port was changed \
                (1 in 10^34 by chance)",
            "",
            "wrong  sender",
            "    8  2001:db8::1",
            "",
            "wrong  flow",
            "    8  tcp [2001:db8::1]:1234 -> [2001:db8::2]:80",
            "",
            "8 check values wrong",
        ]
    );
    assert_eq!(
        verify(&["--list=all", "cut-tcp.bad.pcap"]).ends(0),
        "packet 1: ip 192.0.2.1 -> 192.0.2.2: good, AC98\n\
         packet 1: tcp 192.0.2.1:1234 -> 192.0.2.2:80: unverifiable, 95DD: \
         the capture cuts the packet short\n\
         cut-tcp.bad.pcap: pcap, 1 packet, 1 cut short\n\
         \n\
         protocol     good  bad  unverifiable\n\
         IPv4 header     1    -             -\n\
         TCP             -    -             1\n\
         \n\
         values  unverifiable\n\
         \u{20}    1  the capture cuts the packet short\n\
         \n\
         nothing wrong, 1 unverifiable\n"
    );
    assert_eq!(
        verify(&["--top", "1", "offload-both.bad.pcap"]).ends(0),
        "offload-both.bad.pcap: pcap, 1 packet\n\
         \n\
         protocol     good  bad  offloaded\n\
         IPv4 header     2    -          -\n\
         TCP             -    -          1\n\
         UDP             -    -          1\n\
         \n\
         values  cause\n\
         \u{20}    2  offload: tcp 1 (1 in 33000 by chance), udp 1 (1 in 33000 by chance)\n\
         \n\
         offloaded  sender\n\
         \u{20}       1  10.0.0.1\n\
         \u{20}          and 1 more (--top shows more)\n\
         \n\
         offloaded  flow\n\
         \u{20}       1  tcp 10.0.0.1:1234 -> 10.0.0.2:80\n\
         \u{20}          and 1 more (--top shows more)\n\
         \n\
         nothing wrong, 2 left to the network card\n"
    );
    let strict = verify(&["--strict", "--top", "0", "offload-both.bad.pcap"]);
    let text = strict.ends(1);
    assert!(text.ends_with("\n2 check values wrong, 2 of them left to the network card\n"));
    assert!(!text.contains("sender") && !text.contains("flow") && !text.contains("more"), "{text}");
    assert!(verify(&["gzip.good.pcap.gz"]).ends(0).starts_with("gzip.good.pcap.gz: pcap, gzip, 1"));
    assert!(
        verify(&["nanoseconds.good.pcap"]).ends(0).contains(": pcap with nanoseconds, 1 packet")
    );
    assert!(verify(&["pcapng.good.pcapng"]).ends(0).contains(": pcapng, 1 packet\n"));
}

/// The JSON has everything that the text and the table have.
#[test]
fn formats_agree() {
    for name in [
        "iscsi.pcap",
        "nat-tcp.bad.pcap",
        "offload-both.bad.pcap",
        "udp-length.bad.pcap",
        "udp-zero-v6.bad.pcap",
        "lone-fragment.bad.pcap",
        "flip-tcp.bad.pcap",
        "tcp-alternate-unseen.bad.pcap",
    ] {
        let ran = verify(&["--json", "--list=all", "--top", "5", name]);
        let lines = ran.json_lines();
        let (json, checks) = lines.split_first().unwrap();
        assert_eq!((&json["type"], &json["capture"]), (&"capture".into(), &name.into()));
        assert_eq!(json["error"], serde_json::Value::Null);
        let text = verify(&["--list=all", "--top", "5", name]);
        assert_eq!(text.code, ran.code);
        let text = text.text();
        let first =
            format!("\n{name}: {}, {} packet", json["format"].as_str().unwrap(), json["packets"]);
        assert!(text.contains(&first), "{text}");

        let csv = verify(&["--csv", name]);
        let mut rows = csv.text().lines();
        let names: Vec<&str> = rows.next().unwrap().split(',').collect();
        let mut protocols = 0;
        for row in rows {
            protocols += 1;
            let row: Vec<&str> = row.split(',').collect();
            assert_eq!((row.len(), row[0]), (names.len(), name));
            let counts = &json["protocols"][row[1]];
            let mut shown = Vec::new();
            for (&column, &number) in names.iter().zip(&row).skip(2) {
                assert_eq!(counts[column].to_string(), number, "{name}: {column}");
                if number != "0" {
                    shown.push(number);
                }
            }
            let title = counts["title"].as_str().unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix(title)?.strip_prefix(' '));
            let line = line.unwrap_or_else(|| panic!("{name}: {title}"));
            let numbers: Vec<&str> = line.split_whitespace().filter(|word| *word != "-").collect();
            assert_eq!(numbers, shown, "{name}: {title}");
        }
        assert_eq!(protocols, json["protocols"].as_object().unwrap().len());

        let csv = verify(&["--csv", "--list=all", name]);
        let rows: Vec<&str> = csv.text().lines().skip(1).collect();
        assert_eq!(rows.len(), checks.len());
        for ((check, row), line) in checks.iter().zip(rows).zip(text.lines()) {
            assert_eq!((&check["type"], &check["capture"]), (&"check".into(), &name.into()));
            let word = |field: &str| check[field].as_str().unwrap_or_default().to_string();
            let start = format!("packet {}: {}", check["packet"], word("protocol"));
            assert!(line.starts_with(&start) && line.contains(&word("verdict")), "{line}");
            for part in ["cause", "detail", "stored", "source", "destination", "reason"] {
                assert!(line.contains(&word(part)) && row.contains(&word(part)), "{line}: {part}");
            }
            assert_eq!(row.split(',').nth(1).unwrap(), check["packet"].to_string());
            let [link, time, offset] = [0, 1, 2].map(|at| row.rsplit(',').nth(at).unwrap());
            assert_eq!(offset, check["offset"].to_string());
            assert_eq!((link, time), (&*word("link"), &*word("time")));
        }
        let text_of = |value: &serde_json::Value| value.as_str().unwrap().to_string();
        for (cause, protocols) in json["causes"].as_object().unwrap() {
            assert!(text.contains(&format!("  {cause}: ")), "{text}");
            for protocol in protocols.as_object().unwrap().keys() {
                let chance = json["chances"][cause][protocol].as_f64();
                let is_small = chance.is_some_and(|chance| chance > 0.0 && chance <= 1e-3);
                assert!(is_small || cause == "unknown", "{cause} {protocol}: {chance:?}");
            }
        }
        for sender in json["senders"].as_array().unwrap() {
            assert!(text.contains(&format!("  {}\n", text_of(&sender["address"]))), "{text}");
        }
        for rewrite in json["rewritten"].as_array().unwrap() {
            assert!(text.contains(&text_of(&rewrite["lacking"])), "{text}");
        }
        for flow in json["flows"].as_array().unwrap() {
            assert!(text.contains(&format!("  {} ", text_of(&flow["protocol"]))), "{text}");
        }
    }
}

/// A zero IPv4 header checksum beside offloaded values of its sender is no damage.
#[test]
fn offloaded_headers() {
    for name in ["offload-ip", "offload-ip-icmp", "offload-ip-cut"] {
        let name = format!("{name}.bad.pcap");
        let text = verify(&["--list", &name]).ends(0).to_string();
        let line = "ip 192.0.2.1 -> 192.0.2.2: offloaded, 0000, should be ";
        assert!(text.contains(line) && text.contains("\nnothing wrong, "), "{text}");
        verify(&["--strict", &name]).ends(1);
        let json = verify(&["--json", &name]).json();
        let header = &json["protocols"]["ip"];
        assert_eq!((&header["bad"], &header["offloaded"]), (&0.into(), &1.into()), "{name}");
        assert_eq!(json["causes"]["offload"]["ip"], 1, "{name}");
    }
    // Of a sender whose other values are good, it is an error.
    assert!(verify(&["zeroed.bad.pcap"]).ends(1).contains("zeroed: tcp (1 in 66000 by chance)"));
}

#[test]
fn csv() {
    assert_eq!(
        verify(&["--csv", "udp-length.bad.pcap", "tcp-offload.bad.pcap"]).ends(1),
        "capture,protocol,good,bad,offloaded,absent,illegal,unverifiable,length_conflict\n\
         udp-length.bad.pcap,ip,1,0,0,0,0,0,0\n\
         udp-length.bad.pcap,udp,0,0,0,0,0,0,1\n\
         tcp-offload.bad.pcap,ip,1,0,0,0,0,0,0\n\
         tcp-offload.bad.pcap,tcp,0,0,1,0,0,0,0\n"
    );
    assert_eq!(
        verify(&["--csv", "--list", "flip-tcp.bad.pcap"]).ends(1),
        "capture,packet,protocol,verdict,reason,cause,detail,stored,computed,source,destination,\
         source_port,destination_port,offset,time,link\n\
         flip-tcp.bad.pcap,1,tcp,bad,,flipped-bit,bit 11 of a 16-bit word,CF87,C787,\
         192.0.2.1,192.0.2.2,1234,80,90,2023-11-14T22:13:20.123456000Z,ETHERNET\n"
    );
    // A name with a comma and quotes.
    let dir = tempfile::tempdir().unwrap();
    fs::copy(captures().join("tcp-v4.good.pcap"), dir.path().join("a,\"b\".pcap")).unwrap();
    let ran = typed("pcap verify --csv a,\"b\".pcap").within(dir.path()).run();
    assert!(ran.ends(0).contains("\n\"a,\"\"b\"\".pcap\",tcp,1,"), "{}", ran.text());
}

/// A capture of two packets in Aruba's GRE, one of ESP, and one of an unknown protocol, without
/// data.
fn with_tunnels() -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    let gre = &[0, 0, 0x90, 0, 1, 2, 3, 4][..];
    for (protocol, inner) in [(47, gre), (50, &[1; 8]), (47, gre), (253, &[])] {
        let length = 20 + inner.len() as u8;
        let header = [0x45, 0, 0, length, 0, 0, 0, 0, 64, protocol, 0, 0];
        let mut packet = [&header[..], &[192, 0, 2, 1, 192, 0, 2, 2], inner].concat();
        let value = residue::internet::checksum(&packet[..20]);
        packet[10..12].copy_from_slice(&value.to_be_bytes());
        for word in [0, 0, u32::from(length), u32::from(length)] {
            file.extend(word.to_le_bytes());
        }
        file.extend(packet);
    }
    file
}

#[test]
fn what_is_not_followed_is_reported_once_for_each_kind_and_strict_makes_it_an_error() {
    let run = |args: &[&str]| {
        residue([&["pcap", "verify"], args, &["-"]].concat()).input(&with_tunnels()).run()
    };
    assert_eq!(
        run(&[]).ends(0),
        "-: pcap, 4 packets\n\
         \n\
         protocol     good  bad\n\
         IPv4 header     4    -\n\
         \n\
         packets  not followed\n\
         \u{20}     2  GRE protocol 9000 (Aruba)\n\
         \u{20}     1  IP protocol 50 (ESP: encrypted)\n\
         \n\
         nothing wrong, 3 packets not followed\n"
    );
    let json = run(&["--json"]);
    json.ends(0);
    assert_eq!(
        json.json()["not_followed"],
        serde_json::json!([
            { "kind": "GRE protocol", "value": 0x9000, "name": "Aruba", "packets": 2,
              "protocol": "GRE protocol 9000 (Aruba)" },
            { "kind": "IP protocol", "value": 50, "name": "ESP: encrypted", "packets": 1,
              "protocol": "IP protocol 50 (ESP: encrypted)" },
        ])
    );
    for args in [&["--strict"][..], &["--strict", "--json"], &["--strict", "--csv"]] {
        run(args).ends(1);
    }
    // `pcap fix` and `pcap survey` report these packets as well.
    let tunnels = with_tunnels();
    let fix = typed("pcap fix -n -").input(&tunnels).run();
    assert_eq!(
        fix.ends(0),
        "0 would be repaired, 0 wrong left as they are, 3 packets not followed\n"
    );
    let survey = typed("pcap survey --json -").input(&tunnels).run();
    assert_eq!(survey.json()["packets_not_followed"], 3);
}

/// The fixture whose good frame is encrypted, so that what is inside is not followed.
const ENCRYPTED: &str = "wlan-decrypted";

#[test]
fn the_own_good_captures_are_followed_to_their_ends() {
    for case in residue_fixtures::cases() {
        let name = format!("{}.good.{}", case.name, case.format.extension());
        let json = verify(&["--json", &name]).json();
        let ends = json["not_followed"].as_array().expect("a list").len();
        assert_eq!(ends, usize::from(case.name == ENCRYPTED), "{name}");
    }
}

/// Checks the exit code of every case. Offload is wrong only with `--strict`.
#[test]
fn exit_codes() {
    let code = |verdicts: &[(&str, Verdict)], strict: bool| {
        let wrong = |verdict| match verdict {
            Verdict::Bad | Verdict::Illegal | Verdict::LengthConflict => true,
            Verdict::Offloaded => strict,
            Verdict::Good | Verdict::Absent | Verdict::Unverifiable(_) => false,
        };
        i32::from(verdicts.iter().any(|&(_, verdict)| wrong(verdict)))
    };
    for case in residue_fixtures::cases() {
        let end = case.format.extension();
        for (side, verdicts) in [("good", &case.good_verdicts), ("bad", &case.bad_verdicts)] {
            let name = format!("{}.{side}.{end}", case.name);
            verify(&[&name]).ends(code(verdicts, false));
            let strict = if case.name == ENCRYPTED { 1 } else { code(verdicts, true) };
            verify(&["--strict", "--csv", &name]).ends(strict);
        }
    }
}

#[test]
fn several_and_folders() {
    let ran = verify(&["tcp-v4.good.pcap", "nosuch", "tcp-v4.bad.pcap"]);
    let text = ran.ends(2);
    assert_eq!(ran.err, "residue: nosuch: No such file or directory\n");
    assert!(text.starts_with("tcp-v4.good.pcap: pcap, 1 packet\n"), "{text}");
    assert!(text.contains("\n\ntcp-v4.bad.pcap: pcap, 1 packet\n"), "{text}");
    assert!(
        text.ends_with(
            "\n3 captures, 1 with wrong check values, 1 that could not be read to the end\n"
        ),
        "{text}"
    );
    let listed = verify(&["--list", "tcp-v4.good.pcap", "tcp-v4.bad.pcap"]);
    assert!(listed.ends(1).contains("\ntcp-v4.bad.pcap: packet 1: tcp "), "{}", listed.text());

    let ran = verify(&["--json", "nosuch", "tcp-v4.good.pcap"]);
    ran.ends(2);
    let lines = ran.json_lines();
    assert_eq!((&lines[0]["type"], &lines[1]["type"]), (&"error".into(), &"capture".into()));
    assert_eq!(lines[0]["error"], "No such file or directory");
    assert_eq!(lines[1]["total"]["good"], 2);

    // In folders captures are recognised by name; a named file is always read.
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::create_dir_all(at("empty")).unwrap();
    let good = fs::read(captures().join("tcp-v4.good.pcap")).unwrap();
    for name in ["a/b/one.CAP", "a/two.pcap", "a/notes.txt", "z.pcap"] {
        fs::write(at(name), &good).unwrap();
    }
    fs::copy(captures().join("gzip.good.pcap.gz"), at("a/three.pcap.gz")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("z.pcap"), at("a/link.pcap")).unwrap();
    let run = |names: &[&str]| typed("pcap verify --csv").args(names).within(dir.path()).run();
    let ran = run(&["a", "a/notes.txt"]);
    let names: Vec<&str> = ran.ends(0).lines().skip(1).step_by(2).collect();
    let names: Vec<&str> = names.iter().map(|row| row.split(',').next().unwrap()).collect();
    let link: &[&str] = if cfg!(unix) { &["a/link.pcap"] } else { &[] };
    let expected =
        [&["a/b/one.CAP"], link, &["a/three.pcap.gz", "a/two.pcap", "a/notes.txt"]].concat();
    assert_eq!(names, expected);
    // No check values is not the same as none wrong.
    let ran = run(&["empty"]);
    ran.ends(2);
    assert!(ran.err.starts_with("residue: empty: no captures in this folder"), "{}", ran.err);
}

#[test]
fn standard_input() {
    for (name, format) in [
        ("tcp-v4.bad.pcap", "pcap"),
        ("gzip.bad.pcap.gz", "pcap, gzip"),
        ("pcapng.bad.pcapng", "pcapng"),
    ] {
        let bytes = fs::read(captures().join(name)).unwrap();
        for args in [&["--list"][..], &["-"], &["--list", "-"]] {
            let args = [&["pcap", "verify"], args].concat();
            let ran = residue(&args).input(&bytes).run();
            assert!(ran.ends(1).contains(&format!("-: {format}, 1 packet\n")), "{}", ran.text());
            let listed = ran.text().starts_with("packet 1: tcp ");
            assert_eq!(listed, args.contains(&"--list"));
        }
    }
    let ran = typed("pcap verify").run();
    ran.ends(2);
    assert_eq!(ran.err, "residue: -: the file is empty: no capture, not even a header\n");
}

#[test]
fn what_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(captures().join("nat-tcp.bad.pcap")).unwrap();
    let gzip = fs::read(captures().join("gzip.bad.pcap.gz")).unwrap();
    for (name, bytes) in [
        ("empty", &[][..]),
        ("text", b"hello, world"),
        ("cut", &whole[..whole.len() - 10]),
        ("header", &whole[..24]),
        ("half-header", &whole[..20]),
        ("cut.gz", &gzip[..gzip.len() - 12]),
        ("a\x1b[31mb", b"x"),
    ] {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    let run = |args: &[&str]| typed("pcap verify").args(args).within(dir.path()).run();
    for (name, message) in [
        ("nosuch", "residue: nosuch: No such file or directory\n"),
        ("empty", "residue: empty: the file is empty: no capture, not even a header\n"),
        ("text", "residue: text: not a capture: it begins with the bytes 68 65 6c 6c; "),
        (
            "half-header",
            "residue: half-header: the file ends inside the record at byte 0, after packet 0: 20 \
                of 24",
        ),
        ("cut.gz", "residue: cut.gz: the gzip data is damaged or cut short"),
        ("a\x1b[31mb", "residue: a\\u{1b}[31mb: not a capture"),
    ] {
        let ran = run(&[name]);
        ran.ends(2);
        assert!(ran.err.starts_with(message), "{name}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
    assert!(
        run(&["header"]).ends(0).ends_with(": pcap, 0 packets\nno check values that are known\n")
    );

    // The part before the end is reported, and wrong values are listed.
    let error = "the file ends inside the record at byte 738, after packet 7: 88 of 98 bytes are \
        there; packets before \
                 are complete";
    let ran = run(&["--list", "cut"]);
    let text = ran.ends(2);
    assert_eq!(text.lines().filter(|line| line.starts_with("packet ")).count(), 7);
    assert!(
        text.contains("\nTCP             -    7\n") && text.ends_with("\n7 check values wrong\n")
    );
    assert_eq!(ran.err, format!("residue: cut: {error}\n"));
    let ran = run(&["--json", "cut"]);
    ran.ends(2);
    let json = ran.json();
    assert_eq!(json["error"], error);
    assert_eq!(json["total"]["bad"], 7);
    assert_eq!(run(&["--csv", "cut"]).ends(2).lines().count(), 3);
}

#[test]
fn colour_is_for_those_who_ask() {
    let plain = verify(&["--list", "tcp-v4.bad.pcap"]);
    assert!(!plain.text().contains('\x1b'));
    let coloured = typed("pcap verify --list tcp-v4.bad.pcap")
        .within(&captures())
        .with("CLICOLOR_FORCE", "1")
        .run();
    let mut text = String::new();
    for (at, part) in coloured.text().split('\x1b').enumerate() {
        text += if at == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    assert_ne!(coloured.text(), text);
    assert_eq!(text, plain.text());
}

/// A closed pipe ends the printing, not the search, and is no error.
#[test]
fn closed_pipes() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.pcap");
    let out = out.to_str().unwrap();
    let good = ["pcap", "verify", "--list=all", "iscsi.pcap", "tcp-v4.good.pcap"];
    // The wrong value comes after more data than any buffer holds.
    let bad = [&good[..3], &["iscsi.pcap"; 40], &["nat-tcp.bad.pcap"]].concat();
    let broken = [&bad[..], &["nosuch"]].concat();
    for (args, code) in [
        (&good[..], 0),
        (&bad, 1),
        (&[&["pcap", "verify", "--json", "--list=all"], &bad[3..]].concat(), 1),
        (&[&["pcap", "verify", "--csv", "--list=all"], &bad[3..]].concat(), 1),
        (&broken, 2),
        (&["pcap", "fix", "--list", "-n", "nat-tcp.bad.pcap"], 0),
        (&["pcap", "fix", "--list", "-n", "tcp-v4.bad.pcap"], 1),
        (&["pcap", "fix", "--list", "--json", "-n", "tcp-v4.bad.pcap"], 1),
        (&["pcap", "fix", "--list", "nat-tcp.bad.pcap", "-o", out], 0),
        (&["pcap", "nat", "-n", "nat-tcp.bad.pcap", "--map", "192.0.2.1=10.0.0.1"], 0),
    ] {
        let mut child = Command::new(RESIDUE)
            .args(args)
            .current_dir(captures())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        let expected = if code == 2 { "residue: nosuch: No such file or directory\n" } else { "" };
        assert_eq!((output.status.code(), &*err), (Some(code), expected), "{args:?}");
    }
    let read = |path: &Path| fs::read(path).unwrap();
    assert_eq!(read(Path::new(out)), read(&captures().join("nat-tcp.good.pcap")));
}
