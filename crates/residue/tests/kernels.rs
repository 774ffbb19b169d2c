//! Every kernel this CPU can run, compared with the definitions: lengths, alignments, start states,
//! page ends.

mod common;

use common::{Runnable, slow, sums_and, thinned};
use residue::crc::{Crc, Params, catalog};
use residue::internals::{self, Family, Kernel, ValueEncoding, Visitor};
use residue::{Code, cpu, xns};
use residue_testing::noise;

/// Returns the lengths around the edges of a code's kernels, and around their multiples.
fn boundaries(code: &Code) -> Vec<usize> {
    struct Edges(Vec<usize>);
    impl Visitor for Edges {
        fn table<F: Family<Value: Into<u128>>>(
            &mut self,
            kernels: &'static [Kernel<F>],
            _: impl FnOnce() -> F::Context,
            _: ValueEncoding,
        ) {
            kernels.iter().for_each(|kernel| kernel.edges().each(&mut |edge| self.0.push(edge)));
        }
    }
    let mut edges = Edges(Vec::new());
    internals::visit(code, &mut edges);
    // Long blocks take long.
    let multiples =
        edges.0.into_iter().filter(|&edge| edge > 0).flat_map(|edge| {
            (1..=4).map(move |k| k * edge).filter(move |&n| n == edge || n <= LONG)
        });
    let mut lengths: Vec<usize> = multiples.flat_map(|n| [n - 1, n, n + 1, n + 7]).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The length above which slow kernels and emulators take long.
const LONG: usize = 30_000;

/// A code, and the kernels that are compared with its definition.
struct Compared {
    code: Code,
    kernels: Vec<Runnable>,
}

impl Compared {
    fn of(code: Code) -> Self {
        Compared { kernels: common::kernels(&code), code }
    }

    fn named(name: &str) -> Self {
        Compared::of(common::code(name))
    }

    /// Runs every kernel on the data: at once, and from state to state.
    fn compare(&self, data: &[u8]) {
        let (code, n, expected) = (&self.code, data.len(), self.code.reference(data));
        // An even place, because words must not be cut in two.
        let cut = n / 3 / 4 * 4;
        // Bit by bit there are no blocks, and long data take long.
        let wanted = |it: &&Runnable| n <= LONG || !it.name.starts_with("bitwise");
        for Runnable { name, value, in_two } in self.kernels.iter().filter(wanted) {
            assert_eq!(value(data), expected, "{code} {name} of {n} bytes");
            assert_eq!(in_two(data, cut), expected, "{code} {name} of {n} bytes, cut at {cut}");
        }
    }
}

/// The kernels of another CRC's tables are wrong ones.
#[test]
#[should_panic(expected = "crc-32/bzip2 ")]
fn wrong_kernels_in_a_table_are_found() {
    let other = common::kernels(&common::code("crc-32/cksum"));
    Compared { code: common::code("crc-32/bzip2"), kernels: other }.compare(&[1, 2, 3]);
}

/// Returns codes whose tables are few or cheap to make: the sums, and a CRC of each kind.
fn codes() -> impl Iterator<Item = Compared> {
    let codes = sums_and(&[
        "crc-32/iscsi",
        "crc-32/iso-hdlc",
        "crc-32/bzip2",
        "crc-64/nvme",
        "crc-64/ecma-182",
        "crc-16/arc",
        "crc-16/xmodem",
        "crc-12/umts",
        "crc-3/gsm",
        "crc-5/usb",
        "crc-24/openpgp",
        "crc-82/darc",
    ]);
    codes.into_iter().map(Compared::of)
}

#[test]
fn all_lengths_from_empty_to_four_blocks() {
    let data = noise(700);
    for code in codes() {
        assert!(code.code.kernels().any(|kernel| kernel.supported()));
        for n in thinned(0..=600, 3) {
            code.compare(&data[n % 64..n % 64 + n]);
        }
    }
}

#[test]
#[ignore = "long"]
fn lengths_around_every_block() {
    let data = noise((4 << 20) + 200);
    for code in codes() {
        // Sums have the longest blocks, and few kernels.
        let longest =
            if common::emulated() && code.code.params().is_some() { LONG } else { 5 << 20 };
        let lengths = boundaries(&code.code).into_iter().chain([(2 << 20) + 129]);
        for n in thinned(lengths.filter(|&n| n <= longest), 7) {
            code.compare(&data[n % 61..n % 61 + n]);
        }
    }
}

/// Where the profile asks for it, loops read whole cache lines: bytes before the first one and
/// behind the last are counted apart. [`loops_that_other_profiles_ask_for`] makes profiles ask.
#[test]
fn every_place_in_a_cache_line() {
    let data = noise(6600);
    for name in ["crc-32/iscsi", "crc-32/iso-hdlc", "crc-64/nvme", "crc-64/ecma-182", "adler-32"] {
        let code = Compared::named(name);
        for start in thinned(0..64, 5) {
            for n in [1280, 1291, 1343, 1344 + start, 5120 + 1279, 6500] {
                code.compare(&data[start..start + n]);
            }
        }
    }
}

/// Where the profile asks for it, long data have loops of their own that read ahead.
/// [`loops_that_other_profiles_ask_for`] makes profiles ask.
#[test]
fn lengths_that_are_read_ahead() {
    if common::emulated() {
        return residue_testing::skip("it takes minutes in an emulator");
    }
    let Some(way) = cpu::profile().reads_ahead else {
        return;
    };
    // Those beside instructions read ahead in longer data only.
    for from in [way.least_length(), way.least_length().max(256 << 10)] {
        // A head, and more behind a step of the loop.
        let data = noise(from + 6500);
        for name in ["crc-32/iscsi", "crc-32/iso-hdlc", "crc-32/bzip2", "adler-32"] {
            let code = Compared::named(name);
            for n in [from, from + 300, from + 1000, from + 4096, data.len()] {
                code.compare(&data[..n]);
            }
        }
    }
}

/// Runs the two tests above under each profile, but this CPU's, that asks for one of the loops.
#[test]
#[ignore = "long"]
fn loops_that_other_profiles_ask_for() {
    if common::emulated() {
        return residue_testing::skip("an emulated program cannot start itself");
    }
    for profile in cpu::PROFILES.iter().filter(|&profile| profile != cpu::profile()) {
        let asks = [
            (profile.aligns, "every_place_in_a_cache_line"),
            (profile.reads_ahead.is_some(), "lengths_that_are_read_ahead"),
        ];
        for (_, test) in asks.into_iter().filter(|(asks, _)| *asks) {
            let printed = common::child(test, &[("RESIDUE_PROFILE", profile.name)]);
            assert!(printed.contains("1 passed"), "{printed}");
        }
    }
}

/// Byte matrices begin at 1024 bytes; a CRC for each set of taps, with windows of 8, 12 and 16
/// vectors.
#[test]
#[ignore = "long"]
fn lengths_around_the_windows_of_byte_matrices() {
    let names = [
        "crc-32/iscsi",
        "crc-32/iso-hdlc",
        "crc-64/nvme",
        "crc-64/xz",
        "crc-64/ms",
        "crc-64/ecma-182",
        "crc-40/gsm",
        "crc-32/bzip2",
        "crc-32/mef",
        "crc-32/autosar",
        "crc-32/cd-rom-edc",
        "crc-24/openpgp",
        "crc-24/flexray-a",
        "crc-24/ble",
        "crc-21/can-fd",
        "crc-16/arc",
        "crc-16/ibm-sdlc",
        "crc-16/t10-dif",
        "crc-8/smbus",
    ];
    let data = noise(2800);
    for name in names {
        let code = Compared::named(name);
        for n in thinned(1000..=2600, 29).step_by(3) {
            code.compare(&data[n % 64..n % 64 + n]);
        }
        // An all-zero message cannot hide the loss of a start state.
        code.compare(&[0; 1500]);
    }
}

#[test]
fn all_alignments() {
    let data = noise(400);
    for code in codes() {
        for offset in thinned(0..64, 5) {
            for n in [1, 7, 8, 9, 16, 17, 31, 33, 63, 65, 100, 129, 200, 257] {
                code.compare(&data[offset..offset + n]);
            }
        }
    }
}

#[test]
fn all_catalogue_crcs() {
    let data = noise(300);
    for params in catalog::ALL {
        let code = Compared::of(Code::Crc(Crc::new(params)));
        let long = [63, 64, 65, 127, 128, 129, 143, 144, 145, 192, 255, 272];
        for n in thinned((0..=40).chain(long), 3) {
            code.compare(&data[n % 28..n % 28 + n]);
        }
    }
}

#[test]
fn all_widths_and_start_states() {
    let data = noise(300);
    for params in common::every_width(3) {
        let code = Compared::of(Code::Crc(Crc::new(&params)));
        for n in [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 32, 47, 130, 210] {
            code.compare(&data[n % 64..n % 64 + n]);
        }
    }
}

/// Lengths around the steps of the widest vectors: 256 bytes per step, from two steps on.
const WIDE: [usize; 9] = [511, 512, 513, 575, 576, 767, 768, 1024, 1025];

/// The CRCs whose kernels are proved: of each width of words, in both bit orders.
const PROVED: [Params; 4] =
    [catalog::CRC_32_ISO_HDLC, catalog::CRC_32_BZIP2, catalog::CRC_64_NVME, catalog::CRC_16_XMODEM];

/// Proves the CRC kernels for short messages.
///
/// A CRC kernel is linear in the register and the message, and branches on lengths only. If, for a
/// length, it is right for zero and for every message and register with one bit set, it is right
/// for all messages and registers of that length.
#[test]
fn crc_kernels_proved_for_every_message_up_to_four_blocks() {
    let lengths: Vec<usize> = thinned(1..=288, 23).chain(thinned(WIDE.into_iter(), 4)).collect();
    let longest = *lengths.last().expect("lengths");
    for params in PROVED {
        let zero = Params { name: "custom", init: 0, xorout: 0, ..params };
        // The value of a byte with one bit set, by the number of zero bytes after it: the
        // definition, fed one more zero byte each time.
        let after_zero = |value: u128| {
            let register = if zero.refout { zero.reflect(value) } else { value };
            Params { init: register, ..zero }.reference(&[0])
        };
        let first: [u128; 8] = std::array::from_fn(|bit| zero.reference(&[1 << bit]));
        let next = |images: &[u128; 8]| Some(images.map(after_zero));
        let images: Vec<_> = std::iter::successors(Some(first), next).take(longest).collect();
        let kernels = common::kernels(&Code::Crc(Crc::new(&zero)));
        for Runnable { name, value, .. } in kernels.iter().filter(|kernel| !slow(kernel.name)) {
            let mut message = vec![0; longest];
            for &n in &lengths {
                for place in 0..n {
                    for (bit, &expected) in images[n - 1 - place].iter().enumerate() {
                        message[place] = 1 << bit;
                        let value = value(&message[..n]);
                        assert_eq!(value, expected, "{name} byte {place} bit {bit} of {n}");
                    }
                    message[place] = 0;
                }
            }
        }
    }
}

/// Returns the other half of the proof: every register with one bit set, over zero bytes.
#[test]
fn crc_kernels_proved_for_every_register_up_to_four_blocks() {
    for params in PROVED {
        for bit in 0..params.width {
            let one = Params { name: "custom", init: 1 << bit, xorout: 0, ..params };
            let code = Compared::of(Code::Crc(Crc::new(&one)));
            let zeros = [0; 1025];
            let short = (0..=80).chain([96, 127, 128, 129, 191, 192, 255, 256, 257, 288]);
            for n in thinned(short.chain(WIDE), 5) {
                code.compare(&zeros[..n]);
            }
        }
    }
}

/// Proves the kernels of CRC-32C, and those of CRC-32 by instructions, whose init is compiled in,
/// by the difference from the zero message.
#[test]
fn instruction_kernels_proved_for_every_message_up_to_three_blocks() {
    // By each number of vectors behind the first four, where one function takes them.
    let vectors = [257, 321, 385, 449, 513, 577, 641, 705];
    let blocks = [767, 768, 769, 1007, 1008, 1009, 3072];
    let all = (1..=224).chain([255, 256]).chain(vectors).chain(blocks);
    let lengths: Vec<usize> = thinned(all, 17).collect();
    proved(internals::CRC_32C, &catalog::CRC_32_ISCSI, |_| true, &lengths);
    // The other kernels are those for any CRC, proved above and below.
    let by_instructions = |name: &str| name.starts_with("crc");
    proved(internals::CRC_32, &catalog::CRC_32_ISO_HDLC, by_instructions, &lengths);
}

/// Proves the kernels by sparse multiples for lengths at which they use short distances, few, and
/// both; for whole steps and parts of one, and more than a block.
#[test]
#[ignore = "long"]
fn sparse_kernels_proved_for_every_message() {
    let lengths = [512, 1087, 4099, 20_545];
    // The longer ones take minutes in an emulator.
    let lengths = if common::emulated() { &lengths[..2] } else { &lengths };
    let sparse = |name: &str| name.ends_with("sparse") || name == "portable";
    proved(internals::CRC_32C, &catalog::CRC_32_ISCSI, sparse, lengths);
    proved(internals::CRC_32, &catalog::CRC_32_ISO_HDLC, sparse, lengths);
    proved(internals::CRC_64_NVME, &catalog::CRC_64_NVME, sparse, lengths);
}

/// Proves the kernels with these names for every message of these lengths.
fn proved<F: Family<Context = (), State: TryFrom<u64> + Into<u64>>>(
    kernels: &'static [Kernel<F>],
    params: &Params,
    names: fn(&str) -> bool,
    lengths: &[usize],
) {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let zero = Params { init: 0, xorout: 0, ..*params };
    let crc: Crc = Crc::new(&zero);
    let advance = |register: u64, bytes| crc.combine(register.into(), 0, bytes as u64) as u64;
    let images: Vec<[u64; 8]> = (0..longest)
        .map(|after| std::array::from_fn(|bit| advance(zero.reference(&[1 << bit]) as u64, after)))
        .collect();
    let state = |register: u64| F::State::try_from(register).ok().expect("a register");
    // One function under two names is proved once.
    let repeated = |name: &str| {
        let mut infos = kernels.iter().map(Kernel::info);
        infos.any(|info| info.name == name && info.same_as.is_some())
    };
    let wanted = |name: &str| names(name) && !slow(name) && !repeated(name);
    for (name, forced) in common::forced(kernels).filter(|(name, _)| wanted(name)) {
        let run = |register, message: &[u8]| forced.run(&(), state(register), message).into();
        let mut message = vec![0; longest];
        for &n in lengths {
            assert_eq!(run(0, &message[..n]), 0);
            for bit in 0..params.width {
                // A register is equivalent to its bytes xored into the message, or the part of it
                // that remains.
                assert_eq!(run(1 << bit, &message[..n]), advance(1 << bit, n), "{name} of {n}");
            }
            for place in 0..n {
                for (bit, &expected) in images[n - 1 - place].iter().enumerate() {
                    message[place] = 1 << bit;
                    assert_eq!(run(0, &message[..n]), expected, "{name} {place} {bit} of {n}");
                }
                message[place] = 0;
            }
        }
    }
}

/// Bytes of FF from the largest states, the only inputs that reach the bounds of the sums' kernels.
#[test]
fn the_largest_sums_do_not_overflow() {
    /// Compares the kernels with the loop over words of `bytes` bytes modulo `m`, whose partial
    /// last word ends, or begins, with zeros.
    fn largest<F: Family<Context = (), State = [u32; 2]>>(
        kernels: &'static [Kernel<F>],
        (bytes, m, big_endian): (usize, u64, bool),
        ff: &[u8],
    ) {
        let start = [(m - 1) as u32; 2];
        let [mut a, mut b] = start.map(u64::from);
        for word in ff.chunks(bytes) {
            let zeros = if big_endian { bytes - word.len() } else { 0 };
            a = (a + (((1 << (8 * word.len())) - 1) << (8 * zeros))) % m;
            b = (b + a) % m;
        }
        common::same_states(kernels, start, ff, [a as u32, b as u32], m);
    }
    let ff = vec![0xff; 3 << 20];
    let short = [1, 2, 255, 256, 5551, 5552, 5553, 5802, 5803, 11_606];
    let words = [65_534 * 2, 65_535 * 2, 65_536 * 2, 131_076];
    let long = [262_143, 262_144, 262_145, 524_288, 600_001, 1 << 20, 2 << 20];
    let longest = [(2 << 20) + 129, 3 << 20];
    for n in short.into_iter().chain(words).chain(long).chain(longest) {
        let data = &ff[..n];
        largest(internals::DUAL_16, (4, 253, true), data);
        largest(internals::DUAL_32, (4, 65525, true), data);
        largest(internals::ADLER_32, (1, 65521, false), data);
        largest(internals::FLETCHER_16, (1, 255, false), data);
        largest(internals::FLETCHER_32, (2, 65535, false), data);
        for (name, kernel) in common::forced(internals::INTERNET) {
            for state in [0, 1, u64::MAX - 1, u64::MAX] {
                let sum = internals::Internet::finish(&(), kernel.run(&(), state, data));
                let words = (n / 2) as u128 * 0xffff + (n % 2) as u128 * 0xff;
                let exact = (u128::from(state) + words) % 65535;
                let expected = if exact == 0 { 0xffff } else { exact as u16 };
                assert_eq!(!sum, expected.swap_bytes(), "{name} {state:x} {n}");
            }
        }
        common::same_values(internals::XNS, data, xns::reference(data), "ff");
    }
}

/// Zero bytes, the other extreme of a biased lane.
#[test]
fn zeros_stay_zero() {
    let zeros = vec![0; (2 << 20) + 200];
    for n in (0..=600).chain([65_536, 131_072, 262_144, 524_288, 1 << 20, (2 << 20) + 129]) {
        common::same_values(internals::INTERNET, &zeros[..n], 0xffff, "zeros");
        common::same_values(internals::FLETCHER_32, &zeros[..n], 0, "zeros");
    }
}

/// Lengths that a 32-bit counter mistakes for short ones.
///
/// Four gibibytes of zeros that are never written cost no memory.
#[cfg(all(unix, target_pointer_width = "64"))]
#[test]
fn slices_of_four_gibibytes_are_not_short() {
    if common::emulated() {
        return residue_testing::skip("four gibibytes take minutes in an emulator");
    }
    const LENGTH: usize = (1 << 32) + 9;
    let mut memory = common::Guarded::new(LENGTH);
    let bytes = &memory.bytes()[..LENGTH];
    for name in ["crc-32/iso-hdlc", "crc-32/bzip2", "internet", "crc-32/iscsi"] {
        let code = common::code(name);
        // The value of 2^32 zeros, by doubling.
        let mut zeros = code.partial(&[0]);
        for _ in 0..32 {
            zeros = zeros.concat(&zeros).expect("bytes");
        }
        let expected = zeros.concat(&code.partial(&[0; 9])).expect("bytes");
        assert_eq!(code.partial(bytes), expected, "{name}");
    }
}

/// Slices that end, or begin, at a page that may not be read.
#[cfg(unix)]
#[test]
fn no_kernel_reads_outside_its_slice() {
    for code in codes() {
        let edges = boundaries(&code.code).into_iter().filter(|&n| n < 1 << 15);
        common::Guarded::at_both_ends(1 << 15, thinned((0..=300).chain(edges), 9), |data| {
            code.compare(data);
        });
    }
}

/// Walks the tiers up to this CPU's, for every profile, in one process: each has a kernel, and the
/// values are equal.
#[test]
fn every_tier_has_a_kernel_that_agrees() {
    struct Tiers<'a> {
        data: &'a [u8],
        expected: u128,
    }
    impl Visitor for Tiers<'_> {
        fn table<F: Family<Value: Into<u128>>>(
            &mut self,
            kernels: &'static [Kernel<F>],
            context: impl FnOnce() -> F::Context,
            encoding: ValueEncoding,
        ) {
            let context = &context();
            for tier in cpu::tier_names() {
                let features =
                    cpu::Features::tier(tier).expect("a tier").intersection(cpu::features());
                for profile in cpu::PROFILES {
                    let Some(kernel) = internals::best(kernels, features, profile) else {
                        return; // Tables: not dispatched from.
                    };
                    assert!(features.contains(kernel.info().needs), "{tier} {}", profile.name);
                    let forced = kernel.force_on(features).expect("a kernel within the features");
                    let value = encoding.of(forced.value(context, self.data).into(), self.data);
                    assert_eq!(value, self.expected, "{tier} {}", kernel.info().name);
                }
            }
            // A kernel is unavailable without the features it needs.
            for kernel in kernels.iter().filter(|k| k.info().needs != cpu::Features::NONE) {
                assert!(kernel.force_on(cpu::Features::NONE).is_none());
            }
        }
    }
    let data = noise(1500);
    for code in codes() {
        let code = code.code;
        internals::visit(&code, &mut Tiers { data: &data, expected: code.reference(&data) });
    }
}
