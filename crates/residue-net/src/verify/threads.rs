//! Verification on several threads, with the results of one.
//!
//! Each thread reads a block of the capture, finds the packets that begin in it, and judges them:
//! so bytes stay in the cache of one core. The threads take turns only to find packets, because
//! where one begins depends on those before; and to read, if the capture can only be read from its
//! start on, as a pipe or compressed data.
//!
//! Most packets are independent: all their values are good, absent or unverifiable, and only their
//! count matters to later ones. They are judged once and counted. All others are judged again by
//! the calling thread, in the order of the capture: packets with values from which causes are
//! learnt, fragments, segments of streams, requests of connections, and packets that are not
//! followed.
//!
//! What the calling thread remembers may change the verdicts on later packets ([`Dependencies`]).
//! If it begins to remember something while others judge ahead, their packets are judged again.

use super::plain::{self, Right};
use super::totals::{AnyReader, Read, Totals};
use super::verifier::{Verifier, walked};
use crate::Error;
use crate::agreements::Agreements;
use crate::buffer::{Buffer, Finding};
use crate::check::{Protocol, Reason, Verdict};
use crate::diagnose::{Addresses, Diagnosis};
use crate::frame::Found;
use crate::pcap::Packet;
use crate::pcap::batch::Batch;
use crate::pcap::blocks::Blocks;
use crate::summary::{Protocols, Summary};
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

/// What the packets so far change for later ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Dependencies {
    /// Something is known of connections, on which TCP segments depend.
    connections: bool,
    /// Values that are cut short may explain others.
    cut: bool,
    /// Values that are right may explain others; causes are learnt from the first of them.
    right: bool,
}

/// A batch, and what its packets show by themselves.
struct Judged {
    /// Number of the batch, from 0.
    number: u64,
    /// The thread that judges with it, whose cache has its memory.
    owner: usize,
    batch: Batch,
    dependencies: Dependencies,
    totals: Totals,
    counts: Protocols,
    /// Places of the packets to judge in order, which are not counted.
    in_order: Vec<usize>,
}

/// Judges packets by themselves.
#[derive(Default)]
struct Judge {
    found: Found,
    agreements: Agreements,
    verdicts: Vec<(&'static Protocol, Verdict)>,
    /// Addresses of the counted packets.
    addresses: Addresses,
    /// Right values that are not counted elsewhere yet.
    plain: plain::Numbers,
}

impl Judge {
    /// Judges the packets of a batch.
    fn batch(&mut self, judged: &mut Judged, dependencies: Dependencies) {
        let Judged { batch, totals, counts, in_order, .. } = judged;
        (judged.dependencies, *totals) = (dependencies, Totals::default());
        counts.clear();
        in_order.clear();
        for (place, packet) in batch.packets().enumerate() {
            totals.add(&packet);
            if !self.counts(&packet, dependencies, counts) {
                in_order.push(place);
            }
        }
        self.plain.flush(counts);
    }

    /// Counts the verdicts on a packet, those on plain ones in `self`; `false` if it must be judged
    /// in order.
    #[inline]
    fn counts(
        &mut self,
        packet: &Packet<'_>,
        dependencies: Dependencies,
        counts: &mut Protocols,
    ) -> bool {
        if !dependencies.right
            && let Some(right) = Right::of(packet, !dependencies.connections)
        {
            self.plain.add(&right);
            self.addresses.learn_pair(packet.number, right.addresses);
            return true;
        }
        self.walk(packet, dependencies, counts)
    }

    /// Counts the verdicts on any packet, as [`Judge::counts`].
    #[inline(never)]
    fn walk(
        &mut self,
        packet: &Packet<'_>,
        dependencies: Dependencies,
        counts: &mut Protocols,
    ) -> bool {
        let Judge { found, agreements, verdicts, addresses, .. } = self;
        let buffer = walked(packet, found, agreements);
        if agreements.know_any() {
            *agreements = Agreements::default();
            return false;
        }
        let is_segment = std::mem::take(&mut agreements.are_asked);
        let Found { fragments, segments, unfollowed, .. } = buffer.found;
        if is_segment && dependencies.connections
            || !(fragments.is_empty() && segments.is_empty() && unfollowed.is_empty())
        {
            return false;
        }
        verdicts.clear();
        for finding in buffer.findings() {
            let is_counted = match finding.verdict {
                Verdict::Good => !dependencies.right,
                Verdict::Absent => true,
                Verdict::Unverifiable(reason) => reason != Reason::Cut || !dependencies.cut,
                Verdict::Bad | Verdict::Offloaded | Verdict::Illegal | Verdict::LengthConflict => {
                    false
                }
            };
            if !is_counted {
                return false;
            }
            verdicts.push((finding.check.protocol, finding.verdict));
        }
        for &(protocol, verdict) in &*verdicts {
            counts.add(protocol, verdict);
        }
        for check in &buffer.found.checks {
            addresses.learn(&Finding { buffer: &buffer, check, verdict: Verdict::Good });
        }
        true
    }
}

/// The state that the threads share.
struct Shared<'r> {
    source: Mutex<Source<'r>>,
    /// The blocks of the source, if it has any.
    blocks: Option<Blocks>,
    /// Number of blocks that were or are being read.
    begun: AtomicU64,
    /// Number of batches so far, to be looked at without the source.
    batches: AtomicU64,
    /// Notified of each batch, and of the end.
    turned: Condvar,
    spare: Mutex<Spare>,
    given_back: Condvar,
    connections: AtomicBool,
    cut: AtomicBool,
    right: AtomicBool,
}

/// The capture.
struct Source<'r> {
    reader: AnyReader<'r>,
    /// Number of batches so far.
    batches: u64,
    ended: bool,
    error: Option<Error>,
    /// Number of threads that wait for their turn.
    waiting: usize,
}

impl Source<'_> {
    /// Stores the result of reading a batch; returns its number.
    fn read(&mut self, result: Result<bool, Error>) -> u64 {
        match result {
            Ok(more) => self.ended = !more,
            Err(error) => (self.ended, self.error) = (true, Some(error)),
        }
        self.batches += 1;
        self.batches - 1
    }
}

/// Batches that are not in use, by owner. Their number limits the memory.
struct Spare {
    batches: Vec<Vec<Judged>>,
    /// Number of threads that wait for one.
    waiting: usize,
    /// Whether no more batches are needed.
    closed: bool,
}

/// The calling thread, as an owner of batches.
const MAIN: usize = 0;
/// Number of batches of a thread: one that it judges, and others that wait for the calling thread.
const BATCHES: usize = 3;

/// Locks what no thread leaves half changed, even if it panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often to look for what another thread does while it reads: to sleep and to be woken takes
/// longer.
const LOOKS: usize = 1000;

/// Locks as [`lock`], after some looks at the lock.
fn lock_soon<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..LOOKS {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    lock(mutex)
}

impl<'r> Shared<'r> {
    fn new(mut reader: AnyReader<'r>, threads: usize) -> Self {
        let blocks = reader.blocks();
        let empty = |owner| Judged {
            number: 0,
            owner,
            batch: reader.empty_batch(),
            dependencies: Dependencies::default(),
            totals: Totals::default(),
            counts: Protocols::default(),
            in_order: Vec::new(),
        };
        let each = |owner| (0..BATCHES).map(|_| empty(owner)).collect();
        let batches = (0..threads).map(each).collect();
        let spare = Spare { batches, waiting: 0, closed: false };
        Shared {
            source: Mutex::new(Source {
                reader,
                batches: 0,
                ended: false,
                error: None,
                waiting: 0,
            }),
            blocks,
            begun: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            turned: Condvar::new(),
            spare: Mutex::new(spare),
            given_back: Condvar::new(),
            connections: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            right: AtomicBool::new(false),
        }
    }

    /// Waits for a spare batch of a thread; `None` if no more are needed.
    fn take(&self, owner: usize) -> Option<Judged> {
        let mut spare = lock(&self.spare);
        loop {
            if spare.closed {
                return None;
            }
            match spare.batches[owner].pop() {
                Some(batch) => return Some(batch),
                None => {
                    spare.waiting += 1;
                    spare = self.given_back.wait(spare).unwrap_or_else(PoisonError::into_inner);
                    spare.waiting -= 1;
                }
            }
        }
    }

    fn give_back(&self, batch: Judged) {
        let mut spare = lock(&self.spare);
        spare.batches[batch.owner].push(batch);
        if spare.waiting > 0 {
            self.given_back.notify_all();
        }
    }

    fn close(&self) {
        lock(&self.spare).closed = true;
        self.given_back.notify_all();
        lock(&self.source).ended = true;
        self.turned.notify_all();
    }

    /// Reads the next batch; `false` if there is none.
    fn read(&self, judged: &mut Judged) -> bool {
        if let Some(blocks) = &self.blocks {
            return self.read_block(blocks, judged);
        }
        let source = &mut *lock_soon(&self.source);
        if source.ended {
            return false;
        }
        let result = source.reader.batch(&mut judged.batch);
        judged.number = source.read(result);
        true
    }

    /// Reads the next block; finds the packets in it when those of all blocks before it are found.
    fn read_block(&self, blocks: &Blocks, judged: &mut Judged) -> bool {
        judged.number = self.begun.fetch_add(1, Ordering::Relaxed);
        blocks.read(judged.number, &mut judged.batch);
        for _ in 0..LOOKS {
            if self.batches.load(Ordering::Relaxed) == judged.number {
                break;
            }
            std::hint::spin_loop();
        }
        let mut source = lock(&self.source);
        while source.batches < judged.number && !source.ended {
            source.waiting += 1;
            source = self.turned.wait(source).unwrap_or_else(PoisonError::into_inner);
            source.waiting -= 1;
        }
        if source.ended {
            return false;
        }
        let result = source.reader.batch_of(blocks, judged.number, &mut judged.batch);
        source.read(result);
        self.batches.store(source.batches, Ordering::Relaxed);
        if source.waiting > 0 {
            self.turned.notify_all();
        }
        true
    }

    fn dependencies(&self) -> Dependencies {
        let read = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        Dependencies {
            connections: read(&self.connections),
            cut: read(&self.cut),
            right: read(&self.right),
        }
    }

    fn set(&self, dependencies: Dependencies) {
        self.connections.store(dependencies.connections, Ordering::Relaxed);
        self.cut.store(dependencies.cut, Ordering::Relaxed);
        self.right.store(dependencies.right, Ordering::Relaxed);
    }

    /// Judges batches until none is left; returns the addresses in them.
    fn help(&self, owner: usize, results: &Sender<Judged>) -> Addresses {
        let _closing = Closing(self);
        let mut judge = Judge::default();
        while let Some(mut judged) = self.take(owner) {
            if !self.read(&mut judged) {
                break;
            }
            judge.batch(&mut judged, self.dependencies());
            if results.send(judged).is_err() {
                break;
            }
        }
        judge.addresses
    }
}

/// Lets the other threads end if this one panics: they may wait for what it holds.
struct Closing<'a, 'r>(&'a Shared<'r>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

/// The thread that judges in order.
struct Main<'a, 'r> {
    shared: &'a Shared<'r>,
    verifier: Verifier,
    summary: Option<&'a mut Summary>,
    each: &'a mut dyn FnMut(&Buffer<'_>),
    totals: Totals,
}

impl Main<'_, '_> {
    /// Reads and judges all batches with the help of others; returns the addresses in its own.
    fn work(&mut self, results: &Receiver<Judged>) -> Addresses {
        let _closing = Closing(self.shared);
        let shared = self.shared;
        let mut judge = Judge::default();
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut are_helped = true;
        loop {
            waiting.extend(results.try_iter().map(|judged| (judged.number, judged)));
            while let Some(judged) = waiting.remove(&next) {
                self.settle(&judged);
                next += 1;
                shared.give_back(judged);
            }
            let mut spare = lock(&shared.spare).batches[MAIN].pop();
            if let Some(judged) = &mut spare
                && shared.read(judged)
            {
                judge.batch(judged, shared.dependencies());
                waiting.extend(spare.map(|judged| (judged.number, judged)));
                continue;
            }
            spare.into_iter().for_each(|judged| shared.give_back(judged));
            let source = lock(&shared.source);
            if source.ended && source.batches == next || !are_helped {
                break;
            }
            drop(source);
            match results.recv() {
                Ok(judged) => drop(waiting.insert(judged.number, judged)),
                Err(_) => are_helped = false,
            }
        }
        shared.close();
        judge.addresses
    }

    /// Adds the results of the next batch.
    fn settle(&mut self, judged: &Judged) {
        let Judged { batch, dependencies, totals, counts, in_order, .. } = judged;
        self.totals.append(totals);
        if self.dependencies() != *dependencies {
            return self.in_order(batch, 0);
        }
        for (nth, &place) in in_order.iter().enumerate() {
            self.packet(&batch.packet(place));
            if self.dependencies() == *dependencies {
                continue;
            }
            // The packets behind may depend on this one. Those before it are as they were judged.
            let mut judge = Judge::default();
            let mut counts = Protocols::default();
            let is_counted = |place: &usize| in_order[..nth].binary_search(place).is_err();
            for place in (0..place).filter(is_counted) {
                judge.counts(&batch.packet(place), *dependencies, &mut counts);
            }
            judge.plain.flush(&mut counts);
            self.count(&counts);
            return self.in_order(batch, place + 1);
        }
        self.count(counts);
    }

    fn count(&mut self, counts: &Protocols) {
        if let Some(summary) = &mut self.summary {
            summary.count(counts);
        }
    }

    /// Judges the packets of a batch from this place on.
    fn in_order(&mut self, batch: &Batch, place: usize) {
        (place..batch.len()).for_each(|place| self.packet(&batch.packet(place)));
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        let Main { verifier, summary, each, .. } = self;
        verifier.packet(packet, |buffer| take(summary, *each, buffer));
        self.shared.set(self.dependencies());
    }

    fn dependencies(&self) -> Dependencies {
        let diagnosis = self.summary.as_ref().map(|summary| &summary.diagnosis);
        Dependencies {
            connections: self.verifier.agreements.know_any(),
            cut: diagnosis.is_some_and(Diagnosis::heeds_cut),
            right: diagnosis.is_some_and(Diagnosis::heeds_right),
        }
    }
}

fn take(
    summary: &mut Option<&mut Summary>,
    each: &mut dyn FnMut(&Buffer<'_>),
    buffer: &Buffer<'_>,
) {
    if let Some(summary) = summary {
        summary.buffer(buffer);
    }
    each(buffer);
}

/// Verifies the remaining packets of a reader on this many threads, as
/// [`counted`](super::counted).
pub(super) fn run(
    reader: AnyReader<'_>,
    threads: usize,
    summary: Option<&mut Summary>,
    each: &mut dyn FnMut(&Buffer<'_>),
) -> Read {
    let shared = Shared::new(reader, threads);
    let verifier = Verifier::new();
    let mut main = Main { shared: &shared, verifier, summary, each, totals: Totals::default() };
    shared.set(main.dependencies());
    let addresses = thread::scope(|scope| {
        let (sender, results) = channel();
        let help = |owner| {
            let (sender, shared) = (sender.clone(), &shared);
            let name = thread::Builder::new().name("judge".into());
            // Without a thread that cannot be started, the others have more to do.
            name.spawn_scoped(scope, move || shared.help(owner, &sender)).ok()
        };
        let helpers: Vec<_> = (1..threads).filter_map(help).collect();
        drop(sender);
        let mut addresses = main.work(&results);
        for helper in helpers {
            addresses.merge(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        addresses
    });
    let Main { mut verifier, mut summary, each, totals, .. } = main;
    if let Some(summary) = &mut summary {
        summary.diagnosis.learn_addresses(addresses);
    }
    verifier.finish(|buffer| take(&mut summary, each, buffer));
    let Source { reader, error, .. } =
        shared.source.into_inner().unwrap_or_else(PoisonError::into_inner);
    totals.read(&reader, None, error)
}
