//! The commands of one golem: create, run, look, order, end.

use super::ground::PassphraseArgs;
use clap::{Args, Subcommand};
use golem_core::Usdc;
use golem_runtime::Pace;
use std::path::PathBuf;

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
    /// What it left when it died: the testament, written anew beside its file.
    Testament(TestamentOf),
    /// Its short-lived children: what they tried, how they ended, and what that says of it.
    Phages(Id),
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
    /// Take money out of it: to the address that was fixed at its birth.
    Withdraw(Withdraw),
    /// End its life.
    Kill(Kill),
    /// Delete what is left of a dead golem.
    Remove(Removal),
    /// Speak to it.
    Tell(Tell),
    /// Live the recorded life again and compare every turn.
    Replay(Replay),
    /// Check the record: hash chain, commitment, every death roll.
    Verify(Id),
    /// Bring the file back from an insurance snapshot.
    Restore(Restore),
    /// An heir of a dead golem.
    Successor(Box<Successor>),
    /// What a dead golem leaves, as one signed file.
    Heirloom(HeirloomOut),
}

/// One golem.
#[derive(Debug, Args)]
pub struct Id {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
}

/// `golem remove`.
#[derive(Debug, Args)]
pub struct Removal {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// Also where notices of it could not be sent to you yet: they go with it.
    #[arg(long)]
    pub drop_notices: bool,
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
    /// An heir of this dead golem: its settings, under --config and --set, and what it knew.
    #[arg(long, value_name = "ID", conflicts_with = "heirloom")]
    pub inherit: Option<String>,
    /// An heir of whoever left this file (golem heirloom --out).
    #[arg(long, value_name = "FILE")]
    pub heirloom: Option<PathBuf>,
    /// With --heirloom: let what three generations of a stranger's line are said to have proven stand in its settings.
    #[arg(long, requires = "heirloom")]
    pub trust_defaults: bool,
    /// With --heirloom: none of what has these roots; several with commas.
    #[arg(long, requires = "heirloom", value_delimiter = ',', value_name = "ROOTS")]
    pub without: Vec<golem_core::Hash>,
    /// Equip it with a collection of the library, or with a file that bardo library export has written.
    #[arg(long, value_name = "NAME|FILE")]
    pub bundle: Option<String>,
    /// Let it live at once; one of that name that is here already is only let live, so that nobody is born twice.
    #[arg(long, conflicts_with = "dry_run")]
    pub live: bool,
    /// Check and show, create nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `golem successor`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("inherits").required(true).args(["inherit_grimoire", "no_inherit", "auto"]))]
pub struct Successor {
    /// The dead golem: its name, its id, or a unique beginning of it.
    pub id: String,
    /// What the heir is given, in USDC [default: what the dead one was].
    #[arg(long, value_name = "USDC")]
    pub budget: Option<Usdc>,
    /// Hand on what it knew, through the bottleneck and at what is left of its confidence.
    #[arg(long)]
    pub inherit_grimoire: bool,
    /// Hand on its settings and its place in the line, and nothing that it knew.
    #[arg(long, conflicts_with_all = ["domains", "exclude"])]
    pub no_inherit: bool,
    /// What the owner said beforehand ([succession]), step by step, from wherever it stands; what was halted is tried again.
    #[arg(long, conflicts_with_all = ["budget", "domains", "exclude", "name", "seed", "set", "take_advice", "another", "dry_run", "force_similarity"])]
    pub auto: bool,
    /// Make it also where it would be the one that died again (not recommended).
    #[arg(long)]
    pub force_similarity: bool,
    /// Only these fields of knowledge, by their names or the parts before the slash.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub domains: Vec<String>,
    /// None of these fields of knowledge.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub exclude: Vec<String>,
    /// What to call it [default: the same name, with its generation].
    #[arg(long)]
    pub name: Option<golem_core::Name>,
    /// Make an open life, as golem create --seed does.
    #[arg(long)]
    pub seed: Option<u64>,
    /// One setting over those of the dead one; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Take the testament's advice on settings; --set comes after it.
    #[arg(long)]
    pub take_advice: bool,
    /// One more successor of a death that has one.
    #[arg(long)]
    pub another: bool,
    /// Check and show, create nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `golem heirloom`.
#[derive(Debug, Args)]
pub struct HeirloomOut {
    /// The dead golem: its name, its id, or a unique beginning of it.
    pub id: String,
    /// The file to write; it must not be there yet.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
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
    /// Speak with siblings over this relay in place of the one in its settings (styx.relay): it may have moved.
    #[arg(long, value_name = "URL", env = "BARDO_RELAY")]
    pub relay: Option<String>,
    /// Where the passphrase of its wallet comes from, for a golem on a node's chain.
    #[command(flatten)]
    pub passphrase: PassphraseArgs,
}

/// `golem testament`.
#[derive(Debug, Args)]
pub struct TestamentOf {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// The file with the key that a sealed testament is opened with.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
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

/// `golem withdraw`.
#[derive(Debug, Args)]
pub struct Withdraw {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// How much, in USDC; or `all` for all of its capital.
    #[arg(value_name = "USDC|all")]
    pub amount: WithdrawAmount,
}

/// A part of its capital, or all of it.
#[derive(Debug, Clone, Copy)]
pub struct WithdrawAmount(pub Option<Usdc>);

impl std::str::FromStr for WithdrawAmount {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        if word == "all" {
            return Ok(Self(None));
        }
        word.parse().map(|amount| Self(Some(amount))).map_err(|e| format!("{e}; or say all"))
    }
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
