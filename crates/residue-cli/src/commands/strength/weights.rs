//! `residue strength weights`: how many errors are not detected, and how probable they are.

use super::{Patience, grouped, length, polynomial_as_text};
use crate::codes::Names;
use crate::output::Output;
use clap::Args;
use num_bigint::BigUint;
use residue_strength::probability::{self, Curve, Shape};
use residue_strength::{Kind, Weights};
use serde_json::{Value, json};

const HELP: &str = "\
A_w is the number of errors of w bits, in the data and the check value together, that are not detected; A_w / C(n, w) is \
their share of all errors of w bits. (The thesis adds such shares and calls the sum P_ud: that is no probability of an \
undetected error, which needs the rate at which bits are wrong.)";

/// `residue strength weights`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct WeightsArgs {
    /// A CRC's name, or its polynomial
    #[arg(value_name = "POLY", value_parser = Names, hide_possible_values = true)]
    polynomial: String,
    /// The polynomial's degree, where its digits do not tell it
    #[arg(long, value_name = "BITS")]
    width: Option<u32>,
    /// Bits of data; bytes with a B behind
    #[arg(long, value_name = "N", value_parser = length)]
    length: u64,
    /// Count errors of up to this many bits [default: all, of which the first 16 are printed]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    most: Option<u32>,
    /// Bit error rates at which to print the probability of an undetected error, exactly: it takes
    /// all weights
    #[arg(
        long,
        value_name = "RATE",
        value_delimiter = ',',
        value_parser = error_rate,
        conflicts_with_all = ["most", "csv"],
        default_value = "1e-8,1e-6,1e-5,1e-4,1e-2,0.5"
    )]
    ber: Vec<String>,
    #[command(flatten)]
    patience: Patience,
    /// Print JSON, with every weight counted, those of no errors too
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a row for each weight counted
    #[arg(long)]
    csv: bool,
}

/// Lines of the table if all weights are known.
const SHOWN: usize = 16;

/// Digits of a probability.
const DIGITS: usize = 13;

/// A bit error rate.
fn error_rate(text: &str) -> Result<String, String> {
    probability::rate(text).map(|_| text.into()).map_err(|error| error.to_string())
}

/// Counts and prints.
pub fn run(args: &WeightsArgs, output: &mut Output) -> anyhow::Result<()> {
    let (generator, read) = super::generator(&args.polynomial, args.width)?;
    let weights = args.patience.work(
        output,
        "counting",
        |effort| Weights::seconds(&generator, args.length, args.most, effort),
        |effort| Weights::new(&generator, args.length, args.most, effort),
    )?;
    let complete = weights.complete();
    let mut probabilities = Vec::new();
    if complete && !args.csv {
        for rate in &args.ber {
            probabilities.push((rate, probability::exactly(&weights, rate, DIGITS)?));
        }
    }
    let shape = complete.then(|| Curve::new(&weights).shape());
    if args.json {
        output.json(&as_json(&weights, &probabilities, shape))?;
        return Ok(());
    }
    if args.csv {
        output.line("weight,undetected,errors,kind")?;
        for (weight, count) in (0..).zip(&weights.counts) {
            output.line(format!("{weight},{count},{},exact", weights.errors(weight)))?;
        }
        return Ok(());
    }
    for line in polynomial_as_text(&generator, read) {
        output.line(line)?;
    }
    let n = weights.length();
    output.line(format!(
        "length      {} bits of data, {} in all",
        grouped(args.length),
        grouped(n)
    ))?;
    output.line("")?;
    table(&weights, args.most.is_some(), output)?;
    if let Some(shape) = shape {
        let head = output.styles.head;
        output.line("")?;
        output.line(format!(
            "{head}{:>12}  {:>22}{head:#}  (exact)",
            "bit errors", "undetected error"
        ))?;
        for (rate, probability) in &probabilities {
            output.line(format!("{rate:>12}  {probability:>22}"))?;
        }
        output.line(format!(
            "worst: {:.6e} at a bit error rate of {:.4} ({})",
            shape.worst,
            shape.worst_rate,
            Kind::Sampled.name()
        ))?;
        let is = |yes| if yes { "yes" } else { "no" };
        output.line(format!(
            "good (nowhere worse than at 1/2): {}; proper (never falling up to 1/2): {} ({})",
            is(shape.good),
            is(shape.proper),
            Kind::Sampled.name()
        ))?;
    }
    Ok(())
}

fn table(weights: &Weights, all: bool, output: &mut Output) -> anyhow::Result<()> {
    let head = output.styles.head;
    let present = (0..).zip(&weights.counts).filter(|(_, count)| **count != BigUint::ZERO);
    let shown: Vec<(u32, &BigUint)> = if all {
        (1..).zip(weights.counts.iter().skip(1)).collect()
    } else {
        present.skip(1).take(SHOWN).collect()
    };
    let rows: Vec<(u32, String, String)> = shown
        .into_iter()
        .map(|(w, count)| (w, grouped(count), share(count, &weights.errors(w))))
        .collect();
    let digits = rows.iter().map(|(_, count, _)| count.len()).max().unwrap_or(0).max(11);
    output.line(format!(
        "{head}{:>5}  {:>digits$}  {:>14}{head:#}",
        "w", "A_w (exact)", "A_w / C(n, w)"
    ))?;
    for (weight, count, share) in &rows {
        output.line(format!("{weight:>5}  {count:>digits$}  {share:>14}"))?;
    }
    if weights.complete() {
        let sum: BigUint = weights.counts.iter().sum();
        let right = sum == BigUint::from(1_u32) << weights.data;
        let whether = if right { "as it has to be" } else { "WRONG: please report this" };
        output.line(format!(
            "all weights together are 2^{}, {whether}",
            sum.bits().saturating_sub(1)
        ))?;
    }
    Ok(())
}

/// A quotient to six digits.
fn share(count: &BigUint, of: &BigUint) -> String {
    let spare = of.bits().max(count.bits()).saturating_sub(1000);
    let float = |value: &BigUint| -> f64 { (value >> spare).to_string().parse().unwrap_or(0.0) };
    if *count == BigUint::ZERO { "0".into() } else { format!("{:.6e}", float(count) / float(of)) }
}

fn as_json(weights: &Weights, probabilities: &[(&String, String)], shape: Option<Shape>) -> Value {
    // Integers of any length: as text, which every reader of JSON keeps.
    let count = |(weight, count): (u32, &BigUint)| json!({ "weight": weight, "undetected": count.to_string(), "kind": "exact" });
    let probability = |(rate, value): &(&String, String)| json!({ "bit_error_rate": rate, "undetected": value, "kind": "exact" });
    json!({
        "polynomial": weights.generator.json(),
        "data_bits": weights.data,
        "complete": weights.complete(),
        "weights": (0..).zip(&weights.counts).map(count).collect::<Value>(),
        "probabilities": probabilities.iter().map(probability).collect::<Value>(),
        "shape": shape.map(|shape| json!({
            "worst_rate": shape.worst_rate, "worst": shape.worst,
            "good": shape.good, "proper": shape.proper, "kind": Kind::Sampled.name(),
        })),
    })
}
