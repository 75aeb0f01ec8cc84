//! The three tables as Arrow columns: what other tools search by, with the whole of each row as JSON beside it.
//!
//! A vector column has one width and one maker: what another embedder made is null there, and still in the JSON.

use super::{ExportedMemory, NamedRow, Numbered, Source, jsonl};
use crate::fail::Fail;
use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::ArrowError;
use golem_core::door::Embedding;
use golem_core::plain::word;
use golem_grimoire::embed::{Embedder as _, StaticEmbedder};
use golem_grimoire::situation::WIDTH;
use golem_grimoire::{Entry, EntryStatus, Episode, Marks, Situation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that are turned into columns at once.
const AT_ONCE: usize = 4_096;
/// The column that holds the whole row.
pub const WHOLE: &str = "json";

/// A table: a name and at least one batch, which may be empty.
pub struct Columns {
    /// `episodes`, `entries` or `rows`.
    pub name: &'static str,
    /// Its rows, in order.
    pub batches: Vec<RecordBatch>,
}

type Maker = fn(&ExportedMemory) -> Result<Columns, Fail>;

/// The three tables, one after the other: only one of them is in memory as columns.
pub fn tables(holdings: &ExportedMemory) -> impl Iterator<Item = Result<Columns, Fail>> {
    let makers: [Maker; 3] = [
        |h| {
            let by = Embedded::most(h.episodes.iter().filter_map(|(.., e)| e.as_ref()));
            table("episodes", &h.episodes, |some| episodes(some, &by))
        },
        |h| {
            let by = Embedded::most(h.entries.iter().filter_map(|(_, e)| e.as_ref()));
            table("entries", &h.entries, |some| entries(some, &by))
        },
        |h| table("rows", &h.rows, rows),
    ];
    makers.into_iter().map(move |make| make(holdings))
}

/// Lines from the column that holds the whole rows.
pub fn lines(batches: impl IntoIterator<Item = RecordBatch>) -> Result<Source, String> {
    let mut lines: Vec<Numbered> = Vec::new();
    let mut number = 0;
    for batch in batches {
        let column = batch.column_by_name(WHOLE).ok_or_else(|| format!("it has no column {WHOLE}"))?;
        // Whoever has written it since may have chosen another width of offsets.
        let texts: Vec<Option<&str>> = if let Some(column) = column.as_string_opt::<i32>() {
            column.iter().collect()
        } else if let Some(column) = column.as_string_opt::<i64>() {
            column.iter().collect()
        } else if let Some(column) = column.as_string_view_opt() {
            column.iter().collect()
        } else {
            return Err(format!("its column {WHOLE} is no text"));
        };
        for text in texts {
            number += 1;
            lines.push((number, text.unwrap_or_default().as_bytes().to_vec()));
        }
    }
    Ok(Source { unit: "row", lines })
}

fn table<T>(name: &'static str, all: &[T], make: impl Fn(&[T]) -> Result<RecordBatch, Fail>) -> Result<Columns, Fail> {
    let batches =
        if all.is_empty() { vec![make(all)?] } else { all.chunks(AT_ONCE).map(make).collect::<Result<_, _>>()? };
    Ok(Columns { name, batches })
}

/// Whose vectors stand in the column.
struct Embedded {
    id: Option<String>,
    width: i32,
}

impl Embedded {
    /// The one that made the most of them; without any, the bundled one gives the width.
    fn most<'a>(all: impl Iterator<Item = &'a Embedding>) -> Self {
        let mut counts: BTreeMap<(&str, usize), u32> = BTreeMap::new();
        all.for_each(|e| *counts.entry((&e.model, e.row.len())).or_default() += 1);
        let most = counts.into_iter().max_by_key(|(_, n)| *n).map(|(by, _)| by);
        let width = most.map_or_else(|| StaticEmbedder::bundled().width(), |(_, width)| width);
        Self { id: most.map(|(id, _)| id.to_owned()), width: i32::try_from(width).unwrap_or(i32::MAX) }
    }
    fn columns<'a>(&self, all: impl Iterator<Item = Option<&'a Embedding>>) -> [Column; 2] {
        let fits = |e: &&Embedding| Some(&e.model) == self.id.as_ref() && e.row.len() as i64 == i64::from(self.width);
        let own: Vec<_> = all.map(|e| e.filter(fits)).collect();
        let names: StringArray = own.iter().map(|e| e.map(|e| e.model.as_str())).collect();
        let vectors = own.iter().map(|e| e.map(|e| e.row.iter().map(|x| Some(f32::from(*x) * e.scale))));
        let vectors = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, self.width);
        [("embedder", Arc::new(names), true), ("vector", Arc::new(vectors), true)]
    }
}

type Column = (&'static str, ArrayRef, bool);

fn words<T>(name: &'static str, all: &[T], of: impl Fn(&T) -> String) -> Column {
    (name, Arc::new(StringArray::from_iter_values(all.iter().map(of))), false)
}
fn maybe<T>(name: &'static str, all: &[T], of: impl Fn(&T) -> Option<String>) -> Column {
    (name, Arc::new(all.iter().map(of).collect::<StringArray>()), true)
}
fn wholes<T>(name: &'static str, all: &[T], of: impl Fn(&T) -> u64) -> Column {
    (name, Arc::new(UInt64Array::from_iter_values(all.iter().map(of))), false)
}
fn counts<T>(name: &'static str, all: &[T], of: impl Fn(&T) -> u32) -> Column {
    (name, Arc::new(UInt32Array::from_iter_values(all.iter().map(of))), false)
}
fn floats<T>(name: &'static str, all: &[T], of: impl Fn(&T) -> f32) -> Column {
    (name, Arc::new(Float32Array::from_iter_values(all.iter().map(of))), false)
}
fn flags<T>(name: &'static str, all: &[T], of: impl Fn(&T) -> bool) -> Column {
    (name, Arc::new(all.iter().map(|x| Some(of(x))).collect::<BooleanArray>()), false)
}
fn situations<'a>(all: impl Iterator<Item = Option<&'a Situation>>) -> Column {
    let rows = all.map(|s| s.map(|s| s.0.map(Some)));
    ("situation", Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(rows, WIDTH as i32)), true)
}
fn whole<T>(all: &[T], of: impl Fn(&T) -> Result<String, Fail>) -> Result<Column, Fail> {
    let lines = all.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    Ok((WHOLE, Arc::new(StringArray::from_iter_values(lines)), false))
}
fn batch(columns: impl IntoIterator<Item = Column>) -> Result<RecordBatch, Fail> {
    RecordBatch::try_from_iter_with_nullable(columns).map_err(|e: ArrowError| Fail::Bug(e.to_string()))
}

fn episodes(all: &[(Episode, Marks, Option<Embedding>)], by: &Embedded) -> Result<RecordBatch, Fail> {
    let [embedder, vector] = by.columns(all.iter().map(|(.., e)| e.as_ref()));
    batch([
        wholes("id", all, |(e, ..)| e.id.0),
        wholes("tick", all, |(e, ..)| e.tick.0),
        wholes("age_ms", all, |(e, ..)| e.age.0),
        words("at", all, |(e, ..)| e.at.to_string()),
        words("kind", all, |(e, ..)| word(&e.kind)),
        words("text", all, |(e, ..)| e.text.clone()),
        words("regime", all, |(e, ..)| word(&e.regime)),
        words("went", all, |(e, ..)| word(&e.went)),
        words("importance", all, |(e, ..)| word(&e.importance)),
        floats("surprise", all, |(e, ..)| e.surprise),
        embedder,
        vector,
        situations(all.iter().map(|(e, ..)| Some(&e.situation))),
        whole(all, jsonl::episode)?,
    ])
}

fn entries(all: &[(Entry, Option<Embedding>)], by: &Embedded) -> Result<RecordBatch, Fail> {
    let [embedder, vector] = by.columns(all.iter().map(|(_, e)| e.as_ref()));
    batch([
        words("id", all, |(e, _)| e.id.to_string()),
        words("kind", all, |(e, _)| word(&e.body.kind)),
        words("text", all, |(e, _)| e.body.text.clone()),
        words("status", all, |(e, _)| status(e.standing.status).to_owned()),
        counts("confidence_bp", all, |(e, _)| e.standing.confidence_bp.into()),
        floats("quality", all, |(e, _)| e.standing.quality),
        counts("validated", all, |(e, _)| e.standing.validated),
        counts("contradicted", all, |(e, _)| e.standing.contradicted),
        words("decay_class", all, |(e, _)| word(&e.body.decay_class)),
        maybe("domain", all, |(e, _)| e.body.domain.as_ref().map(word)),
        maybe("regime", all, |(e, _)| e.body.regime.as_ref().map(word)),
        words("provenance", all, |(e, _)| word(&e.body.provenance)),
        words("origin", all, |(e, _)| e.body.origin.golem.to_string()),
        counts("generation", all, |(e, _)| e.body.origin.generation),
        flags("is_bloodstain", all, |(e, _)| e.body.is_bloodstain),
        flags("is_question", all, |(e, _)| e.body.is_question),
        wholes("learnt_at_ms", all, |(e, _)| e.body.learnt_at.0),
        embedder,
        vector,
        situations(all.iter().map(|(e, _)| e.body.prototype.as_ref())),
        whole(all, jsonl::entry)?,
    ])
}

fn rows(all: &[NamedRow]) -> Result<RecordBatch, Fail> {
    let ticks: UInt64Array = all.iter().map(|row| row.tick.map(|t| t.0)).collect();
    batch([
        words("kind", all, |row| word(&row.table)),
        words("key", all, |row| row.key.clone()),
        ("tick", Arc::new(ticks), true),
        whole(all, jsonl::row)?,
    ])
}

fn status(status: EntryStatus) -> &'static str {
    match status {
        EntryStatus::Candidate => "candidate",
        EntryStatus::Active => "active",
        EntryStatus::Quarantined(_) => "quarantined",
        EntryStatus::Archived(_) => "archived",
        EntryStatus::Burnt(_) => "burnt",
    }
}
