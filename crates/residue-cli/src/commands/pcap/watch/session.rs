//! A running watch: its packets, its intervals, its end.

use super::arguments::WatchArgs;
use super::metrics::Publisher;
use super::print;
use super::state::{Before, Ending, Losses, State};
use crate::output::{Outcome, Output, Styles, words};
use crate::progress::Progress;
use anyhow::Context as _;
use residue_capture::damaged::{Damaged, describe};
use residue_capture::live::{Evidence, Live};
use residue_net::pcap::Packet;
use residue_net::select::Selection;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Largest size of the file of damaged packets.
const LONGEST_FILE: u64 = 1 << 30;

/// A running watch.
pub struct Session<'a> {
    pub state: State<'a>,
    /// Length of the longest packet that the interface sends.
    pub mtu: Option<u32>,
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
        let filter = args.filtered.parse()?;
        let publisher = args.prometheus.as_ref().map(Publisher::new).transpose()?;
        let damaged = args.write.as_deref().map(|path| {
            let file = BufWriter::new(create(path)?);
            Damaged::new(file, source, LONGEST_FILE).with_context(|| written(args))
        });
        let start = Instant::now();
        Ok(Session {
            state: State {
                args,
                source: source.to_string(),
                live: Live::new(Selection::new(filter, None, None)),
                losses: Losses::default(),
                merged: 0,
                start,
                before: Before { time: start, packets: 0, bytes: 0 },
                damaged: damaged.transpose()?,
            },
            mtu: None,
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
        let Session { state: State { live, damaged, .. }, comment, .. } = self;
        let is_wrong = live.packet(packet, evidence, |finding| {
            if damaged.is_some() {
                describe(finding, comment);
            }
        });
        if is_wrong && let Some(damaged) = damaged {
            damaged.packet(packet, comment).with_context(|| written(self.state.args))?;
            comment.clear();
        }
        let longest = self.mtu.map(|mtu| mtu.saturating_add(LINK_HEADER));
        self.state.merged += u64::from(longest.is_some_and(|longest| packet.wire_length > longest));
        let is_last = self.state.args.count == Some(self.state.live.counts.selected);
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
        let duration = Duration::from_secs(self.state.args.duration?.into());
        self.state.start.checked_add(duration)
    }

    /// Does what is due: prints, flushes and publishes the counts. Returns why the watch is over,
    /// if it is.
    pub fn tick(&mut self) -> anyhow::Result<Option<Ending>> {
        let now = Instant::now();
        if self.end().is_some_and(|end| now >= end) {
            return Ok(Some(Ending::Duration));
        }
        if now >= self.next {
            self.next = now + Duration::from_secs(self.state.args.every.into());
            self.flush()?;
            self.publish()?;
            self.show(None)?;
            let counts = self.state.live.counts;
            self.state.before = Before { time: now, packets: counts.packets, bytes: counts.bytes };
        }
        Ok(None)
    }

    fn show(&mut self, ending: Option<Ending>) -> anyhow::Result<()> {
        if self.state.args.json {
            let line = print::json(&self.state, ending).to_string();
            self.output.line(line)?;
            self.output.flush()?;
        } else if ending.is_some() {
            for line in print::lines(&self.state, ending, self.output.styles) {
                self.output.finding(line)?;
            }
        } else if Progress::wanted() {
            if !std::mem::replace(&mut self.has_table, true) {
                self.output.progress = Progress::of_lines();
            }
            let lines = print::lines(&self.state, None, self.output.styles);
            self.output.progress.show(&lines);
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if let Some(damaged) = &mut self.state.damaged {
            damaged.out().flush().with_context(|| written(self.state.args))?;
        }
        Ok(())
    }

    fn publish(&mut self) -> anyhow::Result<()> {
        match self.publisher.take() {
            None => Ok(()),
            Some(publisher) => {
                let text = print::prometheus(&self.state);
                let result = publisher.publish(text);
                self.publisher = Some(publisher);
                result
            }
        }
    }

    /// Ends the watch: completes the file, and prints the counts. An error that ended it is
    /// returned after that.
    pub fn finish(mut self, ended: anyhow::Result<Ending>) -> anyhow::Result<()> {
        self.state.live.finish();
        if self.state.live.summary.total().wrong() > 0 {
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
        // What ended the watch often fails again here: it is said once.
        if let (Err(first), Err(error)) = (&ended, &complete)
            && words(first) != words(error)
        {
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

/// Creates the file of `--write`. What exists is not overwritten, as it may be the only record of
/// its packets.
fn create(path: &Path) -> anyhow::Result<File> {
    let special = std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    let mut options = OpenOptions::new();
    let options = options.write(true);
    let file = if special { options.open(path) } else { options.create_new(true).open(path) };
    file.with_context(|| match std::fs::metadata(path) {
        Ok(there) if there.is_file() => format!(
            "--write: `{}` is there already; remove it, or choose another name",
            Styles::plain(path.as_os_str())
        ),
        _ => format!("--write: {}", Styles::plain(path.as_os_str())),
    })
}

/// Returns whether an error means that the reader of the output is gone.
fn is_closed(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
