//! The commands of lines: who descends from whom, and many generations at once.

use clap::{Args, Subcommand, ValueEnum};
use golem_core::Usdc;

/// `bardo lineage ...`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct LineageArgs {
    /// What else can be done with a line.
    #[command(subcommand)]
    pub word: Option<LineageWord>,
    /// A golem of the line: its name, its id, or a unique beginning of it.
    pub id: Option<String>,
    /// As a tree, for Graphviz, or for Mermaid.
    #[arg(long, value_enum, default_value_t = LineageFormat::Text)]
    pub format: LineageFormat,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LineageFormat {
    /// A tree.
    Text,
    /// Graphviz.
    Dot,
    /// Mermaid.
    Mermaid,
}

/// What else can be done with a line.
#[derive(Debug, Subcommand)]
pub enum LineageWord {
    /// Live a whole line in memory, each heir inheriting, and report what came of it.
    Run(LineageRun),
}

/// `bardo lineage run`.
#[derive(Debug, Args)]
pub struct LineageRun {
    /// So many lives, one after the other.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub generations: u32,
    /// What each of them is given, in USDC.
    #[arg(long, default_value = "50", value_name = "USDC")]
    pub budget: Usdc,
    /// Where: the name of a world, such as default or gas-hours@1.5.
    #[arg(long, default_value = "default", value_name = "WORLD")]
    pub world: String,
    /// The same seed is the same line.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How they trade.
    #[arg(long)]
    pub template: Option<golem_mind::Template>,
    /// Wait for nobody longer than so many virtual days.
    #[arg(long, default_value_t = 400, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub most_days: u64,
    /// One setting of all of them; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}
