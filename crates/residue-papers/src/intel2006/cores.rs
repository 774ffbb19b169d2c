//! The receive path on all cores at once, each with a connection of its own (the white paper's
//! conclusion).

use super::{Bench, LONGEST_DATA, Separate, receive_all};
use residue::internals::CRC_32C;
use residue_bench::clock::Clock;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// The time for which PDUs are counted.
const TIME: Duration = Duration::from_millis(10);

/// Returns how many times as many PDUs of 8 KiB all cores receive together as one alone, divided by
/// the number of cores, and that number; `None` on one core, or where cores are not known.
pub(crate) fn scaling(clock: &Clock) -> Option<(usize, f64)> {
    let cores = cores();
    let count = cores.len();
    if count < 2 {
        return None;
    }
    let alone: f64 = rates(&cores[..1], clock)?.iter().sum();
    let together: f64 = rates(&cores, clock)?.iter().sum();
    (alone > 0.0).then(|| (count, together / alone / count as f64))
}

/// Returns a CPU of each core: threads of one core share its units.
fn cores() -> Vec<usize> {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let siblings = |cpu: &usize| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        std::fs::read_to_string(path).ok()
    };
    let mut seen: Vec<String> = Vec::new();
    let is_new = |cpu: &usize| match siblings(cpu) {
        Some(list) if !seen.contains(&list) => {
            seen.push(list);
            true
        }
        _ => false,
    };
    (0..count).filter(is_new).collect()
}

/// Receives on each of the CPUs at once, and returns the PDUs a second of each.
fn rates(cpus: &[usize], clock: &Clock) -> Option<Vec<f64>> {
    let kernel = CRC_32C.iter().find(|kernel| kernel.info().name == "slicing8");
    let kernel = kernel.and_then(|kernel| kernel.force())?;
    // Every thread reaches it.
    let barrier = Barrier::new(cpus.len());
    let receive = |cpu: usize| {
        let pinned = residue_bench::pin(Some(cpu)).is_ok();
        let work = Separate(kernel);
        let mut bench = Bench::new(LONGEST_DATA, clock);
        barrier.wait();
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed() < TIME {
            count += receive_all(&mut bench, &work)?;
        }
        pinned.then(|| count as f64 / start.elapsed().as_secs_f64())
    };
    std::thread::scope(|scope| {
        let receive = &receive;
        let threads: Vec<_> = cpus.iter().map(|&cpu| scope.spawn(move || receive(cpu))).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cores_receive() {
        assert!(
            scaling(&Clock::NANOSECONDS)
                .is_none_or(|(cores, per_core)| { cores > 1 && per_core > 0.0 })
        );
    }
}
