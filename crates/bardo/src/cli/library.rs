//! The commands of the owner's library: what golems left, collections of it, and who is equipped with what.

use clap::{Args, Subcommand};
use golem_core::{Hash, Name};
use std::path::PathBuf;

/// `bardo library ...`.
#[derive(Debug, Subcommand)]
pub enum LibraryCommand {
    /// What it holds, the best first.
    List(LibraryList),
    /// Find what is held about something.
    Search(LibrarySearch),
    /// One entry: where it came from, and who has seen it come true.
    Show {
        /// Which: its id, or the beginning of it.
        entry: String,
    },
    /// Collections: all of them, one of them, or make one.
    Bundle(LibraryBundle),
    /// Hand entries or a collection to a golem; it examines them in its own turn.
    Equip(LibraryEquip),
    /// Take entries from a golem, dead or alive.
    Pull(LibraryPull),
    /// Write a collection to one signed file.
    Export(LibraryExport),
    /// Take in a file that export has written: one's own as it was, anybody else's as something bought.
    Import(LibraryImport),
}

/// `library list`.
#[derive(Debug, Args)]
pub struct LibraryList {
    /// Only what golems with this template have had.
    #[arg(long)]
    pub template: Option<golem_mind::Template>,
    /// The most that are shown; JSON has them all.
    #[arg(long, default_value_t = 40, value_name = "N")]
    pub top: usize,
}

/// `library search`.
#[derive(Debug, Args)]
pub struct LibrarySearch {
    /// About what.
    #[arg(required = true)]
    pub words: Vec<String>,
    /// The most that are found.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub top: usize,
}

/// `library bundle`.
#[derive(Debug, Args)]
pub struct LibraryBundle {
    /// Which; without it all of them.
    pub name: Option<Name>,
    /// Entries or collections to put into it; it is made if there is none.
    #[arg(requires = "name")]
    pub entries: Vec<String>,
    /// For golems with this template: what has proven itself to them belongs to it too.
    #[arg(long, requires = "name")]
    pub template: Option<golem_mind::Template>,
    /// Look for what several golems came to within a week, and propose it.
    #[arg(long, conflicts_with = "name")]
    pub propose: bool,
}

/// `library equip`.
#[derive(Debug, Args)]
pub struct LibraryEquip {
    /// Who.
    pub golem: String,
    /// With which entries or collections.
    #[arg(required = true)]
    pub entries: Vec<String>,
}

/// `library pull`.
#[derive(Debug, Args)]
pub struct LibraryPull {
    /// From whom.
    pub golem: String,
    /// Which of its entries: ids, or beginnings of them.
    #[arg(required_unless_present = "all")]
    pub entries: Vec<String>,
    /// Everything that may come in.
    #[arg(long, conflicts_with = "entries")]
    pub all: bool,
    /// From a living golem also what it is not sure of.
    #[arg(long)]
    pub anyway: bool,
}

/// `library export`.
#[derive(Debug, Args)]
pub struct LibraryExport {
    /// Entries or collections.
    #[arg(required = true)]
    pub entries: Vec<String>,
    /// A new file.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// What the collection in it is called.
    #[arg(long)]
    pub name: Option<Name>,
}

/// `library import`.
#[derive(Debug, Args)]
pub struct LibraryImport {
    /// The file.
    pub file: PathBuf,
    /// The key of another library of yours: what it signed is taken as your own, now and later.
    #[arg(long, value_name = "KEY")]
    pub trust: Option<Hash>,
}
