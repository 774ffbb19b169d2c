//! Measures the known polynomials on made data, and prints those that do worse than on uniform
//! data: `src/answers/advise/measured.csv`.

use residue_strength::Generator;
use residue_strength::advise::measured::{Measured, WIDEST, measure};

/// Trials of each kind of damage and data, in each run.
const TRIALS: u64 = 100_000;
/// The seeds of the runs.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

fn main() -> Result<(), residue_strength::Error> {
    let all: Vec<Generator> =
        Generator::known().into_iter().filter(|generator| generator.width() <= WIDEST).collect();
    let mut worst: Vec<Option<Measured>> = vec![None; all.len()];
    for seed in SEEDS {
        for (worst, found) in worst.iter_mut().zip(measure(&all, TRIALS, seed)?) {
            let share = |one: &Option<Measured>| one.as_ref().map_or(0.0, |one| one.share);
            if share(&found) > share(worst) {
                *worst = found;
            }
        }
    }
    println!("width,koopman,share,undetected,trials,damage,data");
    for (generator, worst) in all.iter().zip(worst) {
        if let Some(Measured { share, undetected, trials, damage, data }) = worst {
            let (width, koopman) = (generator.width(), generator.koopman());
            println!("{width},{koopman:x},{share:.2e},{undetected},{trials},{damage},{data}");
        }
    }
    Ok(())
}
