//! What the trial has of recorded markets: files given by their path, never part of the project. Without any, histories are made.

use super::error::TrialError;
use crate::compare::share;
use crate::world::resampled::{HourMove, deviation, moves};
use crate::world::{CsvOptions, CsvWorld, PlayedHours, Synthetic, SyntheticConfig};
use golem_core::Hash;
use golem_core::door::World;
use std::collections::BTreeMap;
use std::path::Path;

/// The seed of the history that is made where none was given.
const MADE_SEED: u64 = 20_260_101;
/// Three years.
const MADE_HOURS: u64 = 3 * 360 * 24;
/// Windows begin a day apart.
const STEP: usize = 24;

/// Recorded markets, read once.
pub struct TrialData {
    hashes: BTreeMap<String, Hash>,
    histories: Vec<PlayedHours>,
    /// Returns to draw blocks from: of all histories, one after the other.
    moves: Vec<HourMove>,
    /// Windows of a length in the order of their volatility: market, first hour.
    windows: Vec<(usize, usize)>,
    days: u64,
}

impl TrialData {
    /// Read these files, for windows of so many days. Names in the plan are the files' own, without their folders: where they
    /// lie is no part of a plan.
    ///
    /// # Errors
    /// When one cannot be read, or none is as long as a path.
    pub fn read(files: &[impl AsRef<Path>], days: u64) -> Result<Self, TrialError> {
        let mut data =
            Self { hashes: BTreeMap::new(), histories: Vec::new(), moves: Vec::new(), windows: Vec::new(), days };
        for file in files {
            let file = file.as_ref();
            let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            let world = CsvWorld::open(file, &CsvOptions::default()).map_err(crate::compare::CompareError::from)?;
            if data.hashes.insert(name.clone(), world.fingerprint()).is_some() {
                return Err(TrialError::unsound(format!("{name} is given twice"), "leave one of them out"));
            }
            let hours = world.ends_at().map_or(0, |end| end.0 / 3_600_000);
            let played = PlayedHours::of(world, hours);
            data.moves.extend(moves(played.hours()));
            data.histories.push(played);
        }
        if files.is_empty() {
            data.moves = generated_history();
        } else {
            data.windows = data.by_volatility()?;
        }
        Ok(data)
    }

    /// What tells each file from any other.
    #[must_use]
    pub fn hashes(&self) -> &BTreeMap<String, Hash> {
        &self.hashes
    }

    /// Hourly moves to draw blocks from.
    pub(super) fn moves(&self) -> &[HourMove] {
        &self.moves
    }

    fn by_volatility(&self) -> Result<Vec<(usize, usize)>, TrialError> {
        let need = self.days as usize * 24;
        let mut found: Vec<(f64, usize, usize)> = Vec::new();
        for (market, history) in self.histories.iter().enumerate() {
            let all = moves(history.hours());
            let starts = (0..(all.len() + 1).saturating_sub(need)).step_by(STEP);
            found.extend(starts.map(|from| (deviation(&all[from..from + need]), market, from)));
        }
        if found.len() < 5 {
            let what = format!("the recorded markets have no five windows of {} days", self.days);
            return Err(TrialError::unsound(what, "give longer ones, fewer days, or none at all"));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        Ok(found.into_iter().map(|(_, market, from)| (market, from)).collect())
    }

    /// The window of a path among those of a fifth, and the ground it stands on: windows that begin within the length of one of
    /// each other, in whatever market, are one voice.
    pub(super) fn window(&self, path: u64, quintile: u8, days: u64) -> Result<(PlayedHours, u64), TrialError> {
        let none = || TrialError::unsound("there is no recorded market".to_owned(), "give one: --data FILE");
        let (q, n) = (usize::from(quintile.clamp(1, 5)), self.windows.len());
        let (from, to) = ((q - 1) * n / 5, q * n / 5);
        let at = from + share(path, (to - from) as u64) as usize;
        let (market, first) = *self.windows.get(at).ok_or_else(none)?;
        let history = self.histories.get(market).ok_or_else(none)?;
        let hours = history.hours().get(first..=first + days as usize * 24).ok_or_else(none)?.to_vec();
        let begins = history.epoch().after(golem_core::Elapsed::secs(first as u64 * 3_600));
        let ground = begins.0.unsigned_abs() / (days.max(1) * 86_400);
        Ok((PlayedHours::new(begins, hours), ground))
    }
}

/// A long generated history to draw blocks from, where no recorded one was given.
fn generated_history() -> Vec<HourMove> {
    let world = Synthetic::new(SyntheticConfig::default(), MADE_SEED);
    let world = world.unwrap_or_else(|wrong| unreachable!("the default market is sound: {wrong:?}"));
    moves(PlayedHours::of(world, MADE_HOURS).hours())
}
