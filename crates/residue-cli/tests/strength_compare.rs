//! Tests `residue strength compare` and `advise`.

use crate::common::{folder, residue, typed};
use serde_json::Value;

fn near(value: &Value, expected: f64) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
}

#[test]
fn ethernet_frames() {
    let args = ["strength", "compare", "crc-32,crc-32c,internet", "adler-32", "--length", "12112"];
    let more = ["--ber", "1e-6,1e-5", "--frames-per-second", "1e6", "--json"];
    let json = residue(args.into_iter().chain(more)).run().json();
    let codes = json["codes"].as_array().unwrap();
    assert_eq!(codes.len(), 4);
    for (code, count, at_6, at_5, to) in [
        (0, "223059", 2.2037e-19, 1.9756e-15, 91_607_u64),
        (1, "312496", 3.0873e-19, 2.7677e-15, 2_147_483_615),
    ] {
        let code = &codes[code];
        assert_eq!(
            (&code["distance"]["value"], &code["distance"]["kind"]),
            (&4.into(), &"exact".into())
        );
        assert_eq!(code["holds_to"]["value"], to);
        assert_eq!(code["few"][2]["undetected"], count);
        let rates = &code["probabilities"];
        near(&rates[0]["undetected"]["value"], at_6);
        near(&rates[1]["undetected"]["value"], at_5);
        near(&rates[0]["per_year"]["value"], at_6 * 1e6 * 365.0 * 86_400.0);
        assert_eq!(rates[0]["undetected"]["kind"], "bound");
        assert_eq!(code["burst"], 32);
    }
    assert_eq!(codes[2]["distance"]["value"], 2);
    assert_eq!(codes[2]["probabilities"][0]["undetected"]["kind"], "exact");
    assert_eq!(codes[3]["distance"]["value"], 3);
    assert_eq!(codes[3]["holds_to"]["value"], 8 * 65_520);
}

/// The table shows the frames per year, which follow from the link and the length.
#[test]
fn undetected_errors_a_year_are_those_of_a_full_link_at_the_length_asked_for() {
    let run = |more: &[&str]| {
        let args = ["strength", "compare", "internet", "--ber", "1e-6"];
        residue(args.iter().chain(more)).run()
    };
    for (more, frames) in [
        (&[][..], 10e9 / 8.0 / 1538.0),
        (&["--length", "9000B", "--link", "100G"], 100e9 / 8.0 / 9038.0),
        (&["--length", "40B", "--link", "1e9"], 1e9 / 8.0 / 84.0),
        (&["--length", "9000B", "--frames-per-second", "5"], 5.0),
    ] {
        let json = run(&[more, &["--json"]].concat()).json();
        near(&json["frames_per_second"], frames);
        let rate = &json["codes"][0]["probabilities"][0];
        let undetected = rate["undetected"]["value"].as_f64().unwrap();
        near(&rate["per_year"]["value"], undetected * frames * 365.0 * 86_400.0);
    }
    let text = run(&["--length", "9000B", "--link", "100G"]).ends(0).replace('\n', " ");
    assert!(text.contains("1,383,049 frames a second (Ethernet of 100 Gb/s, full)"), "{text}");
}

#[test]
fn a_code_with_check_octets_keeps_its_distance_to_its_limit_and_no_further() {
    for (length, distance) in [("253B", 3), ("254B", 2)] {
        let args = ["strength", "compare", "iso-8473", "--ber", "1e-6", "--length", length];
        let row = residue(args.into_iter().chain(["--json"])).run().json()["codes"][0].clone();
        assert_eq!(row["distance"]["value"], distance, "{length}");
        assert_eq!(row["distance"]["kind"], "exact");
    }
}

#[test]
fn a_table_a_page_and_lines() {
    let dir = folder();
    let codes = "crc-16/xmodem,width=16,poly=3d65,internet";
    let args = ["strength", "compare", codes, "--length", "64", "--ber", "1e-6"];
    let run = |more: &[&str]| residue(args.iter().chain(more)).within(dir.path()).run();
    let ran = run(&["--report", "out"]);
    let text = ran.ends(0);
    for part in ["1.620e-22", "9.109e-33", "32,751", "width=16,poly=3d65", "times more"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for file in ["index.html", "figure-distances.svg", "figure-probabilities.svg", "compare.csv"] {
        assert!(dir.path().join("out").join(file).is_file(), "{file}");
    }
    let csv = run(&["--csv"]);
    assert!(csv.ends(0).contains("crc-16/xmodem,16,64,undetected_errors,4,162,exact"));
}

#[test]
#[ignore = "long"]
fn a_code_of_32_bits_is_advised() {
    let json = typed("strength advise --length 1500B --hd 6 --json").run().json();
    let codes = json["codes"].as_array().unwrap();
    assert!(codes.len() >= 4, "{codes:?}");
    let named = |name: &str| codes.iter().find(|code| code["code"] == name);
    assert_eq!(named("crc-32/mef").unwrap()["holds_to"]["value"], 16_360);
    assert!(named("crc-32/iscsi").is_none() && named("adler-32").is_none());
    assert!(codes.iter().all(|code| code["speed"]["ns"].as_f64().is_some_and(|ns| ns > 0.0)));
    let args = ["strength", "advise", "--length", "5243", "--hd", "6"];
    let text = residue(args).run().ends(0).to_string();
    assert!(text.contains("crc-32/iscsi ends 0 bits further, then HD 4"), "{text}");
}

#[test]
fn a_code_is_advised() {
    let args = ["strength", "advise", "--length", "1500B", "--hd", "6", "--width", "16"];
    let ran = residue(args).run();
    let text = ran.ends(0);
    for part in [" known codes does.", "at least 28 bits", "of 29 bits has it", "strength search"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let args = [
        "strength", "advise", "--length", "64B,256B", "--ber", "1e-5", "--target", "1e-9/h",
        "--width", "24",
    ];
    let ran = residue(args.iter().chain(&["--link", "1M", "--burst", "16"])).run();
    let text = ran.ends(0);
    for part in ["Ranked by width", "P, 2,048 bits", "P, 512 bits", "\n1. ", "Not: ", "an hour"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let args =
        "strength advise --files --length 1MiB --damaged 1e-6 --target 1e-15 --cpu none --json";
    let json = typed(args).run().json();
    assert_eq!(json["wanted"]["instructions"], "none");
    let codes = json["codes"].as_array().unwrap();
    assert!(codes.iter().all(|code| code["width"].as_u64().unwrap() >= 30), "{codes:?}");
    let needs = |code: &serde_json::Value| code["speed"]["needs"].as_array().unwrap().len();
    assert!(codes.iter().all(|code| needs(code) == 0 && code["reasons"][0].is_string()));
    let why = json["rejected"][0]["reasons"][0].as_str().unwrap();
    assert!(why.contains("undetected errors a message"), "{why}");
    let csv = typed("strength advise --length 8 --hd 4 --width 8 --csv").run();
    assert!(csv.ends(0).contains("crc-8/smbus,8,true,4,119,exact,2,"), "{csv:?}");
}
