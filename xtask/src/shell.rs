//! Commands, cargo, and folders for their results.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::ScopedJoinHandle;

/// The version of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Arguments of cargo that build the artifacts for tests of other languages. They select the
/// features of `cargo test --workspace`, so nothing is compiled twice.
pub const EVERYTHING: [&str; 4] = ["build", "--workspace", "--lib", "--tests"];

/// Returns a command for the `cargo` that runs this program, which builds everything [`ONCE`].
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()));
    command.envs(ONCE);
    command
}

/// Variables by which cargo builds everything once, in the least time: `.ci/run` exports them, so
/// that it tests what `cargo xtask test` builds elsewhere.
///
/// Nothing is built twice, so incremental compilation would only cost time. Fewer and larger units
/// are less work for LLVM. Without debugging information, what fails names its line all the same.
pub const ONCE: [(&str, &str); 3] = [
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "4"),
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
];

/// Returns a command for the `cargo` of the nightly compiler.
pub fn nightly(words: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).args(words).env_remove("CARGO");
    command
}

/// Installs a target's standard library, if it is not there already (Rust may come without rustup).
pub fn add_target(name: &str) -> Result<(), String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let folder = output(Command::new(rustc).args(["--print", "target-libdir", "--target", name]));
    if folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Ok(());
    }
    done(Command::new("rustup").args(["target", "add", name])).map_err(|_| {
        format!("the target {name} is not installed, and `rustup target add {name}` failed")
    })
}

/// Runs a command; returns what it prints. On failure, its output is the error.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let [text, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    match output.status.success() {
        true => Ok(text.into_owned()),
        false => Err(format!("{command:?}: {}\n{text}{errors}", output.status)),
    }
}

/// Runs a command as [`output`] does.
pub fn done(command: &mut Command) -> Result<(), String> {
    output(command).map(drop)
}

/// Runs a command that shows its own output.
pub fn shown(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// Returns the target that is built for without `--target`.
pub fn host() -> Result<String, String> {
    let text = output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "`rustc -vV` names no host".to_string())
}

/// Returns the name of cargo's variable for a setting of a target.
pub fn target_variable(target: &str, setting: &str) -> String {
    format!("CARGO_TARGET_{}_{setting}", target.to_uppercase().replace('-', "_"))
}

/// Returns a variable of the environment.
pub fn env(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}"))
}

/// Returns cargo's target directory.
pub fn target() -> Result<PathBuf, String> {
    absolute(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns a path from the root.
pub fn absolute(path: impl AsRef<Path>) -> Result<PathBuf, String> {
    std::path::absolute(&path).map_err(at(path.as_ref()))
}

/// Returns the last name of a path.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the entries of a folder, sorted.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(at(folder))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(at::<std::io::Error>(folder))?;
    paths.sort();
    Ok(paths)
}

/// Returns the only entry of a folder.
pub fn only(folder: &Path) -> Result<PathBuf, String> {
    match entries(folder)?.as_slice() {
        [path] => Ok(path.clone()),
        others => Err(at(folder)(format!("expected one entry, got {}", others.len()))),
    }
}

/// Creates a folder, or empties it.
pub fn emptied(folder: &Path) -> Result<PathBuf, String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(at(folder))?;
    }
    created(folder)
}

/// Creates a folder, unless it is there.
pub fn created(folder: &Path) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder).map(|()| folder.to_path_buf()).map_err(at(folder))
}

/// Passes an empty folder outside the repository to a function, and removes it afterwards.
pub fn outside<T>(name: &str, run: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
    let place = std::env::temp_dir().join(format!("residue-{name}-{}", std::process::id()));
    let result = emptied(&place).and_then(|place| run(&place));
    let _ = std::fs::remove_dir_all(&place);
    result
}

/// Copies a file.
pub fn copied(from: &Path, to: &Path) -> Result<(), String> {
    let named = |error| format!("cannot copy {} to {}: {error}", from.display(), to.display());
    std::fs::copy(from, to).map(drop).map_err(named)
}

/// Copies a folder, without what cargo builds in it, into one that need not exist.
pub fn copied_tree(from: &Path, to: &Path) -> Result<(), String> {
    created(to)?;
    for path in entries(from)? {
        let to = to.join(name(&path));
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => copied_tree(&path, &to)?,
            false => copied(&path, &to)?,
        }
    }
    Ok(())
}

/// Unpacks a compressed `tar` archive in a folder, with the time of today: by an archive's fixed
/// times, cargo would take what it built of an older one for new.
pub fn unpacked(archive: &Path, folder: &Path) -> Result<(), String> {
    done(Command::new("tar").arg("-xmf").arg(archive).arg("-C").arg(folder))
}

/// Reads a file as text.
pub fn read(path: impl AsRef<Path>) -> Result<String, String> {
    std::fs::read_to_string(&path).map_err(at(path.as_ref()))
}

/// Reads the bytes of a file.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(at(path))
}

/// Writes a file.
pub fn written(path: &Path, text: impl AsRef<[u8]>) -> Result<(), String> {
    std::fs::write(path, text).map_err(at(path))
}

/// Returns a function that puts a path before an error.
fn at<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Returns the result of a thread. A panic in it goes on here.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
