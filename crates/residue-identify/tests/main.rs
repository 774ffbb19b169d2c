//! Tests the identification of codes, in one program: linking each file as one of its own
//! takes longer than compiling it.

mod complete;
mod conform;
mod definition;
mod e2e;
mod formats;
mod forms;
mod identify;
mod iterated;
mod locate;
mod null;
mod params;
mod planted;
mod source;
