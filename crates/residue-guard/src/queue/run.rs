//! The loop, which waits for packets, for status requests, and for the signal to end.

use super::client::{Judge, Queue, Verdict};
use super::door::{Door, Request};
use super::needs::{explain, must_be_free, queues};
use super::rules::{Installed, Rules};
use super::saved::Saved;
use super::status::Status;
use crate::config::{Config, Policy};
use crate::engine::{Action, Engine};
use crate::sys::interface::index;
use crate::sys::process::{
    Asked, NET_ADMIN, NET_RAW, asked, cpu_time, keep_capabilities, keep_precedence, signals,
    take_precedence,
};
use crate::sys::{packet_socket, send_packet, wait};
use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Number of batches after which other events are handled while packets keep coming.
const BATCHES: usize = 8;
/// Number of packets that may be forged, SYNs and others, that wait for a verdict.
const WAITING_SYNS: u32 = 1 << 14;
const WAITING_STRANGERS: u32 = 1 << 14;
/// Period of looking after the interface, the kernel's losses and the file of the state.
const TICK: Duration = Duration::from_millis(200);
/// Number of ticks after a loss of packets for which the guard has precedence over other programs:
/// 10 seconds. Always having it would delay the programs whose packets it passes.
const TICKS_OF_PRECEDENCE: u32 = 50;
/// Number of ticks without the interface after which the guard ends: it may be replaced.
const MOST_TICKS_WITHOUT: u32 = 10;
/// Longest time to wait for packets without sleeping.
const SPIN: Duration = Duration::from_micros(100);
/// The engine's time at the start of the process. Restored entries are older.
const EARLIER: Duration = Duration::from_secs(48 * 3600);
/// Number of destinations in a status.
const DESTINATIONS: usize = 64;

/// Options of a guard.
#[derive(Clone, Debug)]
pub struct Options {
    /// The packets to guard.
    pub rules: Rules,
    /// Configuration of the engine.
    pub config: Config,
    /// Interval of reports.
    pub every: Duration,
    /// File of the state, by which connections outlive the process.
    pub state: Option<PathBuf>,
}

struct Guard {
    engine: Engine,
    start: Instant,
    /// Time of the batch: the clock is not read for each packet.
    now: Duration,
    sent: u16,
    /// Sockets for the second parts of split segments, over IPv4 and IPv6.
    sockets: [Option<OwnedFd>; 2],
    interface: u32,
}

impl Guard {
    /// Sends the second part of the last segment, if there is one. It comes to the queue after the
    /// verdicts on the batch, which include the first part.
    fn send_rest(&mut self) {
        let Some(packet) = self.engine.rest() else { return };
        let version = packet[0] >> 4;
        let to = match version {
            4 => packet[16..].first_chunk::<4>().map(|&bytes| IpAddr::from(bytes)),
            _ => packet[24..].first_chunk::<16>().map(|&bytes| IpAddr::from(bytes)),
        };
        if let (Some(socket), Some(to)) = (&self.sockets[usize::from(version == 6)], to) {
            // Otherwise TCP retransmits it.
            let _ = send_packet(socket.as_fd(), packet, to, self.interface);
        }
    }
}

impl Judge for Guard {
    fn judge(&mut self, queue: u16, packet: &[u8]) -> Verdict<'_> {
        self.send_rest();
        let action = if queue == self.sent {
            self.engine.egress(packet, self.now)
        } else {
            self.engine.ingress(packet, self.now)
        };
        match action {
            Action::Pass => Verdict::Accept,
            Action::Replace(bytes) => Verdict::Replace(bytes),
            Action::Drop(_) => Verdict::Drop,
        }
    }
}

/// Guards until the process receives SIGINT, SIGTERM or SIGHUP, then removes its rules. Calls
/// `report` at the start and at intervals. Returns the last status. On SIGUSR1 it forgets the
/// destinations for which a value failed.
///
/// Packets have their own thread, which a slow `report` must not delay: it may print to a terminal
/// whose connection is guarded. Reports that come while it works are skipped.
///
/// The process drops all capabilities except `CAP_NET_ADMIN` and `CAP_NET_RAW`, for good.
///
/// # Errors
///
/// If the queues are unavailable, the rules cannot be installed or removed, another guard runs
/// here, or the interface disappears.
pub fn run(options: &Options, mut report: impl FnMut(&Status)) -> io::Result<Status> {
    let rules = &options.rules;
    let door = Door::open()?;
    must_be_free(rules.queues())?;
    // Before a second thread starts: signals would end it, and it would keep its capabilities.
    let signals = signals()?;
    let mut engine = Engine::new(options.config);
    let opened = options.state.as_deref().map(|path| Saved::open(path, &mut engine, EARLIER));
    let (saved, state_error) = opened.map_or((None, None), |(saved, error)| (Some(saved), error));
    // The queues come first, so that the rules have a listener.
    let queue = Queue::open(&[rules.sent, rules.received]).map_err(explain)?;
    let syns = Queue::open_for(&[rules.syns], WAITING_SYNS).map_err(explain)?;
    let strangers = Queue::open_for(&[rules.strangers], WAITING_STRANGERS).map_err(explain)?;
    let sockets = [4, 6].map(|version| packet_socket(version).ok());
    let installed = rules.install()?;
    keep_precedence();
    keep_capabilities(&[NET_ADMIN, NET_RAW])?;

    let guard = Guard {
        engine,
        start: Instant::now(),
        now: EARLIER,
        sent: rules.sent,
        sockets,
        interface: 0,
    };
    let work = Work {
        options,
        queue,
        unconfirmed: [syns, strangers],
        door,
        signals,
        installed,
        guard,
        saved,
        state_error,
        packets: 0,
        batches: 0,
        lost: [0; 2],
        precedence: 0,
        ticks_without: 0,
        is_busy: false,
    };
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
    /// Queues of packets that may be forged: SYNs, and segments without a socket.
    unconfirmed: [Queue; 2],
    door: Door,
    signals: File,
    installed: Installed,
    guard: Guard,
    saved: Option<Saved>,
    state_error: Option<String>,
    packets: u64,
    batches: u64,
    /// Packets that the kernel dropped before the guard saw them, without the forged ones, mostly,
    /// and with them.
    lost: [u64; 2],
    /// Number of ticks for which the guard still has precedence.
    precedence: u32,
    ticks_without: u32,
    /// Whether the last packets came within [`SPIN`].
    is_busy: bool,
}

impl Work<'_> {
    fn until_asked_to_end(mut self, reports: SyncSender<Status>) -> io::Result<Status> {
        let start = Instant::now();
        let (mut next_report, mut next_tick) = (start, start);
        loop {
            let now = Instant::now();
            if now >= next_tick {
                self.tick()?;
                next_tick = now + TICK;
            }
            if now >= next_report {
                // The receiver may still be busy with the previous one.
                let _ = reports.try_send(self.status());
                next_report = now + self.options.every;
            }
            let [syns, strangers] = &self.unconfirmed;
            let waited = [
                self.queue.as_fd(),
                syns.as_fd(),
                strangers.as_fd(),
                self.door.as_fd(),
                self.signals.as_fd(),
            ];
            let most = next_tick.min(next_report) - now;
            let [has_packets, has_syns, has_strangers, has_questions, is_asked] =
                wait(waited, most)?;
            self.is_busy = now.elapsed() < SPIN;
            if is_asked {
                match asked(&mut self.signals) {
                    Some(Asked::End) => break,
                    Some(Asked::Forget) => drop(self.guard.engine.forget()),
                    None => {}
                }
            }
            if has_questions {
                match self.door.step() {
                    Some(Request::Status) => {
                        let status = self.status();
                        self.door.answer(&status);
                    }
                    Some(Request::Forget) => self.door.answer(&self.guard.engine.forget()),
                    None => {}
                }
            }
            if has_packets {
                self.judge()?;
            }
            // A batch at a time, so that a flood does not delay established connections.
            for (at, is_ready) in [has_syns, has_strangers].into_iter().enumerate() {
                if is_ready {
                    self.guard.now = EARLIER + self.guard.start.elapsed();
                    self.packets += self.unconfirmed[at].batch(&mut self.guard)? as u64;
                    self.batches += 1;
                }
            }
        }
        let last = self.status();
        self.installed.remove()?;
        if let Some(saved) = &self.saved {
            // Without it, the next guard resumes fewer connections.
            let _ = saved.write(&self.guard.engine, self.guard.now);
        }
        Ok(last)
    }

    /// Looks after the interface, the kernel's losses and the file of the state.
    fn tick(&mut self) -> io::Result<()> {
        self.door.dismiss_late();
        let rules = &self.options.rules;
        self.guard.now = EARLIER + self.guard.start.elapsed();
        if let Some(index) = index(&rules.interface) {
            self.ticks_without = 0;
            self.guard.interface = index;
        } else {
            self.ticks_without += 1;
        }
        if self.ticks_without >= MOST_TICKS_WITHOUT {
            let words =
                format!("interface `{}` is gone; nothing is guarded any more", rules.interface);
            return Err(io::Error::new(io::ErrorKind::NotFound, words));
        }
        let mut lost = [0; 2];
        for queue in queues(rules.queues()) {
            let here = queue.full + queue.lost;
            lost[1] += here;
            lost[0] += if queue.number == rules.strangers { 0 } else { here };
        }
        if lost[0] != self.lost[0] {
            self.guard.engine.packets_were_lost(self.guard.now);
        }
        // The guard is too slow, or other programs have the CPUs.
        if lost != self.lost {
            take_precedence(true);
            self.precedence = TICKS_OF_PRECEDENCE;
        } else if self.precedence > 0 {
            self.precedence -= 1;
            if self.precedence == 0 {
                take_precedence(false);
            }
        }
        self.lost = lost;
        if let Some(saved) = &mut self.saved
            && let Err(error) = saved.update(&self.guard.engine, self.packets, self.guard.now)
        {
            self.state_error = Some(error.to_string());
        }
        Ok(())
    }

    fn judge(&mut self) -> io::Result<()> {
        for _ in 0..BATCHES {
            self.guard.now = EARLIER + self.guard.start.elapsed();
            let count = self.queue.batch(&mut self.guard)?;
            self.guard.send_rest();
            self.packets += count as u64;
            self.batches += u64::from(count > 0);
            // A smaller batch has emptied the queue.
            if count < Queue::BATCH && !self.spins()? {
                break;
            }
        }
        Ok(())
    }

    /// Waits for packets without sleeping, which would delay them by the time to wake up, if the
    /// last ones came soon enough for that. Other threads get the CPU meanwhile. Returns whether
    /// there are packets.
    fn spins(&mut self) -> io::Result<bool> {
        let start = Instant::now();
        while self.is_busy && start.elapsed() < SPIN {
            std::thread::yield_now();
            let queues = [self.queue.as_fd(), self.unconfirmed[0].as_fd()];
            match wait(queues, Duration::ZERO)? {
                [true, false] => return Ok(true),
                [false, false] => {}
                // SYNs have their turn.
                [_, true] => return Ok(false),
            }
        }
        self.is_busy = false;
        Ok(false)
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
            queues: queues(rules.queues()),
            entries: self.guard.engine.entries(),
            counters: *self.guard.engine.counters(),
            destinations: self.guard.engine.destinations(self.guard.now, DESTINATIONS),
            state: self.options.state.as_ref().map(|path| path.display().to_string()),
            state_error: self.state_error.clone(),
        }
    }
}
