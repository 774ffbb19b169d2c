//! Text from outside, made fit for a terminal.
//!
//! Names of files, arguments and the contents of files may hold characters that a terminal obeys:
//! to change colours or its title, to move the cursor over other output, to answer as if the user
//! had typed. Everything printed passes through this module: messages always, standard output if
//! it is a terminal. Files and pipes get the bytes as they are, because other programs read them.

use std::borrow::Cow;

/// The sequences that the program's styles consist of.
const SEQUENCES: [&str; 5] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m"];

/// Returns whether a terminal would obey a character, or write others in another direction.
fn is_active(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// How characters are written that a terminal must not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `\u{1b}`, `\n`, and `\x9b` for a byte that is no text.
    Text,
    /// `\u001b`: in JSON, these characters stand in strings only.
    Json,
}

/// What may reach the terminal as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// No control character: a line from outside.
    Nothing,
    /// Ends of lines, and the sequences of its styles: text of the program.
    Layout,
}

/// Returns the text with the characters escaped that a terminal would obey.
pub fn visible(text: &[u8], form: Form, kept: Kept) -> Cow<'_, [u8]> {
    let is_plain = |byte: &u8| (b' '..0x7f).contains(byte);
    if text.iter().all(|byte| is_plain(byte) || *byte == b'\n' && kept == Kept::Layout) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            let own = if kept == Kept::Layout { layout(rest) } else { 0 };
            let length = if own > 0 { own } else { c.len_utf8() };
            let (part, after) = rest.split_at(length);
            match form {
                _ if own > 0 || !is_active(c) => shown.push_str(part),
                Form::Text => shown.extend(c.escape_default()),
                Form::Json => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            }
            rest = after;
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(shown.into_bytes())
}

/// Returns the length of what `text` begins with, if that is part of the program's own layout.
fn layout(text: &str) -> usize {
    let own = ["\n"].iter().chain(&SEQUENCES).find(|own| text.starts_with(**own));
    own.map_or(0, |own| own.len())
}

/// Returns a text of one line with the characters escaped that a terminal would obey.
pub fn plain(text: &str) -> String {
    let escape = |c: char| {
        if is_active(c) { c.escape_default().to_string() } else { c.to_string() }
    };
    text.chars().map(escape).collect()
}

/// Returns a message with the characters escaped that a terminal would obey. Its own further lines
/// are indented; a line end from outside cannot begin a line that looks like another message.
pub fn message(text: &str) -> String {
    const INDENTED: &str = "\n  ";
    text.split(INDENTED).map(plain).collect::<Vec<_>>().join(INDENTED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Styles;

    #[test]
    fn messages_have_indented_lines_only() {
        let text = "a: `x y`\n    ^\n  b\nresidue: c\r\x1b[1m";
        assert_eq!(message(text), "a: `x y`\n    ^\n  b\\nresidue: c\\r\\u{1b}[1m");
    }

    fn shown(text: &str, form: Form, kept: Kept) -> String {
        String::from_utf8(visible(text.as_bytes(), form, kept).into_owned()).unwrap()
    }

    #[test]
    fn every_control_character_is_escaped() {
        let turning = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}";
        let all = (0..0xa0).filter_map(char::from_u32).chain(turning.chars());
        for c in all {
            let is_printed = matches!(c, ' '..='~');
            let text = format!("a{c}b");
            let escaped =
                if is_printed { text.clone() } else { format!("a{}b", c.escape_default()) };
            assert_eq!(shown(&text, Form::Text, Kept::Nothing), escaped);
            assert_eq!(plain(&text), escaped);
            let line = shown(&text, Form::Text, Kept::Layout);
            assert_eq!(line, if c == '\n' { text.clone() } else { escaped });
            let json = format!("\"{}\"", shown(&text, Form::Json, Kept::Nothing));
            if !matches!(c, '"' | '\\') {
                assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            }
        }
        for text in ["", "ä\u{301}", "日本 😀", "עברית"] {
            assert_eq!(shown(text, Form::Text, Kept::Nothing), text);
        }
        let bytes = visible(b"a\x9bb\xff\xc3", Form::Text, Kept::Layout);
        assert_eq!(&*bytes, b"a\\x9bb\\xff\\xc3");
    }

    #[test]
    fn the_programs_own_styles_are_kept() {
        let Styles { head, good, bad, dim } = Styles::new(true);
        for style in [head, good, bad, dim] {
            let text = format!("{style}a{style:#}");
            assert!(text.contains('\x1b'));
            assert_eq!(shown(&text, Form::Text, Kept::Layout), text);
            assert!(!shown(&text, Form::Text, Kept::Nothing).contains('\x1b'));
        }
        assert_eq!(shown("\x1b[33m", Form::Text, Kept::Layout), "\\u{1b}[33m");
        assert_eq!(shown("\x1b[", Form::Text, Kept::Layout), "\\u{1b}[");
    }
}
