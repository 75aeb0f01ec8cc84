//! The relay between siblings, as it is typed.

use clap::{Args, Subcommand};
use golem_core::OwnerId;
use std::net::SocketAddr;
use std::path::PathBuf;

/// `bardo styx ...`.
#[derive(Debug, Subcommand)]
pub enum StyxCommand {
    /// Run a relay until it is told to stop: what it acknowledged is on disk, and stopping loses nothing.
    Run(Box<StyxRun>),
    /// Whether a relay runs and answers, who is there, and what it has done.
    Status(StyxStatus),
    /// The token by which an owner reads over HTTP what a relay keeps for it.
    Token(StyxToken),
}

/// Where a relay keeps what it keeps.
#[derive(Debug, Args)]
pub struct StyxStoreArgs {
    /// sqlite:PATH, or postgres://... for several relays on one database [default: styx/relay.db of this home].
    #[arg(long, env = "BARDO_STYX_STORE", hide_env_values = true, value_name = "STORE")]
    pub store: Option<String>,
    /// The schema of the database; a-z, 0-9 and _.
    #[arg(long, default_value = "styx", value_name = "NAME")]
    pub schema: String,
}

/// `styx run`.
#[derive(Debug, Args)]
pub struct StyxRun {
    /// Where to listen; an address of this machine.
    #[arg(long, default_value = "127.0.0.1:7078", value_name = "ADDR")]
    pub listen: SocketAddr,
    /// Other machines may come too. Give a certificate, or put something in front of it that has one.
    #[arg(long)]
    pub anywhere: bool,
    /// A name with its port that golems dial it by, such as styx.example.org:443; may be repeated. Its own loopback address needs none.
    #[arg(long = "name", value_name = "HOST:PORT", value_parser = dialled)]
    pub names: Vec<String>,
    /// The certificate chain for TLS, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The key of the certificate, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Where it keeps what it keeps.
    #[command(flatten)]
    pub store: StyxStoreArgs,
    /// Where pieces of archives lie: a directory, or s3://BUCKET/FOLDER with the usual AWS_* variables [default: styx/archive of this home].
    #[arg(long, value_name = "PLACE")]
    pub archive: Option<String>,
    /// A NATS server through which relays that share a database wake each other; they find out without one, half a second later.
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Serve this owner's golems only: the address of its wallet; may be repeated [default: whoever comes].
    #[arg(long = "owner", value_name = "ADDRESS", value_parser = address)]
    pub owners: Vec<OwnerId>,
    /// Keep what golems say to everybody, too: threats, and causes of deaths.
    #[arg(long)]
    pub public: bool,
    /// Threads that serve sockets.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

/// `styx status`.
#[derive(Debug, Args)]
pub struct StyxStatus {
    /// Which relay.
    #[arg(long, default_value = "http://127.0.0.1:7078", value_name = "URL")]
    pub relay: String,
    /// A file with an owner's token (styx token): its log and its golems are told, too.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A certificate to trust in place of those of this machine, as PEM.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

/// `styx token`.
#[derive(Debug, Args)]
pub struct StyxToken {
    /// The owner: the address of its wallet (bardo wallet address NAME).
    #[arg(value_parser = address)]
    pub owner: OwnerId,
    /// Where the relay keeps what it keeps.
    #[command(flatten)]
    pub store: StyxStoreArgs,
}

/// A name and a port, as a golem signs that it dialled them.
fn dialled(word: &str) -> Result<String, String> {
    let no = || "it must be a name and a port, such as styx.example.org:443".to_owned();
    let (host, port) = word.rsplit_once(':').ok_or_else(no)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-[]:".contains(c);
    match port.parse::<u16>() {
        Ok(port) if port > 0 && !host.is_empty() && word.len() <= 255 && host.chars().all(plain) => Ok(word.to_owned()),
        Ok(_) | Err(_) => Err(no()),
    }
}

/// An owner, as wallets show it.
fn address(word: &str) -> Result<OwnerId, String> {
    word.strip_prefix("0x")
        .unwrap_or(word)
        .parse()
        .map_err(|_| "it must be an address: 40 digits of hex, with or without 0x".to_owned())
}
