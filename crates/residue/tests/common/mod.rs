//! Shared parts of the tests: codes by name, kernels that run here, any data, the vector files, and
//! memory with guard pages.
#![allow(dead_code)]

use proptest::prelude::*;
use residue::cpu::Features;
use residue::crc::Params;
use residue::internals::{self, Family, Forced, Kernel, ValueEncoding, Visitor};
use residue::{Code, Stream};
use std::fmt::Debug;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

/// Returns the code of a name or of parameters.
pub fn code(name: &str) -> Code {
    name.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the sums, and the CRCs of these names.
pub fn sums_and(crcs: &[&str]) -> Vec<Code> {
    let sums = Code::all().filter(|code| code.params().is_none());
    sums.chain(crcs.iter().map(|name| code(name))).collect()
}

/// Returns a stream that took these data in.
pub fn stream<'a>(code: &'a Code, data: &[u8]) -> Stream<'a> {
    let mut stream = code.stream();
    stream.update(data);
    stream
}

pub fn any_code() -> impl Strategy<Value = Code> {
    let names: Vec<&str> = Code::names().collect();
    prop::sample::select(names).prop_map(code)
}

/// Returns how many cases to try, or under an emulator.
pub fn cases(all: u32, under_an_emulator: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if emulated() { under_an_emulator } else { all })
}

/// Returns whether an emulator runs the tests (`cargo xtask cross`).
///
/// It takes fifty times as long or more, and a program cannot start itself.
pub fn emulated() -> bool {
    std::env::var_os("RESIDUE_EMULATED").is_some()
}

/// Returns whether to test a kernel with these needs.
///
/// An emulator for features that other CPUs lack names in `RESIDUE_EMULATED` the tier that all CPUs
/// have, whose kernels are tested without it.
pub fn wanted(needs: Features) -> bool {
    let elsewhere = std::env::var("RESIDUE_EMULATED").ok().and_then(|name| Features::tier(&name));
    elsewhere.is_none_or(|tier| !tier.contains(needs))
}

/// Returns the kernels that this CPU can run and that are to be tested, with their names.
pub fn forced<F: Family>(
    kernels: &'static [Kernel<F>],
) -> impl Iterator<Item = (&'static str, Forced<F>)> {
    let wanted = kernels.iter().filter(|kernel| wanted(kernel.info().needs));
    wanted.filter_map(|kernel| Some((kernel.info().name, kernel.force()?)))
}

/// A kernel of a code that runs here.
pub struct Runnable {
    pub name: &'static str,
    pub value: Box<Value>,
    pub in_two: Box<InTwo>,
}

/// Returns the code's value of data.
type Value = dyn Fn(&[u8]) -> u128;

/// Returns the code's value of data that are cut somewhere.
type InTwo = dyn Fn(&[u8], usize) -> u128;

/// Returns the kernels of a code, as [`forced`] does.
pub fn kernels(code: &Code) -> Vec<Runnable> {
    struct All(Vec<Runnable>);
    impl Visitor for All {
        fn table<F: Family<Value: Into<u128>>>(
            &mut self,
            kernels: &'static [Kernel<F>],
            context: impl FnOnce() -> F::Context,
            encoding: ValueEncoding,
        ) {
            let context = Rc::new(context());
            for (name, forced) in forced(kernels) {
                let (one, other) = (context.clone(), context.clone());
                let value = move |data: &[u8]| encoding.of(forced.value(&one, data).into(), data);
                let in_two = move |data: &[u8], at: usize| {
                    let state = forced.run(&other, F::start(&other), &data[..at]);
                    let state = forced.run(&other, state, &data[at..]);
                    encoding.of(F::finish(&other, state).into(), data)
                };
                self.0.push(Runnable { name, value: Box::new(value), in_two: Box::new(in_two) });
            }
        }
    }
    let mut all = All(Vec::new());
    internals::visit(code, &mut all);
    all.0
}

/// Returns whether a kernel is too slow for tests of many messages, or in Miri. It has no `unsafe`
/// code.
pub fn slow(kernel: &str) -> bool {
    kernel.starts_with("bitwise") || kernel.starts_with("generic")
}

/// Checks that all kernels give the data this value.
pub fn same_values<F: Family<Context = ()>>(
    kernels: &'static [Kernel<F>],
    data: &[u8],
    expected: F::Value,
    at: impl Debug,
) {
    for (name, kernel) in forced(kernels) {
        assert_eq!(kernel.value(&(), data), expected, "{name} {at:?} of {} bytes", data.len());
    }
}

/// Checks that all kernels lead from a state to another.
pub fn same_states<F: Family<Context = ()>>(
    kernels: &'static [Kernel<F>],
    state: F::State,
    data: &[u8],
    expected: F::State,
    at: impl Debug,
) {
    for (name, kernel) in forced(kernels) {
        let found = kernel.run(&(), state, data);
        assert_eq!(found, expected, "{name} {at:?} from {state:?} over {} bytes", data.len());
    }
}

/// Returns all cases, or under an emulator the first and every `n`th after it.
pub fn thinned<T>(cases: impl Iterator<Item = T>, n: usize) -> impl Iterator<Item = T> {
    cases.step_by(if emulated() { n } else { 1 })
}

/// Returns CRCs of every width, in both bit orders and both orders of the value, with arbitrary
/// registers as init; under an emulator one in `orders` of the orders.
pub fn every_width(orders: usize) -> impl Iterator<Item = Params> {
    let mut random = residue_testing::Random(1);
    let mut number =
        move |mask: u128| (u128::from(random.next()) << 64 | u128::from(random.next())) & mask;
    let all = [(true, true), (false, false), (true, false), (false, true)];
    (1..=128).flat_map(move |width| {
        let mask = u128::MAX >> (128 - width);
        let mut found = Vec::new();
        for refs in thinned(all.into_iter(), orders) {
            let poly = number(mask) | 1;
            for init in thinned([0, mask, number(mask)].into_iter(), 2) {
                let params = Params::new("custom", width, poly, init, refs, number(mask));
                found.push(params.expect("valid parameters"));
            }
        }
        found
    })
}

/// Runs a test of this program in a process of its own, which must succeed; returns what it prints.
///
/// `RESIDUE_CPU` and `RESIDUE_PROFILE`, which are read once per process, are those of `variables`.
pub fn child(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--include-ignored", "--exact", test, "--nocapture"])
        .env_remove("RESIDUE_CPU")
        .env_remove("RESIDUE_PROFILE")
        .envs(variables.iter().copied());
    let output = command.output().expect("the child runs");
    assert!(output.status.success(), "{test} {variables:?}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("1 passed"), "{test}: {text}");
    text
}

fn vectors_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

/// Returns the names of the vector files with values.
pub fn values() -> Vec<String> {
    let folder = std::fs::read_dir(vectors_folder().join("values")).expect("the vectors");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        format!("values/{}", entry.expect("a file").file_name().display())
    };
    folder.map(name).collect()
}

/// Returns the fields of each line of a vector file, without comments.
pub fn vectors(file: &str) -> Vec<Vec<String>> {
    let path = vectors_folder().join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split('|').map(|field| field.trim().to_string()).collect()).collect()
}

/// Returns the bytes that an input of a vector file stands for (vectors/README.md).
pub fn input(text: &str) -> Vec<u8> {
    if text == "empty" {
        return Vec::new();
    }
    let (kind, body) = text.split_once(':').unwrap_or_else(|| panic!("input `{text}`"));
    let times = || {
        let (what, count) = body.split_once('*').expect("a count");
        (what, count.split('@').next().and_then(|n| n.parse().ok()).expect("a count"))
    };
    let byte = |hex: &str| u8::from_str_radix(hex, 16).expect("a byte");
    match kind {
        "text" => body.bytes().collect(),
        "hex" => hex(body),
        "rep" => {
            let (what, count) = times();
            vec![byte(what); count]
        }
        "ramp" => {
            let (modulus, count): (&str, usize) = times();
            let modulus: usize = modulus.parse().expect("a modulus");
            (0..count).map(|i| (i % modulus) as u8).collect()
        }
        "mul" => {
            let (factor, count): (&str, usize) = times();
            let factor: usize = factor.parse().expect("a factor");
            let start: usize =
                body.split_once('@').map_or(0, |(_, at)| at.parse().expect("a start"));
            (start..start + count).map(|i| (i * factor) as u8).collect()
        }
        "inc" => {
            let (first, count): (&str, usize) = times();
            (0..count).map(|i| byte(first).wrapping_add(i as u8)).collect()
        }
        "dec" => {
            let (first, count): (&str, usize) = times();
            (0..count).map(|i| byte(first).wrapping_sub(i as u8)).collect()
        }
        _ => panic!("input `{text}`"),
    }
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex"))
        .collect()
}

pub fn number(text: &str) -> u128 {
    u128::from_str_radix(text, 16).unwrap_or_else(|_| panic!("number `{text}`"))
}

/// Memory between two pages that may not be read, so that a kernel that reads outside its slice
/// ends the test.
#[cfg(unix)]
pub struct Guarded {
    base: *mut u8,
    page: usize,
    middle: usize,
}

#[cfg(unix)]
impl Guarded {
    pub fn new(at_least: usize) -> Guarded {
        // SAFETY: a fresh anonymous mapping, checked; only its two outer pages are made unreadable.
        unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let middle = at_least.next_multiple_of(page);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let (read, write) = (libc::PROT_READ, libc::PROT_WRITE);
            let base =
                libc::mmap(std::ptr::null_mut(), middle + 2 * page, read | write, flags, -1, 0);
            assert!(base != libc::MAP_FAILED, "mmap");
            let base = base.cast::<u8>();
            assert_eq!(libc::mprotect(base.cast(), page, libc::PROT_NONE), 0);
            assert_eq!(libc::mprotect(base.add(page + middle).cast(), page, libc::PROT_NONE), 0);
            Guarded { base, page, middle }
        }
    }

    /// Calls `check` with noise of each length, once before a page that may not be read, and once
    /// behind one.
    pub fn at_both_ends(
        at_least: usize,
        lengths: impl Iterator<Item = usize>,
        check: impl Fn(&[u8]),
    ) {
        let mut memory = Guarded::new(at_least);
        let bytes = memory.bytes();
        let length = bytes.len();
        bytes.copy_from_slice(&residue_testing::noise(length));
        for n in lengths {
            check(&bytes[length - n..]);
            check(&bytes[..n]);
        }
    }

    /// Returns the readable bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the middle of the mapping is readable, writable and borrowed through `self`.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(self.page), self.middle) }
    }
}

#[cfg(unix)]
impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; no borrow of it remains.
        unsafe {
            libc::munmap(self.base.cast(), self.middle + 2 * self.page);
        }
    }
}
