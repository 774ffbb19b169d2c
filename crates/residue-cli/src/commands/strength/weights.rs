//! `residue strength weights`: the number and probability of undetected errors.

use super::{Budget, Polynomial, grouped, length, polynomial_as_text};
use crate::options::Format;
use crate::output::Output;
use clap::Args;
use num_bigint::BigUint;
use residue_report::csv::Sheet;
use residue_strength::probability::{self, Curve, Shape};
use residue_strength::{Kind, Weights};
use serde_json::{Value, json};

const HELP: &str = "\
A_w is the number of undetected errors of w bits, in the data and the check value together; A_w / \
C(n, w) is their share of all errors of w bits. (The thesis adds such shares and calls the sum \
P_ud. That is not the probability of an undetected error, which depends on the bit error rate.) \
JSON holds every weight counted, zeros included; CSV has a row for each.

Examples:
  residue strength weights crc-32 --length 1514B --most 4
  residue strength weights crc-16/xmodem --length 64 --ber 1e-6,1e-4
  residue strength weights koopman:ba0dc66b --length 64 --csv";

// Arguments of `residue strength weights`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct WeightsArgs {
    #[command(flatten)]
    polynomial: Polynomial,
    /// Length of the data, in bits; or in bytes, as 1500B
    #[arg(long, value_name = "N", value_parser = length)]
    length: u64,
    /// Count errors of up to this many bits [default: all, of which the first 16 are printed]
    #[arg(
        long,
        value_name = "W",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    most: Option<u32>,
    /// Bit error rates at which to print the exact probability of an undetected error
    ///
    /// The probability needs all weights.
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
    budget: Budget,
    #[command(flatten)]
    format: Format,
}

/// Rows of the table if all weights are known.
const SHOWN: usize = 16;

/// Digits of a printed probability.
const DIGITS: usize = 13;

/// Reads a bit error rate.
fn error_rate(text: &str) -> Result<String, String> {
    probability::rate(text).map(|_| text.into()).map_err(|error| error.to_string())
}

/// Counts, and prints the result.
pub fn run(args: &WeightsArgs, output: &mut Output) -> anyhow::Result<()> {
    let (generator, read) = args.polynomial.generator()?;
    let weights = args.budget.work(
        output,
        "counting",
        |effort| Weights::seconds(&generator, args.length, args.most, effort),
        |effort| Weights::new(&generator, args.length, args.most, effort),
    )??;
    let complete = weights.complete();
    let mut probabilities = Vec::new();
    if complete && !args.format.csv {
        for rate in &args.ber {
            probabilities.push((rate, probability::exactly(&weights, rate, DIGITS)?));
        }
    }
    let shape = complete.then(|| Curve::new(&weights).shape());
    let json = as_json(&weights, &probabilities, shape.as_ref());
    args.format.print(
        output,
        &json,
        || csv(&weights),
        |output| {
            for line in polynomial_as_text(&generator, read) {
                output.line(line)?;
            }
            let (data, all) = (grouped(args.length), grouped(weights.length()));
            output.line(format!("length      {data} bits of data, {all} in all\n"))?;
            table(&weights, args.most.is_some(), output)?;
            shape.map_or(Ok(()), |shape| print_probabilities(&probabilities, &shape, output))
        },
    )
}

fn csv(weights: &Weights) -> String {
    let mut sheet = Sheet::of_lines("weight,undetected,errors,kind");
    for ((weight, count), errors) in (0_u32..).zip(&weights.counts).zip(weights.all_errors()) {
        sheet.row(&[&weight, count, &errors, &Kind::Exact.name()]);
    }
    sheet.text()
}

/// Prints the probabilities of an undetected error, and the shape of their curve.
fn print_probabilities(
    probabilities: &[(&String, String)],
    shape: &Shape,
    output: &mut Output,
) -> anyhow::Result<()> {
    let head = output.styles.head;
    output.line("")?;
    output
        .line(format!("{head}{:>12}  {:>22}{head:#}  (exact)", "bit errors", "undetected error"))?;
    for (rate, probability) in probabilities {
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
        let whether = if right { "as it must be" } else { "WRONG: please report this" };
        output.line(format!(
            "all weights together are 2^{}, {whether}",
            sum.bits().saturating_sub(1)
        ))?;
    }
    Ok(())
}

/// Returns a quotient to six digits.
fn share(count: &BigUint, of: &BigUint) -> String {
    let spare = of.bits().max(count.bits()).saturating_sub(1000);
    let float = |value: &BigUint| -> f64 { (value >> spare).to_string().parse().unwrap_or(0.0) };
    if *count == BigUint::ZERO { "0".into() } else { format!("{:.6e}", float(count) / float(of)) }
}

fn as_json(weights: &Weights, probabilities: &[(&String, String)], shape: Option<&Shape>) -> Value {
    // Integers of any length are text, which every JSON reader keeps exactly.
    let count = |(weight, count): (u32, &BigUint)| {
        let undetected = count.to_string();
        json!({ "weight": weight, "undetected": undetected, "kind": "exact" })
    };
    let probability = |probability: &(&String, String)| {
        let (rate, undetected) = probability;
        json!({ "bit_error_rate": rate, "undetected": undetected, "kind": "exact" })
    };
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
