//! Tests of what the library offers, in one program: linking each file as one of its own takes
//! longer than compiling it. Programs of their own are the tests of kernels, which emulators run
//! alone, of memory, which Miri runs, and of the CPU, which run themselves again.

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod copy;
mod lengths;
mod names;
mod no_std;
#[cfg(feature = "rayon")]
mod parallel;
mod partial;
mod properties;
#[cfg(feature = "serde")]
mod serialized;
mod small;
mod streaming;
mod sums;
mod vectors;
