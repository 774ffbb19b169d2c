//! Compares residue-net's counts with those of another judge, file by file and protocol by protocol.
//!
//! ```text
//! cargo run --release -p residue-net --example captures -- FOLDER             with FOLDER/ground-truth.csv
//! cargo run --release -p residue-net --example captures -- --tshark FOLDER    with tshark, on every capture in FOLDER
//! ```
//!
//! The judge's five states are good, bad (which an offloaded value is, to tshark before 4.2), unverified, not present and
//! illegal. Differences that have an explanation stand in `differences.csv` beside this file; others end the program with
//! exit code 1. `--all` shows the explained ones, too.

use residue_net::summary::Summary;
use residue_net::verify;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Good, bad, unverified, not present, illegal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts([u64; 5]);

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.map(|count| count.to_string());
        f.write_str(&words.join("/"))
    }
}

/// By protocol.
type Table = BTreeMap<String, Counts>;

const EXPLAINED: &str = include_str!("differences.csv");

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let before = arguments.len();
        arguments.retain(|argument| argument != name);
        arguments.len() < before
    };
    let (all, tshark) = (option("--all"), option("--tshark"));
    let [folder] = arguments.as_slice() else {
        return Err("usage: captures [--tshark] [--all] FOLDER".into());
    };
    let folder = Path::new(folder);
    let truth = if tshark { judged_by_tshark(folder)? } else { read_truth(folder)? };
    let explained = explained()?;

    let (mut same, mut known, mut unknown) = (0, 0, 0);
    for (path, theirs) in &truth {
        let name = path.strip_prefix(folder)?.display().to_string();
        let ours = verify(path);
        let protocols: Vec<&String> = match (&ours, theirs) {
            (Ok(ours), Some(theirs)) => ours.keys().chain(theirs.keys()).collect(),
            (Err(_), None) => continue,
            (Ok(_), None) => {
                println!("{name}: read here, and not by the other judge");
                continue;
            }
            (Err(error), Some(_)) => {
                unknown += 1;
                println!("{name}: {error}");
                continue;
            }
        };
        let (Ok(ours), Some(theirs)) = (&ours, theirs) else { continue };
        let mut protocols: Vec<&String> = protocols;
        protocols.sort();
        protocols.dedup();
        for protocol in protocols {
            let [our, their] =
                [ours, theirs].map(|table| table.get(protocol).copied().unwrap_or_default());
            if our == their {
                same += 1;
                continue;
            }
            let key = (name.clone(), protocol.clone());
            let why = explained.get(&key).filter(|(ours, theirs, _)| {
                *ours == our.to_string() && *theirs == their.to_string()
            });
            match why {
                Some((_, _, why)) => {
                    known += 1;
                    if all {
                        println!("{name},{protocol},{our},{their},{why}");
                    }
                }
                None => {
                    unknown += 1;
                    println!("{name},{protocol},{our},{their},");
                }
            }
        }
    }
    println!(
        "{} captures: {same} counts equal, {known} explained differences, {unknown} unexplained",
        truth.len()
    );
    Ok(if unknown == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Our own counts. A capture with an error in its middle counts as far as it goes, as with tshark.
fn verify(path: &Path) -> Result<Table, Box<dyn Error>> {
    let mut summary = Summary::new();
    verify::capture(File::open(path)?, |buffer| summary.buffer(buffer))?;
    let counts = summary.protocols().into_iter().map(|(name, (_, counts))| {
        let counts = [
            counts.good,
            counts.bad + counts.offloaded,
            counts.unverifiable() + counts.length_conflict,
            counts.absent,
            counts.illegal,
        ];
        (name.to_string(), Counts(counts))
    });
    Ok(counts.collect())
}

/// What each capture of the folder should have; `None` for one that cannot be read.
type Truth = BTreeMap<PathBuf, Option<Table>>;

fn read_truth(folder: &Path) -> Result<Truth, Box<dyn Error>> {
    let text = std::fs::read_to_string(folder.join("ground-truth.csv"))?;
    let mut truth = Truth::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let [
            repository,
            _,
            path,
            _,
            _,
            _,
            _,
            _,
            protocol,
            good,
            bad,
            unverified,
            absent,
            illegal,
            ..,
        ] = columns[..]
        else {
            return Err(format!("ground-truth.csv: no such line is expected: {line}").into());
        };
        // The captures of owner/name stand in the folder `name`, without their own folder.
        let project = repository.rsplit('/').next().unwrap_or_default();
        let file = path.split_once('/').map_or(path, |(_, file)| file);
        let table = truth.entry(folder.join(project).join(file)).or_insert(Some(Table::new()));
        match protocol {
            "unreadable" => *table = None,
            "none" => {}
            _ => {
                let number = |text: &str| text.parse().unwrap_or(0);
                let counts = Counts([good, bad, unverified, absent, illegal].map(number));
                table.get_or_insert_default().insert(our_name(protocol).to_string(), counts);
            }
        }
    }
    Ok(truth)
}

fn our_name(protocol: &str) -> &str {
    match protocol {
        "nhrp.hdr" => "nhrp",
        "ospf-packet" => "ospf",
        "ospf-lsa-fletcher" => "ospf.lsa",
        name => name,
    }
}

/// File and protocol to our counts, theirs and the explanation.
type Explained = BTreeMap<(String, String), (String, String, String)>;

fn explained() -> Result<Explained, Box<dyn Error>> {
    let mut explained = Explained::new();
    for line in EXPLAINED.lines().skip(1).filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.splitn(5, ',').collect();
        let [file, protocol, ours, theirs, why] = columns[..] else {
            return Err(format!("differences.csv: not five columns: {line}").into());
        };
        let strings = (ours.to_string(), theirs.to_string(), why.to_string());
        explained.insert((file.to_string(), protocol.to_string()), strings);
    }
    Ok(explained)
}

/// The status fields that tshark is asked for, and our names for them.
const FIELDS: [(&str, &str); 20] = [
    ("ip.checksum.status", "ip"),
    ("tcp.checksum.status", "tcp"),
    ("udp.checksum.status", "udp"),
    ("udplite.checksum.status", "udplite"),
    ("icmp.checksum.status", "icmp"),
    ("icmp.ext.checksum.status", "icmp.ext"),
    ("icmpv6.checksum.status", "icmpv6"),
    ("igmp.checksum.status", "igmp"),
    ("pim.checksum.status", "pim"),
    ("vrrp.checksum.status", "vrrp"),
    ("dccp.checksum.status", "dccp"),
    ("sctp.checksum.status", "sctp"),
    ("eigrp.checksum.status", "eigrp"),
    ("gre.checksum.status", "gre"),
    ("isis.lsp.checksum.status", "isis.lsp"),
    ("esis.checksum.status", "esis"),
    ("clnp.checksum.status", "clnp"),
    ("cdp.checksum.status", "cdp"),
    ("dvmrp.checksum.status", "dvmrp"),
    ("nhrp.hdr.chksum.status", "nhrp"),
];

fn judged_by_tshark(folder: &Path) -> Result<Truth, Box<dyn Error>> {
    let mut truth = Truth::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is_capture = || {
                let end = path.extension().and_then(|end| end.to_str());
                matches!(end, Some("pcap" | "pcapng" | "cap" | "gz"))
            };
            if path.is_dir() {
                folders.push(path);
            } else if is_capture() {
                let table = tshark(&path)?;
                truth.insert(path, table);
            }
        }
    }
    Ok(truth)
}

fn tshark(path: &Path) -> Result<Option<Table>, Box<dyn Error>> {
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(path);
    for preference in [
        "ip.check_checksum:TRUE",
        "tcp.check_checksum:TRUE",
        "udp.check_checksum:TRUE",
        "udplite.check_checksum:TRUE",
        "udplite.ignore_checksum_coverage:FALSE",
        "dccp.check_checksum:TRUE",
        "ip.tso_support:TRUE",
        "ip.defragment:TRUE",
        "ipv6.defragment:TRUE",
        "sctp.checksum:Automatic",
    ] {
        command.arg("-o").arg(preference);
    }
    command.args(["-T", "fields", "-E", "occurrence=a"]);
    for (field, _) in FIELDS {
        command.arg("-e").arg(field);
    }
    let output = command.output().map_err(|error| format!("cannot run tshark: {error}"))?;
    if output.stdout.is_empty() && !output.status.success() {
        return Ok(None);
    }
    let mut table = Table::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        for (column, (_, name)) in line.split('\t').zip(FIELDS) {
            for status in column.split(',').filter(|status| !status.is_empty()) {
                // 0 bad, 1 good, 2 unverified, 3 not present, 4 illegal.
                let place = match status {
                    "1" | "Good" => 0,
                    "0" | "Bad" => 1,
                    "2" | "Unverified" => 2,
                    "3" | "Not present" => 3,
                    _ => 4,
                };
                table.entry(name.to_string()).or_default().0[place] += 1;
            }
        }
    }
    Ok(Some(table))
}
