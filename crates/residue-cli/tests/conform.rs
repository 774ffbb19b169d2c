//! Tests `residue conform` with right and wrong programs.
#![cfg(unix)]

use crate::common::{RESIDUE, Ran, residue, typed};
use residue_testing::installed;

/// Tests a shell command for a code. `$R` in it is the program itself.
fn conform(code: &str, options: &[&str], script: &str) -> Ran {
    let mut args = vec!["conform", "-a", code];
    args.extend(options);
    args.extend(["--", "sh", "-c", script]);
    residue(args).with("R", RESIDUE).run()
}

#[test]
fn right_programs() {
    for (code, options, script) in [
        ("crc-32/iscsi", &[][..], "$R sum"),
        ("crc-32/iscsi", &["--decimal"], "$R sum --decimal"),
        ("crc-32/iscsi", &["--arg-hex"], "$R sum --hex \"$0\""),
        ("crc-5/usb", &[], "echo Value: 0x$($R sum -a crc-5/usb)"),
        ("crc-82/darc", &[], "$R sum -a crc-82/darc"),
        ("cksum", &["--decimal"], "$R sum -a cksum"),
        ("internet", &[], "$R sum -a internet; seq 100000"),
    ] {
        let ran = conform(code, options, script);
        assert!(ran.ends(0).starts_with("conforms: all "), "{}", ran.text());
    }
}

#[test]
fn wrong_programs_are_seen_through() {
    let swap = "sed 's/^\\(..\\)\\(..\\)\\(..\\)\\(..\\).*/\\4\\3\\2\\1/'";
    for (code, script, explanation) in [
        ("crc-32/iso-hdlc", format!("$R sum -a crc-32 | {swap}"), "the mistake byte-swapped"),
        (
            "crc-32/mpeg-2",
            format!("$R sum -a crc-32/mpeg-2 | {swap}"),
            "another form of the value, byte-swapped",
        ),
        ("crc-32/iscsi", "$R sum -a crc-32".into(), "another code, crc-32/iso-hdlc"),
        ("crc-16/ibm-3740", "$R sum -a crc-16/xmodem".into(), "another code, crc-16/xmodem"),
        ("fletcher-16", "$R sum -a fletcher-16/mod256".into(), "the mistake modulo-256"),
        (
            "internet",
            "$R sum -a internet | cut -c1-4 | tr 0-9a-f fedcba9876543210".into(),
            "the mistake not-complemented",
        ),
        (
            "crc-32/iscsi",
            "$R sum -a width=32,poly=1edc6f41,init=ffffffff,refin=true,refout=true".into(),
            "the mistake xorout-forgotten",
        ),
        (
            "crc-64/xz",
            "$R sum -a crc-64/xz | cut -c1-16 | tr 0-9a-f fedcba9876543210".into(),
            "another form of the value, inverted",
        ),
    ] {
        let ran = conform(code, &[], &script);
        let text = ran.ends(1);
        assert!(text.starts_with("does not conform"), "{text}");
        assert!(
            text.contains("All answers are explained by") && text.contains(explanation),
            "{text}"
        );
    }
}

#[test]
fn answers_that_nothing_explains() {
    let ran = conform("crc-32/iscsi", &[], "echo 12345678");
    assert!(ran.ends(1).contains("No known mistake"), "{}", ran.text());
    // Right except for inputs that begin with a zero byte.
    let nearly = "$R sum -a crc-32/iso-hdlc | sed 's/^cbf43926.*/0/'";
    let ran = conform("crc-32/iscsi", &[], nearly);
    assert!(ran.ends(1).contains("Not all answers are explained; nearest comes"), "{}", ran.text());
}

/// What nothing known explains is compared parameter by parameter, and handed to `identify`.
#[test]
fn mistakes_that_have_no_name() {
    let crc = |parameters: &str| format!("$R sum -a {parameters}");
    let kermit = "width=16,init=0,xorout=0";
    for (code, script, says) in [
        (
            "crc-16/kermit",
            crc(&format!("{kermit},poly=1021,refin=false,refout=true")),
            "other parameters, refin: Refin is false, not true: each byte's highest bit comes \
             first. Everything else is as in crc-16/kermit.",
        ),
        (
            "crc-16/kermit",
            crc(&format!("{kermit},poly=1023,refin=true,refout=true")),
            "other parameters, poly: The polynomial is 1023, not 1021: one bit differs, x^1 is \
             too many. Everything else is as in crc-16/kermit.",
        ),
        (
            "crc-16/kermit",
            "head -c 64 | $R sum -a crc-16/kermit".into(),
            "the mistake first-block-only-64: Only the first 64 bytes are covered, as if the \
             message were read once into a buffer.",
        ),
        (
            "crc-32",
            "tr -d '\\000' | $R sum -a crc-32".into(),
            "the mistake zeros-skipped: The bytes 00 are left out.",
        ),
        (
            "crc-16/kermit",
            crc("width=16,poly=1f2b,init=beef,refin=true,refout=false,xorout=cafe"),
            "what `residue identify` finds, width=16,poly=1f2b,init=",
        ),
    ] {
        let ran = conform(code, &[], &script);
        let text = ran.ends(1);
        assert!(text.contains("All answers are explained by") && text.contains(says), "{text}");
    }
}

/// Every report ends with what is certain, what is not, and what to do next.
#[test]
#[ignore = "long"]
fn advice() {
    let advice = |script: &str, code: i32| {
        let json = conform("crc-32/iscsi", &["--json"], script);
        json.ends(code);
        let json = json.json();
        let parts = ["certain", "not_certain", "next"]
            .map(|part| json["advice"][part].as_str().expect(part).to_string());
        let text = conform("crc-32/iscsi", &[], script);
        let text = text.ends(code).split_whitespace().collect::<Vec<_>>().join(" ");
        let [certain, open, next] = &parts;
        let said = format!("Certain: {certain} Not certain: {open} Next: {next}");
        assert!(text.ends_with(&said), "{said}\n{text}");
        parts
    };
    let [certain, open, _] = advice("$R sum", 0);
    assert!(certain.starts_with("for these ") && certain.contains("are right"), "{certain}");
    assert!(open.starts_with("inputs that are longer, data that come in several pieces"), "{open}");
    let [certain, _, next] = advice("head -c 64 | $R sum", 1);
    assert!(certain.ends_with("are those of the mistake first-block-only-64."), "{certain}");
    assert_eq!(next, "change the program, and run this command again.");
    // Two names for one set of values.
    let [_, open, _] = advice("$R sum -a crc-32", 1);
    let shown = "lines above it is: they have equal values here.";
    assert!(open.starts_with("which of the ") && open.ends_with(shown), "{open}");
    let nearly = "$R sum -a crc-32 | sed 's/^cbf43926.*/0/'";
    let [_, open, _] = advice(nearly, 1);
    assert!(open.starts_with("the cause: ") && open.contains(" explains "), "{open}");
    let [certain, _, next] = advice("echo 12345678", 1);
    assert!(certain.ends_with("answers are one value."), "{certain}");
    assert!(next.contains("--arg-hex"), "{next}");
    let [_, open, _] = advice("$R sum -a crc-32 | sed 's/./7/3;s/./1/5'", 1);
    assert_eq!(open, "the cause: nothing that was tried has these values.");
}

#[test]
fn json() {
    let ran = conform("crc-32/iscsi", &["--json"], "$R sum -a crc-32/iso-hdlc");
    ran.ends(1);
    let report = ran.json();
    assert_eq!(report["code"], "crc-32/iscsi");
    assert_eq!(report["explained"], true);
    assert_eq!(report["cases"].as_array().unwrap().len(), report["of"].as_u64().unwrap() as usize);
    let found = report["explanations"].as_array().unwrap();
    assert!(
        found.iter().any(|one| one["kind"] == "other code" && one["name"] == "crc-32/iso-hdlc")
    );
    assert!(found.iter().any(|one| one["kind"] == "mistake"));
}

#[test]
fn programs_that_give_no_answer() {
    for (options, script, message) in [
        (&[][..], "exit 3", "failed: exit status: 3"),
        (&[], "echo 1; exit 3", "failed: exit status: 3"),
        (&[], "kill -9 $$", "failed: signal: 9"),
        (&[], "cat >/dev/null", "printed no hexadecimal number, nothing at all"),
        (&[], "echo no answer", "printed no hexadecimal number, but `no answer`"),
        (&["--decimal"], "echo e3", "printed no decimal number"),
        (&["--timeout", "0.3"], "exec sleep 60", "took longer than 0.3 seconds"),
        (&["--timeout", "0.3"], "exec yes", "took longer than 0.3 seconds"),
        (&["--timeout", "0.3"], "echo 1; exec >&-; exec sleep 60", "took longer than 0.3 seconds"),
    ] {
        let ran = conform("crc-32/iscsi", options, script);
        ran.ends(2);
        assert!(ran.err.contains(message), "{script}: {}", ran.err);
    }
    let ran = typed("conform -a xns -- /nowhere/program").run();
    ran.ends(2);
    assert!(
        ran.err.contains("/nowhere/program") && ran.err.contains("cannot be started"),
        "{}",
        ran.err
    );
}

#[test]
fn python_programs() {
    if !installed("python3") {
        return;
    }
    let run = |code: &str, options: &[&str], call: &str| {
        let script =
            format!("import sys, zlib, binascii; d = sys.stdin.buffer.read(); print({call})");
        let mut args = vec!["conform", "-a", code];
        args.extend(options);
        // It is started a thousand times, and starts a fifth sooner without `site`.
        args.extend(["--", "python3", "-S", "-c", &script]);
        residue(args).run()
    };
    run("crc-32", &[], "hex(zlib.crc32(d))").ends(0);
    run("adler-32", &["--decimal"], "zlib.adler32(d)").ends(0);
    // A negative number is the right value in a signed type.
    run("crc-16/xmodem", &["--decimal"], "(lambda v: v - (v >> 15 << 16))(binascii.crc_hqx(d, 0))")
        .ends(0);
    let wrong = run("adler-32", &[], "hex(zlib.adler32(d, 0))");
    assert!(wrong.ends(1).contains("the mistake starts-at-0"), "{}", wrong.text());
}
