//! The load by other programs: whether this thread left its core, and how busy the machine was.

use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The share of the time that other programs took during a run, each 0 to 1; 0 where the operating
/// system does not show it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Load {
    /// The share of time spent waiting for a core that another thread had.
    pub waited: f64,
    /// The share of time taken from the cores of a virtual machine by its host.
    pub stolen: f64,
}

impl Load {
    /// Returns the higher shares of both.
    #[must_use]
    pub fn max(self, other: Load) -> Load {
        Load { waited: self.waited.max(other.waited), stolen: self.stolen.max(other.stolen) }
    }

    /// Returns the reasons not to trust figures measured under this load.
    pub(crate) fn reasons(self) -> Vec<String> {
        let Load { waited, stolen } = self;
        let mut reasons = Vec::new();
        if waited > TOO_BUSY {
            reasons
                .push(format!("the benchmark waited for a core {} of the time", percent(waited)));
        }
        if stolen > TOO_BUSY {
            reasons.push(format!("the host of this virtual machine took {}", percent(stolen)));
        }
        reasons
    }

    /// Returns one sentence if figures measured under this load cannot be trusted.
    #[must_use]
    pub fn too_busy(self) -> Option<String> {
        warning(&self.reasons())
    }
}

/// Counts how often this thread has been moved off its core.
///
/// Counts nothing where there is no `/proc`.
pub struct Watch {
    #[cfg(unix)]
    schedstat: Option<std::fs::File>,
    start: Instant,
    waited: u64,
    cpus: Option<Cpus>,
}

impl Watch {
    /// Starts counting for this thread.
    #[must_use]
    pub fn start() -> Watch {
        let mut watch = Watch {
            // Opened, it stays this thread's.
            #[cfg(unix)]
            schedstat: std::fs::File::open("/proc/thread-self/schedstat").ok(),
            start: Instant::now(),
            waited: 0,
            cpus: Cpus::now(),
        };
        watch.waited = watch.turns().0;
        watch
    }

    /// Returns the nanoseconds spent waiting for a core, and the turns on one; zeros if unknown.
    pub(super) fn turns(&self) -> (u64, u64) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileExt;
            let mut text = [0; 96];
            let read = self.schedstat.as_ref().and_then(|file| file.read_at(&mut text, 0).ok());
            read.and_then(|length| schedstat(&text[..length])).unwrap_or_default()
        }
        #[cfg(not(unix))]
        Default::default()
    }

    /// Returns the load since the start.
    #[must_use]
    pub fn load(&self) -> Load {
        let elapsed = self.start.elapsed().as_nanos().max(1) as f64;
        let waited = self.turns().0.saturating_sub(self.waited) as f64 / elapsed;
        let stolen =
            self.cpus.zip(Cpus::now()).map_or(0.0, |(first, last)| first.taken(last).stolen);
        Load { waited: waited.min(1.0), stolen }
    }
}

/// Parses the time waiting and the number of turns, the second and third field of `schedstat`.
#[cfg(any(unix, test))]
fn schedstat(text: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(text).ok()?;
    let mut fields = text.split_whitespace().map(str::parse);
    let (_, waited, turns) = (fields.next()?, fields.next()?.ok()?, fields.next()?.ok()?);
    Some((waited, turns))
}

/// The work of all CPUs since they started, in ticks of the operating system.
#[derive(Debug, Clone, Copy)]
pub struct Cpus {
    all: u64,
    idle: u64,
    stolen: u64,
    own: u64,
}

impl Cpus {
    /// Reads the work, where `/proc` shows it.
    #[must_use]
    pub fn now() -> Option<Cpus> {
        let read = |path| std::fs::read_to_string(path).ok();
        Cpus::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    fn parse(stat: &str, own: &str) -> Option<Cpus> {
        let first = stat.lines().next()?.strip_prefix("cpu ")?;
        // Guests' time, after the eighth field, is part of the user time as well.
        let ticks: Vec<u64> = first.split_whitespace().flat_map(str::parse).take(8).collect();
        let [_, _, _, idle, waiting, _, _, stolen] = ticks[..] else { return None };
        // After the name, which may hold anything, the state is field 3; user and system time are
        // fields 14 and 15.
        let fields: Vec<&str> = own.rsplit_once(')')?.1.split_whitespace().collect();
        let own = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Cpus { all: ticks.iter().sum(), idle: idle + waiting, stolen, own })
    }

    /// Returns the share of the CPUs that was taken until `later`.
    #[must_use]
    pub fn taken(self, later: Cpus) -> Taken {
        let since = |of: fn(&Cpus) -> u64| of(&later).saturating_sub(of(&self));
        let (all, stolen) = (since(|cpus| cpus.all), since(|cpus| cpus.stolen));
        let others = all.saturating_sub(since(|cpus| cpus.idle) + since(|cpus| cpus.own) + stolen);
        let share = |ticks: u64| ticks as f64 / all.max(1) as f64;
        Taken { others: share(others), stolen: share(stolen) }
    }
}

/// The share of all CPUs that this program did not have, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    /// The share that other programs took.
    pub others: f64,
    /// The share that the host of a virtual machine took.
    pub stolen: f64,
}

impl Taken {
    /// Returns whether figures can be trusted.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.others + self.stolen < TOO_BUSY
    }
}

/// The share of time lost from which figures are not to be trusted: caches and clock are shared as
/// well, and that shows in no counter.
const TOO_BUSY: f64 = 0.05;

/// Returns a share as whole percents.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Returns the sentence on a machine that is too busy for these reasons, if there are any.
pub(crate) fn warning(reasons: &[String]) -> Option<String> {
    (!reasons.is_empty()).then(|| {
        format!(
            "Too busy a machine to trust these figures: {}. Repeat it on an idle one.",
            reasons.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_the_operating_system_are_read() {
        assert_eq!(schedstat(b"1246184 5021 17\n"), Some((5021, 17)));
        for odd in [&b""[..], b"1 2", b"1 x 3", b"\xff 1 1"] {
            assert_eq!(schedstat(odd), None);
        }
        let watch = Watch::start();
        assert!((0.0..=1.0).contains(&watch.load().waited));
    }

    #[test]
    fn what_others_took_is_counted() {
        let cpus = |stat: &str, own: &str| Cpus::parse(stat, own).unwrap();
        let own = "1 (a) b) R 1 1 1 1 1 1 1 1 1 1";
        let before = cpus("cpu  10 0 10 100 0 0 0 0 7 7\ncpu0 1", &format!("{own} 7 3 0"));
        let later = |stat: &str| cpus(stat, &format!("{own} 90 10 0"));
        let quiet = before.taken(later("cpu  100 0 10 200 8 0 0 2 9 9\n"));
        assert_eq!(quiet, Taken { others: 0.0, stolen: 0.01 });
        let busy = before.taken(later("cpu  150 0 20 200 0 0 0 50 0 0"));
        assert_eq!(busy, Taken { others: 60.0 / 300.0, stolen: 50.0 / 300.0 });
        assert!(quiet.is_quiet() && !busy.is_quiet());
        assert_eq!(later("cpu  9 0 9 9 0 0 0 9 0 0").taken(before).stolen, 0.0);
        for (stat, of) in
            [("intr 1 2 3", own), ("cpu 1 2", own), ("cpu  1 1 1 1 1 1 1 1", "1 (a) R")]
        {
            assert!(Cpus::parse(stat, of).is_none());
        }
    }
}
