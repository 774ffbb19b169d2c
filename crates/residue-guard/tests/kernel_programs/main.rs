//! The programs in the kernel and the engine give equal verdicts, on the segments of `golden.txt`
//! and on damaged and hostile ones. Needs Linux, and a user who may load programs; says why it
//! skips.

#![cfg(target_os = "linux")]

mod common;
mod headers;
mod state;
mod verdicts;
