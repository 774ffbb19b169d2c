//! Sources of data: files of a tree, and generators of shapes on which sums are known to be weak.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cells::PAYLOAD;
use crate::Error;

/// Bytes that are taken from one place, at most.
const CHUNK: usize = 1 << 20;

/// A source of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, or the files below a folder. Links are not followed.
    Tree(PathBuf),
    /// A generator.
    Made(Made),
}

/// Generated data of a shape on which sums are known to be weak, and a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Made {
    /// Uniform bytes, the control: every code performs as its width promises.
    Uniform,
    /// Long runs of zeros with a small number here and there, as the counters of a profiler.
    Zeros,
    /// A picture of 00 and FF, which are equal modulo 255.
    Bitmap,
    /// 16-bit numbers that count up.
    Ramp,
    /// Records of 64 bytes that differ in a number and a name.
    Records,
}

impl Made {
    /// All generators, the control first.
    pub const ALL: [Made; 5] =
        [Made::Uniform, Made::Zeros, Made::Bitmap, Made::Ramp, Made::Records];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Made::Uniform => "uniform",
            Made::Zeros => "zeros",
            Made::Bitmap => "bitmap",
            Made::Ramp => "ramp",
            Made::Records => "records",
        }
    }

    /// Describes the source in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Made::Uniform => "made: uniform bytes, the control",
            Made::Zeros => "made: runs of zeros with small counters",
            Made::Bitmap => "made: a picture of 00 and FF",
            Made::Ramp => "made: 16-bit numbers that count up",
            Made::Records => "made: records of 64 bytes that differ little",
        }
    }

    /// Generates `length` bytes, which `before` bytes precede.
    fn fill(self, before: u64, length: usize, seed: u64) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(mixed(seed, before));
        let mut bytes = vec![0; length];
        match self {
            Made::Uniform => random.fill(&mut bytes),
            Made::Zeros => {
                let mut at = random.usize(..400);
                while at + 4 <= length {
                    let count = random.u32(1..2000);
                    bytes[at..at + 4].copy_from_slice(&count.to_le_bytes());
                    at += 4 * random.usize(1..100);
                }
            }
            Made::Bitmap => {
                // Lines of 64 bytes, each mostly as the one before.
                let mut line = [0u8; 64];
                for next in bytes.chunks_mut(64) {
                    if random.u8(..3) == 0 {
                        let (a, b) = (random.usize(..64), random.usize(..64));
                        line[a.min(b)..a.max(b)].fill(random.u8(..2) * 0xff);
                    }
                    next.copy_from_slice(&line[..next.len()]);
                }
            }
            Made::Ramp => {
                for (word, number) in bytes.chunks_mut(2).zip(before / 2..) {
                    word.copy_from_slice(&(number as u16).to_be_bytes()[..word.len()]);
                }
            }
            Made::Records => {
                const NAMES: [&[u8; 8]; 4] = [b"alpha   ", b"bravo   ", b"charlie ", b"delta   "];
                for (record, number) in bytes.chunks_exact_mut(64).zip(before / 64..) {
                    record[..8].copy_from_slice(&number.to_be_bytes());
                    record[8..16].copy_from_slice(NAMES[random.usize(..4)]);
                    record[16..24].copy_from_slice(b"active  ");
                    record[40] = random.u8(..10);
                }
            }
        }
        bytes
    }
}

/// A piece of a source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// The file's place in the plan.
    file: usize,
    offset: u64,
    pub(super) length: usize,
    /// Bytes of the plan before it.
    pub(super) before: u64,
}

/// The pieces that are read of a source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    made: Option<Made>,
    pub(super) seed: u64,
    #[cfg_attr(any(unix, windows), serde(with = "names"))]
    pub(super) files: Vec<PathBuf>,
    pub(super) chunks: Vec<Chunk>,
    /// Folders and files that could not be read.
    pub(super) skipped: u64,
}

impl Source {
    /// Returns the name: the path, or the generator's.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Source::Tree(path) => path.display().to_string(),
            Source::Made(made) => made.name().into(),
        }
    }

    /// Describes the source in a few words.
    #[must_use]
    pub fn about(&self) -> &'static str {
        match self {
            Source::Tree(_) => "files",
            Source::Made(made) => made.about(),
        }
    }

    /// Chooses at least `wanted` bytes, or all there are: one piece of each file, whole unless it
    /// is large.
    pub(super) fn plan(&self, wanted: u64, seed: u64) -> Result<Plan, Error> {
        let mut plan = Plan { made: None, seed, files: Vec::new(), chunks: Vec::new(), skipped: 0 };
        let path = match self {
            Source::Made(made) => {
                plan.made = Some(*made);
                while plan.bytes() < wanted.max(CHUNK as u64) {
                    plan.push(0, 0, CHUNK);
                }
                return Ok(plan);
            }
            Source::Tree(path) => path,
        };
        let mut files = Vec::new();
        plan.skipped = walk(path, &mut files).map_err(|error| Error::Read {
            path: path.display().to_string(),
            why: error.to_string(),
        })?;
        files.sort();
        let mut random = fastrand::Rng::with_seed(seed);
        random.shuffle(&mut files);
        for (path, length) in files {
            let taken = length.min(CHUNK as u64);
            if taken < 2 * PAYLOAD as u64 {
                continue;
            }
            let offset = random.u64(..=(length - taken) / PAYLOAD as u64) * PAYLOAD as u64;
            plan.push(plan.files.len(), offset, taken as usize);
            plan.files.push(path);
            if plan.bytes() >= wanted {
                break;
            }
        }
        if plan.chunks.is_empty() { Err(Error::TooLittleData(self.name())) } else { Ok(plan) }
    }
}

impl Plan {
    fn push(&mut self, file: usize, offset: u64, length: usize) {
        self.chunks.push(Chunk { file, offset, length, before: self.bytes() });
    }

    /// Returns the plan of these pieces only.
    pub(super) fn part(&self, pieces: Range<usize>) -> Plan {
        let chunks = self.chunks[pieces].to_vec();
        let mut part = Plan { files: Vec::new(), chunks, ..*self };
        for chunk in &mut part.chunks {
            // Pieces of made data have no file.
            part.files.extend(self.files.get(chunk.file).cloned());
            chunk.file = part.files.len().saturating_sub(1);
        }
        part
    }

    /// Returns the bytes in all.
    pub(super) fn bytes(&self) -> u64 {
        self.chunks.last().map_or(0, |last| last.before + last.length as u64)
    }

    /// Reads a piece; `None` if the file cannot be read, or is shorter now.
    pub(super) fn read(&self, chunk: &Chunk) -> Option<Vec<u8>> {
        if let Some(made) = self.made {
            return Some(made.fill(chunk.before, chunk.length, self.seed));
        }
        let mut file = File::open(self.files.get(chunk.file)?).ok()?;
        file.seek(SeekFrom::Start(chunk.offset)).ok()?;
        let mut bytes = vec![0; chunk.length];
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// Paths that need not be Unicode, as the system has them.
#[cfg(any(unix, windows))]
mod names {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use std::ffi::OsString;
    use std::path::PathBuf;

    pub(super) fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        paths.iter().map(|path| path.as_os_str()).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(from)?.into_iter().map(PathBuf::from).collect())
    }
}

/// Adds the regular files at or below `path` with their lengths.
///
/// Returns how many folders and files could not be read.
fn walk(path: &Path, files: &mut Vec<(PathBuf, u64)>) -> std::io::Result<u64> {
    let data = fs::metadata(path)?;
    if !data.is_dir() {
        files.push((path.into(), data.len()));
        return Ok(0);
    }
    let (mut folders, mut skipped) = (vec![fs::read_dir(path)?], 0);
    while let Some(entries) = folders.pop() {
        for entry in entries {
            // The kind of a link is link.
            let known = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)));
            match known {
                Ok((path, data)) if data.is_dir() => match fs::read_dir(path) {
                    Ok(entries) => folders.push(entries),
                    Err(_) => skipped += 1,
                },
                Ok((path, data)) if data.is_file() => files.push((path, data.len())),
                Ok(_) => {}
                Err(_) => skipped += 1,
            }
        }
    }
    Ok(skipped)
}

/// Returns a seed for one piece of the work, from the seed of the whole and its number (the
/// finalizer of SplitMix64).
pub(super) fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_the_same_way_twice() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        for (name, length) in [("a", 600), ("small", 500), ("sub/b", 5 << 20), ("sub/c", 3000)] {
            fs::write(dir.path().join(name), vec![1; length]).unwrap();
        }
        let source = Source::Tree(dir.path().into());
        let plan = source.plan(u64::MAX, 1).unwrap();
        assert_eq!((plan.files.len(), plan.bytes()), (3, 600 + 3000 + (1 << 20)));
        let again = source.plan(u64::MAX, 1).unwrap();
        assert_eq!(plan.files, again.files);
        assert!(plan.chunks.iter().zip(&again.chunks).all(|(a, b)| a.offset == b.offset));
        assert!(plan.chunks.iter().all(|chunk| plan.read(chunk).unwrap().len() == chunk.length));
        assert_eq!(source.plan(1, 1).unwrap().chunks.len(), 1);

        let nothing = Source::Tree(dir.path().join("small")).plan(1, 1).err();
        assert!(matches!(nothing, Some(Error::TooLittleData(_))));
        let missing = Source::Tree(dir.path().join("missing")).plan(1, 1).err();
        assert!(matches!(missing, Some(Error::Read { .. })));
    }

    #[test]
    fn made_data_are_of_their_kind() {
        for made in Made::ALL {
            let bytes = made.fill(0, 10_000, 1);
            assert_eq!(bytes.len(), 10_000);
            assert_eq!(bytes, made.fill(0, 10_000, 1), "{}", made.name());
        }
        assert_eq!(Made::Ramp.fill(1 << 20, 4, 1), [0, 0, 0, 1]);
        assert!(Made::Bitmap.fill(0, 9999, 1).iter().all(|byte| [0, 0xff].contains(byte)));
        let zeros = Made::Zeros.fill(0, 9999, 1);
        assert!(zeros.iter().filter(|byte| **byte == 0).count() > 9500);
    }
}
