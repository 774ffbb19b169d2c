//! The contenders of one cell side by side. [`residue_bench::harness`] times them: in rounds, each
//! in an order of its own, of which the quiet third counts.

use crate::contender::Contender;
use crate::model::{Cell, Mode};
use residue_bench::clock::Clock;
use residue_bench::harness::{Rounds, Time, Timed};

/// The contenders for one code, mode and size.
pub struct Race<'a> {
    /// The code's name.
    pub code: &'static str,
    /// The mode in which calls are timed.
    pub mode: Mode,
    /// The cells' size.
    pub size: usize,
    /// The bytes that a time is for, on average.
    pub bytes: f64,
    /// The number of packets in a call of a batch; each time is for one.
    pub parts: usize,
    /// The names and versions of those who take part, in the order of the rounds.
    names: Vec<(&'static str, String)>,
    rounds: Rounds<'a>,
    /// The least ticks of a core cycle after a run.
    pace: f64,
}

/// One who takes part.
pub struct Runner<'a> {
    name: &'static str,
    version: String,
    timed: Timed<'a>,
}

impl<'a> Runner<'a> {
    /// Creates a runner: `contender`, or another use of it, called `name`.
    #[must_use]
    pub fn new(contender: &Contender, name: &'static str, timed: Timed<'a>) -> Runner<'a> {
        Runner { name, version: contender.version(), timed }
    }
}

impl<'a> Race<'a> {
    /// Creates a race of calls of one size. All in `group` have one code.
    #[must_use]
    pub fn new(group: &[Contender], mode: Mode, size: usize, runners: Vec<Runner<'a>>) -> Race<'a> {
        let code = group.first().map_or("", |contender| contender.code);
        let (names, timed): (Vec<_>, Vec<_>) =
            runners.into_iter().map(|one| ((one.name, one.version), one.timed)).unzip();
        let rounds = Rounds::new(timed, mode.differs());
        Race { code, mode, size, bytes: size as f64, parts: 1, names, rounds, pace: f64::INFINITY }
    }

    /// Returns whether there are two to compare.
    #[must_use]
    pub fn is_race(&self) -> bool {
        self.names.len() > 1
    }

    /// Makes one run of so many rounds.
    pub fn run(&mut self, rounds: usize, clock: &Clock) {
        self.rounds.run(rounds, clock);
        self.pace = (0..3).map(|_| clock.pace()).fold(self.pace, f64::min);
    }

    /// Returns the results.
    #[must_use]
    pub fn cells(self, clock: &Clock) -> Vec<Cell> {
        let (times, parts) = (self.rounds.times(clock), self.parts as f64);
        let ghz = self.pace.is_normal().then(|| 1.0 / clock.ns(self.pace));
        let cell = |((name, version), time): ((&str, String), Time)| Cell {
            code: self.code.to_string(),
            mode: self.mode,
            size: self.size,
            contender: name.to_string(),
            version,
            bytes: self.bytes,
            ns: time.ns / parts,
            quartiles: time.quartiles.map(|ns| ns / parts),
            rounds: time.rounds,
            ghz,
        };
        self.names.into_iter().zip(times).map(cell).collect()
    }
}
