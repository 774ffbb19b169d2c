//! A Python for musl, which Debian does not have: built from Debian's source by the C compiler of
//! Zig, and run by the loader of Debian's musl. It tests the wheels for musl.

use crate::debian::{dependency, install};
use crate::python::Tools;
use crate::shell::{created, done, emptied, entries, name, only, read, target, unpacked, written};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python whose modules are all in its program, with the loader that runs it.
pub struct Python {
    pub loader: PathBuf,
    pub program: PathBuf,
    /// What `PYTHONHOME` is: the folder of the standard library in Python.
    pub home: PathBuf,
}

/// Returns the Python for an architecture, by Zig's name and Debian's for it; builds it at first.
///
/// # Errors
///
/// Says why it could not be built here.
pub fn python(tools: &Tools, names: (&str, &str), release: &str) -> Result<Python, String> {
    let (architecture, debian) = names;
    let place = target()?.join("musl");
    // Debian's own Python of the same version does what a program for musl cannot do here.
    let version = dependency("python3").ok_or("apt-cache knows no Python")?;
    let build = format!("/usr/bin/{version}");
    install(&[("make", "make"), ("readelf", "binutils"), ("xz", "xz-utils"), (&build, &version)])?;

    let source = place.join("source");
    let home = place.join("home");
    if !home.is_dir() {
        fetched(&emptied(&place)?, &version, release)?;
        std::fs::rename(only(&place.join("python"))?, &source).map_err(|e| e.to_string())?;
        let library = created(&home.join("lib"))?;
        std::os::unix::fs::symlink(source.join("Lib"), library.join(&version))
            .map_err(|error| error.to_string())?;
    }
    let folder = place.join(architecture);
    let program = folder.join("python");
    if !program.is_file() {
        built(tools, &emptied(&folder)?, architecture, &source, &build)?;
    }
    let loader = place.join(debian).join(format!("lib/ld-musl-{architecture}.so.1"));
    Ok(Python { loader, program, home })
}

/// Downloads the source of Python and the packages of musl, and unpacks them below `place`.
fn fetched(place: &Path, version: &str, release: &str) -> Result<(), String> {
    let list = place.join("sources.list");
    let site = format!("http://deb.debian.org/debian {release} main");
    let text = format!("deb [arch=amd64,arm64] {site}\ndeb-src {site}\n");
    written(&list, text)?;
    let lists = emptied(&place.join("lists"))?;
    let packages = emptied(&place.join("packages"))?;
    // The system's own lists stay as they are: they need not have sources or other architectures.
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.arg("-qq").current_dir(&packages);
        for option in [
            &format!("Dir::Etc::SourceList={}", list.display()),
            "Dir::Etc::SourceParts=/dev/null",
            &format!("Dir::State::Lists={}", lists.display()),
            "Dir::Cache::pkgcache=",
            "Dir::Cache::srcpkgcache=",
            "APT::Architectures::=amd64",
            "APT::Architectures::=arm64",
            "APT::Sandbox::User=root",
        ] {
            command.args(["-o", option]);
        }
        done(command.args(words))
    };
    apt(&["update"])?;
    apt(&["download", "musl:amd64", "musl:arm64"])?;
    apt(&["source", "--download-only", version])?;

    let python = emptied(&place.join("python"))?;
    for path in entries(&packages)? {
        let name = name(&path);
        if name.ends_with(".deb") {
            let architecture = name.trim_end_matches(".deb").rsplit('_').next().unwrap_or_default();
            done(Command::new("dpkg").arg("-x").arg(&path).arg(place.join(architecture)))?;
        } else if name.contains(".orig.tar.") {
            unpacked(&path, &python)?;
        }
    }
    Ok(())
}

/// Compiles Python in `folder`, with all modules that need no other library in its program.
fn built(
    tools: &Tools,
    folder: &Path,
    architecture: &str,
    source: &Path,
    build: &str,
) -> Result<(), String> {
    let zig = tools.program("python").get_program().display().to_string();
    let compiler = format!("{zig} -m ziglang cc -target {architecture}-linux-musl -dynamic");
    let mut configure = Command::new(source.join("configure"));
    configure.current_dir(folder).env("MODULE_BUILDTYPE", "static");
    // No library of this system is one for musl.
    configure.env("PKG_CONFIG_LIBDIR", "/nonexistent");
    configure.args([
        "--quiet",
        "--build=x86_64-pc-linux-gnu",
        &format!("--host={architecture}-linux-musl"),
        &format!("--with-build-python={build}"),
        "--without-ensurepip",
        "--disable-test-modules",
        &format!("CC={compiler}"),
        &format!("AR={zig} -m ziglang ar"),
        "READELF=/usr/bin/readelf",
        "OPT=-O1 -w",
        // What cannot be asked of another system, and what Zig's musl has but an older one lacks.
        "ac_cv_file__dev_ptmx=no",
        "ac_cv_file__dev_ptc=no",
        "ac_cv_buggy_getaddrinfo=no",
        "ac_cv_func_preadv2=no",
        "ac_cv_func_pwritev2=no",
    ]);
    done(&mut configure)?;
    let modules = read(folder.join("Modules/Setup.stdlib"))?;
    // `crypt` is in a library of its own in Debian's musl.
    let modules = modules.split_inclusive('\n').filter(|line| !line.starts_with("_crypt"));
    written(&folder.join("Modules/Setup.local"), modules.collect::<String>())?;
    let make = |words: &[&str]| done(Command::new("make").args(words).current_dir(folder));
    make(&["--silent", "Makefile"])?;
    make(&["--silent", "-j2", "python"])
}
