//! `residue pcap verify`: verifies every check value of a capture.

mod list;
mod sorter;

use super::report::{self, Shown};
use super::{Capture, Captures, Filtered, page, trouble};
use crate::options::{Format, Report};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use residue_net::check::Verdict;
use residue_net::copies;
use residue_net::diagnose::CauseKind;
use residue_net::select::Selection;
use residue_net::summary::Summary;
use residue_net::time::Moment;
use residue_net::verify::{self, AnyReader, Buffer, Places, Read};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::mem::replace;
use std::num::NonZero;

const HELP: &str = "\
Verdicts: good; bad; offloaded (the field holds the sum of the pseudo-header, which the network \
card completes after the capture on the sender); absent (left out, as the protocol allows); \
illegal (left out, but required); unverifiable (cut short, or partly not captured); length \
conflict (length fields contradict each other).

Causes: {causes}. A cause is named if it would fit by chance at most once in a thousand such \
captures; the report says how probable that is.

Not followed: packets that reach a link type, EtherType, IP protocol, tunnel or stream that \
residue does not read, or that is encrypted; a packet is counted once for each. Check values \
inside are not verified. Application data, and protocols without check values (ARP, LLDP, ...), \
are not counted.

Exit codes: 0 nothing wrong, 1 something bad, illegal or with a length conflict (with --strict \
also offloaded values, and packets not followed), 2 wrong usage, or a capture could not be read to \
its end; the part before is reported. CSV has a row for each capture and protocol, or with --list \
for each check value. Lists are in the order of the packets.

Filters: primitives, joined by and, or, not and parentheses, as in tcpdump. A primitive holds if \
any header of the packet has the property, outer or inner, in every tunnel that is followed; not \
holds if none has.
  [ip|ip6|arp] [src|dst] host ADDRESS               host 10.0.0.1
  [ip|ip6|arp] [src|dst] net NET                    net 10.1, dst net 2001:db8::/32
  [tcp|udp|sctp|...] [src|dst] port PORT            tcp port 80, src port domain
  [tcp|udp|sctp|...] [src|dst] portrange FROM-TO    portrange 8000-8080
  ether [src|dst] host MAC, ether broadcast, [ether|ip|ip6] multicast
  ip, ip6, arp, tcp, udp, icmp, icmp6, sctp, ...    protocols
  [ip|ip6|ether] proto NUMBER, vlan [NUMBER], less LENGTH, greater LENGTH
As in tcpdump, and and or have equal precedence from left to right, and a value without words \
repeats those before it: tcp port 80 or 443. Not supported: names of hosts, and comparisons of \
bytes (tcp[13] & 2 != 0). All packets are verified, and the selected ones reported; reassembled \
datagrams and units of streams belong to the packet in which they begin for --from and --to. \
Incomplete datagrams have no length: neither less nor greater holds for them.

Times: 2026-11-23T10:00:00Z, with or without decimals, or with an offset (+01:00); or a time after \
the first packet: 90, 1.5s, 250ms, 10m, 2h.

JSON:
One object a line; the member type says which. --schema prints their JSON Schema. Members may be \
added; existing ones keep their names and meanings.
  capture  the counts of a capture, before its check values: capture, format, compression, packets,
           copies (if it holds every packet twice), cut_packets, selected_packets, first_time,
           last_time, links, error, total, protocols, causes, chances, not_followed, rewritten,
           senders, flows
  check    a check value, with --list: capture, packet, time, link, protocol, verdict, reason,
           cause, detail, stored, computed, source, destination, ports, offset
  error    a capture that could not be opened: capture, error

Examples:
  residue pcap verify trace.pcapng
  residue pcap verify --list --time trace.pcapng.gz    every wrong check value
  residue pcap verify --filter 'host 10.0.0.1 and tcp port 80' --from 10m trace.pcap
  residue pcap verify --csv captures/ > counts.csv     all captures in a folder
  residue pcap verify --json - < trace.pcap | jq 'select(.type == \"capture\").causes'
  residue pcap verify --report ticket trace.pcap       a page: ticket/index.html
  tcpdump -w - -c 1000 | residue pcap verify";

/// Returns the text with the causes.
fn help() -> String {
    let causes = CauseKind::ALL.map(|kind| match kind.note() {
        "" => kind.name().to_string(),
        note => format!("{kind} ({note})"),
    });
    HELP.replace("{causes}", &causes.join("; "))
}

// Arguments of `residue pcap verify`.
#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct VerifyArgs {
    #[command(flatten)]
    captures: Captures,
    /// List the wrong check values, or `all` of them
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "wrong"
    )]
    list: Option<Which>,
    #[command(flatten)]
    filtered: Filtered,
    /// Report only packets from this time on
    #[arg(long, value_name = "TIME")]
    from: Option<Moment>,
    /// Report only packets before this time
    #[arg(long, value_name = "TIME")]
    to: Option<Moment>,
    /// Show the time of each packet in lists: in UTC, or `relative` to the first packet, in seconds
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "utc"
    )]
    time: Option<Time>,
    /// Show the link type of each packet in lists
    #[arg(long)]
    link: bool,
    /// Count offloaded values, and packets not followed, as wrong
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    format: Format,
    /// Show at most this many rewritten pairs, senders and flows
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    top: usize,
    #[command(flatten)]
    report: Report,
    /// Print the JSON Schema of a line of --json, and exit
    #[arg(long)]
    schema: bool,
}

/// The check values to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Bad, illegal and offloaded values, and those with a length conflict
    Wrong,
    /// All check values
    All,
}

impl Which {
    fn takes(self, verdict: Verdict) -> bool {
        self == Which::All
            || matches!(
                verdict,
                Verdict::Bad | Verdict::Illegal | Verdict::Offloaded | Verdict::LengthConflict
            )
    }
}

/// Times in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Time {
    /// Date and time in UTC
    Utc,
    /// Seconds since the first packet
    Relative,
}

/// Verifies the captures, and prints a report of each.
pub fn run(args: &VerifyArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.schema {
        return Ok(output.line(residue_net::json::SCHEMA.trim_end())?);
    }
    let selection = Selection::new(args.filtered.parse()?, args.from, args.to);
    let names = args.captures.names()?;
    args.report.prepare()?;
    let several = names.len() > 1;
    if args.format.csv {
        output.finding(if args.list.is_some() { report::CHECKS } else { report::COUNTS })?;
    }
    let text = several && !args.format.csv && !args.format.json;
    let (mut wrong, mut unreadable) = (0, 0);
    let mut page = page::Page::new(page::About {
        filter: args.filtered.filter.clone(),
        from: args.from,
        to: args.to,
        strict: args.strict,
        top: args.top,
    });
    for name in &names {
        let error = match examine(args, &selection, name, output) {
            Ok(mut verified) => {
                wrong += u64::from(verified.is_wrong);
                verified.print(args, several, &selection, &mut page, output)?;
                verified.read.error.map(Into::into)
            }
            Err(error) => {
                output.progress.clear();
                if args.format.json {
                    output.finding(report::unreadable(name, &error).to_string())?;
                }
                page.unreadable(name, &error);
                Some(error)
            }
        };
        if let Some(error) = error {
            unreadable += 1;
            trouble(output, name, &error);
        }
        if text {
            output.finding("")?;
        }
    }
    if text {
        let mut line = format!("{} captures, {wrong} with wrong check values", names.len());
        if unreadable > 0 {
            let _ = write!(line, ", {unreadable} that could not be read to the end");
        }
        output.finding(line)?;
    }
    args.report.write(output, |folder| page.write(folder))
}

/// A verified capture.
struct Verified<'a> {
    name: &'a OsStr,
    read: Read,
    summary: Summary,
    is_wrong: bool,
    /// Copies, if the capture holds every packet twice.
    copies: Option<u64>,
    /// Whether values are found later than those of the packets behind them.
    is_late: bool,
    again: Again,
}

/// The packets once more, for lists: causes are known only after the first pass.
enum Again {
    /// None are needed.
    No,
    /// Those with wrong values, found on this many threads.
    Wrong(AnyReader<'static>, NonZero<usize>),
    /// All.
    All(AnyReader<'static>),
}

/// Verifies a capture.
fn examine<'a>(
    args: &VerifyArgs,
    selection: &Selection,
    name: &'a OsStr,
    output: &mut Output,
) -> anyhow::Result<Verified<'a>> {
    let twice = args.list.is_some() || args.report.is_wanted();
    let capture = Capture::new(name, twice)?;
    output.progress = Progress::of_bytes(capture.size() * (1 + u64::from(twice)));
    let progress = output.progress.clone();
    let (mut summary, mut is_late) = (Summary::new(), false);
    let mut check_late = |buffer: &Buffer<'_>| {
        is_late |= matches!(buffer.places, Places::Runs(_)) && !buffer.found.checks.is_empty();
    };
    let read = if selection.is_all() {
        let reader = capture.shared_reader(&progress)?;
        verify::counted(reader, capture.threads(), &mut summary, &mut check_late)
    } else {
        verify::selected(capture.reader(&progress)?, &mut selection.clone(), |buffer| {
            check_late(buffer);
            summary.buffer(buffer);
        })
    };
    let total = summary.total();
    let is_wrong = total.wrong() > 0
        || args.strict && (total.offloaded > 0 || !summary.unfollowed().is_empty());
    if is_wrong {
        output.found(Outcome::Bad);
    }
    let lists_wrong_only =
        args.list == Some(Which::Wrong) && !args.report.is_wanted() && selection.is_all();
    // What can be read only once was read.
    let copies = if capture.is_kept() {
        copies::doubled(capture.reader(&Progress::default())?)
    } else {
        None
    };
    let again = match twice {
        true if lists_wrong_only => {
            Again::Wrong(capture.shared_reader(&progress)?, capture.threads())
        }
        true => Again::All(capture.reader(&progress)?),
        false => Again::No,
    };
    Ok(Verified { name, read, summary, is_wrong, copies, is_late, again })
}

impl Verified<'_> {
    /// Prints the report of a capture. Lists are printed row by row, in bounded memory. Rows of one
    /// of `several` captures have its name.
    fn print(
        &mut self,
        args: &VerifyArgs,
        several: bool,
        selection: &Selection,
        page: &mut page::Page,
        output: &mut Output,
    ) -> io::Result<()> {
        let Verified { name, read, summary, copies, is_late, again, .. } = self;
        if args.format.json {
            let mut value = report::json(name, read, summary, args.top);
            if let Some(copies) = copies {
                value["copies"] = (*copies).into();
            }
            output.finding(value.to_string())?;
        }
        let again = replace(again, Again::No);
        if !matches!(again, Again::No) {
            let first = read.times.map(|[first, _]| first);
            let shown = Shown {
                capture: several.then_some(name),
                time: args.time.map(|time| (time == Time::Relative, first)),
                link: args.link,
                styles: output.styles,
            };
            let mut part = args.report.is_wanted().then(|| page.begin(name, read, summary));
            let mut list = list::List::new(args.format, shown, name, *is_late);
            let mut result = Ok(());
            let mut rows = |buffer: &Buffer<'_>| {
                for finding in buffer.findings().map(|it| summary.diagnosis.judged(it)) {
                    let is_listed = args.list.is_some_and(|which| which.takes(finding.verdict));
                    if !is_listed && part.is_none() || result.is_err() {
                        continue;
                    }
                    let cause = summary.diagnosis.cause(&finding);
                    if let Some(part) = &mut part {
                        part.take(&finding, cause);
                    }
                    if is_listed {
                        result = list.row(&finding, cause, output);
                    }
                }
            };
            match again {
                Again::No => {}
                Again::Wrong(reader, threads) => drop(verify::wrong(reader, threads, &mut rows)),
                Again::All(reader) => {
                    drop(verify::selected(reader, &mut selection.clone(), &mut rows));
                }
            }
            result?;
            list.finish(output)?;
            page.end(part);
        }
        output.progress.clear();
        let lines = match (args.format.csv, args.format.json, args.list) {
            (_, true, _) | (true, _, Some(_)) => Vec::new(),
            (true, _, None) => report::counts_csv(name, summary),
            _ => {
                let mut lines =
                    report::text(name, read, summary, args.top, args.strict, output.styles);
                lines.extend(copies.map(|copies| {
                    format!(
                        "this capture holds every packet twice ({copies} copies), as a mirror \
                         port of both directions does; `residue pcap fix --drop-doubled` leaves \
                         them out"
                    )
                }));
                lines
            }
        };
        lines.into_iter().try_for_each(|line| output.finding(line))
    }
}
