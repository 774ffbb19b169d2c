//! The guard inside the kernel: eBPF programs, which `cargo xtask bpf` compiles from `bpf/`.

pub mod layout;

/// The compiled programs and the definitions of their maps, an ELF file.
pub static PROGRAMS: &[u8] = include_bytes!("../bpf/guard.bpf.o");
