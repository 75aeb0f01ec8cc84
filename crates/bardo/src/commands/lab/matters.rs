//! `bardo lab matters`: every organ taken out, one at a time, in every world; what that changes, with intervals, on one
//! page that also names what changes nothing.

use super::judged;
use super::organs::{self, NOT_MEASURED, ORGANS};
use super::{compare, setup};
use crate::cli::{LabMatters, LabPaths};
use crate::fail::Fail;
use crate::out::Out;
use golem_lab::compare::{ComparePlan, LifeRow, Shard, outcome};
use golem_lab::stats::{ComparisonLine, LineVerdict};
use golem_lab::world::names;
use serde::Serialize;
use std::fmt::Write as _;

/// What the page judges. Fewer outcomes make narrower intervals, so that only what an owner would ask for is here.
const OUTCOMES: &[&str] = &[
    "worth_vs_nothing",
    "skill.price_direction",
    "skill.volatility_regime",
    "skill.yield_trend",
    "skill.gas_condition",
    "max_drawdown",
    "exposure",
    "trades",
    "phase_changes_per_5_days",
    "suffering_onsets",
];

/// What an organ comes to, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum OrganEffect {
    /// With and without it every life is the same in all that is measured.
    None,
    /// Lives differ, and every interval lies within its margin.
    WithinMargins,
    /// Some interval does not hold 0.
    Seen,
    CannotTell,
}

/// An organ's verdict, as others read it.
#[derive(Debug, Serialize)]
struct OrganTold {
    organ: String,
    effect: OrganEffect,
    /// Worlds in which an interval does not hold 0.
    seen_in: Vec<String>,
}

/// Run it.
pub fn run(args: &LabMatters, out: &Out) -> Result<(), Fail> {
    let mut paths: LabPaths = args.paths.clone();
    if paths.worlds.is_empty() {
        paths.worlds = names().iter().map(ToString::to_string).collect();
    }
    let comparison = setup::comparison(&paths, &organs::arms())?;
    if let Some(dir) = args.page.parent().filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        return Err(Fail::hint(format!("there is no folder {}", dir.display()), "choose a file: --page FILE"));
    }
    let rows = compare::live(&comparison, Shard::WHOLE, args.out.as_deref(), paths.threads, out)?;
    let wanted: Vec<String> = OUTCOMES.iter().map(ToString::to_string).collect();
    let lines: Vec<ComparisonLine> = judged::lines(&comparison.plan, &rows, &wanted)?.into_iter().map(turned).collect();
    let told: Vec<OrganTold> = ORGANS.iter().map(|organ| organ_told(organ.name, &rows, &lines)).collect();
    let page = MattersPage { plan: &comparison.plan, lines: &lines, told: &told }.text();
    std::fs::write(&args.page, page).map_err(|e| Fail::world(format!("{}: {e}", args.page.display())))?;
    out.say(&format!("written: {}", args.page.display()));
    out.result(&told, || summary(&told))
}

/// What the organ adds: with it less without it.
fn turned(line: ComparisonLine) -> ComparisonLine {
    let verdict = match line.verdict {
        LineVerdict::Better => LineVerdict::Worse,
        LineVerdict::Worse => LineVerdict::Better,
        LineVerdict::Higher => LineVerdict::Lower,
        LineVerdict::Lower => LineVerdict::Higher,
        other => other,
    };
    ComparisonLine { mean: -line.mean, low: -line.high, high: -line.low, verdict, ..line }
}

fn is_seen(line: &ComparisonLine) -> bool {
    !matches!(line.verdict, LineVerdict::NoDifference | LineVerdict::CannotTell { .. })
}

fn organ_told(organ: &str, rows: &[LifeRow], lines: &[ComparisonLine]) -> OrganTold {
    let of: Vec<&ComparisonLine> = lines.iter().filter(|line| line.arm == organ).collect();
    let mut seen_in: Vec<String> = of.iter().filter(|line| is_seen(line)).map(|line| line.world.clone()).collect();
    seen_in.dedup();
    let effect = if is_same(organ, rows) {
        OrganEffect::None
    } else if !seen_in.is_empty() {
        OrganEffect::Seen
    } else if of.iter().all(|line| line.verdict == LineVerdict::NoDifference) {
        OrganEffect::WithinMargins
    } else {
        OrganEffect::CannotTell
    };
    OrganTold { organ: organ.to_owned(), effect, seen_in }
}

/// What an organ holds; having it is no effect.
const HELD: [&str; 2] = ["grimoire_entries", "rules_fired"];

/// Whether every life without the organ is the one with it, in all that is measured but what the organ itself holds.
fn is_same(organ: &str, rows: &[LifeRow]) -> bool {
    let whole = |row: &LifeRow| {
        let same = |w: &&LifeRow| (&w.world, &w.template, w.path) == (&row.world, &row.template, row.path);
        rows.iter().filter(|w| w.arm == organs::WHOLE).find(same)
    };
    let felt = |row: &LifeRow| -> Vec<Option<f64>> {
        row.values.iter().filter(|(name, _)| !HELD.contains(&name.as_str())).map(|(_, value)| *value).collect()
    };
    rows.iter().filter(|row| row.arm == organ).all(|row| whole(row).is_some_and(|w| felt(w) == felt(row)))
}

fn listed(told: &[OrganTold], effect: OrganEffect) -> String {
    let names: Vec<&str> = told.iter().filter(|t| t.effect == effect).map(|t| t.organ.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn summary(told: &[OrganTold]) -> String {
    format!(
        "effect seen: {}\nwithin the margins: {}\ncannot tell yet: {}\nwithout effect anywhere: {}",
        listed(told, OrganEffect::Seen),
        listed(told, OrganEffect::WithinMargins),
        listed(told, OrganEffect::CannotTell),
        listed(told, OrganEffect::None)
    )
}

/// The page.
struct MattersPage<'a> {
    plan: &'a ComparePlan,
    lines: &'a [ComparisonLine],
    told: &'a [OrganTold],
}

impl MattersPage<'_> {
    fn text(&self) -> String {
        let mut page = "# What matters\n\nEvery organ is taken out, one at a time; the same paths are lived with the same \
                        dice. A figure is what the organ adds: with it less without it. Intervals hold together, at 95 %. Deaths are \
                        recorded and not enforced, phases act.\n\n"
            .to_owned();
        let plan = self.plan;
        let command = super::page::command();
        let _ok = write!(
            page,
            "Written by `{command}`: {} paths of {} days in each world, {} USDC each, templates {}. Plan `{}`, settings `{}`, program `{}`.",
            plan.seeds,
            plan.days,
            plan.budget,
            plan.templates.join(", "),
            plan.hash(),
            plan.settings,
            plan.binary,
        );
        for (world, data) in &plan.data {
            let _ok = write!(page, " Data of {world}: `{data}`.");
        }
        page += "\n\n## In short\n\n";
        let _ok = writeln!(page, "- Effect seen: {}.", listed(self.told, OrganEffect::Seen));
        let _ok = writeln!(
            page,
            "- Lives differ, and every interval lies within its margin: {}.",
            listed(self.told, OrganEffect::WithinMargins)
        );
        let _ok =
            writeln!(page, "- Cannot tell at this number of paths: {}.", listed(self.told, OrganEffect::CannotTell));
        let _ok = writeln!(
            page,
            "- **Without effect anywhere** (every life is the same without it): {}.",
            listed(self.told, OrganEffect::None)
        );
        for (name, why) in NOT_MEASURED {
            let _ok = writeln!(page, "- Not measured: {name} ({why}).");
        }
        for template in &plan.templates {
            for outcome in OUTCOMES {
                self.table(template, outcome, &mut page);
            }
        }
        page
    }

    /// One outcome: organs by worlds.
    fn table(&self, template: &str, outcome: &str, page: &mut String) {
        let kind = outcome::kinds().into_iter().find(|kind| kind.name.as_str() == outcome);
        let (share, about) = kind.map_or((false, String::new()), |kind| (kind.share, kind.about));
        let many = if self.plan.templates.len() > 1 { format!(" ({template})") } else { String::new() };
        let _ok = write!(page, "\n## {outcome}{many}\n\n{about}\n\n| organ |");
        for world in &self.plan.worlds {
            let _ok = write!(page, " {world} |");
        }
        *page += &format!("\n|---|{}\n", "---|".repeat(self.plan.worlds.len()));
        for organ in ORGANS {
            let _ok = write!(page, "| {} |", organ.name);
            for world in &self.plan.worlds {
                let is = |line: &&ComparisonLine| {
                    (line.world.as_str(), line.template.as_str(), line.arm.as_str(), line.outcome.as_str())
                        == (world.as_str(), template, organ.name, outcome)
                };
                let _ok = write!(
                    page,
                    " {} |",
                    self.lines.iter().find(is).map_or_else(|| "nothing to measure".into(), |line| cell(line, share))
                );
            }
            page.push('\n');
        }
    }
}

fn cell(line: &ComparisonLine, share: bool) -> String {
    if line.is_identical {
        return "the same".to_owned();
    }
    let figure = |x| judged::figure(x, share);
    format!("{} [{}, {}] {}", figure(line.mean), figure(line.low), figure(line.high), line.verdict)
}
