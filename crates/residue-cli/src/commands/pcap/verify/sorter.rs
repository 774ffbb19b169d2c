//! Rows in the order of their packets. Those of reassembled datagrams and streams are found late.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};

/// Size of rows in memory, in bytes, from which they go to a temporary file.
const MOST: usize = 32 << 20;
/// Memory of a row beside its text.
const ROW_COST: usize = 48;

/// A row: the number of its packet, and its text.
type Row = (u64, Vec<u8>);

/// Sorts rows by packet, in bounded memory. Rows of a packet keep their order.
pub struct Sorter {
    rows: Vec<Row>,
    bytes: usize,
    most: usize,
    /// Sorted runs of earlier rows.
    runs: Vec<File>,
}

impl Sorter {
    pub fn new() -> Sorter {
        Sorter { rows: Vec::new(), bytes: 0, most: MOST, runs: Vec::new() }
    }

    pub fn push(&mut self, packet: u64, text: Vec<u8>) -> io::Result<()> {
        self.bytes += text.len() + ROW_COST;
        self.rows.push((packet, text));
        if self.bytes > self.most { self.spill() } else { Ok(()) }
    }

    /// Writes the rows in memory to a temporary file.
    fn spill(&mut self) -> io::Result<()> {
        self.rows.sort_by_key(|row| row.0);
        let mut writer = BufWriter::new(tempfile::tempfile()?);
        for (packet, text) in self.rows.drain(..) {
            writer.write_all(&packet.to_le_bytes())?;
            writer.write_all(&(text.len() as u64).to_le_bytes())?;
            writer.write_all(&text)?;
        }
        let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        self.bytes = 0;
        Ok(())
    }

    /// Passes all rows to `each`, in order.
    pub fn finish(mut self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.runs.is_empty() {
            self.rows.sort_by_key(|row| row.0);
            return self.rows.iter().try_for_each(|(_, text)| each(text));
        }
        self.spill()?;
        let mut runs: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        // By packet, and then by run: earlier runs have the earlier rows.
        let mut next = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            next.extend(read(run)?.map(|(packet, text)| Reverse((packet, number, text))));
        }
        while let Some(Reverse((_, number, text))) = next.pop() {
            each(&text)?;
            let row = read(&mut runs[number])?;
            next.extend(row.map(|(packet, text)| Reverse((packet, number, text))));
        }
        Ok(())
    }
}

/// Reads the next row of a run.
fn read(run: &mut BufReader<File>) -> io::Result<Option<Row>> {
    let mut start = [[0; 8]; 2];
    match run.read_exact(start.as_flattened_mut()) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        result => result?,
    }
    let [packet, length] = start.map(u64::from_le_bytes);
    let mut text = Vec::new();
    run.take(length).read_to_end(&mut text)?;
    Ok(Some((packet, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_in_memory_and_in_files() {
        for most in [MOST, 0, 100, 1000, 10_000] {
            let mut sorter = Sorter { most, ..Sorter::new() };
            let mut expected = Vec::new();
            for number in 0..1000_u64 {
                // Nearly sorted, with equal packets.
                let packet = number / 3 + number % 7 * 40;
                let text = format!("{number}{}", "x".repeat(number as usize % 50)).into_bytes();
                expected.push((packet, text.clone()));
                sorter.push(packet, text).unwrap();
            }
            expected.sort_by_key(|row| row.0);
            let mut found = Vec::new();
            let take = |text: &[u8]| {
                found.push(text.to_vec());
                Ok(())
            };
            sorter.finish(take).unwrap();
            assert!(found.iter().eq(expected.iter().map(|row| &row.1)), "{most}");
        }
    }
}
