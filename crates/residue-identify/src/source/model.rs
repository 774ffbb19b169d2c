//! What the functions of all languages share: the methods, the constants of a CRC in a word, and
//! names.

use residue::crc::Params;

/// A method of computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One bit at a time: the shortest code.
    Bitwise,
    /// One byte at a time, with a table of 256 values.
    Table,
    /// Eight bytes at a time, with eight tables.
    Slicing,
}

impl Method {
    /// All methods, slowest first.
    pub const ALL: [Method; 3] = [Method::Bitwise, Method::Table, Method::Slicing];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Method::Bitwise => "bitwise",
            Method::Table => "table",
            Method::Slicing => "slicing",
        }
    }

    /// Returns the number of bytes that one step of the main loop takes; 0 for less than one.
    #[must_use]
    pub const fn tables(self) -> u32 {
        match self {
            Method::Bitwise => 0,
            Method::Table => 1,
            Method::Slicing => 8,
        }
    }
}

/// The constants of a CRC whose register is held in a word.
pub struct Model<'a> {
    /// The CRC.
    pub params: &'a Params,
    /// Bits of the word.
    pub bits: u32,
    /// Bits of the word that the register does not use.
    pub spare: u32,
    /// Polynomial, aligned as the register.
    pub poly: u128,
    /// Value of no data, with which a computation starts.
    pub start: u128,
    /// Description, one sentence in each.
    pub about: [String; 4],
}

impl<'a> Model<'a> {
    /// Chooses the narrowest of these words, in bits, ascending, that holds the register.
    pub fn new(params: &'a Params, words: &[u32]) -> Model<'a> {
        let width = u32::from(params.width);
        let bits = words.iter().copied().find(|&bits| bits >= width).unwrap_or(width);
        let spare = bits - width;
        let poly = if params.refin { params.reversed() } else { params.poly << spare };
        let start = params.reference(b"");
        let digits = usize::from(params.width.div_ceil(4));
        let Params { name, width, poly: normal, init, refin, refout, xorout, check, .. } = params;
        let about = [
            format!("{name}: width {width}, poly {normal:#x}, init {init:#x},"),
            format!("refin {refin}, refout {refout}, xorout {xorout:#x}."),
            format!("The value of \"123456789\" is 0x{check:0digits$x}."),
            format!("`crc` is the value of the data so far: {start:#x} for none."),
        ];
        Model { params, bits, spare, poly, start, about }
    }

    /// Returns whether the lowest bit of a byte comes first.
    pub fn refin(&self) -> bool {
        self.params.refin
    }

    /// Returns whether the value is the register in reverse.
    pub fn mixed(&self) -> bool {
        self.params.refin != self.params.refout
    }

    /// Returns the distance from a byte to the register's end where it is added.
    pub fn up(&self) -> u32 {
        if self.refin() { 0 } else { self.bits - 8 }
    }

    /// Returns the final xor.
    pub fn xorout(&self) -> u128 {
        self.params.xorout
    }

    /// Fills in a template. A line that begins with words in brackets stands only where all these
    /// facts hold, or those with `!` do not; `$word` is a value.
    ///
    /// `facts` and `values` are added to those that all languages have. `term` gets the number of a
    /// table and the place of its byte, and writes a term of a step of [`Method::Slicing`].
    pub fn fill(
        &self,
        template: &str,
        method: Method,
        facts: &[(&str, bool)],
        values: &[(&str, String)],
        term: impl Fn(u32, u32) -> String,
    ) -> String {
        let (refin, mixed, spare) = (self.refin(), self.mixed(), self.spare > 0);
        let moved = refin && mixed && spare;
        let known = [
            ("bitwise", method == Method::Bitwise),
            ("table", method == Method::Table),
            ("slicing", method == Method::Slicing),
            ("tables", method != Method::Bitwise),
            ("refin", refin),
            ("mixed", mixed),
            ("xorout", self.xorout() != 0),
            ("byte", self.bits == 8),
            ("up", self.up() > 0),
            ("below", self.bits < 64),
            // The register in its word: at the other end; or, reversed in the word, at this one.
            ("spare", spare && !refin),
            ("shifted", spare && !refin && !mixed),
            ("moved", moved),
            ("reversed", mixed && !moved),
        ];
        let terms: Vec<String> = (0..8).map(|byte| term(7 - byte, down(refin, byte))).collect();
        let [about1, about2, about3, about4] = self.about.clone();
        let own = [
            ("about1", about1),
            ("about2", about2),
            ("about3", about3),
            ("about4", about4),
            ("terms1", terms[..4].join(" ^ ")),
            ("terms2", terms[4..].join(" ^ ")),
            ("start", format!("{:#x}", self.start)),
            ("xorout", format!("{:#x}", self.xorout())),
            ("poly", format!("{:#x}", self.poly)),
            ("mask", format!("{:#x}", u128::MAX >> (128 - self.bits))),
            ("top", (self.bits - 1).to_string()),
            ("high", format!("{:#x}", 1_u128 << (self.bits - 1))),
            ("bits", self.bits.to_string()),
            ("width", self.params.width.to_string()),
            ("spare", self.spare.to_string()),
            ("below", 64_u32.saturating_sub(self.bits).to_string()),
            ("up", self.up().to_string()),
        ];
        let holds = |word: &str| {
            let (word, wanted) = word.strip_prefix('!').map_or((word, true), |word| (word, false));
            let fact = known.iter().chain(facts).find(|(name, _)| *name == word);
            debug_assert!(fact.is_some(), "{word} is no fact");
            fact.map(|(_, fact)| *fact) == Some(wanted)
        };
        let mut text = String::new();
        for line in template.lines() {
            let (words, line) = match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
                Some((words, line)) => (words, line.strip_prefix(' ').unwrap_or(line)),
                None => ("", line),
            };
            if words.split_whitespace().all(holds) {
                text += line;
                text.push('\n');
            }
        }
        for (name, value) in own.iter().chain(values) {
            text = text.replace(&format!("${name}"), value);
        }
        text
    }
}

/// Returns the function's name in languages that separate words by underscores, such as
/// `crc_32_iscsi`.
pub fn snake(params: &Params) -> String {
    if params.name == "custom" {
        return format!("crc_{}_custom", params.width);
    }
    params.name.replace(['-', '/'], "_")
}

/// Returns the name in languages that capitalise words, such as `Crc32Iscsi`.
pub fn camel(params: &Params) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    snake(params).split('_').map(capital).collect()
}

/// Returns the name in languages that capitalise all words but the first, such as `crc32Iscsi`.
pub fn lower_camel(params: &Params) -> String {
    let name = camel(params);
    name[..1].to_lowercase() + &name[1..]
}

/// Returns the shift that moves a byte of a 64-bit word to its lowest bits.
pub fn down(refin: bool, byte: u32) -> u32 {
    if refin { 8 * byte } else { 56 - 8 * byte }
}
