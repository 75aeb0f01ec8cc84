//! The commands that look inside a golem: what it knows, the rules it lives by, what it foretold, what weighs on it, and
//! the models it asks.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `bardo grimoire ...`.
#[derive(Debug, Subcommand)]
pub enum GrimoireCommand {
    /// Find what is known about something.
    Search(GrimoireSearch),
    /// One entry, with its evidence.
    Show {
        /// Whose.
        id: String,
        /// Which: its id, or the beginning of it.
        entry: String,
    },
    /// What was recalled last, and why each of it.
    Why {
        /// Whose.
        id: String,
        /// As of which turn.
        turn: Option<u64>,
    },
    /// How much is known, and how much of it is junk.
    Stats {
        /// Whose.
        id: String,
    },
    /// Everything, for other tools to read: JSON lines, Parquet or Lance.
    Export(GrimoireExport),
    /// Give it what another golem has learnt; its admission gate decides what it believes.
    Import(GrimoireImport),
}

/// `grimoire search`.
#[derive(Debug, Args)]
pub struct GrimoireSearch {
    /// Whose.
    pub id: String,
    /// About what.
    #[arg(required = true)]
    pub words: Vec<String>,
    /// As of which turn; what was learnt later is not there.
    #[arg(long, value_name = "TURN")]
    pub as_of: Option<u64>,
    /// The most of each kind.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub top: usize,
}

/// `grimoire export`.
#[derive(Debug, Args)]
pub struct GrimoireExport {
    /// Whose.
    pub id: String,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = crate::export::Format::Jsonl)]
    pub format: crate::export::Format,
    /// As of which turn.
    #[arg(long, value_name = "TURN")]
    pub as_of: Option<u64>,
    /// A new file (JSON lines; stdout without it) or a new directory (Parquet, Lance).
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// `grimoire import`.
#[derive(Debug, Args)]
pub struct GrimoireImport {
    /// Who learns.
    pub id: String,
    /// What an export has written: a file of JSON lines, or a directory of Parquet files or Lance tables.
    pub path: PathBuf,
    /// Look only: send nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `bardo playbook ...`.
#[derive(Debug, Subcommand)]
pub enum PlaybookCommand {
    /// The playbook in the golem's file.
    Show {
        /// Whose.
        id: String,
        /// As of which turn.
        #[arg(long, value_name = "TURN")]
        as_of: Option<u64>,
    },
    /// What is wrong with the page beside it.
    Lint {
        /// Whose.
        id: String,
    },
    /// What the page says otherwise.
    Diff {
        /// Whose.
        id: String,
    },
}

/// `bardo predictions ID`.
#[derive(Debug, Args)]
pub struct Predictions {
    /// Whose.
    pub id: String,
    /// One domain only, such as price_direction.
    #[arg(long)]
    pub domain: Option<String>,
    /// How many of the latest.
    #[arg(long, default_value_t = 12)]
    pub top: u32,
    /// As of which turn.
    #[arg(long, value_name = "TURN")]
    pub as_of: Option<u64>,
}

/// `bardo dream ...`.
#[derive(Debug, Subcommand)]
pub enum DreamCommand {
    /// Ask it to dream from its next turn on.
    Now {
        /// Who.
        id: String,
    },
    /// Wake it: what the dream had come to is kept.
    Wake {
        /// Who.
        id: String,
        /// Why, for its journal.
        #[arg(long, default_value = "the owner asked")]
        reason: String,
    },
    /// The latest dreams, one line each.
    Journal {
        /// Whose.
        id: String,
        /// How many of the latest.
        #[arg(long, default_value_t = 20)]
        last: u32,
        /// As of which turn; what was dreamt, or came true, later is not there.
        #[arg(long, value_name = "TURN")]
        as_of: Option<u64>,
    },
    /// One dream, whole.
    Show {
        /// Whose.
        id: String,
        /// Its number; the latest without one.
        number: Option<u32>,
    },
    /// What waits for the waking world to confirm it; say yes or no to one of them.
    Staging {
        /// Whose.
        id: String,
        /// Yes or no.
        word: Option<StagingWord>,
        /// To which.
        #[arg(requires = "word")]
        number: Option<u64>,
        /// As of which turn.
        #[arg(long, value_name = "TURN", conflicts_with = "word")]
        as_of: Option<u64>,
    },
    /// How many dreams there were, what came true of them, and what they cost.
    Stats {
        /// Whose.
        id: String,
    },
}

/// The owner's word on something that is staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StagingWord {
    /// Believe it.
    Approve,
    /// Forget it.
    Reject,
}

/// `bardo suffering ...`.
#[derive(Debug, Subcommand)]
pub enum SufferingCommand {
    /// Load, band, every stressor with its evidence and what would ease it, and what is locked.
    Show {
        /// Whose.
        id: String,
    },
    /// What has ended, and how.
    History {
        /// Whose.
        id: String,
        /// How many of the latest.
        #[arg(long, default_value_t = 40)]
        last: u32,
    },
    /// Take over a suffering.json of the original system, under the same caps as a golem's own words.
    Import {
        /// Whose.
        id: String,
        /// The file.
        file: PathBuf,
        /// Only say what is in it and what is wrong with it.
        #[arg(long)]
        dry_run: bool,
    },
}

/// `bardo models ...`.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// The models that are set up, in the order in which they are asked.
    List(ModelsOf),
    /// Ask each of them for one word.
    Test(ModelsOf),
}

/// Whose models.
#[derive(Debug, Args)]
pub struct ModelsOf {
    /// A golem's.
    pub id: Option<String>,
    /// Those of a settings file, in its table [inference].
    #[arg(long, value_name = "FILE", conflicts_with = "id")]
    pub config: Option<PathBuf>,
}
