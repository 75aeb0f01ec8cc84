//! The tables of the memory, as the steps of the schema make them.

/// The tables; the third step of the schema.
pub(crate) const TABLES: &str = "
    CREATE TABLE episodes(id INTEGER PRIMARY KEY, tick INTEGER NOT NULL, age_ms INTEGER NOT NULL, text TEXT NOT NULL,
        situation BLOB NOT NULL, body TEXT NOT NULL, sum BLOB NOT NULL, model TEXT, vector BLOB, scale REAL) STRICT;
    CREATE TABLE marks(id INTEGER NOT NULL, tick INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (id, tick)) STRICT, WITHOUT ROWID;
    CREATE TABLE entries(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, tick INTEGER NOT NULL, text TEXT NOT NULL,
        body TEXT NOT NULL, hash BLOB NOT NULL, model TEXT, vector BLOB, scale REAL) STRICT;
    CREATE TABLE standings(id BLOB NOT NULL, tick INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (id, tick)) STRICT, WITHOUT ROWID;
    CREATE TABLE named(place TEXT NOT NULL, key TEXT NOT NULL, tick INTEGER NOT NULL, text TEXT NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (place, key, tick)) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE episode_words USING fts5(text, content = 'episodes', content_rowid = 'id');
    CREATE VIRTUAL TABLE entry_words USING fts5(text, content = 'entries', content_rowid = 'number');";

/// Vectors by embedders that are not part of the golem: the fifth step of the schema.
pub(crate) const VECTORS: &str = "
    CREATE TABLE vectors(number INTEGER PRIMARY KEY, tick INTEGER NOT NULL, kind TEXT NOT NULL, id BLOB NOT NULL,
        model TEXT NOT NULL, vector BLOB NOT NULL, scale REAL NOT NULL, sum BLOB NOT NULL) STRICT;";

/// Named rows whose bodies stand in the leaves: without a row id every body over a quarter of a page had pages of its own.
/// Vectors of eight bits are let go: they are made anew from the texts. The sixth step of the schema.
pub(crate) const NAMED: &str = "
    ALTER TABLE named RENAME TO named_before;
    CREATE TABLE named(place TEXT NOT NULL, key TEXT NOT NULL, tick INTEGER NOT NULL, text TEXT NOT NULL,
        body TEXT NOT NULL, UNIQUE (place, key, tick)) STRICT;
    INSERT INTO named SELECT place, key, tick, text, body FROM named_before WHERE place <> 'cycle';
    DROP TABLE named_before;
    DELETE FROM vectors;
    UPDATE episodes SET model = NULL, vector = NULL, scale = NULL;
    UPDATE entries SET model = NULL, vector = NULL, scale = NULL;";

/// What the rows add up to, beside them and with each checkpoint, so that a start believes no row that was not written. The
/// seventh step of the schema.
pub(crate) const TOTALS: &str = "
    CREATE TABLE remembered(one INTEGER PRIMARY KEY CHECK (one = 1), totals BLOB NOT NULL) STRICT;
    ALTER TABLE checkpoint ADD COLUMN totals BLOB;";

/// The full text of entries, which nobody asked. The eleventh step of the schema.
pub(crate) const NO_ENTRY_WORDS: &str = "DROP TABLE IF EXISTS entry_words;";
