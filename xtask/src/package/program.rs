//! The program as one static file: it needs no library, and so runs on every Linux.

use super::{VERSION, materials};
use crate::shell::{copied, done, emptied, target};
use crate::{add_target, cargo};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-musl";

const BUILD: [&str; 7] = ["build", "--quiet", "--release", "-p", "residue-cli", "--target", TARGET];

/// Builds the program; returns its path.
pub fn built() -> Result<PathBuf, String> {
    add_target(TARGET)?;
    done(cargo().args(BUILD))?;
    Ok(target()?.join(TARGET).join("release/residue"))
}

/// Packs the program with its man pages and completions, and runs it where nothing else is.
pub fn make(folder: &Path) -> Result<Vec<String>, String> {
    let program = built()?;
    let name = format!("residue-{VERSION}-x86_64-linux");
    let place = emptied(&target()?.join("program"))?;
    let tree = emptied(&place.join(&name))?;
    copied(&program, &tree.join("residue"))?;
    done(Command::new("strip").arg(tree.join("residue")))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copied(Path::new(file), &tree.join(file))?;
    }
    let pages = emptied(&tree.join("man"))?;
    done(Command::new(&program).arg("man").arg(&pages))?;
    let completions = emptied(&tree.join("completions"))?;
    for shell in ["bash", "zsh", "fish"] {
        let output = Command::new(&program).args(["completions", shell]).output();
        let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
        crate::shell::written(&completions.join(shell), &output.stdout)?;
    }
    let archive = folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--owner=0", "--group=0", "--sort=name", "-czf"]).arg(&archive);
    done(tar.arg("-C").arg(&place).arg(&name))?;
    materials::beside(&archive, "residue-cli", TARGET)?;
    materials::compare("residue-cli", TARGET, &BUILD)?;
    alone(&tree, &archive)
}

/// Runs the program of the archive in a root directory that holds nothing but it.
fn alone(tree: &Path, archive: &Path) -> Result<Vec<String>, String> {
    let name = format!("residue-alone-{}", std::process::id());
    let root = emptied(&std::env::temp_dir().join(name))?;
    let mut unpack = Command::new("tar");
    unpack.args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(&root);
    let result = done(&mut unpack).and_then(|()| {
        let mut run = Command::new("chroot");
        run.arg(&root).args(["/residue", "sum", "--code", "crc-32c", "/README.md"]);
        let path = std::env::var_os("PATH").unwrap_or_default();
        run.env_clear().env("PATH", path);
        let output = run.output().map_err(|error| format!("chroot: {error}"))?;
        let error = String::from_utf8_lossy(&output.stderr);
        if error.contains("Operation not permitted") {
            return Ok(vec!["only root can run the program in an empty root directory".into()]);
        }
        let outside = Command::new(tree.join("residue"))
            .args(["sum", "--code", "crc-32c", "/dev/stdin"])
            .stdin(std::fs::File::open("README.md").map_err(|error| error.to_string())?)
            .output()
            .map_err(|error| error.to_string())?;
        let value = |text: &[u8]| text.split(|&byte| byte == b' ').next().map(<[u8]>::to_vec);
        match output.status.success() && value(&output.stdout) == value(&outside.stdout) {
            true => Ok(Vec::new()),
            false => Err(format!("the program alone: {}: {error}", output.status)),
        }
    });
    let _ = std::fs::remove_dir_all(&root);
    result
}
