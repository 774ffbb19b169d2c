//! The C library: `cargo xtask install-c`, and the tests of the installed library.

pub mod tests;

use crate::shell::{VERSION, absolute, cargo, copied, created, done, read, shown, target, written};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HEADER: &str = "bindings/c/include/residue.h";
const PAGE: &str = "bindings/c/man/residue.3";
/// Feature that builds a library with zlib's names.
const ZLIB_NAMES: &str = "--features=residue-zlib/zlib-names";
/// Name of the shared library that programs load; bindings/c/build.rs writes it into the library.
const SONAME: &str = "libresidue.so.0";

const HELP: &str = "\
Build and install libresidue, for C and C++.

  cargo xtask install-c --prefix DIR [--libdir DIR] [--destdir DIR] [--program] [--zlib]

  --prefix DIR   Install below this folder, as /usr/local
  --libdir DIR   Install the libraries to this folder [default: PREFIX/lib]
  --destdir DIR  Stage all files below this folder, for a package
  --program      Also install the program residue and its man pages
  --zlib         Also install libresidue_zlib.so, zlib's check values under zlib's names, for
                 LD_PRELOAD

Installs residue.h; libresidue.so, .so.0 and .so.0.1.0; libresidue.a; residue.pc for pkg-config;
residueConfig.cmake for CMake; and a man page, under the name of each function.";

/// Options of the installation: its parts and their folders.
struct Places {
    prefix: PathBuf,
    libraries: PathBuf,
    destination: Option<PathBuf>,
    /// Path of the program that was built.
    program: Option<PathBuf>,
    zlib: bool,
}

impl Places {
    /// Returns where a path that will be used as `path` is now.
    fn staged(&self, path: &Path) -> PathBuf {
        match &self.destination {
            Some(destination) => destination.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_path_buf(),
        }
    }
}

/// Runs `cargo xtask install-c`.
pub fn install(words: &[&str]) -> ExitCode {
    match installed(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: install-c: {why}");
            ExitCode::from(2)
        }
    }
}

/// Builds and installs the library with these options.
pub fn installed(words: &[&str]) -> Result<(), String> {
    let (mut prefix, mut libraries, mut destination) = (None, None, None);
    let (mut program, mut zlib) = (false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (word, mut value) = match word.split_once('=') {
            Some((word, value)) => (word, Some(value)),
            None => (*word, None),
        };
        let mut path = || {
            let value = value.take().or_else(|| words.next().copied());
            let value = value.ok_or_else(|| format!("{word} needs a folder"))?;
            absolute(value).map(Some)
        };
        match word {
            "--prefix" => prefix = path()?,
            "--libdir" => libraries = path()?,
            "--destdir" => destination = path()?,
            "--program" => program = true,
            "--zlib" => zlib = true,
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            other => return Err(format!("unknown option `{other}`\n\n{HELP}")),
        }
    }
    let prefix = prefix.ok_or_else(|| format!("give --prefix DIR\n\n{HELP}"))?;
    let libraries = libraries.unwrap_or_else(|| prefix.join("lib"));
    let mut words = vec!["build", "--quiet", "--profile", "library", "-p", "residue-c"];
    if zlib {
        words.extend(["-p", "residue-zlib", ZLIB_NAMES]);
    }
    let built = build(&words, "library")?;
    let program = match program {
        true => Some(build(&["build", "--quiet", "--release", "-p", "residue-cli"], "release")?),
        false => None,
    };
    place(&built, &Places { prefix, libraries, destination, program, zlib })
}

/// Builds libraries or the program; returns their folder.
fn build(words: &[&str], folder: &str) -> Result<PathBuf, String> {
    if !cfg!(all(unix, not(target_vendor = "apple"))) {
        return Err(
            "only shared libraries of ELF systems can be installed; build the crate residue-c, \
             and use it with bindings/c/include/residue.h"
                .to_string(),
        );
    }
    shown(cargo().args(words))?;
    Ok(target()?.join(folder))
}

/// Installs the files that were built.
fn place(built: &Path, places: &Places) -> Result<(), String> {
    let folder = |path: &Path| created(&places.staged(path));
    let copy = |from: &Path, to: PathBuf| {
        // A library that is in use is replaced, not overwritten.
        let _ = std::fs::remove_file(&to);
        println!("{}", to.display());
        copied(from, &to)
    };
    let include = places.prefix.join("include");
    copy(Path::new(HEADER), folder(&include)?.join("residue.h"))?;

    let libraries = folder(&places.libraries)?;
    let real = format!("libresidue.so.{VERSION}");
    copy(&built.join("libresidue_c.so"), libraries.join(&real))?;
    link(&real, &libraries.join(SONAME))?;
    link(SONAME, &libraries.join("libresidue.so"))?;
    println!("{}", libraries.join("libresidue.a").display());
    archive(&built.join("libresidue_c.a"), &libraries.join("libresidue.a"))?;
    if places.zlib {
        copy(&built.join("libresidue_zlib.so"), libraries.join("libresidue_zlib.so"))?;
    }
    let pc = folder(&places.libraries.join("pkgconfig"))?.join("residue.pc");
    write(&pc, &package(places))?;
    let cmake = folder(&places.libraries.join("cmake/residue"))?;
    for name in ["residueConfig.cmake", "residueConfigVersion.cmake"] {
        write(&cmake.join(name), &filled(&read(format!("bindings/c/cmake/{name}"))?, places))?;
    }

    let manual = places.prefix.join("share/man");
    let pages = folder(&manual.join("man3"))?;
    copy(Path::new(PAGE), pages.join("residue.3"))?;
    for name in functions(&read(HEADER)?) {
        write(&pages.join(format!("{name}.3")), ".so man3/residue.3\n")?;
    }
    let Some(program) = &places.program else {
        return Ok(());
    };
    let programs = folder(&places.prefix.join("bin"))?;
    copy(&program.join("residue"), programs.join("residue"))?;
    let pages = folder(&manual.join("man1"))?;
    shown(Command::new(programs.join("residue")).arg("man").arg(&pages))
}

/// Writes a static library that has the names of its header and no others, so that a program can
/// have other libraries in Rust beside it, which have the names of the same standard library.
fn archive(from: &Path, to: &Path) -> Result<(), String> {
    let functions = functions(&read(HEADER)?);
    let object = to.with_extension("o");
    // One object of what the functions need. The linker of a program can still leave out sections.
    let mut join = Command::new("ld");
    join.args(["--relocatable", "--gc-sections"]);
    join.args(functions.iter().flat_map(|name| ["--undefined", name]));
    done(join.arg(from).arg("-o").arg(&object))?;
    let mut hide = Command::new("objcopy");
    hide.args(functions.iter().map(|name| format!("--keep-global-symbol={name}")));
    // The linker would keep one of all sections of this name, and drop that of another library.
    hide.arg("--redefine-sym=DW.ref.rust_eh_personality=DW.ref.residue_eh_personality");
    // The standard library's, which `ar` would read if it finds LLVM.
    hide.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    // Debugging information is most of its bytes.
    done(hide.args(["--strip-debug", "--strip-unneeded"]).arg(&object))?;
    // `ar` would add to a library that is there.
    let _ = std::fs::remove_file(to);
    done(Command::new("ar").arg("rcs").arg(to).arg(&object))?;
    std::fs::remove_file(&object).map_err(|error| format!("{}: {error}", object.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    println!("{}", path.display());
    written(path, text)
}

/// Returns the functions that a header declares.
fn functions(header: &str) -> BTreeSet<String> {
    let declared = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let called = declared.flat_map(|line| line.split('(').rev().skip(1));
    let names = called.filter_map(|before| before.rsplit([' ', '*']).next());
    names.filter(|name| name.starts_with("residue_")).map(str::to_string).collect()
}

/// Returns a file of the CMake package, which is relocatable.
fn filled(template: &str, places: &Places) -> String {
    let include = match places.libraries.strip_prefix(&places.prefix) {
        Ok(below) => {
            let up = "../".repeat(below.components().count() + 2);
            format!("${{CMAKE_CURRENT_LIST_DIR}}/{up}include")
        }
        Err(_) => places.prefix.join("include").display().to_string(),
    };
    let pointer = size_of::<usize>().to_string();
    let values = [
        ("@INCLUDE@", &*include),
        ("@VERSION@", VERSION),
        ("@SONAME@", SONAME),
        ("@POINTER@", &*pointer),
    ];
    values.iter().fold(template.to_string(), |text, (name, value)| text.replace(name, value))
}

/// Returns the text of the file for `pkg-config`. Its places are relative to itself, but for those
/// of the system, which compilers know by their names.
fn package(places: &Places) -> String {
    let below = places.libraries.strip_prefix(&places.prefix).ok();
    let below = below.filter(|_| places.prefix != Path::new("/usr"));
    let (prefix, libraries) = match below {
        Some(below) => {
            let up = "/..".repeat(below.components().count() + 1);
            (format!("${{pcfiledir}}{up}"), format!("${{prefix}}/{}", below.display()))
        }
        None => (places.prefix.display().to_string(), places.libraries.display().to_string()),
    };
    format!(
        "prefix={prefix}\nincludedir=${{prefix}}/include\nlibdir={libraries}\n\n\
         Name: residue\nDescription: Error-detection codes: \
         Internet checksum, XNS, Fletcher, Adler-32, every CRC\n\
         Version: {VERSION}\nCflags: -I${{includedir}}\nLibs: -L${{libdir}} -lresidue\n\
         Libs.private: -lpthread -ldl -lm\n"
    )
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> Result<(), String> {
    let _ = std::fs::remove_file(path);
    println!("{}", path.display());
    std::os::unix::fs::symlink(target, path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(not(unix))]
fn link(_: &str, path: &Path) -> Result<(), String> {
    Err(format!("{}: no symbolic links here", path.display()))
}
