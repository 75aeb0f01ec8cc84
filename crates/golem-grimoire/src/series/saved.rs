//! The ring as it stands in a checkpoint: only the columns that were ever observed, cell by cell as bytes.

use super::pace::RowPace;
use super::{CAPACITY, Series, WIDTH};
use golem_core::observed::Field;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The longest list of cells, of a ring or of the long record.
const MOST_BYTES: usize = 1 << 17;

/// A saved ring, read. Columns are named, so that a ring saved before a field was added can still be read.
#[derive(Deserialize)]
pub(super) struct SavedSeries {
    first: u64,
    next: u64,
    pace: RowPace,
    columns: Vec<(String, Cells)>,
}

/// The same, to be written.
#[derive(Serialize)]
#[serde(rename = "Saved")]
struct LentSeries {
    first: u64,
    next: u64,
    pace: RowPace,
    columns: Vec<(&'static str, Cells)>,
}

impl Serialize for Series {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut column = Vec::with_capacity(self.len());
        let mut columns = Vec::new();
        for &field in Field::ALL {
            self.column(field, &mut column);
            if column.iter().any(|x| x.is_finite()) {
                let mut bytes = vec![0; column.len() * 4];
                for (four, x) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(&column) {
                    *four = x.to_le_bytes();
                }
                columns.push((field.name(), Cells(bytes)));
            }
        }
        LentSeries { first: self.first, next: self.next, pace: self.pace, columns }.serialize(to)
    }
}

/// A saved ring that cannot be one.
#[derive(Debug, thiserror::Error)]
#[error("the saved series is damaged: {0}")]
pub(super) struct Damaged(&'static str);

impl TryFrom<SavedSeries> for Series {
    type Error = Damaged;
    fn try_from(saved: SavedSeries) -> Result<Self, Damaged> {
        let rows = saved.next.checked_sub(saved.first).ok_or(Damaged("it ends before it begins"))?;
        let rows = usize::try_from(rows).ok().filter(|n| *n <= CAPACITY).ok_or(Damaged("it has too many rows"))?;
        let cells = if rows == 0 { Vec::new() } else { vec![f32::NAN; CAPACITY * WIDTH] };
        let mut series = Self { first: saved.first, next: saved.next, pace: saved.pace, cells };
        for (name, Cells(bytes)) in saved.columns {
            if bytes.len() != rows * 4 {
                return Err(Damaged("a column has another length"));
            }
            // A field that is gone has no column any more.
            let Some(field) = Field::named(&name) else { continue };
            for (row, cell) in (saved.first..saved.next).zip(bytes.chunks_exact(4)) {
                let at = series.slot(row) * WIDTH + field.index();
                series.cells[at] = f32::from_le_bytes([cell[0], cell[1], cell[2], cell[3]]);
            }
        }
        Ok(series)
    }
}

/// Bytes that are written in one piece where the format can.
pub(super) struct Cells(pub Vec<u8>);

impl Serialize for Cells {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_byte_buf(CellsVisitor)
    }
}

struct CellsVisitor;

impl<'de> Visitor<'de> for CellsVisitor {
    type Value = Cells;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Cells, E> {
        Ok(Cells(bytes.to_vec()))
    }
    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Cells, E> {
        Ok(Cells(bytes))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cells, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = seq.next_element()? {
            if bytes.len() == MOST_BYTES {
                return Err(A::Error::custom("a column has too many cells"));
            }
            bytes.push(byte);
        }
        Ok(Cells(bytes))
    }
}
