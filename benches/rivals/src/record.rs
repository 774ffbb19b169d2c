//! Records: comma-separated cells below comment lines that describe their origin.

use crate::contender::SUBJECTS;
use crate::machine;
use crate::model::{Cell, Mode};
use clap::ValueEnum;
use residue_report::csv;
use residue_report::files::write_whole;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEADER: &str =
    "code,mode,size,contender,version,bytes,ns,ns_quartile_1,ns_quartile_3,rounds,ghz";
/// The header of records without the clock.
const OLD_HEADER: &str =
    "code,mode,size,contender,version,bytes,ns,ns_quartile_1,ns_quartile_3,rounds";

/// The fact of one run that lists its codes and modes, and whether it was quiet.
const PART: &str = "part";

/// A measurement that can be kept.
#[derive(Debug, PartialEq)]
pub struct Record {
    /// The facts of the comment lines: `cpu`, `date`, ..., each with its value.
    pub facts: Vec<(String, String)>,
    /// The cells.
    pub cells: Vec<Cell>,
}

impl Record {
    /// Creates a record of cells measured here and now.
    ///
    /// `portable` says that only portable code took part; `quietness` describes the load.
    #[must_use]
    pub fn new(cells: Vec<Cell>, portable: bool, quietness: &str) -> Record {
        let facts = machine::facts(portable);
        let mut record = Record {
            facts: facts.into_iter().map(|(key, value)| (key.into(), value)).collect(),
            cells,
        };
        let mut codes: Vec<&str> = record.cells.iter().map(|cell| cell.code.as_str()).collect();
        codes.dedup();
        let mut modes: Vec<&str> = record.cells.iter().map(|cell| cell.mode.name()).collect();
        modes.sort_unstable();
        modes.dedup();
        let part = format!("{}, {}: {quietness}", codes.join(" "), modes.join(" "));
        record.facts.push((PART.to_string(), part));
        record
    }

    /// Puts the cells of an older record before these, where those were not measured again.
    ///
    /// A record of another machine or another state of the library is ignored.
    fn join(&mut self, older: Record) {
        let same = |key: &str| self.fact(key) == older.fact(key);
        if !self.facts.iter().all(|(key, _)| key == PART || key == "date" || same(key)) {
            return;
        }
        let label = |part: &str| part.split(':').next().map(str::to_string);
        let mine = label(self.fact(PART));
        let parts =
            older.facts.into_iter().filter(|(key, part)| key == PART && label(part) != mine);
        self.facts.extend(parts.collect::<Vec<_>>());
        let again = |old: &Cell| {
            self.cells.iter().any(|c| (&c.code, c.mode, c.size) == (&old.code, old.mode, old.size))
        };
        let rest: Vec<Cell> = older.cells.into_iter().filter(|old| !again(old)).collect();
        self.cells.extend(rest);
        let place = |code: &str| SUBJECTS.iter().position(|subject| subject.code == code);
        self.cells.sort_by_key(|cell| (place(&cell.code), cell.mode as usize, cell.size));
    }

    /// Returns the value of a fact; empty if there is none.
    #[must_use]
    pub fn fact(&self, key: &str) -> &str {
        self.facts.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }

    /// Returns the name of the CPU's profile; in records without one it follows from the CPU.
    #[must_use]
    pub fn profile(&self) -> &str {
        match self.fact("profile") {
            "" => machine::profile_of(self.fact("cpu"), self.fact("features")),
            name => name,
        }
    }

    /// Returns the day it was made, such as `2026-11-22`.
    #[must_use]
    pub fn day(&self) -> String {
        self.fact("date").chars().take(10).collect()
    }

    /// Writes `CPU/DATE.csv` below a folder, whole or not at all; `CPU/DATE-TIER.csv` on a
    /// restricted tier, `CPU/DATE-portable-peers.csv` for portable code only; with
    /// `-PROFILE-forced` behind the date if another profile was forced.
    ///
    /// A record of the same day keeps what was not measured again if it is of the same commit; else
    /// it is replaced.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(mut self, folder: &Path) -> Result<PathBuf, String> {
        let folder = folder.join(slug(self.fact("cpu")));
        let forced = self.fact("profile").contains(' ');
        let profile = if forced { "-".to_string() + &slug(self.profile()) } else { String::new() };
        let build = if self.fact("build").is_empty() { "" } else { "-default-build" };
        let day = self.day() + &profile + build;
        let name = match (self.fact("tier"), self.fact("against")) {
            ("all", _) => format!("{day}.csv"),
            (tier, "portable code") => format!("{day}-{}-peers.csv", slug(tier)),
            (tier, _) => format!("{day}-{}.csv", slug(tier)),
        };
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        if folder.join(&name).exists() {
            self.join(Record::read(&folder.join(&name))?);
        }
        write_whole(&folder, &name, &self.text()).map_err(failed)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (key, value) in &self.facts {
            let _ = writeln!(out, "# {key}: {value}");
        }
        let _ = writeln!(out, "{HEADER}");
        for c in &self.cells {
            let (mode, [q1, q3]) = (c.mode.name(), c.quartiles);
            let [code, name, version] = [&c.code, &c.contender, &c.version].map(|s| csv::quoted(s));
            let _ = write!(out, "{code},{mode},{},{name},{version},", c.size);
            let ghz = c.ghz.map_or(String::new(), |ghz| format!("{ghz:.2}"));
            let _ = writeln!(out, "{:.1},{:.3},{q1:.3},{q3:.3},{},{ghz}", c.bytes, c.ns, c.rounds);
        }
        out
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Returns an error if it cannot be read or is none; the message names the line.
    pub fn read(path: &Path) -> Result<Record, String> {
        let named = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        parse(&text).map_err(named)
    }
}

fn parse(text: &str) -> Result<Record, String> {
    let mut record = Record { facts: Vec::new(), cells: Vec::new() };
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(fact) = line.strip_prefix("# ") {
            let (key, value) = fact.split_once(": ").unwrap_or((fact, ""));
            record.facts.push((key.to_string(), value.to_string()));
        } else if ![HEADER, OLD_HEADER, ""].contains(&line) {
            record.cells.push(cell(line).ok_or(format!("line {number} is no cell: `{line}`"))?);
        }
    }
    Ok(record)
}

fn cell(line: &str) -> Option<Cell> {
    let mut fields = csv::parse(line).pop()?;
    fields.resize(fields.len().max(11), String::new());
    let fields: [String; 11] = fields.try_into().ok()?;
    let [code, mode, size, contender, version, bytes, ns, q1, q3, rounds, ghz] = fields;
    Some(Cell {
        code,
        mode: Mode::from_str(&mode, false).ok()?,
        size: size.parse().ok()?,
        contender,
        version,
        bytes: bytes.parse().ok()?,
        ns: ns.parse().ok()?,
        quartiles: [q1.parse().ok()?, q3.parse().ok()?],
        rounds: rounds.parse().ok()?,
        ghz: if ghz.is_empty() { None } else { Some(ghz.parse().ok()?) },
    })
}

/// Returns small letters, digits and single hyphens: `amd-epyc-family-25-model-1`.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::cells;

    #[test]
    fn what_is_written_reads_back() {
        let record = Record::new(cells(), false, "quiet");
        assert_eq!(parse(&record.text()), Ok(record));
        assert!(parse("crc-32/iscsi,throughput,64").is_err());
        let old = "crc-32/iscsi,throughput,64,residue,0.1.0,64.0,2.500,2.400,2.600,52";
        let record = parse(&format!("{OLD_HEADER}\n{old}\n")).expect("a record");
        assert_eq!((record.cells.len(), record.cells[0].ghz), (1, None));
    }

    fn record(commit: &str, quietness: &str) -> Record {
        let mut record = Record::new(cells(), false, quietness);
        let facts = [
            ("cpu", "Example(R) CPU @ 2"),
            ("date", "2026-01-02T03:04:05Z"),
            ("residue", commit),
            ("tier", "avx2"),
        ];
        let part = record.facts.pop();
        record.facts = facts.map(|(key, value)| (key.to_string(), value.to_string())).to_vec();
        record.facts.extend(part);
        record
    }

    #[test]
    fn a_record_has_its_place() {
        let place = tempfile::tempdir().expect("a folder");
        let path = record("a", "quiet").write(place.path()).expect("written");
        assert!(path.ends_with("example-r-cpu-2/2026-01-02-avx2.csv"), "{}", path.display());
        assert_eq!(Record::read(&path), Ok(record("a", "quiet")));
        let mut forced = record("a", "quiet");
        forced.facts.push(("profile".to_string(), "zen5 forced".to_string()));
        let path = forced.write(place.path()).expect("written");
        assert!(path.ends_with("2026-01-02-zen5-forced-avx2.csv"), "{}", path.display());
    }

    #[test]
    fn a_record_is_made_in_parts() {
        let place = tempfile::tempdir().expect("a folder");
        let write = |record: Record| {
            let path = record.write(place.path()).expect("written");
            Record::read(&path).expect("a record")
        };
        let _ = write(record("a", "quiet"));
        let mut later = record("a", "loaded");
        later.cells.retain(|cell| cell.size == 64);
        later.cells.iter_mut().for_each(|cell| cell.size = 8);
        let joined = write(later);
        assert_eq!((joined.cells.len(), joined.cells[0].size), (9, 8));
        // The same codes and modes: the part that was measured last says how quiet it was.
        assert_eq!(joined.fact(PART), "crc-32/iscsi, throughput: loaded");
        assert_eq!(joined.facts.len(), 5);
        let other = write(record("b", "quiet"));
        assert_eq!(other, record("b", "quiet"));
    }
}
