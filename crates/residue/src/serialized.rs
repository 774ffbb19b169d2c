//! Codes as text in serialized data: the name, or the parameters of a CRC without one.

use crate::Code;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// As a text: the name, or parameters, as `FromStr` takes both.
impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.params().filter(|params| params.name == CUSTOM) {
            Some(params) => serializer.collect_str(params),
            None => serializer.serialize_str(self.name()),
        }
    }
}

/// The name of CRCs that are given by their parameters.
const CUSTOM: &str = "custom";

/// From a text that `FromStr` takes: a name, an alias, or parameters.
impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Code;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a code, or the parameters of a CRC")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Code, E> {
        text.parse().map_err(E::custom)
    }
}
