//! The command contract: what can be typed, and nothing about what it does.

mod knowledge;

pub use knowledge::{
    GrimoireCommand, GrimoireExport, GrimoireImport, GrimoireSearch, ModelsCommand, ModelsOf, PlaybookCommand,
    Predictions, SufferingCommand,
};

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
    Golem(GolemCommand),
    /// The contracts of the embedded chain.
    #[command(subcommand)]
    Contracts(ContractsCommand),
    /// The embedded chain.
    #[command(subcommand)]
    Chain(ChainCommand),
    /// Keys.
    #[command(subcommand)]
    Wallet(Wallet),
    /// A whole golem over recorded history, held against buy-and-hold, holding USDC, and itself without learning.
    Backtest(Backtest),
    /// What a golem knows.
    #[command(subcommand)]
    Grimoire(GrimoireCommand),
    /// The rules a golem lives by.
    #[command(subcommand)]
    Playbook(PlaybookCommand),
    /// What a golem has foretold, and what came of it.
    Predictions(Predictions),
    /// What weighs on a golem.
    #[command(subcommand)]
    Suffering(SufferingCommand),
    /// Language models.
    #[command(subcommand)]
    Models(ModelsCommand),
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

/// `bardo contracts ...`.
#[derive(Debug, Subcommand)]
pub enum ContractsCommand {
    /// Take the pinned packages with the npm client, check their hashes, and cache them.
    Fetch,
    /// What is cached, and whether it is whole.
    Status,
}

/// `bardo chain ...`.
#[derive(Debug, Subcommand)]
pub enum ChainCommand {
    /// Serve an embedded chain over JSON-RPC, on this machine only.
    Serve(Serve),
}

/// `chain serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen; an address of this machine.
    #[arg(long, default_value = "127.0.0.1:8545", value_name = "ADDR")]
    pub listen: std::net::SocketAddr,
    /// Which chain of this home; without it a fresh one in memory.
    #[arg(long, value_name = "NAME")]
    pub chain: Option<String>,
    /// Give USDC and ether to a wallet of this home, or to an address, on a fresh chain; may be repeated.
    #[arg(long, value_name = "WALLET", conflicts_with = "chain")]
    pub fund: Vec<String>,
}

/// `bardo wallet ...`.
#[derive(Debug, Subcommand)]
pub enum Wallet {
    /// Make a new key and keep it encrypted.
    New(NewWallet),
    /// Take over an existing keystore, or a bare key from a file.
    Import(ImportWallet),
    /// The address of a wallet.
    Address {
        /// Which wallet.
        name: String,
    },
    /// All wallets of this home.
    List,
}

/// Where a passphrase comes from. Never from an argument: those can be read by everyone on the machine.
#[derive(Debug, Args)]
pub struct PassphraseArgs {
    /// An open file descriptor to read it from.
    #[arg(long, value_name = "N", conflicts_with = "passphrase_file")]
    pub passphrase_fd: Option<i32>,
    /// A file to read it from, readable by its owner only.
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

/// `wallet new`.
#[derive(Debug, Args)]
pub struct NewWallet {
    /// What to call it.
    pub name: String,
    /// Where the passphrase comes from; without either it is asked for.
    #[command(flatten)]
    pub passphrase: PassphraseArgs,
}

/// `wallet import`.
#[derive(Debug, Args)]
pub struct ImportWallet {
    /// What to call it.
    pub name: String,
    /// A Web3 keystore, or a file with a key in hex.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// Where the new passphrase comes from; without either it is asked for. A keystore is opened with the same one.
    #[command(flatten)]
    pub passphrase: PassphraseArgs,
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
    /// One setting; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
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
pub enum GolemCommand {
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
    Status(StatusArgs),
    /// Its life as a story: chapters, what it learnt, and what became of its money.
    Story(Id),
    /// What it did with the money: every act with its price, fee, gas, profit, and why.
    Trades(TradesOf),
    /// What happened to it.
    Logs(Logs),
    /// Its settings.
    Config(Id),
    /// Its clocks, and how long it may yet live.
    Vitals(Vitals),
    /// Take no turns until resumed; a paused golem neither ages nor pays.
    Pause(Ordered),
    /// Take no new risk until resumed; reducing goes on, and so does life.
    Halt(Kill),
    /// Go on after a pause or a halt.
    Resume(Ordered),
    /// Give it money.
    Feed(Feed),
    /// End its life.
    Kill(Kill),
    /// Delete what is left of a dead golem.
    Remove(Id),
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
    /// How it trades: lp-management, trend-following, eth-dca or stable-yield.
    #[arg(long)]
    pub template: Option<golem_mind::Template>,
    /// On which chain it lives: paper, embedded or rpc; chosen at birth and kept for life.
    #[arg(long, value_name = "CHAIN")]
    pub chain: Option<crate::golem_file::ChainWord>,
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
    /// Which golems; several live side by side, each as if alone but for what they say to each other.
    #[arg(required_unless_present = "all")]
    pub ids: Vec<String>,
    /// Every living golem of this home.
    #[arg(long)]
    pub all: bool,
    /// real, max, or x<factor> of real time; without it real time, and recorded history as fast as it goes.
    #[arg(long)]
    pub speed: Option<Pace>,
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
    /// Ask the providers of this file's [inference] in place of those it was born with: they may have moved.
    #[arg(long, value_name = "FILE", env = "BARDO_MODELS")]
    pub models: Option<PathBuf>,
    /// Speak to the nodes of this file's [chain.rpc] (urls, url_env) in place of those it was born with: they may have moved.
    #[arg(long, value_name = "FILE", env = "BARDO_NODES")]
    pub nodes: Option<PathBuf>,
    /// Where the passphrase of its wallet comes from, for a golem on a node's chain.
    #[command(flatten)]
    pub passphrase: PassphraseArgs,
}

/// `golem status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
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
    /// Only facts whose name begins like this, such as mortality; several with commas.
    #[arg(long, value_name = "KINDS")]
    pub only: Option<String>,
    /// Only since then: 2026-01-31, RFC 3339, or how long before its now (90min, 3h, 2d).
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Keep watching.
    #[arg(long)]
    pub watch: bool,
}

/// `golem trades`.
#[derive(Debug, Args)]
pub struct TradesOf {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// Only since then: 2026-01-31, RFC 3339, or how long before its now (90min, 3h, 2d).
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only the last so many.
    #[arg(long, short = 'n', value_name = "N")]
    pub last: Option<u32>,
    /// One act a row, for other programs: money with all its decimals.
    #[arg(long)]
    pub csv: bool,
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

/// `golem kill`, `golem halt`.
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
    /// Restore no snapshot: make the embedded chain anew from the golem's own record, up to its last turn.
    #[arg(long, conflicts_with_all = ["snapshot", "list"])]
    pub chain: bool,
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
                     |wallet|new|backtest|grimoire|search|playbook|lint|models|test|doctor|completions|predictions\
                     |--home|--json|--yes|--ticks|--speed|--budget|--usdc|--seed|--set|--world|--listen|--reason|--data\
                     |--chain|--template|--last|--top|--as-of|-n|-q|x60|max|1|-1|1e9|--";
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
