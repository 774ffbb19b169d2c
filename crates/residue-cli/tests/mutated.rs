//! Mutated captures, through the libraries behind every command of `residue pcap`, and a few
//! through the program: no panic, no hang, bounded memory. A hang shows as a test that does not
//! end.
//!
//! `RESIDUE_MUTATED=1000000` sets the number of captures.

use crate::common::residue;
use residue_capture::damaged::{Damaged, describe};
use residue_capture::live::{Evidence, Live};
use residue_net::compare::{self, Options};
use residue_net::filter::Filter;
use residue_net::fix::{Policy, Repairer, edits};
use residue_net::nat;
use residue_net::pcap::Reader;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::patch::Edit;
use residue_net::record::Record;
use residue_net::rewrite::Rewriter;
use residue_net::select::Selection;
use residue_net::summary::Summary;
use residue_net::survey::Survey;
use residue_net::verify::{self, Buffer};
use residue_testing::Random;
use std::io::Read;
use std::num::NonZero;
use std::{env, fs};

/// Largest memory that verification of any capture may take, in KiB.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 200 << 10;

/// Number of captures that are tested without `RESIDUE_MUTATED`.
const FEW: usize = 2_000;
/// One in so many is also given to the program.
const SHARE: usize = 100;

fn number() -> usize {
    env::var("RESIDUE_MUTATED").map_or(FEW, |text| text.parse().expect("a number"))
}

/// Begins to read a capture, through small buffers, which are faster made than large ones.
fn read(file: &[u8]) -> Result<Reader<&[u8]>, residue_net::Error> {
    Reader::in_chunks(file, 2048, [0, 1])
}

/// Runs what every command does with a capture; `other` is a second one, to compare.
fn everything(file: &[u8], other: &[u8], filter: &Filter) {
    let Ok(reader) = read(file) else { return };
    // verify
    let mut summary = Summary::new();
    let done = verify::packets(reader, |buffer| summary.buffer(buffer));
    drop(residue_net::json::capture("mutated", &done, None, &summary, 10).to_string());
    let done = verify::packets(read(file).unwrap(), |buffer| list(buffer, &summary));
    let packets = done.packets;
    let input = Box::new(file) as Box<dyn Read + Send>;
    let in_turns = Reader::in_chunks(input, 512, [0, 1]);
    let in_blocks = Reader::random_access_in_blocks(file.to_vec(), 512);
    for reader in [in_turns, in_blocks] {
        let mut again = Summary::new();
        let two = NonZero::new(2).unwrap();
        let done = verify::counted(reader.unwrap(), two, &mut again, &mut |_| {});
        assert_eq!((done.packets, again.total()), (packets, summary.total()));
    }
    let (from, to) = ("0".parse().unwrap(), "1.5".parse().unwrap());
    let mut selection = Selection::new(Some(filter.clone()), Some(from), Some(to));
    verify::selected(read(file).unwrap(), &mut selection, |buffer| list(buffer, &summary));
    // watch
    let mut live = Live::new(Selection::default());
    let mut damaged = Damaged::new(Vec::new(), "mutated", 1 << 16).unwrap();
    let mut reader = read(file).unwrap();
    let mut turn = 0;
    while let Ok(Some(packet)) = reader.next() {
        let evidence =
            [Evidence::None, Evidence::Incomplete, Evidence::Checked, Evidence::Complete][turn % 4];
        turn += 1;
        let mut comment = String::new();
        if live.packet(&packet, evidence, |finding| describe(finding, &mut comment)) {
            damaged.packet(&packet, &comment).unwrap();
        }
    }
    live.finish();
    // fix
    let is_compressed = Compression::of_start(file).is_some();
    for policy in [Policy::default(), Policy { tso: true, ..Policy::all() }] {
        let repairer = Repairer::new(|| read(file), policy, |_| ()).unwrap();
        let output = rewritten(file, &repairer.across(), |buffer, all| {
            for repair in repairer.examine(buffer).repairs {
                all.extend(repair.edits());
            }
        });
        // Damaged compressed data behind what is parsed are an error.
        assert!(output.is_some() || is_compressed, "repairs contradict each other");
    }
    // nat
    let maps = ["192.0.2.1=198.51.100.7", "192.0.2.2:80=10.0.0.1:8080", "2001:db8::1=2001:db8::9"];
    let maps = maps.map(|map| map.parse().unwrap());
    let across = nat::across(read(file).unwrap(), &maps);
    drop(rewritten(file, &across, |buffer, all| {
        all.extend(edits(&nat::translate(buffer, &maps)));
    }));
    // survey
    let mut survey = Survey::new();
    verify::packets(read(file).unwrap(), |buffer| {
        buffer.findings().for_each(|finding| survey.learn(&finding, &summary.diagnosis));
    });
    verify::packets(read(file).unwrap(), |buffer| {
        buffer.findings().for_each(|finding| survey.compare(&finding));
    });
    survey.finish();
    // compare
    let Ok(second) = read(other) else { return };
    let sketches = [compare::sketch(read(file).unwrap()), compare::sketch(second)];
    let readers = [file, other].map(|file| read(file).unwrap());
    let mut events = 0;
    let report = compare::run(&sketches, readers, Options::default(), &mut |_| events += 1);
    drop(compare::groups(&report.altered));
}

/// Determines what a list shows.
fn list(buffer: &Buffer<'_>, summary: &Summary) {
    for finding in buffer.findings().map(|finding| summary.diagnosis.judged(finding)) {
        let cause = summary.diagnosis.cause(&finding);
        drop((Record::of(&finding, cause), finding.stored(), finding.computed()));
    }
}

/// Returns the capture with changes, unless they contradict each other.
fn rewritten(
    file: &[u8],
    across: &[Edit],
    each: impl FnMut(&Buffer<'_>, &mut Vec<Edit>),
) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    Rewriter::new(file, across, each).ok()?.read_to_end(&mut output).ok()?;
    Some(output)
}

/// The largest memory that the process had, in KiB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn the_libraries_of_every_command() {
    let fixtures = residue_fixtures::file::all();
    let filter = Filter::parse("host 192.0.2.1 and (tcp port 80 or udp or vlan) or less 60");
    let filter = filter.unwrap();
    let mut random = Random(number() as u64);
    let mut before = fixtures[0].clone();
    for at in 0..number() {
        let file = random.mutated(&fixtures);
        // Beside the capture before it, or another mutation of the same.
        let other = if at % 2 == 0 { before } else { random.mutated(std::slice::from_ref(&file)) };
        let result = std::panic::catch_unwind(|| everything(&file, &other, &filter));
        if result.is_err() {
            let folder = env::temp_dir();
            let names = ["residue-mutated", "residue-mutated-other"].map(|name| folder.join(name));
            fs::write(&names[0], &file).unwrap();
            fs::write(&names[1], &other).unwrap();
            panic!("capture {at} is {names:?}");
        }
        before = file;
    }
    #[cfg(target_os = "linux")]
    assert!(peak() < MOST_MEMORY, "{} KiB", peak());
}

/// The program ends with 0, 1 or 2, and not by a panic, which is 101.
#[test]
fn the_program() {
    let fixtures = residue_fixtures::file::all();
    let mut random = Random(7);
    let dir = tempfile::tempdir().unwrap();
    let count = number() / SHARE;
    for at in 0..count {
        let file = random.mutated(&fixtures);
        fs::write(dir.path().join(format!("{at}.pcap")), file).unwrap();
    }
    let run = |args: &[&str]| {
        let ran = residue(args).within(dir.path()).run();
        assert!(matches!(ran.code, 0..=2), "{args:?}: {} {}", ran.code, ran.err);
    };
    // All captures in one process.
    run(&["pcap", "verify", "--json", "--list=all", "."]);
    run(&["pcap", "verify", "--list", "--time=relative", "--link", "."]);
    run(&["pcap", "verify", "--csv", "--filter", "udp or tcp", "."]);
    run(&["pcap", "verify", "--report", "page", "."]);
    run(&["pcap", "survey", "--json", "."]);
    for at in 0..count.min(200) {
        let [name, next] = [at, (at + 1) % count].map(|at| format!("{at}.pcap"));
        run(&["pcap", "fix", "--all", "--tso", "--list", &name, "-o", "fixed"]);
        run(&["pcap", "nat", "--map", "192.0.2.1=10.0.0.1", "--json", &name, "-o", "new"]);
        run(&["pcap", "compare", "--list", "--write", "altered", &name, &next]);
        run(&["pcap", "compare", "--json", &name, &name]);
        run(&["pcap", "watch", "--json", "--write", "damaged", &name]);
    }
}
