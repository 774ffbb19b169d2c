//! Tests that edits change their bytes, and no others.

use residue_net::Error;
use residue_net::pcap::compressed::{self, Compression, Decompressed};
use residue_net::pcap::patch::{self, Edit, Edited};
use residue_testing::noise;
use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

fn edit(file: &[u8], offset: usize, new: &[u8]) -> Edit {
    let mut edits = Edit::of(offset as u64, &file[offset..offset + new.len()], new);
    let edit = edits.next().expect("an edit");
    assert_eq!(edits.next(), None);
    edit
}

/// Returns edits at both ends, close together and far apart, and the file with them.
fn edits(file: &[u8]) -> (Vec<Edit>, Vec<u8>) {
    let mut edits = Vec::new();
    let mut expected = file.to_vec();
    let last = file.len() - 2;
    for (offset, length) in [(last, 2), (0, 4), (4, 1), (5, 2), (40, 3), (70, 4)] {
        let new: Vec<u8> = file[offset..offset + length].iter().map(|byte| !byte).collect();
        expected[offset..offset + length].copy_from_slice(&new);
        edits.push(edit(file, offset, &new));
    }
    patch::sort(&mut edits).unwrap();
    (edits, expected)
}

#[test]
fn an_edit_has_only_what_changes() {
    let of = |old: &[u8], new: &[u8]| {
        Edit::of(100, old, new)
            .map(|edit| {
                let length = usize::from(edit.length);
                assert_eq!(
                    (&edit.old[length..], &edit.new[length..]),
                    (&[0; 4][length..], &[0; 4][length..])
                );
                (edit.offset, edit.old[..length].to_vec(), edit.new[..length].to_vec())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(of(b"", b""), []);
    assert_eq!(of(b"same", b"same"), []);
    assert_eq!(of(b"abcd", b"abXd"), [(102, b"c".to_vec(), b"X".to_vec())]);
    assert_eq!(of(b"abcd", b"XbcY"), [(100, b"abcd".to_vec(), b"XbcY".to_vec())]);
    assert_eq!(
        of(b"-abcdef-", b"-ABCDEF-"),
        [(101, b"abcd".to_vec(), b"ABCD".to_vec()), (105, b"ef".to_vec(), b"EF".to_vec())]
    );
}

#[test]
fn edits_may_touch_but_not_overlap() {
    let file = noise(20);
    let mut good = [edit(&file, 4, b"____"), edit(&file, 0, b"____"), edit(&file, 8, b"_")];
    patch::sort(&mut good).unwrap();
    assert_eq!(good.map(|edit| edit.offset), [0, 4, 8]);
    let mut bad = [edit(&file, 6, b"__"), edit(&file, 3, b"____")];
    assert!(matches!(patch::sort(&mut bad), Err(Error::Overlap { offset: 6 })));
    assert!(matches!(
        patch::in_place(&mut Cursor::new(file.clone()), &bad),
        Err(Error::Overlap { offset: 6 })
    ));
}

/// A reader that returns this many bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn edits_across_reads() {
    let file = noise(100);
    let (edits, expected) = edits(&file);
    for piece in 1..=100 {
        let mut out = Vec::new();
        Edited::new(Pieces(&file, piece), &edits).read_to_end(&mut out).unwrap();
        assert_eq!(out, expected, "{piece}");
    }
}

#[test]
fn other_bytes_are_not_overwritten() {
    let file = noise(100);
    let (edits, expected) = edits(&file);
    let changed = |result: Result<(), Error>, place: u64| match result {
        Err(Error::Changed { offset }) => assert_eq!(offset, place),
        other => panic!("{other:?}"),
    };
    for (place, at) in [(0, 0), (4, 4), (41, 40), (99, 98)] {
        let mut file = file.clone();
        file[place] ^= 1;
        changed(patch::copy(&*file, io::sink(), &edits, None), place as u64);
        let mut there = Cursor::new(file.clone());
        changed(patch::in_place(&mut there, &edits).map(drop), at);
        assert_eq!(there.into_inner(), file, "nothing is written if anything is not as expected");
    }
    // A file that became shorter.
    for (length, place) in [(99, 99), (98, 98), (50, 70), (5, 5), (0, 0)] {
        let at = edits.iter().map(|edit| edit.offset + u64::from(edit.length));
        let at = at.zip(&edits).find(|(end, _)| *end > length).unwrap().1.offset;
        changed(patch::copy(&file[..length as usize], io::sink(), &edits, None), place);
        changed(
            patch::in_place(&mut Cursor::new(file[..length as usize].to_vec()), &edits).map(drop),
            at,
        );
    }
    let far = Edit { offset: u64::MAX - 1, length: 4, old: [0; 4], new: [1; 4] };
    changed(patch::in_place(&mut Cursor::new(file.clone()), &[far]).map(drop), far.offset);
    changed(patch::copy(&*file, io::sink(), &[far], None), far.offset);
    assert_eq!(expected.len(), file.len());
}

#[test]
fn in_place_writes_the_edits_only() {
    /// A file that records its writes.
    struct Watched(Cursor<Vec<u8>>, Vec<(u64, usize)>);
    impl Read for Watched {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }
    impl Write for Watched {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.push((self.0.position(), bytes.len()));
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl io::Seek for Watched {
        fn seek(&mut self, place: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(place)
        }
    }
    let file = noise(1_000_000);
    let (edits, expected) = edits(&file);
    let mut watched = Watched(Cursor::new(file), Vec::new());
    assert_eq!(patch::in_place(&mut watched, &edits).unwrap(), 16);
    assert_eq!(watched.1, [(0, 4), (4, 1), (5, 2), (40, 3), (70, 4), (999_998, 2)]);
    assert!(watched.0.into_inner() == expected);
}

#[test]
fn compressed_files_are_not_changed_in_place() {
    for compression in [Compression::Gzip, Compression::Zstd] {
        let file = noise(100);
        let mut small = Vec::new();
        compressed::copy(&mut &*file, &mut small, Some(compression)).unwrap();
        let (edits, _) = edits(&file);
        let mut there = Cursor::new(small.clone());
        match patch::in_place(&mut there, &edits) {
            Err(Error::InPlace { compression: reported }) => assert_eq!(reported, compression),
            other => panic!("{other:?}"),
        }
        assert_eq!(there.into_inner(), small);
    }
}

#[test]
fn compression_round_trip() {
    let pages: Vec<u8> =
        (0..3_000_000_u32).map(|place| (place / 1000 * (place % 7)) as u8).collect();
    let data =
        [vec![], vec![7], vec![0; 500_000], noise(131_072), noise(131_073), noise(700_001), pages];
    for (data, number) in data.iter().zip(0..) {
        for compression in [Compression::Gzip, Compression::Zstd] {
            let mut small = Vec::new();
            compressed::copy(&mut Pieces(data, 5000), &mut small, Some(compression)).unwrap();
            let mut again = Vec::new();
            let mut input = Decompressed::new(&*small).unwrap();
            assert_eq!(input.compression(), Some(compression));
            input.read_to_end(&mut again).unwrap();
            assert!(again == *data, "{compression} {number}");
        }
    }
    for (name, compression) in [
        ("a.pcap", None),
        ("a.gz", Some(Compression::Gzip)),
        ("a.pcap.GZ", Some(Compression::Gzip)),
        ("a.zst", Some(Compression::Zstd)),
        ("zst", None),
    ] {
        assert_eq!(Compression::of_name(Path::new(name)), compression, "{name}");
    }
}

/// A writer that fails after this many bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_of_input_and_output_are_reported() {
    let file = noise(1_000_000);
    for compression in [None, Some(Compression::Gzip), Some(Compression::Zstd)] {
        for room in [0, 10, 1000] {
            match patch::copy(&*file, Full(room), &[], compression) {
                Err(Error::Io { source, .. }) => {
                    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
                }
                other => panic!("{other:?}"),
            }
        }
        let wrong = Edit { offset: 300_000, length: 1, old: [!file[300_000]; 4], new: [0; 4] };
        let result = patch::copy(&*file, io::sink(), &[wrong], compression);
        assert!(matches!(result, Err(Error::Changed { offset: 300_000 })), "{result:?}");
    }
}

/// Returns the names in a folder.
fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

fn decompressed(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let input = Decompressed::new(fs::File::open(path).unwrap()).unwrap();
    io::BufReader::new(input).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn new_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = noise(600_000);
    let (edits, expected) = edits(&file);
    let mut made = Vec::new();
    for name in ["in.gz", "in.pcap", "in.zst"] {
        // The name determines the compression, not the source.
        let input = folder.path().join(name);
        patch::copy_to_file(&*file, &input, None, &[]).unwrap();
        assert!(decompressed(&input) == file, "{name}");
        made.push(input);
    }
    for input in &made {
        for name in ["in.gz", "in.pcap", "in.zst"] {
            let output = folder.path().join(format!("out-{name}"));
            let source = fs::File::open(input).unwrap();
            patch::copy_to_file(source, &output, Some(input), &edits).unwrap();
            assert!(decompressed(&output) == expected, "{name}");
            let start = fs::read(&output).unwrap();
            assert_eq!(Compression::of_start(&start), Compression::of_name(&output));
            fs::remove_file(output).unwrap();
        }
    }
    // Over the input itself.
    let input = &made[1];
    let source = fs::File::open(input).unwrap();
    patch::copy_to_file(source, input, Some(input), &edits).unwrap();
    assert!(fs::read(input).unwrap() == expected);
    assert_eq!(names(folder.path()), made);
    // In place, and back.
    let back: Vec<_> =
        edits.iter().map(|edit| Edit { old: edit.new, new: edit.old, ..*edit }).collect();
    assert_eq!(patch::in_place_file(input, &back).unwrap(), 16);
    assert!(fs::read(input).unwrap() == file);
    assert!(matches!(patch::in_place_file(&made[0], &edits), Err(Error::InPlace { .. })));
    assert!(matches!(
        patch::in_place_file(&folder.path().join("none"), &[]),
        Err(Error::Io { .. })
    ));
}

#[test]
fn a_failure_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.pcap");
    fs::write(&output, b"old").unwrap();
    let wrong = Edit { offset: 99_999, length: 1, old: [0xee; 4], new: [0; 4] };
    let result = patch::copy_to_file(&*vec![0; 100_000], &output, None, &[wrong]);
    assert!(matches!(result, Err(Error::Changed { .. })));
    assert_eq!(fs::read(&output).unwrap(), b"old");
    assert_eq!(names(folder.path()), [output]);
    let nowhere = folder.path().join("none/out.pcap");
    assert!(matches!(patch::copy_to_file(&b""[..], &nowhere, None, &[]), Err(Error::Io { .. })));
}

#[cfg(unix)]
/// A copy made while edits are found has the bytes that were read, and those that were not.
#[cfg(unix)]
#[test]
fn copies_while_edits_are_found() {
    use residue_net::pcap::ReadAt;
    let dir = tempfile::tempdir().unwrap();
    let name = dir.path().join("new.pcap");
    let file = noise(700_000);
    let (edits, expected) = edits(&file);
    let copy = |edits: Vec<Edit>, read: usize, fails: bool| {
        patch::copy_and_find(file.clone(), &name, None, |input| {
            let mut buffer = vec![0; read];
            assert_eq!(input.read_at(&mut buffer, 0).unwrap(), read.min(file.len()));
            assert_eq!(buffer[..read.min(file.len())], file[..read.min(file.len())]);
            if fails { Err(Error::Empty) } else { Ok((edits, read)) }
        })
    };
    for read in [0, 1, 300_000, file.len(), file.len() + 1] {
        assert_eq!(copy(edits.clone(), read, false).unwrap(), read);
        assert!(fs::read(&name).unwrap() == expected, "{read}");
    }
    // The old file stays where the new one fails.
    fs::write(&name, "old").unwrap();
    assert!(matches!(copy(edits.clone(), 10, true), Err(Error::Empty)));
    let wrong = Edit { old: [1; 4], ..edits[0] };
    assert!(matches!(copy(vec![wrong], 10, false), Err(Error::Changed { offset: 0 })));
    assert_eq!(fs::read(&name).unwrap(), b"old");
    assert_eq!(names(dir.path()), [&*name]);
    // A folder that has no room for a file.
    let missing = dir.path().join("missing").join("new.pcap");
    let found = patch::copy_and_find(file.clone(), &missing, None, |_| Ok((Vec::new(), ())));
    assert!(matches!(found, Err(Error::Io { .. })));
}

/// A source whose first bytes alone can be read.
#[cfg(unix)]
#[test]
fn a_copy_fails_where_the_rest_cannot_be_read() {
    struct Broken(usize);
    impl residue_net::pcap::ReadAt for Broken {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let rest = self.0.saturating_sub(offset as usize).min(buffer.len());
            buffer[..rest].fill(7);
            if rest > 0 { Ok(rest) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let name = dir.path().join("new.pcap");
    let copied = patch::copy_and_find(Broken(99), &name, None, |_| Ok((Vec::new(), ())));
    assert!(matches!(copied, Err(Error::Io { .. })));
    assert!(names(dir.path()).is_empty());
}

#[test]
fn permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let [input, output, ordinary] = ["in", "out", "ordinary"].map(|name| folder.path().join(name));
    fs::write(&input, b"0123456789").unwrap();
    let four = |place: usize| edit(b"0123456789", place, b"????");
    for permissions in [0o640, 0o444, 0o755] {
        let _ = fs::remove_file(&output);
        fs::set_permissions(&input, fs::Permissions::from_mode(permissions)).unwrap();
        patch::copy_to_file(&b"0123456789"[..], &output, Some(&input), &[four(2)]).unwrap();
        assert_eq!(mode(&output), permissions);
    }
    // With the default mode.
    fs::write(&ordinary, b"").unwrap();
    patch::copy_to_file(&b"0123456789"[..], &folder.path().join("new"), None, &[]).unwrap();
    assert_eq!(mode(&folder.path().join("new")), mode(&ordinary));
    // An existing file keeps its mode.
    patch::copy_to_file(&b"0123456789"[..], &ordinary, Some(&input), &[four(6)]).unwrap();
    assert_ne!(mode(&ordinary), mode(&input));
    assert_eq!(fs::read(&ordinary).unwrap(), b"012345????");
}

#[test]
fn spooled_input_is_read_again() {
    let file = noise(300_000);
    let mut spooled = patch::spool(Pieces(&file, 1000)).unwrap();
    for _ in 0..2 {
        let mut again = Vec::new();
        io::Seek::rewind(&mut spooled).unwrap();
        spooled.read_to_end(&mut again).unwrap();
        assert!(again == file);
    }
}
