//! `bardo lab matters`: every organ taken out, one at a time, in every world; what that changes, with intervals, on one
//! page that also names what changes nothing. First of golems that decide by rules, then of golems with a model to ask.

use super::judged;
use super::matters_page::MattersPage;
use super::organs::{self, ORGANS, Organ, THINKING_ORGANS};
use super::{compare, matters_page, page, setup};
use crate::cli::{LabMatters, LabPaths};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::compare::{ComparePlan, LifeRow, Shard};
use golem_lab::stats::{ComparisonLine, LineVerdict};
use golem_lab::world::names;
use serde::Serialize;
use std::path::{Path, PathBuf};

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
/// What it judges of golems that think.
const THINKING_OUTCOMES: &[&str] = &[
    "worth_vs_nothing",
    "thoughts_per_day",
    "thinking_usdc_per_day",
    "large_share",
    "narrowed_share",
    "trades",
    "skill.price_direction",
];
/// Where golems that think live unless worlds are named: lives that ask cost several times as much as those that do not.
const THINKING_WORLDS: [&str; 3] = ["default", "turning", "contagion"];
/// Their rows, in the folder of the whole.
const THINKING_FOLDER: &str = "with-model";

/// What an organ comes to, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OrganEffect {
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
pub struct OrganTold {
    pub organ: String,
    /// Whether these golems had a model to ask.
    pub model: bool,
    pub effect: OrganEffect,
    /// Worlds in which an interval does not hold 0.
    pub seen_in: Vec<String>,
}

/// What one half of the page asks.
#[derive(Clone, Copy)]
pub struct MattersAsked {
    pub organs: &'static [Organ],
    pub outcomes: &'static [&'static str],
    /// Whether the golems have a model to ask.
    model: bool,
}

const BY_RULES: MattersAsked = MattersAsked { organs: ORGANS, outcomes: OUTCOMES, model: false };
const THINKING: MattersAsked = MattersAsked { organs: THINKING_ORGANS, outcomes: THINKING_OUTCOMES, model: true };

/// One half of the page: what was lived, and what it came to.
pub struct MattersHalf {
    pub asked: MattersAsked,
    pub plan: ComparePlan,
    pub lines: Vec<ComparisonLine>,
    pub told: Vec<OrganTold>,
}

/// Run it.
pub fn run(args: &LabMatters, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    if let Some(dir) = args.page.parent().filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        return Err(Fail::hint(format!("there is no folder {}", dir.display()), "choose a file: --page FILE"));
    }
    let to = PagePlace::of(&args.report, home, "matters", false, yes)?;
    let worlds = |all: &[&str]| match &args.paths.worlds[..] {
        [] => all.iter().map(ToString::to_string).collect(),
        named => named.to_vec(),
    };
    let by_rules = LabPaths { worlds: worlds(names()), ..args.paths.clone() };
    let thinking = LabPaths { worlds: worlds(&THINKING_WORLDS), ..args.paths.clone() };
    let beside: Option<PathBuf> = args.out.as_ref().map(|dir| dir.join(THINKING_FOLDER));
    let by_rules = half(&by_rules, BY_RULES, args.out.as_deref(), out)?;
    let thinking = half(&thinking, THINKING, beside.as_deref(), out)?;
    let told_page = MattersPage { by_rules: &by_rules, thinking: &thinking }.text();
    let told_page = told_page + &matters_page::kept(&args.page)?;
    std::fs::write(&args.page, told_page).map_err(|e| Fail::world(format!("{}: {e}", args.page.display())))?;
    out.say(&format!("written: {}", args.page.display()));
    let words = format!("{}\nwith a model:\n{}", summary(&by_rules.told), summary(&thinking.told));
    let lines: Vec<ComparisonLine> = by_rules.lines.iter().chain(&thinking.lines).cloned().collect();
    to.write(
        &page::printed(
            "What matters",
            "Every organ taken out, one at a time: with it less without it.",
            &words,
            &lines,
        ),
        out,
    )?;
    let told: Vec<&OrganTold> = by_rules.told.iter().chain(&thinking.told).collect();
    out.result(&told, || words)
}

/// Live one half, and judge it.
fn half(paths: &LabPaths, asked: MattersAsked, dir: Option<&Path>, out: &Out) -> Result<MattersHalf, Fail> {
    let mut comparison = setup::comparison(paths, &organs::arms(asked.organs), asked.model)?;
    comparison.plan.judged = asked.outcomes.iter().map(ToString::to_string).collect();
    let rows = compare::live(&comparison, Shard::WHOLE, dir, paths.threads, out)?;
    let lines: Vec<ComparisonLine> = judged::lines(&comparison.plan, &rows)?.into_iter().map(turned).collect();
    let told = asked.organs.iter().map(|organ| organ_told(organ.name, asked.model, &rows, &lines)).collect();
    Ok(MattersHalf { asked, plan: comparison.plan, lines, told })
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

fn organ_told(organ: &str, model: bool, rows: &[LifeRow], lines: &[ComparisonLine]) -> OrganTold {
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
    OrganTold { organ: organ.to_owned(), model, effect, seen_in }
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

/// The organs that come to this.
pub fn listed(told: &[OrganTold], effect: OrganEffect) -> String {
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
