//! The mistakes other programs make.

pub mod mistakes;
