//! The loop: one thread, which waits for packets, for those who ask for the status, and for the signal to end.

use super::host::{explain, must_be_free, queues};
use super::queue::{Judge, Queue, Verdict};
use super::rules::{Installed, Rules};
use super::status::{Status, answer, listen};
use super::sys::process::{NET_ADMIN, NET_RAW, cpu_time, end_signals, keep_capabilities};
use super::sys::wait;
use crate::config::{Config, Policy};
use crate::engine::{Action, Engine};
use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

/// While packets keep coming, other things are looked at after so many batches.
const BATCHES: usize = 32;

/// What to guard, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which packets.
    pub rules: Rules,
    /// The engine's configuration.
    pub config: Config,
    /// How often to report.
    pub every: Duration,
}

struct Guard {
    engine: Engine,
    start: Instant,
    /// Once a batch: the clock is not read for each packet.
    now: Duration,
    received: u16,
}

impl Judge for Guard {
    fn judge(&mut self, queue: u16, packet: &[u8]) -> Verdict<'_> {
        let action = if queue == self.received {
            self.engine.ingress(packet, self.now)
        } else {
            self.engine.egress(packet, self.now)
        };
        match action {
            Action::Pass => Verdict::Accept,
            Action::Replace(bytes) => Verdict::Replace(bytes),
            Action::Drop(_) => Verdict::Drop,
        }
    }
}

/// Guards until the process is asked to end (SIGINT, SIGTERM or SIGHUP), and takes its rules away. `report` is called at the
/// start and then every so often. Returns the last status.
///
/// The process gives up its capabilities but `CAP_NET_ADMIN` and `CAP_NET_RAW`, and never gets others.
///
/// # Errors
///
/// The queues cannot be had, the rules cannot be installed or removed, or another guard runs here.
pub fn run(options: &Options, mut report: impl FnMut(&Status)) -> io::Result<Status> {
    let Options { rules, config, every } = options;
    let numbers = [rules.sent, rules.received];
    let listener = listen()?;
    must_be_free(numbers)?;
    let signals = end_signals()?;
    // The queues first: the rules must not wait for a listener.
    let mut queue = Queue::open(&numbers).map_err(explain)?;
    let installed = rules.install()?;
    keep_capabilities(&[NET_ADMIN, NET_RAW])?;

    let start = Instant::now();
    let engine = Engine::new(*config);
    let mut guard = Guard { engine, start, now: Duration::ZERO, received: rules.received };
    let (mut packets, mut batches) = (0, 0);
    let status = |guard: &Guard, installed: &Installed, packets, batches| Status {
        process: std::process::id(),
        interface: rules.interface.clone(),
        ports: rules.ports.iter().map(ToString::to_string).collect(),
        value: config.offer.map(|offer| offer.value),
        required: config.policy == Policy::Require,
        rules: installed.backend().map(|backend| backend.to_string()).unwrap_or_default(),
        uptime: guard.start.elapsed().as_secs_f64(),
        cpu_time: cpu_time().as_secs_f64(),
        packets,
        batches,
        queues: queues(numbers),
        entries: guard.engine.entries(),
        counters: *guard.engine.counters(),
    };
    let mut next = start;
    loop {
        let now = Instant::now();
        if now >= next {
            report(&status(&guard, &installed, packets, batches));
            next = now + *every;
        }
        let left = next.saturating_duration_since(now);
        let [has_packets, has_questions, ends] =
            wait([queue.as_fd(), listener.as_fd(), signals.as_fd()], left)?;
        if ends {
            break;
        }
        if has_questions {
            answer(&listener, &status(&guard, &installed, packets, batches));
        }
        if !has_packets {
            continue;
        }
        for _ in 0..BATCHES {
            guard.now = start.elapsed();
            let count = queue.batch(&mut guard)?;
            if count == 0 {
                break;
            }
            packets += count as u64;
            batches += 1;
        }
    }
    let last = status(&guard, &installed, packets, batches);
    installed.remove()?;
    Ok(last)
}
