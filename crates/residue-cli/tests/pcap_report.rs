//! Tests `residue pcap verify --report`.

use crate::common::{Ran, residue};
use residue_testing::captures;
use std::fs;

/// Writes a report of these captures; returns the folder, the run and the page.
fn report(args: &[&str]) -> (tempfile::TempDir, Ran, String) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("a/b");
    let folder = folder.to_str().unwrap();
    let args = [&["pcap", "verify", "--report", folder][..], args].concat();
    let ran = residue(args).within(&captures()).run();
    let page = fs::read_to_string(dir.path().join("a/b/index.html")).unwrap_or_default();
    (dir, ran, page)
}

/// Returns the parts of a text between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).filter_map(|part| part.split(end).next()).collect()
}

#[test]
fn a_page_has_the_result_the_time_line_and_an_example_of_each_cause() {
    for (name, cause, code) in [
        ("nat-tcp.bad.pcap", "Rewritten: 8 values", 1),
        ("offload-both.bad.pcap", "Offload: 2 values", 0),
        ("udp-zero-v6.bad.pcap", "Illegal: 1 value", 1),
        ("udp-length.bad.pcap", "Length conflict: 1 value", 1),
        ("fragments-v4.bad.pcap", "value", 1),
    ] {
        let (dir, ran, page) = report(&[name]);
        // What is printed is the same as without a report.
        let plain = residue(["pcap", "verify", name]).within(&captures()).run();
        assert_eq!(ran.ends(code), plain.ends(code));
        assert!(ran.err.starts_with("residue: report: ") && ran.err.contains("index.html"));
        assert!(page.contains(&format!("<h3>{cause}</h3>")) || cause == "value", "{name}");
        assert!(page.contains("<svg") && !page.contains("NaN"), "{name}");
        assert_eq!(page.matches("<section").count(), page.matches("</section>").count());
        // It loads nothing.
        let named = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
        assert_eq!(page.matches("http").count(), named);
        assert!(!page.contains("src=") && !page.contains("url("), "{name}");
        let folder = dir.path().join("a/b");
        let file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert!(file("figure-timeline.svg").starts_with("<svg"));
        let csv = residue(["pcap", "verify", "--csv", name]).within(&captures()).run();
        assert_eq!(file("counts.csv"), csv.text());
        let json = residue(["pcap", "verify", "--json", name]).within(&captures()).run();
        assert_eq!(file("captures.jsonl"), json.text());
        // The intervals of the time line have all values that are not right.
        let total = &json.json()["total"];
        let wrong: u64 = ["bad", "offloaded", "illegal", "length_conflict"]
            .iter()
            .map(|column| total[column].as_u64().unwrap())
            .sum();
        let timeline = file("timeline.csv");
        let values = timeline.lines().skip(1).map(|row| row.rsplit(',').next().unwrap());
        assert_eq!(values.map(|count| count.parse::<u64>().unwrap()).sum::<u64>(), wrong, "{name}");
    }
}

/// The marked bytes are those of the stored value.
#[test]
fn the_field_is_marked_in_the_bytes() {
    let mut tried = 0;
    for name in [
        "nat-tcp.bad.pcap",
        "flip-ip.bad.pcap",
        "vxlan-tcp.bad.pcap",
        "fragments-v4.bad.pcap",
        "tso-tcp.bad.pcap",
        "icmp-ext.bad.pcap",
    ] {
        let (_dir, _, page) = report(&[name]);
        let stored = between(&page, "<dt>stored</dt><dd>", "</dd>");
        let hex = between(&page, "<pre class=\"hex\">", "</pre>");
        assert_eq!(stored.len(), hex.len(), "{name}");
        for (stored, hex) in stored.into_iter().zip(hex) {
            // In hexadecimal, and once more as text.
            let marked = between(hex, "<span class=\"field\">", "</span>");
            assert_eq!(marked.len(), 2, "{name}: {hex}");
            assert_eq!(marked[0].replace(' ', "").to_uppercase(), stored, "{name}");
            assert!(hex.contains("<span class=\"covered\">"), "{name}");
            tried += 1;
        }
    }
    assert!(tried >= 6, "{tried}");
}

#[test]
fn several_captures_have_a_table_and_those_with_wrong_values_a_section() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("<b>&.pcap");
    fs::copy(captures().join("nat-tcp.bad.pcap"), &odd).unwrap();
    let odd = odd.to_str().unwrap();
    let (folder, ran, page) =
        report(&["tcp-v4.good.pcap", "tcp-v4.bad.pcap", "nosuch.pcap", odd, "--filter", "<x>"]);
    assert_eq!(ran.code, 2, "a filter with other characters");
    assert!(page.is_empty() && !folder.path().join("a").exists());
    let (folder, ran, page) = report(&[
        "tcp-v4.good.pcap",
        "tcp-v4.bad.pcap",
        "nosuch.pcap",
        odd,
        "--filter",
        "greater 1 && ip",
        "--from",
        "0",
    ]);
    ran.ends(2);
    assert!(page.contains("4 captures") && page.contains("nosuch.pcap: No such file"), "{page}");
    assert!(page.contains("filter <code>greater 1 &amp;&amp; ip</code>, from 0 s after"), "{page}");
    assert!(page.contains("&lt;b&gt;&amp;.pcap") && !page.contains("<b>&"), "{page}");
    assert_eq!(page.matches("<section id=\"capture-").count(), 2);
    for name in ["figure-timeline.svg", "figure-timeline-2.svg"] {
        assert!(folder.path().join("a/b").join(name).is_file(), "{name}");
    }
}

#[test]
fn a_good_capture_has_a_page_too() {
    for name in ["tcp-v4.good.pcap", "iscsi.pcap"] {
        let (_dir, ran, page) = report(&[name]);
        ran.ends(0);
        assert!(page.contains("Nothing wrong") && !page.contains("An example"), "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let folder = dir.path().join("file/report");
    let args = ["pcap", "verify", "--report", folder.to_str().unwrap(), "tcp-v4.good.pcap"];
    let ran = residue(args).within(&captures()).run();
    ran.ends(2);
    assert!(ran.err.contains("cannot write the report into"), "{}", ran.err);
}

#[test]
fn names_are_no_formulas_in_csv() {
    let dir = tempfile::tempdir().unwrap();
    let name = "=HYPERLINK(A1,B1).pcap";
    fs::copy(captures().join("nat-tcp.bad.pcap"), dir.path().join(name)).unwrap();
    let ran = residue(["pcap", "verify", "--csv", "--list", "--report", "report", name]);
    let ran = ran.within(dir.path()).run();
    let written = |file: &str| fs::read_to_string(dir.path().join("report").join(file)).unwrap();
    let texts = [ran.ends(1).to_string(), written("counts.csv"), written("timeline.csv")];
    for text in texts {
        let lines = residue_report::csv::parse(&text);
        assert!(text.lines().skip(1).all(|line| line.starts_with("\"'=HYPERLINK(A1")), "{text}");
        assert!(lines.len() > 1 && lines.iter().skip(1).all(|line| line[0] == name), "{text}");
    }
}
