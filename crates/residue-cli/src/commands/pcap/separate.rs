//! Outputs that must not be the capture, whose packets they would replace.

use crate::output::Styles;
use anyhow::bail;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Refuses the file that `option` names if it is one of `others`, under any name, or if the name is
/// that of standard output, which has the report.
pub fn separate<'a>(
    option: &str,
    file: &Path,
    others: impl IntoIterator<Item = &'a OsStr>,
) -> anyhow::Result<()> {
    if file.as_os_str() == "-" {
        bail!("{option} needs a file, as standard output has the report; `./-` is a file");
    }
    let path = |name: &'a OsStr| Path::new(if name == "-" { OsStr::new(STDIN) } else { name });
    let is_it = |other: &&'a OsStr| same(file, path(other));
    if let Some(other) = others.into_iter().find(is_it) {
        bail!(
            "{option}: `{}` is `{}`, which it would replace; choose another name",
            Styles::plain(file.as_os_str()),
            Styles::plain(other)
        );
    }
    Ok(())
}

/// The name of standard input, which may be a file, where it has one.
const STDIN: &str = "/dev/stdin";

/// Returns whether both names are of one regular file.
fn same(one: &Path, two: &Path) -> bool {
    let (Ok(first), Ok(second)) = (fs::metadata(one), fs::metadata(two)) else { return false };
    if !first.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (first.dev(), first.ino()) == (second.dev(), second.ino())
    }
    #[cfg(not(unix))]
    {
        second.is_file()
            && matches!((one.canonicalize(), two.canonicalize()), (Ok(a), Ok(b)) if a == b)
    }
}
