//! `residue pcap nat`: addresses and ports translated.

use super::report::count;
use super::{Capture, Target, trouble};
use crate::Outcome;
use crate::output::{Output, Styles, without_numbers};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use residue_net::fix;
use residue_net::nat::{self, Mapping};
use serde_json::json;
use std::ffi::OsString;

const HELP: &str = "\
Check values are updated from the changed bytes alone, as a router does (RFC 1624; for CRCs of TCP options by their \
linearity): a wrong value stays wrong by the same amount, so that damage stays visible. Headers in tunnels are translated, \
too. Addresses in source routes, in what ICMP quotes and in data stay as they are, and mappings with ports do not reach \
fragments.

Exit codes: 0, or 2 if the capture could not be read to its end; what follows there is copied as it is.

Examples:
  residue pcap nat trace.pcap --map 10.0.0.1=192.0.2.1 -o new.pcap
  residue pcap nat trace.pcap --map 10.0.0.1:8080=192.0.2.1:80 --map '[fd00::1]:80=[2001:db8::1]:80' --in-place";

/// `residue pcap nat`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct NatArgs {
    /// The capture; `-` is the standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    /// Write address B where A is, as source and as destination; with ports, where both fit. The first that fits counts
    #[arg(long, value_name = "A=B", required = true)]
    map: Vec<Mapping>,
    #[command(flatten)]
    target: Target,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Translates.
pub fn run(args: &NatArgs, output: &mut Output) -> anyhow::Result<()> {
    args.target.check(&args.file, args.json)?;
    let named = || Styles::plain(&args.file);
    let capture = Capture::new(&args.file, true)?;
    output.progress = Progress::of_bytes(capture.size() * 2);
    let progress = output.progress.clone();
    let across = nat::across(capture.reader(&progress).with_context(named)?, &args.map);
    let mut packets = 0u64;
    let mut bytes: u64 = across.iter().map(|edit| u64::from(edit.length)).sum();
    let error = args.target.rewrite(&capture, &progress, &across, |buffer, edits| {
        let changes = nat::translate(buffer, &args.map);
        packets += u64::from(!changes.is_empty());
        bytes += changes.len() as u64;
        edits.extend(fix::edits(&changes));
    });
    output.progress.clear();
    let error = error.with_context(named)?;
    if error.is_some() {
        output.found(Outcome::Trouble);
    }
    if args.json {
        output.json(&json!({
            "capture": Styles::plain(&args.file),
            "packets": packets,
            "bytes": bytes,
            "error": error.as_ref().map(|error| without_numbers(&error.to_string())),
            "dry_run": args.target.dry_run,
        }))?;
    } else if !args.target.is_stdout() {
        let would = if args.target.dry_run { " would be" } else { "" };
        let (packets, bytes) = (count(packets, "packet"), count(bytes, "byte"));
        output.finding(format!("{packets}{would} translated, {bytes}{would} changed"))?;
    }
    if let Some(error) = error {
        trouble(output, &args.file, &error.into());
    }
    Ok(())
}
