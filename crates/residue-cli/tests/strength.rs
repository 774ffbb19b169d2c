//! `residue strength`

mod common;

use common::residue;

#[test]
fn limits_of_crc_32c() {
    let ran = residue(["strength", "crc-32c"]).run();
    let text = ran.ends(0);
    for part in
        ["2,147,483,615", "5,243", "1edc6f41", "8f6e37a0", "131,072", "crc-32/iscsi", "exact"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = residue(["strength", "--json", "82f63b78"]).run().json();
    assert_eq!(json["order"], 2_147_483_647_u32);
    assert_eq!(json["factors"].as_array().unwrap().len(), 2);
    assert_eq!(json["limits"][3]["data_bits"], 5243);
    assert_eq!(json["limits"][3]["data_bytes"], 655);
    assert_eq!(json["limits"][3]["undetected"].as_array().unwrap().len(), 4);
    let json = residue(["strength", "--json", "crc-32", "--most", "5", "--confirm"]).run().json();
    assert_eq!(json["limits"].as_array().unwrap().len(), 3);
    assert_eq!(json["confirmed"]["by"], "logarithms");
    assert_eq!(json["confirmed"]["undetected"][3], 3006);
    let csv = residue(["strength", "--csv", "koopman:82608edb"]).run();
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
        assert_eq!(json["distance"], distance, "{code} {length}");
        assert_eq!(json["kind"], "exact");
        assert_eq!(json["undetected"].as_array().unwrap().len(), distance);
    }
}

#[test]
fn weights_and_probabilities() {
    let run = ["strength", "weights", "crc-16/xmodem", "--length", "64", "--ber", "1e-6", "--json"];
    let json = residue(run).run().json();
    assert_eq!(json["complete"], true);
    assert_eq!(json["weights"][1]["weight"], 4);
    assert_eq!(json["weights"][1]["undetected"], "162");
    assert_eq!(json["probabilities"][0]["undetected"], "1.619876884715E-22");
    let text = residue(["strength", "weights", "crc-32", "--length", "12112", "--most", "4"]).run();
    assert!(text.ends(0).contains("223,059"));
    let csv = residue(["strength", "weights", "normal:07", "--length", "9", "--csv"]).run();
    assert_eq!(csv.ends(0).lines().count(), 19);
}

#[test]
fn bad_input() {
    for (arguments, part) in [
        (&["crc-99"][..], "neither a code"),
        (&["normal:1020"], "no constant term"),
        (&["normal:11021", "--width", "16"], "more than its width"),
        (&["crc-82/darc"], "3 to 64"),
        (&["adler-32"], "no CRC"),
        (&["crc-32", "--most", "2"], "3..=65"),
        (&["crc-16/arc", "--confirm"], "--confirm takes"),
        (&["crc-32", "--length", "0"], "length 0"),
        (&["crc-32", "--length", "99999999999999999999B"], "whole number"),
        (&["weights", "crc-32", "--length", "1MiB"], "take too long"),
        (&["weights", "crc-8", "--length", "9", "--ber", "2"], "no bit error rate"),
    ] {
        let ran = residue([&["strength"], arguments].concat()).run();
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.contains(part), "{arguments:?}: {}", ran.err);
    }
}
