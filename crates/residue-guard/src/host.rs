//! What both engines share about the host: its properties, requirements, ports, receive threads,
//! closed standard streams, and the format of metrics.
//!
//! May use `sys/` and the modules without input or output, but neither engine's folder, `queue/` or
//! `kernel/`.

pub(crate) mod metrics;
mod need;
mod ports;
mod properties;
pub(crate) mod threads;

pub use crate::sys::streams::was_closed;
pub use need::Need;
pub use ports::Ports;
pub use properties::{Host, Nat};
