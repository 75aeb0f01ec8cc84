//! A comparison as a page with plots: what was asked, every line with its interval, and every path's difference.

use super::reached::{self, KnowingGain};
use crate::page_file;
use golem_lab::compare::{ComparePlan, LifeRow, OutcomeKind, OutcomeName, Preferred};
use golem_lab::stats::{ComparisonLine, LineVerdict};
use golem_view::page::{
    ForestPlot, ForestRow, PagePart, PageTable, PlotUnit, ReportPage, StripPlot, StripRow, Tone, signed,
};
use std::collections::BTreeMap;

/// The outcomes whose differences are shown path by path.
const PATH_BY_PATH: [&str; 2] = ["worth_vs_nothing", "worth_vs_holding"];

/// The page. Where a world has a law, what knowing it is worth there stands beside what the arms bring.
pub fn page(plan: &ComparePlan, rows: &[LifeRow], lines: &[ComparisonLine], gains: &[KnowingGain]) -> ReportPage {
    let lead = format!("Each line is an arm less {}, life by life on the same path with the same dice.", plan.arms[0]);
    let mut page = ReportPage::new(&format!("Compared: {}", plan.arms.join(" · ")), &lead);
    page.add(PagePart::Command(page_file::as_typed())).add(PagePart::Facts(facts(plan)));
    let words = "The intervals of this page hold all at once, with a chance of 95 %. Shaded is the margin that was fixed \
                 beforehand: what lies within it is no difference that matters. Numbers of paths are what it would take to \
                 see the margin.";
    page.add(PagePart::Words(words.to_owned()));
    for kind in plan.outcomes() {
        let of: Vec<&ComparisonLine> = lines.iter().filter(|line| line.outcome == kind.name).collect();
        if of.iter().any(|line| !line.is_identical && line.pairs > 0) {
            page.add(PagePart::Heading(kind.name.to_string())).add(PagePart::Forest(forest(&kind, &of)));
            if PATH_BY_PATH.contains(&kind.name.as_str()) {
                page.add(PagePart::Strips(strips(&kind, &of)));
            }
        }
    }
    let same = unmoved(lines);
    if !same.is_empty() {
        let words = format!("The same on every path of every world: {}.", same.join(", "));
        page.add(PagePart::Heading("What nothing moved".to_owned())).add(PagePart::Words(words));
    }
    let of_gain = reached::rows(gains, lines, &|x| signed(x, PlotUnit::Percent));
    if !of_gain.is_empty() {
        let words = "An oracle with a plain policy lives the first paths twice, once with the truth of the world and once without: \
                     what it gains is what there is to gain, for a policy of its kind, by each line's own interval of 95 %.";
        page.add(PagePart::Heading("What there is to gain".to_owned())).add(PagePart::Words(words.to_owned()));
        page.add(PagePart::Table(PageTable {
            caption: "Worth, as a share of what was begun with.".to_owned(),
            head: ["world", "arm", "knowing is worth", "paths", "the arm adds", "share of it"]
                .map(str::to_owned)
                .to_vec(),
            rows: of_gain,
        }));
    }
    page.add(PagePart::Heading("What they died of".to_owned())).add(PagePart::Table(causes(plan, rows)));
    page.add(PagePart::Heading("All lines".to_owned())).add(PagePart::Table(table(plan, lines)));
    page
}

/// A page of what a command printed, with a plot of every line that has an interval.
pub fn printed(title: &str, lead: &str, words: &str, lines: &[ComparisonLine]) -> ReportPage {
    let mut page = ReportPage::new(title, lead);
    page.add(PagePart::Command(page_file::as_typed())).add(PagePart::Screen(words.to_owned()));
    let mut outcomes: Vec<&OutcomeName> = Vec::new();
    for line in lines.iter().filter(|line| !line.is_identical && line.pairs > 0) {
        if !outcomes.contains(&&line.outcome) {
            outcomes.push(&line.outcome);
        }
    }
    for outcome in outcomes {
        let of: Vec<&ComparisonLine> = lines.iter().filter(|line| line.outcome == *outcome).collect();
        let name = outcome.as_str();
        let share = name.starts_with("worth") || name == "gain";
        let plot = plotted(&format!("Difference of: {}.", name.replace('_', " ")), share, &of);
        page.add(PagePart::Heading(name.to_owned())).add(PagePart::Forest(plot));
    }
    page
}

fn facts(plan: &ComparePlan) -> Vec<(String, String)> {
    let mut facts = vec![
        ("worlds", plan.worlds.join(", ")),
        ("templates", plan.templates.join(", ")),
        ("held against", plan.arms[0].clone()),
        ("other arms", plan.arms[1..].join(", ")),
        ("set for all", if plan.sets.is_empty() { "nothing".to_owned() } else { plan.sets.join(", ") }),
        ("paths", format!("{} in each world, seeds from {}", plan.paths(), plan.first_seed)),
        ("days of a life", plan.days.to_string()),
        ("given at birth", format!("{} USDC", plan.budget)),
        ("settings", plan.settings.to_string()),
        ("program", plan.binary.to_string()),
        ("plan", plan.hash().to_string()),
    ]
    .into_iter()
    .map(|(name, what)| (name.to_owned(), what))
    .collect::<Vec<_>>();
    if let Some(until) = &plan.until {
        let widths: Vec<String> = until.widths.iter().map(|(name, x)| format!("{name} {x}")).collect();
        let (widths, first, most) = (widths.join(", "), plan.seeds, until.most);
        let how = format!("{first} to begin with, more until half an interval is at most: {widths}; {most} at most");
        facts.push(("how many paths".to_owned(), how));
    }
    if plan.model {
        facts.push(("model".to_owned(), "a stand-in that answers by what it is shown".to_owned()));
    }
    facts.extend(plan.data.iter().map(|(name, hash)| (format!("data of {name}"), hash.to_string())));
    facts
}

fn unit(kind: &OutcomeKind) -> PlotUnit {
    if kind.share { PlotUnit::Percent } else { PlotUnit::Plain }
}

fn forest(kind: &OutcomeKind, lines: &[&ComparisonLine]) -> ForestPlot {
    let good = match kind.preferred {
        Preferred::More => "more is better",
        Preferred::Less => "less is better",
        Preferred::Neither => "neither way is better by itself",
    };
    plotted(&format!("Difference of: {}; {good}.", kind.about), kind.share, lines)
}

fn plotted(caption: &str, share: bool, lines: &[&ComparisonLine]) -> ForestPlot {
    let row = |line: &&ComparisonLine| ForestRow {
        group: format!("{}, {}", line.template, line.arm),
        label: line.world.clone(),
        low: line.low,
        mean: line.mean,
        high: line.high,
        margin: line.margin,
        note: if line.is_identical { "the same on every path".to_owned() } else { line.verdict.to_string() },
        tone: tone(line.verdict),
    };
    let unit = if share { PlotUnit::Percent } else { PlotUnit::Plain };
    ForestPlot { caption: caption.to_owned(), unit, rows: lines.iter().map(row).collect() }
}

fn tone(verdict: LineVerdict) -> Tone {
    match verdict {
        LineVerdict::Better => Tone::Good,
        LineVerdict::Worse => Tone::Bad,
        LineVerdict::NoDifference | LineVerdict::Higher | LineVerdict::Lower => Tone::Calm,
        LineVerdict::CannotTell { .. } => Tone::Open,
    }
}

fn strips(kind: &OutcomeKind, lines: &[&ComparisonLine]) -> StripPlot {
    let row = |line: &&ComparisonLine| StripRow {
        label: format!("{}, {}, {}", line.world, line.template, line.arm),
        values: line.differences.clone(),
    };
    StripPlot { caption: "Each mark is one path.".to_owned(), unit: unit(kind), rows: lines.iter().map(row).collect() }
}

/// Outcomes that differ nowhere.
fn unmoved(lines: &[ComparisonLine]) -> Vec<String> {
    let moved = |name: &str| lines.iter().any(|l| l.outcome.as_str() == name && !l.is_identical);
    let mut names: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| line.is_identical) {
        if !moved(line.outcome.as_str()) && !names.iter().any(|name| name == line.outcome.as_str()) {
            names.push(line.outcome.to_string());
        }
    }
    names
}

/// How many of each arm ended by what, in each world.
fn causes(plan: &ComparePlan, rows: &[LifeRow]) -> PageTable {
    let mut counts: BTreeMap<(String, String), BTreeMap<String, u64>> = BTreeMap::new();
    for row in rows {
        let cause = row.cause.clone().unwrap_or("none".to_owned());
        *counts.entry((cause, row.world.clone())).or_default().entry(row.arm.clone()).or_default() += 1;
    }
    let line = |((cause, world), by): (&(String, String), &BTreeMap<String, u64>)| {
        let numbers = plan.arms.iter().map(|arm| by.get(arm).copied().unwrap_or(0).to_string());
        [cause.clone(), world.clone()].into_iter().chain(numbers).collect()
    };
    PageTable {
        caption: "Lives by the first clock that ended them, or would have.".to_owned(),
        head: ["cause", "world"].map(str::to_owned).into_iter().chain(plan.arms.iter().cloned()).collect(),
        rows: counts.iter().map(line).collect(),
    }
}

fn table(plan: &ComparePlan, lines: &[ComparisonLine]) -> PageTable {
    let kinds = plan.outcomes();
    let row = |line: &ComparisonLine| {
        let unit = kinds.iter().find(|kind| kind.name == line.outcome).map_or(PlotUnit::Plain, unit);
        let (low, high) = (signed(line.low, unit), signed(line.high, unit));
        let who = format!("{}, {}, {}", line.world, line.template, line.arm);
        let n =
            if line.units == line.pairs { line.pairs.to_string() } else { format!("{} in {}", line.pairs, line.units) };
        vec![line.outcome.to_string(), who, signed(line.mean, unit), low, high, n, line.verdict.to_string()]
    };
    PageTable {
        caption: "Paths are those on which both have something to say.".to_owned(),
        head: ["outcome", "where and what", "difference", "from", "to", "paths", "verdict"].map(str::to_owned).to_vec(),
        rows: lines.iter().filter(|line| !line.is_identical && line.pairs > 0).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Hash, Usdc};
    use golem_lab::stats::{JudgedOutcome, Judging, judge};

    /// Two arms over forty paths of one world, with one outcome that moves and one that does not.
    fn rows() -> Vec<LifeRow> {
        let row = |arm: &str, path: u64, worth: f64| LifeRow {
            world: "<flat>".into(),
            template: "eth-dca".into(),
            arm: arm.into(),
            path,
            values: vec![("worth_vs_nothing".into(), Some(worth)), ("rent".into(), Some(0.01))],
            cause: (path < 3).then(|| "stochastic".to_owned()),
        };
        let worth = |path: u64| 0.01 + 0.001 * (path % 7) as f64;
        (0..40).flat_map(|p| [row("x=1", p, 0.0), row("x=2", p, worth(p))]).collect()
    }

    fn plan() -> ComparePlan {
        ComparePlan {
            worlds: vec!["<flat>".into()],
            templates: vec!["eth-dca".into()],
            arms: vec!["x=1".into(), "x=2".into()],
            sets: vec![],
            first_seed: 1,
            seeds: 40,
            days: 60,
            budget: Usdc(50_000_000),
            skill_level: 0.05,
            margins: BTreeMap::new(),
            settings: Hash::of(b"settings"),
            data: BTreeMap::from([("csv:eth.csv".to_owned(), Hash::of(b"data"))]),
            stretches: BTreeMap::new(),
            model: false,
            best: None,
            judged: vec![],
            until: None,
            widened: None,
            binary: Hash::of(b"binary"),
        }
    }

    #[test]
    fn a_page_names_its_command_its_hashes_and_every_line() {
        let (rows, plan) = (rows(), plan());
        let judged = plan.outcomes().iter().map(JudgedOutcome::from).collect();
        let lines = judge(&rows, &Judging::new("x=1", judged)).unwrap();
        let gain = |world: &str, mean| KnowingGain { world: world.to_owned(), paths: 24, mean, half: 0.01 };
        let html = page(&plan, &rows, &lines, &[gain("<flat>", 0.05), gain("elsewhere", 0.04)]).html();
        for word in ["worth_vs_nothing", "&lt;flat&gt;", "better", "every path of every world: rent", "stochastic"] {
            assert!(html.contains(word), "{word}");
        }
        // The arm adds a little more than 1.2 % in the mean, of five that there are.
        assert!(
            html.contains("What there is to gain") && html.contains("26 %") && !html.contains("elsewhere"),
            "{html}"
        );
        let faint = page(&plan, &rows, &lines, &[gain("<flat>", 0.005)]).html();
        assert!(faint.contains("none was shown"), "where an oracle has shown no gain there is no share of it");
        assert!(!page(&plan, &rows, &lines, &[]).html().contains("What there is to gain"));
        for hash in [plan.settings, plan.binary, plan.hash(), plan.data["csv:eth.csv"]] {
            assert!(html.contains(&hash.to_string()));
        }
        assert!(html.contains("class=\"command\"") && html.contains("class=\"each\"") && !html.contains("<flat>"));
    }
}
