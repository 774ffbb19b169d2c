//! A JSON document printed in parts, so that long lists take no memory.

use serde::Serialize;

/// A JSON container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `[...]`
    Array,
    /// `{...}`
    Object,
}

/// The open arrays and objects, outermost first, each with whether it is empty.
///
/// The texts that the methods return, put together, are what [`serde_json::to_vec_pretty`] writes
/// for the whole document, and a newline.
#[derive(Debug, Default)]
pub struct Document {
    open: Vec<(Bracket, bool)>,
}

impl Document {
    /// Returns the beginning of an array or object.
    pub fn open(&mut self, name: Option<&str>, bracket: Bracket) -> Vec<u8> {
        let mut text = self.before(name);
        text.push(if bracket == Bracket::Array { b'[' } else { b'{' });
        self.open.push((bracket, true));
        text
    }

    /// Returns a value.
    pub fn item(
        &mut self,
        name: Option<&str>,
        value: &impl Serialize,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let value = serde_json::to_vec_pretty(value)?;
        let mut text = self.before(name);
        // Strings in JSON hold no newline.
        for (at, line) in value.split(|&byte| byte == b'\n').enumerate() {
            if at > 0 {
                self.line(&mut text);
            }
            text.extend_from_slice(line);
        }
        if self.open.is_empty() {
            text.push(b'\n');
        }
        Ok(text)
    }

    /// Returns the end of the array or object opened last.
    pub fn close(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let Some((bracket, empty)) = self.open.pop() else { return text };
        if !empty {
            self.line(&mut text);
        }
        text.push(if bracket == Bracket::Array { b']' } else { b'}' });
        if self.open.is_empty() {
            text.push(b'\n');
        }
        text
    }

    /// Returns the comma, indent and name before a value.
    fn before(&mut self, name: Option<&str>) -> Vec<u8> {
        let mut text = Vec::new();
        if let Some((_, empty)) = self.open.last_mut() {
            if !std::mem::replace(empty, false) {
                text.push(b',');
            }
            self.line(&mut text);
        }
        if let Some(name) = name {
            text.extend(serde_json::Value::from(name).to_string().into_bytes());
            text.extend(b": ");
        }
        text
    }

    /// Adds a newline and the indent.
    fn line(&self, text: &mut Vec<u8>) {
        text.push(b'\n');
        text.extend(b"  ".repeat(self.open.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Prints `value` in the smallest possible parts.
    fn print(document: &mut Document, name: Option<&str>, value: &Value, text: &mut Vec<u8>) {
        match value {
            Value::Array(items) => {
                text.extend(document.open(name, Bracket::Array));
                items.iter().for_each(|item| print(document, None, item, text));
                text.extend(document.close());
            }
            Value::Object(members) => {
                text.extend(document.open(name, Bracket::Object));
                members.iter().for_each(|(name, item)| print(document, Some(name), item, text));
                text.extend(document.close());
            }
            single => text.extend(document.item(name, single).unwrap()),
        }
    }

    #[test]
    fn parts_make_the_text_of_the_whole() {
        for value in [
            json!([]),
            json!({}),
            json!(1),
            json!([1, "a\nb", [], {}, [[]], null]),
            json!({ "a": { "b\"\n": [{ "c": [1, 2] }, {}] }, "d": [], "e": 1.5, "f": {} }),
        ] {
            let whole = serde_json::to_string_pretty(&value).unwrap() + "\n";
            let mut text = Vec::new();
            print(&mut Document::default(), None, &value, &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), whole);
        }
        // Items may themselves hold arrays and objects.
        let value = json!({ "a": [{ "b": [1, {}] }, 2] });
        let mut document = Document::default();
        let mut text = document.open(None, Bracket::Object);
        text.extend(document.item(Some("a"), &value["a"]).unwrap());
        text.extend(document.close());
        let whole = serde_json::to_string_pretty(&value).unwrap() + "\n";
        assert_eq!(String::from_utf8(text).unwrap(), whole);
    }
}
