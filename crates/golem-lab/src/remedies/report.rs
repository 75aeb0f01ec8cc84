//! The table: how long each stressor stayed open with remedies and without, the difference with its interval, and what it cost.

use super::RemedyPlan;
use super::life::{RemedyArm, RemedyLife};
use crate::compare::{CompareError, LifeRow, OutcomeName, Preferred};
use crate::stats::{ComparisonLine, JudgedOutcome, Judging, judge};
use golem_daimon::suffering::{Canonical, Remedy};
use serde::Serialize;
use std::collections::BTreeMap;

const UNTIL_EASED: &str = "hours_until_eased";
const OPEN: &str = "hours_open";
const GAIN: &str = "gain";
const TRADES: &str = "trades";
const MODELS: &str = "models";

/// A mean difference with the interval that holds for all lines of the table at once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RemedyDifference {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// An arm that takes remedies, held against the one that does not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemedyLine {
    pub stressor: Canonical,
    pub arm: RemedyArm,
    /// Lives, and those in which the stressor opened.
    pub lives: u64,
    pub opened: u64,
    /// Of those, in how many it was over by the end: without remedies, and with.
    pub eased_without: u64,
    pub eased: u64,
    /// Mean hours until it was over, without remedies and with.
    pub hours_without: f64,
    pub hours: f64,
    /// What remedies change: hours until it was over, and hours open in all.
    pub until_eased: RemedyDifference,
    pub open: RemedyDifference,
    /// What they cost: worth, gifts not counted, as a share of funding; trades; USDC for models.
    pub gain: RemedyDifference,
    pub trades: RemedyDifference,
    pub models: RemedyDifference,
    /// Steps that were taken in all lives.
    pub steps: BTreeMap<Remedy, u64>,
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemedyReport {
    pub seeds: u64,
    pub days: u64,
    pub lines: Vec<RemedyLine>,
    /// Every life, for who asks further.
    #[serde(skip)]
    pub lives: Vec<RemedyLife>,
}

impl RemedyReport {
    pub(super) fn of(plan: &RemedyPlan, lives: Vec<RemedyLife>) -> Result<Self, CompareError> {
        let rows: Vec<LifeRow> = lives.iter().map(row).collect();
        let outcome = |name: &str, preferred, margin| JudgedOutcome { name: name.into(), preferred, margin };
        let outcomes = vec![
            outcome(UNTIL_EASED, Preferred::Less, 6.0),
            outcome(OPEN, Preferred::Less, 6.0),
            outcome(GAIN, Preferred::More, 0.003),
            outcome(TRADES, Preferred::Neither, 5.0),
            outcome(MODELS, Preferred::Less, 0.01),
        ];
        let judged = judge(&rows, &Judging::new(RemedyArm::Without.name(), outcomes)).map_err(|e| {
            CompareError::Unsound { what: e.to_string(), hint: "give at least one path: --seeds 1".to_owned() }
        })?;
        let arms = plan.stressors.iter().flat_map(|s| RemedyArm::of(*s)[1..].iter().map(move |arm| (*s, *arm)));
        let lines = arms.map(|(stressor, arm)| line(stressor, arm, &lives, &judged)).collect();
        Ok(Self { seeds: plan.seeds, days: plan.days, lines, lives })
    }

    /// The table for people, within 80 columns.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = vec![
            format!("{} paths of {} days for each stressor; hours until it is over, the end", self.seeds, self.days),
            "of the life where it never is; what remedies change, at 95 % for all at once.".to_owned(),
            "The owner answers when asked, and does not look in otherwise; \"silent\" is the".to_owned(),
            "same with an owner who never answers.".to_owned(),
            String::new(),
            format!(
                "{:<19}{:>7}{:>9}{:>7}  {:<23}{:>7}{:>6}",
                "stressor", "opened", "without", "with", "change", "worth%", "deals"
            ),
        ];
        out.extend(self.lines.iter().map(RemedyLine::text));
        out.join("\n")
    }
}

fn row(life: &RemedyLife) -> LifeRow {
    let values: [(&str, Option<f64>); 5] = [
        (UNTIL_EASED, life.hours_until_eased),
        (OPEN, Some(life.hours_open)),
        (GAIN, Some(life.gain)),
        (TRADES, Some(life.trades as f64)),
        (MODELS, Some(life.models)),
    ];
    LifeRow {
        world: life.stressor.name().to_owned(),
        template: String::new(),
        arm: life.arm.name().to_owned(),
        path: life.seed,
        values: values.into_iter().map(|(name, value)| (OutcomeName::from(name), value)).collect(),
        cause: None,
    }
}

fn line(stressor: Canonical, arm: RemedyArm, lives: &[RemedyLife], judged: &[ComparisonLine]) -> RemedyLine {
    let of = |arm: RemedyArm| lives.iter().filter(move |l| l.stressor == stressor && l.arm == arm);
    let count = |arm, holds: &dyn Fn(&RemedyLife) -> bool| of(arm).filter(|l| holds(l)).count() as u64;
    let hours = |arm| {
        let all: Vec<f64> = of(arm).filter_map(|l| l.hours_until_eased).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let difference = |name: &str| {
        let same =
            |l: &&ComparisonLine| l.world == stressor.name() && l.arm == arm.name() && l.outcome.as_str() == name;
        let nothing = RemedyDifference { mean: 0.0, low: 0.0, high: 0.0 };
        judged.iter().find(same).map_or(nothing, |l| RemedyDifference { mean: l.mean, low: l.low, high: l.high })
    };
    let mut steps = BTreeMap::new();
    for (step, times) in of(arm).flat_map(|l| &l.steps) {
        *steps.entry(*step).or_insert(0) += u64::from(*times);
    }
    RemedyLine {
        stressor,
        arm,
        lives: of(arm).count() as u64,
        opened: count(arm, &|l| l.opened > 0),
        eased_without: count(RemedyArm::Without, &|l| l.eased),
        eased: count(arm, &|l| l.eased),
        hours_without: hours(RemedyArm::Without),
        hours: hours(arm),
        until_eased: difference(UNTIL_EASED),
        open: difference(OPEN),
        gain: difference(GAIN),
        trades: difference(TRADES),
        models: difference(MODELS),
        steps,
    }
}

impl RemedyLine {
    /// One line of the table.
    #[must_use]
    pub fn text(&self) -> String {
        let name = match self.arm {
            RemedyArm::Unanswered => "  silent".to_owned(),
            _ => self.stressor.name().to_owned(),
        };
        let d = &self.until_eased;
        format!(
            "{name:<19}{:>7}{:>9.0}{:>7.0}  {:<23}{:>7}{:>6}",
            format!("{}/{}", self.opened, self.lives),
            self.hours_without,
            self.hours,
            format!("{} [{}, {}]", whole(d.mean), whole(d.low), whole(d.high)),
            format!("{:+.2}", plain(100.0 * self.gain.mean)),
            whole(self.trades.mean),
        )
    }
}

/// With its sign, and none for nothing.
fn whole(x: f64) -> String {
    let x = plain(libm::rint(x));
    if x.abs() > 0.0 { format!("{x:+.0}") } else { "0".to_owned() }
}

/// Never minus zero.
fn plain(x: f64) -> f64 {
    x + 0.0
}
