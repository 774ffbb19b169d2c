//! From a measured run to figures, tables and one self-contained page.
//!
//! ```
//! use residue_bench::{model::{FORMAT, Machine, Run, Statistic}, papers::sahu2019, report};
//!
//! # let machine = Machine {
//! #     cpu: "x".into(), arch: "x86_64".into(), features: vec![], profile: "zen3".into(),
//! #     counter: "rdtsc".into(),
//! #     ticks_per_cycle: 1.0, ticks_per_cycle_by_products: None, ns_per_tick: 1.0,
//! #     resolution_ticks: 1.0, overhead_ticks: 0.0,
//! # };
//! # let run = Run {
//! #     format: FORMAT, residue: "0".into(), date: "2026-01-02T03:04:05Z".into(), machine,
//! #     mode: "thesis".into(), data: "random".into(), samples: 1000, cells: vec![],
//! #     steady: vec![], conditions: vec![], load: Default::default(),
//! # };
//! let page = report::html(&run, &["What the run shows.".into()], Statistic::Median);
//! for table in sahu2019::tables(&run, Statistic::Median) {
//!     println!("{}", table.text());
//! }
//! ```

use std::io;
use std::path::{Path, PathBuf};

use residue_report::files;

use crate::model::{Run, Statistic};
use crate::papers::sahu2019::figures;

mod compare;
mod csv;
mod html;
pub(crate) mod select;

pub use compare::compare;
pub use csv::csv;
pub use html::html;

/// Writes the whole report into a folder, which is made if it is missing: `index.html`,
/// `figure-ID.svg` for each figure, `cells.csv` and `run.json`. Returns the paths, in that order.
///
/// A reader finds the old file or the new one, never half of one. The page comes last, when all it
/// speaks of is there. Nothing is deleted: figures of an earlier report that this run has no cells
/// for stay in the folder.
pub fn write_report(
    dir: &Path,
    run: &Run,
    verdict: &[String],
    statistic: Statistic,
) -> io::Result<Vec<PathBuf>> {
    let figures = figures(run, statistic);
    let data = [("cells.csv", csv(run)), ("run.json", serde_json::to_string_pretty(run)? + "\n")];
    files::write_report(dir, &figures, &data, &html::page(run, verdict, statistic, &figures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use std::fs;

    #[test]
    fn a_report_is_written_whole() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("new/folder");
        let run = example::x86();
        for _ in 0..2 {
            let paths = write_report(&dir, &run, &["Yes.".into()], Statistic::Median).unwrap();
            assert_eq!(paths.len(), 14);
            assert!(paths[0].ends_with("index.html"));
            assert!(paths.iter().all(|path| path.is_file()));
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 14);
        let json = fs::read_to_string(dir.join("run.json")).unwrap();
        let back: Run = serde_json::from_str(&json).unwrap();
        assert!(csv(&back) == csv(&run), "a number changed on its way through JSON");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("cells.csv")).unwrap();
        let error =
            write_report(place.path(), &example::empty(), &[], Statistic::Mean).unwrap_err();
        assert!(error.to_string().contains("cells.csv"), "{error}");
        assert!(
            !fs::read_dir(place.path())
                .unwrap()
                .any(|e| e.unwrap().path().extension() == Some("tmp".as_ref()))
        );
    }
}
