//! What the profile of the CPU at hand should say: which product is faster, and the lengths at
//! which methods change.
//!
//! Each figure of a [`Profile`] decides between two kernels. They are forced, timed side by side on
//! a range of lengths ([`Rounds`](super::harness::Rounds)), and their medians compared.

mod entry;
mod search;
mod trial;

pub use search::{Crossover, TIE};
pub use trial::{Comparison, Point};

use super::clock::Clock;
use super::load::{Load, Watch};
use super::machine::{cpu_name, cpu_signature};
use crate::{Error, Progress};
use entry::{date, entry};
use residue::Code;
use residue::cpu::{self, Product, Profile};
use residue::kernel::{KernelInfo, Role};
use search::{crossover, faster};
use serde::Serialize;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A length of a profile, and the comparison that finds it.
struct Length {
    /// The field of the profile.
    field: &'static str,
    value: fn(&mut Profile) -> &mut usize,
    /// The code whose kernels are compared: those of other codes change at the same length.
    code: &'static str,
    /// The kernel for shorter data, which is the simpler one, and the kernel for longer data. Each
    /// runs one method in the range of sizes.
    kernels: [&'static str; 2],
    /// The range of sizes.
    sizes: RangeInclusive<usize>,
}

/// The lengths of a profile.
const LENGTHS: [Length; 4] = [
    Length {
        field: "vectors_from",
        value: |profile| &mut profile.vectors_from,
        code: "crc-32/iso-hdlc",
        // In data of this length the second one folds with vectors of 64 bytes alone.
        kernels: ["avx512_vpclmul_fold", "avx512_gfni"],
        sizes: 16..=64,
    },
    Length {
        field: "fold_from",
        value: |profile| &mut profile.fold_from,
        code: "crc-32/iscsi",
        kernels: ["sse42_head", "avx512_vpclmul"],
        sizes: 32..=256,
    },
    Length {
        field: "both_from",
        value: |profile| &mut profile.both_from,
        code: "crc-32/iscsi",
        kernels: ["avx512_vpclmul", "sse42_avx512_vpclmul_fused"],
        sizes: 1024..=64 << 10,
    },
    Length {
        field: "few_from",
        value: |profile| &mut profile.few_from,
        code: "crc-32/iso-hdlc",
        kernels: ["avx512_vpclmul_fold", "avx512_gfni_few"],
        // Above, caches decide.
        sizes: 1024..=512 << 10,
    },
];

/// The codes by which products are compared, and the sizes: long data.
const PRODUCT_CODES: [&str; 3] = ["crc-32/iscsi", "crc-32/iso-hdlc", "crc-64/nvme"];
const PRODUCT_SIZES: [usize; 4] = [4096, 16 << 10, 64 << 10, 256 << 10];

/// Returns the sizes of a range, four for each doubling.
fn sizes(range: &RangeInclusive<usize>) -> Vec<usize> {
    let doublings = std::iter::successors(Some(*range.start()), |size| size.checked_mul(2));
    let all = doublings.flat_map(|size| (4..8).map(move |quarters| size / 4 * quarters));
    all.take_while(|size| size <= range.end()).collect()
}

/// A length of the profile as measured.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The field of the profile.
    pub field: &'static str,
    /// The length that the built-in profile holds.
    pub built_in: usize,
    /// The crossover; `None` where this CPU cannot run both kernels.
    pub measured: Option<Crossover>,
    /// The comparison by which it was found; likewise.
    pub comparison: Option<Comparison>,
}

/// The profile of a CPU, measured.
#[derive(Debug, Clone, Serialize)]
pub struct Tuning {
    /// Version of `residue` that measured.
    pub residue: &'static str,
    /// The day: UTC, as 2026-11-23.
    pub date: String,
    /// The CPU's name, and the numbers that identify its core.
    pub cpu: String,
    /// The CPU features that kernels could use.
    pub features: Vec<&'static str>,
    /// The name of the built-in profile of this CPU.
    pub built_in: &'static str,
    /// The product that the built-in profile prefers.
    pub built_in_product: &'static str,
    /// The faster product; `None` where this CPU cannot run the kernels of both.
    pub product: Option<&'static str>,
    /// The comparisons of products, carry-less first, for each code.
    pub products: Vec<Comparison>,
    /// The lengths.
    pub lengths: Vec<Found>,
    /// The profile, as an entry of `PROFILES` in Rust.
    pub entry: String,
    /// Sentences: where the measured profile differs from the built-in one, and what that costs.
    pub findings: Vec<String>,
    /// The share of time that other programs took.
    pub load: Load,
}

/// Measures the profile of this CPU for about as long as `limit`; every comparison runs at least
/// once.
///
/// # Errors
/// If this CPU can run none of the kernels between which a profile chooses, or a kernel gives a
/// wrong answer.
pub fn tune(limit: Duration, clock: &Clock, progress: Progress<'_>) -> Result<Tuning, Error> {
    let watch = Watch::start();
    let mut wanted = Vec::new();
    for name in PRODUCT_CODES {
        let code = parse(name)?;
        let kernels = [Product::CarryLess, Product::ByteMatrix].map(|one| preferred(&code, one));
        if let [Some(folding), Some(matrices)] = kernels
            && folding.name != matrices.name
        {
            wanted.push((code, [folding.name, matrices.name], PRODUCT_SIZES.to_vec()));
        }
    }
    let products = wanted.len();
    let mut measured = Vec::new();
    for length in &LENGTHS {
        let code = parse(length.code)?;
        let runs = |name| code.kernels().any(|kernel| kernel.name == name && kernel.supported());
        measured.push(length.kernels.into_iter().all(runs));
        if measured[measured.len() - 1] {
            wanted.push((code, length.kernels, sizes(&length.sizes)));
        }
    }
    if wanted.is_empty() {
        let names: Vec<&str> = LENGTHS.iter().map(|length| length.kernels[1]).collect();
        return Err(Error::NothingToTune(names.join(", ")));
    }
    let mut comparisons = trial::compare(wanted, limit, clock, progress)?.into_iter();
    let products = comparisons.by_ref().take(products).collect();
    let lengths = measured.into_iter().map(|measured| measured.then(|| comparisons.next()));
    let lengths = lengths.map(Option::flatten).collect();
    Ok(Tuning::of(cpu::detected_profile(), products, lengths, watch.load()))
}

fn parse(name: &str) -> Result<Code, Error> {
    name.parse().map_err(|error| Error::Code(name.to_string(), error))
}

/// Returns the kernel that the library would choose on this CPU if `product` were the faster one.
fn preferred(code: &Code, product: Product) -> Option<KernelInfo> {
    let suits = |kernel: &KernelInfo| {
        let dispatched = kernel.role == Role::Dispatched && kernel.supported();
        dispatched && kernel.product.is_none_or(|one| one == product)
    };
    code.kernels().find(suits)
}

impl Tuning {
    /// Draws the conclusions; `lengths` holds the comparison for each of [`LENGTHS`].
    fn of(
        built_in: &Profile,
        products: Vec<Comparison>,
        lengths: Vec<Option<Comparison>>,
        load: Load,
    ) -> Tuning {
        let (mut profile, mut original, mut notes) = (*built_in, *built_in, Vec::new());
        let (mut found, mut findings) = (Vec::new(), Vec::new());
        let product = (!products.is_empty()).then(|| faster(&products));
        if let Some(product) = product {
            profile.product = product;
        } else {
            notes.push(("product", "not measured"));
        }
        findings.extend(search::product_finding(built_in.product, &products));
        for (length, comparison) in LENGTHS.iter().zip(lengths) {
            let built_in = *(length.value)(&mut original);
            let measured = comparison.as_ref().map(|one| crossover(&one.points));
            match measured {
                Some(Crossover::From(bytes)) => *(length.value)(&mut profile) = bytes,
                Some(Crossover::NotFound) => notes.push((length.field, "not found")),
                None => notes.push((length.field, "not measured")),
            }
            let points = comparison.as_ref().map_or(&[][..], |one| &one.points);
            findings.extend(search::finding(length.field, built_in, measured, points));
            found.push(Found { field: length.field, built_in, measured, comparison });
        }
        let cpu = [Some(cpu_name()), cpu_signature()].into_iter().flatten();
        let (cpu, date) = (cpu.collect::<Vec<_>>().join(" "), date());
        Tuning {
            residue: env!("CARGO_PKG_VERSION"),
            entry: entry(&profile, &cpu, &format!("{cpu}, {date}"), &notes),
            date,
            cpu,
            features: cpu::features().names().collect(),
            built_in: built_in.name,
            built_in_product: built_in.product.name(),
            product: product.map(Product::name),
            products,
            lengths: found,
            findings,
            load,
        }
    }
}
