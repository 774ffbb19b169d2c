//! `residue guard run`: guards the connections of an interface.

use super::{Policy, RunArgs, Value, status};
use crate::output::{Output, Styles};
use crate::progress::Progress;
use anyhow::bail;
use residue_guard::adapter::{self, Host, Options, Ports, Rules, Status};
use residue_guard::negotiate::Offer;
use residue_guard::{Config, Policy as Unguarded};
use std::time::Duration;

/// Period of the live line.
const LIVE: Duration = Duration::from_secs(1);

/// Guards until interrupted, and prints the counts.
pub fn run(args: &RunArgs, output: &mut Output) -> anyhow::Result<()> {
    let options = options(args)?;
    let mut live = Live { json: args.json, before: None };
    let last = adapter::run(&options, |status| live.update(status, output))?;
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

fn options(args: &RunArgs) -> anyhow::Result<Options> {
    let ports: Result<Vec<Ports>, String> = args.ports.iter().map(|text| text.parse()).collect();
    let ports = ports.map_err(anyhow::Error::msg)?;
    if args.force && matches!(args.value, Value::Own(_)) {
        bail!("--force goes with `--value auto`; a named value needs no --force");
    }
    let host = Host::of(&args.interface)?;
    let value = match args.value {
        Value::Own(value) => value,
        Value::Auto if args.force || host.has_crc_instructions() => host.value,
        Value::Auto => bail!(
            "this CPU has no CRC instructions, so `--value auto` would guard nothing; use --force \
             to request value {} all the same",
            host.value
        ),
    };
    let policy = match args.policy {
        Policy::Prefer => Unguarded::Prefer,
        Policy::Require => Unguarded::Require,
    };
    let offer = Some(Offer { value, instead: host.value });
    Ok(Options {
        rules: Rules::new(&args.interface, &ports)?,
        config: Config { offer, policy, mss: args.mss, ..Config::default() },
        state: if args.no_state {
            None
        } else {
            args.state.clone().or_else(|| adapter::default_state(&args.interface))
        },
        every: if args.json { Duration::from_secs(args.every.into()) } else { LIVE },
    })
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
    let sum =
        |of: fn(&residue_guard::Received) -> u64| now.counters.received.iter().map(of).sum::<u64>();
    let bad = sum(residue_guard::Received::bad);
    let undetected = sum(|received| received.only_crc_bad);
    let lost: u64 = now.queues.iter().map(|queue| queue.full + queue.lost).sum();
    let style = if bad > 0 { styles.bad } else { styles.good };
    format!(
        "{} guarded, {rate:.0} packets/s, {cpu:.0} % CPU; {style}{bad} dropped, {undetected} \
         undetected by TCP{style:#}; {lost} lost",
        now.entries.established
    )
}
