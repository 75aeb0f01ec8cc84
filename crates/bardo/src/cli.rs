//! The command contract: what can be typed, and nothing about what it does.

use clap::{Args, Parser, Subcommand};
use golem_core::Usdc;
use golem_runtime::Pace;
use std::path::PathBuf;

/// Run mortal agents: a golem trades, learns, and dies of one of three clocks; every life can be replayed.
#[derive(Debug, Parser)]
#[command(name = "bardo", version, max_term_width = 100)]
pub struct Cli {
    /// Where everything is kept.
    #[arg(long, global = true, env = "BARDO_HOME", value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Results as JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Results only, no talk.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Ask nothing, go ahead.
    #[arg(long, short, global = true)]
    pub yes: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Everything `bardo` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch a golem live a whole life, and read its obituary.
    Demo(Demo),
    /// Create, run, watch and end golems.
    #[command(subcommand)]
    Golem(Golem),
    /// Check this machine and every golem's file.
    Doctor,
    /// Settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Shell completions on stdout.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
}

/// Settings commands.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every setting with its default.
    Show,
}

/// `bardo demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// The life to watch: the same seed is the same life.
    #[arg(long)]
    pub seed: Option<u64>,
    /// End after so many turns, dead or alive.
    #[arg(long)]
    pub ticks: Option<u64>,
    /// max, or x<factor> of real time; without it the life is paced to be watched.
    #[arg(long)]
    pub speed: Option<Pace>,
    /// What it is given at birth, in USDC.
    #[arg(long, default_value = "50", value_name = "USDC")]
    pub budget: Usdc,
}

/// `bardo golem ...`.
#[derive(Debug, Subcommand)]
pub enum Golem {
    /// A new golem.
    Create(Create),
    /// Let golems live.
    Run(Run),
    /// All golems of this home.
    List {
        /// Keep watching.
        #[arg(long)]
        watch: bool,
    },
    /// How a golem is.
    Status(Watch),
    /// What happened to it.
    Logs(Logs),
    /// Its settings.
    Config(Id),
    /// Its clocks, and how long it may yet live.
    Vitals(Vitals),
    /// Take no turns until resumed; a paused golem neither ages nor pays.
    Pause(Ordered),
    /// Go on.
    Resume(Ordered),
    /// Give it money.
    Feed(Feed),
    /// End its life.
    Kill(Kill),
    /// Speak to it.
    Tell(Tell),
    /// Live the recorded life again and compare every turn.
    Replay(Replay),
    /// Check the record: hash chain, commitment, every death roll.
    Verify(Id),
    /// Bring the file back from an insurance snapshot.
    Restore(Restore),
}

/// One golem.
#[derive(Debug, Args)]
pub struct Id {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
}

/// `golem create`.
#[derive(Debug, Args)]
pub struct Create {
    /// What to call it.
    pub name: golem_core::Name,
    /// What it is given, in USDC.
    #[arg(long, default_value = "50", value_name = "USDC")]
    pub budget: Usdc,
    /// Make an open life: its chances can be computed from the seed, and the same seed is the same life.
    #[arg(long)]
    pub seed: Option<u64>,
    /// A file of settings (golem.toml).
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// One setting; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Check and show, create nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `golem run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Which golems; several live side by side, each as if alone.
    #[arg(required_unless_present = "all")]
    pub ids: Vec<String>,
    /// Every living golem of this home.
    #[arg(long)]
    pub all: bool,
    /// real, max, or x<factor> of real time.
    #[arg(long, default_value = "real")]
    pub speed: Pace,
    /// Stop after so many turns.
    #[arg(long)]
    pub ticks: Option<u64>,
    /// synthetic, or csv:PATH; chosen before the first turn and kept for life.
    #[arg(long, value_name = "WORLD")]
    pub world: Option<String>,
    /// Go on from a file that is older than the life it belongs to; it is noted in the file.
    #[arg(long)]
    pub accept_rollback: bool,
    /// Every fact as a line of JSON, to a file or - for stdout.
    #[arg(long, value_name = "FILE")]
    pub events: Option<String>,
}

/// `golem status`.
#[derive(Debug, Args)]
pub struct Watch {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// Keep watching.
    #[arg(long)]
    pub watch: bool,
}

/// `golem logs`.
#[derive(Debug, Args)]
pub struct Logs {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// The last so many facts.
    #[arg(long, short = 'n', default_value_t = 40)]
    pub last: u32,
    /// Only facts whose name begins like this, such as mortality.
    #[arg(long)]
    pub only: Option<String>,
    /// Keep watching.
    #[arg(long)]
    pub watch: bool,
}

/// `golem vitals`.
#[derive(Debug, Args)]
pub struct Vitals {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// How long it may yet live, and what of.
    #[arg(long)]
    pub forecast: bool,
}

/// An order without further words.
#[derive(Debug, Args)]
pub struct Ordered {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
}

/// `golem feed`.
#[derive(Debug, Args)]
pub struct Feed {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// How much, in USDC.
    #[arg(long, value_name = "USDC")]
    pub usdc: Usdc,
}

/// `golem kill`.
#[derive(Debug, Args)]
pub struct Kill {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// Why; it will stand in the record.
    #[arg(long)]
    pub reason: String,
}

/// `golem tell`.
#[derive(Debug, Args)]
pub struct Tell {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// The words.
    pub words: String,
}

/// `golem replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// Stop after this turn.
    #[arg(long, value_name = "TICK")]
    pub until: Option<u64>,
    /// Compare with another golem's record instead: the first turn in which they differ.
    #[arg(long, value_name = "ID")]
    pub diff: Option<String>,
}

/// `golem restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// Which snapshot, by turn; the newest without it.
    #[arg(long, value_name = "TICK")]
    pub snapshot: Option<u64>,
    /// List the snapshots, restore none.
    #[arg(long)]
    pub list: bool,
}
