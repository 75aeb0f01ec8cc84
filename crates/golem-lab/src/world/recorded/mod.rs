//! Recorded history as a world: bars from a CSV file, one turn per bar or filled in to nominal ticks.
//!
//! Only what has happened is visible. With one turn per bar that means closed bars; filled in, a bar is played during
//! its own time. What the file does not record (gas, fee yield, protocol) is missing, and its domain drops out.

mod bridge;
mod error;
mod gas;
mod options;
mod read;
mod survey;

pub use error::{CsvError, CsvFault};
pub use options::{CsvMode, CsvOptions, VolumeUnit};
pub use survey::{Gap, JUMP, Move, Survey};

use super::saved;
use bridge::Path;
use gas::GasHistory;
use golem_core::door::World;
use golem_core::{Dice, Hash, NOMINAL_TICK_S, RawObservation, Strand, Timestamp, VirtualTime};
use read::Bar;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A recorded market.
#[derive(Debug)]
pub struct CsvWorld {
    bars: Vec<Bar>,
    bar_ms: i64,
    gas: Option<Arc<GasHistory>>,
    dice: Option<Dice>,
    fingerprint: Hash,
    path: Option<(usize, Path)>,
    place: HistoryPlace,
}

/// Where in its history the world has been looked at last.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct HistoryPlace {
    age_ms: u64,
    spot: Spot,
    /// Volume since the look before that.
    volume: f64,
}

/// A point of history: a bar, and a point of its path when it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Spot {
    bar: usize,
    point: usize,
}

impl CsvWorld {
    /// Read a file with the columns `timestamp,open,high,low,close,volume` and perhaps `fee_yield`; `timestamp` is the
    /// opening of the bar in unix seconds.
    pub fn open(path: impl Into<PathBuf>, options: &CsvOptions) -> Result<Self, CsvError> {
        let path = path.into();
        if let (Some(from), Some(until)) = (options.from, options.until)
            && from >= until
        {
            return Err(CsvError { path, fault: CsvFault::Backwards { from, until } });
        }
        let in_usdc = options.volume_unit == VolumeUnit::Usdc;
        let read::CheckedSeries { mut rows, spacing_s, hash, .. } = read::bars(&path, in_usdc)?;
        let (first, last) = (rows[0].open_s, rows[rows.len() - 1].open_s + spacing_s);
        rows.retain(|bar| {
            options.from.is_none_or(|from| bar.open_s >= from.0)
                && options.until.is_none_or(|until| bar.open_s + spacing_s <= until.0)
        });
        match rows.len() {
            0 => {
                let (first, last) = (Timestamp(first), Timestamp(last));
                return Err(CsvError { path, fault: CsvFault::NotCovered { first, last } });
            }
            1 => return Err(CsvError { path, fault: CsvFault::TooFew { found: 1 } }),
            _ => {}
        }
        let dice = match options.mode {
            CsvMode::PerBar => None,
            CsvMode::Bridge { seed } => Some(Dice::open(seed, Strand::Bridge)),
        };
        if dice.is_some() && !bridge::FITS.contains(&points(spacing_s * 1_000)) {
            return Err(CsvError { path, fault: CsvFault::Unfillable { bar_s: spacing_s } });
        }
        let gas = options.gas.as_deref().map(GasHistory::read).transpose()?.map(Arc::new);
        let window = (options.from, options.until);
        let gas_hash = gas.as_ref().map(|gas| gas.hash());
        let fingerprint = saved::fingerprint(&("csv 1", hash, gas_hash, options.mode, options.volume_unit, window));
        Ok(Self::begin(rows, spacing_s * 1_000, gas, dice, fingerprint))
    }

    fn begin(bars: Vec<Bar>, bar_ms: i64, gas: Option<Arc<GasHistory>>, dice: Option<Dice>, fingerprint: Hash) -> Self {
        let place = HistoryPlace { age_ms: 0, spot: Spot { bar: 0, point: 0 }, volume: 0.0 };
        let mut world = Self { bars, bar_ms, gas, dice, fingerprint, path: None, place };
        let first = world.spot_at(0);
        world.place.spot = first;
        world.place.volume = world.volume_of(first.bar, first.point, first.point + 1);
        world
    }

    /// A part of this history as a world of its own, without reading the file again: so many bars from one on. Filled in,
    /// its paths come from this seed. `None` when there are not so many.
    #[must_use]
    pub fn window(&self, first: usize, bars: usize, seed: u64) -> Option<Self> {
        let part = self.bars.get(first..first.checked_add(bars)?).filter(|part| part.len() > 1)?.to_vec();
        let dice = self.dice.is_some().then(|| Dice::open(seed, Strand::Bridge));
        let fingerprint = saved::fingerprint(&("window 1", self.fingerprint, first, bars, seed));
        Some(Self::begin(part, self.bar_ms, self.gas.clone(), dice, fingerprint))
    }

    /// Seconds that a bar takes.
    #[must_use]
    pub fn bar_s(&self) -> u64 {
        self.bar_ms as u64 / 1_000
    }

    /// What tells this history, read this way, from any other.
    #[must_use]
    pub fn fingerprint(&self) -> Hash {
        self.fingerprint
    }

    /// How many bars there are to live through.
    #[must_use]
    pub fn bars(&self) -> usize {
        self.bars.len()
    }

    fn now_ms(&self, age_ms: u64) -> i64 {
        self.closes_ms(0).saturating_add_unsigned(age_ms)
    }

    fn closes_ms(&self, bar: usize) -> i64 {
        self.bars[bar].open_s * 1_000 + self.bar_ms
    }

    /// The newest bar that has closed.
    fn closed(&self, now_ms: i64) -> usize {
        self.bars.partition_point(|bar| bar.open_s * 1_000 + self.bar_ms <= now_ms).saturating_sub(1)
    }

    /// The point of history that is visible at this age.
    fn spot_at(&self, age_ms: u64) -> Spot {
        let now = self.now_ms(age_ms);
        if self.dice.is_none() {
            return Spot { bar: self.closed(now), point: 0 };
        }
        let bar = self.bars.partition_point(|bar| bar.open_s * 1_000 <= now).saturating_sub(1);
        // After its close, and through a gap, a bar stays at its last point.
        let into = (now - self.bars[bar].open_s * 1_000).clamp(0, self.bar_ms - 1);
        Spot { bar, point: (into as usize * points(self.bar_ms)) / self.bar_ms as usize }
    }

    /// The path of a bar, if bars are filled in. The last one asked for is kept.
    fn path(&mut self, bar: usize) -> Option<&Path> {
        let dice = self.dice.as_ref()?;
        if self.path.as_ref().is_none_or(|(kept, _)| *kept != bar) {
            self.path = Some((bar, Path::of(&self.bars[bar], points(self.bar_ms), dice)));
        }
        self.path.as_ref().map(|(_, path)| path)
    }

    /// Volume of the points `from..to` of one bar. A bar without a path has one point.
    fn volume_of(&mut self, bar: usize, from: usize, to: usize) -> f64 {
        let whole = self.bars[bar].volume;
        match self.path(bar) {
            Some(path) => path.volumes.iter().take(to).skip(from).sum(),
            None if from == 0 => whole,
            None => 0.0,
        }
    }

    /// Volume after one point, up to and including another.
    fn volume_between(&mut self, after: Spot, to: Spot) -> f64 {
        if after.bar == to.bar {
            return self.volume_of(to.bar, after.point + 1, to.point + 1);
        }
        let rest = self.volume_of(after.bar, after.point + 1, usize::MAX);
        let skipped: f64 = self.bars[after.bar + 1..to.bar].iter().map(|bar| bar.volume).sum();
        rest + skipped + self.volume_of(to.bar, 0, to.point + 1)
    }
}

/// How many nominal ticks fit into a bar.
fn points(bar_ms: i64) -> usize {
    (bar_ms as u64 / (NOMINAL_TICK_S * 1_000)) as usize
}

impl World for CsvWorld {
    /// An age before the last one that was asked for gets the same answer as the last one.
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        if self.ends_at().is_some_and(|end| age > end) {
            return None;
        }
        if age.0 > self.place.age_ms {
            let spot = self.spot_at(age.0);
            let volume = self.volume_between(self.place.spot, spot);
            self.place = HistoryPlace { age_ms: age.0, spot, volume };
        }
        let HistoryPlace { age_ms, spot, volume } = self.place;
        let now = self.now_ms(age_ms);
        let close = self.bars[spot.bar].close;
        Some(RawObservation {
            price: Some(self.path(spot.bar).map_or(close, |path| path.prices[spot.point])),
            gas_gwei: self.gas.as_ref().and_then(|gas| gas.at(now)),
            fee_yield: self.bars[self.closed(now)].fee_yield,
            volume: Some(volume),
            protocol: None,
            ..RawObservation::default()
        })
    }

    /// The close of the first bar: before that there is nothing to see.
    fn epoch(&self) -> Timestamp {
        Timestamp(self.now_ms(0) / 1_000)
    }

    fn natural_interval_s(&self) -> Option<u64> {
        self.dice.is_none().then_some(self.bar_ms as u64 / 1_000)
    }

    fn ends_at(&self) -> Option<VirtualTime> {
        Some(VirtualTime(self.closes_ms(self.bars.len() - 1).abs_diff(self.now_ms(0))))
    }

    fn save(&self) -> Vec<u8> {
        saved::seal(self.fingerprint, &self.place)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let place: HistoryPlace = saved::open(self.fingerprint, bytes)?;
        let ended = self.ends_at().is_some_and(|end| place.age_ms > end.0);
        if ended || place.spot != self.spot_at(place.age_ms) || !(0.0..).contains(&place.volume) {
            return Err("the saved world is damaged: it points where this history has nothing".into());
        }
        self.place = place;
        Ok(())
    }
}
