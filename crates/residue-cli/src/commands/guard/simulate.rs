//! `residue guard simulate`: what plain TCP lets through a hostile network, and what each value does.

use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_guard::simulate::{Fault, Plan, Row, run as simulate};
use residue_report::table::{self, Table};

const HELP: &str = "\
Two ends of TCP connections in memory, with and without guard, over a link that damages the data of segments. It needs no \
privilege, and the same seed gives the same numbers.

damaged: segments that the network damaged; let through: those of them that reached the receiving TCP with all checks \
right; wrong: bytes that the application was given and nobody had sent; hung: connections on which nothing ever arrived, \
after which the next one asks for less. Dropped segments are sent again, so each value sees other segments.

Faults:
  nothing, loss, reorder, duplicate
  word-swap     a router swaps two 16-bit words, which TCP's checksum cannot see
  byte-pair     a gateway interchanges two bytes, once in a million bytes (Saltzer, Reed and Clark 1984)
  bit-flip, burst
  offload       a network card changes data before it computes the checksum
  nat           a NAT that does its work well
  nat-damage    a NAT that changes a byte and computes the checksum anew
  no-request    a middlebox takes option 14 out
  no-data       a middlebox takes option 15 out
  everything    word swaps, byte pairs, flips, bursts and offload, with loss, reordering and duplicates

Examples:
  residue guard simulate
  residue guard simulate --fault word-swap,nat-damage --value 4,5 --segments 100000
  residue guard simulate --ipv6 --json";

/// `residue guard simulate`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct SimulateArgs {
    /// What the network does [default: everything there is, one after the other]
    #[arg(long = "fault", value_name = "FAULT", value_delimiter = ',')]
    faults: Vec<Fault>,
    /// Values that both ends ask for, 1 to 6, beside plain TCP [default: all]
    #[arg(long = "value", value_name = "VALUE", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=6))]
    values: Vec<u8>,
    /// Segments with data that the network carries, of each fault and value
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    segments: u64,
    /// One in so many of them is damaged
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..))]
    one_in: u64,
    /// Over IPv6
    #[arg(long)]
    ipv6: bool,
    /// Where the random numbers begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
}

/// Simulates, and prints what came of it.
pub fn run(args: &SimulateArgs, output: &mut Output) -> anyhow::Result<()> {
    let faults = if args.faults.is_empty() { &Fault::ALL[..] } else { &args.faults };
    let values = if args.values.is_empty() { &[1, 2, 3, 4, 5, 6][..] } else { &args.values };
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
        bar.tell(rows.len() as u64, plans.len() as u64);
        rows.push(simulate(plan));
    }
    bar.clear();
    if args.json {
        output.json(&rows)?;
    } else if args.csv {
        output.line("fault,value,agreed,segments,damaged,caught,let_through,delivered,wrong,connections,hung")?;
        for row in &rows {
            output.line(format!(
                "{},{},{},{},{},{},{},{},{},{},{}",
                row.plan.fault,
                row.plan.value.unwrap_or(0),
                row.agreed,
                row.segments,
                row.damaged,
                row.caught,
                row.let_through,
                row.delivered,
                row.wrong,
                row.connections,
                row.hung
            ))?;
        }
    } else {
        output.line(table(args, &rows).text())?;
        let wrong: u64 = rows.iter().filter(|row| row.agreed >= 3).map(|row| row.wrong).sum();
        output.line(format!("{wrong} wrong bytes delivered in connections with a CRC"))?;
    }
    Ok(())
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
