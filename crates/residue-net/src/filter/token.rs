//! The words and signs of an expression.

use super::FilterError;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Word(&'a str),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// A token with its place in the expression.
pub type Placed<'a> = (Token<'a>, Range<usize>);

/// The sign of what is not supported.
pub const COMPARISON: &str = "comparisons of bytes and lengths (`tcp[13] & 2 != 0`, `len > 100`) \
                              are not supported; `less LENGTH` and `greater LENGTH` are";

/// Splits an expression into tokens.
pub fn tokens(expression: &str) -> Result<Vec<Placed<'_>>, FilterError> {
    let mut tokens = Vec::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let start = expression.len() - rest.len();
        let fail = |length: usize, message: &str| {
            Err(FilterError::new(expression, start..start + length, message))
        };
        let sign = |token, length| Some((token, length));
        let found = match first {
            _ if first.is_whitespace() => None,
            '(' => sign(Token::Open, 1),
            ')' => sign(Token::Close, 1),
            '!' if rest[1..].starts_with('=') => return fail(2, COMPARISON),
            '!' => sign(Token::Not, 1),
            '&' if rest[1..].starts_with('&') => sign(Token::And, 2),
            '|' if rest[1..].starts_with('|') => sign(Token::Or, 2),
            '&' | '|' | '[' | ']' | '=' | '<' | '>' | '+' | '*' | '^' | '%' => {
                return fail(1, COMPARISON);
            }
            _ if is_of_word(first) => {
                let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
                let word = &rest[..end];
                let token = match word {
                    "and" => Token::And,
                    "or" => Token::Or,
                    "not" => Token::Not,
                    word => Token::Word(word),
                };
                sign(token, end)
            }
            other => {
                let message = format!("filters have no character `{}`", other.escape_debug());
                return fail(other.len_utf8(), &message);
            }
        };
        let length = match found {
            Some((token, length)) => {
                tokens.push((token, start..start + length));
                length
            }
            None => first.len_utf8(),
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Returns whether words (names, numbers, addresses, ranges, nets) have this character.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | ':' | '/' | '-' | '_' | '\\')
}
