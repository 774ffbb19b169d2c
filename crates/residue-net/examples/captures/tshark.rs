//! tshark as a judge.

use crate::{Counts, Table, Truth};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Our name of a protocol, and the names of its status field in versions of tshark.
type Field = (&'static str, &'static [&'static str]);

const FIELDS: [Field; 21] = [
    ("ip", &["ip.checksum.status"]),
    ("tcp", &["tcp.checksum.status"]),
    ("udp", &["udp.checksum.status"]),
    ("udplite", &["udplite.checksum.status"]),
    ("icmp", &["icmp.checksum.status"]),
    ("icmp.ext", &["icmp.ext.checksum.status"]),
    ("icmpv6", &["icmpv6.checksum.status"]),
    ("igmp", &["igmp.checksum.status"]),
    ("pim", &["pim.cksum.status", "pim.checksum.status"]),
    ("vrrp", &["vrrp.checksum.status"]),
    ("dccp", &["dccp.checksum.status"]),
    ("sctp", &["sctp.checksum.status"]),
    ("eigrp", &["eigrp.checksum.status"]),
    ("gre", &["gre.checksum.status"]),
    ("isis.lsp", &["isis.lsp.checksum.status"]),
    ("esis", &["esis.chksum.status", "esis.checksum.status"]),
    ("clnp", &["clnp.checksum.status"]),
    ("cdp", &["cdp.checksum.status"]),
    ("dvmrp", &["dvmrp.checksum.status"]),
    ("nhrp", &["nhrp.hdr.chksum.status"]),
    ("lmp", &["lmp.checksum.status"]),
];

/// A tshark, and its known fields.
#[derive(Debug)]
pub struct Tshark {
    pub program: PathBuf,
    /// Our names and its fields.
    pub fields: Vec<(&'static str, &'static str)>,
    /// Status fields that it does not know.
    pub unknown: Vec<&'static str>,
}

impl Tshark {
    /// Determines the fields that a tshark knows.
    ///
    /// # Errors
    ///
    /// If it cannot be run, or knows none of these fields.
    pub fn installed(program: impl Into<PathBuf>) -> Result<Tshark, Box<dyn Error>> {
        let program = program.into();
        let output = Command::new(&program)
            .args(["-G", "fields"])
            .output()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let (fields, unknown) = choose(&String::from_utf8_lossy(&output.stdout));
        if fields.is_empty() {
            return Err(format!(
                "{} -G fields lists none of the status fields to be compared",
                program.display()
            )
            .into());
        }
        Ok(Tshark { program, fields, unknown })
    }

    /// Returns the protocols that it judges, by our names.
    pub fn protocols(&self) -> BTreeSet<&str> {
        self.fields.iter().map(|(protocol, _)| *protocol).collect()
    }

    /// Returns its counts for every capture in a folder and its subfolders.
    pub fn truth(&self, folder: &Path) -> Result<Truth, Box<dyn Error>> {
        let mut truth = Truth::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            for entry in entries {
                let path = entry?.path();
                let is_capture = || {
                    let end = path.extension().and_then(|end| end.to_str());
                    matches!(end, Some("pcap" | "pcapng" | "cap" | "gz"))
                };
                if path.is_dir() {
                    folders.push(path);
                } else if is_capture() {
                    let table = self.judge(&path)?;
                    truth.insert(path, table);
                }
            }
        }
        Ok(truth)
    }

    /// Returns its counts for a capture; `None` if it cannot read it.
    fn judge(&self, path: &Path) -> Result<Option<Table>, Box<dyn Error>> {
        let mut command = Command::new(&self.program);
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
            "lmp.checksum:TRUE",
        ] {
            command.arg("-o").arg(preference);
        }
        command.args(["-T", "fields", "-E", "occurrence=a"]);
        for (_, field) in &self.fields {
            command.arg("-e").arg(field);
        }
        let output = command.output().map_err(|error| format!("cannot run tshark: {error}"))?;
        if output.stdout.is_empty() && !output.status.success() {
            return Ok(None);
        }
        let mut table = Table::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            for (column, (protocol, _)) in line.split('\t').zip(&self.fields) {
                for status in column.split(',').filter(|status| !status.is_empty()) {
                    // 0 bad, 1 good, 2 unverified, 3 not present, 4 illegal.
                    let place = match status {
                        "1" | "Good" => 0,
                        "0" | "Bad" => 1,
                        "2" | "Unverified" => 2,
                        "3" | "Not present" => 3,
                        _ => 4,
                    };
                    let Counts(counts) = table.entry((*protocol).to_string()).or_default();
                    counts[place] += 1;
                }
            }
        }
        Ok(Some(table))
    }
}

/// Selects, from the output of `tshark -G fields`, the fields to use with our names, and the
/// missing ones.
pub fn choose(listing: &str) -> (Vec<(&'static str, &'static str)>, Vec<&'static str>) {
    // F, title, name, ...
    let known: BTreeSet<&str> =
        listing.lines().filter_map(|line| line.strip_prefix("F\t")?.split('\t').nth(1)).collect();
    let (mut fields, mut unknown) = (Vec::new(), Vec::new());
    for (protocol, names) in FIELDS {
        match names.iter().find(|name| known.contains(**name)) {
            Some(name) => fields.push((protocol, *name)),
            None => unknown.push(names[0]),
        }
    }
    (fields, unknown)
}
