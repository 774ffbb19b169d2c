//! The page on a run: one HTML file with its style, its script and its figures inside.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::sahu2019::{figures, tables};
use residue_bench::model::{Run, Statistic};
use residue_report::Figure;
use residue_report::files;
use residue_report::number::plain_number;
use residue_report::page::{self, head, section};
use residue_report::text::{day, escaped, marked_up};

/// Writes the whole report into a folder, which is made if it is missing: `index.html`,
/// `figure-ID.svg` for each figure, `cells.csv` and `run.json`. Returns the paths, in that order.
///
/// A reader finds the old file or the new one, never half of one. The page comes last, when all it
/// speaks of is there. Nothing is deleted: figures of an earlier report that this run has no cells
/// for stay in the folder.
pub fn write_report(
    dir: &Path,
    run: &Run,
    verdict: &[String],
    statistic: Statistic,
) -> io::Result<Vec<PathBuf>> {
    let figures = figures(run, statistic);
    let data = [
        ("cells.csv", residue_bench::csv(run)),
        ("run.json", serde_json::to_string_pretty(run)? + "\n"),
    ];
    files::write_report(dir, &figures, &data, &page(run, verdict, statistic, &figures))
}

/// Returns the whole report as one file that loads nothing else.
///
/// `verdict` is a paragraph each; without one the section is left out. Figures and tables show
/// `statistic`. All text is escaped.
pub fn html(run: &Run, verdict: &[String], statistic: Statistic) -> String {
    page(run, verdict, statistic, &figures(run, statistic))
}

/// Writes [`html`] with figures that are already drawn.
fn page(run: &Run, verdict: &[String], statistic: Statistic, figures: &[Figure]) -> String {
    let title = format!("Error-detection codes on {}", run.machine.cpu);
    let mut out = head(&title, &day(&run.date));
    let sections = [
        ("verdict", "Verdict"),
        ("figures", "Figures"),
        ("tables", "Tables"),
        ("machine", "Machine"),
        ("method", "Method"),
    ];
    let sections = if verdict.is_empty() { &sections[1..] } else { &sections };
    header(&mut out, run, sections, &title);
    out.push_str("<main>\n");
    if !verdict.is_empty() {
        out.push_str("<section id=\"verdict\">\n<h2>Verdict</h2>\n<div class=\"verdict\">\n");
        for paragraph in verdict {
            let _ = writeln!(out, "<p>{}</p>", marked_up(paragraph));
        }
        out.push_str("</div>\n</section>\n");
    }
    section(&mut out, "figures", "Figures", |out| figure_list(out, figures));
    section(&mut out, "tables", "Tables", |out| table_list(out, run, statistic));
    section(&mut out, "machine", "Machine", |out| machine(out, run));
    section(&mut out, "method", "Method", |out| method(out, run, statistic));
    let version = escaped(&run.residue);
    let _ = write!(
        out,
        "</main>\n<footer>Measured with residue {version}. The published figures are Sahu 2019, \
         Tables A.1 to A.6; each figure here keeps its number \
         there.</footer>\n</body>\n</html>\n"
    );
    out
}

pub(crate) fn header(out: &mut String, run: &Run, sections: &[(&str, &str)], title: &str) {
    let _ = write!(
        out,
        "<header>\n<h1>{}</h1>\n<p class=\"faint\">{} · mode {} · {} data · {} {} for each figure \
         · residue {}</p>\n",
        escaped(title),
        escaped(&run.date),
        escaped(&run.mode),
        escaped(&run.data),
        run.samples,
        run.samples_word(),
        escaped(&run.residue)
    );
    if !run.cells.is_empty() {
        let _ = writeln!(out, "<p class=\"faint\">{}</p>", escaped(&run.set_aside()));
    }
    for warning in run.warnings() {
        let _ = writeln!(out, "<p class=\"warning\">{}</p>", escaped(&warning));
    }
    out.push_str("<nav>");
    for (id, name) in sections {
        let _ = write!(out, "<a href=\"#{id}\">{name}</a>");
    }
    out.push_str("</nav>\n</header>\n");
}

pub(crate) fn figure_list(out: &mut String, figures: &[Figure]) {
    if figures.is_empty() {
        out.push_str("<p>No cell of this run belongs to a figure.</p>\n");
    }
    for figure in figures {
        page::figure(out, figure);
    }
}

fn table_list(out: &mut String, run: &Run, statistic: Statistic) {
    let tables = tables(run, statistic);
    if tables.is_empty() {
        out.push_str("<p>This run has no cells.</p>\n");
    }
    for table in tables {
        page::table(out, &table);
    }
}

pub(crate) fn machine(out: &mut String, run: &Run) {
    let m = &run.machine;
    let ns_per_cycle = m.ticks_per_cycle * m.ns_per_tick;
    let clock = if ns_per_cycle > 0.0 {
        format!("{} GHz", plain_number(1.0 / ns_per_cycle))
    } else {
        "unknown".into()
    };
    let cycles = |ticks: f64| {
        let cycles = ticks / m.ticks_per_cycle;
        let (ticks, cycles) = (plain_number(ticks), plain_number(cycles));
        let plural = if ticks == "1" { "" } else { "s" };
        format!("{ticks} tick{plural}, {cycles} core cycles")
    };
    let per_cycle = match m.ticks_per_cycle_by_products {
        Some(other) => format!(
            "{} by additions, {} by multiplications",
            plain_number(m.ticks_per_cycle),
            plain_number(other)
        ),
        None => plain_number(m.ticks_per_cycle),
    };
    let features = if m.features.is_empty() { "none".into() } else { m.features.join(", ") };
    let profile = if m.profile.is_empty() { "not recorded" } else { &m.profile };
    let reading = match m.overhead_included {
        true => "Reading it twice, in every figure",
        false => "Reading it twice, subtracted",
    };
    let facts = [
        ("CPU", m.cpu.clone()),
        ("Architecture", m.arch.clone()),
        ("Features in use", features),
        ("Profile in use", profile.to_string()),
        ("Core clock during the run", clock),
        ("Counter", format!("{}, {} ns a tick", m.counter, plain_number(m.ns_per_tick))),
        ("Counter ticks per core cycle", per_cycle),
        ("Resolution of the counter", cycles(m.resolution_ticks)),
        (reading, cycles(m.overhead_ticks)),
    ];
    out.push_str("<dl>\n");
    for (name, value) in facts {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&value));
    }
    out.push_str("</dl>\n");
}

pub(crate) fn method(out: &mut String, run: &Run, statistic: Statistic) {
    let mode = match run.mode.as_str() {
        "thesis" => {
            "As in the thesis, every call gets a buffer of its own, and the counter is read before \
             and after it; without pinning and priority the figures are an upper bound."
        }
        "throughput" => {
            "Independent calls follow each other, so the figures tell what a steady stream costs."
        }
        "latency" => {
            "Each call waits for the result of the one before, so the figures tell how long one \
             takes."
        }
        _ => "",
    };
    if !mode.is_empty() {
        let _ = writeln!(out, "<p>{mode}</p>");
    }
    if !run.conditions.is_empty() {
        let _ = writeln!(out, "<p>Conditions: {}.</p>", escaped(&run.conditions.join(", ")));
    }
    let _ = write!(
        out,
        "<p>Each cell is the {} of its {} ({} by default), in core cycles per byte; counter ticks \
         are turned into core cycles with the factor above, and the cost of reading the counter is \
         {}. {} It says how well the {} is known, not how much single calls differ, which \
         is the standard deviation in <code>cells.csv</code>. Disturbed calls, recognised by the \
         operating system's count of turns on a core, by a time far outside the rest, or by a \
         chain of additions that ran slower beside them, are set aside and taken again; \
         <code>cells.csv</code> has their number and the mean with them. Published figures are \
         means. Arrows at the edge of a figure point to what lies beyond it.</p>\n\
         <p>Figures of different processors compare cycles, not time: a faster clock does not \
         show. Published curves were compiled by GCC at the level that each figure names.</p>\n",
        statistic.name(),
        run.samples_word(),
        run.samples,
        if run.machine.overhead_included { "part of it, as in the thesis" } else { "subtracted" },
        match statistic {
            Statistic::Median =>
                "The number after ± is the distance to the farther end of the 95 % interval of the \
                 median, given by order statistics.",
            Statistic::Mean =>
                "The number after ± is half the width of the 95 % confidence interval of the mean.",
        },
        statistic.name()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::example;
    use std::fs;

    fn parsed(html: &str) -> usize {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(html, options).unwrap();
        document.descendants().filter(|node| node.tag_name().name() == "svg").count()
    }

    #[test]
    fn the_page_is_whole_and_loads_nothing() {
        let verdict = ["CRC-32C by `adc` is <faster> & better.".into()];
        let html = html(&example::x86(), &verdict, Statistic::Median);
        assert_eq!(parsed(&html), 12);
        assert!(html.contains("by <code>adc</code> is &lt;faster&gt; &amp; better."));
        for word in ["src=", "@import", "url(", "<link"] {
            assert!(!html.contains(word), "{word}");
        }
        let namespace = "http://www.w3.org/2000/svg";
        assert_eq!(html.matches("http").count(), html.matches(namespace).count());
    }

    #[test]
    fn empty_and_hostile_runs_give_a_page() {
        assert_eq!(parsed(&html(&example::empty(), &[], Statistic::Median)), 0);
        let mut run = example::x86();
        run.machine.cpu = "</title><script>alert(1)</script>\u{1b}".into();
        run.machine.ticks_per_cycle = 0.0;
        run.machine.ns_per_tick = f64::NAN;
        run.date = String::new();
        run.mode = "\"'<".into();
        run.cells[0].kernel = "<img src=x onerror=alert(1)>".into();
        let html = html(&run, &[], Statistic::Mean);
        parsed(&html);
        assert!(!html.contains("<script>"));
        assert!(!html.contains("<img"));
    }

    #[test]
    fn a_busy_machine_is_named_above_everything() {
        let mut run = example::x86();
        run.load.waited = 0.5;
        run.cells[0].set_aside = 7;
        let html = html(&run, &[], Statistic::Median);
        assert_eq!(html.matches("class=\"warning\"").count(), 1);
        assert!(html.contains("waited for a core 50 %") && html.contains("7 of "));
    }

    #[test]
    fn no_page_shows_a_raw_backtick() {
        let run = example::x86();
        let verdict = crate::sahu2019::fastest_codes(&run);
        assert!(verdict.iter().any(|paragraph| paragraph.contains("`avx512`")));
        let html = html(&run, &verdict, Statistic::Median);
        assert!(html.contains("<code>avx512</code>"));
        assert!(!html.contains('`'));
    }

    #[test]
    fn a_report_is_written_whole() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("new/folder");
        let run = example::x86();
        for _ in 0..2 {
            let paths = write_report(&dir, &run, &["Yes.".into()], Statistic::Median).unwrap();
            assert_eq!(paths.len(), 15);
            assert!(paths[0].ends_with("index.html"));
            assert!(paths.iter().all(|path| path.is_file()));
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 15);
        let json = fs::read_to_string(dir.join("run.json")).unwrap();
        let back: Run = serde_json::from_str(&json).unwrap();
        assert!(
            residue_bench::csv(&back) == residue_bench::csv(&run),
            "a number changed on its way through JSON"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("cells.csv")).unwrap();
        let error =
            write_report(place.path(), &example::empty(), &[], Statistic::Mean).unwrap_err();
        assert!(error.to_string().contains("cells.csv"), "{error}");
        assert!(
            !fs::read_dir(place.path())
                .unwrap()
                .any(|e| e.unwrap().path().extension() == Some("tmp".as_ref()))
        );
    }
}
