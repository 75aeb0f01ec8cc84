//! The commands of siblings: who they are, what they leave behind in the field, and what of them is kept.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `bardo clade ...`.
#[derive(Debug, Subcommand)]
pub enum CladeCommand {
    /// How golems of this home stand with the relay: what waits, what was heard, what was noticed.
    Status {
        /// Its name, its id, or a unique beginning of it; without one, all that speak with siblings.
        id: Option<String>,
    },
    /// The siblings that a golem knows of, with their last pulse.
    Siblings {
        /// Its name, its id, or a unique beginning of it.
        id: String,
    },
    /// Go across once: tell what waits, hear what is there. A golem that runs does so by itself.
    Sync(KinVisit),
    /// Somebody else may have this home's owner's key: close everything that it certified at the relays of its golems, and take another
    /// one. Siblings in other homes need the new file.
    Renew(RenewClade),
}

/// `bardo clade renew`.
#[derive(Debug, Args)]
pub struct RenewClade {
    /// Take another key also where a relay cannot be reached: there the old one is good for as long as it keeps what it has.
    #[arg(long)]
    pub anyway: bool,
}

/// A golem that goes to its relay.
#[derive(Debug, Args)]
pub struct KinVisit {
    /// Its name, its id, or a unique beginning of it.
    pub id: String,
    /// The relay, in place of the one in its settings.
    #[arg(long, value_name = "URL", env = "BARDO_RELAY")]
    pub relay: Option<String>,
}

/// `bardo pheromone ...`.
#[derive(Debug, Subcommand)]
pub enum PheromoneCommand {
    /// What is smelt in the field: marks without an author that fade.
    Sense(SenseField),
    /// Leave a mark.
    Deposit(DepositMark),
}

/// Which field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FieldWhose {
    /// The golems of the same owner.
    Clade,
    /// Everybody, where the relay has a public layer.
    Public,
}

/// What a mark means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarkLayer {
    /// Danger; half is gone in two hours.
    Threat,
    /// A chance; half is gone in twelve hours.
    Opportunity,
    /// Something worth knowing; half is gone in a week.
    Wisdom,
}

/// `bardo pheromone sense`.
#[derive(Debug, Args)]
pub struct SenseField {
    #[command(flatten)]
    pub visit: KinVisit,
    /// Whose field.
    #[arg(long, value_enum, default_value_t = FieldWhose::Clade)]
    pub scope: FieldWhose,
    /// Only marks that mean this.
    #[arg(long, value_enum)]
    pub layer: Option<MarkLayer>,
    /// Only marks about this, such as gas_condition.
    #[arg(long)]
    pub domain: Option<String>,
}

/// `bardo pheromone deposit`.
#[derive(Debug, Args)]
pub struct DepositMark {
    #[command(flatten)]
    pub visit: KinVisit,
    /// What it means.
    #[arg(long, value_enum)]
    pub layer: MarkLayer,
    /// What kind of thing, such as gas_spike.
    #[arg(long)]
    pub class: String,
    /// What it is about, such as gas_condition.
    #[arg(long)]
    pub domain: String,
    /// In which weather: range_bound, trending_up, trending_down, volatile.
    #[arg(long, default_value = "unknown")]
    pub regime: String,
    /// How strong, from 0 to 1.
    #[arg(long, default_value_t = 1.0)]
    pub intensity: f64,
    /// Whose field.
    #[arg(long, value_enum, default_value_t = FieldWhose::Clade)]
    pub scope: FieldWhose,
}

/// `bardo archive ...`.
#[derive(Debug, Subcommand)]
pub enum ArchiveCommand {
    /// Backups of what this owner's golems know, newest first.
    List(KinVisit),
    /// Hand a backup to a golem, which examines it; or write it to a file.
    Restore(RestoreArchive),
}

/// `bardo archive restore`.
#[derive(Debug, Args)]
pub struct RestoreArchive {
    #[command(flatten)]
    pub visit: KinVisit,
    /// Whose backup: an id, or a unique beginning of it; without one, the newest of another golem.
    #[arg(long, value_name = "GOLEM")]
    pub of: Option<String>,
    /// Write the entries to this file, a line each, and hand nothing over.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
