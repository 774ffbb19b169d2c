//! Arguments that are one of some names.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::fmt::Debug;
use std::str::FromStr;

/// Returns a parser of the names of an enum, which lists them in the help.
pub fn names<T: FromStr<Err: Debug> + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(|name| name.parse().expect("one of the names"))
}
