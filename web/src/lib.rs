//! The part of residue that runs in a browser: one question and one answer at a time, both JSON
//! ([`ask()`]), and the bytes of a file pulled piece by piece from the worker that runs this
//! ([`Page`]).
//!
//! `cargo xtask web` compiles it and puts it into one page; docs/web.md says what the page does.

#![deny(unsafe_code)]

mod ask;
mod capture;
mod describe;
mod every;
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
mod ffi;
mod snippet;
mod strength;

pub use ask::ask;

/// The worker that asks: access to the bytes of its file, and to its display of progress.
pub trait Page: Sync {
    /// Reads bytes from an offset. Returns their number, which is smaller than requested only at
    /// the end.
    ///
    /// # Errors
    /// If the browser cannot read the file, which may have been changed or removed since it was
    /// chosen.
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String>;

    /// Reports progress: `done` of `of`.
    fn tell(&self, done: u64, of: u64);
}
