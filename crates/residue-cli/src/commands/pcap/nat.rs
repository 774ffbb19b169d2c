//! `residue pcap nat`: translates addresses and ports.

use super::report::count;
use super::{Capture, Changed, Target, trouble};
use crate::options::Json;
use crate::output::{Outcome, Output, without_numbers};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use residue_net::fix;
use residue_net::nat::{self, Mapping};
use serde_json::json;

const HELP: &str = "\
Check values are updated incrementally from the changed bytes, as in a router (RFC 1624; for CRCs \
in TCP options by their linearity): a wrong value stays wrong by the same amount, and damage stays \
visible. Headers inside tunnels are translated as well. Addresses in source routes, in packets \
quoted by ICMP and in data are not translated. Mappings with ports do not apply to fragments.

Exit codes: 0, or 2 if the capture could not be read to its end; the rest is copied unchanged.

Examples:
  residue pcap nat trace.pcap --map 10.0.0.1=192.0.2.1 -o new.pcap
  residue pcap nat trace.pcap --map 10.0.0.1:8080=192.0.2.1:80 --in-place
  residue pcap nat trace.pcap --map '[fd00::1]:80=[2001:db8::1]:80' --dry-run";

// Arguments of `residue pcap nat`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct NatArgs {
    /// Replace address A by B, in sources and destinations; with ports, where both match
    ///
    /// Of several mappings the first match applies.
    #[arg(long, value_name = "A=B", required = true)]
    map: Vec<Mapping>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Json,
}

/// Translates, and prints the counts.
pub fn run(args: &NatArgs, output: &mut Output) -> anyhow::Result<()> {
    args.target.check(args.format.json)?;
    let named = || args.target.name();
    let capture = Capture::new(&args.target.file, true)?;
    output.progress = Progress::of_bytes(capture.size() * 2);
    let progress = output.progress.clone();
    let across = nat::across(capture.reader(&progress).with_context(named)?, &args.map);
    let mut packets = 0u64;
    let mut bytes: u64 = across.iter().map(|edit| u64::from(edit.length)).sum();
    let error = args.target.rewrite(&capture, &progress, &across, Changed::Any, |buffer, edits| {
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
    if args.format.json {
        output.json(&json!({
            "capture": named(),
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
        trouble(output, &args.target.file, &error.into());
    }
    Ok(())
}
