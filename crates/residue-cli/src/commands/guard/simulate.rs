//! `residue guard simulate`: plain TCP and each value on a simulated hostile network.

use crate::options::Format;
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_guard::negotiate::GREATEST;
use residue_guard_lab::{Fault, Plan, Row, run as simulate};
use residue_report::csv::Sheet;
use residue_report::table::{self, Table};

const HELP: &str = "\
Simulates both ends of TCP connections in memory, with and without guard, over a link that damages \
segments. This needs no privileges; equal seeds give equal numbers.

Columns: damaged segments; segments let through (damaged, but delivered to the receiving TCP with \
all checks right); wrong bytes delivered to the application; connections that hung, because \
nothing arrived (the next connection requests less). Dropped segments are retransmitted, so the \
segments differ between values.

Faults:
  nothing, loss, reorder, duplicate
  word-swap     a router swaps two 16-bit words, undetected by the TCP checksum
  byte-pair     a gateway swaps two bytes, once in a million bytes (Saltzer, Reed and Clark 1984)
  bit-flip, burst
  offload       a network card changes data before it computes the checksum
  nat           a NAT without faults
  nat-damage    a NAT that changes a byte and recomputes the checksum
  sequence      a middlebox that changes the sequence number and recomputes the checksum
  nat-sequence  a NAT that does so
  no-request    a middlebox removes option 14
  no-data       a middlebox removes option 15
  everything    word swaps, byte pairs, flips, bursts, offload, loss, reordering and duplicates

Examples:
  residue guard simulate
  residue guard simulate --fault word-swap,nat-sequence --value 4,7 --segments 100000
  residue guard simulate --ipv6 --json";

// Arguments of `residue guard simulate`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct SimulateArgs {
    /// Faults of the network, separated by commas [default: all, one after another]
    #[arg(long = "fault", value_name = "FAULT", value_delimiter = ',')]
    faults: Vec<Fault>,
    /// Values that both ends request, 1 to 7, in addition to plain TCP [default: all]
    #[arg(
        long = "value",
        value_name = "VALUE",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u8).range(1..=i64::from(GREATEST))
    )]
    values: Vec<u8>,
    /// Number of segments with data, for each fault and value
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20_000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    segments: u64,
    /// Damage one in N segments
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(2..)
    )]
    one_in: u64,
    /// Use IPv6
    #[arg(long)]
    ipv6: bool,
    /// Seed for the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    format: Format,
}

/// Simulates, and prints the counts.
pub fn run(args: &SimulateArgs, output: &mut Output) -> anyhow::Result<()> {
    let faults = if args.faults.is_empty() { &Fault::ALL[..] } else { &args.faults };
    let all: Vec<u8> = (1..=GREATEST).collect();
    let values = if args.values.is_empty() { &all } else { &args.values };
    let plans: Vec<Plan> = faults
        .iter()
        .flat_map(|&fault| {
            std::iter::once(None).chain(values.iter().copied().map(Some)).map(move |value| Plan {
                fault,
                value,
                version: if args.ipv6 { 6 } else { 4 },
                segments: args.segments,
                one_in: args.one_in,
                seed: args.seed,
            })
        })
        .collect();
    let mut bar = Progress::of("simulating");
    let mut rows = Vec::new();
    for plan in &plans {
        bar.set(rows.len() as u64, plans.len() as u64);
        rows.push(simulate(plan));
    }
    bar.clear();
    args.format.print(
        output,
        &rows,
        || csv(&rows),
        |output| {
            output.line(table(args, &rows).text())?;
            let wrong: u64 = rows.iter().filter(|row| row.agreed >= 3).map(|row| row.wrong).sum();
            Ok(output.line(format!("{wrong} wrong bytes delivered in connections with a CRC"))?)
        },
    )
}

fn csv(rows: &[Row]) -> String {
    let mut sheet = Sheet::of_lines(
        "fault,value,agreed,segments,damaged,caught,let_through,delivered,wrong,connections,hung",
    );
    for row in rows {
        sheet.cells(&[&row.plan.fault, &row.plan.value.unwrap_or(0), &row.agreed]);
        sheet.cells(&[&row.segments, &row.damaged, &row.caught, &row.let_through]);
        sheet.cells(&[&row.delivered, &row.wrong, &row.connections, &row.hung]).end();
    }
    sheet.text()
}

fn table(args: &SimulateArgs, rows: &[Row]) -> Table {
    let mut lines = Vec::new();
    let mut fault = None;
    for row in rows {
        if fault != Some(row.plan.fault) {
            fault = Some(row.plan.fault);
            lines.push(table::Row::Group(row.plan.fault.to_string()));
        }
        let name = match (row.plan.value, row.agreed) {
            (None, _) => "plain TCP".to_string(),
            (Some(value), agreed) if value == agreed => format!("value {value}"),
            (Some(value), 0) => format!("value {value}, in the end none"),
            (Some(value), agreed) => format!("value {value}, in the end {agreed}"),
        };
        let numbers = [row.damaged, row.let_through, row.wrong, row.connections, row.hung];
        lines.push(table::Row::Values(name, numbers.map(|number| number.to_string()).to_vec()));
    }
    Table {
        id: "simulate",
        title: format!(
            "{} segments a line, one in {} damaged, IPv{}, seed {} (sampled)",
            args.segments,
            args.one_in,
            if args.ipv6 { 6 } else { 4 },
            args.seed
        ),
        note: String::new(),
        stub: "network and ends",
        heads: ["damaged", "let through", "wrong bytes", "connections", "hung"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows: lines,
    }
}
