//! The kernel module (`kernel-module/`), built in a small Debian against the headers of a kernel,
//! as its users build it.

use super::packages::{self, System};
use crate::shell::{copied, copied_tree, done, emptied, entries, target, written};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCES: &str = "kernel-module";
/// The Debian in which it is built: the first whose packages have all tools.
const SUITE: &str = "trixie";
const TOOLS: &str = "--include=make,pahole,xz-utils,zstd,linux-headers-amd64";

/// Builds the module for a kernel whose files are in `folder`.
pub fn built(system: &System, folder: &Path, release: &str) -> Result<PathBuf, String> {
    let root = root()?;
    let headers = Path::new("usr/src").join(format!("linux-headers-{release}"));
    if !root.join(&headers).exists() {
        for deb in packages::headers(system, folder, release)? {
            done(Command::new("dpkg").arg("-x").arg(deb).arg(&root))?;
        }
    }
    let kernel = Path::new("boot").join(format!("vmlinuz-{release}"));
    copied(&folder.join(&kernel), &root.join(&kernel))?;
    let place = Path::new("module").join(release);
    let module = root.join(&place);
    copied_tree(Path::new(SOURCES), &emptied(&module)?)?;

    let mut make = Command::new("chroot");
    make.arg(&root).args(["make", "CC=gcc-14", "-C"]).arg(Path::new("/").join(&place));
    make.arg(format!("KERNEL={release}")).arg(format!("HEADERS=/{}", headers.display()));
    // Debian 12's packages have no such tool; it does the same for any kernel.
    let tool = "tools/bpf/resolve_btfids/resolve_btfids";
    if !root.join(&headers).join(tool).exists() {
        let kept = root.join("usr/lib");
        let found = entries(&kept)?.into_iter().map(|it| it.join(tool)).find(|it| it.exists());
        let found = found.ok_or("the headers of no kernel have resolve_btfids")?;
        let inside = found.strip_prefix(&root).map_err(|error| error.to_string())?;
        make.arg(format!("RESOLVE_BTFIDS=/{}", inside.display()));
    }
    done(&mut make)?;
    Ok(module.join("bpf_crc32c.ko"))
}

/// Returns the root of the small Debian, and makes it at first.
fn root() -> Result<PathBuf, String> {
    let root = target()?.join("kernels/tools");
    let is_whole = root.join("usr/src/whole");
    if is_whole.exists() {
        return Ok(root);
    }
    println!("installing a Debian with a compiler and headers of kernels");
    let mut make = Command::new("debootstrap");
    make.args(["--variant=minbase", TOOLS, SUITE]).arg(emptied(&root)?);
    done(make.arg("http://deb.debian.org/debian"))?;
    written(&is_whole, "")?;
    Ok(root)
}
