//! `residue.pcap`: the check values of a capture. `python/residue/pcap.py` converts the results to
//! its classes.

use crate::work::{Interruptible, Progress};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use residue_net::Error;
use residue_net::check::Verdict;
use residue_net::diagnose::{Cause, CauseKind, Chance};
use residue_net::pcap::Reader;
use residue_net::record::Record;
use residue_net::summary::{Counts, Summary};
use residue_net::unfollowed::Unfollowed;
use residue_net::verify::{self, Buffer, Finding, Read};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// One verified check value: the fields of `residue.pcap.Check`, in order.
#[derive(IntoPyObject)]
struct Check {
    packet: u64,
    protocol: &'static str,
    verdict: &'static str,
    reason: Option<&'static str>,
    cause: Option<&'static str>,
    detail: Option<String>,
    stored: Option<u64>,
    computed: Option<u64>,
    source: Option<String>,
    destination: Option<String>,
    source_port: Option<u16>,
    destination_port: Option<u16>,
    offset: Option<u64>,
}

impl Check {
    fn of(finding: &Finding<'_>, cause: Option<Cause>) -> Check {
        let Record { reason, cause, detail, source, destination, offset, .. } =
            Record::of(finding, cause);
        let ports = finding.check.ports;
        Check {
            packet: finding.buffer.packet,
            protocol: finding.check.protocol.name,
            verdict: finding.verdict.name(),
            reason,
            cause,
            detail,
            stored: finding.stored(),
            computed: finding.computed(),
            source,
            destination,
            source_port: ports.map(|ports| ports[0]),
            destination_port: ports.map(|ports| ports[1]),
            offset,
        }
    }
}

/// Selection of the checks to list.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    None,
    Wrong,
    All,
}

impl Which {
    fn takes(self, verdict: Verdict) -> bool {
        match self {
            Which::None => false,
            Which::All => true,
            Which::Wrong => {
                !matches!(verdict, Verdict::Good | Verdict::Absent | Verdict::Unverifiable(_))
            }
        }
    }
}

/// Verifies every check value of the capture at `path`; `checks` is "wrong", "all" or None.
/// `progress` is called with the bytes read, and those to read if they are known.
#[pyfunction]
pub fn _pcap_verify<'py>(
    py: Python<'py>,
    path: PathBuf,
    checks: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let which = match checks {
        None => Which::None,
        Some("wrong") => Which::Wrong,
        Some("all") => Which::All,
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "checks={other:?}: give \"wrong\", \"all\" or None"
            )));
        }
    };
    // Causes are known only at the end: to list checks with them, read the capture again.
    let passes = if which == Which::None { 1 } else { 2 };
    let file = std::fs::metadata(&path).ok().filter(Metadata::is_file);
    let all = file.map(|file| file.len() * passes);
    let mut progress = progress.map(|function| Progress::new(function, all));
    let mut summary = Summary::new();
    let read = pass(py, &path, progress.as_mut(), |buffer| summary.buffer(buffer))?;
    let mut rows = Vec::new();
    if which != Which::None {
        pass(py, &path, progress.as_mut(), |buffer| {
            let findings = buffer.findings().map(|finding| summary.diagnosis.judged(finding));
            let taken = findings.filter(|finding| which.takes(finding.verdict));
            rows.extend(
                taken.map(|finding| Check::of(&finding, summary.diagnosis.cause(&finding))),
            );
        })?;
    }
    progress.map_or(Ok(()), |progress| progress.report(py))?;
    report(py, &read, &summary, rows)
}

fn report<'py>(
    py: Python<'py>,
    read: &Read,
    summary: &Summary,
    rows: Vec<Check>,
) -> PyResult<Bound<'py, PyDict>> {
    let total = summary.total();
    let protocols = summary.protocols();
    let protocols = protocols.iter().map(|(name, (protocol, counts))| {
        counted(py, name, protocol.title, protocol.source, counts)
    });
    let tally = summary.diagnosis.tally();
    let chances = summary.diagnosis.chances();
    let cause = |(key, &count): (&(CauseKind, &'static str), &u64)| {
        (key.0.name(), key.1, count, chances.get(key).copied().map(probability))
    };
    let causes: Vec<_> = tally.iter().map(cause).collect();
    let rewrites = summary.diagnosis.rewrites();
    let rewritten = rewrites.iter().map(|rewrite| {
        let (source, destination) = (rewrite.source.to_string(), rewrite.destination.to_string());
        let chance = probability(rewrite.chance);
        (source, destination, rewrite.lacking, rewrite.packets, rewrite.addresses_only, chance)
    });
    let senders = summary
        .senders()
        .into_iter()
        .map(|(address, faults)| (address.shown(), faults.wrong, faults.offloaded));
    let flows = summary.flows().into_iter().map(|(flow, faults)| {
        let [source, destination] = flow.addresses.map(|address| address.shown());
        let ports = flow.ports;
        (
            flow.protocol,
            source,
            destination,
            ports.map(|ports| ports[0]),
            ports.map(|ports| ports[1]),
            faults.wrong,
            faults.offloaded,
        )
    });
    let not_followed = summary.unfollowed().into_iter().map(|(unfollowed, packets)| {
        (
            unfollowed.map(|it| it.numbering.name()),
            unfollowed.map(|it| it.value),
            unfollowed.and_then(Unfollowed::name),
            unfollowed.map(|it| it.to_string()),
            packets,
        )
    });
    let report = PyDict::new(py);
    report.set_item("format", read.format.to_string())?;
    report.set_item("compression", read.compression.map(|compression| compression.to_string()))?;
    report.set_item("packets", read.packets)?;
    report.set_item("cut_packets", read.cut_packets)?;
    report.set_item("error", read.error.as_ref().map(ToString::to_string))?;
    report.set_item("total", counted(py, "", "all", "", &total)?)?;
    report.set_item("protocols", protocols.collect::<PyResult<Vec<_>>>()?)?;
    report.set_item("causes", causes)?;
    report.set_item("not_followed", not_followed.collect::<Vec<_>>())?;
    report.set_item("rewritten", rewritten.collect::<Vec<_>>())?;
    report.set_item("senders", senders.collect::<Vec<_>>())?;
    report.set_item("flows", flows.collect::<Vec<_>>())?;
    report.set_item("checks", rows)?;
    Ok(report)
}

/// Returns a probability with two significant digits, as in the JSON of the program; the smallest
/// is 1e-300.
fn probability(chance: Chance) -> f64 {
    let chance = 10f64.powf(chance.log10().max(-300.0));
    // Through text, because multiples of powers of ten have long fractions.
    format!("{chance:.1e}").parse().unwrap_or(chance)
}

fn counted<'py>(
    py: Python<'py>,
    name: &str,
    title: &str,
    source: &str,
    counts: &Counts,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    for (key, text) in [("protocol", name), ("title", title), ("source", source)] {
        row.set_item(key, text)?;
    }
    for (verdict, count) in counts.columns() {
        row.set_item(verdict.replace(' ', "_"), count)?;
    }
    Ok(row)
}

/// Reads the capture once, without the interpreter's lock.
fn pass(
    py: Python<'_>,
    path: &Path,
    progress: Option<&mut Progress>,
    each: impl FnMut(&Buffer<'_>) + Send,
) -> PyResult<Read> {
    let system = |error: io::Error| {
        PyOSError::new_err((error.raw_os_error(), error.to_string(), path.as_os_str().to_owned()))
    };
    let refused = |error: Error| match error {
        Error::Io { source, .. } => system(source),
        error => PyValueError::new_err(format!("{}: {error}", path.display())),
    };
    let file = py.detach(|| File::open(path)).map_err(system)?;
    let mut input = Interruptible::new(file, progress);
    let result = py.detach(|| {
        let reader = Reader::new(&mut input)?;
        Ok(verify::packets(reader, each))
    });
    match (input.raised, result) {
        (Some(raised), _) => Err(raised),
        (None, Err(error)) => Err(refused(error)),
        (None, Ok(Read { error: Some(Error::Io { source, .. }), .. })) => Err(system(source)),
        (None, Ok(read)) => Ok(read),
    }
}
