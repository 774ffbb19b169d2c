//! The adapter to Linux: packets of the netfilter queue go through the [`Engine`](crate::Engine).

mod message;
mod queue;
mod sys;

pub use queue::{Judge, Queue, Verdict};
