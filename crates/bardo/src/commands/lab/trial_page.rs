//! What a trial came to, for people: the verdict and what it follows from, every arm, every line.

use golem_lab::trial::{
    Contrast, Finding, POOLED, TRIAL_OUTCOMES, TrialArm, TrialLine, TrialPlan, TrialStatistics, VerdictTold,
    verdict_line,
};
use golem_view::page::{ForestPlot, ForestRow, PagePart, PageTable, PlotUnit, ReportPage, Tone, signed};
use std::fmt::Write as _;

/// A trial whose key is open.
pub struct TrialTold<'a> {
    pub plan: &'a TrialPlan,
    pub said: &'a TrialStatistics,
    pub told: &'a VerdictTold,
    /// Hours at which the line that inherits had its deaths, path by path.
    pub deaths: &'a [Vec<u64>],
}

const LEAD: &str = "Does a line of golems that die and inherit do better than an immortal, and is that more than forgetting? The \
                    verdict follows from a table that was fixed before anybody lived; lines were lived and judged under letters.";

impl TrialTold<'_> {
    /// The page with plots.
    pub fn page(&self) -> ReportPage {
        let mut page = ReportPage::new(&format!("The trial: {}", self.told.verdict.words()), LEAD);
        page.add(PagePart::Command(crate::page_file::as_typed())).add(PagePart::Facts(self.facts()));
        for hypothesis in &self.plan.hypotheses {
            page.add(PagePart::Words(hypothesis.clone()));
        }
        page.add(PagePart::Heading("Controls".to_owned())).add(PagePart::Table(self.controls()));
        page.add(PagePart::Heading("Arms".to_owned())).add(PagePart::Table(self.arms()));
        for (name, _, _, about) in TRIAL_OUTCOMES {
            let rows = self.forest(name);
            let caption =
                format!("Difference of: {about}. Shaded is the margin; all intervals of the page hold at once.");
            if !rows.is_empty() {
                let plot = ForestPlot { caption, unit: PlotUnit::Plain, rows };
                page.add(PagePart::Heading(name.to_owned())).add(PagePart::Forest(plot));
            }
        }
        page.add(PagePart::Heading("All lines".to_owned())).add(PagePart::Table(self.lines()));
        page
    }

    /// The same without plots, for a folder of documents.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("# The trial: {}\n\n{LEAD}\n\n    {}\n\n", self.told.verdict.words(), crate::page_file::as_typed());
        for (name, what) in self.facts() {
            let _ok = writeln!(text, "- {name}: {what}");
        }
        for (title, table) in [("Controls", self.controls()), ("Arms", self.arms()), ("All lines", self.lines())] {
            let _ok = writeln!(text, "\n## {title}\n\n{}", markdown_table(&table));
        }
        text
    }

    /// The few lines for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for control in &self.told.controls {
            let held = if control.held { "held" } else { "failed" };
            let found = control.finding.map_or("not measured", Finding::words);
            let _ok = writeln!(text, "{}: {found}, {held}", control.name);
        }
        for contrast in &self.plan.contrasts {
            let _ok = writeln!(text, "{} less {}", contrast.arm.name(), contrast.against.name());
            for (name, ..) in TRIAL_OUTCOMES {
                if let Some(line) = verdict_line(self.said, &self.told.key, POOLED, *contrast, name) {
                    let _ok = writeln!(text, "  {name:<14} {}", interval(line));
                }
            }
        }
        for (name, verdict) in &self.told.by_outcome {
            let _ok = writeln!(text, "by {name}: {}", verdict.words());
        }
        let other = if self.told.other_program { " (lived by another program than the plan names)" } else { "" };
        let _ok = write!(text, "verdict, by {}: {}{other}", self.told.primary, self.told.verdict.words());
        text
    }

    fn facts(&self) -> Vec<(String, String)> {
        let (plan, told) = (self.plan, self.told);
        let lives: usize = self.deaths.iter().map(|of| of.len() + 1).sum();
        let days = self.deaths.len() as u64 * plan.days;
        let tuned: Vec<String> = plan
            .tuning
            .tried
            .iter()
            .map(|(d, loss)| loss.map_or_else(|| format!("{d} days"), |loss| format!("{d} days {loss:.4}")))
            .collect();
        let mut facts = vec![
            ("verdict", format!("{}, by {}", told.verdict.words(), told.primary)),
            (
                "by outcome",
                told.by_outcome.iter().map(|(n, v)| format!("{n}: {}", v.words())).collect::<Vec<_>>().join("; "),
            ),
            ("cells", plan.cell_names().join(", ")),
            (
                "paths",
                format!(
                    "{} in each cell, seeds from {}, {} days at a turn an hour",
                    plan.paths, plan.first_seed, plan.days
                ),
            ),
            ("budget of a line", format!("{} USDC for the whole path", plan.budget)),
            ("mean life of the line that inherits", format!("{:.1} days", days as f64 / lives.max(1) as f64)),
            ("memory of the tuned arm", format!("{} days, of {}", plan.tuning.memory_days, tuned.join(", "))),
            ("margins", TRIAL_OUTCOMES.map(|(n, ..)| format!("{n} {}", plan.margin(n))).join(", ")),
            ("set for all", if plan.sets.is_empty() { "nothing".to_owned() } else { plan.sets.join(", ") }),
            ("plan", plan.hash().to_string()),
            ("rows", self.said.rows.to_string()),
            ("statistics", told.statistics.to_string()),
            ("program", plan.binary.to_string()),
        ];
        if told.other_program {
            facts.push(("lived by", "another program than the plan names".to_owned()));
        }
        let mut facts: Vec<(String, String)> = facts.into_iter().map(|(name, what)| (name.to_owned(), what)).collect();
        facts.extend(plan.data.iter().map(|(name, hash)| (format!("data of {name}"), hash.to_string())));
        facts
    }

    fn controls(&self) -> PageTable {
        let row = |c: &golem_lab::trial::ControlTold| {
            let found = c.finding.map_or("not measured", Finding::words);
            vec![c.name.clone(), c.about.clone(), found.to_owned(), if c.held { "held" } else { "failed" }.to_owned()]
        };
        PageTable {
            caption: "When one of them fails, nothing that was found means anything.".to_owned(),
            head: ["control", "what must be", "found", "it"].map(str::to_owned).to_vec(),
            rows: self.told.controls.iter().map(row).collect(),
        }
    }

    fn arms(&self) -> PageTable {
        let letter = |arm: TrialArm| self.told.key.iter().find(|(_, other)| *other == arm).map(|(letter, _)| letter);
        let row = |arm: TrialArm| {
            let means = self.said.means.iter().find(|m| m.cell == POOLED && Some(&m.letter) == letter(arm));
            let mean = |n: usize| means.and_then(|m| *m.means.get(n)?).map_or("-".to_owned(), |x| format!("{x:.4}"));
            let words = [arm.name().to_owned(), letter(arm).cloned().unwrap_or_default(), arm.about().to_owned()];
            words.into_iter().chain((0..TRIAL_OUTCOMES.len()).map(mean)).collect()
        };
        let names = TRIAL_OUTCOMES.map(|(name, ..)| name.to_owned());
        PageTable {
            caption: "Means over all generated cells.".to_owned(),
            head: ["arm", "letter", "what it is"].map(str::to_owned).into_iter().chain(names).collect(),
            rows: TrialArm::ALL.into_iter().map(row).collect(),
        }
    }

    fn forest(&self, outcome: &str) -> Vec<ForestRow> {
        self.told_lines(outcome)
            .into_iter()
            .map(|(contrast, line)| {
                let at = |x: Option<f64>| x.unwrap_or(f64::NAN);
                ForestRow {
                    group: format!("{} less {}", contrast.arm.name(), contrast.against.name()),
                    label: line.cell.clone(),
                    low: at(line.low),
                    mean: line.mean,
                    high: at(line.high),
                    margin: line.margin,
                    note: line.finding.words().to_owned(),
                    tone: match line.finding {
                        Finding::Better => Tone::Good,
                        Finding::Worse => Tone::Bad,
                        Finding::NoDifference => Tone::Calm,
                        Finding::CannotTell => Tone::Open,
                    },
                }
            })
            .collect()
    }

    /// The lines of an outcome by question, what is pooled first.
    fn told_lines(&self, outcome: &str) -> Vec<(Contrast, &TrialLine)> {
        let mut cells: Vec<String> = vec![POOLED.to_owned()];
        cells.extend(["all-resampled", "all-turning", "all-crossed"].map(str::to_owned));
        cells.extend(self.plan.cell_names());
        let of = |contrast: &Contrast| {
            let found = |cell: &String| verdict_line(self.said, &self.told.key, cell, *contrast, outcome);
            cells.iter().filter_map(found).filter(|l| l.pairs > 0).map(|l| (*contrast, l)).collect::<Vec<_>>()
        };
        self.plan.contrasts.iter().flat_map(of).collect()
    }

    fn lines(&self) -> PageTable {
        let row = |(contrast, line): (Contrast, &TrialLine)| {
            let number = |x: Option<f64>| x.map_or("?".to_owned(), |x| signed(x, PlotUnit::Plain));
            vec![
                line.outcome.clone(),
                format!("{} less {}", contrast.arm.name(), contrast.against.name()),
                line.cell.clone(),
                signed(line.mean, PlotUnit::Plain),
                number(line.low),
                number(line.high),
                line.units.to_string(),
                line.finding.words().to_owned(),
            ]
        };
        PageTable {
            caption: "Units are paths, or stretches of a recorded market.".to_owned(),
            head: ["outcome", "question", "cell", "difference", "from", "to", "units", "found"]
                .map(str::to_owned)
                .to_vec(),
            rows: TRIAL_OUTCOMES.iter().flat_map(|(name, ..)| self.told_lines(name)).map(row).collect(),
        }
    }
}

fn interval(line: &TrialLine) -> String {
    let number = |x: Option<f64>| x.map_or("?".to_owned(), |x| format!("{x:+.4}"));
    let (low, high) = (number(line.low), number(line.high));
    format!("{:+.4} [{low}, {high}] {} paths: {}", line.mean, line.units, line.finding.words())
}

fn markdown_table(table: &PageTable) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = line(&vec!["---".to_owned(); table.head.len()]);
    let rows: String = table.rows.iter().map(|row| line(row)).collect();
    format!("{}\n\n{}{rule}{rows}", table.caption, line(&table.head))
}
