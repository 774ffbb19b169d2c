//! The rules that pass TCP packets to the queues. They have their own places, so that they can
//! always be removed: with nft the table `inet residue_guard`, with iptables the chains
//! `RESIDUE-GUARD`.
//!
//! Sent packets are taken as late as possible, after the host's other rules; received ones as early
//! as possible, before connection tracking, which takes segments of value 3 for damaged. Reports of
//! a smaller MTU are taken, too, also the kernel's own, on `lo`. Forwarded packets are not taken.
//! Without a listener at the queue, packets pass.

mod nft;
mod selection;

pub use selection::Rules;

use nft::{TABLE, Target};
use selection::{BURST, Matched, REMEMBERED, SENDERS, STRANGERS, SYNS};
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::process::{Command, Output, Stdio};

const CHAIN: &str = "RESIDUE-GUARD";
/// Option of iptables: the seconds to wait for other programs that change rules.
const WAIT: &str = "--wait=5";
/// Table and built-in chain of sent and of received packets.
const PLACES: [(&str, &str); 2] = [("mangle", "POSTROUTING"), ("raw", "PREROUTING")];

/// A program that installs the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// nft.
    Nft,
    /// iptables and ip6tables.
    Iptables,
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backend::Nft => "nft",
            Backend::Iptables => "iptables",
        })
    }
}

impl Rules {
    /// Returns the input of iptables-restore or ip6tables-restore.
    fn iptables(&self, program: &str, matched: Matched) -> String {
        let ports: Vec<String> =
            self.ports.iter().map(|each| each.to_string().replace('-', ":")).collect();
        let ports = match ports.join(",") {
            none if none.is_empty() => none,
            ports => format!(" -m multiport --ports {ports}"),
        };
        let report = match program {
            "iptables" => "-p icmp --icmp-type fragmentation-needed",
            _ => "-p icmpv6 --icmpv6-type packet-too-big",
        };
        let interface = &self.interface;
        let queue = |number: u16| format!("NFQUEUE --queue-num {number} --queue-bypass");
        let limited = |words: String, number: u16, rate: u32| {
            if matches!(matched, Matched::Sockets | Matched::Requests) {
                return vec![(words, queue(number))];
            }
            let limit = |rate: u32| {
                format!(
                    "-m hashlimit --hashlimit-name residue-{number}-{rate} \
                     --hashlimit-upto {rate}/sec --hashlimit-burst {BURST}"
                )
            };
            // The first packet of a sender is below this rate, later ones are above.
            let again = format!(
                "-m hashlimit --hashlimit-name residue-senders --hashlimit-above 1/min \
                 --hashlimit-burst 1 --hashlimit-mode srcip,srcport,dstport \
                 --hashlimit-htable-size {} --hashlimit-htable-max {SENDERS} \
                 --hashlimit-htable-expire {}",
                SENDERS / 4,
                REMEMBERED * 1000
            );
            vec![
                (format!("{words} {}", limit(rate)), queue(number)),
                (format!("{words} {again} {}", limit(rate / 2)), queue(number)),
                (words, "DROP".to_string()),
            ]
        };
        let sent = format!("-p tcp -o {interface} -m addrtype --src-type LOCAL{ports}");
        let received = format!("-i {interface} -m addrtype --dst-type LOCAL{ports}");
        let syn = "-p tcp --tcp-flags SYN,ACK SYN";
        let mut rows = limited(format!("{syn} --tcp-option 14 {received}"), self.syns, SYNS);
        if matched == Matched::Requests {
            rows.push((format!("-p tcp {received}"), queue(self.received)));
        } else {
            rows.extend(limited(format!("{syn} {received}"), self.strangers, SYNS));
            rows.push((format!("-p tcp {received} -m socket"), queue(self.received)));
            rows.extend(limited(format!("-p tcp {received}"), self.strangers, STRANGERS));
        }
        let mut interfaces = vec![interface.as_str(), "lo"];
        interfaces.dedup();
        rows.extend(interfaces.iter().map(|from| {
            let words = format!("{report} -i {from} -m addrtype --dst-type LOCAL");
            (words, queue(self.strangers))
        }));
        let rows = [(vec![(sent, queue(self.sent))], "-A"), (rows, "-I")];
        let mut text = String::new();
        for ((table, hook), (rows, place)) in PLACES.into_iter().zip(rows) {
            let _ = writeln!(text, "*{table}\n:{CHAIN} - [0:0]");
            for (condition, target) in rows {
                let _ = writeln!(text, "-A {CHAIN} {condition} -j {target}");
            }
            let _ = write!(text, "{place} {hook} -j {CHAIN}\nCOMMIT\n");
        }
        text
    }

    /// Installs the rules with nft or, if nft is missing or the kernel has no queues for it, with
    /// iptables. Replaces the rules of a killed guard.
    ///
    /// # Errors
    ///
    /// If neither works; the error states why.
    pub(crate) fn install(&self) -> io::Result<Installed> {
        clean()?;
        let feed_nft = |matched, target| feed("nft", &["-f", "-"], &self.nft(matched, target));
        let nft = match either(|matched| feed_nft(matched, Target::Queues).map_err(no_queues)) {
            Ok(()) => return Ok(Installed(Some(Backend::Nft))),
            Err(error) => error,
        };
        // From here on, an error removes the rules installed before it.
        let installed = Installed(Some(Backend::Iptables));
        // The limits of nft are better, and do not need its queues.
        let is_limited = feed_nft(Matched::Handshakes, Target::Others).is_ok();
        for program in iptables_programs() {
            let words = [WAIT, "--noflush"];
            let restore = |matched: Matched| {
                let matched = if is_limited { matched.unlimited() } else { matched };
                feed(&format!("{program}-restore"), &words, &self.iptables(program, matched))
            };
            either(restore)
                .map_err(|error| io::Error::new(error.kind(), format!("{nft}; {error}")))?;
        }
        Ok(installed)
    }

    /// Tests whether `backend` can install the rules. Changes nothing.
    pub(crate) fn test(&self, backend: Backend) -> io::Result<()> {
        match backend {
            Backend::Nft => either(|matched| {
                let text = self.nft(matched, Target::Queues);
                feed("nft", &["-c", "-f", "-"], &text).map_err(no_queues)
            }),
            Backend::Iptables => iptables_programs().iter().try_for_each(|program| {
                let (restore, words) = (format!("{program}-restore"), ["--noflush", "--test"]);
                either(|matched| feed(&restore, &words, &self.iptables(program, matched)))
            }),
        }
    }
}

/// Tries rules that tell more apart, then those that need less of the kernel. Returns the error of
/// the simplest.
fn either(try_rules: impl Fn(Matched) -> io::Result<()>) -> io::Result<()> {
    try_rules(Matched::Handshakes)
        .or_else(|_| try_rules(Matched::SocketsAndFloods))
        .or_else(|_| try_rules(Matched::Sockets))
        .or_else(|_| try_rules(Matched::Requests))
}

/// Installed rules, which are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Installed(Option<Backend>);

impl Installed {
    /// Returns the program that installed the rules.
    pub fn backend(&self) -> Option<Backend> {
        self.0
    }

    /// Removes the rules.
    pub fn remove(mut self) -> io::Result<()> {
        self.0 = None;
        clean().map(drop)
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if self.0.is_some() {
            // Another error is being returned, and `guard clean` removes the rules.
            let _ = clean();
        }
    }
}

/// Removes the rules of any guard in the current network namespace; returns the places that had
/// rules.
///
/// # Errors
///
/// If rules exist and cannot be removed.
pub fn clean() -> io::Result<Vec<String>> {
    let mut removed = Vec::new();
    if is_there("nft", &["list", "table", "inet", TABLE]) {
        must("nft", &["delete", "table", "inet", TABLE])?;
        removed.push(format!("nft table inet {TABLE}"));
    }
    for program in iptables_programs() {
        for (table, hook) in PLACES {
            let words = |words: &[&'static str]| [&[WAIT, "-t", table], words].concat();
            if !is_there(program, &words(&["-S", CHAIN])) {
                continue;
            }
            while is_there(program, &words(&["-D", hook, "-j", CHAIN])) {}
            must(program, &words(&["-F", CHAIN]))?;
            must(program, &words(&["-X", CHAIN]))?;
            removed.push(format!("{program} -t {table} {CHAIN}"));
        }
    }
    Ok(removed)
}

/// Returns the programs for iptables; ip6tables fails on a kernel without IPv6.
fn iptables_programs() -> &'static [&'static str] {
    let both = &["iptables", "ip6tables"];
    if std::path::Path::new("/proc/net/if_inet6").exists() { both } else { &both[..1] }
}

fn command(program: &str, words: &[&str]) -> Command {
    // The folders of the programs, which not all users have on their path.
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(OsString::from(":/usr/sbin:/sbin"));
    let mut command = Command::new(program);
    command.args(words).env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn is_there(program: &str, words: &[&str]) -> bool {
    command(program, words).output().is_ok_and(|output| output.status.success())
}

fn must(program: &str, words: &[&str]) -> io::Result<()> {
    let output = command(program, words).output().map_err(|error| cannot_run(program, &error))?;
    judge(&format!("{program} {}", words.join(" ")), &output)
}

/// Runs a program with `text` as its input.
fn feed(program: &str, words: &[&str], text: &str) -> io::Result<()> {
    let mut command = command(program, words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| cannot_run(program, &error))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that does not read its input reports why.
        let _ = input.write_all(text.as_bytes());
    }
    judge(program, &child.wait_with_output()?)
}

fn judge(what: &str, output: &Output) -> io::Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or("failed and does not say why");
    // nft reports the position in its input, which users do not see.
    let line = line.rsplit_once("Error: ").map_or(line, |(_, words)| words);
    Err(io::Error::other(if line.starts_with(what) {
        line.to_string()
    } else {
        format!("{what}: {line}")
    }))
}

/// Rewords nft's error for a kernel that does not know a statement, which is about a file.
fn no_queues(error: io::Error) -> io::Error {
    if !error.to_string().contains("No such file or directory") {
        return error;
    }
    let words = "nft: this kernel has no queues for it (CONFIG_NFT_QUEUE, module nft_queue)";
    io::Error::new(io::ErrorKind::Unsupported, words)
}

fn cannot_run(program: &str, error: &io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::NotFound {
        return io::Error::new(error.kind(), format!("{program}: {error}"));
    }
    let package = if program == "nft" { "nftables" } else { "iptables" };
    let words = format!("{program} is not installed (Debian package {package})");
    io::Error::new(io::ErrorKind::NotFound, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Ports;

    pub(super) fn rules(ports: &str) -> Rules {
        let ports: Vec<Ports> = ports
            .split(',')
            .filter(|text| !text.is_empty())
            .map(|text| text.parse().unwrap())
            .collect();
        Rules::new("eth0", &ports).unwrap()
    }

    #[test]
    fn iptables_rules() {
        let expected = "\
*mangle
:RESIDUE-GUARD - [0:0]
-A RESIDUE-GUARD -p tcp -o eth0 -m addrtype --src-type LOCAL \
-m multiport --ports 80,8000:8010 -j NFQUEUE --queue-num 14 --queue-bypass
-A POSTROUTING -j RESIDUE-GUARD
COMMIT
*raw
:RESIDUE-GUARD - [0:0]
-A RESIDUE-GUARD -p tcp --tcp-flags SYN,ACK SYN --tcp-option 14 -i eth0 \
-m addrtype --dst-type LOCAL -m multiport --ports 80,8000:8010 \
-j NFQUEUE --queue-num 17 --queue-bypass
-A RESIDUE-GUARD -p tcp --tcp-flags SYN,ACK SYN -i eth0 -m addrtype --dst-type LOCAL \
-m multiport --ports 80,8000:8010 -j NFQUEUE --queue-num 18 --queue-bypass
-A RESIDUE-GUARD -p tcp -i eth0 -m addrtype --dst-type LOCAL \
-m multiport --ports 80,8000:8010 -m socket -j NFQUEUE --queue-num 15 --queue-bypass
-A RESIDUE-GUARD -p tcp -i eth0 -m addrtype --dst-type LOCAL \
-m multiport --ports 80,8000:8010 -j NFQUEUE --queue-num 18 --queue-bypass
-A RESIDUE-GUARD -p icmp --icmp-type fragmentation-needed -i eth0 -m addrtype --dst-type LOCAL \
-j NFQUEUE --queue-num 18 --queue-bypass
-A RESIDUE-GUARD -p icmp --icmp-type fragmentation-needed -i lo -m addrtype --dst-type LOCAL \
-j NFQUEUE --queue-num 18 --queue-bypass
-I PREROUTING -j RESIDUE-GUARD
COMMIT
";
        assert_eq!(rules("80,8000-8010").iptables("iptables", Matched::Sockets), expected);
        let limited = rules("").iptables("iptables", Matched::SocketsAndFloods);
        let count = |word: &str| limited.matches(word).count();
        assert_eq!((count("--hashlimit-upto 20000/sec"), count("srcip,srcport,dstport")), (2, 3));
        assert_eq!(count("--dst-type LOCAL -j DROP\n"), 3, "{limited}");
        let simple = rules("").iptables("ip6tables", Matched::Requests);
        assert!(!simple.contains("multiport") && !simple.contains("socket"), "{simple}");
        assert!(simple.contains("--icmpv6-type packet-too-big -i lo -m addrtype"), "{simple}");
    }

    #[test]
    fn what_the_programs_would_misread_is_refused() {
        for bad in ["", "eth+", "eth*", "a b", "a\"b", "a/b", "a;b", "0123456789abcdef", "é"] {
            assert!(Rules::new(bad, &[]).is_err(), "{bad}");
        }
        for good in ["eth0.100", "wg-home", "br_lan", "veth1@if2"] {
            assert!(Rules::new(good, &[]).is_ok(), "{good}");
        }
        let ports: Vec<Ports> =
            (1..=16).map(|port: u16| port.to_string().parse().unwrap()).collect();
        assert!(Rules::new("eth0", &ports[..15]).is_ok());
        assert!(Rules::new("eth0", &ports).is_err());
    }
}
