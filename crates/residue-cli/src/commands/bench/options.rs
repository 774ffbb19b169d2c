//! Options of several subcommands of `residue bench`.

use anyhow::Result;
use clap::{Args, ValueEnum};
use residue_bench::model::Statistic;

// The option `--pin`.
#[derive(Debug, Args)]
pub struct Pin {
    /// Pin to one core (Linux); without CORE, to the current one
    #[arg(long = "pin", value_name = "CORE", num_args = 0..=1, require_equals = true)]
    pub core: Option<Option<usize>>,
}

impl Pin {
    /// Pins this process, if asked to.
    pub fn apply(&self) -> Result<()> {
        match self.core {
            None => Ok(()),
            Some(core) => Ok(residue_bench::pin(core)?),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatisticName {
    /// Median of the undisturbed calls
    Median,
    /// Mean of all calls, as in the thesis
    Mean,
}

impl StatisticName {
    pub fn get(self) -> Statistic {
        match self {
            StatisticName::Median => Statistic::Median,
            StatisticName::Mean => Statistic::Mean,
        }
    }
}

/// Returns the parser of `--samples`.
pub fn samples() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=10_000_000)
}
