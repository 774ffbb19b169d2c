//! The families of Fletcher's sums: a unit and a modulus.

/// Bytes modulo 255: Fletcher-16.
#[derive(Clone, Copy, Debug)]
pub struct Mod255;

/// Little-endian words modulo 65535: Fletcher-32.
#[derive(Clone, Copy, Debug)]
pub struct Mod65535;

/// Bytes modulo 256, a common mistake.
#[derive(Clone, Copy, Debug)]
pub struct Mod256;

/// Little-endian words modulo 65536, a common mistake.
#[derive(Clone, Copy, Debug)]
pub struct Mod65536;
