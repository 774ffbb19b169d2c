//! Builds and tests the Python package in a virtual environment, and its wheel outside the
//! repository.

use crate::debian::install;
use crate::outcome::Counts;
use crate::shell::{
    EVERYTHING, ONCE, VERSION, absolute, bytes, cargo, created, done, emptied, only, output,
    outside, target, unpacked,
};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the package.
const FOLDER: &str = "bindings/python";

/// The Python of the tests.
pub const PYTHON: &str = "python3";

/// Folder of the virtual environment.
const ENVIRONMENT: &str = "target/python";

/// Packages to install in the environment, and a file that shows that they are.
const PACKAGES: [(&str, &str); 5] = [
    ("maturin>=1.9.4,<2", "maturin"),
    ("pytest>=9", "pytest"),
    ("numpy", "numpy-config"),
    ("distributed>=2025.1", "dask"),
    ("mypy>=2,<3", "stubtest"),
];

/// Nothing is optimised for the wheel that is only tested: it takes 60 s of processor time to
/// compile, not 118 (Emerald Rapids, 2026-11-30), and its tests compute little.
const UNOPTIMISED: [&str; 6] = [
    "--config",
    "profile.dev.opt-level=0",
    "--config",
    "profile.dev.package.residue.opt-level=0",
    "--config",
    "profile.dev.package.residue-strength.opt-level=0",
];

/// The versions of Python for which types are checked: the oldest one, that from which on buffers
/// have a type, and a new one.
const VERSIONS: [&str; 3] = ["3.11", "3.12", "3.14"];

/// The module whose types are in a file beside it, and what of it need not be there.
const STUBS: &[&str] = &["residue._residue", "--allowlist", "tests/stubtest.txt"];

/// The package, installed for its tests, and what came of its wheel and its sources.
pub struct Built {
    tools: Tools,
    installed: Result<(), String>,
    wheel: Result<(), String>,
    sources: Result<(), String>,
}

/// Builds the package as it is distributed, and installs it for its tests.
///
/// # Errors
/// The reason why it cannot be built here.
pub fn build() -> Result<Built, String> {
    let tools = Tools::ready()?;
    let wheel = tools.wheel();
    let installed = wheel.as_ref().map_err(String::clone).and_then(|path| tools.install(path));
    let wheel = wheel.and_then(|path| tools.check(PYTHON, &path));
    let sources = tools.sources(&tools.target.join("python-sources")).map(drop);
    Ok(Built { tools, installed, wheel, sources })
}

/// Runs the tests of the package and counts them.
///
/// # Errors
/// The reason why they cannot be run here.
pub fn run(built: Result<Built, String>, counts: &mut Counts) -> Result<(), String> {
    let Built { tools, installed, wheel, sources } = built?;
    if let Err(why) = installed {
        counts.fail(&format!("the Python package cannot be built: {why}"));
        return Ok(());
    }
    counts.run(&mut tools.pytest(), count);
    let stubs = [("stubs", tools.typed("stubtest", STUBS))];
    let types = VERSIONS.map(|version| {
        let words = ["--python-version", version, "python/residue", "tests/typed.py"];
        ("types", tools.typed("mypy", &words))
    });
    for (name, result) in
        stubs.into_iter().chain(types).chain([("wheel", wheel), ("sources", sources)])
    {
        match result {
            Ok(()) => counts.passed += 1,
            Err(why) => counts.fail(&format!("Python: {name}: {why}")),
        }
    }
    Ok(())
}

/// A test of the package where it is installed alone, without NumPy and Dask, outside the sources.
pub const CHECK: &str = "\
import os, sys, residue
from importlib.metadata import version
assert residue.__file__.startswith(sys.prefix + os.sep), residue.__file__
assert residue.__version__ == version('residue-codes')
assert residue.crc32c(b'123456789') == 0xe3069283
assert 'free-threading' not in sys.version or not sys._is_gil_enabled()
for name in residue.codes():
    code = residue.Code(name)
    assert code.value(bytes(range(256))) == code.reference(bytes(range(256))), name
assert residue.strength.distance('crc-32c', 1000).distance == 6
assert residue.batch('crc-32c', [b'123456789']).tolist() == [0xe3069283]";

/// `pip` prints errors alone, and does not look for a newer `pip`.
const QUIETLY: [&str; 2] = ["--quiet", "--disable-pip-version-check"];

/// The virtual environment, and the folder for builds.
pub struct Tools {
    environment: PathBuf,
    target: PathBuf,
}

impl Tools {
    /// Creates the environment, and installs missing packages.
    pub fn ready() -> Result<Tools, String> {
        environment()?;
        Ok(Tools { environment: absolute(ENVIRONMENT)?, target: target()? })
    }

    /// Installs one more package, unless its folder is there.
    pub fn also(&self, package: &str, folder: &str) -> Result<(), String> {
        let known = format!("import importlib.util as u; assert u.find_spec({folder:?})");
        if done(self.program("python").args(["-c", &known])).is_ok() {
            return Ok(());
        }
        done(self.program("pip").arg("install").args(QUIETLY).arg(package))
    }

    /// Returns a program of the environment, to be run in the package's folder.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.environment.join("bin").join(name));
        command.current_dir(FOLDER).env("VIRTUAL_ENV", &self.environment);
        // Crates that the other tests need as well are built once.
        command.env("CARGO_TARGET_DIR", &self.target).env_remove("CARGO").envs(ONCE);
        // `pip` finds maturin here and need not download it; maturin finds Zig.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = [self.environment.join("bin")].into_iter();
        if let Ok(path) = std::env::join_paths(programs.chain(std::env::split_paths(&path))) {
            command.env("PATH", path);
        }
        command
    }

    /// Returns pytest, to be run in the package's folder.
    pub fn pytest(&self) -> Command {
        let mut command = self.program("python");
        command.args(["-m", "pytest", "-q", "-rs", "--color=no", "-p", "no:cacheprovider"]);
        command
    }

    /// Runs a checker of types in the package's folder.
    fn typed(&self, name: &str, words: &[&str]) -> Result<(), String> {
        done(self.program(name).args(words))
    }

    /// Runs maturin in the package's folder.
    pub fn maturin(&self, words: &[&str]) -> Result<(), String> {
        done(self.program("maturin").args(words))
    }

    /// Builds the wheel.
    fn wheel(&self) -> Result<PathBuf, String> {
        let folder = emptied(&self.target.join("python-wheel"))?;
        let to = folder.display().to_string();
        let words = ["build", "--quiet", "--locked", "--out", &to];
        self.maturin(&[&words[..], &UNOPTIMISED].concat())?;
        only(&folder)
    }

    /// Installs a wheel in the environment, and in it the module that is compiled with the other
    /// tests, optimised as they are.
    fn install(&self, wheel: &Path) -> Result<(), String> {
        let words = ["--no-deps", "--force-reinstall"];
        done(self.program("pip").arg("install").args(QUIETLY).args(words).arg(wheel))?;
        done(cargo().args(EVERYTHING).arg("--quiet"))?;
        let mut python = self.program("python");
        let place = "import residue; print(residue._residue.__file__)";
        let module = output(python.args(["-I", "-c", place]))?;
        let library = format!("{DLL_PREFIX}_residue{DLL_SUFFIX}");
        let built = self.target.join("debug").join(library);
        std::fs::copy(&built, module.trim())
            .map(drop)
            .map_err(|error| format!("{} to {}: {error}", built.display(), module.trim()))
    }

    /// Packs the source distribution; returns its path.
    pub fn sources(&self, folder: &Path) -> Result<PathBuf, String> {
        created(folder)?;
        self.maturin(&["sdist", "--out", &folder.display().to_string()])?;
        Ok(folder.join(format!("residue_codes-{VERSION}.tar.gz")))
    }

    /// Builds a source distribution outside the repository, and tests the resulting wheel.
    pub fn builds(&self, archive: &Path) -> Result<(), String> {
        // Equal content has an equal path, so that cargo finds its earlier builds.
        let mut hasher = DefaultHasher::new();
        bytes(archive)?.hash(&mut hasher);
        let place = std::env::temp_dir().join(format!("residue-source-{:016x}", hasher.finish()));
        unpacked(archive, &emptied(&place)?)?;
        let sources = only(&place)?;
        // As `pip install` builds it, but without optimisation, which takes minutes.
        let mut build = self.program("pip");
        build.arg("wheel").args(QUIETLY).args(["--no-deps", "--no-build-isolation"]);
        build.arg("--wheel-dir").arg(place.join("wheel"));
        build.arg(sources).current_dir(&place).env("MATURIN_PEP517_ARGS", "--profile dev");
        let result = done(build.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0"));
        let result = result.and_then(|()| self.check(PYTHON, &only(&place.join("wheel"))?));
        let _ = std::fs::remove_dir_all(&place);
        result
    }

    /// Installs a wheel in a new environment of `python` outside the repository; tests it there.
    pub fn check(&self, python: &str, wheel: &Path) -> Result<(), String> {
        outside("python", |place| {
            done(Command::new(python).args(["-m", "venv"]).arg(place))?;
            let python = place.join("bin/python");
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--no-index"]).args(QUIETLY).arg(wheel);
            done(&mut pip)?;
            done(Command::new(&python).args(["-I", "-c", CHECK]).current_dir(place))
        })
    }
}

/// Creates the environment, and installs missing packages.
fn environment() -> Result<(), String> {
    let programs = Path::new(ENVIRONMENT).join("bin");
    if !programs.join("pip").is_file() {
        let make = || done(Command::new(PYTHON).args(["-m", "venv", ENVIRONMENT]));
        let new = "import sys; sys.exit(sys.version_info < (3, 11))";
        install(&[("python3", "python3")])?;
        done(Command::new(PYTHON).args(["-c", new])).map_err(|_| "`python3` is older than 3.11")?;
        // Debian's Python lacks `venv`.
        make().or_else(|_| install(&[VENV]).and_then(|()| make()))?;
    }
    let missing = PACKAGES.iter().filter(|(_, file)| !programs.join(file).is_file());
    let missing: Vec<&str> = missing.map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut pip = Command::new(programs.join("pip"));
    done(pip.arg("install").args(QUIETLY).args(missing))
}

const VENV: (&str, &str) = ("/usr/share/doc/python3-venv/copyright", "python3-venv");

/// Reads a line of pytest: its closing counts, or why a test was skipped.
pub fn count(line: &str, total: &mut Counts) {
    if let Some(why) = line.strip_prefix("SKIPPED ") {
        total.skipped.push(format!("pytest: {why}"));
        return;
    }
    // As in `3 failed, 414 passed, 1 skipped in 13.05s`.
    let Some((counts, _)) = line.trim_matches(['=', ' ']).rsplit_once(" in ") else {
        return;
    };
    let fields = counts.split(", ").map(|field| field.split_once(' '));
    let fields: Option<Vec<(u64, &str)>> = fields
        .map(|field| field.and_then(|(number, word)| Some((number.parse().ok()?, word))))
        .collect();
    for (number, word) in fields.unwrap_or_default() {
        match word {
            "passed" => total.passed += number,
            "failed" | "error" | "errors" => total.failed += number,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        let mut counts = Counts::default();
        for line in [
            "....s.....",
            "SKIPPED [1] tests/test_threads.py:40: there is no lock",
            "FAILED tests/test_a.py::test_b - 5 in 6",
            "3 failed, 414 passed, 1 skipped, 2 errors in 13.05s",
        ] {
            count(line, &mut counts);
        }
        let skipped = vec!["pytest: [1] tests/test_threads.py:40: there is no lock".to_string()];
        assert_eq!(counts, Counts { passed: 414, failed: 5, left_out: 0, skipped });
        count("==== 2 passed in 0.01s ====", &mut counts);
        assert_eq!(counts.passed, 416);
    }
}
