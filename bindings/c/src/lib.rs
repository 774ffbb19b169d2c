//! `residue` for C and C++: the functions of `include/residue.h`.
//!
//! The header is generated from the documentation here (`tests/header.rs`), which therefore
//! addresses callers from C. The rules for pointers are at the top of the header: a pointer is
//! null, or points to what the function's declaration says, for as many elements as the length
//! beside it says, until the function returns. Each function's `SAFETY` comment refers to these
//! rules as *the header's rules*.

#![allow(non_camel_case_types)]
#![allow(clippy::missing_safety_doc)] // The rules are the same for all, and above.

// In the order of the header.
mod ffi;

mod once;

mod code;

mod stream;

mod partial;

mod batch;
