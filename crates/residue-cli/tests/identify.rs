//! Tests `residue identify` with samples in every form.

use crate::common::{residue, typed};
use std::fs;

fn found(args: &[&str]) -> serde_json::Value {
    let ran = typed("identify --json").args(args).run();
    ran.ends(0);
    assert_eq!(ran.err, "");
    ran.json()
}

#[test]
fn samples_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    fs::write(path("nine"), "123456789").unwrap();
    fs::write(path("frame"), b"123456789\x83\x92\x06\xe3").unwrap();
    fs::write(
        path("list"),
        "# from the bus\n\n313233343536373839  e3069283\ntext:abc 364B3FB7\r\n",
    )
    .unwrap();
    fs::write(path("frames"), "31 32 33 34 35 36 37 38 39 83 92 06 e3\n616263b73f4b36\n").unwrap();
    let file = format!("@{}:e3069283", path("nine"));
    let frame = format!("@{}", path("frame"));
    for args in [
        &["313233343536373839:e3069283"][..],
        &["31:32:33:34:35:36:37:38:39:0xE3069283"],
        &["31 32 33 34 35 36 37 38 39 e3069283"],
        &["text:123456789:e3069283", "rep:00*32:8a9136aa"],
        &[&file],
        &["--samples", &path("list")],
        &["--trailer", "4", &frame],
        &["--trailer", "4", "--samples", &path("frames")],
        &["--decimal", "text:123456789:3808858755"],
    ] {
        let report = found(args);
        assert_eq!(report["hits"][0]["code"], "crc-32/iscsi", "{args:?}: {report:#}");
        assert_eq!(report["found"], true);
        assert_eq!(report["bits"], 32);
    }
    let piped = typed("identify --json -s -").input(b"text:123456789 29b1\ntext:abc 514a\n").run();
    piped.ends(0);
    assert_eq!(piped.json()["hits"][0]["code"], "crc-16/ibm-3740");
}

/// Unnamed parameters are found, and as printed they give the values.
#[test]
fn what_is_found_is_what_sum_takes() {
    let messages =
        ["one", "three", "seventeen", "a longer message", "and another one that is longer"];
    let code = "width=16,poly=1f2b,init=beef,refin=true,refout=false,xorout=cafe";
    let value = |code: &str, text: &str| {
        let ran = residue(["sum", "-a", code, "--text", text]).run();
        ran.ends(0).split(' ').next().unwrap().to_string()
    };
    let samples: Vec<String> =
        messages.iter().map(|text| format!("text:{text}:{}", value(code, text))).collect();
    let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
    let report = found(&samples);
    let hit = &report["hits"][0];
    assert_eq!(hit["name"], "a CRC without a name");
    let params = hit["code"].as_str().unwrap();
    assert!(params.starts_with("width=16,poly=0x1f2b,init="), "{params}");
    assert_eq!(value(params, "123456789"), value(code, "123456789"));
    let text = typed("identify").args(&samples[..]).run();
    assert!(text.ends(0).contains(&format!("\n  residue sum -a {params} FILE\n")), "{text:?}");
}

#[test]
fn what_is_said() {
    let say = |args: &[&str], code: i32| {
        let ran = typed("identify").args(args).run();
        assert!(ran.err.is_empty(), "{}", ran.err);
        ran.ends(code).to_string()
    };
    let good = say(&["text:123456789:29b1", "text:abc:514a"], 0);
    assert!(good.contains("\ncrc-16/ibm-3740\n  width=16,poly=0x1021,init=0xffff,"), "{good}");
    assert!(good.contains("of the whole message; the value highest byte first"));
    assert!(good.contains(
        "\nNext: compute values with it, or test a program with it:\n  residue sum -a \
         crc-16/ibm-3740 FILE\n"
    ));
    let turned = say(&["text:123456789:b129", "text:abc:4a51"], 0);
    assert!(turned.contains("crc-16/ibm-3740") && turned.contains("lowest byte first"), "{turned}");
    // With one length init stays open, and the output says how to determine it.
    let open = say(&["text:abc:514a", "text:abd:21ad", "text:xyz:d029"], 0);
    assert!(
        open.contains("not settled: init and xorout; 65536 pairs")
            && open.contains("Next: get the value of this message of"),
        "{open}"
    );
    // One wrong value among right values.
    let wrong = say(
        &["text:123456789:e3069283", "text:abc:364b3fb7", "text:a:c1d04331", "rep:00*32:8a9136aa"],
        1,
    );
    assert!(
        wrong.contains(
            "Sample 3 contradicts the others: its value is c1d04331; by what fits \
        them it would be c1d04330."
        ),
        "{wrong}"
    );
    assert!(wrong.contains("\ncrc-32/iscsi\n"));
    let few = say(&["ab:5"], 1);
    assert!(
        few.contains("This may be chance") || few.contains("as many as expected by chance"),
        "{few}"
    );
    let none = say(&["text:abc:12345678", "text:abcd:9abcdef1", "text:ab:02468ace"], 1);
    assert!(none.contains("Nothing fits 3 samples") && none.contains("--skip"), "{none}");
    assert!(
        say(&["text:Wikipedia:7b", "text:abc:66", "text:hello, world:7b", "text:x:78"], 1)
            .contains("Nothing")
    );
}

/// Returns the advice of a run: what is certain, what is not, what to do next; as text has it too.
fn advice(args: &[&str], code: i32) -> [String; 3] {
    let json = typed("identify --json").args(args).run();
    json.ends(code);
    let json = json.json();
    let parts = ["certain", "not_certain", "next"]
        .map(|part| json["advice"][part].as_str().expect(part).to_string());
    let text = typed("identify").args(args).run();
    let text = text.ends(code).split_whitespace().collect::<Vec<_>>().join(" ");
    let [certain, not_certain, next] = &parts;
    let said = format!("Certain: {certain} Not certain: {not_certain} Next: {next}");
    assert!(text.contains(&said), "{said}\n{text}");
    parts
}

#[test]
fn advice_for_what_is_found() {
    let [certain, not_certain, next] = advice(&["text:123456789:29b1", "text:abc:514a"], 0);
    assert!(
        certain.starts_with(
            "crc-16/ibm-3740 gives the value of all 2 samples; a wrong code would with \
             probability 1 in 2^"
        ),
        "{certain}"
    );
    assert_eq!(not_certain, "messages unlike these, such as those of more than 9 bytes.");
    assert_eq!(next, "compute values with it, or test a program with it:");
    // A hash function cannot be computed by `residue sum`; its value of another message can be
    // compared.
    let [certain, _, next] = advice(&["text:hello:4f9f2cab", "text:world:37a3e893"], 0);
    assert!(certain.starts_with("FNV-1a gives the value of all 2 samples"), "{certain}");
    assert!(next.ends_with("the value of text:residue is def6fa2a."), "{next}");
}

/// Messages of one length leave init and xorout open: the further message is described, and the
/// values that are named are not said to be all.
#[test]
fn advice_for_parameters_that_are_left_open() {
    let [_, not_certain, next] = advice(&["text:abc:514a", "text:abd:21ad", "text:xyz:d029"], 0);
    assert!(not_certain.starts_with("init and xorout: 65536 pairs of them"), "{not_certain}");
    let told = next.split_once("in hexadecimal: ").unwrap();
    assert!(told.0.ends_with("get the value of this message of 1 byte, "), "{next}");
    assert!(told.1.starts_with("31; it may be "), "{next}");
    assert!(
        told.1.ends_with(
            " or another, and each leaves fewer of the 32768 codes that are possible now."
        ),
        "{next}"
    );
}

#[test]
fn advice_for_a_sample_that_contradicts_the_others() {
    let [certain, not_certain, next] = advice(
        &["text:123456789:e3069283", "text:abc:364b3fb7", "text:a:c1d04331", "rep:00*32:8a9136aa"],
        1,
    );
    assert_eq!(certain, "crc-32/iscsi gives the values of 3 of 4 samples.");
    assert!(not_certain.starts_with("why the other does not: "), "{not_certain}");
    assert!(next.starts_with("check sample 3 at the source"), "{next}");
}

#[test]
fn advice_for_what_may_be_chance() {
    // One value of 16 bits: of all that is tried, something fits now and then.
    let [certain, not_certain, next] = advice(&["text:abc:514a"], 1);
    assert!(
        certain.starts_with("nothing: the best result would fit by chance alone with probability"),
        "{certain}"
    );
    assert_eq!(not_certain, "whether any result is right.");
    assert_eq!(next, "give at least 1 more sample, different from these and of other lengths.");
}

#[test]
fn advice_for_what_is_undecided_or_ruled_out() {
    let crc = crate::common::code("width=12,poly=a6b,init=123,refin=true,xorout=5c6");
    let few: Vec<String> = ["one", "three", "seventeen"]
        .map(|text| format!("text:{text}:{}", crate::common::hex(&crc, crc.value(text.as_bytes()))))
        .to_vec();
    let few: Vec<&str> = few.iter().map(String::as_str).collect();
    let [_, not_certain, next] = advice(&few, 1);
    assert!(not_certain.contains("these samples are too few for them"), "{not_certain}");
    assert!(next.starts_with("give more samples"), "{next}");
    let nonsense = ["61:12345678", "62:9abcdef1", "63:02468ace", "64:13579bdf", "6566:fedcba98"];
    let more = ["676869:0f1e2d3c", "6a6b:4b5a6978", "6c6d6e:8796a5b4", "6f70:c3d2e1f0"];
    let [certain, not_certain, next] = advice(&[&nonsense[..], &more].concat(), 1);
    assert_eq!(certain, "nothing that was tried gives these values.");
    assert!(not_certain.starts_with("what was not tried: an encrypted"), "{not_certain}");
    assert!(next.starts_with("check that each value belongs to its message"), "{next}");
}

#[test]
fn advice_for_results_that_tie() {
    // The exclusive or of bytes is also that of larger units and of other codes.
    let [certain, not_certain, next] =
        advice(&["--all", "text:123456789:29b1", "text:abc:514a"], 0);
    assert!(
        certain.starts_with("the values are not chance") || certain.contains("gives the value"),
        "{certain}"
    );
    if certain.starts_with("the values are not chance") {
        assert!(not_certain.starts_with("which of the "), "{not_certain}");
    }
    assert!(!next.is_empty());
}

#[test]
fn a_hash_function_is_named_and_is_no_code() {
    let samples = ["text:hello:4f9f2cab", "text:world:37a3e893"];
    let report = found(&samples);
    let hit = &report["hits"][0];
    assert_eq!((&hit["name"], &hit["error_detection"]), (&"FNV-1a".into(), &false.into()));
    assert_eq!((&hit["code"], &hit["width"]), (&serde_json::Value::Null, &32.into()));
    let text = residue(["identify", samples[0], samples[1]]).run();
    let text = text.ends(0);
    assert!(
        text.contains("\nFNV-1a, a hash function, not an error-detection code\n  h = "),
        "{text}"
    );
    assert!(!text.contains("residue sum"), "{text}");
    // Koopman's checksum of 16 bits.
    let sum = found(&["text:123456789:f4a7", "text:a:0671", "--all"]);
    let names: Vec<&str> =
        sum["hits"].as_array().unwrap().iter().map(|hit| hit["name"].as_str().unwrap()).collect();
    let right =
        "the message as a number, followed by 2 zero bytes, modulo 65519 (Koopman's checksum)";
    assert!(names.contains(&right), "{names:?}");
}

#[test]
fn too_few_samples_of_a_crc_are_not_decided_and_not_ruled_out() {
    let crc = crate::common::code("width=12,poly=a6b,init=123,refin=true,xorout=5c6");
    let sample = |text: &&str| {
        format!("text:{text}:{}", crate::common::hex(&crc, crc.value(text.as_bytes())))
    };
    let messages =
        ["one", "three", "seventeen", "a longer message", "and one that is longer", "six"];
    let few: Vec<String> = messages[..3].iter().map(sample).collect();
    let run = |json: &[&str], samples: &[String]| {
        let samples = samples.iter().map(String::as_str);
        residue(["identify"].into_iter().chain(json.iter().copied()).chain(samples)).run()
    };
    let text = run(&[], &few);
    let text = text.ends(1).replace('\n', " ");
    assert!(
        text.contains("Not decided: CRCs of")
            && text.contains("Give more") | text.contains("give more"),
        "{text}"
    );
    assert!(!text.contains("no other CRC of 3 to 12 bits"), "{text}");
    let json = run(&["--json"], &few).json();
    assert!(json["undecided_widths"].as_array().unwrap().contains(&12.into()), "{json:#}");
    assert_eq!(
        (&json["found"], &json["certainty"]),
        (&false.into(), &"undecided".into()),
        "{json:#}"
    );
    let enough: Vec<String> = messages.iter().map(sample).collect();
    let ran = run(&["--json"], &enough);
    ran.ends(0);
    assert_eq!(ran.json()["certainty"], "found");
    assert_eq!(ran.json()["undecided_widths"], serde_json::Value::Null);
}

#[test]
fn samples_that_are_none() {
    let refuse = |args: &[&str], why: &str| {
        let ran = typed("identify").args(args).run();
        ran.ends(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    };
    refuse(&["31 32:xyz"], "value `xyz`: expected");
    let lines = typed("identify -s -").input(b"31 12\nrubbish\n").run();
    lines.ends(2);
    assert!(lines.err.contains("-: line 2: expected INPUT:VALUE"), "{}", lines.err);
    let bytes = typed("identify -s -").input(b"\xff\xfe").run();
    bytes.ends(2);
    assert!(bytes.err.contains("not a text file"), "{}", bytes.err);
}

/// Lines with CRC-16/XMODEM at offset 3, of everything but itself from offset 1 on.
fn frames() -> String {
    let crc = crate::common::code("crc-16/xmodem");
    let line = |i: usize| {
        let mut bytes = residue_testing::noise(1000)[50 * i..50 * i + 20 + 5 * (i % 4)].to_vec();
        bytes[0] = 0x7e;
        let covered = [&bytes[1..3], &bytes[5..]].concat();
        let value = (crc.value(&covered) as u16).to_be_bytes();
        bytes[3..5].copy_from_slice(&value);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n"
    };
    (1..9).map(line).collect()
}

#[test]
fn the_place_of_a_value_in_frames() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lines").to_string_lossy().into_owned();
    fs::write(&path, format!("# from the bus\n\n{}", frames())).unwrap();
    let text = residue(["identify", "--frames", &path]).run();
    let text = text.ends(0);
    assert!(text.starts_with("8 different messages fit;"), "{text}");
    assert!(text.contains("\ncrc-16/xmodem\n  width=16,"), "{text}");
    let layout = "  the value of 2 bytes at offset 3 covers the bytes from offset 1 to the end, \
                  without the value;";
    assert!(text.contains(layout), "{text}");
    let report = found(&["--frames", &path]);
    let hit = &report["hits"][0];
    assert_eq!((&hit["code"], &report["messages"]), (&"crc-16/xmodem".into(), &8.into()));
    assert_eq!(hit["layout"]["value"], serde_json::json!({ "from": "start", "bytes": 3 }));
    assert_eq!((&hit["layout"]["own"], &report["one_length"]), (&"left out".into(), &false.into()));
    // A file for each message, and standard input.
    let mut args = vec!["identify".to_string(), "--json".into(), "--frames".into()];
    for (i, line) in frames().lines().enumerate() {
        let bytes: Vec<u8> = (0..line.len() / 2)
            .map(|j| u8::from_str_radix(&line[2 * j..2 * j + 2], 16).unwrap())
            .collect();
        let path = dir.path().join(format!("message{i}"));
        fs::write(&path, bytes).unwrap();
        args.push(path.to_string_lossy().into_owned());
    }
    assert_eq!(residue(&args).run().json()["hits"], report["hits"]);
    let piped = typed("identify --json --frames -").input(frames().as_bytes()).run();
    assert_eq!(piped.json()["hits"], report["hits"]);
}

#[test]
fn frames_without_a_value() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lines").to_string_lossy().into_owned();
    let line = |i: usize| {
        residue_testing::noise(500)[30 * i..30 * i + 30]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
            + "\n"
    };
    fs::write(&path, (1..8).map(line).collect::<String>()).unwrap();
    let ran = residue(["identify", "--frames", &path]).run();
    assert!(ran.ends(1).contains("Nothing fits 7 different messages"), "{ran:?}");
    for (contents, why) in
        [("", "empty; give messages"), ("00 01\n00 01\n", "1 different message;")]
    {
        fs::write(&path, contents).unwrap();
        let ran = residue(["identify", "--frames", &path]).run();
        ran.ends(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

#[test]
fn definitions_for_other_tools() {
    let samples = ["identify", "text:123456789:2189", "text:abc:58e9", "--as"];
    let print = |notation: &str| {
        let ran = residue(samples.into_iter().chain([notation])).run();
        ran.ends(0).to_string()
    };
    let params = "width=16,poly=0x1021,init=0x0000,refin=true,refout=true,xorout=0x0000,\
                  check=0x2189,residue=0x0000";
    assert_eq!(print("residue"), format!("{params}\n"));
    let reveng = format!("{}  name=\"CRC-16/KERMIT\"\n", params.replace(',', "  "));
    assert_eq!(print("reveng"), reveng);
    let about = "of the whole message; the value highest byte first";
    assert_eq!(
        print("crcmod"),
        format!(
            "# {about}\ncrc_16_kermit = crcmod.mkCrcFun(0x11021, initCrc=0x0000, rev=True, \
             xorOut=0x0000)\n"
        )
    );
    let both = print("crc,c");
    assert!(both.starts_with(&format!("// {about}\npub const CRC_16_KERMIT: crc::Alg")), "{both}");
    assert!(both.contains(&format!("}};\n/* {about} */\n#include <stddef.h>\n")), "{both}");
    for (language, function) in [
        ("go", "func Crc16Kermit(crc uint16, data []byte) uint16 {"),
        ("java", "public final class Crc16Kermit {"),
        ("javascript", "export function crc16Kermit(data, crc = 0x0) {"),
        ("rust", "pub fn crc_16_kermit(crc: u16, data: &[u8]) -> u16 {"),
    ] {
        let text = print(language);
        assert!(text.starts_with(&format!("// {about}\n")) && text.contains(function), "{text}");
    }
    let python = print("python");
    assert!(python.starts_with(&format!("# {about}\ndef crc_16_kermit(data: bytes")), "{python}");
    let unknown = residue(samples.into_iter().chain(["cobol"])).run();
    unknown.ends(2);
    let names = "residue, reveng, crc, crcmod, c, go, java, javascript, python, rust";
    assert!(unknown.err.contains(names), "{}", unknown.err);
    // What is no CRC, or what a tool cannot express.
    let hash = ["identify", "text:hello:4f9f2cab", "text:world:37a3e893", "--as", "c"];
    let ran = residue(hash).run();
    ran.ends(2);
    assert!(ran.err.contains("FNV-1a is not a CRC"), "{}", ran.err);
    let narrow = ["identify", "text:123456789:daf", "text:abc:4a4", "--as", "crcmod"];
    let umts = crate::common::code("crc-12/umts");
    let value = format!("text:abc:{}", crate::common::hex(&umts, umts.value(b"abc")));
    let ran =
        residue(narrow.map(|word| if word == "text:abc:4a4" { value.as_str() } else { word }))
            .run();
    ran.ends(2);
    assert!(ran.err.contains("--as crcmod: crcmod has CRCs of 8, 16"), "{}", ran.err);
}

#[test]
fn a_part_of_a_value_is_shown_as_a_part() {
    let samples = ["text:123456789:3926", "text:abc:41c2"];
    let report = found(&samples);
    let hit = &report["hits"][0];
    assert_eq!(hit["name"], "the low 16 bits of crc-32/iso-hdlc", "{report:#}");
    assert_eq!((&hit["part"], &hit["width"]), (&"the low 16 bits".into(), &32.into()));
    let text = typed("identify").args(samples).run();
    let text = text.ends(0);
    assert!(text.contains("\nthe low 16 bits of crc-32/iso-hdlc\n  width=32,"), "{text}");
    assert!(text.contains("the low 16 bits of the value, highest byte first"), "{text}");
    let ran = typed("identify --as c").args(samples).run();
    assert!(ran.ends(0).contains("the low 16 bits of the value, highest byte first"), "{ran:?}");
    assert!(ran.err.contains("the samples hold the low 16 bits of the value"), "{}", ran.err);
}

#[test]
fn a_modulus_that_no_sum_reaches_is_not_settled() {
    let samples = ["text:Wikipedia:11e60398", "text:abc:024d0127"];
    let report = found(&samples);
    let hit = &report["hits"][0];
    assert_eq!(hit["code"], "adler-32");
    assert_eq!((&hit["modulus_reached"], &hit["modulus_above"]), (&false.into(), &4582.into()));
    assert!(report["decisive"]["message"].is_string(), "{report:#}");
    let text = typed("identify").args(samples).run();
    let text = text.ends(0).replace("\n  ", " ");
    assert!(text.contains("every modulus above 4582 gives these values"), "{text}");
    assert!(text.contains("Next: get the value of this message of"), "{text}");
    let report = found(&["text:123456789:e3069283", "text:abc:364b3fb7"]);
    assert_eq!(report["hits"][0]["modulus_reached"], serde_json::Value::Null);
}

#[test]
fn definitions_say_that_others_fit_as_well() {
    let one_length = ["text:abc:514a", "text:abd:21ad", "text:xyz:d029", "--as", "residue"];
    let ran = typed("identify").args(one_length).run();
    assert!(ran.ends(0).starts_with("width=16,poly=0x1021,"), "{ran:?}");
    assert!(
        ran.err.contains("not settled") && ran.err.contains("get the value of this message of"),
        "{}",
        ran.err
    );
    let settled = ["text:123456789:2189", "text:abc:58e9", "--as", "residue"];
    let ran = typed("identify").args(settled).run();
    ran.ends(0);
    assert_eq!(ran.err, "");
}

#[test]
fn what_was_not_tried_is_listed() {
    let samples = ["text:abc:123", "text:abcd:9ab", "text:ab:024", "text:abcdef:fe1"];
    let ran = typed("identify --json").args(samples).run();
    ran.ends(1);
    let report = ran.json();
    let untried = report["not_tried"].as_array().unwrap();
    let sums = "sums with other settings in fields of 12 bits (8, 16, ... 64 bits are tried)";
    assert!(untried.contains(&sums.into()), "{report:#}");
    assert_ne!(report["certainty"], "ruled out");
    let text = typed("identify").args(samples).run();
    assert!(text.ends(1).replace('\n', " ").contains("Not tried: sums with other settings in"));
}

/// Records and sentences of text, as their publishers print them.
#[test]
fn records_of_text_are_identified() {
    let folder = crate::common::folder();
    let cases = [
        (
            // Intel, Hexadecimal Object File Format Specification, 1988: the sum of all bytes is 0.
            ":10010000214601360121470136007EFE09D2190140\n\
             :100110002146017E17C20001FF5F16002148011928\n\
             :10012000194E79234623965778239EDA3F01B2CAA7\n\
             :100130003F0156702B5E712B722B732146013421C7\n:00000001FF\n",
            "minus the sum of bytes, modulo 256",
        ),
        (
            // Motorola's S-records: the complement of the sum.
            "S00F000068656C6C6F202020202000003C\n\
             S11F00007C0802A6900100049421FFF07C6C1B787C8C23783C6000003863000026\n\
             S11F001C4BFFFFE5398000007D83637880010014382100107C0803A64E800020E9\n\
             S111003848656C6C6F20776F726C642E0A0042\nS5030003F9\n",
            "0xff minus the sum of bytes, modulo 256",
        ),
        (
            // NMEA 0183: exclusive or of what is between $ and *.
            "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n\
             $GPGLL,4916.45,N,12311.12,W,225444,A,*1D\r\n\
             $GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n\
             $GPVTG,054.7,T,034.4,M,005.5,N,010.2,K*48\r\n",
            "xor-8",
        ),
    ];
    for (text, part) in cases {
        let file = folder.path().join("records");
        std::fs::write(&file, text).unwrap();
        let args = ["identify".as_ref(), "--frames".as_ref(), file.as_os_str()];
        let ran = residue(args).run();
        assert!(ran.ends(0).contains(part), "{}", ran.ends(0));
    }
    // As samples, with one that is wrong.
    let lines = [
        "$GPGLL,4916.45,N,12311.12,W,225444,A,*1D",
        "$GPVTG,054.7,T,034.4,M,005.5,N,010.2,K*48",
        "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47",
        "$GPGSA,A,3,04*11",
        "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A",
    ];
    let samples = lines.map(|line| format!("text:{line}"));
    let args = ["identify", "--trailer", "2"].into_iter().chain(samples.iter().map(String::as_str));
    let ran = residue(args).run();
    let text = ran.ends(1);
    assert!(text.contains("The values are text") && text.contains("xor-8"), "{text}");
}
