//! The commands of the owner's treasury: credit for successors that come by themselves.

use clap::{Args, Subcommand};
use golem_core::Usdc;
use std::path::PathBuf;

/// `bardo treasury ...`.
#[derive(Debug, Subcommand)]
pub enum TreasuryCommand {
    /// What is free, set aside and moved; where every succession stands; what there was to tell.
    Show,
    /// Put credit in.
    Add(TreasuryAdd),
    /// Keep a payment that was signed beforehand (x402, EIP-3009): it is used where credit is short.
    Authorize(TreasuryAuthorize),
}

/// `treasury authorize`.
#[derive(Debug, Args)]
pub struct TreasuryAuthorize {
    /// The payment as x402 carries it, as JSON.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Whom it must pay: 0x and 40 hex digits.
    #[arg(long, value_name = "ADDRESS")]
    pub to: String,
    /// The token's contract.
    #[arg(long, value_name = "ADDRESS")]
    pub token: String,
    /// The chain it is on.
    #[arg(long, value_name = "N")]
    pub chain_id: u64,
    /// The token's name, as its contract signs with.
    #[arg(long, default_value = "USD Coin", value_name = "NAME")]
    pub token_name: String,
    /// The token's version, as its contract signs with.
    #[arg(long, default_value = "2", value_name = "N")]
    pub token_version: String,
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
