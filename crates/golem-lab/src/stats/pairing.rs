//! Who is held against whom: on each path the arm's value less that of the first arm.

use super::Judging;
use crate::compare::{LifeRow, OutcomeName};
use std::collections::BTreeMap;

/// Why rows or a plan cannot be judged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PairingError {
    #[error("two rows of {world}, {template}, {arm}, path {path} say different things")]
    Twice { world: String, template: String, arm: String, path: u64 },
    #[error("no row of the arm {0:?} that all others are held against")]
    NothingAgainst(String),
    #[error("a level of {0} is not between 0 and 1")]
    Level(f64),
    #[error("{0} drawings are too few for an interval; take 200 or more")]
    Resamples(u32),
    #[error("the margin of {0} is {1}, and not a number above 0")]
    Margin(OutcomeName, f64),
}

/// One line of a page before it is judged.
pub(super) struct PairedLine {
    pub world: String,
    pub template: String,
    pub arm: String,
    /// Which of the plan's outcomes.
    pub outcome: usize,
    /// The differences, by path.
    pub differences: BTreeMap<u64, f64>,
    /// Mean of the first arm over the same paths.
    pub mean_against: f64,
    /// Paths on which one of the two has nothing to say.
    pub unpaired: u64,
}

type Lives<'a> = BTreeMap<u64, &'a LifeRow>;

/// All lines: worlds, templates and arms in the order in which they first appear, outcomes in that of the plan.
pub(super) fn pair(rows: &[LifeRow], plan: &Judging) -> Result<Vec<PairedLine>, PairingError> {
    check(plan)?;
    let (mut order, mut lives): (Vec<[&str; 3]>, BTreeMap<[&str; 3], Lives<'_>>) = Default::default();
    for row in rows {
        let key = [row.world.as_str(), &row.template, &row.arm];
        if !lives.contains_key(&key) {
            order.push(key);
        }
        if lives.entry(key).or_default().insert(row.path, row).is_some_and(|other| other != row) {
            let [world, template, arm] = key.map(str::to_owned);
            return Err(PairingError::Twice { world, template, arm, path: row.path });
        }
    }
    if !rows.is_empty() && order.iter().all(|[.., arm]| *arm != plan.against) {
        return Err(PairingError::NothingAgainst(plan.against.clone()));
    }
    // Grouped by world, then template: rows may come from several machines in any mixture.
    let place = |word: &str, n: usize| order.iter().position(|key| key[n] == word);
    let mut keys: Vec<[&str; 3]> = order.iter().copied().filter(|[.., arm]| *arm != plan.against).collect();
    keys.sort_by_key(|key| [place(key[0], 0), place(key[1], 1), place(key[2], 2)]);
    let mut lines = Vec::new();
    for [world, template, arm] in keys {
        let Some(first) = lives.get(&[world, template, plan.against.as_str()]) else { continue };
        let other = &lives[&[world, template, arm]];
        lines.extend((0..plan.outcomes.len()).filter_map(|outcome| {
            let mut line = differences(other, first, plan.outcomes[outcome].name.as_str())?;
            (line.world, line.template, line.arm) = (world.to_owned(), template.to_owned(), arm.to_owned());
            line.outcome = outcome;
            Some(line)
        }));
    }
    Ok(lines)
}

fn check(plan: &Judging) -> Result<(), PairingError> {
    if !(plan.level > 0.0 && plan.level < 1.0) {
        return Err(PairingError::Level(plan.level));
    }
    if plan.resamples < 200 {
        return Err(PairingError::Resamples(plan.resamples));
    }
    match plan.outcomes.iter().find(|o| !(o.margin > 0.0 && o.margin.is_finite())) {
        Some(odd) => Err(PairingError::Margin(odd.name.clone(), odd.margin)),
        None => Ok(()),
    }
}

/// The differences of one outcome; none where no life of either arm has it.
fn differences(other: &Lives<'_>, first: &Lives<'_>, outcome: &str) -> Option<PairedLine> {
    let value =
        |lives: &Lives<'_>, path: u64| lives.get(&path).and_then(|row| row.value(outcome)).filter(|v| v.is_finite());
    let (mut differences, mut unpaired, mut against) = (BTreeMap::new(), 0, 0.0);
    let paths: std::collections::BTreeSet<u64> = other.keys().chain(first.keys()).copied().collect();
    for path in paths {
        match (value(other, path), value(first, path)) {
            (Some(other), Some(first)) => {
                differences.insert(path, other - first);
                against += first;
            }
            (None, None) => {}
            _ => unpaired += 1,
        }
    }
    let mean_against = against / differences.len().max(1) as f64;
    let (world, template, arm) = Default::default();
    (unpaired > 0 || !differences.is_empty()).then_some(PairedLine {
        world,
        template,
        arm,
        outcome: 0,
        differences,
        mean_against,
        unpaired,
    })
}
