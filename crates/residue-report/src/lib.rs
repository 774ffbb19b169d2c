//! Parts of reports: tables for terminals and pages ([`table`]), charts as SVG (`chart`), a page
//! that loads nothing else ([`page`]), CSV ([`csv`]), numbers and text fit to print ([`number`],
//! [`text`]), names that a misspelt one may mean ([`names`]), and folders of reports ([`files`]).
//!
//! The crate is independent of the reports' subjects.
//!
//! ```
//! use residue_report::{Row, Table, number::significant};
//!
//! let table = Table {
//!     id: "cost",
//!     title: "Core cycles per byte".into(),
//!     note: String::new(),
//!     stub: "kernel",
//!     heads: vec!["64 B".into()],
//!     together: 1,
//!     rows: vec![Row::Values("adc".into(), vec![significant(0.29183, 3)])],
//! };
//! assert!(table.text().ends_with("  adc   0.292\n"));
//! ```
//!
//! Feature `charts`: the modules `chart` and `pdf`.

#![forbid(unsafe_code)]

#[cfg(feature = "charts")]
pub mod chart;
pub mod csv;
pub mod files;
pub mod labels;
pub mod names;
pub mod number;
pub mod page;
#[cfg(feature = "charts")]
pub mod pdf;
pub mod table;
pub mod text;

pub use page::Figure;
pub use table::{COLUMNS, Row, Table};
