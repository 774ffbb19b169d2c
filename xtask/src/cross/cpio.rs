//! Archives that Linux unpacks into its first file system: cpio, format `newc`.

use std::collections::BTreeSet;

/// An archive under construction. Folders are added as needed.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    entries: u32,
}

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const CHARACTERS: u32 = 0o020_600;

impl Archive {
    /// Adds an executable file; `path` has no leading slash.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        self.folders_of(path);
        self.entry(path, PROGRAM, (0, 0), content);
    }

    /// Adds a character device with its major and minor number.
    pub fn device(&mut self, path: &str, numbers: (u32, u32)) {
        self.folders_of(path);
        self.entry(path, CHARACTERS, numbers, &[]);
    }

    /// Adds an empty folder.
    pub fn folder(&mut self, path: &str) {
        self.folders_of(&format!("{path}/"));
    }

    /// Returns the whole archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }

    fn folders_of(&mut self, path: &str) {
        for (end, _) in path.match_indices('/') {
            if self.folders.insert(path[..end].to_string()) {
                self.entry(&path[..end], FOLDER, (0, 0), &[]);
            }
        }
    }

    fn entry(&mut self, path: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        let size = u32::try_from(content.len()).expect("files below 4 GiB");
        let name = u32::try_from(path.len() + 1).expect("short names");
        self.entries += 1;
        // Inode, mode, owner, group, links, time, size, two device numbers of the file system, two
        // of the file, length of the name with its final zero, checksum (unused).
        let (major, minor) = device;
        let fields = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, major, minor, name, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Archive;

    #[test]
    fn folders_come_before_what_is_in_them_and_once() {
        let mut archive = Archive::default();
        archive.file("a/b/c", b"12345");
        archive.file("a/b/d", b"");
        archive.folder("a/e");
        archive.device("dev/console", (5, 1));
        let bytes = archive.finish();
        assert_eq!(bytes.len() % 4, 0);
        let (mut names, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            assert_eq!(&bytes[at..at + 6], b"070701");
            let header = &bytes[at..at + 110];
            let field = |n: usize| {
                let digits = std::str::from_utf8(&header[6 + 8 * n..][..8]).expect("digits");
                usize::from_str_radix(digits, 16).expect("a number")
            };
            let name = &bytes[at + 110..at + 110 + field(11) - 1];
            names.push(String::from_utf8_lossy(name).into_owned());
            at = (at + 110 + field(11)).next_multiple_of(4);
            at = (at + field(6)).next_multiple_of(4);
        }
        let expected = ["a", "a/b", "a/b/c", "a/b/d", "a/e", "dev", "dev/console", "TRAILER!!!"];
        assert_eq!(names, expected);
    }
}
