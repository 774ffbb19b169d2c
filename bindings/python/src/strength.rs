//! `residue.strength`: undetected errors of codes. `python/residue/strength.py` converts the
//! results to its classes.

use crate::convert::Count;
use crate::work::interruptible;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use residue::Code;
use residue_bench::timed;
use residue_strength::Error;
use residue_strength::advise::{self, Instructions, Target, Wanted, advise};
use residue_strength::bounds;
use residue_strength::compare::{Question, Subject, Traffic, compare};
use residue_strength::probability::{self, Curve};
use residue_strength::{
    Distance, Effort, Generator, Limit, Notation, Profile, Undetected, WIDEST, Weights, deadline,
    named, notes, profile,
};
use serde::Serialize;

/// Returns the budget of a search: `patience` in seconds.
fn effort(patience: Count<u32>, threads: Option<Count<usize>>) -> Effort<'static> {
    let effort = Effort::new();
    let threads = threads.map_or(effort.threads, |threads| threads.0);
    Effort { threads: threads.max(1), ..effort }.within(patience.0)
}

/// Runs work with a time limit of `patience` seconds, after which it returns a bound or an error.
fn within<T>(
    patience: Count<u32>,
    threads: Option<Count<usize>>,
    work: impl FnOnce(&Effort<'_>) -> T,
) -> T {
    let in_time = deadline(patience.0);
    work(&Effort { spend: &in_time, ..effort(patience, threads) })
}

fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn generator(polynomial: &str, width: Option<Count<u32>>) -> PyResult<Generator> {
    Ok(Generator::parse(polynomial, width.map(|width| width.0)).map_err(refused)?.0)
}

/// Length of the data in bits, the wrong bits, and the change of the check value.
type Wrong = (u64, Vec<u64>, u64);

fn wrong(error: &Undetected) -> Wrong {
    // Of at most 64 bits, and hexadecimal.
    let check = u64::from_str_radix(error.check(), 16).unwrap_or(0);
    (error.bits(), error.data().to_vec(), check)
}

type Row = (u32, u64, &'static str, Option<Wrong>);

fn row(limit: &Limit, (name, code): &(String, Code)) -> PyResult<Row> {
    let error = Undetected::of_limit(limit, (name, code)).map_err(refused)?;
    Ok((limit.distance, limit.data, limit.kind.name(), error.as_ref().map(wrong)))
}

/// Returns the lengths up to which each Hamming distance holds.
#[pyfunction]
pub fn _strength_profile<'py>(
    py: Python<'py>,
    polynomial: &str,
    width: Option<Count<u32>>,
    most: Count<u32>,
    patience: Count<u32>,
    threads: Option<Count<usize>>,
) -> PyResult<Bound<'py, PyDict>> {
    let generator = generator(polynomial, width)?;
    let found = interruptible(py, move || {
        within(patience, threads, |effort| Profile::to(&generator, most.0, effort))
    })?;
    let answer = PyDict::new(py);
    described(&answer, &generator)?;
    let factors = found.factors.iter();
    let factors: Vec<_> = factors
        .map(|factor| (factor.poly, factor.times, factor.order, factor.is_primitive()))
        .collect();
    answer.set_item("factors", factors)?;
    answer.set_item("order", found.order)?;
    let named = named(polynomial, &generator);
    answer.set_item("code", &named.0)?;
    let rows = found.limits.iter().map(|limit| row(limit, &named));
    answer.set_item("limits", rows.collect::<PyResult<Vec<_>>>()?)?;
    answer.set_item("note", notes(&generator))?;
    Ok(answer)
}

fn described(answer: &Bound<'_, PyDict>, generator: &Generator) -> PyResult<()> {
    answer.set_item("width", generator.width())?;
    answer.set_item("names", generator.names().collect::<Vec<_>>())?;
    for notation in Notation::ALL {
        answer.set_item(notation.name(), generator.write(notation))?;
    }
    Ok(())
}

/// Returns the Hamming distance for data of one length.
#[pyfunction]
pub fn _strength_distance(
    py: Python<'_>,
    polynomial: &str,
    width: Option<Count<u32>>,
    data_bits: Count<u64>,
    patience: Count<u32>,
    threads: Option<Count<usize>>,
) -> PyResult<(u32, &'static str, Option<Wrong>)> {
    let generator = generator(polynomial, width)?;
    let found = interruptible(py, move || {
        within(patience, threads, |effort| Distance::new(&generator, data_bits.0, effort))
    })?;
    let (name, code) = named(polynomial, &generator);
    let error = found.witness.map(|witness| Undetected::of(&witness, (&name, &code), data_bits.0));
    let error = error.transpose().map_err(refused)?;
    Ok((found.distance, found.kind.name(), error.as_ref().map(wrong)))
}

/// Estimates the seconds that a profile takes.
#[pyfunction]
pub fn _strength_seconds(
    polynomial: &str,
    width: Option<Count<u32>>,
    most: Count<u32>,
    patience: Count<u32>,
    threads: Option<Count<usize>>,
) -> PyResult<f64> {
    let effort = effort(patience, threads);
    let sums = profile::sums_to(&generator(polynomial, width)?, most.0, &effort);
    Ok(effort.seconds(sums).min(patience.0.into()))
}

/// Counts the undetected errors of each number of bits, as little-endian bytes, and computes their
/// probability at each rate.
#[pyfunction]
#[allow(clippy::type_complexity, clippy::too_many_arguments)]
pub fn _strength_weights(
    py: Python<'_>,
    polynomial: &str,
    width: Option<Count<u32>>,
    data_bits: Count<u64>,
    most: Option<Count<u32>>,
    rates: Vec<String>,
    patience: Count<u32>,
    threads: Option<Count<usize>>,
) -> PyResult<(u32, Vec<Vec<u8>>, Vec<String>, Option<(f64, f64, f64, bool, bool)>)> {
    let generator = generator(polynomial, width)?;
    let most = most.map(|most| most.0);
    let found = interruptible(py, move || {
        let weights = within(patience, threads, |effort| {
            Weights::new(&generator, data_bits.0, most, effort)
        })?;
        let exactly = |rate: &String| probability::exactly(&weights, rate, 17);
        let at = rates.iter().map(exactly).collect::<Result<Vec<_>, _>>()?;
        let shape = weights.complete().then(|| Curve::new(&weights).shape());
        Ok((weights, at, shape))
    })?;
    let (weights, at, shape) = found.map_err(refused)?;
    let counts = weights.counts.iter().map(|count| count.to_bytes_le()).collect();
    let shape =
        shape.map(|shape| (shape.worst_rate, shape.worst, shape.half, shape.good, shape.proper));
    Ok((generator.width(), counts, at, shape))
}

fn json(answer: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Compares codes; returns JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn _strength_compare(
    py: Python<'_>,
    codes: Vec<String>,
    data_bits: Count<u64>,
    rates: Vec<String>,
    frames: Option<f64>,
    link: f64,
    exact: bool,
    patience: Count<u32>,
    threads: Option<Count<usize>>,
) -> PyResult<String> {
    let subjects: Result<Vec<Subject>, Error> =
        codes.iter().map(|code| Subject::parse(code)).collect();
    let subjects = subjects.map_err(refused)?;
    for rate in &rates {
        let value = probability::rate(rate).map_err(refused)?;
        if !(f64::MIN_POSITIVE..=0.5).contains(&value) {
            return Err(PyValueError::new_err(format!(
                "a bit error rate of {rate}: give rates above 0 and up to 0.5 (random bits)"
            )));
        }
    }
    let traffic = frames.map_or(Traffic::Link(link), Traffic::Frames);
    let question = Question { data: data_bits.0, rates, traffic, exact };
    let found = interruptible(py, move || {
        within(patience, threads, |effort| compare(&subjects, &question, effort))
    })?;
    json(&found.map_err(refused)?)
}

/// Finds the known codes that meet the requirements; returns JSON. `lengths` are the longest first,
/// and at least one.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // One caller, by position.
pub fn _strength_advise(
    py: Python<'_>,
    lengths: Vec<Count<u64>>,
    distance: Count<u32>,
    width: Count<u32>,
    burst: Count<u32>,
    rate: Option<&str>,
    damaged: Option<&str>,
    target: Option<&str>,
    link: f64,
    files: bool,
    cpu: &str,
    patience: Count<u32>,
    threads: Option<Count<usize>>,
) -> PyResult<String> {
    let (distance, width, burst) = (distance.0, width.0, burst.0);
    if !(3..=WIDEST).contains(&width) || distance < 2 || distance > width + 1 {
        return Err(PyValueError::new_err(format!(
            "hd={distance}, width={width}: \
             give a width of 3 to {WIDEST} bits, and a Hamming distance from 2 to the width plus 1"
        )));
    }
    if burst > width {
        return Err(PyValueError::new_err(format!(
            "burst={burst}: a check value of {width} bits detects all bursts of at most as many \
             bits; give a larger width"
        )));
    }
    let mut lengths = lengths.into_iter().map(|bits| bits.0);
    let Some(longest) = lengths.next() else {
        return Err(PyValueError::new_err("data_bits: give one length or more"));
    };
    let share = |text: Option<&str>| text.map(advise::rate).transpose().map_err(refused);
    let instructions = match cpu {
        "this" => Instructions::Here,
        "crc" => Instructions::Crc,
        "none" => Instructions::None,
        other => {
            return Err(PyValueError::new_err(format!(
                "cpu={other:?}: expected \"this\", \"crc\" or \"none\""
            )));
        }
    };
    let wanted = Wanted {
        shorter: lengths.collect(),
        burst,
        rate: share(rate)?,
        damaged: share(damaged)?.unwrap_or(0.0),
        target: target.map(Target::parse).transpose().map_err(refused)?,
        link,
        files,
        instructions,
        ..Wanted::new(longest, distance, width)
    };
    let found = interruptible(py, move || {
        let advice = within(patience, threads, |effort| advise(&wanted, effort));
        let time = |names: &[(String, &'static str)], bytes| {
            timed(names, bytes).map_err(|why| why.to_string())
        };
        advice.map_err(|why| why.to_string())?.timed(time)
    })?;
    json(&found.map_err(PyValueError::new_err)?)
}

/// Returns the widths below which no code has the distance, and at which some CRC has it.
#[pyfunction]
pub fn _strength_widths(data_bits: Count<u64>, distance: Count<u32>) -> (u32, u32) {
    let (data_bits, distance) = (data_bits.0, distance.0);
    (bounds::least_width(data_bits, distance), bounds::enough_width(data_bits, distance))
}
