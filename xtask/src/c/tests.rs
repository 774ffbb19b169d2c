//! Tests of the installed C library: programs are compiled as C and as C++, by two compilers, with
//! the shared and the static library, and run alone and under valgrind. The library with zlib's
//! names is preloaded into an unmodified program.

use super::{HEADER, PAGE, Places, ZLIB_NAMES, build, functions, place};
use crate::debian::install;
use crate::outcome;
use crate::shell::{EVERYTHING, VERSION, absolute, created, done, emptied, entries, output, read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TOOLS: [(&str, &str); 9] = [
    ("gcc", "gcc"),
    ("g++", "g++"),
    ("clang", "clang"),
    ("clang++", "clang"),
    ("cmake", "cmake"),
    ("man", "man-db"),
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

/// The number of good tests, and the failures.
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

/// Installs the library below the target directory and tests it there, the tests' own programs
/// under valgrind only if `long`. Reports the number of good tests and the failures.
///
/// # Errors
///
/// The reason why they cannot be run here.
pub fn run(long: bool) -> outcome::Results {
    install(&TOOLS)?;
    let built = build(&[&EVERYTHING[..], &["--quiet", ZLIB_NAMES]].concat(), "debug")?;
    let prefix = emptied(&built.join("c"))?;
    let libraries = prefix.join("lib");
    let (program, zlib) = (Some(built.clone()), true);
    let places = Places { prefix: prefix.clone(), libraries, destination: None, program, zlib };
    place(&built, &places)?;
    created(&prefix.join("programs"))?;

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
                    let example = source < examples;
                    let checked = compiler == 0 && (example || long);
                    let result =
                        compiled(&prefix, &sources[source], COMPILERS[compiler], example, checked);
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
    results.add("two static libraries in Rust".to_string(), two_static_libraries(&prefix));
    for source in ["errors", "calls"] {
        results.add(format!("{source} under AddressSanitizer"), sanitized(&prefix, source));
    }
    results.add("benchmark compiles".to_string(), benchmark(&prefix));
    results.add("manual".to_string(), manual());
    results.add("a manual page for each function".to_string(), pages(&prefix));
    results.add("the library alone".to_string(), alone(&built));
    results.add("find_package".to_string(), find_package(&prefix));
    results.add("zlib's names".to_string(), preloaded(&prefix));
    Ok((results.good, results.bad))
}

fn sources(folder: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = entries(Path::new(folder))?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "c"));
    if paths.is_empty() { Err(format!("{folder}: no C sources")) } else { Ok(paths) }
}

/// Returns the output of `pkg-config` for the installed library.
fn flags(prefix: &Path) -> Result<Vec<String>, String> {
    let mut ask = Command::new("pkg-config");
    ask.args(["--cflags", "--libs", "residue"]);
    let text = output(ask.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))?;
    Ok(text.split_whitespace().map(str::to_string).collect())
}

/// Builds a source with one compiler without a warning and runs it, also under valgrind if
/// `checked`.
fn compiled(
    prefix: &Path,
    source: &Path,
    (compiler, language): (&str, &[&str]),
    example: bool,
    checked: bool,
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
        let expected: String = read(source)?
            .lines()
            .skip_while(|line| !line.ends_with("Prints:"))
            .skip(1)
            .map_while(|line| Some(format!("{}\n", line.strip_prefix("//   ")?)))
            .collect();
        if expected.is_empty() || printed != expected {
            return Err(format!("it says that it prints\n{expected}and prints\n{printed}"));
        }
    }
    if checked {
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

/// Tests that another static library in Rust can be beside this one, before it and behind it.
fn two_static_libraries(prefix: &Path) -> Result<(), String> {
    let other = prefix.join("programs/libother.a");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--crate-type", "staticlib", "-C", "opt-level=0", "-o"]);
    done(rustc.arg(&other).arg("bindings/c/tests/beside/other.rs"))?;
    let own = prefix.join("lib/libresidue.a");
    for (name, libraries) in [("first", [&own, &other]), ("last", [&other, &own])] {
        let program = prefix.join("programs").join(format!("beside-{name}"));
        let mut build = Command::new("gcc");
        build.args(WARNINGS).arg("-I").arg(prefix.join("include")).arg("-o").arg(&program);
        build.arg("bindings/c/tests/beside/main.c").args(libraries);
        output(build.args(["-lpthread", "-ldl", "-lm"]))?;
        output(&mut Command::new(&program))?;
    }
    Ok(())
}

/// Runs a test under AddressSanitizer, which sees what the test itself, and copies in the library,
/// touch beside allocations and after they were freed.
fn sanitized(prefix: &Path, source: &str) -> Result<(), String> {
    let program = prefix.join(format!("programs/{source}-sanitized"));
    let mut build = Command::new("gcc");
    build.args(["-std=c11", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]);
    build.args(WARNINGS).arg("-I").arg(prefix.join("include")).arg("-o").arg(&program);
    build.arg(format!("bindings/c/tests/{source}.c")).arg(prefix.join("lib/libresidue.a"));
    output(build.args(["-lpthread", "-ldl", "-lm"]))?;
    // Leaks are valgrind's affair; here they would need the right to trace.
    output(Command::new(&program).env("ASAN_OPTIONS", "detect_leaks=0")).map(drop)
}

/// Tests that `man` finds the page by the name of every function.
fn pages(prefix: &Path) -> Result<(), String> {
    let names = functions(&read(HEADER)?);
    if names.len() < 60 {
        return Err(format!("{HEADER} seems to declare {} functions only", names.len()));
    }
    let mut ask = Command::new("man");
    ask.arg("-w").args(&names).env("MANPATH", prefix.join("share/man"));
    let found = output(&mut ask)?;
    if found.lines().count() != names.len() {
        return Err(format!("{} pages for {} functions", found.lines().count(), names.len()));
    }
    let mut read = Command::new("man");
    read.args(["3", "residue_crc32c"]).env("MANPATH", prefix.join("share/man"));
    let text = output(read.env("MANWIDTH", "200").env("MANPAGER", "cat").env("LC_ALL", "C"))?;
    let declared = "uint32_t residue_crc32c(const void *data, size_t length);";
    if text.contains(declared) { Ok(()) } else { Err(format!("no `{declared}` in\n{text}")) }
}

/// Tests that an installation without the program is only the library.
fn alone(built: &Path) -> Result<(), String> {
    let staged = emptied(&built.join("c-alone"))?;
    let places = Places {
        prefix: "/usr".into(),
        libraries: "/usr/lib".into(),
        destination: Some(staged.clone()),
        program: None,
        zlib: false,
    };
    place(built, &places)?;
    let there = |path: &str| staged.join("usr").join(path).exists();
    let library =
        ["include/residue.h", "lib/libresidue.so.0", "lib/cmake/residue/residueConfig.cmake"];
    if let Some(missing) = library.into_iter().find(|path| !there(path)) {
        return Err(format!("{missing} is missing"));
    }
    match ["bin", "share/man/man1"].into_iter().find(|path| there(path)) {
        Some(more) => Err(format!("{more} is there without --program")),
        None => Ok(()),
    }
}

/// Tests that pkg-config and a CMake project find the library, where it was installed and after it
/// was moved, and the latter no other version.
fn find_package(prefix: &Path) -> Result<(), String> {
    let moved = created(&prefix.join("moved/elsewhere"))?;
    let copies = created(&prefix.join("cmake"))?;
    for part in ["include", "lib"] {
        output(Command::new("cp").arg("-a").arg(prefix.join(part)).arg(&moved))?;
    }
    let mut ask = Command::new("pkg-config");
    ask.args(["--variable=includedir", "residue"]);
    let said = output(ask.env("PKG_CONFIG_PATH", moved.join("lib/pkgconfig")))?;
    let found = std::fs::canonicalize(said.trim()).ok();
    if found != std::fs::canonicalize(moved.join("include")).ok() {
        return Err(format!("pkg-config has not found what was moved, but {said}"));
    }
    let source = absolute("bindings/c/examples/crc.c")?;
    for (name, place) in [("installed", prefix), ("moved", &moved)] {
        let folder = copies.join(name);
        let mut configure = Command::new("cmake");
        configure.args(["-S", "bindings/c/tests/cmake", "-B"]).arg(&folder);
        configure.arg(format!("-DCMAKE_PREFIX_PATH={}", place.display()));
        configure.arg(format!("-DSOURCE={}", source.display())).arg(format!("-DVERSION={VERSION}"));
        let said = output(&mut configure)?;
        let expected = format!("found {}", place.join("lib/libresidue.so").display());
        if !said.contains(&expected) {
            return Err(format!("no `{expected}` in\n{said}"));
        }
        output(Command::new("cmake").arg("--build").arg(&folder))?;
        let run = |program: &str| output(&mut Command::new(folder.join(program)));
        run("plus")?;
        if run("with_residue")? != run("with_residue_static")? {
            return Err("shared and static library print different things".to_string());
        }
    }
    Ok(())
}

/// Builds the benchmark, but does not run it: figures are meaningless while tests run.
fn benchmark(prefix: &Path) -> Result<(), String> {
    let mut build = Command::new("gcc");
    build.args(["-std=c11", "-O2"]).args(WARNINGS).arg("bindings/c/bench/bench.c");
    build.arg("-o").arg(prefix.join("programs/bench")).args(flags(prefix)?).arg("-ldl");
    output(&mut build).map(drop)
}

/// Tests that the manual has every function and constant of the header, and nothing else.
fn manual() -> Result<(), String> {
    let (header, page) = (read(HEADER)?, read(PAGE)?);
    let names = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let own = |word: &&str| word.starts_with("residue_") || word.starts_with("RESIDUE_");
        words.filter(own).map(str::to_string).collect::<std::collections::BTreeSet<_>>()
    };
    let declared = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let declared = names(&declared.collect::<Vec<_>>().join("\n"));
    let ours = ["RESIDUE_H", "RESIDUE_CPU", "RESIDUE_PROFILE"];
    let differs = names(&page);
    let differs = declared.symmetric_difference(&differs).filter(|name| !ours.contains(&&***name));
    let differs: Vec<&str> = differs.map(String::as_str).collect();
    if differs.is_empty() {
        Ok(())
    } else {
        Err(format!("{HEADER} and {PAGE} differ in {}", differs.join(", ")))
    }
}

/// Tests a program that was built for zlib: Python's zlib module.
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
        return Err(format!("with it Python prints\n{found}without it\n{expected}"));
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
