//! The adapter to Linux: passes packets of the netfilter queue through the
//! [`Engine`](crate::Engine).

mod door;
mod folder;
mod host;
mod message;
mod ports;
mod queue;
mod router;
mod rules;
mod run;
mod saved;
mod signals;
mod status;
pub(crate) mod sys;
pub(crate) mod threads;

pub use door::{ask, forget};
pub use host::{Host, Nat, Need, needs};
pub use ports::Ports;
pub use queue::{Judge, Queue, Verdict};
pub use router::Router;
pub use rules::{Rules, clean};
pub use run::{Options, run};
pub use saved::default_state;
pub use signals::Signals;
pub(crate) use status::Metrics;
pub use status::{QueueStatus, Status};
pub use sys::streams::was_closed;
