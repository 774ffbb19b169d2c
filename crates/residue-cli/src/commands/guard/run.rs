//! `residue guard run`: guards the connections of an interface.

use super::arguments::{EngineChoice, KernelOptions, RunArgs};
use super::options::{Chosen, Engine, must_not_run};
use super::status;
use super::switch::{say_what_is_left_out, settings};
use crate::output::{Output, Styles};
use crate::progress::Progress;
use anyhow::{anyhow, bail};
use residue_guard::kernel::{self, Ending, Signals};
use residue_guard::queue::{self, Options, Rules, Status};
use residue_guard::{Config, Received};
use std::time::Duration;

/// Period of the live line.
const LIVE: Duration = Duration::from_secs(1);

/// Guards until interrupted, and prints the counts.
pub fn run(args: &RunArgs, output: &mut Output) -> anyhow::Result<()> {
    let chosen = Chosen::of(&args.options)?;
    must_not_run()?;
    let choice = match args.engine {
        EngineChoice::Kernel if args.mss.is_some() => {
            bail!("--mss goes with the queue engine; the kernel engine follows the path's MTU")
        }
        EngineChoice::Queue if args.kernel.cgroup.is_some() => {
            bail!("--cgroup goes with the kernel engine")
        }
        EngineChoice::Queue if args.kernel.receive_threads => {
            bail!("--receive-threads goes with the kernel engine")
        }
        EngineChoice::Auto if args.mss.is_some() => EngineChoice::Queue,
        choice => choice,
    };
    if let Some(status) = kernel::status()? {
        let names = status::names(&status);
        bail!("a guard of {names} is on here; end it first (`residue guard off`)");
    }
    if choice == EngineChoice::Queue {
        return by_queue(args, &chosen, output);
    }
    let mut signals = Signals::block()?;
    let settings = settings(&args.options, &args.kernel, &chosen);
    match kernel::on(&settings) {
        Ok(included) => {
            say_what_is_left_out(&settings, included, output);
            in_kernel(args, &mut signals, output)
        }
        Err(_)
            if choice == EngineChoice::Auto
                && args.kernel == KernelOptions::default()
                && args.options.interfaces.len() == 1 =>
        {
            by_queue(args, &chosen, output)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the period of the output.
fn every(args: &RunArgs) -> Duration {
    if args.json { Duration::from_secs(args.every.into()) } else { LIVE }
}

fn in_kernel(args: &RunArgs, signals: &mut Signals, output: &mut Output) -> anyhow::Result<()> {
    let status =
        || kernel::status()?.ok_or_else(|| anyhow!("the guard was switched off by someone else"));
    let first = status()?;
    if args.json {
        output.line(serde_json::to_string(&first)?)?;
    } else {
        output.line(status::kernel_head(&first))?;
        output.progress = Progress::of_words();
    }
    output.flush()?;
    while !signals.wait(every(args))? {
        let now = status()?;
        // Errors of the output are ignored, because the guard goes on without a reader.
        if args.json {
            let _ = output.line(serde_json::to_string(&now)?);
            let _ = output.flush();
        } else {
            output.progress.say(kernel_line(&now, output.styles));
        }
    }
    let last = status()?;
    kernel::off(Ending::Reset)?;
    output.progress.clear();
    if args.json {
        output.line(serde_json::to_string(&last)?)?;
    } else {
        for line in status::kernel_lines(&last, output.styles) {
            output.line(line)?;
        }
    }
    Ok(())
}

fn by_queue(args: &RunArgs, chosen: &Chosen, output: &mut Output) -> anyhow::Result<()> {
    let [interface] = &args.options.interfaces[..] else {
        bail!("the queue engine guards one interface; the kernel engine guards several");
    };
    let offer = Some(chosen.offer(Engine::Queue));
    let options = Options {
        rules: Rules::new(interface, &chosen.ports)?,
        config: Config { offer, policy: chosen.policy, mss: args.mss, ..Config::default() },
        state: match &args.state {
            _ if args.no_state => None,
            Some(file) => Some(file.clone()),
            None => queue::default_state(interface),
        },
        every: every(args),
    };
    let mut live = Live { json: args.json, before: None };
    let last = queue::run(&options, |status| live.update(status, output))?;
    output.progress.clear();
    if args.json {
        output.line(serde_json::to_string(&last)?)?;
    } else {
        for line in status::lines(&last, output.styles) {
            output.line(line)?;
        }
    }
    Ok(())
}

/// Returns the state of the kernel engine in one line.
fn kernel_line(now: &kernel::Status, styles: Styles) -> String {
    let sum = |of: fn(&Received) -> u64| now.counters.received.iter().map(of).sum::<u64>();
    let bad = sum(Received::bad);
    let undetected = sum(|received| received.only_crc_bad);
    let style = if bad > 0 { styles.bad } else { styles.good };
    format!(
        "{} guarded, {} unprotected, {} segments received; {style}{bad} dropped, {undetected} \
         undetected by TCP{style:#}",
        now.guarded,
        now.unprotected,
        sum(|received| received.both_good),
    )
}

/// The live line, or lines of JSON.
struct Live {
    json: bool,
    /// The status printed last.
    before: Option<Status>,
}

impl Live {
    /// Prints a status. Errors are ignored, because the guard goes on without a reader.
    fn update(&mut self, status: &Status, output: &mut Output) {
        if self.json {
            if let Ok(line) = serde_json::to_string(status) {
                let _ = output.line(line);
            }
        } else if let Some(before) = &self.before {
            output.progress.say(line(before, status, output.styles));
        } else {
            let _ = output.line(status::head(status));
            output.progress = Progress::of_words();
        }
        let _ = output.flush();
        self.before = Some(status.clone());
    }
}

/// Returns the state in one line.
fn line(before: &Status, now: &Status, styles: Styles) -> String {
    let time = (now.uptime - before.uptime).max(0.001);
    let rate = (now.packets - before.packets) as f64 / time;
    let cpu = 100.0 * (now.cpu_time - before.cpu_time) / time;
    let sum = |of: fn(&Received) -> u64| now.counters.received.iter().map(of).sum::<u64>();
    let bad = sum(Received::bad);
    let undetected = sum(|received| received.only_crc_bad);
    let lost: u64 = now.queues.iter().map(|queue| queue.full + queue.lost).sum();
    let style = if bad > 0 { styles.bad } else { styles.good };
    format!(
        "{} guarded, {rate:.0} packets/s, {cpu:.0} % CPU; {style}{bad} dropped, {undetected} \
         undetected by TCP{style:#}; {lost} lost",
        now.entries.established
    )
}
