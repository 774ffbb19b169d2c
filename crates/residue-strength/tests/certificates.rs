//! The certificate: its errors by the codes themselves, and its limits by an independent program.

use residue_strength::{Generator, Undetected, Witness, named};
use residue_testing::{installed, must};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/certificates");

fn certificate() -> String {
    fs::read_to_string(format!("{FOLDER}/crc-64.txt")).unwrap()
}

#[test]
fn certified_errors_are_undetected() {
    let mut limits = 0;
    for line in certificate().lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, poly, distance, data, places @ ..] = &words[..] else { panic!("{line}") };
        let (generator, _) = Generator::parse(name, None).unwrap();
        assert_eq!(format!("{:016x}", generator.normal()), *poly, "{name}");
        let places: Vec<u64> = places.iter().map(|place| place.parse().unwrap()).collect();
        assert!(places.len() < distance.parse().unwrap(), "{line}");
        let witness = Witness::new(&generator, &places).unwrap();
        let (label, code) = named(name, &generator);
        let bits = data.parse::<u64>().unwrap() + 1;
        assert!(Undetected::of(&witness, (&label, &code), bits).is_ok(), "{line}");
        limits += 1;
    }
    assert_eq!(limits, 8);
}

/// Has `verify.c`, which knows nothing of this project, prove some lines of the certificate and
/// refuse changed ones.
fn proved(lines: &[&str]) {
    if !installed("cc") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (program, file) = (dir.path().join("verify"), dir.path().join("lines"));
    let options = "-O2 -std=c99 -Wall -Wextra -Werror";
    must(&format!("cc {options} -o {} {FOLDER}/verify.c", program.display()));
    let verified = |path: &Path| {
        let input = File::open(path).unwrap();
        let run = Command::new(&program).stdin(input).output().unwrap();
        (run.status.code(), String::from_utf8(run.stdout).unwrap())
    };
    fs::write(&file, lines.join("\n")).unwrap();
    let (status, proved) = verified(&file);
    assert_eq!(status, Some(0), "{proved}");
    assert_eq!(proved.lines().count(), lines.len(), "{proved}");
    for (line, proof) in lines.iter().zip(proved.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let start =
            format!("{}: HD {} to {} bits of data, proved by", words[0], words[2], words[3]);
        assert!(proof.starts_with(&start), "{line} {proof}");
    }
    let nvme = "ad93d23594c93659 5 3838716 3838780 1422297 1188938 0";
    // The last three are true errors, of which the limit is not the first.
    for (changed, why) in [
        (nvme.replace("3838780", "3838781"), "not of this length"),
        (nvme.replace("3838716", "3838717"), "not of this length"),
        (nvme.replace("1188938", "1422297"), "not in falling order"),
        (nvme.replace("1188938", "1188937"), "the error is detected"),
        (nvme.replace("3659", "3658"), "not a polynomial with the term 1"),
        (nvme.replace("3659", "365b"), "the error is detected"),
        (nvme.replace(" 5 ", " 3 "), "not an error of fewer bits"),
        (nvme.replace(" 5 ", " 6 "), "only the distances 3 and 5 are verified"),
        (nvme.replace(" 0", ""), "not of this length"),
        (nvme[..16].into(), "not `code poly distance data exponents`"),
        ("42f0e1eba9ea3693 3 17179213764 17179213828 0".into(), "an error of two bits"),
        ("42f0e1eba9ea3693 5 253466 253530 65534 56928 0".into(), "an error of four bits"),
        ("ad93d23594c935a9 5 3253580 3253644 1523178 898574 0".into(), "an error of four bits"),
    ] {
        fs::write(&file, format!("changed {changed}\n")).unwrap();
        let (status, said) = verified(&file);
        assert_eq!((status, said.contains(why)), (Some(1), true), "{changed}: {said}");
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Those whose proof takes seconds: the distance 5 of one code, by logarithms.
#[test]
#[ignore = "long"]
fn some_certificates_are_proved_by_an_independent_program_and_changed_ones_refused() {
    let text = certificate();
    let is_short = |line: &&str| line.contains(" 3 ") || line.starts_with("crc-64/redis");
    let some: Vec<&str> = lines(&text).into_iter().filter(is_short).collect();
    assert_eq!(some.len(), 5);
    proved(&some);
}

/// A minute, and always the same: to be run when the certificate or the program changes.
mod by_hand {
    #[test]
    #[ignore = "a minute"]
    fn all_certificates_are_proved() {
        super::proved(&super::lines(&super::certificate()));
    }
}
