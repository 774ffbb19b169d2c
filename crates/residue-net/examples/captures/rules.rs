//! Rules that explain why two judges count differently.
//!
//! A rule replaces some of our counts by others, or allows the other judge a limited number of
//! values that are not determined. It depends on the contents of a capture, never on its name.

use crate::Counts;
use crate::facts::Facts;

/// A rule, applied to the counts of a protocol in a capture.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    name: &'static str,
    /// Our counts that the other judge does not have.
    without: Counts,
    /// Counts that it has and we do not.
    with: Counts,
    /// Number of values that it may have beside these, of any verdict.
    more: u64,
}

/// Returns the fewest rules that together explain a difference; `None` if none do.
pub fn explain(
    facts: &Facts,
    protocol: &str,
    ours: Counts,
    theirs: Counts,
) -> Option<Vec<&'static str>> {
    let rules: Vec<Rule> = rules(facts, protocol, ours)
        .into_iter()
        .filter(|rule| *rule != Rule { name: rule.name, ..Rule::default() })
        .collect();
    let mut subsets: Vec<u32> = (1..1 << rules.len()).collect();
    // Rules that determine all before others; then the first ones.
    let loose = |subset: u32| chosen(&rules, subset).map(|rule| rule.more).sum::<u64>();
    subsets.sort_by_key(|&subset| (subset.count_ones(), loose(subset) > 0, subset));
    let fits = subsets.into_iter().find(|&subset| fits(&rules, subset, ours, theirs))?;
    Some(chosen(&rules, fits).map(|rule| rule.name).collect())
}

fn chosen(rules: &[Rule], subset: u32) -> impl Iterator<Item = &Rule> {
    rules.iter().enumerate().filter(move |(at, _)| subset >> at & 1 == 1).map(|(_, rule)| rule)
}

fn fits(rules: &[Rule], subset: u32, ours: Counts, theirs: Counts) -> bool {
    let (mut base, mut more) = (ours.0.map(u64::cast_signed), 0);
    for rule in chosen(rules, subset) {
        for (place, count) in base.iter_mut().enumerate() {
            *count += rule.with.0[place].cast_signed() - rule.without.0[place].cast_signed();
        }
        more += rule.more;
    }
    let rest = theirs.0.iter().zip(base).map(|(&their, base)| their.cast_signed() - base);
    let rest: Vec<i64> = rest.collect();
    rest.iter().all(|&count| count >= 0) && rest.iter().sum::<i64>().cast_unsigned() <= more
}

/// Returns the rules for a protocol in a capture.
fn rules(facts: &Facts, protocol: &str, ours: Counts) -> Vec<Rule> {
    let of = |table: &crate::Table| table.get(protocol).copied().unwrap_or_default();
    let any = |table: &crate::Table| table.values().map(|counts| counts.total()).sum();
    let mut rules = vec![
        Rule {
            name: "packets quoted in ICMP errors are counted",
            with: of(&facts.quoted),
            ..Rule::default()
        },
        Rule {
            name: "packets inside of a header of length 0 are not judged",
            without: of(&facts.length_zero),
            ..Rule::default()
        },
        Rule {
            name: "where length fields contradict each other, the bytes there are judged",
            without: of(&facts.conflicts),
            more: any(&facts.conflicts),
            ..Rule::default()
        },
        Rule {
            name: "values that are cut short are left out, or judged by a part",
            without: of(&facts.cut),
            more: of(&facts.cut).total(),
            ..Rule::default()
        },
        Rule {
            name: "values of which the field is missing are counted",
            more: of(&facts.beyond).total(),
            ..Rule::default()
        },
        Rule {
            name: "fragments of incomplete datagrams are counted one by one",
            without: of(&facts.incomplete),
            more: facts.fragments,
            ..Rule::default()
        },
        Rule {
            name: "VXLAN on port 8472 is not followed",
            without: of(&facts.old_vxlan),
            ..Rule::default()
        },
        Rule {
            name: "LWAPP frames with exchanged bytes of frame control are not followed",
            without: of(&facts.exchanged),
            ..Rule::default()
        },
        Rule {
            name: "packets are followed that residue does not follow",
            more: facts.not_followed,
            ..Rule::default()
        },
        Rule {
            name: "packets sampled by sFlow and OpenFlow are counted",
            // Messages carry several samples.
            more: facts.samples * 16,
            ..Rule::default()
        },
        Rule {
            name: "packets quoted by NHRP are counted",
            more: facts.nhrp_errors,
            ..Rule::default()
        },
    ];
    match protocol {
        "eth.fcs" if facts.with_fcs == 0 => rules.push(Rule {
            name: "trailers are taken for check sequences where the file states none",
            more: facts.packets,
            ..Rule::default()
        }),
        "pim" => rules.push(Rule {
            name: "Registers are right only by their first 8 bytes",
            without: facts.registers[0],
            with: facts.registers[1],
            ..Rule::default()
        }),
        "icmp.ext" => rules.push(Rule {
            name: "extensions of an extended echo cover the data behind them",
            without: facts.extended[0],
            with: facts.extended[1],
            ..Rule::default()
        }),
        "udp" => rules.push(Rule {
            name: "UDP that counts less than IP is not judged",
            without: facts.short_udp,
            with: Counts([0, 0, facts.short_udp.total(), 0, 0]),
            ..Rule::default()
        }),
        "ip" => rules.push(Rule {
            name: "IPv4 headers whose total length is less than their own are not judged",
            without: facts.short_ipv4,
            ..Rule::default()
        }),
        "mip6" | "mptcp.dss" | "ospf.lls" => rules.push(Rule {
            name: "the other judge does not know this check value",
            without: ours,
            ..Rule::default()
        }),
        "ospf.lsa" if facts.frame_relay => rules.push(Rule {
            name: "the other judge of advertisements does not read Frame Relay",
            without: ours,
            ..Rule::default()
        }),
        _ => {}
    }
    rules
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        (self.without, self.with, self.more) == (other.without, other.with, other.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: [u64; 5]) -> crate::Table {
        [("tcp".to_string(), Counts(counts))].into()
    }

    #[test]
    fn rules_explain_exactly_what_they_say() {
        let facts = Facts {
            quoted: table([2, 0, 1, 0, 0]),
            conflicts: table([0, 0, 2, 0, 0]),
            ..Facts::default()
        };
        let ours = Counts([5, 1, 2, 0, 0]);
        let explain = |theirs| explain(&facts, "tcp", ours, Counts(theirs));
        assert_eq!(explain([7, 1, 3, 0, 0]).unwrap().len(), 1);
        assert_eq!(explain([6, 2, 0, 0, 0]).unwrap().len(), 1);
        assert_eq!(explain([8, 2, 1, 0, 0]).unwrap().len(), 2);
        assert_eq!(explain([5, 4, 0, 0, 0]), None);
        assert_eq!(explain([4, 1, 2, 0, 0]), None);
        assert_eq!(super::explain(&facts, "udp", ours, Counts([7, 1, 3, 0, 0])), None);
    }
}
