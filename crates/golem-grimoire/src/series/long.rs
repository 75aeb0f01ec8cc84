//! A long record for whoever sleeps on it: a few columns of what was observed, one row for each five nominal ticks, some nine
//! days of it. A cell has half the width of a float, which is as exact as a bound that people can read.

use super::conditions::{DRIVERS, SeriesColumns};
use super::saved::Cells;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// Rows that are kept.
pub const LONG_ROWS: usize = 4_096;
/// Nominal ticks in a row, where turns are not longer.
pub const LONG_ROW_TICKS: u64 = 5;
/// What is kept of each row: whatever a claim can begin with, the hour, and how fees moved.
const COLUMNS: [Field; DRIVERS.len() + 2] = {
    let [a, b, c, d, e, f, g] = DRIVERS;
    [a, b, c, d, e, f, g, Field::MarketHour, Field::MarketFeeYieldMove]
};
/// A cell of which nothing is known.
const ABSENT: u16 = 0x7fc0;

/// The record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "SavedRecord", into = "SavedRecord")]
pub struct LongRecord {
    /// Nominal ticks in a row; 0 before the first.
    row_ticks: u64,
    /// The number of the row that comes next.
    next: u64,
    /// Row by row, oldest first.
    cells: Vec<u16>,
}

impl LongRecord {
    /// Rows in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len() / COLUMNS.len()
    }
    /// True before the first row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
    /// Nominal ticks in a row.
    #[must_use]
    pub fn row_ticks(&self) -> u64 {
        self.row_ticks
    }
    /// True when nothing was noted yet of the row that this age belongs to.
    #[must_use]
    pub fn wants(&self, age: VirtualTime) -> bool {
        self.row_ticks == 0 || age.age().nominal_floor() / self.row_ticks >= self.next
    }
    /// Note what was observed at this age. `turn` is how long the golem's turns are: where they are longer than a row, a row is
    /// as long as a turn. What lies between two notes is absent.
    pub fn note(&mut self, age: VirtualTime, turn: Elapsed, seen: &Snapshot) {
        let row_ticks = turn.nominal_floor().max(LONG_ROW_TICKS);
        if row_ticks != self.row_ticks {
            *self = Self { row_ticks, next: age.age().nominal_floor() / row_ticks, cells: Vec::new() };
        }
        let row = age.age().nominal_floor() / row_ticks;
        if row < self.next {
            return;
        }
        let missed = usize::try_from(row - self.next).unwrap_or(LONG_ROWS).min(LONG_ROWS);
        self.cells.extend(std::iter::repeat_n(ABSENT, missed * COLUMNS.len()));
        let cell = |field: &Field| seen.get(*field).and_then(|v| v.as_f64()).map_or(ABSENT, |x| halved(x as f32));
        self.cells.extend(COLUMNS.iter().map(cell));
        self.next = row + 1;
        // Much at a time, so that the rest is seldom moved.
        let surplus = self.len().saturating_sub(LONG_ROWS);
        if surplus >= LONG_ROWS / 16 {
            self.cells.drain(..surplus * COLUMNS.len());
        }
    }
    /// Its columns.
    pub(super) fn columns(&self) -> SeriesColumns {
        let column = |at: usize| self.cells.chunks_exact(COLUMNS.len()).map(|row| whole(row[at])).collect();
        let columns = COLUMNS.iter().enumerate().map(|(at, field)| (*field, column(at))).collect();
        SeriesColumns::new(columns, self.row_ticks)
    }
}

/// The record as it stands in a checkpoint.
#[derive(Serialize, Deserialize)]
struct SavedRecord {
    row_ticks: u64,
    next: u64,
    cells: Cells,
}

impl From<LongRecord> for SavedRecord {
    fn from(record: LongRecord) -> Self {
        let cells = Cells(record.cells.iter().flat_map(|cell| cell.to_le_bytes()).collect());
        Self { row_ticks: record.row_ticks, next: record.next, cells }
    }
}

impl TryFrom<SavedRecord> for LongRecord {
    type Error = &'static str;
    fn try_from(saved: SavedRecord) -> Result<Self, &'static str> {
        let (pairs, rest) = saved.cells.0.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() % COLUMNS.len() != 0 {
            return Err("the long record ends within a row");
        }
        let cells = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
        Ok(Self { row_ticks: saved.row_ticks, next: saved.next, cells })
    }
}

/// The upper half of a float, rounded to the nearest.
fn halved(x: f32) -> u16 {
    if !x.is_finite() {
        return ABSENT;
    }
    let bits = x.to_bits();
    let near = bits.saturating_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // The largest floats would round to infinity.
    u16::try_from(near).ok().filter(|half| whole(*half).is_finite()).unwrap_or(ABSENT)
}

fn whole(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::NOMINAL_TICK_S;
    use proptest::prelude::*;

    fn seen(gas: f64) -> Snapshot {
        let mut seen = Snapshot::new();
        seen.set_number(Field::MarketGasRatio, gas).expect("a number");
        seen
    }

    fn at(tick: u64) -> VirtualTime {
        VirtualTime(tick * NOMINAL_TICK_S * 1_000)
    }

    proptest! {
        #[test]
        fn a_cell_is_within_half_a_hundredth(x in prop_oneof![-1e6f32..1e6, -1e-3f32..1e-3, Just(0.0f32)]) {
            let back = whole(halved(x));
            prop_assert!((back - x).abs() <= 0.004 * x.abs(), "{} became {}", x, back);
        }
    }

    #[test]
    fn rows_are_five_ticks_long_and_gaps_are_absent() {
        let mut record = LongRecord::default();
        for tick in [3, 4, 5, 9, 10, 31] {
            assert_eq!(record.wants(at(tick)), [3, 5, 10, 31].contains(&tick), "{tick}");
            record.note(at(tick), Elapsed::nominal(1), &seen(tick as f64));
        }
        let columns = record.columns();
        let (gas, _) = columns.get(Field::MarketGasRatio).expect("a column");
        let plain: Vec<Option<f32>> = gas.iter().map(|x| x.is_finite().then_some(*x)).collect();
        assert_eq!(plain, [Some(3.0), Some(5.0), Some(10.0), None, None, None, Some(31.0)]);
    }

    #[test]
    fn it_comes_back_from_a_checkpoint_and_a_torn_one_does_not() {
        let mut record = LongRecord::default();
        for n in 0..40 {
            record.note(at(n * 7), Elapsed::nominal(1), &seen(1.0 + n as f64));
        }
        let text = serde_json::to_string(&record).expect("plain data");
        assert_eq!(serde_json::from_str::<LongRecord>(&text).expect("it is whole"), record);
        let torn = text.replacen(",", "", 3).replace("]", ",7]");
        assert!(serde_json::from_str::<LongRecord>(&torn).is_err());
    }

    #[test]
    fn it_is_bounded_and_bars_are_its_rows() {
        let mut record = LongRecord::default();
        for n in 0..10_000 {
            record.note(at(n * 5), Elapsed::nominal(1), &seen(1.0));
        }
        assert!((LONG_ROWS..LONG_ROWS + LONG_ROWS / 16).contains(&record.len()));
        record.note(at(60_000), Elapsed::nominal(90), &seen(1.0));
        assert_eq!((record.len(), record.row_ticks()), (1, 90), "rows of another length begin anew");
    }
}
