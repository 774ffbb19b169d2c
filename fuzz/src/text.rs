//! Target `text`.

use residue::Code;
use residue::code::partial::{self, Partial};
use residue_net::filter::Filter;

/// Any text as a code, a partial and a filter: it is refused, or a code or partial that was read
/// writes itself as a text that says the same.
pub fn text(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    if let Ok(code) = text.parse::<Code>() {
        let own = code.params().filter(|params| params.name == "custom");
        let written = own.map_or_else(|| code.to_string(), ToString::to_string);
        let again: Code = written.parse().expect("the text of a code");
        assert_eq!(code, again);
        assert_eq!(again.value(b"123456789"), code.reference(b"123456789"), "{written}");
    }
    if let Ok((code, value, length)) = partial::parse(text)
        && let Ok(partial) = Partial::new(&code, value, length)
    {
        let written = partial.to_string();
        assert_eq!(partial::parse(&written).expect("a partial"), (code.clone(), value, length));
    }
    // A filter keeps no text; that it selects is asserted by `verify`.
    let _ = Filter::parse(text);
}
