//! The C library: `cargo xtask install-c`, and its tests, which are made of what that installs.

mod tests;

use crate::cargo;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub use tests::run;

const HEADER: &str = "bindings/c/include/residue.h";
const PAGE: &str = "bindings/c/man/residue.3";
/// The switch that makes a library with zlib's names of it.
const ZLIB_NAMES: &str = "--features=residue-zlib/zlib-names";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What programs look for; bindings/c/build.rs writes it into the library.
const SONAME: &str = "libresidue.so.0";

const HELP: &str = "\
Builds and installs libresidue, for C and C++, and the program.

  cargo xtask install-c --prefix DIR [--libdir DIR] [--destdir DIR] [--zlib]

  --prefix DIR   where it is to be used from, as /usr/local
  --libdir DIR   where the libraries go [PREFIX/lib]
  --destdir DIR  put all of it below this folder, for a package
  --zlib         also libresidue_zlib.so, for LD_PRELOAD: zlib's check values under zlib's names

Installed are residue.h; libresidue.so, .so.0 and .so.0.1.0; libresidue.a; residue.pc; the program; man pages.";

/// Where things go.
struct Places {
    prefix: PathBuf,
    libraries: PathBuf,
    destination: Option<PathBuf>,
}

impl Places {
    /// Where a path that will be used as `path` is now.
    fn staged(&self, path: &Path) -> PathBuf {
        match &self.destination {
            Some(destination) => destination.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_path_buf(),
        }
    }
}

/// `cargo xtask install-c`.
pub fn install(words: &[&str]) -> ExitCode {
    match installed(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: install-c: {why}");
            ExitCode::from(2)
        }
    }
}

fn installed(words: &[&str]) -> Result<(), String> {
    let (mut prefix, mut libraries, mut destination, mut zlib) = (None, None, None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (word, mut value) = match word.split_once('=') {
            Some((word, value)) => (word, Some(value)),
            None => (*word, None),
        };
        let mut path = || {
            let value = value.take().or_else(|| words.next().copied());
            let value = value.ok_or_else(|| format!("{word} needs a folder"))?;
            std::path::absolute(value).map(Some).map_err(|error| format!("{value}: {error}"))
        };
        match word {
            "--prefix" => prefix = path()?,
            "--libdir" => libraries = path()?,
            "--destdir" => destination = path()?,
            "--zlib" => zlib = true,
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            other => return Err(format!("no option `{other}`\n\n{HELP}")),
        }
    }
    let prefix = prefix.ok_or_else(|| format!("where to? --prefix DIR\n\n{HELP}"))?;
    let libraries = libraries.unwrap_or_else(|| prefix.join("lib"));
    let mut words = vec!["build", "--quiet", "--release", "-p", "residue-c", "-p", "residue-cli"];
    if zlib {
        words.extend(["-p", "residue-zlib", ZLIB_NAMES]);
    }
    let built = build(&words, "release")?;
    place(&built, &Places { prefix, libraries, destination }, zlib)
}

/// Builds the libraries and the program; says where they are.
fn build(words: &[&str], folder: &str) -> Result<PathBuf, String> {
    if !cfg!(all(unix, not(target_vendor = "apple"))) {
        return Err(
            "the installation knows shared libraries of ELF systems only; build the crate \
                    residue-c and take bindings/c/include/residue.h"
                .to_string(),
        );
    }
    if !cargo().args(words).status().is_ok_and(|status| status.success()) {
        return Err(format!("`cargo {}` failed", words.join(" ")));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    std::path::absolute(Path::new(&target).join(folder)).map_err(|error| error.to_string())
}

/// Puts what was built where it is used from.
fn place(built: &Path, places: &Places, zlib: bool) -> Result<(), String> {
    let folder = |path: &Path| {
        let path = places.staged(path);
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok::<PathBuf, String>(path)
    };
    let copy = |from: &Path, to: PathBuf| {
        // A library that is in use is not written over, but replaced.
        let _ = std::fs::remove_file(&to);
        println!("{}", to.display());
        let copied = std::fs::copy(from, &to);
        copied
            .map(drop)
            .map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))
    };
    let include = places.prefix.join("include");
    copy(Path::new(HEADER), folder(&include)?.join("residue.h"))?;

    let libraries = folder(&places.libraries)?;
    let real = format!("libresidue.so.{VERSION}");
    copy(&built.join("libresidue_c.so"), libraries.join(&real))?;
    link(&real, &libraries.join(SONAME))?;
    link(SONAME, &libraries.join("libresidue.so"))?;
    copy(&built.join("libresidue_c.a"), libraries.join("libresidue.a"))?;
    if zlib {
        copy(&built.join("libresidue_zlib.so"), libraries.join("libresidue_zlib.so"))?;
    }
    let told = folder(&places.libraries.join("pkgconfig"))?.join("residue.pc");
    println!("{}", told.display());
    std::fs::write(&told, package(places)).map_err(|error| format!("{told:?}: {error}"))?;

    let programs = folder(&places.prefix.join("bin"))?;
    copy(&built.join("residue"), programs.join("residue"))?;
    let manual = places.prefix.join("share/man");
    copy(Path::new(PAGE), folder(&manual.join("man3"))?.join("residue.3"))?;
    let pages = folder(&manual.join("man1"))?;
    let wrote = Command::new(programs.join("residue")).arg("man").arg(&pages).status();
    if wrote.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(format!("`residue man {}` failed", pages.display()))
    }
}

/// What `pkg-config` tells.
fn package(places: &Places) -> String {
    format!(
        "prefix={}\nincludedir=${{prefix}}/include\nlibdir={}\n\n\
         Name: residue\nDescription: Error-detection codes: Internet checksum, XNS, Fletcher, Adler-32, every CRC\n\
         Version: {VERSION}\nCflags: -I${{includedir}}\nLibs: -L${{libdir}} -lresidue\n\
         Libs.private: -lpthread -ldl -lm\n",
        places.prefix.display(),
        places.libraries.display(),
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
