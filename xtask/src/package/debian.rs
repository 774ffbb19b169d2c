//! Debian packages of the program, of the C library and of the kernel module, by debhelper;
//! packaging/debian describes them.

use super::materials;
use crate::debian::install;
use crate::shell::{
    absolute, copied, copied_tree, done, emptied, entries, host, name, target, written,
};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCES: &str = "packaging/debian";

/// Runs in a copy of this system, with the packages in /packages.
const CHECK: &str = "\
set -e
apt-get -qq -o=Dpkg::Use-Pty=0 install -y --no-install-recommends /packages/*residue*.deb >/dev/null
cd \"$(mktemp -d)\"
printf 123456789 >digits
residue sum --code crc-32c digits | grep -q '^e3069283 '
test -e /usr/share/man/man1/residue-sum.1.gz
test -e /usr/share/man/man3/residue_crc32c.3.gz
cat >program.c <<'END'
#include <residue.h>
#include <stdio.h>
int main(void) {
    printf(\"%08x\\n\", (unsigned)residue_crc32c(\"123456789\", 9));
    return 0;
}
END
cc program.c -o program $(pkg-config --cflags --libs residue)
test \"$(./program)\" = e3069283
apt-get -qq -o=Dpkg::Use-Pty=0 remove -y residue libresidue0 >/dev/null
test ! -e /usr/bin/residue
# DKMS would build the module for kernels that are not here.
dpkg --unpack --force-depends /packages/bpf-crc32c-dkms_*.deb >/dev/null
ls /usr/src/bpf-crc32c-*/dkms.conf /usr/src/bpf-crc32c-*/bpf_crc32c.c >/dev/null
";

/// Builds the packages, lints them, and installs them in a copy of this system that ends with the
/// test.
pub fn make(folder: &Path) -> Result<Vec<String>, String> {
    let tools = [("dh", "debhelper"), ("dh_dkms", "dh-dkms"), ("lintian", "lintian")];
    install(&tools)?;
    install(&[("dpkg-buildpackage", "dpkg-dev")])?;
    let place = emptied(&target()?.join("debian"))?;
    let tree = emptied(&place.join("residue"))?;
    copied_tree(Path::new(SOURCES), &tree.join("debian"))?;
    let mut build = Command::new("dpkg-buildpackage");
    // Cargo may come from elsewhere than Debian, so dependencies are not compared.
    build.args(["--build=binary", "--no-sign", "--no-check-builddeps"]).current_dir(&tree);
    done(build.env("RESIDUE_SOURCE", absolute(".")?))?;
    let host = host()?;
    let mut packages = Vec::new();
    for path in entries(&place)? {
        let name = name(&path);
        if name.ends_with(".deb") {
            let to = folder.join(&name);
            copied(&path, &to)?;
            // The module is one file of C.
            if !name.starts_with("bpf-") {
                let of = if name.starts_with("residue_") { "residue-cli" } else { "residue-c" };
                materials::beside(&to, of, &host)?;
            }
            packages.push(to);
        }
    }
    let mut lint = Command::new("lintian");
    done(lint.args(["--fail-on=error,warning", "--allow-root"]).args(&packages))?;
    installed(&place, &packages)
}

/// Installs the packages in a copy of this system, and runs the check there.
fn installed(place: &Path, packages: &[PathBuf]) -> Result<Vec<String>, String> {
    let shared = emptied(&place.join("packages"))?;
    for package in packages {
        copied(package, &shared.join(name(package)))?;
    }
    written(&shared.join("check"), CHECK)?;
    // The copy shares this system's files and keeps its changes in memory.
    let script = format!(
        "set -e; cd '{}'; mkdir copy; mount -t tmpfs none copy
         mkdir copy/changes copy/scratch copy/all
         mount -t overlay -o lowerdir=/,upperdir=copy/changes,workdir=copy/scratch none copy/all
         mount --bind /dev copy/all/dev; mount -t proc none copy/all/proc
         mkdir copy/all/packages; cp packages/* copy/all/packages
         chroot copy/all sh /packages/check",
        place.display()
    );
    let mut copy = Command::new("unshare");
    copy.args(["--mount", "--pid", "--fork", "sh", "-c", &script]);
    match done(&mut copy) {
        Err(why) if why.contains("unshare failed") => {
            Ok(vec!["the packages were made, but only root can install them in a copy".into()])
        }
        result => result.map(|()| Vec::new()),
    }
}
