//! What a golem stands on, as it is typed: contracts, chains and keys.

use clap::{Args, Subcommand};
use std::path::PathBuf;

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
    /// Chains that people use, as far as they are published: what chain.profile may be.
    Profiles,
    /// Hold what is published of a chain against a node: every contract, the pool's depth and memory, the head's age.
    Check(CheckChain),
}

/// `chain check`.
#[derive(Debug, Args)]
pub struct CheckChain {
    /// Which profile (bardo chain profiles).
    pub profile: String,
    /// A node of that chain; of several, the greater part is believed.
    #[arg(long, value_name = "URL", required = true)]
    pub rpc_url: Vec<String>,
    /// Whether it may be asked over plain http on another machine.
    #[arg(long)]
    pub allow_remote_http: bool,
    /// Another value than the published one, as in a golem's settings; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
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

/// `bardo serve`.
#[derive(Debug, Args)]
pub struct ServeHome {
    /// Where to listen; an address of this machine.
    #[arg(long, default_value = "127.0.0.1:7077", value_name = "ADDR")]
    pub listen: std::net::SocketAddr,
    /// Other machines may come too. Nothing is encrypted: put something in front of it that does.
    #[arg(long)]
    pub anywhere: bool,
    /// Make a new token first: what browsers and scripts have kept of the old one is then worth nothing.
    #[arg(long)]
    pub new_token: bool,
}

/// `bardo mcp`.
#[derive(Debug, Args)]
pub struct McpHome {
    /// Orders that the assistant may give, with commas: pause, resume, halt, feed, kill, tell, dream, wake, approve, reject, or
    /// all [default: none].
    #[arg(long, value_name = "ORDERS")]
    pub allow: Option<golem_mcp::AllowedOrders>,
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
    /// Make a key that testaments can be sealed to, and print its public half.
    SealKey {
        /// The file to keep it in, which must not exist yet.
        file: PathBuf,
    },
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
