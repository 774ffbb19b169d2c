//! `residue strength POLY`: the longest data for each Hamming distance.

use super::{Budget, Polynomial, advice, grouped, length, polynomial_as_text};
use crate::options::Format;
use crate::output::Output;
use clap::Args;
use residue::Code;
use residue_report::csv::Sheet;
use residue_report::number::{duration, significant};
use residue_strength::advise::rate as error_rate;
use residue_strength::chance::Chance;
use residue_strength::compare::Known;
use residue_strength::profile::{sums_at, sums_to};
use residue_strength::{
    Distance, Factor, Generator, Kind, Limit, Notation, Profile, Undetected, named, notes,
};
use serde_json::{Value, json};
use std::time::Instant;

// Arguments of `residue strength POLY`.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    #[command(flatten)]
    polynomial: Polynomial,
    /// Compute only the Hamming distance at this length of data
    #[arg(long, value_name = "N", value_parser = length)]
    length: Option<u64>,
    /// Bit error rates for the probability of an undetected error at --length
    #[arg(
        long,
        value_name = "RATE",
        requires = "length",
        value_delimiter = ',',
        value_parser = rate,
        default_value = "1e-8,1e-6,1e-4"
    )]
    ber: Vec<f64>,
    /// Compute only Hamming distances up to this one; saves time for wide polynomials
    #[arg(
        long,
        value_name = "HD",
        conflicts_with = "length",
        value_parser = clap::value_parser!(u32).range(3..=65)
    )]
    most: Option<u32>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    format: Format,
}

fn rate(text: &str) -> Result<f64, String> {
    error_rate(text).map_err(|error| error.to_string())
}

/// Computes the limits, and prints them.
pub fn run(args: &ProfileArgs, output: &mut Output) -> anyhow::Result<()> {
    let (generator, read) = args.polynomial.generator()?;
    let code = named(args.polynomial.text(), &generator);
    let start = Instant::now();
    if let Some(data) = args.length {
        let (found, chance) = args.budget.work(
            output,
            "searching",
            |effort| effort.seconds(sums_at(&generator, data, effort)),
            |effort| {
                let found = Distance::new(&generator, data, effort);
                let rate = args.ber.iter().copied().fold(0.0, f64::max);
                let chance = Chance::crc(&generator, data, found.distance, rate, effort);
                (found, chance)
            },
        )?;
        return one(args, (&generator, read), &code, data, (&found, &chance), output);
    }
    let most = args.most.unwrap_or(u32::MAX);
    let profile = args.budget.work(
        output,
        "searching",
        |effort| effort.seconds(sums_to(&generator, most, effort)),
        |effort| Profile::to(&generator, most, effort),
    )?;
    let errors = profile.limits.iter().map(|limit| Undetected::of_limit(limit, (&code.0, &code.1)));
    let errors = errors.collect::<Result<Vec<_>, _>>()?;
    let advice = advice::of_profile(&profile, args.polynomial.text(), most);
    if args.format.json {
        let mut json = as_json(&profile, &code.0, &errors);
        json["advice"] = json!(advice);
        output.json(&json)?;
    } else if args.format.csv {
        let mut sheet =
            Sheet::of_lines("distance,data_bits,data_bytes,kind,undetected_data,undetected_check");
        for (limit, error) in profile.limits.iter().zip(&errors) {
            let [bits, check] = Undetected::cells(error.as_ref());
            sheet.cells(&[&limit.distance, &limit.data, &(limit.data / 8), &limit.kind.name()]);
            sheet.cells(&[&bits, &check]).end();
        }
        output.bytes(sheet.text().as_bytes())?;
    } else {
        for line in polynomial_as_text(&generator, read) {
            output.line(line)?;
        }
        output.line(format!("factors     {}", factors(&profile.factors)))?;
        output.line(format!("order       {}", grouped(profile.order)))?;
        table(&profile, &code.0, &errors, output)?;
        if let Some(note) = notes(&generator) {
            output.line("")?;
            output.line(note)?;
        }
        advice.print(output)?;
        let dim = output.styles.dim;
        output.line(format!("{dim}{}{dim:#}", duration(start.elapsed().as_secs_f64())))?;
    }
    Ok(())
}

/// Describes the factors: `x + 1, 2 times; 2cc1a0c3 of degree 30, primitive`.
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

fn table(
    profile: &Profile,
    name: &str,
    errors: &[Option<Undetected>],
    output: &mut Output,
) -> anyhow::Result<()> {
    let head = output.styles.head;
    output.line("")?;
    if profile.limits.is_empty() {
        output.line("HD 2 at every length: no error of two bits is sure to be detected.")?;
        return Ok(());
    }
    output.line(format!(
        "{head}{:>3}  {:>22}  {:>22}  {:6}  one bit longer, an error in these bits is not \
         detected{head:#}",
        "HD", "data, bits", "whole bytes", "figure"
    ))?;
    for (limit, error) in profile.limits.iter().zip(errors) {
        let Limit { distance, data, kind, .. } = limit;
        let at_least = if *kind == Kind::AtLeast { "≥ " } else { "" };
        let error = error.as_ref().map_or("not known".into(), Undetected::text);
        output.line(format!(
            "{distance:>3}  {:>22}  {:>22}  {:6}  {error}",
            format!("{at_least}{}", grouped(data)),
            format!("{at_least}{}", grouped(data / 8)),
            kind.name()
        ))?;
    }
    output
        .line(format!("Data bits from the first sent, 0; check: the change of {name}'s value."))?;
    Ok(())
}

fn one(
    args: &ProfileArgs,
    (generator, read): (&Generator, Notation),
    (name, code): &(String, Code),
    data: u64,
    (found, chance): (&Distance, &Chance),
    output: &mut Output,
) -> anyhow::Result<()> {
    let Distance { distance, kind, witness } = found;
    let error = witness.as_ref().map(|witness| Undetected::of(witness, (name, code), data));
    let error = error.transpose()?;
    let advice = advice::of_distance(found, generator, args.polynomial.text(), data);
    let at = |&rate: &f64| (rate, chance.at(rate));
    let chances: Vec<(f64, Known<f64>)> = args.ber.iter().map(at).collect();
    let probabilities: Value = chances
        .iter()
        .map(|(rate, known)| json!({ "rate": rate, "value": known.value, "kind": known.kind }))
        .collect();
    if args.format.json {
        output.json(&json!({
            "polynomial": generator.json(), "code": name,
            "data_bits": data, "distance": distance, "kind": kind.name(), "undetected": error,
            "probabilities": probabilities, "advice": advice,
        }))?;
    } else if args.format.csv {
        let mut sheet = Sheet::of_lines("data_bits,distance,kind,undetected_data,undetected_check");
        let [bits, check] = Undetected::cells(error.as_ref());
        sheet.row(&[&data, distance, &kind.name(), &bits, &check]);
        output.bytes(sheet.text().as_bytes())?;
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
        if let Some(error) = error {
            output.line(format!("not detected: {distance} wrong bits: {}", error.text()))?;
            output.line(format!(
                "Data bits from the first sent, 0; check: the change of {name}'s value."
            ))?;
        }
        for (rate, known) in chances {
            let value = significant(known.value, 3);
            output.line(format!(
                "P of an undetected error at a bit error rate of {rate:e}: {value} ({})",
                known.kind
            ))?;
        }
        advice.print(output)?;
    }
    Ok(())
}

fn as_json(profile: &Profile, name: &str, errors: &[Option<Undetected>]) -> Value {
    let factor = |factor: &Factor| {
        json!({
            "polynomial": format!("{:x}", factor.poly),
            "degree": factor.degree(),
            "times": factor.times,
            "order": factor.order,
            "primitive": factor.is_primitive(),
        })
    };
    let limit = |(limit, error): (&Limit, &Option<Undetected>)| {
        json!({
            "distance": limit.distance,
            "data_bits": limit.data,
            "data_bytes": limit.data / 8,
            "kind": limit.kind.name(),
            "undetected": error,
        })
    };
    json!({
        "polynomial": profile.generator.json(),
        "code": name,
        "factors": profile.factors.iter().map(factor).collect::<Value>(),
        "order": profile.order,
        "limits": profile.limits.iter().zip(errors).map(limit).collect::<Value>(),
        "note": notes(&profile.generator),
    })
}
