//! `residue` for C and C++: what `include/residue.h` declares.
//!
//! The header is made from the documentation here (`tests/header.rs`), which is therefore written for those who call from C.
//! The rules for pointers are at the top of the header: a pointer is null, or points to what the function's declaration
//! says, for as many elements as the length beside it says, until the function returns. That is what each function's
//! `SAFETY` comment means by *the header's rules*.

#![allow(non_camel_case_types)]
#![allow(clippy::missing_safety_doc)] // The rules are the same for all, and above.

// In the order of the header.
mod border;

mod once;

mod code;

mod stream;

mod partial;

mod batch;
