//! Parts of work that `residue.distributed` divides among machines: searches for polynomials, and
//! trials on real data. Machines exchange text.

use crate::convert::Count;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use residue_strength::Effort;
use residue_strength::Error;
use residue_strength::additive::Additive;
use residue_strength::data::{CODES, Counted, Job, Made, Options, Part, Run, Source};
use residue_strength::report::{data, search};
use residue_strength::search::{Outcome, Question, Range, Search, Task};
use std::path::PathBuf;

/// Converts an error of `residue-strength` to Python's.
fn refused(error: Error) -> PyErr {
    match error {
        Error::Read { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn damaged(what: &str, why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{what} cannot be read: {why}"))
}

/// Returns the budget of `residue strength search`, on one thread.
fn effort() -> Effort<'static> {
    Effort { threads: 1, ..Effort::new() }.within(10)
}

fn task(
    width: Count<u32>,
    distance: Option<Count<u32>>,
    data: Option<Count<u64>>,
    survey: bool,
) -> PyResult<Task> {
    let question = match (distance.map(|it| it.0), data.map(|it| it.0), survey) {
        (Some(distance), Some(data), false) => Question::Keep { distance, data },
        (Some(distance), None, false) => Question::Longest { distance },
        (None, None, true) => Question::Survey,
        _ => {
            return Err(PyValueError::new_err(
                "give hd, hd and length, or survey=True (the limits of all distances)",
            ));
        }
    };
    Task::new(width.0, question).map_err(refused)
}

/// Estimates the seconds that a search takes on one thread. The estimate itself takes up to 0.3
/// seconds.
#[pyfunction]
#[pyo3(signature = (width, distance, data, survey))]
pub fn _search_seconds(
    py: Python<'_>,
    width: Count<u32>,
    distance: Option<Count<u32>>,
    data: Option<Count<u64>>,
    survey: bool,
) -> PyResult<f64> {
    let task = task(width, distance, data, survey)?;
    Ok(py.detach(|| Search::new(task, Range::WHOLE).seconds(&effort())))
}

/// Searches range `index` of `of`; returns the result as text. Uses one thread, without the
/// interpreter's lock.
#[pyfunction]
#[pyo3(signature = (width, distance, data, survey, index, of))]
pub fn _search_range(
    py: Python<'_>,
    width: Count<u32>,
    distance: Option<Count<u32>>,
    data: Option<Count<u64>>,
    survey: bool,
    index: Count<u64>,
    of: Count<u64>,
) -> PyResult<String> {
    let task = task(width, distance, data, survey)?;
    let range = Range::new(index.0, of.0).map_err(|fault| refused(Error::Search(fault)))?;
    let mut search = Search::new(task, range);
    py.detach(|| search.run(&effort(), |_| Ok::<_, Error>(()))).map_err(refused)?;
    Ok(search.text())
}

/// Merges the results of all ranges of a search, in a format of `residue strength search`: `text`,
/// `csv` or `json`.
#[pyfunction]
pub fn _search_merge(py: Python<'_>, ranges: Vec<String>, form: &str) -> PyResult<String> {
    py.detach(|| {
        let mut parts = Vec::new();
        for text in &ranges {
            let search =
                Search::parse(text).map_err(|why| damaged("a range of the search", why))?;
            parts.push((format!("range {}", search.range()), search));
        }
        let outcome = Outcome::merge(&parts).map_err(refused)?;
        Ok(match form {
            "text" => search::text(&outcome).map_err(refused)?,
            "csv" => search::csv(&outcome).map_err(refused)?,
            _ => search::json(&outcome).map_err(refused)?.to_string(),
        })
    })
}

/// A plan of trials on real data.
#[pyclass(frozen, name = "_DataJob", module = "residue._residue")]
pub struct PyDataJob {
    job: Job,
}

#[pymethods]
impl PyDataJob {
    #[new]
    #[allow(clippy::too_many_arguments)] // One caller, by position.
    fn __new__(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        made: Vec<String>,
        codes: Vec<String>,
        splices: Count<u64>,
        trials: Count<u64>,
        burst: Count<u32>,
        seed: Count<u64>,
    ) -> PyResult<PyDataJob> {
        let (splices, trials, burst, seed) = (splices.0, trials.0, burst.0, seed.0);
        let mut sources: Vec<Source> = paths.into_iter().map(Source::Tree).collect();
        for name in &made {
            let kind = Made::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
                let names = Made::ALL.map(Made::name).join(", ");
                PyValueError::new_err(format!("{name:?}: expected generated data, one of {names}"))
            })?;
            sources.push(Source::Made(kind));
        }
        if sources.is_empty() {
            return Err(PyValueError::new_err(
                "no data: give a path, or a kind of generated data (made=)",
            ));
        }
        if splices == 0 || trials == 0 || !(2..=64).contains(&burst) {
            return Err(PyValueError::new_err(
                "give at least 1 splice and 1 trial, and a burst of 2 to 64 bits",
            ));
        }
        let codes: Result<Vec<Additive>, Error> = if codes.is_empty() {
            CODES.into_iter().map(Additive::named).collect()
        } else {
            codes.iter().map(|name| Additive::named(name)).collect()
        };
        let codes = codes.map_err(refused)?;
        let options = Options { codes, sources, splices, trials, burst, seed };
        Ok(PyDataJob { job: py.detach(|| Job::new(options)).map_err(refused)? })
    }

    /// Divides the work into parts of about this many bytes; returns the text of each part, the
    /// files that it reads, and its size in bytes.
    fn parts(&self, bytes: Count<u64>) -> PyResult<Vec<(String, Vec<PathBuf>, u64)>> {
        let described = |part: Part| {
            let text = serde_json::to_string(&part).map_err(|why| damaged("a part", why))?;
            Ok((text, part.files().to_vec(), part.bytes()))
        };
        self.job.parts(bytes.0).into_iter().map(described).collect()
    }

    /// Merges the results of all parts into a run, as JSON.
    fn finish(&self, py: Python<'_>, counted: Vec<String>) -> PyResult<String> {
        py.detach(|| {
            let read = counted.iter().map(|text| serde_json::from_str(text));
            let counted: Result<Vec<Counted>, _> = read.collect();
            let counted = counted.map_err(|why| damaged("the result of a part", why))?;
            let run = self.job.finish(counted).map_err(refused)?;
            serde_json::to_string(&run).map_err(|why| damaged("the run", why))
        })
    }
}

/// Runs a part of the trials; returns the result as text. Uses one thread, without the
/// interpreter's lock.
#[pyfunction]
pub fn _data_part(py: Python<'_>, part: &str) -> PyResult<String> {
    py.detach(|| {
        let part: Part = serde_json::from_str(part).map_err(|why| damaged("a part", why))?;
        let counted = part.run().map_err(refused)?;
        serde_json::to_string(&counted).map_err(|why| damaged("the result of a part", why))
    })
}

/// Formats the tables of a run as `residue strength data` prints them; with `full`, all counts.
#[pyfunction]
pub fn _data_text(run: &str, full: bool) -> PyResult<String> {
    let run: Run = serde_json::from_str(run).map_err(|why| damaged("the run", why))?;
    Ok(data::text(&run, full))
}
