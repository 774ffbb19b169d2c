//! A search as text: JSON with a check value of its own, which detects damaged files.

use super::range::index;
use super::{Fault, Found, Question, Range, Search, Task, range};
use crate::crc::{Generator, Limit, Witness};
use crate::{Error, Kind};
use residue_report::files::write_whole;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fmt, fs, io};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    search: Saved,
    /// The check value of the search as compact JSON.
    #[serde(rename = "crc-32c")]
    check: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    width: u32,
    /// The Hamming distance; 0 in a survey.
    distance: u32,
    /// The bits of data; 0 if the longest is looked for.
    data_bits: u64,
    range: String,
    next: u64,
    found: Vec<SavedFound>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedFound {
    koopman: String,
    limits: Vec<SavedLimit>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedLimit {
    distance: u32,
    data_bits: u64,
    undetected: Option<Vec<u64>>,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "width {}, ", self.width)?;
        match self.question {
            Question::Keep { distance, data } => write!(f, "HD {distance} at {data} bits of data"),
            Question::Longest { distance } => write!(f, "HD {distance} at the longest data"),
            Question::Survey => f.write_str("all profiles"),
        }
    }
}

impl Search {
    /// Writes the search as text for [`Search::parse`].
    #[must_use]
    pub fn text(&self) -> String {
        let limit = |limit: &Limit| SavedLimit {
            distance: limit.distance,
            data_bits: limit.data,
            undetected: limit.witness.as_ref().map(|witness| witness.places().to_vec()),
        };
        let found = |found: &Found| SavedFound {
            koopman: format!("{:x}", found.generator.koopman()),
            limits: found.limits.iter().map(limit).collect(),
        };
        let (distance, data_bits) = match self.task.question {
            Question::Keep { distance, data } => (distance, data),
            Question::Longest { distance } => (distance, 0),
            Question::Survey => (0, 0),
        };
        let search = Saved {
            width: self.task.width,
            distance,
            data_bits,
            range: self.range.to_string(),
            next: self.next,
            found: self.found.values().map(found).collect(),
        };
        let check = check(&search);
        serde_json::to_string(&File { search, check }).unwrap_or_default() + "\n"
    }

    /// Reads a search, and verifies what it found.
    ///
    /// # Errors
    ///
    /// Returns a description of the fault in the text.
    pub fn parse(text: &str) -> Result<Search, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let saved = file.search;
        if check(&saved) != file.check {
            return Err("its check value is wrong".into());
        }
        let question = match (saved.distance, saved.data_bits) {
            (0, _) => Question::Survey,
            (distance, 0) => Question::Longest { distance },
            (distance, data) => Question::Keep { distance, data },
        };
        let task = Task::new(saved.width, question).map_err(|error| error.to_string())?;
        let range: Range = saved.range.parse().map_err(|fault: Fault| fault.to_string())?;
        let candidates = range.candidates(task.width);
        if !(candidates.start..=candidates.end).contains(&saved.next) {
            return Err(format!("candidate {} is not of range {range}", saved.next));
        }
        let mut search = Search { task, range, next: saved.next, found: Default::default() };
        for one in &saved.found {
            let wrong = || format!("what it says of polynomial {} is not so", one.koopman);
            let (number, found) = one.verified(task).ok_or_else(wrong)?;
            if !(candidates.start..saved.next).contains(&number)
                || search.found.insert(number, found).is_some()
            {
                return Err(wrong());
            }
        }
        Ok(search)
    }

    /// Reads a search from a file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Read`] if the file cannot be read, and [`Error::Search`] if it is no
    /// checkpoint or a damaged one.
    pub fn read(path: &Path) -> Result<Search, Error> {
        let name = path.display().to_string();
        match fs::read(path) {
            Ok(bytes) => String::from_utf8(bytes)
                .map_err(|_| "it is not text".to_string())
                .and_then(|text| Search::parse(&text))
                .map_err(|why| Error::Search(Fault::Damaged { path: name, why })),
            Err(error) => Err(Error::Read { path: name, why: error.to_string() }),
        }
    }

    /// Reads this search from the file if there is one, or creates a new search.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Search::read`], and [`Error::Search`] if the file holds another
    /// search.
    pub fn resume(path: &Path, task: Task, range: Range) -> Result<Search, Error> {
        // A device that is written through holds nothing to resume.
        if !fs::metadata(path).is_ok_and(|there| there.is_file() || there.is_dir()) {
            return Ok(Search::new(task, range));
        }
        let search = Search::read(path)?;
        if (search.task, search.range) == (task, range) {
            return Ok(search);
        }
        let described = |task: Task, range: Range| format!("{task}, range {range}");
        Err(Error::Search(Fault::Foreign {
            path: path.display().to_string(),
            holds: described(search.task, search.range),
            asked: described(task, range),
        }))
    }

    /// Writes the search into a file, which is replaced whole or not at all.
    ///
    /// # Errors
    ///
    /// Returns an error that names the path if the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
            io::Error::other(format!("{}: not the name of a file", path.display()))
        })?;
        // The parent of a bare name is empty.
        let folder = path.parent().unwrap_or(Path::new(""));
        write_whole(folder, name, &self.text()).map(|_| ())
    }
}

impl SavedFound {
    /// Verifies a found polynomial and returns it with the candidate's number.
    ///
    /// It must be a candidate of the task, and its witnesses must be undetected.
    fn verified(&self, task: Task) -> Option<(u64, Found)> {
        let koopman = u64::from_str_radix(&self.koopman, 16).ok()?;
        let generator = Generator::new(u128::from(koopman) << 1 | 1).ok()?;
        let width = u128::from(generator.width());
        let mirrored = generator.reciprocal();
        let number = [generator, mirrored]
            .map(|generator| index(task.width, generator.explicit()))
            .into_iter()
            .find(|&number| range::candidate(task.width, number).is_some())?;
        let mut limits = Vec::new();
        for limit in &self.limits {
            let &SavedLimit { distance, data_bits: data, .. } = limit;
            let witness = match &limit.undetected {
                None => None,
                Some(places) => Some(Witness::new(&generator, places)?),
            };
            let fits = witness.as_ref().is_none_or(|witness| {
                witness.weight() < distance && witness.span() == u128::from(data) + 1 + width
            });
            let asked = task.distance().is_none_or(|asked| asked == distance);
            if !fits || !asked {
                return None;
            }
            let kind = if witness.is_some() { Kind::Exact } else { Kind::AtLeast };
            limits.push(Limit { distance, data, kind, witness });
        }
        let one = task.distance().is_none() || limits.len() == 1;
        (one && generator.width() == task.width).then_some((number, Found { generator, limits }))
    }
}

fn check(saved: &Saved) -> String {
    let text = serde_json::to_string(saved).unwrap_or_default();
    format!("{:08x}", residue::crc32c(text.as_bytes()))
}
