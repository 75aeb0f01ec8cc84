//! The commands of the owner's treasury: credit for successors that come by themselves.

use clap::{Args, Subcommand};
use golem_core::Usdc;

/// `bardo treasury ...`.
#[derive(Debug, Subcommand)]
pub enum TreasuryCommand {
    /// What is free, set aside and moved; where every succession stands; what there was to tell.
    Show,
    /// Put credit in.
    Add(TreasuryAdd),
}

/// `treasury add`.
#[derive(Debug, Args)]
pub struct TreasuryAdd {
    /// How much, in USDC.
    #[arg(value_name = "USDC")]
    pub amount: Usdc,
    /// What this payment is known by: said again with the same, it changes nothing.
    #[arg(long, value_name = "WORD")]
    pub key: Option<golem_core::Name>,
    /// A word about it.
    #[arg(long, default_value = "", value_name = "TEXT")]
    pub note: String,
}
