//! All ten lines of one path. The line that inherits comes first: its deaths say when the others have theirs.

use super::arm::TrialArm;
use super::blind::BlindKey;
use super::data::TrialData;
use super::error::TrialError;
use super::line::{Endings, LineLived, LineTerms};
use super::plan::{TRIAL_OUTCOMES, TrialPlan};
use golem_core::{Dice, Hash, Strand, plain};
use golem_life::Settings;

/// Seeds of strangers and of tuning are none of those that are lived in the trial.
pub(super) const STRANGER_SEEDS: u64 = 5_000_000;
pub(super) const TUNING_SEEDS: u64 = 9_000_000;
/// No tick has this address: here the order of spans is drawn.
const ORDER_AT: u64 = u64::MAX - 8;

/// A trial, ready to be lived.
pub struct TrialRun<'a> {
    pub plan: &'a TrialPlan,
    /// What all arms begin from.
    pub base: &'a Settings,
    pub data: &'a TrialData,
}

/// What came of one line, under its letter.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRow {
    pub cell: String,
    pub path: u64,
    pub letter: String,
    /// In the order of [`TRIAL_OUTCOMES`].
    pub values: [Option<f64>; TRIAL_OUTCOMES.len()],
    /// Paths with the same ground are one voice.
    pub ground: Option<u64>,
    /// The beginning of the digest of whoever lived last: the same line again has the same.
    pub digest: String,
}

/// What came of one path: a row for each line, by letter, and when the line that inherits had its deaths.
#[derive(Debug, Clone, PartialEq)]
pub struct PathLived {
    pub rows: Vec<TrialRow>,
    /// Hours of the path.
    pub deaths: Vec<u64>,
}

impl TrialRun<'_> {
    /// Refuse a plan that was made with other settings or data.
    ///
    /// # Errors
    /// What differs.
    pub fn check(&self) -> Result<(), TrialError> {
        self.plan.check()?;
        let hint = "make the plan anew, or give what it was made with".to_owned();
        if self.plan.settings != self.base.hash() {
            return Err(TrialError::Differs { what: "set of settings".into(), hint });
        }
        if self.plan.data != *self.data.hashes() {
            return Err(TrialError::Differs { what: "set of recorded markets".into(), hint });
        }
        Ok(())
    }

    /// Live all lines of a path.
    ///
    /// # Errors
    /// When a world cannot be made or a market cannot go on.
    pub fn path(&self, cell: usize, path: u64) -> Result<PathLived, TrialError> {
        let (plan, key) = (self.plan, BlindKey::of(self.plan));
        let (seed, what) = (plan.first_seed + path, &plan.cells[cell]);
        let ours = what.path(path, seed, plan.days, self.data)?;
        let terms = |arm: TrialArm, endings: Endings| LineTerms {
            plan,
            arm,
            settings: arm.settings(self.base, plan.frozen_after_days, plan.tuning.memory_days),
            path: &ours,
            seed,
            endings,
            stranger: &[],
            is_stranger: false,
        };
        let inherits = terms(TrialArm::Inherits, Endings::ByClocks).live()?;
        let (deaths, last) = (inherits.deaths.clone(), plan.days * 24);
        // A stranger lives on another path of the same cell, under the calendar of this one.
        let theirs = what.path(path + STRANGER_SEEDS, seed + STRANGER_SEEDS, plan.days, self.data)?;
        let theirs =
            super::cell::TrialPath { hours: theirs.hours.dated(golem_core::door::World::epoch(&ours.hours)), ..theirs };
        let stranger = LineTerms {
            path: &theirs,
            seed: seed + STRANGER_SEEDS,
            is_stranger: true,
            ..terms(TrialArm::Inherits, Endings::ByClocks)
        };
        let belongings = stranger.live()?.belongings;
        let mut rows = Vec::new();
        for arm in plan.arms.iter().copied() {
            let told = match arm {
                TrialArm::Inherits => inherits.clone(),
                TrialArm::Frozen | TrialArm::KeepsAll | TrialArm::TunedForgetting => {
                    terms(arm, Endings::Never).live()?
                }
                TrialArm::MatchedForgetting => terms(arm, Endings::At(even(deaths.len() as u64, last))).live()?,
                TrialArm::ShamDeath => terms(arm, Endings::At(deaths.clone())).live()?,
                TrialArm::PermutedDeaths => terms(arm, Endings::At(permuted(&deaths, last, seed))).live()?,
                TrialArm::RandomParent => {
                    LineTerms { stranger: &belongings, ..terms(arm, Endings::ByClocks) }.live()?
                }
                TrialArm::NoInheritance | TrialArm::FlatInheritance => terms(arm, Endings::ByClocks).live()?,
            };
            rows.push(row(what.to_string(), path, key.letter(arm), &told, ours.ground));
        }
        // In the order of letters: an order of arms would be a label.
        rows.sort_by(|a, b| a.letter.cmp(&b.letter));
        Ok(PathLived { rows, deaths })
    }
}

fn row(cell: String, path: u64, letter: String, told: &LineLived, ground: Option<u64>) -> TrialRow {
    let finite = |value: Option<f64>| value.filter(|v| v.is_finite());
    let values = [told.account.forecast_loss(), told.account.recovery_loss(), Some(told.worth)].map(finite);
    TrialRow { cell, path, letter, values, ground, digest: short(told.digest) }
}

fn short(digest: Hash) -> String {
    digest.to_string().chars().take(16).collect()
}

/// So many moments at even distances within a path.
fn even(times: u64, last: u64) -> Vec<u64> {
    (1..=times).map(|n| n * last / (times + 1)).collect()
}

/// The same spans between deaths in another order: as many deaths, at other times. One span alone has no other order.
fn permuted(deaths: &[u64], last: u64, seed: u64) -> Vec<u64> {
    let ends: Vec<u64> = deaths.iter().copied().chain([last.max(deaths.last().copied().unwrap_or(0))]).collect();
    let mut spans: Vec<u64> = ends.iter().scan(0, |from, to| Some(to - std::mem::replace(from, *to))).collect();
    let mut draws = Dice::open(seed, Strand::World).draws(ORDER_AT);
    for n in (1..spans.len()).rev() {
        // Sattolo's: one cycle, so that no span stays in its place.
        spans.swap(n, ((draws.uniform() * n as f64) as usize).min(n - 1));
    }
    spans.pop();
    spans
        .iter()
        .scan(0, |at, span| {
            *at += span;
            Some(*at)
        })
        .collect()
}

/// A row as a line of a table, with its end.
#[must_use]
pub(super) fn line_of(row: &TrialRow) -> String {
    let number = |value: &Option<f64>| value.map_or(String::new(), |v| v.to_string());
    let values: Vec<String> = row.values.iter().map(number).collect();
    let ground = row.ground.map_or(String::new(), |g| g.to_string());
    format!("{},{},{},{},{ground},{}\n", row.cell, row.path, row.letter, values.join(","), row.digest)
}

/// The first line over rows.
#[must_use]
pub(super) fn head() -> String {
    let names: Vec<&str> = TRIAL_OUTCOMES.iter().map(|(name, ..)| *name).collect();
    format!("cell,path,letter,{},ground,digest\n", names.join(","))
}

/// A row of a line, where it is one.
pub(super) fn row_of(line: &str) -> Option<TrialRow> {
    let cells: Vec<&str> = line.split(',').collect();
    let [cell, path, letter, values @ .., ground, digest] = &cells[..] else { return None };
    let number = |text: &&str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    let values: Vec<Option<f64>> = values.iter().map(number).collect::<Option<_>>()?;
    Some(TrialRow {
        cell: (*cell).to_owned(),
        path: path.parse().ok()?,
        letter: (*letter).to_owned(),
        values: values.try_into().ok()?,
        ground: if ground.is_empty() { None } else { Some(ground.parse().ok()?) },
        digest: (*digest).to_owned(),
    })
}

/// The hash of all rows as they stand in their file.
pub(super) fn rows_hash(rows: &[TrialRow]) -> Hash {
    let lines: Vec<String> = rows.iter().map(line_of).collect();
    Hash::of(plain::json(&lines).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_keep_their_lengths_and_leave_their_places() {
        let deaths = [500, 1_700, 4_000, 6_500];
        let again = permuted(&deaths, 8_640, 3);
        let spans = |ends: &[u64]| {
            let all = ends.iter().chain([&8_640]);
            all.scan(0, |from, to| Some(to - std::mem::replace(from, *to))).collect::<Vec<u64>>()
        };
        let (mut before, mut after) = (spans(&deaths), spans(&again));
        assert!(before.iter().zip(&after).all(|(a, b)| a != b), "{before:?} {after:?}");
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after);
        assert_eq!(permuted(&[3_000], 8_640, 1), [5_640], "two spans change places");
        assert_eq!(permuted(&[], 8_640, 1), Vec::<u64>::new());
        assert_eq!(even(3, 8_000), [2_000, 4_000, 6_000]);
    }

    #[test]
    fn a_row_comes_back_to_the_bit_and_half_a_row_does_not() {
        let row = TrialRow {
            cell: "turning-gas-hours-30d".into(),
            path: 7,
            letter: "C".into(),
            values: [Some(0.1 + 0.2), None, Some(-1e-17)],
            ground: Some(55),
            digest: "0123456789abcdef".into(),
        };
        let line = line_of(&row);
        assert_eq!(row_of(line.trim_end()), Some(row));
        assert_eq!(row_of("turning,7,C,0.3"), None);
        assert_eq!(head().split(',').count(), line.split(',').count());
    }
}
