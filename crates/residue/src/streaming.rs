//! What all streaming types have.

/// Implements for a streaming type what follows from its `update` and `value`, and the standard
/// library's traits: `core::hash::Hasher`, and `std::io::Write` with the feature `std`.
macro_rules! streaming {
    ([$($generics:tt)*] $stream:ty) => {
        impl<$($generics)*> $stream {
            /// Adds the pieces in order, as `update` would their concatenation.
            pub fn update_scattered<D>(&mut self, pieces: &[D])
            where
                D: core::ops::Deref<Target = [u8]>,
            {
                pieces.iter().for_each(|piece| self.update(piece));
            }
        }

        /// Adds bytes and integers (in native byte order) as [`core::hash::Hasher`] does;
        /// `finish` is the value, or its lowest 64 bits.
        ///
        /// The codes detect accidents. They are no protection for hash tables against chosen keys.
        impl<$($generics)*> core::hash::Hasher for $stream {
            fn write(&mut self, data: &[u8]) {
                self.update(data);
            }

            fn finish(&self) -> u64 {
                Into::<u128>::into(self.value()) as u64
            }
        }

        /// Adds all bytes that are written; writing never fails.
        #[cfg(feature = "std")]
        impl<$($generics)*> std::io::Write for $stream {
            fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
                self.update(data);
                Ok(data.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
    };
}
pub(crate) use streaming;
