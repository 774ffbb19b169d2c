//! `residue pcap watch`: verifies packets as they come, of an interface or of a capture that is
//! being written.

mod arguments;
mod input;
#[cfg(target_os = "linux")]
mod interface;
mod metrics;
mod print;
mod session;
mod state;

use super::separate::separate;
use crate::output::{Output, Styles};
use anyhow::bail;
pub use arguments::WatchArgs;
use metrics::Target;
use session::Session;

/// Verifies until the end, and prints the counts.
pub fn run(args: &WatchArgs, output: &mut Output) -> anyhow::Result<()> {
    let capture = args.file.as_deref();
    if let Some(path) = &args.write {
        separate("--write", path, capture)?;
    }
    if let Some(Target::File(path)) = &args.prometheus {
        separate("--prometheus", path, capture)?;
        if args.write.as_ref() == Some(path) {
            bail!("--write and --prometheus name one file; choose another name for one of them");
        }
    }
    match (&args.interface, &args.file) {
        (Some(name), _) => of_interface(args, name, output),
        (None, Some(file)) => {
            let input = input::open(file)?;
            let session = Session::new(args, &Styles::plain(file), output)?;
            input::run(session, input)
        }
        // The group of arguments requires one of them.
        (None, None) => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn of_interface(args: &WatchArgs, name: &str, output: &mut Output) -> anyhow::Result<()> {
    interface::run(args, name, output)
}

#[cfg(not(target_os = "linux"))]
fn of_interface(_: &WatchArgs, name: &str, _: &mut Output) -> anyhow::Result<()> {
    anyhow::bail!(
        "packets of an interface are taken by packet sockets, which only Linux has; let another \
         program capture them: tcpdump -U -i {} -w - | residue pcap watch -",
        name.escape_debug()
    )
}
