//! The families of Fletcher's sums: a unit and a modulus.

use crate::arch::{Bytes, Unit, Words};
use crate::body::Family;

macro_rules! families {
    ($($(#[$doc:meta])* $name:ident: $unit:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Family for $name {
            type With = ();
            type State = [u32; 2];
            type Value = u32;

            #[inline(always)]
            fn start((): &()) -> [u32; 2] {
                [0, 0]
            }

            #[inline(always)]
            fn finish((): &(), [a, b]: [u32; 2]) -> u32 {
                b << (8 * <$unit as Unit>::BYTES) | a
            }
        }
    )*};
}
families! {
    /// Bytes modulo 255: Fletcher-16.
    Mod255: Bytes;
    /// Little-endian words modulo 65535: Fletcher-32.
    Mod65535: Words;
    /// Bytes modulo 256, a common mistake.
    Mod256: Bytes;
    /// Little-endian words modulo 65536, a common mistake.
    Mod65536: Words;
}
