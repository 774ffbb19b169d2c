//! File names as coreutils prints them.

/// Escapes a file name. The flag says whether anything had to be escaped.
pub fn escape(name: &[u8]) -> (Vec<u8>, bool) {
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\\' => escaped.extend(b"\\\\"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            _ => escaped.push(byte),
        }
    }
    let changed = escaped.len() != name.len();
    (escaped, changed)
}

/// Reverses [`escape`]. Returns `None` for an escape that `escape` does not write.
pub fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, escaped) in
            [(&b"a b"[..], &b"a b"[..]), (b"a\\b\nc\r", b"a\\\\b\\nc\\r"), (b"", b"")]
        {
            assert_eq!(escape(name), (escaped.to_vec(), name != escaped));
            assert_eq!(unescape(escaped), Some(name.to_vec()));
        }
        assert_eq!(unescape(b"a\\"), None);
        assert_eq!(unescape(b"\\t"), None);
    }
}
