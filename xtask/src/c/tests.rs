//! Tests of the C library as it is installed: compiled as C and as C++, by two compilers, shared and static, run by hand and
//! under valgrind; and zlib's names, put before zlib in a program that knows nothing of it.

use super::{HEADER, PAGE, Places, ZLIB_NAMES, build, place};
use crate::EVERYTHING;
use crate::debian::install;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TOOLS: [(&str, &str); 7] = [
    ("gcc", "gcc"),
    ("g++", "g++"),
    ("clang", "clang"),
    ("clang++", "clang"),
    ("pkg-config", "pkg-config"),
    ("valgrind", "valgrind"),
    ("python3", "python3"),
];

/// Compilers, each with its language.
const COMPILERS: [(&str, &[&str]); 4] = [
    ("gcc", &["-std=c11"]),
    ("clang", &["-std=c11"]),
    ("g++", &["-std=c++17", "-x", "c++"]),
    ("clang++", &["-std=c++17", "-x", "c++"]),
];
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Good ones counted, and what is bad.
#[derive(Default)]
struct Results {
    good: u64,
    bad: Vec<String>,
}

impl Results {
    fn add(&mut self, name: String, result: Result<(), String>) {
        match result {
            Ok(()) => self.good += 1,
            Err(why) => self.bad.push(format!("C: {name}: {why}")),
        }
    }
}

/// Installs the library below the target directory and tests it there. Says how many tests are good, and what is not.
///
/// # Errors
///
/// Why they cannot be run here.
pub fn run() -> Result<(u64, Vec<String>), String> {
    install(&TOOLS)?;
    let built = build(&[&EVERYTHING[..], &["--quiet", ZLIB_NAMES]].concat(), "debug")?;
    let prefix = built.join("c");
    let _ = std::fs::remove_dir_all(&prefix);
    let libraries = prefix.join("lib");
    let places = Places { prefix: prefix.clone(), libraries, destination: None };
    place(&built, &places, true)?;
    let programs = prefix.join("programs");
    std::fs::create_dir_all(&programs).map_err(|error| error.to_string())?;

    let mut results = Results::default();
    let mut sources = sources("bindings/c/examples")?;
    let examples = sources.len();
    sources.extend(self::sources("bindings/c/tests")?);
    let work = std::sync::Mutex::new((0..COMPILERS.len() * sources.len(), &mut results));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(index) = work.lock().ok().and_then(|mut work| work.0.next()) {
                    let (source, compiler) = (index % sources.len(), index / sources.len());
                    let result =
                        compiled(&prefix, &sources[source], COMPILERS[compiler], source < examples);
                    let name =
                        format!("{} by {}", sources[source].display(), COMPILERS[compiler].0);
                    if let Ok(mut work) = work.lock() {
                        work.1.add(name, result);
                    }
                }
            });
        }
    });
    results.add("static library".to_string(), static_library(&prefix));
    results.add("benchmark compiles".to_string(), benchmark(&prefix));
    results.add("manual".to_string(), manual());
    results.add("zlib's names".to_string(), preloaded(&prefix));
    Ok((results.good, results.bad))
}

fn sources(folder: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    paths.sort();
    if paths.is_empty() { Err(format!("{folder}: no C there")) } else { Ok(paths) }
}

/// What a command printed, if it ended well.
fn output(command: &mut Command) -> Result<String, String> {
    let Output { status, stdout, stderr } =
        command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    if status.success() {
        Ok(text(stdout))
    } else {
        Err(format!("{status}\n{}{}", text(stdout), text(stderr)))
    }
}

/// What `pkg-config` says of the installed library.
fn flags(prefix: &Path) -> Result<Vec<String>, String> {
    let mut ask = Command::new("pkg-config");
    ask.args(["--cflags", "--libs", "residue"]);
    let text = output(ask.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))?;
    Ok(text.split_whitespace().map(str::to_string).collect())
}

/// One source by one compiler: built without a warning, and run; with the first one also under valgrind.
fn compiled(
    prefix: &Path,
    source: &Path,
    (compiler, language): (&str, &[&str]),
    example: bool,
) -> Result<(), String> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let program = prefix.join(format!("programs/{stem}-{compiler}"));
    let mut build = Command::new(compiler);
    build.args(language).args(WARNINGS).arg("-g").arg(source).args(["-x", "none"]);
    build.arg("-o").arg(&program).args(flags(prefix)?);
    build.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display()));
    output(&mut build)?;
    let words: &[&str] = if stem == "vectors" { &["vectors"] } else { &[] };
    let printed = output(Command::new(&program).args(words))?;
    if example {
        let text = std::fs::read_to_string(source).map_err(|error| error.to_string())?;
        let expected: String = text
            .lines()
            .skip_while(|line| !line.ends_with("Prints:"))
            .skip(1)
            .map_while(|line| Some(format!("{}\n", line.strip_prefix("//   ")?)))
            .collect();
        if expected.is_empty() || printed != expected {
            return Err(format!("it says that it prints\n{expected}and prints\n{printed}"));
        }
    }
    if compiler == COMPILERS[0].0 {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
        valgrind.args(["--errors-for-leak-kinds=definite,possible"]);
        output(valgrind.arg(&program).args(words))?;
    }
    Ok(())
}

fn static_library(prefix: &Path) -> Result<(), String> {
    let program = prefix.join("programs/static");
    let mut build = Command::new("gcc");
    build.args(WARNINGS).arg("-I").arg(prefix.join("include")).arg("-o").arg(&program);
    build.arg("bindings/c/tests/face.c").arg(prefix.join("lib/libresidue.a"));
    output(build.args(["-lpthread", "-ldl", "-lm"]))?;
    output(&mut Command::new(&program)).map(drop)
}

/// It is not run: its figures say nothing while tests run.
fn benchmark(prefix: &Path) -> Result<(), String> {
    let mut build = Command::new("gcc");
    build.args(["-std=c11", "-O2"]).args(WARNINGS).arg("bindings/c/bench/bench.c");
    build.arg("-o").arg(prefix.join("programs/bench")).args(flags(prefix)?).arg("-ldl");
    output(&mut build).map(drop)
}

/// Every function and constant of the header is in the manual, and nothing else is.
fn manual() -> Result<(), String> {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"));
    let (header, page) = (read(HEADER)?, read(PAGE)?);
    let names = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let own = |word: &&str| word.starts_with("residue_") || word.starts_with("RESIDUE_");
        words.filter(own).map(str::to_string).collect::<std::collections::BTreeSet<_>>()
    };
    let declared = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let declared = names(&declared.collect::<Vec<_>>().join("\n"));
    let ours = ["RESIDUE_H", "RESIDUE_CPU"];
    let differs = names(&page);
    let differs = declared.symmetric_difference(&differs).filter(|name| !ours.contains(&&***name));
    let differs: Vec<&str> = differs.map(String::as_str).collect();
    if differs.is_empty() {
        Ok(())
    } else {
        Err(format!("{HEADER} and {PAGE} differ in {}", differs.join(", ")))
    }
}

/// A program that was made for zlib, and never heard of this library: Python's zlib module.
fn preloaded(prefix: &Path) -> Result<(), String> {
    let library = prefix.join("lib/libresidue_zlib.so");
    let program = "bindings/c/tests/preload.py";
    let mut alone = Command::new("python3");
    let expected = output(alone.arg(program))?;
    let mut python = Command::new("python3");
    python.arg(program).env("LD_PRELOAD", &library).env("LD_DEBUG", "bindings");
    let Output { status, stdout, stderr } = python.output().map_err(|error| error.to_string())?;
    let (found, bindings) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    if !status.success() {
        // The loader's lines begin with a number of its process.
        let own = bindings.lines().filter(|line| !line.trim_start().starts_with(char::is_numeric));
        return Err(own.collect::<Vec<_>>().join("\n"));
    }
    if found != expected {
        return Err(format!("with it Python says\n{found}without it\n{expected}"));
    }
    for name in ["crc32", "adler32"] {
        // From Python's module, not from ctypes: those are bound to no file's own references.
        let bound = bindings.lines().any(|line| {
            line.contains("libresidue_zlib.so [0]: normal symbol")
                && line.contains(&format!("`{name}'"))
        });
        if !bound {
            return Err(format!("`{name}` was not bound to {}", library.display()));
        }
    }
    Ok(())
}
