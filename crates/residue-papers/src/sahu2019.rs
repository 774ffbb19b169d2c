//! S. K. Sahu, *Hardware Instruction Based CRC32C, a Better Alternative to the TCP One's Complement
//! Checksum*, Texas A&M University, 2019 (the thesis): its figures and tables, filled with a
//! measured run beside the published values, and its conclusion.

pub mod correctness;
mod figures;
mod published;
mod subjects;
mod tables;
mod verdict;

pub use figures::figures;
pub use published::{
    Cpu, Level, Point, Quoted, Series, kernels, kernels_and_todays, literature, ours, series,
    thesis, thesis_extra_bytes, thesis_o1,
};
pub use tables::{
    table_6_1, table_a4, table_a5, table_a6, table_every_size, table_kernels, table_quoted,
    table_today, tables, thesis_tables,
};
pub use verdict::{fastest_codes, verdict};
