//! The sums: codes made of additions, modulo a power of two or another number.
//!
//! A file is a family: its definition, its bodies, its table of kernels and its streaming type.
//! `paired`, `rows` and `weighted` are bodies that several families share, `group` and `running`
//! the arithmetic and the streaming type of all. This folder uses `kernel`, `arch` and `body`, and
//! knows no CRC.

pub mod adler;
pub mod baseline;
pub mod dual;
pub mod fletcher;
pub(crate) mod group;
pub mod internet;
pub mod koopman;
mod paired;
mod rows;
pub(crate) mod running;
mod weighted;
pub mod xns;
