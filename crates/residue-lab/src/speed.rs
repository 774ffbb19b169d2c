//! How fast is each kernel?

pub mod model;
