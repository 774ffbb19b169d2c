//! All four documents in one report: a page for each, its figures, and the data.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::claims::{self, Compared, Document, Judged};
use crate::page::{figure_list, header, machine, method};
use crate::{fidelity, intel2006, pino2018, sahu2019, sklower1989};
use residue_bench::clock::Clock;
use residue_bench::model::{Run, Statistic};
use residue_bench::{Error, Mode, Options, Progress, measure, plain};
use residue_report::files::{self, write_whole};
use residue_report::page::{head, section, table};
use residue_report::pdf::Pdf;
use residue_report::text::{day, escaped, marked_up};
use residue_report::{Figure, Table};

/// The sizes of the thesis (chapter 5).
pub const SIZES: [usize; 13] =
    [64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192, 9000, 16384, 32768, 65536];
/// The sizes of its tables of extra bytes (A.5, A.6).
pub const EXTRA_SIZES: [usize; 3] = [64, 1500, 9000];

/// What the documents measured, measured here.
pub struct Reproduction {
    /// The thesis's algorithms and today's, at its sizes and with extra bytes.
    pub thesis: Run,
    /// The article's, in batches.
    pub article: Run,
    /// The judged claims.
    pub claims: claims::Report,
    /// Sklower's two tests.
    pub iso: Vec<sklower1989::Row>,
    /// Intel's iSCSI receiver.
    pub iscsi: intel2006::Costs,
}

/// Returns the options of the thesis's measurement: its codes and kernels, those that are
/// dispatched today, all sizes, and 0 to 7 extra bytes where it has them.
#[must_use]
pub fn thesis_options(samples: usize) -> Options {
    let codes = ["crc-32/iscsi", "internet", "adler-32", "fletcher-32"].map(String::from);
    let extra = |size: usize| if EXTRA_SIZES.contains(&size) { 0..8 } else { 0..1 };
    Options {
        kernels: Some(sahu2019::kernels_and_todays(&codes)),
        codes: codes.to_vec(),
        sizes: SIZES.into_iter().flat_map(|size| extra(size).map(move |e| (size, e))).collect(),
        samples,
        ..Options::default()
    }
}

/// Returns the options of the article's measurement, of so many rounds.
fn article_options(samples: usize) -> Options {
    Options {
        codes: vec!["internet".into()],
        kernels: Some(pino2018::kernels()),
        sizes: plain(&pino2018::SIZES),
        samples,
        mode: Mode::Throughput,
        ..Options::default()
    }
}

impl Reproduction {
    /// Measures everything, by so many calls of each kernel at each size.
    ///
    /// # Errors
    /// Returns the errors of the measurements.
    pub fn measure(
        samples: usize,
        pinned: bool,
        with_counter: bool,
        clock: &Clock,
        progress: Progress<'_>,
    ) -> Result<Reproduction, Error> {
        let mut at = part(0, 70);
        let options = Options { pinned, with_counter, ..thesis_options(samples) };
        let thesis = measure(&options, clock, &mut |done, of| progress(at(done, of), 100))?;
        let options = Options { pinned, ..article_options(samples.div_ceil(10)) };
        let article = measure(&options, clock, &mut |_, _| ())?;
        let mut at = part(70, 90);
        let claims = claims::judge(samples, clock, &mut |done, of| progress(at(done, of), 100))?;
        let rounds = samples.div_ceil(200);
        let mut at = part(90, 95);
        let iso = sklower1989::measure(rounds, clock.ns_per_tick, &mut |done, of| {
            progress(at(done, of), 100);
        })?;
        let mut at = part(95, 100);
        let iscsi = intel2006::measure(samples.div_ceil(4), clock, &mut |done, of| {
            progress(at(done, of), 100);
        })?;
        Ok(Reproduction { thesis, article, claims, iso, iscsi })
    }

    /// Returns the paragraphs of the verdict on the thesis.
    #[must_use]
    pub fn verdict(&self) -> Vec<String> {
        let conclusion = claims::Report {
            claims: self.claims.claims.iter().take(claims::CONCLUSION).cloned().collect(),
            ..self.claims.clone()
        };
        sahu2019::verdict(&conclusion, &self.thesis)
    }

    /// Writes the report into a folder, which is made if it is missing: `index.html` on the thesis,
    /// `article.html`, `intel.html` and `sklower.html`, `fidelity.html` on every point of the
    /// documents, `report.pdf` for printing, the figures as SVG, and the data as CSV and JSON.
    /// Returns the paths, `index.html` first.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written; the error names the path.
    pub fn write(&self, dir: &Path, statistic: Statistic) -> io::Result<Vec<PathBuf>> {
        let figures = sahu2019::figures(&self.thesis, statistic);
        let json = |value: String| value + "\n";
        let data = [
            ("cells.csv", residue_bench::csv(&self.thesis)),
            ("article.csv", residue_bench::csv(&self.article)),
            ("run.json", json(serde_json::to_string_pretty(&self.thesis)?)),
            ("claims.json", json(serde_json::to_string_pretty(&self.claims)?)),
            ("sklower.json", json(serde_json::to_string_pretty(&self.iso)?)),
            ("article.html", self.article_page()),
            ("sklower.html", self.sklower_page()),
            ("fidelity.html", self.fidelity_page()),
            ("report.pdf", self.pdf(&figures, statistic)),
        ];
        let mut paths = files::write_report(dir, &figures, &data, &self.page(&figures, statistic))?;
        paths.extend(intel2006::write(dir, &self.iscsi)?);
        paths.push(write_whole(dir, "intel.html", &self.intel_page())?);
        Ok(paths)
    }

    /// Returns the verdict, figures, tables and claims for printing.
    fn pdf(&self, figures: &[Figure], statistic: Statistic) -> String {
        let run = &self.thesis;
        let mut pdf = Pdf::default();
        let title = format!("Sahu 2019, reproduced on {}, {}", run.machine.cpu, day(&run.date));
        pdf.paragraphs(&title, &[run.warnings(), self.verdict()].concat());
        let of_intel = intel2006::figures(&self.iscsi);
        figures.iter().chain(&of_intel).for_each(|figure| pdf.chart(&figure.svg));
        let tables = sahu2019::correctness::tables(&run.machine.arch).into_iter();
        let tables = tables.chain(sahu2019::thesis_tables(run, statistic));
        let tables = tables.chain(pino2018::tables_of_article(&self.article));
        let tables = tables.chain([intel2006::table(&self.iscsi)]);
        tables.chain(sklower1989::tables_of_paper(&self.iso)).for_each(|table| {
            pdf.text(&table.text());
        });
        for judged in self.claims.claims.chunk_by(|a, b| a.document == b.document) {
            let heading = format!("Claims of {}", judged[0].document.name());
            pdf.paragraphs(&heading, &judged.iter().map(sentence).collect::<Vec<_>>());
        }
        pdf.finish()
    }

    fn page(&self, figures: &[Figure], statistic: Statistic) -> String {
        let (run, verdict) = (&self.thesis, self.verdict());
        let title = format!("Sahu 2019, reproduced on {}", run.machine.cpu);
        let mut out = head(&title, &day(&run.date));
        let sections = [
            ("verdict", "Verdict"),
            ("correctness", "Correctness"),
            ("figures", "Figures"),
            ("tables", "Tables"),
            ("claims", "Claims"),
            ("documents", "The other documents"),
            ("machine", "Machine"),
            ("method", "Method"),
        ];
        header(&mut out, run, &sections, &title);
        out.push_str("<main>\n");
        section(&mut out, "verdict", "Verdict", |out| paragraphs(out, &verdict));
        section(&mut out, "correctness", "Correctness", |out| {
            all(out, &sahu2019::correctness::tables(&run.machine.arch));
        });
        section(&mut out, "figures", "Figures", |out| figure_list(out, figures));
        section(&mut out, "tables", "Tables", |out| {
            all(out, &sahu2019::thesis_tables(run, statistic));
            all(out, &[sahu2019::table_today(run, statistic), sahu2019::table_quoted()]);
        });
        section(&mut out, "claims", "Claims", |out| self.claims_of(out, Document::Thesis));
        section(&mut out, "documents", "The other documents", |out| {
            out.push_str(
                "<p><a href=\"article.html\">Pino García 2018</a>, \
                 <a href=\"intel.html\">Intel 2006</a>, \
                 <a href=\"sklower.html\">Sklower 1989</a>. <a href=\"fidelity.html\">Every point \
                 of the documents</a>, and what has become of it.</p>\n",
            );
        });
        section(&mut out, "machine", "Machine", |out| machine(out, run));
        section(&mut out, "method", "Method", |out| method(out, run, statistic));
        end(&mut out, run);
        out
    }

    fn article_page(&self) -> String {
        let title = "Fast checksum computation (Pino García 2018), reproduced";
        self.other(title, Document::Article, |out| {
            all(out, &pino2018::tables_of_article(&self.article));
        })
    }

    fn sklower_page(&self) -> String {
        let title = "Improving the Efficiency of the ISO Checksum Calculation (Sklower 1989), \
                     reproduced";
        self.other(title, Document::Sklower, |out| {
            all(out, &sklower1989::tables_of_paper(&self.iso));
            paragraphs(out, &sklower1989::findings(&self.iso));
        })
    }

    fn intel_page(&self) -> String {
        let title = "Slicing-by-8 (Intel 2006), reproduced";
        self.other(title, Document::Intel, |out| {
            figure_list(out, &intel2006::figures(&self.iscsi));
            all(out, &[intel2006::table(&self.iscsi)]);
            paragraphs(out, &intel2006::totals(&self.iscsi));
        })
    }

    fn fidelity_page(&self) -> String {
        self.beside("Every point of the documents", |out| {
            section(out, "points", "Points", fidelity::tables);
        })
    }

    /// Returns the page on one of the other documents.
    fn other(&self, title: &str, document: Document, body: impl FnOnce(&mut String)) -> String {
        self.beside(title, |out| {
            section(out, "results", "Results", body);
            section(out, "claims", "Claims", |out| self.claims_of(out, document));
        })
    }

    /// Returns a page beside that on the thesis.
    fn beside(&self, title: &str, body: impl FnOnce(&mut String)) -> String {
        let run = &self.thesis;
        let mut out = head(title, &day(&run.date));
        let _ = write!(
            out,
            "<header>\n<h1>{}</h1>\n<p class=\"faint\">{} · {}</p>\n\
             <nav><a href=\"index.html\">The thesis</a></nav>\n</header>\n<main>\n",
            escaped(title),
            escaped(&run.machine.cpu),
            escaped(&run.date)
        );
        body(&mut out);
        end(&mut out, run);
        out
    }

    fn claims_of(&self, out: &mut String, document: Document) {
        if let Some(busy) = &self.claims.busy {
            let _ = writeln!(out, "<p class=\"warning\">{}</p>", escaped(busy));
        }
        out.push_str(
            "<p>Each ratio says how many times as long the side takes that is claimed to be \
             slower, with the least and the greatest of ten rounds.</p>\n<div class=\"scroll\">\n\
             <table class=\"prose\">\n<thead><tr><th>claim</th><th>printed</th><th>here</th>\
             <th>verdict</th></tr></thead>\n<tbody>\n",
        );
        for judged in self.claims.claims.iter().filter(|judged| judged.document == document) {
            row(out, judged);
        }
        out.push_str("</tbody>\n</table>\n</div>\n");
    }
}

fn list(all: &[Compared]) -> String {
    all.iter().map(Compared::text).collect::<Vec<_>>().join("; ")
}

/// Returns a claim with its verdict as one sentence.
fn sentence(judged: &Judged) -> String {
    let Judged { claim, place, published, .. } = judged;
    let verdict = judged.verdict.name();
    format!("{verdict}: {claim} ({place}; published {published}). Here: {}.", list(&judged.here))
}

fn row(out: &mut String, judged: &Judged) {
    let here = if judged.here.is_empty() { "-".to_string() } else { list(&judged.here) };
    let today = match judged.today.is_empty() {
        true => String::new(),
        false => {
            format!("<br />With today's kernels, in batches: {}", marked_up(&list(&judged.today)))
        }
    };
    let _ = writeln!(
        out,
        "<tr><th>{} ({})</th><td>{}</td><td>{}{}</td><td>{}</td></tr>",
        escaped(judged.claim),
        escaped(judged.place),
        escaped(judged.published),
        marked_up(&here),
        today,
        judged.verdict.name()
    );
}

fn paragraphs(out: &mut String, paragraphs: &[String]) {
    for paragraph in paragraphs {
        let _ = writeln!(out, "<p>{}</p>", marked_up(paragraph));
    }
}

fn all(out: &mut String, tables: &[Table]) {
    for one in tables {
        table(out, one);
    }
}

fn end(out: &mut String, run: &Run) {
    let version = escaped(&run.residue);
    let _ = write!(
        out,
        "</main>\n<footer>Measured with residue {version}. Figures and tables keep the numbers \
         that they have in the document.</footer>\n</body>\n</html>\n"
    );
}

/// Returns the percentage that is done when a part of the work is, which takes the time from the
/// one percentage to the other; it never falls.
fn part(from: u64, to: u64) -> impl FnMut(u64, u64) -> u64 {
    let mut last = 0;
    move |done, of| {
        last = last.max(from + (to - from) * done / of.max(1));
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::load::Load;

    #[test]
    fn progress_never_falls_and_reaches_the_end_of_a_part() {
        let mut at = part(70, 90);
        let steps = [(0, 10), (5, 10), (3, 10), (0, 0), (10, 10)].map(|(done, of)| at(done, of));
        assert_eq!(steps, [70, 80, 80, 80, 90]);
    }

    /// A few measurements of each document stand for all, which take long.
    #[test]
    fn every_document_has_a_page() {
        let (clock, mut progress) = (Clock::NANOSECONDS, |_, _| ());
        let run = |options: &Options| measure(options, &clock, &mut |_, _| ()).expect("a run");
        let mut all = Reproduction {
            thesis: run(&thesis_options(2)),
            article: run(&article_options(1)),
            claims: claims::conclusion(2, &clock, &mut progress).expect("claims"),
            iso: sklower1989::measure_only(&["ip", "pairs"], 1.0).expect("rows"),
            iscsi: intel2006::measure(1, &clock, &mut progress).expect("costs"),
        };
        all.thesis.load = Load { waited: 0.5, stolen: 0.0 };
        all.claims.busy = Some("<busy>".into());
        let place = tempfile::tempdir().expect("a folder");
        let paths = all.write(place.path(), Statistic::Mean).expect("a report");
        assert!(paths[0].ends_with("index.html") && paths.iter().all(|path| path.is_file()));
        for page in ["index", "article", "intel", "sklower", "fidelity"] {
            let path = place.path().join(page).with_extension("html");
            let text = std::fs::read_to_string(&path).expect("a page");
            let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
            assert!(roxmltree::Document::parse_with_options(&text, options).is_ok(), "{page}");
            assert!(text.contains("&lt;busy&gt;") || page == "fidelity", "{page}");
            assert!(!text.contains('`'), "{page}");
        }
        let index = std::fs::read_to_string(&paths[0]).expect("a page");
        for number in
            ["Figure 5.1", "Figure 5.2", "Table 6.1", "Table 6.2", "Table 6.3", "Table A.1"]
                .into_iter()
                .chain([
                    "Table A.2",
                    "Table A.3",
                    "Table A.4",
                    "Table A.5",
                    "Table A.6",
                    "Figure 6.10",
                ])
        {
            assert!(index.contains(number), "{number}");
        }
    }
}
