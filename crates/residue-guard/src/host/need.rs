//! Requirements of an engine.

use serde::Serialize;

/// A requirement of the guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// Name of the requirement.
    pub name: &'static str,
    /// Why it is not met; `None`: it is.
    pub missing: Option<String>,
    /// Whether another requirement can replace it.
    pub replaceable: bool,
}
