//! JSON lines: one thing a line, whole, as `{"episode": …}`, `{"entry": …}` or `{"row": …}`.

use super::{ExportedMemory, NamedRow, Source, cannot_read, cannot_write};
use crate::fail::Fail;
use golem_core::Tick;
use golem_core::door::Embedding;
use golem_grimoire::change::NamedTable;
use golem_grimoire::{Entry, Episode, Marks};
use serde::Serialize;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

#[derive(Serialize)]
struct EpisodeLine<'a> {
    episode: &'a Episode,
    marks: &'a Marks,
    embedding: Option<&'a Embedding>,
}
#[derive(Serialize)]
struct EntryLine<'a> {
    entry: &'a Entry,
    embedding: Option<&'a Embedding>,
}
#[derive(Serialize)]
struct RowLine<'a> {
    row: NamedTable,
    key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tick: Option<Tick>,
    body: Value,
}

/// The line of an episode.
pub fn episode((episode, marks, embedding): &(Episode, Marks, Option<Embedding>)) -> Result<String, Fail> {
    line(&EpisodeLine { episode, marks, embedding: embedding.as_ref() })
}
/// The line of an entry.
pub fn entry((entry, embedding): &(Entry, Option<Embedding>)) -> Result<String, Fail> {
    line(&EntryLine { entry, embedding: embedding.as_ref() })
}
/// The line of a named row. What is no JSON is kept as the text it is.
pub fn row(row: &NamedRow) -> Result<String, Fail> {
    let body = serde_json::from_str(&row.body).unwrap_or_else(|_| Value::String(row.body.clone()));
    line(&RowLine { row: row.table, key: &row.key, tick: row.tick, body })
}

fn line<T: Serialize>(thing: &T) -> Result<String, Fail> {
    serde_json::to_string(thing).map_err(|e| Fail::Bug(e.to_string()))
}

/// All lines, in order.
pub fn write(holdings: &ExportedMemory, to: &mut impl Write) -> Result<(), Fail> {
    let episodes = holdings.episodes.iter().map(episode);
    let entries = holdings.entries.iter().map(entry);
    for line in episodes.chain(entries).chain(holdings.rows.iter().map(row)) {
        writeln!(to, "{}", line?)?;
    }
    Ok(to.flush()?)
}

/// All lines, into a new file.
pub fn to_file(holdings: &ExportedMemory, path: &Path) -> Result<(), Fail> {
    let mut file = BufWriter::new(File::create_new(path).map_err(|e| cannot_write(path, e))?);
    write(holdings, &mut file)
}

/// The lines of a file that say something. They are bytes: what is no text is told by its number later.
pub fn read(path: &Path) -> Result<Source, Fail> {
    let file = BufReader::new(File::open(path).map_err(|e| cannot_read(path, e))?);
    let mut lines = Vec::new();
    for (line, number) in file.split(b'\n').zip(1..) {
        let line = line.map_err(|e| cannot_read(path, e))?;
        if !line.trim_ascii().is_empty() {
            lines.push((number, line));
        }
    }
    Ok(Source { unit: "line", lines })
}
