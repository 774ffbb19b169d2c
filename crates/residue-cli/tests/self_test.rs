//! Tests `residue sum --self-test`.

use crate::common::typed;
use residue::Code;
use std::collections::HashMap;

#[test]
fn every_code_and_kernel() {
    let ran = typed("sum --self-test").run();
    let text = ran.ends(0);
    // By the name behind the values, as in `SUCCESS: [...]  crc-32 slicing8  "123456789"`.
    let lines =
        text.lines().filter_map(|line| Some((line.split("]  ").nth(1)?.split("  ").next()?, line)));
    let lines: HashMap<&str, &str> = lines.collect();
    for code in Code::all() {
        for kernel in code.kernels() {
            let name = format!("{code} {}", kernel.name);
            let line = lines.get(&*name).unwrap_or_else(|| panic!("{name}"));
            let result = if kernel.supported() { "SUCCESS: [" } else { "SKIPPED: [" };
            assert!(line.starts_with(result), "{line}");
        }
    }
    let line = "SUCCESS: [Expected Value = 0xe3069283, Actual Value = 0xe3069283]  crc-32/iscsi \
        slicing8  \"123456789\"\n";
    assert!(text.contains(line));
    assert!(text.ends_with("(kernels this CPU cannot run)\n") && text.contains(" 0 wrong, "));
}

#[test]
fn some_codes_and_no_successes() {
    let ran = typed("sum --self-test -q -a crc-32c,width=12,poly=80f,refin=true").run();
    assert_eq!(ran.ends(0).lines().count(), 1);
    assert!(ran.text().starts_with("2 codes: "));
    let json = typed("sum --self-test --json -a xns").run();
    json.ends(0);
    let json = json.json();
    assert_eq!(json["failure"], 0);
    let tests = json["tests"].as_array().unwrap();
    assert!(tests.iter().any(|test| test["code"] == "xns" && test["result"] == "SUCCESS"));
    let of = |result: &str| tests.iter().filter(|test| test["result"] == result).count();
    assert_eq!(json["success"], of("SUCCESS"));
    assert_eq!(of("SUCCESS") + of("SKIPPED"), tests.len());
}

#[test]
fn kernels_beyond_the_mask_are_skipped() {
    let ran = typed("sum --self-test -a crc-32c").with("RESIDUE_CPU", "portable").run();
    let skipped = ran.ends(0).lines().filter(|line| line.starts_with("SKIPPED: ")).count();
    let needy = crate::common::code("crc-32c")
        .kernels()
        .filter(|kernel| kernel.needs.names().next().is_some())
        .count();
    assert_eq!(skipped > 0, needy > 0);
}
