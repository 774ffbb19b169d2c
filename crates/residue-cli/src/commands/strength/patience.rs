//! The time limit of a command.

use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_report::number::duration;
use residue_strength::Effort;
use std::time::{Duration, Instant};

/// The time limit of a command.
#[derive(Debug, Args)]
pub struct Patience {
    /// Time limit, to some seconds; figures that would take longer remain bounds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub patience: u32,
    /// Start of the command, whose steps share the limit.
    #[arg(skip = Instant::now())]
    pub since: Instant,
}

impl Patience {
    /// Does `work` with a progress bar, announced if it may take more than a second.
    pub fn work<T>(
        &self,
        output: &mut Output,
        what: &'static str,
        seconds: impl FnOnce(&Effort<'_>) -> f64,
        work: impl FnOnce(&Effort<'_>) -> T,
    ) -> T {
        let end = self.since + Duration::from_secs(self.patience.into());
        let in_time = |_| Instant::now() < end;
        let effort = Effort { spend: &in_time, ..Effort::new().within(self.patience) };
        let seconds = seconds(&effort);
        // Work that is refused for taking too long is not announced.
        if seconds > 1.0 && seconds.is_finite() {
            let seconds = seconds.min(self.patience.into());
            output.complain(&format!("{what}, which may take {}", duration(seconds)));
            output.progress = Progress::of(what);
        }
        let progress = output.progress.clone();
        let result = work(&Effort { tell: &|done, of| progress.set(done, of), ..effort });
        output.progress.clear();
        result
    }
}
