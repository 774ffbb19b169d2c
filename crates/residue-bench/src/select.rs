//! Look-ups in a run: the cell of a kernel at a size, the kernels and sizes there are.

use std::collections::HashMap;

use crate::model::{Cell, Run};
use residue_report::Row;
use residue_report::number::significant;

/// The text where there is no figure.
pub const NONE: &str = "-";

/// Writes a figure with three digits, [`NONE`] where there is none.
pub fn three_digits(value: Option<f64>) -> String {
    value.map_or(NONE.into(), |value| significant(value, 3))
}

/// A run with its cells indexed. Where two cells measure the same thing, the later one counts.
pub struct Index<'a> {
    cells: HashMap<(&'a str, &'a str, usize, usize), &'a Cell>,
    kernels: Vec<(&'a str, &'a str)>,
    sizes: Vec<usize>,
}

impl<'a> Index<'a> {
    /// Indexes the cells of a run.
    pub fn new(run: &'a Run) -> Self {
        let mut index = Index { cells: HashMap::new(), kernels: Vec::new(), sizes: Vec::new() };
        let mut code_order: HashMap<&str, usize> = HashMap::new();
        let mut seen = std::collections::HashSet::new();
        for cell in &run.cells {
            let (code, kernel) = (cell.code.as_str(), cell.kernel.as_str());
            let next = code_order.len();
            code_order.entry(code).or_insert(next);
            if seen.insert((code, kernel)) {
                index.kernels.push((code, kernel));
            }
            if cell.extra == 0 {
                index.sizes.push(cell.bytes);
            }
            index.cells.insert((code, kernel, cell.bytes, cell.extra), cell);
        }
        // Stable: codes stay together, and inside a code the run's own order of kernels stands.
        index.kernels.sort_by_key(|(code, _)| code_order[code]);
        index.sizes.sort_unstable();
        index.sizes.dedup();
        index
    }

    /// Returns the cell of one kernel at one size.
    pub fn cell(&self, code: &str, kernel: &str, bytes: usize, extra: usize) -> Option<&'a Cell> {
        // The map borrows its keys from the run; a shorter borrow of the same text finds them as
        // well.
        self.cells.get(&(code, kernel, bytes, extra)).copied()
    }

    /// Returns every code and kernel, codes together, otherwise in the order of the run.
    pub fn kernels(&self) -> &[(&'a str, &'a str)] {
        &self.kernels
    }

    /// Returns every size measured without extra bytes, ascending.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Returns the lines of all kernels, as `lines` gives them, with a heading above each code's.
    pub fn rows(&self, mut lines: impl FnMut(&str, &str) -> Vec<Row>) -> Vec<Row> {
        let (mut rows, mut last) = (Vec::new(), None);
        for &(code, kernel) in self.kernels() {
            let lines = lines(code, kernel);
            if !lines.is_empty() && last != Some(code) {
                rows.push(Row::Group(code.into()));
                last = Some(code);
            }
            rows.extend(lines);
        }
        rows
    }

    /// Returns the cells of one kernel without extra bytes, by size.
    pub fn curve(&self, code: &str, kernel: &str) -> Vec<&'a Cell> {
        self.sizes.iter().filter_map(|&bytes| self.cell(code, kernel, bytes, 0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn the_later_of_two_equal_cells_counts() {
        let mut run = example::x86();
        let mut again = run.cells[0].clone();
        again.mean = 42.0;
        run.cells.push(again.clone());
        let index = Index::new(&run);
        assert_eq!(index.cell(&again.code, &again.kernel, again.bytes, 0).unwrap().mean, 42.0);
        assert_eq!(index.sizes(), example::SIZES);
        assert_eq!(index.curve("crc-32/iscsi", "nibble").len(), example::SIZES.len());
        assert!(index.curve("crc-32/iscsi", "no such kernel").is_empty());
    }
}
