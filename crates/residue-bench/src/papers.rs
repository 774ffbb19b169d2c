//! The source documents: everything that reproduces one of them, with the figures that it prints.
//! Nothing outside refers to one of them, but for the report on a run, which has the thesis's
//! figures and tables.
//!
//! A printed row whose algorithm has no kernel of ours, or that is damaged, is left out; the tests
//! count the rows.

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
pub mod intel2006;
pub mod pino2018;
pub mod sahu2019;
pub mod sklower1989;
