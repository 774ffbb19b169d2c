//! The queue engine: passes packets of Linux' netfilter queue through the
//! [`Engine`](crate::Engine), with the rules that fill the queue, and a loop around the engine.
//!
//! May use `sys/` and [`host`](crate::host), and the modules without input or output, but not
//! [`kernel`](crate::kernel), the other engine.

mod client;
mod door;
mod folder;
mod message;
mod needs;
mod rules;
mod run;
mod saved;
mod status;

pub use client::{Judge, Queue, Verdict};
pub use door::{ask, forget};
pub use needs::needs;
pub use rules::{Rules, clean};
pub use run::{Options, run};
pub use saved::default_state;
pub use status::{QueueStatus, Status};
