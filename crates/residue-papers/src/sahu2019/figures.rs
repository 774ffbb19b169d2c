//! The figures of a run: the thesis's (Sahu 2019), drawn from our measurement with its published
//! curves beside ours.

use super::published::{self, Level};
use super::subjects::{CRC32C, SUBJECTS, Subject};
use residue_bench::model::{Cell, Run, Statistic};
use residue_bench::select::Index;
use residue_report::Figure;
use residue_report::chart::{self, Curve, PER_BYTE, Plot, Sample};
use residue_report::names::short;
use residue_report::number::significant;
use residue_report::text::{capitalised, day, shortened};

/// Returns all figures the run has cells for, in the order of the thesis, each beside the CPU that
/// the thesis drew it for, and at the end the fastest kernel of each code. A kernel that was not
/// measured is not drawn, and a figure without any kernel of ours is left out. Curves are of
/// `statistic`, axes of the medians: no interruption stretches them.
#[must_use]
pub fn figures(run: &Run, statistic: Statistic) -> Vec<Figure> {
    let shown = Shown { run, index: Index::new(run), statistic };
    let mut all: Vec<Figure> = SUBJECTS.iter().filter_map(|one| shown.figure(one)).collect();
    all.extend(shown.fastest());
    all
}

/// Returns the name at the end of a curve: the algorithm, after the code where a figure shows
/// several.
fn label(subject: &Subject, code: &str, kernel: &str) -> String {
    let one_code = subject.hues.iter().all(|hue| hue.code == code);
    let algorithm = published::label(kernel).unwrap_or(kernel);
    match (one_code, kernel) {
        (true, _) => algorithm.into(),
        // These two codes are drawn with one kernel only.
        (false, "deferred") => short(code).into(),
        (false, _) => format!("{}, {algorithm}", short(code)),
    }
}

/// A run, and which of its figures to draw.
struct Shown<'a> {
    run: &'a Run,
    index: Index<'a>,
    statistic: Statistic,
}

impl Shown<'_> {
    fn figure(&self, subject: &Subject) -> Option<Figure> {
        let mut curves = Vec::new();
        for (number, hue) in subject.hues.iter().enumerate() {
            let measured =
                hue.kernels.iter().map(|kernel| (kernel, self.samples(hue.code, kernel)));
            if let Some((kernel, samples)) =
                measured.into_iter().find(|(_, samples)| !samples.is_empty())
            {
                let label = label(subject, hue.code, kernel);
                curves.push(Curve { label, hue: number, published: false, samples });
            }
            let printed =
                |kernel: &&str| published::series(subject.cpu, subject.level, hue.code, kernel);
            if let Some(series) = hue.kernels.iter().find_map(printed) {
                let label =
                    format!("{}, {}", label(subject, hue.code, series.kernel), subject.cpu.short());
                let sample = |p: &published::Point| Sample::exact(p.bytes, p.cycles_per_byte);
                let samples = series.points.iter().filter_map(sample).collect();
                curves.push(Curve { label, hue: number, published: true, samples });
            }
        }
        if curves.iter().all(|curve| curve.published) {
            return None;
        }
        let level = if subject.level == Level::O1 { "-O1" } else { "-O3" };
        let beside = curves.iter().any(|curve| curve.published);
        let key = match beside {
            true => format!(
                "Solid: this CPU. Dashed: {}, means published by Sahu 2019 (GCC {level}).",
                subject.cpu.name()
            ),
            false => "Solid: this CPU.".into(),
        };
        let mut caption = subject.about.to_string();
        let bars = subject.id == "5.3";
        if bars {
            let name = self.statistic.name();
            caption = format!("Error bars show the 95 % confidence interval of the {name}.");
            caption.push_str(&self.widest(subject));
        }
        let title = format!("{}, beside {}", subject.title, subject.cpu.short());
        let plot = Plot {
            title: format!("{}  {}", subject.id, title),
            subtitle: self.subtitle(),
            key,
            curves,
            unit: PER_BYTE,
            bars,
        };
        Some(Figure { id: subject.id.into(), title, caption, svg: chart::svg(&plot) })
    }

    /// Describes the measurement in one line that fits the chart: the machine and the date.
    fn subtitle(&self) -> String {
        let run = self.run;
        let (cpu, date) = (shortened(&run.machine.cpu, 48), day(&run.date));
        let (mode, data) = (shortened(&run.mode, 12), shortened(&run.data, 12));
        let (statistic, word) = (capitalised(self.statistic.name()), run.samples_word());
        let aside = match run.share_set_aside() {
            0.0 => String::new(),
            share => format!(" ({} % disturbed)", significant(share * 100.0, 2)),
        };
        let samples = run.samples;
        format!("{cpu}, {date}. {statistic} of {samples} {word}{aside}, mode {mode}, {data} data.")
    }

    fn samples(&self, code: &str, kernel: &str) -> Vec<Sample> {
        let cells = self.index.curve(code, kernel);
        cells.iter().filter_map(|cell| self.sample(cell)).collect()
    }

    fn sample(&self, cell: &Cell) -> Option<Sample> {
        let usual = if cell.disturbed() { None } else { Some(cell.median) };
        Sample::new(cell.bytes, cell.estimate(self.statistic), usual)
    }

    /// Returns a sentence with the widest interval of a figure, since most bars are too short to be
    /// seen.
    fn widest(&self, subject: &Subject) -> String {
        let cells = subject.hues.iter().flat_map(|hue| {
            hue.kernels
                .iter()
                .map(|kernel| self.index.curve(hue.code, kernel))
                .find(|cells| !cells.is_empty())
        });
        let share = |cell: &&Cell| {
            let estimate = cell.estimate(self.statistic);
            estimate.margin().abs() / estimate.value.abs()
        };
        let all = cells.flatten().filter(|cell| share(cell).is_finite());
        match all.max_by(|a, b| share(a).total_cmp(&share(b))) {
            Some(cell) => {
                let percent = significant(share(&cell) * 100.0, 2);
                let statistic = self.statistic.name();
                format!(
                    " The widest of ours is {} at {} bytes: ±{percent} % of the {statistic}.",
                    cell.kernel, cell.bytes
                )
            }
            None => String::new(),
        }
    }

    /// Draws the least figure of any kernel at each size, one curve for each code of the thesis.
    fn fastest(&self) -> Option<Figure> {
        const CODES: [&str; 4] = [CRC32C, "internet", "adler-32", "fletcher-32"];
        let value = |cell: &Cell| cell.estimate(self.statistic).value;
        let (mut curves, mut at_1500) = (Vec::new(), Vec::new());
        for (number, code) in CODES.into_iter().enumerate() {
            let kernels = self.index.kernels().iter().filter(|(of, _)| *of == code);
            let kernels: Vec<&str> = kernels.map(|&(_, kernel)| kernel).collect();
            let best = |&bytes: &usize| {
                let cells =
                    kernels.iter().filter_map(|kernel| self.index.cell(code, kernel, bytes, 0));
                let cells = cells.filter(|cell| value(cell) > 0.0);
                cells.min_by(|a, b| value(a).total_cmp(&value(b)))
            };
            if let Some(cell) = best(&1500) {
                let (name, cost) = (short(code), significant(value(cell), 3));
                at_1500.push(format!("{name} {} {cost}", cell.kernel));
            }
            let cells = self.index.sizes().iter().filter_map(best);
            let samples: Vec<_> = cells.filter_map(|cell| self.sample(cell)).collect();
            if !samples.is_empty() {
                let label = short(code).into();
                curves.push(Curve { label, hue: number, published: false, samples });
            }
        }
        if curves.is_empty() {
            return None;
        }
        let title = "The fastest kernel of each code".to_string();
        let statistic = self.statistic.name();
        let key = format!("At each size the least {statistic} of any kernel that was measured.");
        let mut caption = key.clone();
        if !at_1500.is_empty() {
            let list = at_1500.join(", ");
            caption.push_str(&format!(" In cycles per byte at 1500 bytes: {list}."));
        }
        let subtitle = self.subtitle();
        let plot =
            Plot { title: title.clone(), subtitle, key, curves, unit: PER_BYTE, bars: false };
        Some(Figure { id: "fastest".into(), title, caption, svg: chart::svg(&plot) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::example;

    fn ids(figures: &[Figure]) -> Vec<&str> {
        figures.iter().map(|figure| figure.id.as_str()).collect()
    }

    #[test]
    fn a_full_run_gives_every_figure() {
        let all = figures(&example::x86(), Statistic::Median);
        let wanted = [
            "5.3", "6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "6.7", "6.8", "6.9", "6.10", "fastest",
        ];
        assert_eq!(ids(&all), wanted);
        for figure in &all {
            roxmltree::Document::parse(&figure.svg).unwrap();
            assert!(figure.svg.contains("Example 9999"), "{}", figure.id);
            assert!(figure.svg.contains("2026-01-02"), "{}", figure.id);
        }
        let hardware = &all[5];
        assert!(hardware.svg.contains("in segments, Xeon"));
        assert!(all[4].svg.contains("16-bit words, i3") && all[4].svg.contains("GCC -O1"));
    }

    #[test]
    fn arm_draws_its_own_kernels_beside_the_published_arm() {
        let all = figures(&example::arm(), Statistic::Median);
        let find = |id: &str| all.iter().find(|figure| figure.id == id).unwrap();
        assert!(find("6.8").svg.contains("by the instruction"));
        assert!(find("6.8").svg.contains("by the instruction, A53"));
        assert!(!find("6.5").svg.contains(">in thirds<"));
        assert!(find("6.9").svg.contains("16-bit words, A53"));
    }

    #[test]
    fn an_empty_or_hostile_run_does_no_harm() {
        assert!(figures(&example::empty(), Statistic::Median).is_empty());
        let mut run = example::x86();
        run.machine.cpu = "<script>\u{0}&".repeat(50);
        run.date = "é".into();
        let bad = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e308, 5e-324];
        for (number, cell) in run.cells.iter_mut().enumerate() {
            cell.median = bad[number % bad.len()];
            cell.plain_mean = cell.median;
            (cell.low, cell.high) = (bad[number % 5], bad[number % 4]);
            cell.set_aside = number % 2 * 2000;
            cell.bytes = if number % 3 == 0 { usize::MAX } else { number % 2 };
        }
        run.cells[1].median = 1.0;
        run.cells[1].bytes = 1;
        for figure in
            figures(&run, Statistic::Median).into_iter().chain(figures(&run, Statistic::Mean))
        {
            roxmltree::Document::parse(&figure.svg).unwrap();
        }
        run.cells.truncate(1);
        let _ = figures(&run, Statistic::Median);
    }

    /// Returns the numbers on the axis of costs, which end left of the plotting area.
    fn cost_labels(svg: &str) -> Vec<f64> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let left = texts.filter(|node| node.attribute("text-anchor") == Some("end"));
        left.filter_map(|node| node.text()?.trim().parse().ok()).collect()
    }

    #[test]
    fn no_interrupted_cell_stretches_an_axis() {
        let quiet = example::x86();
        let mut busy = quiet.clone();
        // Interruptions multiply means by a hundred, and here and there even a median.
        for (number, cell) in busy.cells.iter_mut().enumerate() {
            (cell.plain_mean, cell.plain_margin) = (cell.mean * 100.0, cell.mean * 200.0);
            if number % 50 == 7 {
                cell.set_aside = 2 * cell.samples;
                (cell.median, cell.plain_mean) = (cell.median * 1000.0, cell.mean * 1000.0);
            }
        }
        for statistic in [Statistic::Median, Statistic::Mean] {
            let pairs =
                figures(&quiet, Statistic::Median).into_iter().zip(figures(&busy, statistic));
            for (quiet, busy) in pairs {
                let (wanted, got) = (cost_labels(&quiet.svg), cost_labels(&busy.svg));
                assert!(wanted.len() >= 2, "{}", quiet.id);
                // Intervals may reach a little further, costs a hundred times as high may not.
                let highest = |labels: &[f64]| labels.iter().copied().fold(0.0, f64::max);
                assert!(highest(&got) <= 2.0 * highest(&wanted), "{} {statistic:?}", quiet.id);
                // What lies beyond is pointed to, not dropped.
                let expected = statistic == Statistic::Mean;
                assert!(!expected || busy.svg.contains("Arrows"), "{}", busy.id);
                assert!(!quiet.svg.contains("Arrows"), "{}", quiet.id);
            }
        }
    }
}
