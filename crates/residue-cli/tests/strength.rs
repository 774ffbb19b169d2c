//! Tests `residue strength`.

use crate::common::{residue, typed};

/// Returns the number of wrong bits, in the data and in the check value.
fn wrong_bits(error: &serde_json::Value) -> usize {
    let check = u64::from_str_radix(error["check"].as_str().unwrap(), 16).unwrap();
    error["data"].as_array().unwrap().len() + check.count_ones() as usize
}

/// Applied to a file, the errors of text, JSON and CSV change the value as printed.
#[test]
fn an_undetected_error_is_written_alike_everywhere_and_can_be_checked_with_sum() {
    for (name, length) in [("crc-16/arc", 64), ("crc-16/xmodem", 64), ("crc-8/maxim-dow", 16)] {
        let code: residue::Code = name.parse().unwrap();
        let run = |more: &str| {
            let length = format!("{length}B");
            let args = ["strength", name, "--length", &length, more];
            residue(args.into_iter().filter(|word| !word.is_empty())).run()
        };
        let json = run("--json").json();
        assert_eq!(json["code"], name);
        let error = &json["undetected"];
        assert_eq!(error["bits"], 8 * length);
        let places: Vec<u64> =
            error["data"].as_array().unwrap().iter().map(|bit| bit.as_u64().unwrap()).collect();
        let check = error["check"].as_str().unwrap();
        let listed: Vec<String> = places.iter().map(u64::to_string).collect();
        let listed = listed.join(" ");
        assert!(run("").ends(0).contains(&format!("data {listed}, check {check}\n")), "{name}");
        assert!(run("--csv").ends(0).contains(&format!(",exact,{listed},{check}\n")), "{name}");
        let value = |data: &[u8]| {
            let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
            let text = residue(["sum", "-a", name, "--hex", &hex]).run().ends(0).to_string();
            u64::from_str_radix(text.split(' ').next().unwrap(), 16).unwrap()
        };
        let right = residue_testing::noise(length);
        let mut wrong = right.clone();
        for bit in places {
            let reflected = code.params().unwrap().refin;
            let mask = if reflected { 1 << (bit % 8) } else { 0x80 >> (bit % 8) };
            wrong[(bit / 8) as usize] ^= mask;
        }
        let change = value(&right) ^ value(&wrong);
        assert_eq!(change, u64::from_str_radix(check, 16).unwrap(), "{name}");
    }
}

#[test]
fn limits_of_crc_32c() {
    let ran = typed("strength crc-32c").run();
    let text = ran.ends(0);
    for part in
        ["2,147,483,615", "5,243", "1edc6f41", "8f6e37a0", "131,072", "crc-32/iscsi", "exact"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = typed("strength --json 82f63b78").run().json();
    assert_eq!(json["order"], 2_147_483_647_u32);
    assert_eq!(json["factors"].as_array().unwrap().len(), 2);
    assert_eq!(json["limits"][3]["data_bits"], 5243);
    assert_eq!(json["limits"][3]["data_bytes"], 655);
    let error = &json["limits"][3]["undetected"];
    assert_eq!((error["bits"].as_u64(), error["data"][0].as_u64()), (Some(5244), Some(0)));
    assert_eq!(wrong_bits(error), 4);
    let json = typed("strength --json crc-32 --most 5").run().json();
    assert_eq!(json["limits"].as_array().unwrap().len(), 3);
    let csv = typed("strength --csv koopman:82608edb").run();
    assert!(csv.ends(0).contains("\n4,91607,11450,exact,0 "));
}

#[test]
fn distance_at_a_length() {
    for (code, length, distance) in [
        ("crc-32", "1500B", 4),
        ("crc-32", "171", 7),
        ("crc-32c", "1MiB", 4),
        ("crc-16/arc", "5kB", 2),
    ] {
        let json = residue(["strength", code, "--length", length, "--json"]).run().json();
        let at = |place: usize| json["probabilities"][place]["value"].as_f64().unwrap();
        assert!(0.0 < at(0) && at(0) < at(1) && at(1) < at(2), "{json}");
        assert_eq!(json["distance"], distance, "{code} {length}");
        assert_eq!(json["kind"], "exact");
        assert_eq!(wrong_bits(&json["undetected"]), distance);
    }
}

#[test]
fn weights_and_probabilities() {
    let run = ["strength", "weights", "crc-16/xmodem", "--length", "64", "--ber", "1e-6", "--json"];
    let json = residue(run).run().json();
    assert_eq!(json["complete"], true);
    // All weights, including zeros.
    assert_eq!(json["weights"].as_array().unwrap().len(), 81);
    for (weight, count) in [(0, "1"), (1, "0"), (2, "0"), (3, "0"), (4, "162"), (5, "0")] {
        assert_eq!(json["weights"][weight]["weight"], weight);
        assert_eq!(json["weights"][weight]["undetected"], count);
    }
    assert_eq!(json["probabilities"][0]["undetected"], "1.619876884715E-22");
    let text = typed("strength weights crc-32 --length 12112 --most 4").run();
    assert!(text.ends(0).contains("223,059"));
    let csv = typed("strength weights normal:07 --length 9 --csv").run();
    assert_eq!(csv.ends(0).lines().count(), 19);
}

#[test]
fn sparse_multiples() {
    let found = typed("strength multiples crc-32 --least 1000 --most 5000 --json").run().json();
    let distances = |i: usize| found["multiples"][i]["distances"].clone();
    assert_eq!(distances(0), serde_json::json!([1927, 2181, 4018]));
    assert_eq!(distances(1), serde_json::json!([1837, 3200, 4949]));
    let csv = typed("strength multiples crc-32 --distances 4 --most 300 --csv").run();
    assert_eq!(csv.ends(0), "distance_1,distance_2,distance_3,distance_4\n145,183,211,300\n");
    let none = typed("strength multiples crc-32c --distances 4").run();
    assert!(none.ends(0).contains("factor x + 1"), "{none:?}");
}

#[test]
fn every_length_is_read_alike() {
    for (args, alike) in [
        (&["strength", "crc-16/arc"][..], ["1500B", "1.5kB", "12e3", "12k"]),
        (&["strength", "weights", "crc-8/smbus"], ["16B", "128", "0.016kB", "1.28e2"]),
        (&["strength", "compare", "crc-8/smbus", "--csv"], ["16B", "128", "0.016kB", "1.28e2"]),
        (
            &["strength", "advise", "--width", "8", "--hd", "4", "--csv"],
            ["8B", "64", "0.008kB", "6.4e1b"],
        ),
        (
            &["strength", "search", "--width", "8", "--hd", "4", "--csv"],
            ["8B", "64", "64bits", "6.4e1"],
        ),
        (&["strength", "sums", "-a", "sum-8", "--json"], ["2000", "2kB", "2e3", "2k"]),
    ] {
        let run = |length: &str| {
            residue([args, &["--length", length]].concat()).run().ends(0).to_string()
        };
        // Some commands print times; `advise` sorts by measured speed.
        let kept = |text: String| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.contains("seconds")).map(str::to_string);
            let mut lines: Vec<String> = lines.collect();
            if args.contains(&"advise") {
                lines.iter_mut().for_each(|line| line.truncate(9));
                lines.sort();
            }
            lines
        };
        let expected = kept(run(alike[0]));
        for length in &alike[1..] {
            assert_eq!(kept(run(length)), expected, "{args:?} {length}");
        }
        let wrong = residue([args, &["--length", "9 parsecs"]].concat()).run();
        wrong.ends(2);
        assert!(wrong.err.contains("expected bits, B, kB"), "{}", wrong.err);
    }
}

#[test]
fn polynomials_as_books_print_them() {
    // The advice repeats the text.
    let without_advice = |mut json: serde_json::Value| {
        json.as_object_mut().unwrap().remove("advice");
        json
    };
    let expected = without_advice(typed("strength normal:1021 --length 64 --json").run().json());
    for text in ["x^16+x^12+x^5+1", "X16 + X12 + X5 + 1", "x**16 + x**12 + x**5 + 1"] {
        let ran = residue(["strength", text, "--length", "64", "--json"]).run();
        ran.ends(0);
        assert_eq!(without_advice(ran.json()), expected, "{text}");
        let sum = residue([
            "sum",
            "-a",
            &format!("width=16,poly={text},init=ffff"),
            "--text",
            "123456789",
        ])
        .run();
        assert!(sum.ends(0).starts_with("29b1 "), "{text}");
        residue(["strength", "compare", text, "--length", "8B"]).run().ends(0);
        residue(["strength", "weights", text, "--length", "64"]).run().ends(0);
        residue(["list", &format!("poly={text}")]).run().ends(0);
    }
    typed("strength x^16+x^12+x^5+1 --width 15").run().ends(2);
    typed("list width=15,poly=x^16+x^12+x^5+1").run().ends(2);
}

/// The code itself confirms the error, and its value takes 21 digits.
#[test]
#[ignore = "long"]
fn a_width_above_64() {
    let ran = typed("strength crc-82/darc --csv").run();
    let text = ran.ends(0);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 17, "{text}");
    for (line, distance) in lines[1..].iter().zip(3..) {
        assert!(line.starts_with(&format!("{distance},191,23,exact,0,")), "{line}");
        assert_eq!(line.rsplit(',').next().unwrap().len(), 21, "{line}");
    }
    let json = typed("strength crc-82/darc --length 191bits --json").run().json();
    assert_eq!((json["distance"].as_u64(), json["kind"].as_str()), (Some(18), Some("exact")));
    let weights = typed("strength weights crc-82/darc --length 22bits");
    assert!(weights.run().ends(0).contains("18"));
    let wide = ["strength", "advise", "--length", "16B", "--hd", "18", "--width", "82"];
    let advised = residue(wide.into_iter().chain(["--patience", "1"])).run();
    assert!(advised.ends(0).contains("crc-82/darc"));
}

/// Without logarithms, places are bits: less memory proves less, and says so before it begins.
#[test]
fn memory_bounds_a_search_and_is_announced() {
    let bound = |memory: &str| {
        let args = ["strength", "crc-64/nvme", "--most", "4", "--memory", memory];
        let ran = residue(args.into_iter().chain(["--patience", "4", "--json"])).run();
        assert!(ran.err.contains("may take") && ran.err.contains("of memory"), "{}", ran.err);
        let limits = ran.json()["limits"].clone();
        assert_eq!(limits[1]["kind"], "bound", "{limits}");
        limits[1]["data_bits"].as_u64().unwrap()
    };
    let (little, more) = (bound("16MiB"), bound("64MiB"));
    assert!(little < more && more <= 64 << 20, "{little} {more}");
    for (wrong, part) in [("1MiB", "16.00 MiB or more"), ("16", "or more"), ("lots", "unit")] {
        let ran = residue(["strength", "crc-8/smbus", "--memory", wrong]).run();
        ran.ends(2);
        assert!(ran.err.contains("--memory") && ran.err.contains(part), "{}", ran.err);
    }
}

/// Ctrl-C ends the search, not the report.
#[cfg(unix)]
#[test]
fn ctrl_c_prints_the_limits_found_so_far() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    for (format, part) in [("--json", "\"limits\""), ("--csv", "3,"), ("", "≥ ")] {
        let mut command = Command::new(crate::common::RESIDUE);
        command.args(["strength", "crc-64/nvme", "--patience", "1000"]);
        command.args(Some(format).filter(|format| !format.is_empty()));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut announced = String::new();
        errors.read_line(&mut announced).unwrap();
        assert!(announced.contains("may take"), "{announced}");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let ran = child.wait_with_output().unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(ran.status.code(), Some(130), "{text}");
        assert!(text.contains(part), "{text}");
        let mut rest = String::new();
        errors.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("interrupted"), "{rest}");
    }
}

/// Every answer ends with what it shows, what it does not, and what to do.
#[test]
#[ignore = "long"]
fn answers_end_with_advice() {
    for (line, certain, not_certain, next) in [
        ("crc-32c", "one bit beyond", "foreign blocks", "--hd H"),
        ("crc-64/nvme --most 5 --patience 1", "up to each", "limit of time or memory", "--memory"),
        (
            "crc-64/nvme --most 4 --patience 1",
            "up to each",
            "how much farther HD 4",
            "N` takes one",
        ),
        ("x^16+1 --most 3", "of two bits", "", ""),
        (
            "crc-32 --length 1500B",
            "every burst of up to 32 bits",
            "independently",
            "weights crc-32",
        ),
        ("search --width 8 --hd 4", "none keeps", "which of them suits", "koopman:"),
        ("search --width 8 --hd 4 --range 1/2", "as shown", "not tried", "--merge"),
        ("search --width 12 --hd 4 --length 64", "no others", "suits", "weights"),
        ("advise --length 64B --hd 4 --width 8", "none of", "another polynomial", "search"),
        (
            "advise --length 14B --hd 4 --width 8",
            "up to 3 bits in 112",
            "foreign",
            "proves each limit",
        ),
        ("advise --length 64B --damaged 1e-6 --burst 8", "bursts of up to 8", "made data", "PATH"),
    ] {
        let json = residue(format!("strength {line} --json").split(' ')).run();
        let advice = json.json()["advice"].clone();
        let ran = residue(format!("strength {line}").split(' ')).run();
        let text = ran.ends(0).split_whitespace().collect::<Vec<_>>().join(" ");
        for (key, part, name) in [
            ("certain", certain, "Certain: "),
            ("not_certain", not_certain, "Not certain: "),
            ("next", next, "Next: "),
        ] {
            let said = advice[key].as_str().unwrap();
            assert!(said.contains(part) && said.ends_with('.'), "{line}: {said}");
            let sentence = said.split_whitespace().collect::<Vec<_>>().join(" ");
            // Which is the fastest of equals differs from run to run.
            let timed = line.contains("--patience") || line.contains("advise");
            assert!(timed || text.contains(&format!("{name}{sentence}")), "{line}: {text}");
        }
    }
}
