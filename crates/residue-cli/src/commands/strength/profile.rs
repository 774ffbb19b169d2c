//! `residue strength POLY`: to which length each Hamming distance holds.

use super::{Patience, duration, grouped, length, polynomial_as_json, polynomial_as_text};
use crate::codes::Names;
use crate::output::Output;
use anyhow::bail;
use clap::Args;
use residue_lab::strength::logarithm::{self, Confirmation};
use residue_lab::strength::profile::{sums_at, sums_to};
use residue_lab::strength::{
    Distance, Effort, Factor, Generator, Kind, Limit, Notation, Profile, Witness, notes,
};
use serde_json::{Value, json};
use std::time::Instant;

/// `residue strength POLY`
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// A CRC's name, or its polynomial
    #[arg(value_name = "POLY", required = true, value_parser = Names, hide_possible_values = true)]
    polynomial: Option<String>,
    /// The polynomial's degree, where its digits do not tell it
    #[arg(long, value_name = "BITS")]
    width: Option<u32>,
    /// Only the Hamming distance of data of this length
    #[arg(long, value_name = "N", value_parser = length)]
    length: Option<u64>,
    /// Only Hamming distances up to this: less work for wide polynomials
    #[arg(long, value_name = "HD", conflicts_with = "length", value_parser = clap::value_parser!(u32).range(3..=65))]
    most: Option<u32>,
    /// Find the limit that errors of four bits set a second way: by discrete logarithms, or where these came first, by meeting in the middle
    #[arg(long, conflicts_with_all = ["length", "csv"])]
    confirm: bool,
    #[command(flatten)]
    patience: Patience,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a row for each Hamming distance
    #[arg(long)]
    csv: bool,
}

/// Finds and prints limits.
pub fn run(args: &ProfileArgs, output: &mut Output) -> anyhow::Result<()> {
    let text = args.polynomial.as_deref().unwrap_or_default();
    let (generator, read) = Generator::parse(text, args.width)?;
    let start = Instant::now();
    if let Some(data) = args.length {
        let found = args.patience.work(
            output,
            "searching",
            |effort| effort.seconds(sums_at(&generator, data, effort)),
            |effort| Distance::new(&generator, data, effort),
        );
        return one(args, &generator, read, data, &found, output);
    }
    let most = args.most.unwrap_or(u32::MAX);
    let profile = args.patience.work(
        output,
        "searching",
        |effort| effort.seconds(sums_to(&generator, most, effort)),
        |effort| Profile::to(&generator, most, effort),
    );
    let confirmation = if args.confirm { Some(confirm(&profile, args, output)?) } else { None };
    if args.json {
        output.json(&as_json(&profile, confirmation.as_ref()))?;
    } else if args.csv {
        output.line("distance,data_bits,data_bytes,kind,undetected")?;
        for limit in &profile.limits {
            let places = limit.witness.as_ref().map_or(String::new(), |w| joined(w.places(), " "));
            let (data, kind) = (limit.data, limit.kind.name());
            output.line(format!("{},{data},{},{kind},{places}", limit.distance, data / 8))?;
        }
    } else {
        for line in polynomial_as_text(&generator, read) {
            output.line(line)?;
        }
        output.line(format!("factors     {}", factors(&profile.factors)))?;
        output.line(format!("order       {}", grouped(profile.order)))?;
        table(&profile, output)?;
        if let Some(confirmation) = confirmation {
            output.line("")?;
            output.line(confirmed(&confirmation, &generator))?;
        }
        if let Some(note) = notes(&generator) {
            output.line("")?;
            output.line(note)?;
        }
        let dim = output.styles.dim;
        output.line(format!("{dim}{}{dim:#}", duration(start.elapsed().as_secs_f64())))?;
    }
    Ok(())
}

fn confirm(
    profile: &Profile,
    args: &ProfileArgs,
    output: &mut Output,
) -> anyhow::Result<Confirmation> {
    let seconds = |effort: &Effort<'_>| effort.seconds(logarithm::cost(profile));
    let work = |effort: &Effort<'_>| logarithm::confirm(profile, effort);
    match args.patience.work(output, "confirming", seconds, work) {
        Some(confirmation) if !confirmation.agrees => bail!(
            "the shortest undetected error of four bits comes out as {:?} another way, not as the limits say: please report this",
            confirmation.witness.as_ref().map(Witness::places)
        ),
        Some(confirmation) => Ok(confirmation),
        None => bail!(
            "--confirm takes a primitive polynomial, or x + 1 times one, for whose degree 2^degree - 1 has small divisors, and \
             that detects errors of four bits in some data; or it takes more --patience"
        ),
    }
}

fn confirmed(confirmation: &Confirmation, generator: &Generator) -> String {
    let way = if confirmation.by_logarithms { "logarithms" } else { "meeting in the middle" };
    match &confirmation.witness {
        Some(witness) => format!(
            "Confirmed by {way} (exact): the shortest undetected error of four bits takes {} bits of data: {}",
            grouped(witness.span().saturating_sub(generator.width().into())),
            told(witness, generator)
        ),
        None => format!(
            "Confirmed by {way} (exact): no error of four bits is undetected in codewords of {} bits",
            grouped(confirmation.length)
        ),
    }
}

fn joined(places: &[u64], between: &str) -> String {
    places.iter().map(u64::to_string).collect::<Vec<_>>().join(between)
}

/// `(x + 1)^2, degree 30 (primitive)`
fn factors(factors: &[Factor]) -> String {
    let one = |factor: &Factor| {
        let degree = factor.degree();
        let name = match degree {
            1 => "x + 1".to_string(),
            _ => format!("{:x} of degree {degree}", factor.poly),
        };
        let times =
            if factor.times > 1 { format!(", {} times", factor.times) } else { String::new() };
        let primitive = if degree > 1 && factor.is_primitive() { ", primitive" } else { "" };
        format!("{name}{primitive}{times}")
    };
    factors.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn table(profile: &Profile, output: &mut Output) -> anyhow::Result<()> {
    let head = output.styles.head;
    output.line("")?;
    if profile.limits.is_empty() {
        output.line("HD 2 at every length: no error of two bits is sure to be detected.")?;
        return Ok(());
    }
    output.line(format!(
        "{head}{:>3}  {:>22}  {:>22}  {:6}  one bit longer, an error in these bits is not detected{head:#}",
        "HD", "data, bits", "whole bytes", "figure"
    ))?;
    for limit in &profile.limits {
        let Limit { distance, data, kind, witness } = limit;
        let at_least = if *kind == Kind::AtLeast { "≥ " } else { "" };
        let witness = witness.as_ref().map_or("not known".into(), |w| told(w, &profile.generator));
        output.line(format!(
            "{distance:>3}  {:>22}  {:>22}  {:6}  {witness}",
            format!("{at_least}{}", grouped(data)),
            format!("{at_least}{}", grouped(data / 8)),
            kind.name()
        ))?;
    }
    Ok(())
}

/// Data bits counted from the first sent; the check value's as a number.
fn told(witness: &Witness, generator: &Generator) -> String {
    let digits = generator.width().div_ceil(4) as usize;
    format!(
        "data {}, check {:0digits$x}",
        joined(&witness.data_bits(generator), " "),
        witness.check_bits(generator)
    )
}

fn one(
    args: &ProfileArgs,
    generator: &Generator,
    read: Notation,
    data: u64,
    found: &Distance,
    output: &mut Output,
) -> anyhow::Result<()> {
    let Distance { distance, kind, witness } = found;
    let places = witness.as_ref().map(|witness| witness.places());
    if args.json {
        output.json(&json!({
            "polynomial": polynomial_as_json(generator),
            "data_bits": data, "distance": distance, "kind": kind.name(), "undetected": places,
        }))?;
    } else if args.csv {
        output.line("data_bits,distance,kind,undetected")?;
        let places = joined(places.unwrap_or(&[]), " ");
        output.line(format!("{data},{distance},{},{places}", kind.name()))?;
    } else {
        for line in polynomial_as_text(generator, read) {
            output.line(line)?;
        }
        output.line("")?;
        let at_least = if *kind == Kind::AtLeast { "at least " } else { "" };
        output.line(format!(
            "HD {at_least}{distance} for {} bits of data ({})",
            grouped(data),
            kind.name()
        ))?;
        if let Some(witness) = witness {
            output.line(format!(
                "not detected: {} wrong bits that take {} bits of data: {}",
                witness.weight(),
                grouped(witness.span() - u128::from(generator.width())),
                told(witness, generator)
            ))?;
        }
    }
    Ok(())
}

fn as_json(profile: &Profile, confirmation: Option<&Confirmation>) -> Value {
    let factor = |factor: &Factor| {
        json!({
            "polynomial": format!("{:x}", factor.poly),
            "degree": factor.degree(),
            "times": factor.times,
            "order": factor.order,
            "primitive": factor.is_primitive(),
        })
    };
    let limit = |limit: &Limit| {
        json!({
            "distance": limit.distance,
            "data_bits": limit.data,
            "data_bytes": limit.data / 8,
            "kind": limit.kind.name(),
            "undetected": limit.witness.as_ref().map(|witness| witness.places()),
        })
    };
    json!({
        "polynomial": polynomial_as_json(&profile.generator),
        "factors": profile.factors.iter().map(factor).collect::<Value>(),
        "order": profile.order,
        "limits": profile.limits.iter().map(limit).collect::<Value>(),
        "confirmed": confirmation.map(|confirmation| json!({
            "by": if confirmation.by_logarithms { "logarithms" } else { "meeting in the middle" },
            "codeword_bits": confirmation.length,
            "undetected": confirmation.witness.as_ref().map(Witness::places),
        })),
        "note": notes(&profile.generator),
    })
}
