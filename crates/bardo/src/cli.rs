//! The command contract: what can be typed, and nothing about what it does.

mod clade;
mod golem;
mod ground;
mod knowledge;
mod lab;
mod library;
mod lineage;
#[cfg(test)]
mod served;
mod styx;
mod treasury;

pub use clade::{
    ArchiveCommand, CladeCommand, DepositMark, FieldWhose, KinVisit, MarkLayer, PheromoneCommand, RenewClade,
    RestoreArchive, SenseField,
};
pub use golem::{
    Create, GolemCommand, HeirloomOut, Logs, Removal, Replay, Restore, Run, StatusArgs, Successor, TestamentOf,
    TradesOf, Vitals,
};
pub use ground::{
    ChainCommand, CheckChain, ContractsCommand, ImportWallet, McpHome, NewWallet, PassphraseArgs, Serve, ServeHome,
    Wallet,
};
pub use knowledge::{
    DreamCommand, GrimoireCommand, GrimoireExport, GrimoireImport, GrimoireSearch, ModelsCommand, ModelsOf,
    PlaybookCommand, Predictions, StagingWord, SufferingCommand,
};
pub use lab::{
    LabClock, LabCommand, LabCompare, LabHeirs, LabMatters, LabMerge, LabPace, LabPaths, LabPlan, LabRemedies,
    LabSiblings, LabTrial,
};
pub use library::{
    LibraryBundle, LibraryCommand, LibraryEquip, LibraryExport, LibraryImport, LibraryList, LibraryPull, LibrarySearch,
};
pub use lineage::{LineageArgs, LineageFormat, LineageRun, LineageWord};
pub use styx::{StyxCommand, StyxRun, StyxStatus, StyxStoreArgs, StyxToken};
pub use treasury::{TreasuryAdd, TreasuryAuthorize, TreasuryCommand};

use clap::{Args, Parser, Subcommand};
use golem_core::Usdc;
use golem_runtime::Pace;
use std::path::PathBuf;

/// Run mortal agents: a golem trades, learns, and dies of one of three clocks; every life can be replayed.
#[derive(Debug, Parser)]
#[command(name = "bardo", version, max_term_width = 80)]
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
    /// What to do; without a word, on a terminal: look at this home.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Everything `bardo` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch a golem live a whole life, and read its obituary.
    Demo(Demo),
    /// Look at this home and its golems on a terminal: live, or a life again.
    Tui(Tui),
    /// A whole life as one page with charts, dead or alive: a file that can be sent to anybody.
    Report(ReportOf),
    /// Create, run, watch and end golems.
    #[command(subcommand)]
    Golem(GolemCommand),
    /// The contracts of the embedded chain.
    #[command(subcommand)]
    Contracts(ContractsCommand),
    /// Chains: the embedded one, and those that people use.
    #[command(subcommand)]
    Chain(ChainCommand),
    /// Keys.
    #[command(subcommand)]
    Wallet(Wallet),
    /// A whole golem over recorded history, held against buy-and-hold, holding USDC, and itself without learning.
    Backtest(Backtest),
    /// Paired lives by the thousand: what a setting changes, with intervals.
    #[command(subcommand)]
    Lab(LabCommand),
    /// The line that a golem stands in; or a whole line at once.
    Lineage(LineageArgs),
    /// All dead golems of this home.
    Graveyard,
    /// What a golem knows.
    #[command(subcommand)]
    Grimoire(GrimoireCommand),
    /// What golems left to their owner, and who is equipped with it.
    #[command(subcommand)]
    Library(LibraryCommand),
    /// Siblings of the same owner, over the relay.
    #[command(subcommand)]
    Clade(CladeCommand),
    /// Marks in the field of the relay: threats, chances, wisdom.
    #[command(subcommand)]
    Pheromone(PheromoneCommand),
    /// Backups of what golems know, at the relay.
    #[command(subcommand)]
    Archive(ArchiveCommand),
    /// The owner's credit for successors that come by themselves.
    #[command(subcommand)]
    Treasury(TreasuryCommand),
    /// The rules a golem lives by.
    #[command(subcommand)]
    Playbook(PlaybookCommand),
    /// What a golem has foretold, and what came of it.
    Predictions(Predictions),
    /// What weighs on a golem.
    #[command(subcommand)]
    Suffering(SufferingCommand),
    /// What a golem dreams, and what came of it.
    #[command(subcommand)]
    Dream(DreamCommand),
    /// Language models.
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Serve the page, the API and live events of this home, on this machine only.
    Serve(ServeHome),
    /// What is told to you without looking: channels of notify.toml in this home.
    #[command(subcommand)]
    Notify(NotifyCommand),
    /// Tools for an assistant to look into this home: MCP on standard input and output.
    Mcp(McpHome),
    /// The relay between siblings, on this machine or for a fleet.
    #[command(subcommand)]
    Styx(StyxCommand),
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
    /// Print every setting with its default and what it is for.
    Show {
        /// One key, or a table of keys, such as cage or cage.per_tx_usdc.
        key: Option<String>,
    },
}

/// `bardo notify ...`.
#[derive(Debug, Subcommand)]
pub enum NotifyCommand {
    /// Send a test through every channel, or through one, and say what came of it.
    Test {
        /// Its name.
        channel: Option<String>,
    },
    /// Send what waits, now: golems that run do so by themselves.
    Send,
}

/// The page that a long command ends with.
#[derive(Debug, Clone, Default, Args)]
pub struct PageWanted {
    /// Write the page at the end here; with --yes one that is there is replaced. Without it the page is kept among the reports of
    /// the home.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write no page.
    #[arg(long, conflicts_with = "report")]
    pub no_report: bool,
}

/// `bardo backtest`.
#[derive(Debug, Args)]
pub struct Backtest {
    /// Recorded history: a CSV of bars.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// How it trades.
    #[arg(long, default_value = "lp-management")]
    pub template: golem_mind::Template,
    /// On which chain: paper (exact arithmetic, fast) or embedded (the real contracts).
    #[arg(long, default_value = "paper", value_name = "CHAIN")]
    pub chain: crate::golem_file::ChainWord,
    /// Begin at this time (2021-06-01 or RFC 3339); a day begins at its midnight, UTC.
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// End before this time.
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// The life: the same seed is the same life.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// So many lives, with this seed and those after it; tells how far they lie apart.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub seeds: u64,
    /// What it is given at birth, in USDC.
    #[arg(long, default_value = "10000", value_name = "USDC")]
    pub budget: Usdc,
    /// The gas price where the history records none, in gwei [default: 0.05].
    #[arg(long, value_name = "GWEI", allow_negative_numbers = true)]
    pub gas_gwei: Option<f64>,
    /// End with its death. Without it the window is finished, and the death is told beside it.
    #[arg(long)]
    pub stop_at_death: bool,
    /// Every trade, in a table.
    #[arg(long)]
    pub trades: bool,
    /// Write trades, equity, prices and the report into this new directory, for other programs.
    #[arg(long, value_name = "DIR")]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub report: PageWanted,
    /// One setting; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// `bardo report`.
#[derive(Debug, Args)]
pub struct ReportOf {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// The file to write; with --yes one that is there is replaced [default: its name with .html, here].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `bardo tui`.
#[derive(Debug, Args, Default)]
pub struct Tui {
    /// The golem: its name, its id, or a unique beginning of it [default: all of them].
    pub id: Option<String>,
    /// Nothing moves but the data; BARDO_REDUCED_MOTION=1 asks for the same.
    #[arg(long)]
    pub reduced_motion: bool,
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
    /// Its chapters as lines, on a terminal too.
    #[arg(long)]
    pub plain: bool,
    /// On a terminal: nothing moves but the data.
    #[arg(long)]
    pub reduced_motion: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    /// Words that mean something here, and bytes that mean nothing anywhere.
    fn word() -> impl Strategy<Value = OsString> {
        let known = "golem|create|run|list|status|logs|config|show|vitals|feed|kill|remove|tell|replay|demo|chain|serve\
                     |wallet|new|backtest|report|notify|send|grimoire|search|playbook|lint|models|test|doctor|completions|predictions\
                     |--home|--json|--yes|--ticks|--speed|--budget|--usdc|--seed|--set|--world|--listen|--reason|--data\
                     |styx|token|--store|--relay|--name|--owner|--chain|--template|--report|--out|--last|--top|--as-of|-n|-q|x60|max|1|-1|1e9|--";
        prop_oneof![
            6 => known.prop_map(OsString::from),
            1 => "\\PC{0,12}".prop_map(OsString::from),
            2 => proptest::collection::vec(any::<u8>(), 0..12).prop_map(OsString::from_vec),
            1 => ("--(home|set|speed|budget|world|reason)=", proptest::collection::vec(any::<u8>(), 0..12))
                .prop_map(|(flag, bytes)| OsString::from_vec([flag.into_bytes(), bytes].concat())),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_argument_bytes_make_it_panic(words in proptest::collection::vec(word(), 0..8)) {
            let told = Cli::try_parse_from(std::iter::once(OsString::from("bardo")).chain(words));
            if let Err(e) = told {
                prop_assert!(!e.render().to_string().is_empty());
            }
        }
    }
}
