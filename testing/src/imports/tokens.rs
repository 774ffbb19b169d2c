//! What the text of a file says of its modules: names, items and the paths in its code.

use std::collections::{BTreeMap, BTreeSet};

/// A module: what it defines, and the names that it takes from others.
#[derive(Default)]
pub struct Module {
    pub file: usize,
    pub items: BTreeSet<String>,
    /// Exported macros, which the crate's root has.
    pub macros: BTreeSet<String>,
    /// Names from `use`, and their paths.
    pub names: BTreeMap<String, Vec<String>>,
    /// The modules of which all names are used.
    pub globs: Vec<Vec<String>>,
    /// Paths in the code and in `use`, but those of re-exports that the module itself does not use.
    pub paths: BTreeSet<Vec<String>>,
}

/// Adds the module of a file and those inside it.
pub fn modules(
    file: usize,
    name: Vec<String>,
    text: &str,
    all: &mut BTreeMap<Vec<String>, Module>,
) {
    let tokens = tokens(text);
    let mut reader = Reader { file, tokens: &tokens, at: 0, all };
    reader.module(&name);
}

struct Reader<'a> {
    file: usize,
    tokens: &'a [String],
    at: usize,
    all: &'a mut BTreeMap<Vec<String>, Module>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    /// Reads to the end of the text, or of the braces of an inline module.
    fn module(&mut self, name: &[String]) {
        let mut module = Module { file: self.file, ..Module::default() };
        let (mut depth, mut is_public, mut is_exported) = (0, false, false);
        while self.at < self.tokens.len() {
            match self.peek(0) {
                "#" => {
                    let attribute = self.attribute();
                    is_exported |= attribute == "[macro_export]";
                    if attribute == "[cfg(test)]" {
                        self.skip_item();
                    }
                }
                "{" => {
                    depth += 1;
                    self.at += 1;
                }
                "}" if depth == 0 => break,
                "}" => {
                    depth -= 1;
                    self.at += 1;
                }
                "pub" => {
                    is_public = true;
                    self.at += 1;
                    if self.peek(0) == "(" {
                        while self.peek(0) != ")" {
                            self.at += 1;
                        }
                        self.at += 1;
                    }
                }
                "use" => {
                    self.at += 1;
                    self.tree(&[], is_public, &mut module);
                    is_public = false;
                }
                "mod" if self.peek(2) == "{" => {
                    let inner = [name, &[self.peek(1).to_string()]].concat();
                    self.at += 3;
                    self.module(&inner);
                    self.at += 1;
                }
                "macro_rules" => {
                    let macro_name = self.peek(2).to_string();
                    if std::mem::take(&mut is_exported) {
                        module.macros.insert(macro_name.clone());
                    }
                    module.items.insert(macro_name);
                    self.at += 3;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" => {
                    is_public = false;
                    module.items.insert(self.peek(1).to_string());
                    self.at += 1;
                }
                "mod" => self.at += 2,
                "." => self.at += if self.peek(1) == "." { 1 } else { 2 },
                word if is_name(word) => {
                    let mut path = vec![word.to_string()];
                    self.at += 1;
                    while self.peek(0) == "::" && is_name(self.peek(1)) {
                        path.push(self.peek(1).to_string());
                        self.at += 2;
                    }
                    // The macro of the standard library is none of the function's uses.
                    let is_macro = self.peek(0) == "!" && ["(", "{", "["].contains(&self.peek(1));
                    if !(is_macro && path == ["write"]) {
                        module.paths.insert(path);
                    }
                }
                _ => self.at += 1,
            }
        }
        // A single name is a path only if it comes from `use`.
        module.paths.retain(|path| path.len() > 1 || module.names.contains_key(&path[0]));
        self.all.insert(name.to_vec(), module);
    }

    /// Reads an attribute, without its spaces.
    fn attribute(&mut self) -> String {
        let (mut text, mut depth) = (String::new(), 0);
        self.at += if self.peek(1) == "!" { 2 } else { 1 };
        loop {
            let token = self.peek(0);
            depth += i32::from(token == "[") - i32::from(token == "]");
            if depth == 0 && token != "]" {
                return text;
            }
            text += token;
            self.at += 1;
            if depth == 0 || self.at >= self.tokens.len() {
                return text;
            }
        }
    }

    /// Skips an item: to its semicolon or the end of its braces.
    fn skip_item(&mut self) {
        let is_use = self.peek(0) == "use";
        let mut depth = 0;
        while self.at < self.tokens.len() {
            let token = self.peek(0).to_string();
            self.at += 1;
            depth += i32::from("{(".contains(&token)) - i32::from("})".contains(&token));
            if depth == 0 && (token == ";" || token == "}" && !is_use) {
                break;
            }
        }
    }

    /// Reads the tree of a `use`, to the comma, brace or semicolon behind it.
    fn tree(&mut self, before: &[String], is_public: bool, module: &mut Module) {
        let mut path = before.to_vec();
        loop {
            match self.peek(0) {
                "{" => {
                    self.at += 1;
                    while !["}", ""].contains(&self.peek(0)) {
                        self.tree(&path, is_public, module);
                        self.at += usize::from(self.peek(0) == ",");
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    self.at += 1;
                    return module.globs.push(path);
                }
                "::" | "$" => self.at += 1,
                "as" => {
                    let name = self.peek(1).to_string();
                    self.at += 2;
                    return module.take(name, path, is_public);
                }
                word if is_name(word) => {
                    if word != "self" || path.is_empty() {
                        path.push(word.to_string());
                    }
                    self.at += 1;
                }
                _ => {
                    let Some(name) = path.last().cloned() else { return };
                    return module.take(name, path, is_public);
                }
            }
        }
    }
}

impl Module {
    fn take(&mut self, name: String, path: Vec<String>, is_public: bool) {
        if !is_public {
            self.paths.insert(path.clone());
        }
        self.names.insert(name, path);
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Splits a text into names, `::` and single characters, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let raw = rest.trim_start_matches(['b', 'r', 'c']).trim_start_matches('#');
        let prefix = &rest[..rest.len() - raw.len()];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if raw.starts_with('"') && prefix.contains('r') {
            let hashes = prefix.matches('#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = prefix.len() + 1;
            rest[inside..].find(&end).map_or(rest.len(), |at| inside + at + end.len())
        } else if raw.starts_with('"') && !prefix.contains('#') {
            prefix.len() + quoted(raw, '"')
        } else if let Some(inside) = rest.strip_prefix('\'') {
            // A character, or a lifetime.
            let mut inside = inside.chars();
            let is_character = inside.next() == Some('\\') || inside.next() == Some('\'');
            if is_character { quoted(rest, '\'') } else { 1 }
        } else if rest.starts_with("::") {
            tokens.push("::".into());
            2
        } else if c.is_alphanumeric() || c == '_' {
            let is_inside = |c: char| c.is_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
            tokens.push(rest[..end].into());
            end
        } else {
            if !c.is_whitespace() && c != '$' {
                tokens.push(c.into());
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length of a literal between quotation marks, with escapes.
fn quoted(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == mark => return at + 1,
            _ => {}
        }
    }
    text.len()
}
