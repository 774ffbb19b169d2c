//! `residue guard on`, `off`, `forget` and `clean`.

use super::arguments::{ForgetArgs, GuardOptions, KernelOptions, OffArgs, OnArgs};
use super::options::{Chosen, Engine, can_run, must_not_run};
use super::status;
use crate::output::Output;
use anyhow::{anyhow, bail};
use residue_guard::kernel::{self, Ending, Left, Settings};
use residue_guard::queue;
use std::io;

/// Returns the settings of the kernel engine.
pub fn settings(options: &GuardOptions, own: &KernelOptions, chosen: &Chosen) -> Settings {
    Settings {
        interfaces: options.interfaces.clone(),
        ports: chosen.ports.clone(),
        offer: chosen.offer(Engine::Kernel),
        policy: chosen.policy,
        cgroup: own.cgroup.clone(),
        receive_threads: own.receive_threads,
        as_oldest: false,
    }
}

/// What to do where the kernel does not include services that listen already.
const RESTART: &str = "this kernel does not include services that listen already (Linux 6.12 \
                       does): restart them, or their connections stay regular";

/// Says what a guard leaves out. `included`: listeners that were there before it are guarded.
pub fn say_what_is_left_out(settings: &Settings, included: bool, output: &mut Output) {
    if !included {
        output.complain(RESTART);
    }
    if settings.cgroup.is_none()
        && let Err(why) = kernel::all_cgroups_are_seen()
    {
        output.complain(&format!(
            "only processes of this container are guarded: {why}. For others, mount the host's \
             cgroups, and name one by `--cgroup`"
        ));
    }
}

/// Installs the guard, and returns.
pub fn on(args: &OnArgs, output: &mut Output) -> anyhow::Result<()> {
    let chosen = Chosen::of(&args.options)?;
    must_not_run()?;
    let settings = settings(&args.options, &args.kernel, &chosen);
    let included = kernel::on(&settings).map_err(|error| refused(error, &args.options))?;
    let status = kernel::status()?.ok_or_else(|| anyhow!("the guard is gone already"))?;
    output.line(status::kernel_head(&status))?;
    say_what_is_left_out(&settings, included, output);
    Ok(())
}

/// Returns why the guard is not on, and that the other engine works, if it does.
fn refused(error: io::Error, options: &GuardOptions) -> anyhow::Error {
    let is_about_settings =
        matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::InvalidInput);
    match &options.interfaces[..] {
        [interface] if !is_about_settings && can_run(Engine::Queue, &queue::needs(interface)) => {
            anyhow!("{error}. The queue engine works here: `residue guard run --engine queue`")
        }
        _ => error.into(),
    }
}

/// Switches the guard off.
pub fn off(args: &OffArgs, output: &mut Output) -> anyhow::Result<()> {
    let ending = match args {
        OffArgs { reset: true, .. } => Ending::Reset,
        OffArgs { now: true, .. } => Ending::Abandon,
        _ => Ending::Finish,
    };
    let Some(left) = kernel::off(ending)? else {
        if let Some(status) = queue::ask()? {
            bail!(
                "{} guards `{}` by the queue engine; stop it with Ctrl-C or SIGTERM",
                status::process(&status),
                status.interface
            );
        }
        output.line("no guard is on in this network namespace")?;
        return Ok(());
    };
    output.line(match (left, ending) {
        (Left::Connections(count), _) => format!(
            "new connections are regular TCP; {count} guarded ones go on. `residue guard off` \
             removes the programs once they have ended, `residue guard off --reset` now"
        ),
        (Left::Nothing(0), _) => "off".to_string(),
        (Left::Nothing(count), Ending::Reset) => format!("off; {count} connections were reset"),
        (Left::Nothing(count), _) => format!("off; {count} connections will hang"),
    })?;
    Ok(())
}

/// Forgets destinations for which a value failed.
pub fn forget(args: &ForgetArgs, output: &mut Output) -> anyhow::Result<()> {
    match (kernel::forget(args.address)?, args.address) {
        (Some(0), Some(address)) => output.line(format!("nothing was remembered of {address}"))?,
        (Some(count), _) => output.line(format!("{count} destinations forgotten"))?,
        (None, Some(_)) if queue::ask()?.is_some() => {
            bail!("the queue engine forgets all destinations at once: leave out the address")
        }
        (None, _) => match queue::forget()? {
            Some(count) => output.line(format!("{count} destinations forgotten"))?,
            None => {
                bail!("no guard is on in this network namespace; start one with `residue guard on`")
            }
        },
    }
    Ok(())
}

/// Removes what guards have left.
pub fn clean(output: &mut Output) -> anyhow::Result<()> {
    must_not_run()?;
    let mut removed = kernel::clean()?;
    removed.extend(queue::clean()?);
    for each in &removed {
        output.line(format!("removed: {each}"))?;
    }
    if removed.is_empty() {
        output.line("no rules or programs of a guard in this network namespace")?;
    }
    Ok(())
}
