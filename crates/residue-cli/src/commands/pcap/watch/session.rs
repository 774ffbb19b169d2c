//! A running watch: its packets, its intervals, its end.

use super::metrics::Publisher;
use super::{WatchArgs, create, is_closed, print};
use crate::output::{Outcome, Output, Styles, words};
use crate::progress::Progress;
use anyhow::{Context as _, anyhow};
use residue_capture::damaged::{Damaged, describe};
use residue_capture::live::{Evidence, Live};
use residue_net::filter::Filter;
use residue_net::pcap::Packet;
use residue_net::select::Selection;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::time::{Duration, Instant};

/// Largest size of the file of damaged packets.
const LONGEST_FILE: u64 = 1 << 30;

/// Numbers of packets that were not verified, by reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// Dropped by the kernel, because the ring was full.
    pub dropped: u64,
    /// Passed over, because most of the ring was waiting.
    pub passed_over: u64,
}

/// Why a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A signal, as by Ctrl-C.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    Signal,
    /// The number of packets is reached.
    Count,
    /// The time is over.
    Duration,
    /// The input has ended.
    Input,
    /// An error.
    Error,
}

impl Ending {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Signal => "signal",
            Ending::Count => "count",
            Ending::Duration => "duration",
            Ending::Input => "input",
            Ending::Error => "error",
        }
    }
}

/// The numbers at an earlier time, for rates.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    pub time: Instant,
    pub packets: u64,
    pub bytes: u64,
}

/// A running watch.
pub struct Session<'a> {
    pub args: &'a WatchArgs,
    pub source: String,
    pub live: Live,
    pub losses: Losses,
    /// Length of the longest packet that the interface sends.
    pub mtu: Option<u32>,
    /// Number of packets that are longer.
    pub merged: u64,
    pub start: Instant,
    pub before: Before,
    pub damaged: Option<Damaged<BufWriter<File>>>,
    next: Instant,
    publisher: Option<Publisher>,
    /// Whether the table is on the terminal.
    has_table: bool,
    comment: String,
    output: &'a mut Output,
}

/// Longest link header, with two VLAN tags.
const LINK_HEADER: u32 = 24;

impl<'a> Session<'a> {
    /// Begins a watch of the packets of `source`.
    pub fn new(args: &'a WatchArgs, source: &str, output: &'a mut Output) -> anyhow::Result<Self> {
        let filter = args.filter.as_deref().map(Filter::parse).transpose();
        let filter = filter.map_err(|error| anyhow!("--filter: {error}"))?;
        let publisher = args.prometheus.as_ref().map(Publisher::new).transpose()?;
        let damaged = args.write.as_deref().map(|path| {
            let file = BufWriter::new(create(path)?);
            Damaged::new(file, source, LONGEST_FILE).with_context(|| written(args))
        });
        let start = Instant::now();
        Ok(Session {
            args,
            source: source.to_string(),
            live: Live::new(Selection::new(filter, None, None)),
            losses: Losses::default(),
            mtu: None,
            merged: 0,
            start,
            before: Before { time: start, packets: 0, bytes: 0 },
            damaged: damaged.transpose()?,
            next: start,
            publisher,
            has_table: false,
            comment: String::new(),
            output,
        })
    }

    /// Verifies a packet. Returns why the watch is over, if it is.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        evidence: Evidence,
    ) -> anyhow::Result<Option<Ending>> {
        let Session { live, damaged, comment, .. } = self;
        let is_wrong = live.packet(packet, evidence, |finding| {
            if damaged.is_some() {
                describe(finding, comment);
            }
        });
        if is_wrong && let Some(damaged) = damaged {
            damaged.packet(packet, comment).with_context(|| written(self.args))?;
            comment.clear();
        }
        let longest = self.mtu.map(|mtu| mtu.saturating_add(LINK_HEADER));
        self.merged += u64::from(longest.is_some_and(|longest| packet.wire_length > longest));
        let is_last = self.args.count == Some(self.live.counts.selected);
        Ok(is_last.then_some(Ending::Count))
    }

    /// Returns the time until something is to be done.
    pub fn left(&self) -> Duration {
        let now = Instant::now();
        let end = self.end().unwrap_or(self.next);
        self.next.min(end).saturating_duration_since(now)
    }

    /// Returns whether [`Session::tick`] has something to do.
    pub fn is_due(&self) -> bool {
        self.left().is_zero()
    }

    fn end(&self) -> Option<Instant> {
        let duration = Duration::from_secs(self.args.duration?.into());
        self.start.checked_add(duration)
    }

    /// Does what is due: prints, flushes and publishes the counts. Returns why the watch is over,
    /// if it is.
    pub fn tick(&mut self) -> anyhow::Result<Option<Ending>> {
        let now = Instant::now();
        if self.end().is_some_and(|end| now >= end) {
            return Ok(Some(Ending::Duration));
        }
        if now >= self.next {
            self.next = now + Duration::from_secs(self.args.every.into());
            self.flush()?;
            self.publish()?;
            self.show(None)?;
            let counts = self.live.counts;
            self.before = Before { time: now, packets: counts.packets, bytes: counts.bytes };
        }
        Ok(None)
    }

    fn show(&mut self, ending: Option<Ending>) -> anyhow::Result<()> {
        if self.args.json {
            let line = print::json(self, ending).to_string();
            self.output.line(line)?;
            self.output.flush()?;
        } else if ending.is_some() {
            for line in print::lines(self, ending, self.output.styles) {
                self.output.finding(line)?;
            }
        } else if Progress::wanted() {
            if !std::mem::replace(&mut self.has_table, true) {
                self.output.progress = Progress::of_lines();
            }
            let lines = print::lines(self, None, self.output.styles);
            self.output.progress.show(&lines);
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if let Some(damaged) = &mut self.damaged {
            damaged.out().flush().with_context(|| written(self.args))?;
        }
        Ok(())
    }

    fn publish(&mut self) -> anyhow::Result<()> {
        match self.publisher.take() {
            None => Ok(()),
            Some(publisher) => {
                let text = print::prometheus(self);
                let result = publisher.publish(text);
                self.publisher = Some(publisher);
                result
            }
        }
    }

    /// Ends the watch: completes the file, and prints the counts. An error that ended it is
    /// returned after that.
    pub fn finish(mut self, ended: anyhow::Result<Ending>) -> anyhow::Result<()> {
        self.live.finish();
        if self.live.summary.total().wrong() > 0 {
            self.output.found(Outcome::Bad);
        }
        self.output.progress.clear();
        let ending = ended.as_ref().map_or(Ending::Error, |ending| *ending);
        if ended.as_ref().is_err_and(is_closed) {
            self.flush()?;
            return ended.map(drop);
        }
        let complete = self.flush().and_then(|()| self.publish());
        self.show(Some(ending))?;
        // The second error only if there is no first one.
        if let (Err(_), Err(error)) = (&ended, &complete) {
            self.output.complain(&words(error));
        }
        ended.map(drop).and(complete)
    }
}

/// Returns the name of the file of damaged packets, for errors.
fn written(args: &WatchArgs) -> String {
    let path = args.write.as_deref().map(|path| Styles::plain(path.as_os_str()));
    format!("cannot write `{}`", path.unwrap_or_default())
}
