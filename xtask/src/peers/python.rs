//! The tests of Python packages, on residue's Python package.

use super::results::Row;
use crate::debian::install;
use crate::outcome::Counts;
use crate::python::{Tools, count};
use crate::shell::{absolute, copied, copied_tree, done, emptied, only, output, unpacked};
use std::path::{Path, PathBuf};

/// The folder of the faces.
const FACES: &str = "compat/python";

/// Fetches the packages, and runs their tests.
///
/// # Errors
/// The reason why none can be run here.
pub fn tests(place: &Path) -> Result<Vec<Row>, String> {
    let tools = Tools::ready()?;
    tools.maturin(&["develop", "--quiet", "--locked"])?;
    let place = emptied(&place.join("python"))?;
    let place = Place { tools, place, faces: absolute(FACES)? };
    Ok(vec![place.crcmod()?, place.google_crc32c()?, place.cpython()?])
}

struct Place {
    tools: Tools,
    place: PathBuf,
    faces: PathBuf,
}

impl Place {
    /// Runs crcmod's tests, and its table of predefined CRCs, on our `crcmod.crcmod`.
    fn crcmod(&self) -> Result<Row, String> {
        let sources = self.fetched("crcmod==1.7")?;
        let folder = emptied(&self.place.join("crcmod"))?;
        copied_tree(&sources.join("python3/crcmod"), &folder.join("crcmod"))?;
        copied(&self.faces.join("crcmod.py"), &folder.join("crcmod/crcmod.py"))?;
        let row = |counts: Counts| Row {
            name: "crcmod 1.7 (Python)".into(),
            passed: counts.passed,
            failed: counts.failed,
            remarks: remarks("its table of predefined CRCs runs on our `crcmod.crcmod`", &counts),
        };
        self.pytest(&folder, &["crcmod/test.py"]).map(row)
    }

    /// Runs google-crc32c's tests on our `_crc32c`, in place of its compiled module.
    fn google_crc32c(&self) -> Result<Row, String> {
        let sources = self.fetched("google-crc32c==1.9.0")?;
        let folder = emptied(&self.place.join("google"))?;
        let package = folder.join("google_crc32c");
        copied_tree(&sources.join("src/google_crc32c"), &package)?;
        copied(&self.faces.join("_crc32c.py"), &package.join("_crc32c.py"))?;
        copied_tree(&sources.join("tests"), &folder.join("tests"))?;
        // It tests the package's portable code, whichever module is in use.
        let other = "tests/test___init__.py::TestChecksum::test_update_array";
        let counts = self.pytest(&folder, &["tests", "--deselect", other])?;
        Ok(Row {
            name: "google-crc32c 1.9.0 (Python)".into(),
            passed: counts.passed,
            failed: counts.failed,
            remarks: remarks("`test_update_array`: its own portable code", &counts),
        })
    }

    /// Runs the tests of CPython's `zlib`, `gzip` and `zipfile` with our `crc32` and `adler32`.
    fn cpython(&self) -> Result<Row, String> {
        let ask = "import sys, sysconfig; \
                   print(sys.version.split()[0], sysconfig.get_path('stdlib'))";
        let text = output(self.tools.program("python").args(["-c", ask]))?;
        let (version, library) = text.trim().split_once(' ').ok_or("python: no version")?;
        let tests = Path::new(library).join("test/test_zlib.py");
        if !tests.is_file() {
            let release = version.rsplit_once('.').map_or(version, |(release, _)| release);
            let package = format!("libpython{release}-testsuite");
            install(&[(&tests.display().to_string(), &package)])?;
        }
        let suites = ["test.test_zlib", "test.test_gzip", "test.test_zipfile"];
        let words = [&["-p", "zlib_by_residue", "--pyargs"][..], &suites].concat();
        let folder = emptied(&self.place.join("cpython"))?;
        let counts = self.pytest(&folder, &words)?;
        Ok(Row {
            name: format!("CPython {version}: zlib, gzip, zipfile"),
            passed: counts.passed,
            failed: counts.failed,
            remarks: remarks("with our `crc32` and `adler32`", &counts),
        })
    }

    /// Fetches and unpacks a source distribution.
    fn fetched(&self, package: &str) -> Result<PathBuf, String> {
        let folder = emptied(&self.place.join("fetch"))?;
        let mut pip = self.tools.program("pip");
        pip.args(["download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        done(pip.args(["--no-binary", ":all:", "--dest"]).arg(&folder).arg(package))?;
        let archive = only(&folder)?;
        let sources = emptied(&self.place.join("sources"))?;
        unpacked(&archive, &sources)?;
        only(&sources)
    }

    /// Runs pytest in a folder whose modules, and the faces, come first.
    fn pytest(&self, folder: &Path, words: &[&str]) -> Result<Counts, String> {
        let path =
            std::env::join_paths([folder, &self.faces]).map_err(|error| error.to_string())?;
        let mut pytest = self.tools.pytest();
        pytest.args(words).current_dir(folder).env("PYTHONPATH", path);
        let output = pytest.output().map_err(|error| format!("pytest: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut counts = Counts::default();
        text.lines().for_each(|line| count(line, &mut counts));
        if !output.status.success() {
            print!("{text}{}", String::from_utf8_lossy(&output.stderr));
            counts.failed = counts.failed.max(1);
        }
        Ok(counts)
    }
}

/// Returns remarks, with the reasons for skipped tests.
fn remarks(start: &str, counts: &Counts) -> String {
    let reasons: Vec<&str> = counts.skipped.iter().map(|why| reason(why)).collect();
    match reasons.as_slice() {
        [] => start.to_string(),
        reasons => format!("{start}; skipped: {}", reasons.join("; ")),
    }
}

/// Returns the reason in a line of pytest, without its place, as in `[1] a/b.py:40: no memory`.
fn reason(line: &str) -> &str {
    let places = line.match_indices(".py:");
    let after = |(at, _): (usize, &str)| line[at + 4..].split_once(": ").map(|(_, why)| why);
    places.filter_map(after).next().unwrap_or(line).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_shown_without_places() {
        let of = |line| reason(line);
        assert_eq!(
            of("pytest: [1] ../a/test_b.py:40: no memory: 4.0G needed"),
            "no memory: 4.0G needed"
        );
        assert_eq!(of("pytest: not built"), "pytest: not built");
    }
}
