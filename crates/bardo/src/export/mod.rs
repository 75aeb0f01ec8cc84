//! What a golem remembers, written so that other tools can read it, and entries read back from such files.
//!
//! Three tables: `episodes`, `entries` and `rows` (everything else that has a name). Each row carries the whole thing as the
//! line of JSON that `jsonl` writes; the other columns are for searching. An export only ever makes something new: it
//! never writes over what is there.

mod checked;
#[cfg(any(feature = "parquet", feature = "lance"))]
mod columns;
mod jsonl;
#[cfg(feature = "lance")]
mod lance;
#[cfg(feature = "parquet")]
mod lives;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(all(test, any(feature = "parquet", feature = "lance")))]
mod tests;

pub use checked::{Checked, check};
#[cfg(feature = "parquet")]
pub use lives::lives_to_parquet;

use crate::fail::Fail;
use golem_core::Tick;
use golem_core::door::Embedding;
use golem_grimoire::change::{NamedTable, TextSubject};
use golem_grimoire::{Entry, Episode, Marks};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One file of JSON lines.
    Jsonl,
    /// A directory of Parquet files (only when built with the feature `parquet`).
    Parquet,
    /// A directory of Lance tables, as LanceDB opens them (only when built with the feature `lance`).
    Lance,
}

/// All that is remembered as of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedMemory {
    /// What happened.
    pub episodes: Vec<(Episode, Marks, Option<Embedding>)>,
    /// What is believed.
    pub entries: Vec<(Entry, Option<Embedding>)>,
    /// What else has a name.
    pub rows: Vec<NamedRow>,
}

impl ExportedMemory {
    /// Where an embedder elsewhere has made the most vectors of a table, they stand in place of the bundled one's: the
    /// table then has vectors of one embedder, and others can ask it in that embedder's terms.
    pub fn take_vectors(&mut self, vectors: Vec<(TextSubject, Embedding)>) {
        let Some((_, newest)) = vectors.last() else { return };
        let lender = newest.model.clone();
        let mut lent: BTreeMap<TextSubject, Embedding> =
            vectors.into_iter().filter(|(_, vector)| vector.model == lender).collect();
        let most = |n: usize, all: usize| n * 2 > all;
        let episodes = self.episodes.iter().filter(|(e, ..)| lent.contains_key(&TextSubject::Episode(e.id))).count();
        if most(episodes, self.episodes.len()) {
            for (episode, _, embedding) in &mut self.episodes {
                *embedding = lent.remove(&TextSubject::Episode(episode.id)).or(embedding.take());
            }
        }
        let entries = self.entries.iter().filter(|(e, _)| lent.contains_key(&TextSubject::Entry(e.id))).count();
        if most(entries, self.entries.len()) {
            for (entry, embedding) in &mut self.entries {
                *embedding = lent.remove(&TextSubject::Entry(entry.id)).or(embedding.take());
            }
        }
    }
}

/// A named row.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRow {
    /// What kind of thing.
    pub table: NamedTable,
    /// Which one.
    pub key: String,
    /// The turn that wrote it, where many of one name are kept.
    pub tick: Option<Tick>,
    /// The thing itself, as JSON.
    pub body: String,
}

/// One line of a file, or one row of a table, with its number from 1.
pub type Numbered = (u64, Vec<u8>);

/// What was read from outside, and what a number in it counts.
pub struct Source {
    /// `line` or `row`.
    pub unit: &'static str,
    /// The lines.
    pub lines: Vec<Numbered>,
}

/// Write JSON lines to wherever.
pub fn to_lines(holdings: &ExportedMemory, to: &mut impl Write) -> Result<(), Fail> {
    jsonl::write(holdings, to)
}

/// Write into a new file or directory at `path`. It appears whole or not at all.
pub fn to_path(holdings: &ExportedMemory, format: Format, path: &Path) -> Result<(), Fail> {
    available(format)?;
    let taken = match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() && format != Format::Jsonl => std::fs::read_dir(path)?.next().is_some(),
        Ok(_) => true,
        Err(_) => false,
    };
    if taken {
        let what = if format == Format::Jsonl { "exists already" } else { "is not an empty directory" };
        return Err(Fail::hint(format!("{} {what}", path.display()), "say another --out, or move it away"));
    }
    let part = beside(path)?;
    let written = match format {
        Format::Jsonl => jsonl::to_file(holdings, &part),
        Format::Parquet | Format::Lance => to_directory(holdings, format, &part),
    };
    if let Err(fail) = written.and_then(|()| std::fs::rename(&part, path).map_err(|e| cannot_write(path, e))) {
        // What is half written helps nobody; that it could not be removed either would say nothing new.
        let _gone = if part.is_dir() { std::fs::remove_dir_all(&part) } else { std::fs::remove_file(&part) };
        return Err(fail);
    }
    Ok(())
}

/// Read what may be entries: a file of JSON lines, or the `entries` of a Parquet or Lance directory.
pub fn from_path(path: &Path) -> Result<Source, Fail> {
    let is = |name: &str| path.extension().is_some_and(|e| e == name);
    if !path.exists() {
        return Err(Fail::hint(format!("there is no {}", path.display()), "write one: bardo grimoire export"));
    }
    if path.is_file() {
        return if is("parquet") { from_parquet(path) } else { jsonl::read(path) };
    }
    let (parquet, lance) = (path.join("entries.parquet"), path.join("entries.lance"));
    match () {
        () if parquet.is_file() => from_parquet(&parquet),
        () if lance.is_dir() => from_lance(&lance),
        () if is("lance") => from_lance(path),
        () => Err(Fail::hint(
            format!("{} holds neither entries.parquet nor entries.lance", path.display()),
            "give a file of JSON lines, or a directory that bardo grimoire export has written",
        )),
    }
}

/// Whether this build can read and write it.
fn available(format: Format) -> Result<(), Fail> {
    let (name, there, more) = match format {
        Format::Jsonl => return Ok(()),
        Format::Parquet => ("parquet", cfg!(feature = "parquet"), ""),
        Format::Lance => ("lance", cfg!(feature = "lance"), "; it needs protoc (Debian: protobuf-compiler)"),
    };
    if there {
        return Ok(());
    }
    let hint = format!("build it in: cargo build --release -p bardo --features {name}{more}");
    Err(Fail::hint(format!("this bardo was built without {name}"), hint))
}

#[cfg(any(feature = "parquet", feature = "lance"))]
fn to_directory(holdings: &ExportedMemory, format: Format, dir: &Path) -> Result<(), Fail> {
    std::fs::create_dir_all(dir).map_err(|e| cannot_write(dir, e))?;
    for table in columns::tables(holdings) {
        let table = table?;
        #[cfg(feature = "parquet")]
        if format == Format::Parquet {
            parquet::write(&table, dir)?;
        }
        #[cfg(feature = "lance")]
        if format == Format::Lance {
            lance::write(&table, dir)?;
        }
    }
    Ok(())
}
#[cfg(not(any(feature = "parquet", feature = "lance")))]
fn to_directory(_: &ExportedMemory, format: Format, _: &Path) -> Result<(), Fail> {
    available(format)
}

#[cfg(feature = "parquet")]
use self::parquet::read as from_parquet;
#[cfg(not(feature = "parquet"))]
fn from_parquet(_: &Path) -> Result<Source, Fail> {
    available(Format::Parquet).map(|()| Source { unit: "row", lines: Vec::new() })
}
#[cfg(feature = "lance")]
use self::lance::read as from_lance;
#[cfg(not(feature = "lance"))]
fn from_lance(_: &Path) -> Result<Source, Fail> {
    available(Format::Lance).map(|()| Source { unit: "row", lines: Vec::new() })
}

/// Where it is written until it is whole: in the same directory, so that one rename puts it in place.
fn beside(path: &Path) -> Result<PathBuf, Fail> {
    let name = path.file_name().ok_or_else(|| Fail::owner(format!("{} has no name", path.display())))?;
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|e| cannot_write(parent, e))?;
    Ok(parent.join(format!(".{}.part-{}", name.to_string_lossy(), std::process::id())))
}

fn cannot_write(path: &Path, e: impl std::fmt::Display) -> Fail {
    Fail::world(format!("cannot write {}: {e}", path.display()))
}
/// What is there is not what it is taken for.
#[cfg(any(feature = "parquet", feature = "lance"))]
fn not_one(path: &Path, e: impl std::fmt::Display) -> Fail {
    Fail::owner(format!("{} cannot be read: {e}", path.display()))
}
fn cannot_read(path: &Path, e: impl std::fmt::Display) -> Fail {
    Fail::world(format!("cannot read {}: {e}", path.display()))
}
