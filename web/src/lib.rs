//! The part of residue that runs in a browser. A worker asks one question at a time and gets one
//! answer, both JSON ([`ask()`]); the bytes of a file are read in pieces from the worker
//! ([`Page`]).
//!
//! `cargo xtask web` compiles this crate and builds one page with it; docs/web.md describes the
//! page.

#![deny(unsafe_code)]

mod ask;
mod capture;
mod describe;
mod every;
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
mod ffi;
mod identify;
mod strength;
mod text;

pub use ask::ask;

/// Access to the worker that asks: the bytes of its file, and its display of progress.
pub trait Page: Sync {
    /// Reads bytes from an offset. Returns their number, which is smaller than requested only at
    /// the end.
    ///
    /// # Errors
    /// If the browser cannot read the file, which may have been changed or removed since it was
    /// chosen.
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String>;

    /// Reports progress: `done` of `of`.
    fn progress(&self, done: u64, of: u64);
}
