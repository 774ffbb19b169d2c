//! The guard inside the kernel: eBPF programs, which `cargo xtask bpf` compiles from `bpf/`.
//!
//! [`on`] loads and attaches them, and pins what keeps them alive. No process is in the path of the
//! data, and none has to stay.
//!
//! May use `sys/` and [`host`](crate::host), and the modules without input or output, but not
//! [`queue`](crate::queue), the other engine.

mod device;
mod filters;
mod function;
pub mod layout;
mod listeners;
mod load;
mod maps;
mod needs;
mod object;
mod pins;
mod programs;
mod signals;
mod sockets;
mod stack;
mod status;
mod switch;
#[doc(hidden)]
pub mod trial;

pub use load::{Settings, instead_of, on};
pub use needs::{BY_XDP, LISTENING, needs};
pub use pins::all_cgroups_are_seen;
pub use signals::Signals;
pub use status::{Interface, KernelCounters, Status, status};
pub use switch::{Ending, Left, clean, forget, off};

/// The compiled programs and the definitions of their maps, an ELF file.
pub static PROGRAMS: &[u8] = include_bytes!("../bpf/guard.bpf.o");
