//! The progress bar: on a terminal, for long work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal as _};

/// Below this many bytes a bar would be gone before it is read.
const LARGE: u64 = 256 << 20;

/// A progress bar, or none.
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// None.
    pub const fn none() -> Progress {
        Progress(None)
    }

    /// Whether a bar could be seen at all. If not, its length need not be found out.
    pub fn wanted() -> bool {
        io::stderr().is_terminal()
    }

    /// A bar of so many bytes, if they are many and standard error is a terminal.
    pub fn of_bytes(total: u64) -> Progress {
        if total < LARGE || !Progress::wanted() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let template =
            "{wide_bar} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress(Some(bar))
    }

    /// A bar of so many steps, if standard error is a terminal.
    pub fn of_steps(total: u64) -> Progress {
        let bar = || ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        Progress(Progress::wanted().then(bar))
    }

    /// A bar with a word of what is done, for work that tells how far it is ([`Progress::tell`]).
    pub fn of(what: &'static str) -> Progress {
        let mut progress = Progress::of_steps(0);
        if let Some(bar) = progress.0.take() {
            let template = "{msg} [{wide_bar}] {percent} % {eta}";
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            progress.0 = Some(bar.with_message(what).with_style(style.progress_chars("=> ")));
        }
        progress
    }

    /// A line of words that change, if standard error is a terminal.
    pub fn of_words() -> Progress {
        let progress = Progress::of_steps(0);
        if let (Some(bar), Ok(style)) = (&progress.0, ProgressStyle::with_template("{wide_msg}")) {
            bar.set_style(style);
        }
        progress
    }

    /// The words of the line.
    pub fn say(&self, words: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(words);
            bar.tick();
        }
    }

    /// `done` of `of` steps are done.
    pub fn tell(&self, done: u64, of: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(of);
            bar.set_position(done);
        }
    }

    /// So many more bytes or steps are done.
    pub fn add(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(count);
        }
    }

    /// So many have to be done again.
    pub fn take_back(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.dec(count);
        }
    }

    /// Does something while the bar is out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away.
    pub fn clear(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
