//! Printing.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// A progress bar on a terminal, nothing in a pipe.
pub struct Progress(ProgressBar);

/// Starts a bar with a word of what is done.
pub fn progress(what: &'static str) -> Progress {
    if !std::io::stderr().is_terminal() {
        return Progress(ProgressBar::hidden());
    }
    let bar = ProgressBar::new(0).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{wide_bar}] {percent} % {eta}") {
        bar.set_style(style.progress_chars("=> "));
    }
    Progress(bar)
}

impl Progress {
    /// `done` of `of` steps are done.
    pub fn tell(&self, done: u64, of: u64) {
        self.0.set_length(of);
        self.0.set_position(done);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Text broken at spaces for a terminal of 100 columns.
pub fn wrapped(text: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 100 {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}
