//! The rules of nft: the queues and the limits of floods, or these limits alone.

use super::selection::{BURST, Matched, REMEMBERED, Rules, SENDERS, STRANGERS, SYNS};
use crate::host::Ports;
use std::fmt::Write as _;

/// Name of the table.
pub const TABLE: &str = "residue_guard";
/// Versions of IP, as nft names them.
const FAMILIES: [&str; 2] = ["ip", "ip6"];
/// Seconds for which the answer to a SYN waits for the segment that completes the handshake: the
/// peer sends it at once, and again with its first data.
const ANSWERED: u32 = 15;
/// Largest number of answers that wait. Above it, the limits hold for these segments, too.
const ANSWERS: u32 = 1 << 19;

/// Where packets go that are within the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To the queues.
    Queues,
    /// On, to the queues of other rules.
    Others,
}

impl Target {
    fn queue(self, number: u16) -> String {
        match self {
            Target::Queues => format!("queue flags bypass to {number}"),
            Target::Others => "accept".to_string(),
        }
    }
}

impl Rules {
    /// Returns the input of nft. Existing rules are replaced atomically.
    pub(super) fn nft(&self, matched: Matched, target: Target) -> String {
        let ports: Vec<String> = self.ports.iter().map(Ports::to_string).collect();
        let tcp = match ports.join(", ") {
            none if none.is_empty() => vec!["meta l4proto tcp".to_string()],
            ports => ["tcp sport", "tcp dport"].map(|end| format!("{end} {{ {ports} }}")).to_vec(),
        };
        let rows = |from: &str, kinds: &[(String, Vec<String>)]| {
            let mut rows = Vec::new();
            for (kind, ends) in kinds {
                for (tcp, end) in tcp.iter().flat_map(|tcp| ends.iter().map(move |end| (tcp, end)))
                {
                    let words = [from, tcp.as_str(), kind, end];
                    let words = words.into_iter().filter(|each| !each.is_empty());
                    rows.push(words.collect::<Vec<_>>().join(" "));
                }
            }
            rows
        };
        let interface = &self.interface;
        let to = format!("oifname \"{interface}\" fib saddr type local");
        let from = format!("iifname \"{interface}\" fib daddr type local");
        let mut sent = Vec::new();
        if matched == Matched::Handshakes {
            let key = "daddr . tcp dport . tcp sport . tcp sequence & 0xffff0000";
            let rows_of = |ip| format!("update @{ip}_answered {{ {ip} {key} }}");
            let is_answer = "tcp flags & (syn | ack) == (syn | ack)".to_string();
            sent.extend(rows(&to, &[(is_answer, FAMILIES.map(rows_of).to_vec())]));
        }
        let mut received = rows(&from, &self.received_by_nft(matched, target));
        if target == Target::Queues {
            sent.extend(rows(&to, &[(String::new(), vec![target.queue(self.sent)])]));
            for report in
                ["icmp type destination-unreachable icmp code 4", "icmpv6 type packet-too-big"]
            {
                let from = format!("iifname {{ \"{interface}\", \"lo\" }} fib daddr type local");
                received.push(format!("{from} {report} {}", target.queue(self.strangers)));
            }
        }
        let mut text =
            format!("table inet {TABLE} {{ }}\ndelete table inet {TABLE}\ntable inet {TABLE} {{\n");
        for (name, more, seconds, size) in sets(matched) {
            for ip in FAMILIES {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "\tset {ip}_{name} {{");
                let _ = writeln!(text, "\t\ttypeof {ip} saddr . tcp sport . tcp dport{more};");
                let _ =
                    writeln!(text, "\t\tflags dynamic,timeout; timeout {seconds}s; size {size};");
                text += "\t}\n";
            }
        }
        // Before those of iptables, whose tables have these priorities.
        let first = if target == Target::Queues { -300 } else { -301 };
        for (chain, hook, rows) in [
            ("output", "postrouting priority 300".to_string(), sent),
            ("input", format!("prerouting priority {first}"), received),
        ] {
            let _ = writeln!(text, "\tchain {chain} {{");
            let _ = writeln!(text, "\t\ttype filter hook {hook}; policy accept;");
            for row in rows {
                let _ = writeln!(text, "\t\t{row}");
            }
            text += "\t}\n";
        }
        text + "}\n"
    }

    /// Returns kinds of received segments and the rules of each.
    fn received_by_nft(&self, matched: Matched, target: Target) -> Vec<(String, Vec<String>)> {
        let limited = |number: u16, rate: u32| {
            if matches!(matched, Matched::Sockets | Matched::Requests) {
                return vec![target.queue(number)];
            }
            let limit = |rate: u32| format!("limit rate {rate}/second burst {BURST} packets");
            let (sender, to) = ("saddr . tcp sport . tcp dport", target.queue(number));
            let mut ends = vec![format!("{} {to}", limit(rate))];
            ends.extend(
                FAMILIES.map(|ip| format!("{ip} {sender} @{ip}_senders {} {to}", limit(rate / 2))),
            );
            ends.extend(FAMILIES.map(|ip| format!("add @{ip}_senders {{ {ip} {sender} }} drop")));
            // The set is full.
            ends.push("drop".to_string());
            ends
        };
        let syn = "tcp flags & (syn | ack) == syn";
        let mut input = vec![(format!("{syn} tcp option 14 exists"), limited(self.syns, SYNS))];
        if matched == Matched::Requests {
            input.push((String::new(), vec![target.queue(self.received)]));
            return input;
        }
        input.push((syn.to_string(), limited(self.strangers, SYNS)));
        input.push(("socket wildcard 0".to_string(), vec![target.queue(self.received)]));
        if matched == Matched::Handshakes {
            // A kernel that answers SYNs with cookies has no socket yet. Nobody who has not seen
            // its answer knows the number.
            let key = "saddr . tcp sport . tcp dport . tcp ackseq & 0xffff0000";
            let to = target.queue(self.received);
            let ends = FAMILIES.map(|ip| format!("{ip} {key} @{ip}_answered {to}"));
            input.push((String::new(), ends.to_vec()));
        }
        input.push((String::new(), limited(self.strangers, STRANGERS)));
        input
    }
}

/// Returns the sets: name, the fields after address and ports, timeout in seconds, and size.
fn sets(matched: Matched) -> &'static [(&'static str, &'static str, u32, u32)] {
    static SETS: [(&str, &str, u32, u32); 2] =
        [("senders", "", REMEMBERED, SENDERS), ("answered", " . tcp sequence", ANSWERED, ANSWERS)];
    match matched {
        Matched::Handshakes => &SETS,
        Matched::SocketsAndFloods => &SETS[..1],
        Matched::Sockets | Matched::Requests => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::rules;
    use super::super::{command, feed};
    use super::*;

    #[test]
    fn nft_rules() {
        let expected = "\
table inet residue_guard { }
delete table inet residue_guard
table inet residue_guard {
	chain output {
		type filter hook postrouting priority 300; policy accept;
		oifname \"eth0\" fib saddr type local tcp sport { 80, 8000-8010 } queue flags bypass to 14
		oifname \"eth0\" fib saddr type local tcp dport { 80, 8000-8010 } queue flags bypass to 14
	}
	chain input {
		type filter hook prerouting priority -300; policy accept;
";
        let text = rules("80,8000-8010").nft(Matched::Sockets, Target::Queues);
        assert!(text.starts_with(expected), "{text}");
        let received = |matched| {
            let all = rules("").nft(matched, Target::Queues);
            let rows = all.lines().filter(|line| line.contains("\t\tiif"));
            rows.map(|row| row.trim().to_string()).collect::<Vec<_>>()
        };
        let start = "iifname \"eth0\" fib daddr type local meta l4proto tcp";
        let both = "iifname { \"eth0\", \"lo\" } fib daddr type local";
        let syn = "tcp flags & (syn | ack) == syn";
        let reports = [
            format!(
                "{both} icmp type destination-unreachable icmp code 4 queue flags bypass to 18"
            ),
            format!("{both} icmpv6 type packet-too-big queue flags bypass to 18"),
        ];
        let rows = [
            format!("{start} {syn} tcp option 14 exists queue flags bypass to 17"),
            format!("{start} {syn} queue flags bypass to 18"),
            format!("{start} socket wildcard 0 queue flags bypass to 15"),
            format!("{start} queue flags bypass to 18"),
        ];
        assert_eq!(received(Matched::Sockets), [&rows[..], &reports].concat());
        let limited = received(Matched::SocketsAndFloods);
        let limit = |rate: u32| {
            format!("limit rate {rate}/second burst 2048 packets queue flags bypass to 18")
        };
        let sender = |ip: &str| format!("{ip} saddr . tcp sport . tcp dport");
        assert_eq!(
            limited[13..19],
            [
                format!("{start} {}", limit(5000)),
                format!("{start} {} @ip_senders {}", sender("ip"), limit(2500)),
                format!("{start} {} @ip6_senders {}", sender("ip6"), limit(2500)),
                format!("{start} add @ip_senders {{ {} }} drop", sender("ip")),
                format!("{start} add @ip6_senders {{ {} }} drop", sender("ip6")),
                format!("{start} drop"),
            ]
        );
        let handshakes = received(Matched::Handshakes);
        let key = "saddr . tcp sport . tcp dport . tcp ackseq & 0xffff0000";
        let rest: Vec<_> = handshakes.iter().filter(|row| !limited.contains(row)).collect();
        let answered = ["ip", "ip6"]
            .map(|ip| format!("{start} {ip} {key} @{ip}_answered queue flags bypass to 15"));
        assert_eq!(rest, answered.iter().collect::<Vec<_>>());
        assert!(!rules("").nft(Matched::Requests, Target::Queues).contains("socket"));
    }

    /// The kernel accepts the rules, with another verdict in place of queues, which it may not
    /// have; and the limits alone.
    #[test]
    fn nft_takes_the_rules() {
        let texts = [Matched::Handshakes, Matched::SocketsAndFloods].map(|matched| {
            let text = rules("80").nft(matched, Target::Queues);
            text.replace("flags bypass to", "").replace("queue ", "counter # ") + "\n"
        });
        let limits = rules("80").nft(Matched::Handshakes, Target::Others);
        assert!(!limits.contains("queue"), "{limits}");
        let probe = ["--user", "--map-root-user", "--net", "nft"];
        let is_there = command("unshare", &[&probe[..], &["list", "ruleset"]].concat()).output();
        if !is_there.is_ok_and(|output| output.status.success()) {
            return residue_testing::skip("no nft, or no namespaces");
        }
        for text in texts.iter().chain([&limits]) {
            feed("unshare", &[&probe[..], &["-f", "-"]].concat(), text).unwrap();
        }
    }
}
