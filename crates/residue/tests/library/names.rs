//! Names of kernels: the instructions in a name are those that the kernel needs, and every kernel
//! is listed. Names that no code has: what is near them, and what the error says.

use residue::cpu::Features;
use residue::internals::{self, Family, Kernel, ValueEncoding, Visitor};
use residue::{Code, Error};

/// Returns the words that stand for instructions, in their order in a name, each with its feature
/// and the features that every CPU with it has.
fn words() -> [(&'static str, Features, Features); 15] {
    let all = |set: &[Features]| set.iter().fold(Features::NONE, |all, &one| all.union(one));
    let ssse3 = all(&[Features::SSE2, Features::SSSE3]);
    let avx2 = all(&[ssse3, Features::SSE42, Features::AVX2]);
    // The CPUs with carry-less products in 64-byte vectors have all features of Ice Lake.
    let avx512 = all(&[avx2, Features::GFNI, Features::AVX512_VBMI2]);
    let vpclmul = all(&[avx2, Features::PCLMUL]);
    [
        ("sse2", Features::SSE2, Features::NONE),
        ("ssse3", Features::SSSE3, ssse3),
        ("sse42", Features::SSE42, ssse3),
        ("pclmul", Features::PCLMUL, ssse3),
        ("avx2", Features::AVX2, avx2),
        ("avx512", Features::AVX512, avx512),
        ("vpclmul", Features::VPCLMUL, vpclmul),
        ("gfni", Features::GFNI, vpclmul.union(Features::VPCLMUL)),
        ("vnni", Features::AVX512_VNNI, Features::NONE),
        ("neon", Features::NEON, Features::NONE),
        ("crc", Features::CRC, Features::NONE),
        ("pmull", Features::PMULL, Features::NEON),
        ("eor3", Features::SHA3, Features::NEON),
        ("zbc", Features::ZBC, Features::NONE),
        ("vgfm", Features::VECTOR, Features::NONE),
    ]
}

/// Returns the fault in a name, if any.
///
/// A name lists instructions in their order, then words for their use; the instructions must be
/// those that are needed.
fn fault(name: &str, needs: Features) -> Option<&'static str> {
    let words = words();
    let place = |word: &str| words.iter().position(|(known, ..)| *known == word);
    let places: Vec<Option<usize>> = name.split('_').map(place).collect();
    let said: Vec<usize> = places.iter().map_while(|place| *place).collect();
    if places.iter().flatten().count() != said.len() {
        return Some("instructions after other words");
    }
    if !said.is_sorted_by(|one, next| one < next) {
        return Some("instructions out of order");
    }
    if said.iter().any(|&place| !needs.contains(words[place].1)) {
        return Some("names what it does not need");
    }
    let had = |all: Features, &place: &usize| all.union(words[place].1).union(words[place].2);
    let had = said.iter().fold(Features::NONE, had);
    (!had.contains(needs)).then_some("needs what it does not name")
}

#[test]
fn names_agree_with_needs() {
    let custom: Code = "width=24,poly=5d6dcb,init=1".parse().expect("a code");
    for code in Code::all().chain([custom]) {
        let kernels: Vec<_> = code.kernels().collect();
        for (i, kernel) in kernels.iter().enumerate() {
            assert_eq!(fault(kernel.name, kernel.needs), None, "{code}: {}", kernel.name);
            assert!(kernels[..i].iter().all(|other| other.name != kernel.name), "{}", kernel.name);
        }
    }
}

#[test]
fn wrong_names_are_found() {
    let needs = Features::AVX2.union(Features::VPCLMUL);
    assert_eq!(fault("avx2_vpclmul_fold", needs), None);
    for wrong in ["avx2_fused", "vpclmul_avx2", "avx2_fold_vpclmul", "avx2_vpclmul_gfni", "fold"] {
        assert!(fault(wrong, needs).is_some(), "{wrong}");
    }
}

/// Counts the kernels of all tables.
struct Lines(usize);

impl Visitor for Lines {
    fn table<F: Family<Value: Into<u128>>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        _: impl FnOnce() -> F::Context,
        _: ValueEncoding,
    ) {
        self.0 += kernels.len();
    }
}

#[test]
fn every_code_lists_every_line_of_its_tables() {
    let wide = "width=128,poly=5".parse().unwrap();
    let own = "width=16,poly=1f2b,refin=true".parse().unwrap();
    for code in Code::all().chain([wide, own]) {
        let mut lines = Lines(0);
        internals::visit(&code, &mut lines);
        assert!(lines.0 > 0, "{code}");
        assert_eq!(code.kernels().count(), lines.0, "{code}");
        // A CRC that is not compiled has kernels by tables too.
        let named = |name: &str| code.kernels().any(|kernel| kernel.name == name);
        assert!(code.params().is_none() || named("bytewise"), "{code}");
    }
    let crc32c: Code = "crc-32c".parse().unwrap();
    assert!(crc32c.kernels().eq(internals::CRC_32C.iter().map(Kernel::info)));
}

fn near(name: &str) -> Vec<&'static str> {
    match name.parse::<Code>() {
        Err(Error::UnknownCode(unknown)) => unknown.near().collect(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn names_nearby() {
    assert_eq!(near("crc-32/iscis")[0], "crc-32/iscsi");
    assert_eq!(near("crc-32k")[0], "crc-32");
    assert_eq!(near("adler")[0], "adler-32");
    assert!(near("fletcher").contains(&"fletcher-16"));
    assert!(near("crc-33").contains(&"crc-32"));
    for nothing in ["crc-99", "sha256", "", "-", &"crc".repeat(100_000)] {
        assert!(near(nothing).is_empty(), "{nothing:.20}: {:?}", near(nothing));
    }
}

#[test]
fn the_error_names_what_was_given() {
    let message = |name: &str| name.parse::<Code>().unwrap_err().to_string();
    assert!(message("crc-32k").starts_with("no code has the name `crc-32k`; did you mean crc-32"));
    assert_eq!(message("sha256"), "no code has the name `sha256`; see the list of codes");
    assert_eq!(message("\n"), "no code has the name `\\n`; see the list of codes");
    let long = "é".repeat(1000);
    let start = "é".repeat(16);
    assert_eq!(message(&long), format!("no code has the name `{start}...`; see the list of codes"));
}

#[test]
fn a_sum_is_described_and_a_crc_has_parameters() {
    for code in Code::all() {
        let about = code.about().unwrap_or_default();
        assert_eq!(about.ends_with('.'), code.params().is_none(), "{code}: {about}");
    }
}

/// A receiver that computes the CRC of the data and of the value behind them gets a constant, if
/// the value's bytes are in their order.
#[test]
fn the_order_of_a_value_is_that_in_which_a_crc_checks_it() {
    for code in Code::all().filter(|code| code.width() % 8 == 0) {
        let received = |data: &[u8]| {
            let value = code.value(data);
            let bytes = code.width() as usize / 8;
            let value: &[u8] = match code.little_endian() {
                true => &value.to_le_bytes()[..bytes],
                false => &value.to_be_bytes()[16 - bytes..],
            };
            code.value(&[data, value].concat())
        };
        if code.params().is_some() {
            assert_eq!(received(b"123456789"), received(b"another"), "{code}");
        } else {
            assert!(!code.little_endian(), "{code}");
        }
    }
}
