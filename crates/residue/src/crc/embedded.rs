//! CRCs of up to 64 bits, all in one 64-bit embedding, and their kernels that need no tables.

use super::chains::EightChains;
use super::fold::{self, FoldApart, FoldLanesApart, FoldLong};
use super::gf2::{self, Multiples};
use super::taps::{Matrices, Taps};
use super::{Params, Register};
use crate::arch::{Portable, scalar};
use crate::body::{Body, Edges, Family, Tier};
use crate::cpu::Product;
use crate::kernel::{Dispatch, Kernel, dispatch, on_aarch64, on_x86_64};

/// The constants of the kernels for a CRC of up to 64 bits, in its 64-bit embedding.
///
/// The register is right-aligned if the code reads the lowest bit first, with bit i the coefficient
/// of x^(w-1-i); left-aligned otherwise.
#[derive(Clone, Debug)]
pub struct Constants {
    pub(crate) width: u8,
    pub(crate) reflected: bool,
    /// Whether the register's bits are reversed between the end of the data and the value.
    crossed: bool,
    /// The embedded register before the first byte.
    init: u64,
    xorout: u64,
    /// The embedded polynomial without its top term, bit i the coefficient of x^i.
    pub(crate) poly: u64,
    pub(crate) fold: fold::Keys,
    /// The byte matrices for folding, if the polynomial allows them.
    pub(crate) taps: Option<Matrices>,
    /// The register after each byte, from zero.
    pub(super) bytes: [u64; 256],
    /// x^(8 2^k) modulo the embedded polynomial; for a reflected code x^(8 2^k - 1), reversed,
    /// because its products come out one place low. Each is the square of the one before; those of
    /// lengths from 4 GiB on are computed when they are needed.
    pub(super) powers: [u64; 32],
}

impl Constants {
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
        let fold = fold::Keys::new(poly, &multiples, reflected);
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
            taps: Matrices::new(poly, &multiples, &fold, params.width, reflected),
            fold,
            bytes,
            powers,
        };
        let init = if reflected { params.reflect(params.init) } else { params.init } as u64;
        constants.init = constants.embed(init);
        constants
    }

    /// Embeds a right-aligned register.
    const fn embed(&self, register: u64) -> u64 {
        if self.reflected { register } else { register << (64 - self.width) }
    }

    /// Returns the embedded register whose value, before xorout, is `value`.
    pub(super) const fn register(&self, value: u64) -> u64 {
        let register = if self.crossed { reversed(value) >> (64 - self.width) } else { value };
        self.embed(register)
    }

    /// Returns the embedded register before the first byte.
    pub(super) const fn start(&self) -> u64 {
        self.init
    }

    /// Computes the value of `data` a byte at a time, also at compile time.
    pub(super) const fn const_value(&self, data: &[u8]) -> u64 {
        let (mut state, mut i) = (self.init, 0);
        while i < data.len() {
            state = if self.reflected {
                state >> 8 ^ self.bytes[(state as u8 ^ data[i]) as usize]
            } else {
                state << 8 ^ self.bytes[((state >> 56) as u8 ^ data[i]) as usize]
            };
            i += 1;
        }
        self.finish(state)
    }

    #[inline(always)]
    const fn finish(&self, state: u64) -> u64 {
        let register = if self.reflected { state } else { state >> (64 - self.width) };
        let register =
            if self.crossed { reversed(register) >> (64 - self.width) } else { register };
        register ^ self.xorout
    }

    /// Returns the embedded register after `bytes` zero bytes, computed bit by bit.
    ///
    /// [`advance`](super::advance) does it with carry-less products, but not at compile time.
    pub(super) const fn advance(&self, state: u64, bytes: u64) -> u64 {
        let (mut register, mut left) = (state, bytes as u32);
        while left != 0 {
            register = self.multiply(register, self.powers[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
        let (mut power, mut left) = (self.powers[31], bytes >> 32);
        while left != 0 {
            power = self.multiply(power, power);
            if left & 1 == 1 {
                register = self.multiply(register, power);
            }
            left >>= 1;
        }
        register
    }

    /// Returns the embedded register times `factor`, a power in the form of `powers`, computed bit
    /// by bit.
    pub(super) const fn multiply(&self, register: u64, factor: u64) -> u64 {
        if self.reflected {
            let factor = gf2::mulx(factor.reverse_bits(), self.poly);
            gf2::mul(register.reverse_bits(), factor, self.poly).reverse_bits()
        } else {
            gf2::mul(register, factor, self.poly)
        }
    }
}

/// Returns `bits` in reverse order.
///
/// Compilers do it by an affine product, which Bochs 2.7 gets wrong (see `ByteMatrix`): for Bochs,
/// this function is not inlined into any vector tier.
#[cfg_attr(not(residue_bochs), inline(always))]
#[cfg_attr(residue_bochs, inline(never))]
const fn reversed(bits: u64) -> u64 {
    bits.reverse_bits()
}

/// The family of the CRCs of up to 64 bits.
///
/// The state is the embedded register (see [`Constants`]).
#[derive(Debug)]
pub struct Embedded;

impl Family for Embedded {
    type With = Constants;
    type State = u64;
    type Value = u64;
    const COPIES_FROM: usize = super::fold::COPIES_FROM;

    #[inline(always)]
    fn start(with: &Constants) -> u64 {
        with.init
    }

    #[inline(always)]
    fn finish(with: &Constants, state: u64) -> u64 {
        with.finish(state)
    }
}

impl Register for Embedded {
    #[inline(always)]
    fn register(with: &Constants, value: u128) -> u64 {
        with.register(value as u64 ^ with.xorout)
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
    fn run(tier: T, with: &Constants, mut state: u64, data: &[u8]) -> u64 {
        if !with.reflected {
            return <BitwiseMsb as Body<T>>::run(tier, with, state, data);
        }
        let poly = opaque(with.poly.reverse_bits());
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
    fn run(_: T, with: &Constants, state: u64, data: &[u8]) -> u64 {
        let poly = opaque(with.poly);
        let mut register = if with.reflected { state.reverse_bits() } else { state };
        for &byte in data {
            let byte = if with.reflected { byte.reverse_bits() } else { byte };
            register ^= u64::from(byte) << 56;
            for _ in 0..8 {
                register = gf2::mulx(register, poly);
            }
        }
        if with.reflected { register.reverse_bits() } else { register }
    }
}

/// Computes bit by bit, highest first, with a branch on each bit, as the thesis prints it (S. K.
/// Sahu, 2019, section 4.4.1, page 22).
pub(crate) struct BitwiseBranch;

impl<T: Tier> Body<T> for BitwiseBranch {
    type Family = Embedded;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, with: &Constants, state: u64, data: &[u8]) -> u64 {
        let poly = with.poly;
        let mut register = if with.reflected { state.reverse_bits() } else { state };
        for &byte in data {
            let byte = if with.reflected { byte.reverse_bits() } else { byte };
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
        if with.reflected { register.reverse_bits() } else { register }
    }
}

/// The kernels of the CRCs of up to 64 bits that need no tables but [`Constants`], best first.
///
/// A line names a tier of `arch`, which supplies the operations, a body (of `fold`, `taps` or
/// `chains`), and the kernel; above it stand the CPUs that it is for.
///
/// [`Tables`](super::tables::Tables) has the others.
pub static KERNELS: &[Kernel<Embedded>] = &[
    // Zen 5.
    on_x86_64!(Avx512Vpclmul, Taps, "avx512_gfni", copy FoldLong).by(Product::ByteMatrix),
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

pub(crate) const DISPATCH: Dispatch<Embedded> = dispatch!(Embedded, KERNELS);
