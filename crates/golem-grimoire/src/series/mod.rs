//! What the golem has observed of late, one row per nominal tick: the ground that claims, causes and base rates are
//! tested on.
//!
//! A bounded ring: the oldest row goes when a new one comes. Rows are numbered by nominal ticks of age, so that a golem
//! with longer turns compares the same spans: ticks between two turns repeat what was last seen, up to a limit, and are
//! absent beyond it. Where every turn is longer than that limit (a world that tells bars), a row is a bar.

mod base_rate;
mod bits;
mod conditions;
mod far;
mod kin;
mod long;
mod mine;
mod pace;
mod saved;
pub mod statistic;

pub use base_rate::BaseRate;
pub use far::mine_far;
pub use kin::{is_own_arithmetic, kin, looks_back};
pub use long::LongRecord;
pub use mine::{MinedClaim, Mining, mine};

use golem_core::VirtualTime;
use golem_core::observed::{Field, Kind, Snapshot, Value};
use pace::RowPace;
use serde::Deserialize;

/// Rows that are kept: nearly a day of nominal ticks.
pub const CAPACITY: usize = 2_048;
/// Nominal ticks without a turn that are filled with what was last seen; what lies beyond is absent.
pub const MAX_REPEATS: u64 = 16;
const WIDTH: usize = Field::COUNT;

/// The ring. Absent is NaN; words are their index in the field's list, true is 1.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(try_from = "saved::SavedSeries")]
pub struct Series {
    /// The number of the row that comes next; the newest row is the one before.
    next: u64,
    /// Row by row, at most [`CAPACITY`] of them; the row of number `n` is at `n % CAPACITY`.
    cells: Vec<f32>,
    /// The number of the oldest row.
    first: u64,
    /// How long a row is: row `n` begins at nominal tick `n` times that.
    pace: RowPace,
}

/// Equal when every cell has the same bits: an absent cell equals an absent cell.
impl PartialEq for Series {
    fn eq(&self, other: &Self) -> bool {
        let rows = |s: &Self| s.first..s.next;
        rows(self) == rows(other)
            && self.pace == other.pace
            && rows(self).all(|n| self.row(n).iter().zip(other.row(n)).all(|(a, b)| a.to_bits() == b.to_bits()))
    }
}

impl Series {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Rows in it.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.next - self.first).unwrap_or(CAPACITY)
    }
    /// True before the first row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.next == self.first
    }
    /// The nominal ticks that the rows cover, oldest first.
    #[must_use]
    pub fn ticks(&self) -> std::ops::Range<u64> {
        let first = self.first.saturating_mul(self.row_ticks());
        first..if self.is_empty() { first } else { self.pace.last_seen().saturating_add(1).max(first) }
    }
    /// Nominal ticks in a row: one, or a bar of a world that tells bars.
    #[must_use]
    pub fn row_ticks(&self) -> u64 {
        self.pace.row_ticks()
    }
    /// Take in what was observed at this age. A second look within a row replaces the first; an age before the newest row
    /// changes nothing.
    pub fn push(&mut self, age: VirtualTime, seen: &Snapshot) {
        let tick = age.age().nominal_floor();
        if self.pace.see(tick, self.is_empty()) {
            // Rows of another length: what was kept cannot be told apart any more.
            (self.first, self.next) = (0, 0);
        }
        let row = tick / self.row_ticks();
        if self.is_empty() || row - row.min(self.next) >= CAPACITY as u64 {
            // Nothing to go on from, or nothing of it would be left.
            (self.first, self.next) = (row, row);
        }
        if row + 1 < self.next {
            return;
        }
        let last = if self.is_empty() { None } else { self.next.checked_sub(1) };
        for n in self.next..row {
            self.grow(n);
            let to = self.slot(n) * WIDTH;
            match last.filter(|last| n - last <= MAX_REPEATS).map(|last| self.slot(last) * WIDTH) {
                Some(from) => self.cells.copy_within(from..from + WIDTH, to),
                None => self.cells[to..to + WIDTH].fill(f32::NAN),
            }
        }
        self.grow(row);
        let to = self.slot(row) * WIDTH;
        for (cell, &field) in self.cells[to..to + WIDTH].iter_mut().zip(Field::ALL) {
            *cell = seen.get(field).map_or(f32::NAN, |value| encode(field, value));
        }
    }
    /// What a field was, oldest first, into a buffer that is cleared before.
    pub fn column(&self, field: Field, into: &mut Vec<f32>) {
        into.clear();
        into.reserve(self.len());
        // The ring turns over at most once: the rows up to its end, then those from its beginning.
        let (from, at) = (self.slot(self.first), field.index());
        let to_end = self.len().min(CAPACITY - from);
        for rows in [from..from + to_end, 0..self.len() - to_end] {
            let cells = self.cells.get(rows.start * WIDTH..rows.end * WIDTH).unwrap_or_default();
            into.extend(cells.chunks_exact(WIDTH).map(|row| row[at]));
        }
    }
    /// What some fields were at a nominal tick; everything is absent outside of the ring.
    #[must_use]
    pub fn snapshot(&self, tick: u64, fields: &[Field]) -> Snapshot {
        let mut seen = Snapshot::new();
        for &field in fields {
            // Decoded by the field's own kind: it always fits.
            seen.put(field, self.value(tick, field));
        }
        seen
    }
    /// What one field was at a nominal tick; absent outside of the ring.
    #[must_use]
    pub fn value(&self, tick: u64, field: Field) -> Option<Value> {
        let row = self.ticks().contains(&tick).then(|| self.row(tick / self.row_ticks()))?;
        decode(field, row[field.index()])
    }
    fn slot(&self, row: u64) -> usize {
        // Below CAPACITY, so it fits any usize.
        (row % CAPACITY as u64) as usize
    }
    fn row(&self, number: u64) -> &[f32] {
        let at = self.slot(number) * WIDTH;
        &self.cells[at..at + WIDTH]
    }
    /// Make room for the row of this number and count it as there.
    fn grow(&mut self, row: u64) {
        if self.cells.is_empty() {
            self.cells.resize(CAPACITY * WIDTH, f32::NAN);
        }
        self.next = self.next.max(row + 1);
        self.first = self.first.max(self.next.saturating_sub(CAPACITY as u64));
    }
}

/// A value as a cell. What a float cannot tell apart (whole numbers beyond 2^24) no claim is made about.
fn encode(field: Field, value: Value) -> f32 {
    match (value, field.kind()) {
        (Value::Number(x), _) => x.get() as f32,
        (Value::Integer(n), _) => n as f32,
        (Value::Bool(b), _) => f32::from(u8::from(b)),
        (Value::Text(word), Kind::Text(words)) => words.iter().position(|w| *w == word).map_or(f32::NAN, |i| i as f32),
        (Value::Text(_), _) => f32::NAN,
    }
}

fn decode(field: Field, cell: f32) -> Option<Value> {
    if !cell.is_finite() {
        return None;
    }
    match field.kind() {
        Kind::Number => Value::number(f64::from(cell)),
        Kind::Integer => Some(Value::Integer(cell as i64)),
        Kind::Bool => Some(Value::Bool(cell > 0.5)),
        Kind::Text(words) => words.get(cell as usize).map(|word| Value::Text(word)),
    }
}
