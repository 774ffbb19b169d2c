//! CRCs of up to 64 bits, all in one 64-bit embedding, and their kernels that need no tables.

use super::chains::EightChains;
use super::constants::{Constants, Embedded, Long};
use super::fold::{FoldApart, FoldLanesApart, FoldLong};
use super::gf2::{self, Multiples};
use super::keys::Keys;
use super::matrices::Matrices;
use super::params::Params;
use super::taps::Taps;
use crate::arch::{Portable, scalar};
use crate::body::{Body, Edges, Tier};
use crate::kernel::{Kernel, dispatched, on_aarch64, on_riscv64, on_s390x, on_x86_64};

impl Constants {
    /// Computes the constants of a CRC.
    pub(super) const fn new(params: &Params) -> Constants {
        let poly = (params.poly as u64) << (64 - params.width);
        let reflected = params.refin;
        let multiples = Multiples::new(poly);
        let mut bytes = [0; 256];
        let mut i = 1usize;
        while i < 256 {
            bytes[i] = if !reflected {
                multiples.remainder(i as u8)
            } else if i.is_power_of_two() {
                multiples.remainder((i as u8).reverse_bits()).reverse_bits()
            } else {
                let lowest = i & i.wrapping_neg();
                bytes[lowest] ^ bytes[i ^ lowest]
            };
            i += 1;
        }
        let fold = Keys::new(poly, &multiples, reflected);
        let (mut powers, mut power) = ([0; 32], 0);
        let mut k = 0;
        while k < 32 {
            let shift = 8 << k;
            power = if shift <= 63 {
                1 << (shift - reflected as u64)
            } else if shift == 64 {
                if reflected { 1 << 63 } else { poly }
            } else if shift <= 16 * 128 {
                fold.step(shift as usize / 128, reflected)
            } else if reflected {
                gf2::mulx(multiples.square(power), poly)
            } else {
                multiples.square(power)
            };
            powers[k] = if reflected { power.reverse_bits() } else { power };
            k += 1;
        }
        let mut constants = Constants {
            width: params.width,
            reflected,
            crossed: params.refin != params.refout,
            init: 0,
            xorout: params.xorout as u64,
            poly,
            taps: taps(poly, &multiples, &fold, params.width, reflected),
            fold,
            bytes,
            powers,
        };
        let init = if reflected { params.reflect(params.init) } else { params.init } as u64;
        constants.init = constants.embed(init);
        constants
    }
}

/// Returns the byte matrices of a CRC and their code, if the polynomial has matrices and the target
/// has code for them.
const fn taps(
    poly: u64,
    multiples: &Multiples,
    fold: &Keys,
    width: u8,
    reflected: bool,
) -> Option<(Matrices, Long)> {
    // Code that is not there has no size. To find matrices takes 3.2 of the 5.7 µs in which a CRC
    // is prepared (Emerald Rapids, 2026-12-01, the mean of the catalogue).
    if size_of::<Long>() == 0 {
        return None;
    }
    match Matrices::new(poly, multiples, fold, width, reflected) {
        Some(matrices) => {
            let long = Long::new(matrices.set, reflected);
            Some((matrices, long))
        }
        None => None,
    }
}

/// Hides the polynomial from the compiler.
///
/// With a constant polynomial, it recognises the loop below and replaces it by table look-ups, and
/// the benchmark would measure `bytewise` under another name.
#[inline(always)]
fn opaque(poly: u64) -> u64 {
    core::hint::black_box(poly)
}

/// Computes bit by bit, in the code's own order.
pub(crate) struct Bitwise;

impl<T: Tier> Body<T> for Bitwise {
    type Family = Embedded;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(tier: T, context: &Constants, mut state: u64, data: &[u8]) -> u64 {
        if !context.reflected {
            return <BitwiseMsb as Body<T>>::run(tier, context, state, data);
        }
        let poly = opaque(context.poly.reverse_bits());
        for &byte in data {
            state ^= u64::from(byte);
            for _ in 0..8 {
                state = (state >> 1) ^ (poly & (state & 1).wrapping_neg());
            }
        }
        state
    }
}

/// Computes bit by bit, highest first (the form of the thesis, section 4.4.1).
pub(crate) struct BitwiseMsb;

impl<T: Tier> Body<T> for BitwiseMsb {
    type Family = Embedded;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        let poly = opaque(context.poly);
        let mut register = if context.reflected { state.reverse_bits() } else { state };
        for &byte in data {
            let byte = if context.reflected { byte.reverse_bits() } else { byte };
            register ^= u64::from(byte) << 56;
            for _ in 0..8 {
                register = gf2::mulx(register, poly);
            }
        }
        if context.reflected { register.reverse_bits() } else { register }
    }
}

/// Computes bit by bit, highest first, with a branch on each bit, as the thesis prints it (S. K.
/// Sahu, 2019, section 4.4.1, page 22).
pub(crate) struct BitwiseBranch;

impl<T: Tier> Body<T> for BitwiseBranch {
    type Family = Embedded;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        let poly = context.poly;
        let mut register = if context.reflected { state.reverse_bits() } else { state };
        for &byte in data {
            let byte = if context.reflected { byte.reverse_bits() } else { byte };
            register ^= u64::from(byte) << 56;
            for _ in 0..8 {
                register = if register >> 63 == 1 {
                    // The compiler would select one of two values without a branch.
                    scalar(register << 1) ^ poly
                } else {
                    register << 1
                };
            }
        }
        if context.reflected { register.reverse_bits() } else { register }
    }
}

/// The kernels of the CRCs of up to 64 bits that need no tables but [`Constants`], best first.
///
/// A line names a tier of `arch`, which supplies the operations, a body (of `fold`, `taps` or
/// `chains`), and the kernel; above it stand the CPUs that it is for.
///
/// [`Tables`](super::tables::Tables) has the others.
pub(crate) const KERNELS: &[Kernel<Embedded>] = &[
    // Zen 5.
    on_x86_64!(Avx512Vpclmul, Taps, "avx512_gfni", copy FoldLong).by_matrices(64),
    // Intel from Ice Lake on, with AVX-512; Zen 4.
    on_x86_64!(Avx512Vpclmul, FoldLanesApart, "avx512_vpclmul", copy FoldLong),
    // Zen 3; Intel from Alder Lake on, without AVX-512.
    on_x86_64!(Avx2Vpclmul, FoldApart, "avx2_vpclmul", copy FoldLong),
    // Intel from Westmere, AMD from Bulldozer to Zen 2.
    on_x86_64!(Pclmul, FoldApart, "pclmul", copy FoldLong),
    // Apple M; Neoverse V1 and N2, and later ones.
    on_aarch64!(PmullEor3, FoldApart, "pmull_eor3", copy FoldLong),
    // Other CPUs with the instructions for AES: Neoverse N1, Cortex-A.
    on_aarch64!(Pmull, FoldApart, "pmull", copy FoldLong),
    on_riscv64!(Zbc, FoldApart, "zbc", copy FoldLong),
    on_s390x!(Vector, FoldApart, "vgfm", copy FoldLong),
    #[cfg(feature = "generic")]
    Kernel::generic::<FoldApart>("generic"),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Bitwise>("bitwise").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, BitwiseMsb>("bitwise_msb").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, BitwiseBranch>("bitwise_sahu2019").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, EightChains>("eight_chains").method(),
    Kernel::on::<Portable, EightChains>("portable").same_as("eight_chains"),
];

dispatched!(Embedded, KERNELS);
