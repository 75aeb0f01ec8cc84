//! The lab's commands: paired lives by the thousand, and what they tell apart.

use super::PageWanted;
use clap::{Args, Subcommand, ValueEnum};
use golem_core::Usdc;
use std::path::PathBuf;

/// `bardo lab ...`.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Live the same paths once for each value of a setting, and tell what differs.
    Compare(LabCompare),
    /// Put the shards of a comparison together.
    Merge(LabMerge),
    /// Take out every organ, one at a time, in every world, and write what that changes.
    Matters(LabMatters),
    /// Whether the epistemic clock tells the truth: minds that learn, that stopped, that turned round; what golems die of.
    Clock(LabClock),
    /// How long each of the six stressors lasts with remedies and without, and what that costs.
    Remedies(LabRemedies),
    /// Fix a trial before anybody lives: does a line of mortals do better than an immortal, and is that more than forgetting?
    Plan(LabPlan),
    /// Live a planned trial under letters, judge it, and open the key. The same command goes on where it stopped.
    Trial(LabTrial),
    /// Hold heirs against newborns on the same paths, in worlds with something to know and in one without.
    Heirs(LabHeirs),
    /// Hold golems that tell each other what they find out against the same golems in silence.
    Siblings(LabSiblings),
}

/// `lab plan`.
#[derive(Debug, Args)]
pub struct LabPlan {
    /// Where the plan goes.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Paths in each cell.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub paths: u64,
    /// Virtual days of each path, at a turn an hour.
    #[arg(long, default_value_t = 360, value_name = "N")]
    pub days: u64,
    /// The seed of the first path.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// What a line has for the whole path, in USDC.
    #[arg(long, default_value = "10000", value_name = "USDC")]
    pub budget: Usdc,
    /// Recorded markets (CSV), for five cells of windows and for blocks to draw from; several with commas. Without, all worlds
    /// are generated.
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    pub data: Vec<PathBuf>,
    /// Only cells whose names hold one of these words; the controls always stay.
    #[arg(long, value_delimiter = ',', value_name = "WORDS")]
    pub cells: Vec<String>,
    /// Paths of each generated cell on which the tuned arm's memory is chosen; they are lived in no trial.
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub tune: u64,
    /// The outcome that decides: forecast_loss, recovery_loss or worth.
    #[arg(long, default_value = "forecast_loss", value_name = "OUTCOME")]
    pub primary: String,
    /// A difference within this is none, such as worth=0.01; may be repeated.
    #[arg(long, value_name = "OUTCOME=X")]
    pub margin: Vec<String>,
    /// The day after which the frozen arm learns nothing more.
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub frozen_after: u64,
    /// One setting of all of them; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `lab trial`.
#[derive(Debug, Args)]
pub struct LabTrial {
    /// The plan.
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
    /// Where rows, statistics, verdict and page go.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The recorded markets that the plan names, wherever they lie; several with commas.
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    pub data: Vec<PathBuf>,
    /// Only the i-th of n parts of the paths. Put them together by giving their folders to --from.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Take over the rows of these folders of the same plan; several with commas.
    #[arg(long, value_delimiter = ',', value_name = "DIRS")]
    pub from: Vec<PathBuf>,
    /// Live it although this is another program than the plan names. The verdict says so.
    #[arg(long)]
    pub other_program: bool,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `lab heirs`.
#[derive(Debug, Args)]
pub struct LabHeirs {
    /// Where: worlds with something to know, and flat; several with commas.
    #[arg(
        long,
        default_value = "gas-hours,fee-bursts,vol-fees,reversal,turning,contagion,flat",
        value_delimiter = ',',
        value_name = "WORLDS"
    )]
    pub worlds: Vec<String>,
    /// Paths in each world.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub paths: u64,
    /// The seed of the first path.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Days that the parent lived.
    #[arg(long, default_value_t = 60, value_name = "N")]
    pub learnt: u64,
    /// Keep rows here; the same command goes on there where it stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub report: PageWanted,
}

/// `lab siblings`.
#[derive(Debug, Args)]
pub struct LabSiblings {
    /// Where: worlds with something to know, one without, one with a blow; or recorded windows (csv:FILE). Several with commas.
    #[arg(
        long,
        default_value = "fee-bursts@1x15,gas-hours,contagion@6,flat,default+crash",
        value_delimiter = ',',
        value_name = "WORLDS"
    )]
    pub worlds: Vec<String>,
    /// Groups in each world.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub groups: u64,
    /// Golems in a group.
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub members: u64,
    /// Days that they live.
    #[arg(long, default_value_t = 12, value_name = "N")]
    pub days: u64,
    /// The seed of the first group.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Keep rows here; the same command goes on there where it stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub report: PageWanted,
}

/// How often a golem takes a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LabPace {
    /// Every 40 seconds.
    Tick,
    /// Every hour.
    Hour,
}

/// What paths there are, and who lives on them.
#[derive(Debug, Clone, Args)]
pub struct LabPaths {
    /// Where: names of worlds, or csv:PATH for windows of a recorded market; several with commas.
    #[arg(long, value_delimiter = ',', value_name = "WORLDS")]
    pub worlds: Vec<String>,
    /// So many paths in each world.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub seeds: u64,
    /// The seed of the first path.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Virtual days of each life.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub days: u64,
    /// How they trade; several with commas.
    #[arg(long, value_delimiter = ',', value_name = "TEMPLATE")]
    pub template: Vec<golem_mind::Template>,
    /// How often they take a turn; without it what suits the world.
    #[arg(long)]
    pub pace: Option<LabPace>,
    /// What each is given at birth, in USDC.
    #[arg(long, default_value = "10000", value_name = "USDC")]
    pub budget: Usdc,
    /// One setting of all of them; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// A difference within this is none, such as worth_vs_nothing=0.003; may be repeated.
    #[arg(long, value_name = "OUTCOME=X")]
    pub margin: Vec<String>,
    /// The skill whose first lasting moment is noted.
    #[arg(long, default_value_t = 0.05, value_name = "SKILL")]
    pub skill_level: f64,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `lab compare`.
#[derive(Debug, Args)]
pub struct LabCompare {
    /// A setting and its values, such as grimoire.enabled=true,false: the first value is what the others are held
    /// against. May be repeated: then each further value is an arm of its own.
    #[arg(long = "switch", required = true, value_name = "KEY=A,B")]
    pub switches: Vec<String>,
    #[command(flatten)]
    pub paths: LabPaths,
    /// Let all of them ask a model: a stand-in that answers by what it is shown, and costs what a real one would.
    #[arg(long)]
    pub model: bool,
    /// Hold everybody against the best value of this switched setting on each path: how soon they were within a tenth of it.
    #[arg(long, value_name = "KEY")]
    pub best: Option<String>,
    /// Judge these outcomes only; several with commas. Fewer make narrower intervals, so they are part of the plan.
    #[arg(long, value_delimiter = ',', value_name = "OUTCOMES")]
    pub outcomes: Vec<String>,
    /// Live more paths as long as half an interval of this outcome is wider, such as worth_vs_nothing=0.003; may be
    /// repeated. Only widths are looked at.
    #[arg(long, value_name = "OUTCOME=X", requires = "out")]
    pub until: Vec<String>,
    /// So many paths at most, however wide intervals stay; without it four times as many as it begins with.
    #[arg(long, value_name = "N", requires = "until")]
    pub most: Option<u64>,
    /// Only the i-th of n parts of the paths; put them together with bardo lab merge.
    #[arg(long, value_name = "I/N", requires = "out")]
    pub shard: Option<String>,
    /// Keep plan, rows and page here; the same command goes on there where it stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub report: PageWanted,
}

/// `lab clock`.
#[derive(Debug, Args)]
pub struct LabClock {
    /// Where: names of worlds, or csv:PATH for windows of a recorded market; several with commas.
    #[arg(long, default_value = "default", value_delimiter = ',', value_name = "WORLDS")]
    pub worlds: Vec<String>,
    /// Lives that learn, in each world; a third as many of each other mind.
    #[arg(long, default_value_t = 180, value_name = "N")]
    pub lives: u64,
    /// Virtual days of each.
    #[arg(long, default_value_t = 60, value_name = "N")]
    pub days: u64,
    /// How often they take a turn.
    #[arg(long, default_value = "hour")]
    pub pace: LabPace,
    /// The seed of the first path.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// What they die of, in these worlds besides; several with commas.
    #[arg(long, default_value = "flat,turning,reversal", value_delimiter = ',', value_name = "WORLDS")]
    pub causes: Vec<String>,
    /// Budgets of the table of causes, in USDC; several with commas.
    #[arg(long, default_value = "6,12,50,1000", value_delimiter = ',', value_name = "USDC")]
    pub budgets: Vec<Usdc>,
    /// Whole golems, with memory and diagnostics: lives take several times as long.
    #[arg(long)]
    pub whole: bool,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// The first table alone.
    #[arg(long)]
    pub minds_only: bool,
    #[command(flatten)]
    pub report: PageWanted,
}

/// `lab remedies`.
#[derive(Debug, Args)]
pub struct LabRemedies {
    /// Paths for each stressor; every one is lived with remedies and without.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub seeds: u64,
    /// Virtual days of each life.
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub days: u64,
    /// The seed of the first path.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Threads; without it one for each core.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub report: PageWanted,
}

/// `lab merge`.
#[derive(Debug, Args)]
pub struct LabMerge {
    /// The folders of all shards.
    #[arg(required = true, value_name = "DIR")]
    pub shards: Vec<PathBuf>,
    /// The outcomes that its plan judges, if they are to be named: others are refused.
    #[arg(long, value_delimiter = ',', value_name = "OUTCOMES")]
    pub outcomes: Vec<String>,
    /// Where the whole goes.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `lab matters`.
#[derive(Debug, Args)]
pub struct LabMatters {
    #[command(flatten)]
    pub paths: LabPaths,
    /// The page that is written.
    #[arg(long, default_value = "docs/what-matters.md", value_name = "FILE")]
    pub page: PathBuf,
    /// Keep plan and rows here; the same command goes on there where it stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub report: PageWanted,
}
