//! Tests that verify and repair every fixture.

use residue_fixtures::{Case, Frame, Repair};
use residue_net::check::Verdict;
use residue_net::diagnose::{CauseKind, Diagnosis};
use residue_net::fix::{Policy, Repairer};
use residue_net::pcap::{Reader, patch};
use residue_net::rewrite::Rewriter;
use residue_net::summary::Summary;
use residue_net::{Error, verify};
use std::io::{BufReader, Read as _};

type Verdicts = Vec<(&'static str, Verdict)>;

fn file(case: &Case, frames: &[Frame]) -> Vec<u8> {
    let mut file = Vec::new();
    residue_fixtures::file::write(&mut file, case, frames).unwrap();
    file
}

/// What all packets show.
fn diagnosis(file: &[u8]) -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    verify::capture(file, |buffer| buffer.findings().for_each(|it| diagnosis.learn(&it))).unwrap();
    diagnosis
}

/// All verdicts.
fn verdicts(file: &[u8]) -> Verdicts {
    let diagnosis = diagnosis(file);
    let mut all = Vec::new();
    let read = verify::capture(file, |buffer| {
        let findings = buffer.findings().map(|finding| diagnosis.judged(finding));
        all.extend(findings.map(|finding| (finding.check.protocol.name, finding.verdict)));
    });
    assert!(read.unwrap().error.is_none());
    all.sort();
    all
}

fn not_good(verdicts: &Verdicts) -> Verdicts {
    verdicts.iter().copied().filter(|&(_, verdict)| verdict != Verdict::Good).collect()
}

/// The file without compression, repaired.
fn repaired(file: &[u8], policy: &Policy) -> Result<Vec<u8>, Error> {
    let repairer = Repairer::new(|| Reader::new(file), policy.clone(), |_| {})?;
    let mut rewriter = Rewriter::new(file, &repairer.across(), |buffer, edits| {
        edits.extend(repairer.repairs(buffer).iter().flat_map(|repair| repair.edits()));
    })?;
    let mut repaired = Vec::new();
    rewriter.read_to_end(&mut repaired).map_err(|source| Error::Io { doing: "repair", source })?;
    Ok(repaired)
}

fn plain(file: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    patch::copy(BufReader::new(file), &mut plain, &[], None).unwrap();
    plain
}

/// Returns the names of the causes of values that are not good.
fn causes(file: &[u8]) -> Vec<Option<&'static str>> {
    let diagnosis = diagnosis(file);
    let mut causes = Vec::new();
    verify::capture(file, |buffer| {
        let found = buffer.findings().filter(|it| is_wrong(it.verdict));
        causes.extend(
            found.map(|it| diagnosis.cause(&it).map(|cause| CauseKind::from(Some(cause)).name())),
        );
    })
    .unwrap();
    causes
}

fn is_wrong(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Bad | Verdict::Offloaded)
}

/// Runs all cases through `test`, and fails with all their messages.
fn each(test: impl Fn(&Case) -> Result<(), String>) {
    let cases = residue_fixtures::cases();
    assert!(cases.len() > 54);
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| test(case).err().map(|why| format!("{}: {why}\n", case.name)))
        .collect();
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), cases.len(), failures.concat());
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, expected {expected:?}"))
    }
}

fn sorted(verdicts: &Verdicts) -> Verdicts {
    let mut verdicts = verdicts.clone();
    verdicts.sort();
    verdicts
}

#[test]
fn every_good_capture_is_good() {
    each(|case| {
        let found = verdicts(&file(case, &case.good));
        same("not good", not_good(&found), sorted(&case.good_verdicts))?;
        // A walk that does not know the protocol would find nothing bad, either.
        same("found", found.iter().any(|&(name, _)| name == case.protocol), true)
    });
}

#[test]
fn every_bad_capture_is_flagged_with_the_right_protocol() {
    each(|case| {
        let found = verdicts(&file(case, &case.bad));
        same("not good", not_good(&found), sorted(&case.bad_verdicts))
    });
}

#[test]
fn good_captures_stay_as_they_are() {
    let all = Policy { tso: true, ..Policy::all() };
    each(|case| {
        let good = file(case, &case.good);
        let repaired = repaired(&good, &all).map_err(|error| error.to_string())?;
        same("unchanged", repaired == plain(&good), true)
    });
}

/// A file may claim a frame check sequence that its frames lack: its bytes are data then.
#[test]
fn data_are_no_frame_check_sequence() {
    let inside = |file: &[u8]| {
        let mut verdicts = verdicts(file);
        verdicts.retain(|(name, _)| !["eth.fcs", "wlan.fcs"].contains(name));
        verdicts
    };
    each(|case| {
        let good = file(&Case { fcs: case.fcs.or(Some(4)), ..case.clone() }, &case.good);
        let repaired = repaired(&good, &Policy::all()).map_err(|error| error.to_string())?;
        same("inside", inside(&repaired), inside(&good))
    });
}

#[test]
fn bad_captures_are_repaired_as_promised() {
    let tso = Policy { tso: true, ..Policy::all() };
    each(|case| {
        let (good, bad) = (file(case, &case.good), file(case, &case.bad));
        let after = |policy: &Policy| repaired(&bad, policy).map_err(|error| error.to_string());
        let (by_default, forced, with_tso) =
            (after(&Policy::default())?, after(&Policy::all())?, after(&tso)?);
        let (good, bad) = (plain(&good), plain(&bad));
        let explained = case.repair == Repair::Explained;
        same("by default", by_default == if explained { &good } else { &bad }[..], true)?;
        match case.repair {
            Repair::Explained | Repair::Forced => {
                same("all", forced == good, true)?;
                same("all, TSO", with_tso == good, true)
            }
            Repair::LengthZero => {
                same("all", forced == bad, true)?;
                same("all, TSO", with_tso == good, true)
            }
            Repair::Differs => {
                same("changed", forced != bad && forced != good, true)?;
                same("bad after", verdicts(&forced).iter().any(|it| is_wrong(it.1)), false)
            }
            Repair::Never => same("all", with_tso == bad, true),
        }
    });
}

#[test]
fn causes_are_named() {
    each(|case| match case.cause {
        None => Ok(()),
        Some(cause) => {
            let wrong = case.bad_verdicts.iter().filter(|it| is_wrong(it.1)).count();
            let expected = vec![Some(cause); wrong];
            same("causes", causes(&file(case, &case.bad)), expected)
        }
    });
}

#[test]
fn every_cause_has_a_case() {
    let cases = residue_fixtures::cases();
    for kind in CauseKind::ALL {
        let has_case = cases.iter().any(|case| case.cause == Some(kind.name()));
        assert!(
            has_case || kind == CauseKind::Unknown,
            "a case for {kind} is missing in crates/residue-fixtures/src/causes.rs"
        );
    }
}

/// Tests that the counts of a summary are those of the list, and that each cause has a chance.
#[test]
fn counts_agree_with_verdicts_and_causes() {
    each(|case| {
        let file = file(case, &case.bad);
        let mut summary = Summary::new();
        verify::capture(&file[..], |buffer| summary.buffer(buffer)).unwrap();
        let all = verdicts(&file);
        let count = |wanted| all.iter().filter(|it| it.1 == wanted).count() as u64;
        let total = summary.total();
        same(
            "bad",
            (total.bad, total.offloaded),
            (count(Verdict::Bad), count(Verdict::Offloaded)),
        )?;
        let tally = summary.diagnosis.tally();
        same("causes", tally.values().sum(), total.bad + total.offloaded)?;
        let faults = [
            summary.senders().iter().map(|it| (it.1.wrong, it.1.offloaded)).collect::<Vec<_>>(),
            summary.flows().iter().map(|it| (it.1.wrong, it.1.offloaded)).collect(),
        ];
        for list in faults {
            let sums = list.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            same("faults", sums, (total.wrong(), total.offloaded))?;
        }
        let chances = summary.diagnosis.chances();
        let known = tally.keys().filter(|(kind, _)| *kind != CauseKind::Unknown);
        same("chances", chances.keys().collect::<Vec<_>>(), known.collect())?;
        same("small", chances.values().all(|chance| chance.is_small()), true)
    });
}

#[test]
fn planted_errors_are_all_found_and_nothing_else() {
    let mut file = Vec::new();
    let done = residue_fixtures::synthetic(&mut file, 20_000_000, 1).unwrap();
    let mut found = Vec::new();
    let read = verify::capture(&file[..], |buffer| {
        if buffer.findings().any(|finding| finding.verdict != Verdict::Good) {
            found.push(buffer.packet);
        }
    });
    assert_eq!(read.unwrap().packets, done.packets);
    assert!(found.len() > 10);
    assert_eq!(found, done.planted);
}
