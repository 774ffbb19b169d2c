//! Tests `residue pcap fix` and `residue pcap nat`.

use crate::common::{Ran, typed};
use residue_fixtures::Repair;
use residue_testing::captures;
use std::fs;

fn kept(name: &str) -> Vec<u8> {
    fs::read(captures().join(name)).unwrap()
}

/// Copies of some captures, which may be changed.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(names: &[&str]) -> Folder {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            fs::copy(captures().join(name), dir.path().join(name)).unwrap();
        }
        Folder(dir)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }

    fn pcap(&self, args: &[&str]) -> Ran {
        self.pcap_of(b"", args)
    }

    fn pcap_of(&self, input: &[u8], args: &[&str]) -> Ran {
        typed("pcap").args(args).within(self.0.path()).input(input).run()
    }

    /// Checks that the folder holds only the captures and these files.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Good fixtures are unchanged, bad ones repaired as `cases.csv` says.
#[test]
fn every_case() {
    let folder = Folder::with(&[]);
    for case in residue_fixtures::cases() {
        let end = case.format.extension();
        let [good, bad] = ["good", "bad"].map(|twin| format!("{}.{twin}.{end}", case.name));
        let out = format!("out.{end}");
        let fix = |name: &str, options: &[&str]| {
            let path = captures().join(name);
            let ran =
                folder.pcap(&[&["fix", path.to_str().unwrap(), "-o", &out], options].concat());
            assert!(ran.code < 2, "{}", ran.err);
            folder.read(&out)
        };
        assert!(fix(&good, &["--all", "--tso"]) == kept(&good), "{good}");
        let forced = fix(&bad, &["--all"]);
        let (good, bad) = (kept(&good), kept(&bad));
        match case.repair {
            Repair::Explained | Repair::Forced => assert!(forced == good, "{}", case.name),
            Repair::Differs => assert!(forced != good && forced != bad, "{}", case.name),
            Repair::LengthZero | Repair::Never => assert!(forced == bad, "{}", case.name),
        }
    }
    assert_eq!(folder.files(), ["out.pcap", "out.pcap.gz", "out.pcapng", "out.snoop"]);
}

#[test]
fn what_fix_prints() {
    let folder = Folder::with(&["nat-tcp.bad.pcap", "tcp-v4.bad.pcap", "offload-both.bad.pcap"]);
    let ran = folder.pcap(&["fix", "nat-tcp.bad.pcap", "-o", "out"]);
    assert_eq!(ran.ends(0), "       8  rewritten: tcp\n8 repaired, 0 wrong left as they are\n");
    assert_eq!(folder.read("out"), kept("nat-tcp.good.pcap"));
    let ran = folder.pcap(&["fix", "tcp-v4.bad.pcap", "-n"]);
    assert_eq!(
        ran.ends(1),
        "       1  left: tcp: no cause is known, so it may show damage (--all or --only unknown \
         repairs it)\n\
         0 would be repaired, 1 wrong left as they are\n"
    );
    let ran = folder.pcap(&["fix", "tcp-v4.bad.pcap", "-n", "--all", "--list"]);
    assert_eq!(
        ran.ends(0),
        "packet 1: tcp: unknown: 90:95->cf 91:dd->87\n\
         \u{20}      1  unknown: tcp\n\
         1 would be repaired, 0 wrong left as they are\n"
    );
    let ran = folder.pcap(&["fix", "tcp-v4.bad.pcap", "-n", "--all", "--list", "--json"]);
    ran.ends(0);
    assert_eq!(
        ran.json(),
        serde_json::json!({
            "capture": "tcp-v4.bad.pcap",
            "packets": 1,
            "error": null,
            "repaired": 1,
            "left": { "wrong": 0, "offloaded": 0 },
            "left_because": [],
            "repairs": { "unknown": { "tcp": 1 } },
            "not_followed": [],
            "dry_run": true,
            "changes": [{
                "packet": 1,
                "protocol": "tcp",
                "cause": "unknown",
                "bytes": [
                    { "offset": 90, "old": 0x95, "new": 0xcf },
                    { "offset": 91, "old": 0xdd, "new": 0x87 },
                ],
            }],
        })
    );
    assert_eq!(folder.read("tcp-v4.bad.pcap"), kept("tcp-v4.bad.pcap"));
    // An outer value that was right is updated.
    let path = captures().join("vxlan-over-bad.bad.pcap");
    let ran = folder.pcap(&["fix", path.to_str().unwrap(), "-n", "--all", "--list"]);
    assert_eq!(
        ran.ends(0),
        "packet 1: tcp: unknown: 140:65->3f 141:d3->89\n\
         packet 1: udp: follows: 80:58->7e 81:55->9f\n\
         \u{20}      1  follows: udp\n\
         \u{20}      1  unknown: tcp\n\
         1 would be repaired, 0 wrong left as they are\n"
    );
}

#[test]
fn only_some_causes() {
    let folder =
        Folder::with(&["swapped-tcp.bad.pcap", "zeroed.bad.pcap", "offload-both.bad.pcap"]);
    folder.pcap(&["fix", "swapped-tcp.bad.pcap", "-o", "out", "--only", "zeroed"]).ends(1);
    assert_eq!(folder.read("out"), kept("swapped-tcp.bad.pcap"));
    for (name, causes) in
        [("swapped-tcp", "byte-swapped"), ("zeroed", "zeroed"), ("zeroed", "rewritten,zeroed")]
    {
        let (bad, good) = (format!("{name}.bad.pcap"), format!("{name}.good.pcap"));
        folder.pcap(&["fix", &bad, "-o", "out", "--only", causes]).ends(0);
        assert_eq!(folder.read("out"), kept(&good));
    }
    // The values left are offloaded: not wrong, but reported.
    let ran = folder.pcap(&["fix", "offload-both.bad.pcap", "-n", "--only", "unknown"]);
    assert!(ran.ends(0).ends_with("0 would be repaired, 0 wrong left as they are, 2 offloaded\n"));
    assert!(ran.ends(0).contains("1  left: udp: offload, which is not among the causes of --only"));
}

/// With an offloaded value left, no wrong value is left.
#[test]
fn what_is_left_is_counted_apart() {
    let folder = Folder::with(&["tcp-offload.bad.pcap", "tcp-v4.bad.pcap"]);
    let both = [kept("tcp-v4.bad.pcap"), kept("tcp-offload.bad.pcap")[24..].to_vec()].concat();
    let ran = folder.pcap_of(&both, &["fix", "-", "-n", "--only", "unknown", "--json"]);
    ran.ends(0);
    let json = ran.json();
    assert_eq!(json["left"], serde_json::json!({ "wrong": 0, "offloaded": 1 }));
    let ran = folder.pcap_of(&both, &["fix", "-", "-n", "--json"]);
    ran.ends(1);
    assert_eq!(ran.json()["left"], serde_json::json!({ "wrong": 1, "offloaded": 0 }));
}

/// Tests that every value left has a reason, in the text and in the JSON, and that the options
/// named repair it.
#[test]
fn why_values_are_left() {
    let unknown = "no cause is known, so it may show damage";
    let cut = "the packet is cut short, and another check value covers it";
    let conflict = "length fields contradict each other, so that no value is right";
    let guess = "the length of the packet is 0, so its end is a guess";
    let not_chosen = "zeroed, which is not among the causes of --only";
    let folder = Folder::with(&[]);
    // The capture, the options given, the reason, and the options that would repair the value.
    for (name, given, reason, options, repairs) in [
        ("tcp-v4", &[][..], unknown, "--all or --only unknown", &["--only", "unknown"][..]),
        (
            "flip-tcp",
            &[],
            "flipped-bit, which may show damage",
            "--all or --only flipped-bit",
            &["--all"],
        ),
        (
            "zeroed",
            &["--only", "copied"],
            not_chosen,
            "--all or --only zeroed",
            &["--only", "zeroed"],
        ),
        ("tso-tcp", &["--all"], guess, "--tso", &["--all", "--tso"]),
        (
            "tso-tcp",
            &[],
            unknown,
            "--all or --only unknown with --tso",
            &["--only", "unknown", "--tso"],
        ),
        ("cut-ip", &[], unknown, "--all or --only unknown", &["--all"]),
        ("cut-ip-covered", &["--all"], cut, "", &[]),
        ("udp-length", &["--all"], conflict, "", &[]),
        ("udp-zero-v6", &["--all"], "the sender left it out, though it must not", "", &[]),
    ] {
        let path = captures().join(format!("{name}.bad.pcap"));
        let fix = |more: &[&str]| {
            folder.pcap(&[&["fix", path.to_str().unwrap(), "-n"], given, more].concat())
        };
        let hint =
            if options.is_empty() { String::new() } else { format!(" ({options} repairs it)") };
        let line = format!(": {reason}{hint}\n");
        let text = fix(&[]).ends(1).to_string();
        assert!(text.contains(&line), "{name}: {text} lacks {line}");
        let json = fix(&["--json"]).json();
        assert_eq!(json["left"]["wrong"], 1, "{name}");
        let because = json["left_because"].as_array().unwrap();
        assert_eq!(because.len(), 1, "{name}");
        assert_eq!((&because[0]["reason"], &because[0]["values"]), (&reason.into(), &1.into()));
        assert_eq!(because[0]["options"].as_str().unwrap_or_default(), options, "{name}");
        if !repairs.is_empty() {
            folder.pcap(&[&["fix", path.to_str().unwrap(), "-n"], repairs].concat()).ends(0);
        }
    }
}

#[test]
fn length_zero_on_request() {
    let folder = Folder::with(&["tso-tcp.bad.pcap"]);
    folder.pcap(&["fix", "tso-tcp.bad.pcap", "-o", "out", "--all"]).ends(1);
    assert_eq!(folder.read("out"), kept("tso-tcp.bad.pcap"));
    folder.pcap(&["fix", "tso-tcp.bad.pcap", "-o", "out", "--all", "--tso"]).ends(0);
    assert_eq!(folder.read("out"), kept("tso-tcp.good.pcap"));
}

#[test]
fn where_it_goes() {
    let bad = "tcp-v4.bad.pcap";
    let good = kept("tcp-v4.good.pcap");
    let folder = Folder::with(&[bad, "gzip.bad.pcap.gz", "gzip.good.pcap.gz"]);
    // Standard output holds nothing but the capture.
    let ran = folder.pcap(&["fix", bad, "--all", "-o", "-"]);
    assert_eq!((ran.code, &ran.out, &*ran.err), (0, &good, ""));
    let ran = folder.pcap_of(&kept(bad), &["fix", "-", "--all", "-o", "-"]);
    assert_eq!((ran.code, &ran.out), (0, &good));
    let ran = folder.pcap_of(&kept("gzip.bad.pcap.gz"), &["fix", "-", "--all", "-o", "-"]);
    assert_eq!((ran.code, &ran.out), (0, &kept("gzip.good.pcap.gz").pipe(&folder)));
    // The name selects compression.
    for name in ["out.pcap.gz", "out.pcap.zst"] {
        folder.pcap(&["fix", bad, "--all", "-o", name]).ends(0);
        assert_ne!(folder.read(name), good);
        assert_eq!(folder.read(name).pipe(&folder), good);
        let ran = folder.pcap(&["verify", name]);
        let compression = if name.ends_with("gz") { "gzip" } else { "zstd" };
        assert!(ran.ends(0).contains(&format!("pcap, {compression}, 1 packet")));
    }
    folder.pcap(&["fix", "gzip.bad.pcap.gz", "--all", "-o", "out.pcap"]).ends(0);
    assert_eq!(folder.read("out.pcap"), kept("gzip.good.pcap.gz").pipe(&folder));
    // In place, to the file itself, and to an existing file.
    fs::copy(captures().join(bad), folder.0.path().join("a.pcap")).unwrap();
    folder.pcap(&["fix", "a.pcap", "--all", "--in-place"]).ends(0);
    assert_eq!(folder.read("a.pcap"), good);
    folder.pcap(&["fix", bad, "--all", "-o", bad]).ends(0);
    assert_eq!(folder.read(bad), good);
    folder.pcap(&["fix", "gzip.bad.pcap.gz", "--all", "-o", "gzip.bad.pcap.gz"]).ends(0);
    assert_eq!(folder.read("gzip.bad.pcap.gz"), kept("gzip.good.pcap.gz"));
    assert_eq!(
        folder.files(),
        [
            "a.pcap",
            "gzip.bad.pcap.gz",
            "gzip.good.pcap.gz",
            "out.pcap",
            "out.pcap.gz",
            "out.pcap.zst",
            bad
        ]
    );
}

/// A pipe that has a name, as shells make by `<(...)`, is read once, as standard input is.
#[cfg(unix)]
#[test]
fn pipes_with_a_name() {
    let (bad, good) = (kept("tcp-v4.bad.pcap"), kept("tcp-v4.good.pcap"));
    let folder = Folder::with(&["tcp-v4.good.pcap"]);
    let pipe = "/dev/stdin";
    let ran = folder.pcap_of(&bad, &["fix", pipe, "--all", "-o", "-"]);
    assert_eq!((ran.code, &ran.out, &*ran.err), (0, &good, ""));
    folder.pcap_of(&bad, &["fix", pipe, "--all", "-o", "out.pcap"]).ends(0);
    assert_eq!(folder.read("out.pcap"), good);
    let map = ["--map", "192.0.2.1=10.0.0.1"];
    let [named, standard] = [pipe, "-"]
        .map(|name| folder.pcap_of(&good, &["nat", name, "-o", "-", map[0], map[1]]).out);
    assert!(named == standard && named.len() == good.len());
    for args in [
        &["verify", "--list"][..],
        &["verify", "--list=all", "--filter", "tcp"],
        &["verify", "--report", "page"],
        &["survey"],
    ] {
        let [named, standard] = [pipe, "-"].map(|name| {
            let ran = folder.pcap_of(&bad, &[args, &[name]].concat());
            (ran.code, ran.text().replacen(pipe, "-", 9), ran.err)
        });
        assert_eq!(named, standard, "{args:?}");
    }
    let ran = folder.pcap_of(&bad, &["compare", "tcp-v4.good.pcap", pipe]);
    assert!(ran.ends(1).contains("1 packet altered"), "{}", ran.text());
    let ran = folder.pcap_of(&bad, &["fix", pipe, "--all", "--in-place"]);
    ran.ends(2);
    let message = "residue: --in-place needs a file; `/dev/stdin` is a pipe or a device\n";
    assert_eq!(ran.err, message);
}

trait Plain {
    fn pipe(&self, folder: &Folder) -> Vec<u8>;
}

impl Plain for Vec<u8> {
    /// Checks that a capture without repairs is copied unchanged.
    fn pipe(&self, folder: &Folder) -> Vec<u8> {
        let ran = folder.pcap_of(self, &["fix", "-", "--only", "zeroed", "-o", "-"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    }
}

#[test]
fn damaged_captures() {
    let folder = Folder::with(&[]);
    let whole = kept("nat-tcp.bad.pcap");
    let cut = whole.len() - 10;
    fs::write(folder.0.path().join("cut"), &whole[..cut]).unwrap();
    // Seven packets are repaired; the others are copied.
    for target in [&["-o", "out"][..], &["--in-place"]] {
        let ran = folder.pcap(&[&["fix", "cut"], target].concat());
        assert_eq!(ran.ends(2), "       7  rewritten: tcp\n7 repaired, 0 wrong left as they are\n");
        assert!(ran.err.starts_with("residue: cut: the file ends inside the record at byte "));
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
    let good = kept("nat-tcp.good.pcap");
    // Offset of the last record.
    let start = 738;
    assert_eq!(folder.read("out").len(), cut);
    assert_eq!(folder.read("out")[..start], good[..start]);
    assert_eq!(folder.read("out")[start..], whole[start..cut]);
    assert_eq!(folder.read("cut"), folder.read("out"));
    let ran = folder.pcap(&["fix", "cut", "-n", "--json"]);
    ran.ends(2);
    assert!(ran.json()["error"].as_str().unwrap().starts_with("the file ends inside"));
}

#[test]
fn refused() {
    let folder = Folder::with(&["tcp-v4.bad.pcap", "gzip.bad.pcap.gz", "gzip.good.pcap.gz"]);
    fs::write(folder.0.path().join("text"), "hello").unwrap();
    fs::write(folder.0.path().join("empty"), "").unwrap();
    fs::create_dir(folder.0.path().join("dir")).unwrap();
    let bad = "tcp-v4.bad.pcap";
    let map = ["--map", "192.0.2.1=10.0.0.1"];
    for (args, message) in [
        (&[bad][..], "residue: no output given; use -o OUT, --in-place or --dry-run\n"),
        (&["-", "--in-place"], "residue: --in-place needs a file, not standard input\n"),
        (
            &["gzip.bad.pcap.gz", "--in-place"],
            "residue: gzip.bad.pcap.gz: a file compressed by gzip cannot be changed in place; \
                write another file\n",
        ),
        // With and without something to change.
        (&["gzip.good.pcap.gz", "--in-place"], "cannot be changed in place"),
        (&[bad, "-o", "-", "--json"], "goes to standard output"),
        (&[bad, "-o", "x", "--in-place"], "cannot be used with"),
        (&[bad, "-o", "x", "-n"], "cannot be used with"),
        (&[bad, "--in-place", "-n"], "cannot be used with"),
        (&["nosuch", "-n"], ": No such file or directory\n"),
        (&["nosuch", "--in-place"], ": No such file or directory\n"),
        (&["dir", "-n"], ": is a folder\n"),
        (&["text", "-o", "x"], "residue: text: not a capture"),
        (&["empty", "-o", "x"], "residue: empty: the file is empty"),
        (&[bad, "-o", "nosuch/x"], "-o: no folder `nosuch`; create it first\n"),
        (&[bad, "-o", "dir"], "dir: cannot write the new capture: is a folder\n"),
        (&[], "<FILE>"),
        (&[bad, bad, "-n"], "unexpected argument"),
    ] {
        for command in [&["fix", "--all"][..], &["nat", map[0], map[1]]] {
            let ran = folder.pcap(&[command, args].concat());
            ran.ends(2);
            assert!(ran.err.contains(message), "{command:?} {args:?}: {}", ran.err);
            assert_eq!(ran.out, b"");
        }
    }
    for (args, message) in [
        (&["--all", "--only", "zeroed"][..], "cannot be used with"),
        (&["--only", "nonsense"], "possible values: offload, negative-zero, zeroed, filled"),
        (&["--only", ""], "possible values"),
        (&["-o", "-", "--list"], "goes to standard output"),
    ] {
        let ran = folder.pcap(&[&["fix", bad], args].concat());
        ran.ends(2);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
    }
    assert_eq!(folder.read(bad), kept(bad));
    assert_eq!(folder.files().len(), 6);
}

#[test]
fn nat() {
    let folder = Folder::with(&["tcp-v4.good.pcap", "nat-tcp.bad.pcap", "gzip.good.pcap.gz"]);
    let map = ["--map", "192.0.2.1=10.0.0.1"];
    let nat = |file: &str, more: &[&str]| folder.pcap(&[&["nat", file], more].concat());
    // A dry run reports what a change does.
    let ran = nat("tcp-v4.good.pcap", &[&map[..], &["-n"]].concat());
    assert_eq!(ran.ends(0), "1 packet would be translated, 6 bytes would be changed\n");
    assert_eq!(folder.read("tcp-v4.good.pcap"), kept("tcp-v4.good.pcap"));
    let ran = nat("tcp-v4.good.pcap", &[&map[..], &["-o", "out.pcap"]].concat());
    assert_eq!(ran.ends(0), "1 packet translated, 6 bytes changed\n");
    let verified = folder.pcap(&["verify", "--list=all", "out.pcap"]);
    assert!(verified.ends(0).contains("tcp 10.0.0.1:1234 -> 192.0.2.2:80: good"));
    // Translated back, the bytes are the original ones.
    nat("out.pcap", &["--map", "10.0.0.1=192.0.2.1", "--in-place"]).ends(0);
    assert_eq!(folder.read("out.pcap"), kept("tcp-v4.good.pcap"));
    // Ports, several mappings of which the first applies, JSON.
    let ports = [
        "--map",
        "192.0.2.1:1234=10.0.0.1:4000",
        "--map",
        "192.0.2.1=9.9.9.9",
        "--map",
        "192.0.2.2:80=10.0.0.2",
    ];
    let ran = nat("tcp-v4.good.pcap", &[&ports[..], &["--json", "-o", "out.pcap"]].concat());
    ran.ends(0);
    assert_eq!(
        (&ran.json()["packets"], &ran.json()["error"]),
        (&1.into(), &serde_json::Value::Null)
    );
    let verified = folder.pcap(&["verify", "--list=all", "out.pcap"]);
    assert!(verified.ends(0).contains("tcp 10.0.0.1:4000 -> 10.0.0.2:80: good"));
    // Wrong values stay wrong by the same amount.
    nat("nat-tcp.bad.pcap", &[&map[..], &["-o", "out.pcap"]].concat()).ends(0);
    let verified = folder.pcap(&["verify", "out.pcap"]);
    assert!(
        verified.ends(1).contains("10.0.0.1 -> 192.0.2.2, lacking 4805"),
        "{}",
        verified.text()
    );
    // No mapping applies.
    let ran = nat("tcp-v4.good.pcap", &["--map", "1.1.1.1=2.2.2.2", "-o", "out.pcap"]);
    assert_eq!(ran.ends(0), "0 packets translated, 0 bytes changed\n");
    assert_eq!(folder.read("out.pcap"), kept("tcp-v4.good.pcap"));
    // Through pipes and compressed files.
    let ran = folder.pcap_of(&kept("tcp-v4.good.pcap"), &["nat", "-", "-o", "-", map[0], map[1]]);
    assert_eq!(ran.code, 0);
    let verified = folder.pcap_of(&ran.out, &["verify", "--list=all"]);
    assert!(verified.ends(0).contains("tcp 10.0.0.1:1234"));
    nat("gzip.good.pcap.gz", &[&map[..], &["-o", "out.pcap.gz"]].concat()).ends(0);
    assert!(
        folder.pcap(&["verify", "--list=all", "out.pcap.gz"]).ends(0).contains("tcp 10.0.0.1:1234")
    );
    // A capture cut short is translated up to its end.
    let cut = &kept("nat-tcp.good.pcap")[..800];
    let ran = folder.pcap_of(cut, &["nat", "-", "-o", "out.pcap", map[0], map[1]]);
    assert!(ran.ends(2).starts_with("7 packets translated, "), "{}", ran.text());
    assert!(ran.err.starts_with("residue: -: the file ends inside the record"));
}
