//! Tests `residue strength data`, `sums` and `claims`.

use crate::common::{folder, residue, typed};

#[test]
fn data_are_tried_the_same_way_twice() {
    let dir = folder();
    let run = |more: &[&str]| {
        let args = ["strength", "data", "noise", "--splices", "1e5", "--trials", "50"];
        residue(args.into_iter().chain(more.iter().copied())).within(dir.path()).run()
    };
    let text = run(&[]).ends(0).to_string();
    for words in
        ["noise: 100003 bytes of 1 files", "splice-header", "word-swap", "≥", "CRC-32C misses 0"]
    {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    assert_eq!(run(&["--csv"]).ends(0), run(&["--csv"]).ends(0));
    let json = run(&["--json", "--made", "uniform,ramp"]).json();
    assert_eq!(json["sources"].as_array().map(Vec::len), Some(3));
    let internet = &json["sources"][1]["tests"][0]["rows"][0];
    let end = |name: &str| internet["rate"][name].as_f64().unwrap_or(f64::NAN);
    assert!(end("low") < 1.0 / 65535.0 && end("high") > 1.0 / 65535.0, "{internet}");
    // Values have the width of the code.
    for (code, digits) in [("fletcher-16", 4), ("fletcher-32", 8), ("crc-10/atm", 3), ("xor-8", 2)]
    {
        let json = run(&["--json", "-a", code]).json();
        let value = json["sources"][0]["values"][0]["top"][0]["value"].as_str().unwrap();
        assert_eq!(value.len(), digits, "{code}: {value}");
        assert!(run(&["-a", code]).ends(0).contains(&format!(" {value} ")), "{code}: {value}");
    }
    let ran = run(&["--report", "out"]);
    ran.ends(0);
    assert!(dir.path().join("out/index.html").is_file() && ran.err.contains("index.html"));
}

#[test]
fn sums_are_counted() {
    let ran = typed("strength sums --length 64 -a internet,fletcher-16").run();
    let text = ran.ends(0);
    assert!(text.contains("never") && text.contains("254"), "{text}");
    assert!(text.contains("255 bytes, zero; data 0, check 0080"), "{text}");
    let json = typed("strength sums -a iso-8473 --length 64 --json").run();
    let json = &json.json()["sums"][0]["distance"];
    assert_eq!((json["three_to"].as_u64(), json["two"]["bits"].as_u64()), (Some(253), Some(2032)));
    let dir = folder();
    let args =
        ["strength", "sums", "-a", "internet", "--length", "64", "--data", "noise", "--json"];
    let json = residue(args).within(dir.path()).run().json();
    assert_eq!(json["sums"][0]["distance"]["three_to"], 0);
    assert!(json["two_bits_of_data"][0]["missed"].as_f64().is_some_and(|missed| missed > 0.0));
}
