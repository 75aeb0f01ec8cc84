//! Looking into a golem's memory from outside, while it lives: full text over episodes and entries, and the whole of it as
//! of a turn.

use super::load::{Detail, count, load};
use super::shorthand::spelled_out;
use crate::error::Error;
use crate::reader::Reader;
use golem_core::Tick;
use golem_grimoire::change::NamedTable;
use golem_grimoire::retrieval::unicode61::any_of;
use golem_grimoire::{EpisodeId, Remembered};

/// A text that was found, and how well it fits: the larger the better.
#[derive(Debug, Clone, PartialEq)]
pub struct TextFound {
    /// Whose text.
    pub id: EpisodeId,
    /// BM25.
    pub score: f64,
}

/// A named row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its key within the table.
    pub key: String,
    /// The turn that wrote it.
    pub tick: Tick,
    /// What it says, as JSON.
    pub body: String,
}

/// A golem's memory, open for looking.
pub struct MemoryShelf<'a>(&'a Reader);

impl Reader {
    /// What it remembers.
    #[must_use]
    pub fn memory(&self) -> MemoryShelf<'_> {
        MemoryShelf(self)
    }
}

impl MemoryShelf<'_> {
    /// All of it as of the end of a turn; as it is now when none is given.
    ///
    /// # Errors
    /// When the file cannot be read, or a row of it is damaged.
    pub fn remembered(&self, as_of: Option<Tick>, detail: Detail) -> Result<Remembered, Error> {
        let tick = match as_of {
            Some(tick) => tick,
            None => self.0.tip()?.0,
        };
        load(self.0.conn(), self.0.db(), tick, detail)
    }

    /// Episodes whose text has one of these words, written up to a turn, the best first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn episodes_with(&self, words: &str, as_of: Tick, at_most: u32) -> Result<Vec<TextFound>, Error> {
        let sql = "SELECT e.id, -bm25(episode_words) FROM episode_words JOIN episodes e ON e.id = episode_words.rowid
                   WHERE episode_words MATCH ?1 AND e.tick <= ?2 ORDER BY 2 DESC, e.id LIMIT ?3";
        let asked = (quoted(words), crate::db::int(as_of.0), at_most);
        self.0
            .rows(sql, asked, |row| Ok(TextFound { id: EpisodeId(crate::db::uint(row.get(0)?)?), score: row.get(1)? }))
    }

    /// Rows of one table up to a turn, the newest first: key, turn, body.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn named(&self, table: NamedTable, as_of: Option<Tick>, at_most: u32) -> Result<Vec<Named>, Error> {
        let as_of = as_of.map_or(i64::MAX, |tick| crate::db::int(tick.0));
        let sql =
            "SELECT key, tick, body FROM named WHERE place = ?1 AND tick <= ?2 ORDER BY tick DESC, key DESC LIMIT ?3";
        self.0.rows(sql, (super::place(table), as_of, at_most), |row| {
            let body = spelled_out(row.get(2)?);
            Ok(Named { key: row.get(0)?, tick: Tick(crate::db::uint(row.get(1)?)?), body })
        })
    }

    /// How many episodes there are.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn episodes(&self) -> Result<u64, Error> {
        count(self.0.conn(), "SELECT count(*) FROM episodes")
            .map_err(|e| Error::sql(self.0.db(), "count the episodes", &e))
    }
}

/// Any of the words, each taken literally: a query comes from people and models, and is no program. Without a word in it,
/// nothing is asked that anything could fit.
fn quoted(words: &str) -> String {
    let few: Vec<&str> = words.split_whitespace().take(32).collect();
    let all = any_of(&few.join(" "));
    if all.is_empty() { "\"\"".to_owned() } else { all }
}
