//! `residue bench`: everything it prints and writes, with few samples. No test checks a time.

use crate::common::{residue, typed};
use residue::cpu;
use residue_bench::model::Run;

/// A small run in the thesis's mode.
const QUICK: [&str; 7] = [
    "bench",
    "--samples",
    "3",
    "-a",
    "crc32c,internet",
    "-k",
    "sse42_pclmul_sahu2019,crc,adc_pino2018,slicing8,word16",
];

fn quick(more: &[&str]) -> crate::common::Run {
    residue(QUICK.into_iter().chain(more.iter().copied()))
}

#[test]
fn the_first_screen_has_the_thesis_s_table_todays_kernels_and_the_verdict() {
    let ran = typed("bench --samples 2").run();
    let text = ran.ends(0);
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "disturbed",
        "Single calls on fresh bytes, medians",
        "CRC-32C bit-wise",
        "Internet 16-bit words",
        "Today's kernels",
        "in batches, in GB/s",
        "fletcher-16",
        "The thesis's conclusion, by its own algorithms and single calls",
        "at 9000 bytes",
        "With today's kernels, in batches",
        "10 Gbit/s",
        "residue bench --full",
    ] {
        assert!(joined.contains(words), "{words}:\n{text}");
    }
    assert!(text.lines().count() <= 60, "{text}");
    assert!(
        text.lines()
            .skip(1)
            .filter(|line| !line.starts_with("counter"))
            .all(|line| line.chars().count() <= residue_report::COLUMNS),
        "{text}"
    );
    assert_eq!(ran.err, "");
}

#[test]
fn one_codes_kernels_are_a_table_and_named_kernels_have_no_winner() {
    let text = typed("bench --samples 2 -a fletcher-16 --with-counter").run().ends(0).to_string();
    for words in [
        "(included)",
        "Every kernel",
        "rfc1008",
        "±",
        "in batches: the fastest of all that was measured",
    ] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    let text = quick(&[]).run().ends(0).to_string();
    assert!(text.contains("slicing8") && !text.contains("fastest") && !text.contains("thesis's"));
}

#[test]
fn a_full_run_has_every_table() {
    let text = quick(&["--full"]).run().ends(0).to_string();
    for table in ["Table 6.1", "every size", "Table A.4", "Table A.5", "Table A.6"] {
        assert!(text.contains(table), "{table}");
    }
    assert!(text.contains("16384") && text.contains("+7"));
}

#[test]
fn json_is_a_run_that_can_be_compared() {
    let dir = tempfile::tempdir().expect("a folder");
    let ran = quick(&["--json", "--full"]).run();
    let run: Run = serde_json::from_str(ran.ends(0)).expect("a run");
    assert_eq!((run.mode.as_str(), run.samples), ("thesis", 3));
    let mut sizes: Vec<usize> = run.cells.iter().map(|cell| cell.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    assert_eq!(sizes, [64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192, 9000, 16384, 32768, 65536]);
    assert!(
        (0..8).all(|extra| {
            run.cells.iter().any(|cell| (cell.bytes, cell.extra) == (1500, extra))
        })
    );
    assert_eq!(run.machine.profile, cpu::profile().name);
    assert!(!run.steady.is_empty() && run.format == residue_bench::model::FORMAT);
    for cell in run.all_cells() {
        // On a busy machine some samples are set aside, and most are repeated.
        assert!(cell.samples + cell.set_aside >= 3, "{cell:?}");
        assert!(cell.low <= cell.median && cell.median <= cell.high, "{cell:?}");
    }

    let [a, b] = ["a.json", "b.json"].map(|name| dir.path().join(name));
    std::fs::write(&a, &ran.out).expect("written");
    std::fs::write(&b, quick(&["--json"]).run().ends(0)).expect("written");
    let [a_name, b_name] = [&a, &b].map(|path| path.to_str().expect("a path in UTF-8"));
    let compared = residue(["bench", "compare", a_name, b_name]).run();
    assert!(compared.ends(0).contains("slicing8"));

    // A run in the first layout, which has no intervals.
    let mut old: serde_json::Value = serde_json::from_slice(&ran.out).expect("JSON");
    old["format"] = 1.into();
    old.as_object_mut().expect("an object").remove("load");
    assert!(old["machine"].as_object_mut().expect("an object").remove("profile").is_some());
    for list in ["cells", "steady"] {
        for cell in old[list].as_array_mut().expect("cells") {
            let cell = cell.as_object_mut().expect("a cell");
            for key in ["set_aside", "low", "high", "plain_mean", "plain_margin"] {
                assert!(cell.remove(key).is_some(), "{key}");
            }
        }
    }
    std::fs::write(&b, old.to_string()).expect("written");
    for statistic in ["median", "mean"] {
        let ran = residue(["bench", "compare", "--statistic", statistic, a_name, b_name]).run();
        let text = ran.ends(0);
        assert!(text.contains(&format!("per byte, {statistic}.")) && text.contains("B/A"));
    }
    old["format"] = 99.into();
    std::fs::write(&b, old.to_string()).expect("written");
    let ran = residue(["bench", "compare", a_name, b_name]).run();
    assert!(ran.code == 2 && ran.err.contains("layout 99"), "{}", ran.err);

    std::fs::write(&b, "{}").expect("written");
    let ran = residue(["bench", "compare", a_name, b_name]).run();
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is not a run"), "{}", ran.err);
    let ran = typed("bench compare no.json nor.json").run();
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no.json"), "{}", ran.err);
}

#[test]
fn csv_has_a_line_for_each_cell() {
    let text = quick(&["--csv"]).run().ends(0).to_string();
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|head| head.contains("code")
        && head.contains("kernel")
        && head.contains("bytes")));
    assert!(
        lines.clone().count() >= 3 * 4
            && lines.all(|line| line.contains("crc-32/iscsi") || line.contains("internet"))
    );
}

#[test]
fn a_report_is_a_page_with_figures() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("new/report");
    let ran = quick(&["--full", "--report", &folder.to_string_lossy()]).run();
    ran.ends(0);
    assert!(ran.err.contains("index.html"), "{}", ran.err);
    let page = std::fs::read_to_string(folder.join("index.html")).expect("a page");
    assert!(
        page.contains("<svg")
            && page.contains("Table 6.1")
            && page.contains("Profile in use")
            && !page.contains("http://localhost")
    );
    for file in ["cells.csv", "run.json", "figure-6.1.svg", "figure-6.6.svg"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    // A folder that cannot be created.
    std::fs::write(dir.path().join("file"), "").expect("written");
    let ran = quick(&["--report", &dir.path().join("file/report").to_string_lossy()]).run();
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write the report"), "{}", ran.err);
}

#[test]
fn what_the_thesis_s_report_cannot_do_is_refused() {
    let ran = typed("bench --thesis -a xns").run();
    assert!(ran.code == 2 && ran.err.contains("cannot be used with"), "{}", ran.err);
}

#[test]
fn other_ways_to_time() {
    for options in [
        &["--mode", "latency"][..],
        &["--mode", "throughput", "--misaligned"],
        &["--sizes", "44,550,1500"],
        &["--mixed", "20..64"],
        &["--mixed", "1..136", "--mode", "latency"],
        &["--data", "zeros"],
        &["--data", "ones", "--sizes", "0,1,7"],
        &["--data", "ramp", "--extra", "0,3"],
        &["--cold", "--sizes", "64"],
        &["--misaligned"],
        &["--statistic", "mean"],
        &["--statistic", "mean", "--full"],
    ] {
        let text = quick(options).run().ends(0).to_string();
        assert!(text.contains("slicing8"), "{options:?}: {text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{options:?}: {text}");
    }
    if cfg!(target_os = "linux") {
        quick(&["--pin"]).run().ends(0);
        let ran = quick(&["--pin=100000"]).run();
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("none of those allowed"), "{}", ran.err);
    }
}

#[test]
fn sklowers_tests_have_his_ten_rows() {
    let rows = typed("bench iso --rounds 1 --json").run().json();
    let names: Vec<&str> =
        rows.as_array().expect("rows").iter().filter_map(|row| row["name"].as_str()).collect();
    let his = [
        "null",
        "ip",
        "pip",
        "xns",
        "simple",
        "pairs",
        "pairs_double",
        "rfc1008",
        "f16",
        "f16_indexed",
    ];
    assert_eq!(names[..10], his);
    let text = typed("bench iso --rounds 1").run().ends(0).to_string();
    assert!(
        text.contains("VAX 8800") && text.contains("Two bytes at a time gain 5 to 10 per cent"),
        "{text}"
    );
}

#[test]
fn the_costs_of_iscsi_are_printed_and_drawn() {
    let dir = crate::common::folder();
    let folder = dir.path().join("report");
    let folder = folder.to_str().expect("a path in UTF-8");
    let iscsi = ["bench", "iscsi", "--rounds", "1"];
    let text = residue(iscsi.into_iter().chain(["--report", folder])).run().ends(0).to_string();
    for words in ["bytewise: Sarwate", "slicing8", "CRC and copy in one pass", "73761", "2.0 times"]
    {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    for file in ["figure-iscsi-2.svg", "figure-iscsi-3.svg", "iscsi.csv", "iscsi.json"] {
        assert!(std::path::Path::new(folder).join(file).is_file(), "{file}");
    }
    let costs = residue(iscsi.into_iter().chain(["--json"])).run().json();
    assert_eq!(costs["rows"].as_array().map(Vec::len), Some(20));
    let csv = residue(iscsi.into_iter().chain(["--csv"])).run().ends(0).to_string();
    assert_eq!(csv.lines().count(), 21);
}

#[test]
fn a_crc_of_ones_own_is_measured() {
    let own = "width=24,poly=864cfb,init=b704ce,internet";
    let text = residue(["bench", "--sizes", "100", "--samples", "1", "--csv", "-a", own])
        .run()
        .ends(0)
        .to_string();
    assert!(text.contains("poly=864cfb") && text.contains("internet"), "{text}");
}

#[test]
fn a_lesser_tier_can_be_measured() {
    let ran = typed("bench --samples 1 -a crc32c").with("RESIDUE_CPU", "portable").run();
    let text = ran.ends(0);
    assert!(
        text.contains("slicing16") && !text.contains("sse42") && !text.contains("crc_pmull"),
        "{text}"
    );
}
