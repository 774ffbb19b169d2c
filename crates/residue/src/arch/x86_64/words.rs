//! The sums S and W of words by multiply-add, for vectors of 16 and of 32 bytes.

/// Implements [`Weighted<Words>`](crate::arch::sums::Weighted) for a tier, whose module has `Sums`,
/// `biased`, `wide`, `both32` and `both64`: by the units of a step, its centre, the units of a
/// vector, the binary logarithm of those of a step, and the instructions.
macro_rules! weighted_words {
    (
        $tier:ident, $vector:ident, $step:literal - $centre:literal, $units:literal, $bits:literal;
        $zero:ident $madd:ident $ones:ident $add32:ident $add64:ident $left32:ident $left64:ident
    ) => {
        /// All sums have 32-bit lanes.
        impl Weighted<Words> for $tier {
            type Sums = Sums;
            const BIAS: i64 = 32768;
            const CENTRE: i32 = $centre;
            const STEPS: usize = {
                const STEPS: usize = 128;
                // A lane takes two words of each vector.
                let m = STEPS as u64;
                assert!(4 * 2 * 32768 * m * (m - 1) / 2 <= i32::MAX as u64);
                assert!(4 * 2 * 32768 * $centre * m <= i32::MAX as u64);
                STEPS
            };

            ops! {
                fn zero(self) -> Sums {
                    Sums { plain: $zero(), earlier: $zero(), weighted: $zero() }
                }
                fn step(self, sums: Sums, v: [$vector; 4]) -> Sums {
                    let [plain, weighted] = words(self, v);
                    Sums {
                        plain: $add32(sums.plain, plain),
                        earlier: $add32(sums.earlier, sums.plain),
                        weighted: $add32(sums.weighted, weighted),
                    }
                }
                fn totals32(self, sums: Sums) -> [u32; 2] {
                    let weighted = $add32(sums.weighted, $left32::<$bits>(sums.earlier));
                    both32(self, sums.plain, weighted)
                }
                fn totals64(self, sums: Sums) -> [i64; 2] {
                    let earlier = $left64::<$bits>(wide(self, sums.earlier));
                    let plain = wide(self, sums.plain);
                    both64(self, plain, $add64(wide(self, sums.weighted), earlier))
                }
            }

            #[inline(always)]
            fn few<const K: usize>(self, vectors: [$vector; K], units: usize) -> (u32, u32) {
                let [plain, weighted] = words(self, vectors);
                few32::<Self, Words, K>(both32(self, plain, weighted), units)
            }
        }

        /// Returns the plain and the weighted sums of the last `K` vectors of a step.
        #[inline(always)]
        fn words<const K: usize>(proof: $tier, v: [$vector; K]) -> [$vector; 2] {
            const WORDS: [[i16; $units]; 4] = weights!($step, $centre, i16, $units);
            // SAFETY: any bytes make a vector, and the sizes are equal.
            const WEIGHTS: [$vector; 4] =
                unsafe { core::mem::transmute::<[[i16; $units]; 4], [$vector; 4]>(WORDS) };
            // SAFETY: the marker proves the features of the tier.
            unsafe {
                let (mut plain, mut weighted) = ([$zero(); K], [$zero(); K]);
                for j in 0..K {
                    let words = biased(proof, v[j]);
                    plain[j] = $madd(words, $ones(1));
                    weighted[j] = $madd(words, WEIGHTS[4 - K + j]);
                }
                let mut width = K;
                while width > 1 {
                    width /= 2;
                    for j in 0..width {
                        plain[j] = $add32(plain[j], plain[j + width]);
                        weighted[j] = $add32(weighted[j], weighted[j + width]);
                    }
                }
                [plain[0], weighted[0]]
            }
        }
    };
}
pub(super) use weighted_words;
