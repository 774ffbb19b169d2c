//! The source documents of this project, reproduced: each in a module of its own, with the figures
//! that it prints (`published/`), its experiment, and its tables beside ours.
//!
//! [`claims`] judges the documents' comparative sentences on this CPU; [`reproduction`] measures
//! all of them and writes one report. [`fidelity`] lists every point of the documents, and what has
//! become of it. [`page`] is the report on any run of `residue-bench`.
//!
//! A printed row whose algorithm has no kernel of ours, or that is damaged, is left out; the tests
//! count the rows.

#![forbid(unsafe_code)]

/// The lines of a file of published figures, each as its fields.
macro_rules! published {
    ($name:literal) => {
        residue_report::csv::parse(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/published/",
            $name,
            ".csv"
        )))
    };
}

pub mod claims;
pub mod fidelity;
pub mod intel2006;
pub mod page;
pub mod pino2018;
pub mod reproduction;
pub mod sahu2019;
pub mod sklower1989;
