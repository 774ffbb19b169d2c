use crate::tshark::{Tshark, choose};
use crate::{Tally, Truth, compare, read_truth};
use std::fs;
use std::path::Path;

fn captures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../captures"))
}

#[test]
fn only_fields_that_tshark_knows_are_asked_for() {
    let listing = "P\tInternet Protocol\tip\n\
                   F\tHeader checksum status\tip.checksum.status\tFT_UINT8\tip\t\t0x0\t\n\
                   F\tChecksum Status\tpim.checksum.status\tFT_UINT8\tpim\t\t0x0\t\n\
                   F\tip.tcp\tno.such\tFT_UINT8\ttcp.checksum.status\t\t0x0\t\n";
    let (fields, unknown) = choose(listing);
    assert_eq!(fields, [("ip", "ip.checksum.status"), ("pim", "pim.checksum.status")]);
    assert!(unknown.contains(&"tcp.checksum.status"), "{unknown:?}");
    assert!(!unknown.contains(&"ip.checksum.status"), "{unknown:?}");
    // The newer name comes first.
    let both = format!("{listing}F\tStatus\tpim.cksum.status\n");
    assert_eq!(choose(&both).0[1], ("pim", "pim.cksum.status"));
    assert!(choose("").0.is_empty());
}

#[test]
fn a_comparison_that_judged_nothing_fails() {
    let nothing = Tally::default();
    let all_unread = Tally { captures: 3, unread: 3, ..Tally::default() };
    let no_checks = Tally { captures: 3, unread: 1, ..nothing.clone() };
    for (tally, word) in [
        (nothing.clone(), "no captures"),
        (all_unread, "could read no"),
        (no_checks, "no capture has"),
    ] {
        assert!(!tally.is_good());
        assert!(tally.nothing_judged().unwrap().contains(word), "{tally}");
    }
    assert!(Tally { captures: 1, same: 1, ..nothing.clone() }.is_good());
    assert!(Tally { captures: 1, explained: 1, ..nothing.clone() }.is_good());
    assert!(!Tally { captures: 1, same: 9, unexplained: 1, ..nothing.clone() }.is_good());
}

/// Tests that both modes fail for a folder without captures and for a list without any.
#[test]
fn an_empty_folder_fails_in_both_modes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(read_truth(folder).unwrap_err().to_string().contains("ground-truth.csv"));
    fs::write(folder.join("ground-truth.csv"), "repository,commit,path\n").unwrap();
    let tally = compare(folder, &read_truth(folder).unwrap(), None, false).unwrap();
    assert!(!tally.is_good() && tally.captures == 0);
    let tally = compare(folder, &Truth::new(), None, false).unwrap();
    assert!(!tally.is_good());
}

#[cfg(unix)]
#[test]
fn a_tshark_that_reads_no_capture_or_knows_no_field_fails() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(captures().join("tcp-v4.good.pcap"), folder.join("a.pcap")).unwrap();
    let fields = vec![("ip", "ip.checksum.status")];
    let tshark = Tshark { program: "false".into(), fields, unknown: Vec::new() };
    let truth = tshark.truth(folder).unwrap();
    let tally = compare(folder, &truth, Some(&tshark.protocols()), false).unwrap();
    assert_eq!(tally, Tally { captures: 1, unread: 1, ..Tally::default() });
    assert!(!tally.is_good());
    assert!(Tshark::installed("true").unwrap_err().to_string().contains("-G fields"));
    assert!(Tshark::installed(folder.join("nosuch")).is_err());
}

/// Tests the installed tshark on a capture with a right and one with a wrong value.
#[test]
fn the_installed_tshark_judges_as_this_does() {
    if !residue_testing::installed("tshark") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["tcp-v4.good.pcap", "tcp-v4.bad.pcap", "pcapng.good.pcapng"] {
        fs::copy(captures().join(name), folder.path().join(name)).unwrap();
    }
    let tshark = Tshark::installed("tshark").unwrap();
    assert!(["ip", "tcp", "udp"].iter().all(|name| tshark.protocols().contains(name)));
    let truth = tshark.truth(folder.path()).unwrap();
    let tally = compare(folder.path(), &truth, Some(&tshark.protocols()), true).unwrap();
    assert!(tally.is_good() && tally.same >= 6, "{tally}");
    assert_eq!((tally.captures, tally.unread), (3, 0));
}
