//! The progress bar, shown on a terminal during long work.

use crate::output::{Form, Kept, visible};
use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal as _};

/// Inputs of fewer bytes are done before anyone could read a bar.
const LARGE: u64 = 256 << 20;

/// A progress bar, or none.
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Returns no bar.
    pub const fn none() -> Progress {
        Progress(None)
    }

    /// Returns whether a bar can be seen. If not, its length need not be computed.
    pub fn wanted() -> bool {
        io::stderr().is_terminal()
    }

    /// Creates a bar for `total` bytes, if they are many and standard error is a terminal.
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

    /// Creates a bar for `total` steps, if standard error is a terminal.
    pub fn of_steps(total: u64) -> Progress {
        let bar = || ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        Progress(Progress::wanted().then(bar))
    }

    /// Creates a bar labelled `what`, for work that reports its progress by [`Progress::set`].
    pub fn of(what: &'static str) -> Progress {
        Progress::labelled(what, "{msg} [{wide_bar}] {percent} % {eta}")
    }

    fn labelled(what: &'static str, template: &str) -> Progress {
        let mut progress = Progress::of_steps(0);
        if let Some(bar) = progress.0.take() {
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            progress.0 = Some(bar.with_message(what).with_style(style.progress_chars("=> ")));
        }
        progress
    }

    /// Creates a bar labelled `what` for work with a time limit.
    ///
    /// [`Progress::set`] takes the seconds since it began and those it may take.
    pub fn until(what: &'static str) -> Progress {
        Progress::labelled(what, "{msg} [{wide_bar}] {pos} of at most {len} seconds")
    }

    /// Creates a line of changing text, if standard error is a terminal.
    pub fn of_words() -> Progress {
        let progress = Progress::of_steps(0);
        if let (Some(bar), Ok(style)) = (&progress.0, ProgressStyle::with_template("{wide_msg}")) {
            bar.set_style(style);
        }
        progress
    }

    /// Creates a table of changing lines, if standard error is a terminal.
    pub fn of_lines() -> Progress {
        let progress = Progress::of_steps(0);
        if let (Some(bar), Ok(style)) = (&progress.0, ProgressStyle::with_template("{msg}")) {
            bar.set_style(style);
        }
        progress
    }

    /// Replaces the lines of a table; cuts what the terminal has no room for.
    pub fn show(&self, lines: &[String]) {
        let (height, width) = Term::stderr().size();
        let height = usize::from(height).saturating_sub(1).max(1);
        let width = usize::from(width).max(1);
        let lines = lines.iter().take(height);
        let lines: Vec<_> = lines.map(|line| truncate_str(line, width, "")).collect();
        self.say(lines.join("\n"));
    }

    /// Replaces the text of the line.
    pub fn say(&self, words: String) {
        if let Some(bar) = &self.0 {
            let shown = visible(words.as_bytes(), Form::Text, Kept::Layout);
            bar.set_message(String::from_utf8_lossy(&shown).into_owned());
            bar.tick();
        }
    }

    /// Shows that `done` of `of` steps are done.
    pub fn set(&self, done: u64, of: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(of);
            bar.set_position(done);
        }
    }

    /// Adds `count` bytes or steps.
    pub fn add(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(count);
        }
    }

    /// Subtracts `count` bytes or steps that have to be repeated.
    pub fn take_back(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.dec(count);
        }
    }

    /// Prints something while the bar is hidden.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
    pub fn clear(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
