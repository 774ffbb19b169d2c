//! The loop, which waits for packets, for status requests, and for the signal to end.

use super::host::{explain, must_be_free, queues};
use super::queue::{Judge, Queue, Verdict};
use super::rules::{Installed, Rules};
use super::status::{Status, answer, listen};
use super::sys::process::{NET_ADMIN, NET_RAW, cpu_time, end_signals, keep_capabilities};
use super::sys::wait;
use crate::config::{Config, Policy};
use crate::engine::{Action, Engine};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Number of batches after which other events are handled while packets keep coming.
const BATCHES: usize = 32;

/// Options of a guard.
#[derive(Clone, Debug)]
pub struct Options {
    /// The packets to guard.
    pub rules: Rules,
    /// Configuration of the engine.
    pub config: Config,
    /// Interval of reports.
    pub every: Duration,
}

struct Guard {
    engine: Engine,
    start: Instant,
    /// Time of the batch: the clock is not read for each packet.
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

/// Guards until the process receives SIGINT, SIGTERM or SIGHUP, then removes its rules. Calls
/// `report` at the start and at intervals. Returns the last status.
///
/// Packets have their own thread, which a slow `report` must not delay: it may print to a terminal
/// whose connection is guarded. Reports that come while it works are skipped.
///
/// The process drops all capabilities except `CAP_NET_ADMIN` and `CAP_NET_RAW`, for good.
///
/// # Errors
///
/// If the queues are unavailable, the rules cannot be installed or removed, or another guard runs
/// here.
pub fn run(options: &Options, mut report: impl FnMut(&Status)) -> io::Result<Status> {
    let numbers = [options.rules.sent, options.rules.received];
    let listener = listen()?;
    must_be_free(numbers)?;
    // Before a second thread starts: signals would end it, and it would keep its capabilities.
    let signals = end_signals()?;
    // The queues come first, so that the rules have a listener.
    let queue = Queue::open(&numbers).map_err(explain)?;
    let installed = options.rules.install()?;
    keep_capabilities(&[NET_ADMIN, NET_RAW])?;

    let guard = Guard {
        engine: Engine::new(options.config),
        start: Instant::now(),
        now: Duration::ZERO,
        received: options.rules.received,
    };
    let work = Work { options, queue, listener, signals, installed, guard, packets: 0, batches: 0 };
    let (sender, statuses) = sync_channel(1);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work.until_asked_to_end(sender));
        for status in statuses {
            report(&status);
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The state of the packet thread.
struct Work<'a> {
    options: &'a Options,
    queue: Queue,
    listener: UnixListener,
    signals: OwnedFd,
    installed: Installed,
    guard: Guard,
    packets: u64,
    batches: u64,
}

impl Work<'_> {
    fn until_asked_to_end(mut self, reports: SyncSender<Status>) -> io::Result<Status> {
        let mut next = Instant::now();
        loop {
            let now = Instant::now();
            if now >= next {
                // The receiver may still be busy with the previous one.
                let _ = reports.try_send(self.status());
                next = now + self.options.every;
            }
            let waited = [self.queue.as_fd(), self.listener.as_fd(), self.signals.as_fd()];
            let [has_packets, has_questions, ends] = wait(waited, next - now)?;
            if ends {
                break;
            }
            if has_questions {
                answer(&self.listener, &self.status());
            }
            if has_packets {
                self.judge()?;
            }
        }
        let last = self.status();
        self.installed.remove()?;
        Ok(last)
    }

    fn judge(&mut self) -> io::Result<()> {
        for _ in 0..BATCHES {
            self.guard.now = self.guard.start.elapsed();
            let count = self.queue.batch(&mut self.guard)?;
            if count == 0 {
                break;
            }
            self.packets += count as u64;
            self.batches += 1;
        }
        Ok(())
    }

    fn status(&self) -> Status {
        let Options { rules, config, .. } = self.options;
        Status {
            process: std::process::id(),
            interface: rules.interface.clone(),
            ports: rules.ports.iter().map(ToString::to_string).collect(),
            value: config.offer.map(|offer| offer.value),
            required: config.policy == Policy::Require,
            rules: self.installed.backend().map(|backend| backend.to_string()).unwrap_or_default(),
            uptime: self.guard.start.elapsed().as_secs_f64(),
            cpu_time: cpu_time().as_secs_f64(),
            packets: self.packets,
            batches: self.batches,
            queues: queues([rules.sent, rules.received]),
            entries: self.guard.engine.entries(),
            counters: *self.guard.engine.counters(),
        }
    }
}
