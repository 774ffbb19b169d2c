//! `residue pcap make`: generates captures with known check values.

use crate::lengths::bytes;
use crate::options::Json;
use crate::output::{Output, Styles};
use anyhow::Context as _;
use clap::Args;
use residue_net::replace::replace;
use residue_report::csv::Sheet;
use serde_json::json;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

const HELP: &str = "\
Writes a good and a bad capture of every test case of residue, and cases.csv, which says what is \
wrong in the bad ones. With --synthetic, writes one large capture of TCP and UDP over IPv4 and \
IPv6 (frames of 64, 576 and 1500 bytes as 7:4:5, 40 % IPv6, 70 % TCP). About one packet in a \
thousand has a flipped bit; the numbers of these packets are printed.

Equal arguments give equal bytes.

Examples:
  residue pcap make cases/
  residue pcap make --synthetic 300000000 big.pcap --json > planted.json";

// Arguments of `residue pcap make`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct MakeArgs {
    /// Folder to write the cases to; with --synthetic, the file
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Write one large capture of about this size
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    synthetic: Option<u64>,
    /// Seed for the random numbers of --synthetic
    #[arg(long, value_name = "N", default_value_t = 42, requires = "synthetic")]
    seed: u64,
    #[command(flatten)]
    format: Json,
}

/// Generates the captures.
pub fn run(args: &MakeArgs, output: &mut Output) -> anyhow::Result<()> {
    let named = || Styles::plain(args.path.as_os_str());
    match args.synthetic {
        Some(bytes) => synthetic(args, bytes, output).with_context(named),
        None => cases(args, output).with_context(named),
    }
}

fn synthetic(args: &MakeArgs, bytes: u64, output: &mut Output) -> anyhow::Result<()> {
    let made = replace(&args.path, None, |file| {
        residue_fixtures::synthetic(BufWriter::with_capacity(1 << 20, file), bytes, args.seed)
    })?;
    if args.format.json {
        output.json(&json!({
            "bytes": made.bytes, "packets": made.packets, "planted": made.planted,
        }))?;
    } else {
        output.line(format!(
            "{} bytes, {} packets, {} of them with a flipped bit:",
            made.bytes,
            made.packets,
            made.planted.len()
        ))?;
        let numbers: Vec<String> = made.planted.iter().map(u64::to_string).collect();
        output.line(numbers.join(" "))?;
    }
    Ok(())
}

fn cases(args: &MakeArgs, output: &mut Output) -> anyhow::Result<()> {
    fs::create_dir_all(&args.path)?;
    let cases = residue_fixtures::cases();
    let mut index = Sheet::of_lines("case,protocol,verdict,cause,repair,format,title");
    for case in &cases {
        for (kind, frames) in [("good", &case.good), ("bad", &case.bad)] {
            let name = format!("{}.{kind}.{}", case.name, case.format.extension());
            replace(&args.path.join(name), None, |file| {
                let mut out = BufWriter::new(file);
                residue_fixtures::file::write(&mut out, case, frames)?;
                out.flush()
            })?;
        }
        let verdict = case.bad_verdicts.first();
        let verdict = verdict.map_or("good", |(_, verdict)| verdict.name());
        let (cause, title) = (case.cause.unwrap_or_default(), case.title.replace(',', ";"));
        index.cells(&[&case.name, &case.protocol, &verdict, &cause, &case.repair.name()]);
        index.cells(&[&case.format.extension(), &title]).end();
    }
    let index = index.text();
    replace(&args.path.join("cases.csv"), None, |file| file.write_all(index.as_bytes()))?;
    if args.format.json {
        output.json(&json!({ "cases": cases.len() }))?;
    } else {
        output.line(format!("{} cases, a good and a bad capture of each", cases.len()))?;
    }
    Ok(())
}
