//! The program as one static file: it needs no library, and so runs on every Linux.

use super::materials;
use crate::shell::{
    VERSION, add_target, cargo, copied, done, emptied, env, output, outside, target, written,
};
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
        let text = output(Command::new(&program).args(["completions", shell]))?;
        written(&completions.join(shell), text)?;
    }
    let archive = folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    // gzip without the time.
    tar.args(["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX", "--sort=name"]);
    tar.arg(format!("--mtime=@{}", env("SOURCE_DATE_EPOCH")?)).args(["-I", "gzip -n", "-cf"]);
    done(tar.arg(&archive).arg("-C").arg(&place).arg(&name))?;
    materials::beside(&archive, "residue-cli", TARGET)?;
    materials::compare("residue-cli", TARGET, &BUILD)?;
    outside("alone", |root| alone(&archive, root))
}

/// Runs the program of the archive in a root directory that holds nothing but it.
fn alone(archive: &Path, root: &Path) -> Result<Vec<String>, String> {
    let mut unpack = Command::new("tar");
    unpack.args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(root);
    done(&mut unpack)?;
    let sum = ["sum", "--code", "crc-32c", "/README.md"];
    let mut run = Command::new("chroot");
    run.arg(root).arg("/residue").args(sum).env_clear();
    let inside = output(run.env("PATH", std::env::var_os("PATH").unwrap_or_default()));
    if inside.as_ref().is_err_and(|why| why.contains("Operation not permitted")) {
        return Ok(vec!["only root can run the program in an empty root directory".into()]);
    }
    let path = root.join("README.md").display().to_string();
    let outside = output(Command::new(root.join("residue")).args(&sum[..3]).arg(&path))?;
    match inside? == outside.replace(&path, sum[3]) {
        true => Ok(Vec::new()),
        false => Err(format!("the program alone does not print {outside}")),
    }
}
