//! Fuzz targets. Each takes any bytes, and panics if what it asserts does not hold.

mod captures;
mod fix;
mod guard;
mod identify;
mod kernels;
mod nat;
mod pcap_reader;
mod text;
mod verify;
mod walk;

pub use fix::fix;
pub use guard::guard;
pub use identify::identify;
pub use kernels::kernels;
pub use nat::nat;
pub use pcap_reader::pcap_reader;
pub use text::text;
pub use verify::verify;
pub use walk::walk;

/// A target takes any bytes.
pub type Target = fn(&[u8]);

/// All targets, by name.
pub const TARGETS: [(&str, Target); 9] = [
    ("pcap_reader", pcap_reader),
    ("walk", walk),
    ("verify", verify),
    ("fix", fix),
    ("nat", nat),
    ("guard", guard),
    ("kernels", kernels),
    ("identify", identify),
    ("text", text),
];
