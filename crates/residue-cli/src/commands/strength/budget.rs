//! The limits of a command: time, memory, and Ctrl-C.

use crate::lengths;
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use clap::Args;
use indicatif::HumanBytes;
use residue_report::number::duration;
use residue_strength::Effort;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The least memory that --memory takes.
const LEAST: u64 = 16 << 20;

// The limits of a command's work.
#[derive(Debug, Args)]
pub struct Budget {
    /// Time limit, to some seconds; figures that would take longer remain bounds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub patience: u32,
    /// Memory limit for tables, as 500M or 4GiB; figures that would need more remain bounds
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = memory)]
    pub memory: u64,
    /// Start of the command, whose steps share the limit.
    #[arg(skip = Instant::now())]
    pub since: Instant,
}

fn memory(text: &str) -> Result<u64, String> {
    match lengths::bytes(text)? {
        memory @ LEAST.. => Ok(memory),
        _ => Err(format!("too little: give {} or more", HumanBytes(LEAST))),
    }
}

impl Budget {
    /// Does `work` with a progress bar, announced if it may take more than a second.
    ///
    /// Ctrl-C ends it as the time limit does, and a second one ends the program.
    pub fn work<T>(
        &self,
        output: &mut Output,
        what: &'static str,
        seconds: impl FnOnce(&Effort<'_>) -> f64,
        work: impl FnOnce(&Effort<'_>) -> T,
    ) -> anyhow::Result<T> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let done = Arc::new(AtomicBool::new(false));
        // In this order: the first Ctrl-C finds the flag unset, and sets it.
        for flag in [&interrupted, &done] {
            let code = Outcome::Interrupted.code();
            flag::register_conditional_shutdown(SIGINT, code.into(), Arc::clone(flag))?;
        }
        flag::register(SIGINT, Arc::clone(&interrupted))?;
        let limit = Duration::from_secs(self.patience.into());
        let goes_on = |_| !interrupted.load(Ordering::Relaxed) && self.since.elapsed() < limit;
        let effort = Effort { spend: &goes_on, memory: self.memory, ..Effort::new() };
        let effort = effort.within(self.patience);
        let seconds = seconds(&effort);
        // Work that is refused for taking too long is not announced.
        if seconds > 1.0 && seconds.is_finite() {
            output.complain(&format!(
                "{what}, which may take {} and up to {} of memory",
                duration(seconds.min(self.patience.into())),
                HumanBytes(self.memory)
            ));
            output.progress = Progress::until(what);
        }
        let progress = output.progress.clone();
        let shown = |_, _| progress.set(self.since.elapsed().as_secs(), limit.as_secs());
        let result = work(&Effort { tell: &shown, ..effort });
        output.progress.clear();
        if interrupted.load(Ordering::Relaxed) {
            output.found(Outcome::Interrupted);
            output.complain("interrupted: figures that were not settled remain bounds");
        }
        // What is left is to print: Ctrl-C ends the program again.
        done.store(true, Ordering::Relaxed);
        Ok(result)
    }
}
