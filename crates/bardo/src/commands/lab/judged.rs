//! What a comparison says: a line per world, arm and outcome, for people and for programs.

use super::reached;
use crate::fail::Fail;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_core::Hash;
use golem_lab::compare::{ComparePlan, LifeRow, OutcomeKind, share};
use golem_lab::stats::{ComparisonLine, JudgedOutcome, Judging, LineVerdict, PathCluster, judge};
use golem_view::page::PagePart;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// A line as others read it.
#[derive(Debug, Serialize)]
pub struct LineTold {
    pub world: String,
    pub template: String,
    /// The arm.
    pub switch: String,
    /// What it is held against.
    pub against: String,
    pub outcome: String,
    /// Paths with a difference that could be measured.
    pub n: u64,
    /// Mean of the arm that it is held against.
    pub mean_against: f64,
    /// This arm less that one.
    pub mean_difference: f64,
    /// The interval; all of a page hold at once. Nothing where there is no telling.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub margin: f64,
    pub verdict: String,
    /// Paths that would be needed to tell.
    pub needed: Option<u64>,
}

/// What there is to say of a shard.
#[derive(Debug, Serialize)]
pub struct ShardTold {
    pub shard: String,
    pub rows: u64,
    pub plan: Hash,
}

/// The lines of a comparison, judged together.
pub fn lines(plan: &ComparePlan, rows: &[LifeRow]) -> Result<Vec<ComparisonLine>, Fail> {
    let wanted = |kind: &OutcomeKind| plan.judges(kind.name.as_str());
    let judged = |kind: OutcomeKind| {
        let margin = plan.margins.get(kind.name.as_str()).copied().unwrap_or(kind.margin);
        JudgedOutcome { margin, ..JudgedOutcome::from(&kind) }
    };
    let outcomes = plan.outcomes().into_iter().filter(wanted).map(judged).collect();
    let judging = Judging { clusters: clusters(plan), ..Judging::new(&plan.arms[0], outcomes) };
    // Lives that only keep a value up are what others are held against, and no news themselves.
    let grid = plan.grid();
    let is_news = |row: &&LifeRow| row.arm == plan.arms[0] || !grid.as_ref().is_some_and(|g| g.keeps_up(&row.arm));
    let rows: Vec<LifeRow> = rows.iter().filter(is_news).cloned().collect();
    judge(&rows, &judging).map_err(|e| Fail::Bug(e.to_string()))
}

/// Windows of a recorded market overlap where there are many: those that begin in the same stretch are one voice.
fn clusters(plan: &ComparePlan) -> Vec<PathCluster> {
    let of = |(world, parts): (&String, &u64)| PathCluster {
        world: world.clone(),
        ground: (0..plan.paths()).map(|path| (path, share(path, *parts))).collect(),
    };
    plan.stretches.iter().map(of).collect()
}

/// Where a comparison is written down.
#[derive(Debug, Clone, Copy)]
pub struct WrittenTo<'a> {
    /// The folder of its rows: lines and page go there too.
    pub dir: Option<&'a Path>,
    /// A page by itself.
    pub page: &'a PagePlace,
}

/// Tell it. The page ends with the course of a life of each arm, where they can be lived here.
pub fn tell(
    plan: &ComparePlan,
    rows: &[LifeRow],
    to: WrittenTo<'_>,
    course: &dyn Fn() -> Result<Vec<PagePart>, Fail>,
    out: &Out,
) -> Result<(), Fail> {
    let lines = lines(plan, rows)?;
    let told: Vec<LineTold> = lines.iter().map(|line| line_told(line, &plan.arms[0])).collect();
    let page = if to.page.is_wanted() || to.dir.is_some() {
        let mut page = super::page::page(plan, rows, &lines, &reached::gains(plan, &lines)?);
        page.parts.extend(course()?);
        Some(page)
    } else {
        None
    };
    if let Some(page) = page.as_ref().filter(|_| to.page.is_wanted()) {
        to.page.write(page, out)?;
    }
    if let (Some(dir), Some(page)) = (to.dir, &page) {
        let json = serde_json::to_string_pretty(&told).map_err(|e| Fail::Bug(e.to_string()))?;
        std::fs::write(dir.join("lines.json"), json + "\n")?;
        std::fs::write(dir.join("page.html"), page.html())?;
        // The rows once more for programs that read Parquet, where this build can.
        #[cfg(feature = "parquet")]
        crate::export::lives_to_parquet(rows, &dir.join("rows.parquet"))?;
        out.say(&format!("rows, lines and a page are in {}", dir.display()));
    }
    out.result(&told, || text(plan, &lines))
}

fn line_told(line: &ComparisonLine, against: &str) -> LineTold {
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    let (verdict, needed) = match line.verdict {
        LineVerdict::CannotTell { needed } => ("cannot tell".to_owned(), needed),
        other => (other.to_string(), None),
    };
    LineTold {
        world: line.world.clone(),
        template: line.template.clone(),
        switch: line.arm.clone(),
        against: against.to_owned(),
        outcome: line.outcome.to_string(),
        n: line.pairs,
        mean_against: line.mean_against,
        mean_difference: line.mean,
        low: finite(line.low),
        high: finite(line.high),
        margin: line.margin,
        verdict,
        needed,
    }
}

/// The lines for people. Outcomes without any difference on any path are named in one line.
fn text(plan: &ComparePlan, lines: &[ComparisonLine]) -> String {
    let kinds = plan.outcomes();
    let mut all = String::new();
    let mut groups: Vec<(&str, &str, &str)> = Vec::new();
    for line in lines {
        let group = (line.world.as_str(), line.template.as_str(), line.arm.as_str());
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for (world, template, arm) in groups {
        let _ok = writeln!(all, "{world}, {template}: {arm} less {}", plan.arms[0]);
        let of =
            lines.iter().filter(|l| (l.world.as_str(), l.template.as_str(), l.arm.as_str()) == (world, template, arm));
        let (same, differing): (Vec<_>, Vec<_>) = of.partition(|line| line.is_identical || line.pairs == 0);
        for line in differing {
            let share = kinds.iter().any(|kind| kind.name == line.outcome && kind.share);
            let _ok = writeln!(
                all,
                "  {:<30} {:>12} [{}, {}] n {}: {}",
                line.outcome.as_str(),
                figure(line.mean, share),
                figure(line.low, share),
                figure(line.high, share),
                line.pairs,
                line.verdict
            );
        }
        if !same.is_empty() {
            let names: Vec<&str> = same.iter().map(|line| line.outcome.as_str()).collect();
            let _ok = writeln!(all, "  the same on every path: {}", names.join(", "));
        }
    }
    all + "Intervals hold together, at 95 %."
}

/// A figure with its sign; shares in percent.
pub fn figure(x: f64, share: bool) -> String {
    match share {
        _ if !x.is_finite() => "?".to_owned(),
        true => format!("{:+.3} %", x * 100.0),
        false => format!("{x:+.4}"),
    }
}
