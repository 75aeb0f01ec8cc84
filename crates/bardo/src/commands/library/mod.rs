//! `bardo library list|search|show|bundle|equip|pull|export|import`: what the golems of this home left, and who gets it.

mod bundle;
mod equip;
mod files;
mod kit;
mod look;
mod pull;

pub(super) use pull::take;

pub use kit::{LibraryOffer, is_there, offer, outfit};

use crate::cli::LibraryCommand;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_clade::library::{BundleStanding, HoldingId, OwnerLibrary};
use golem_core::Timestamp;
use golem_home::holdings::one;

/// Run one.
pub fn run(command: &LibraryCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        LibraryCommand::List(args) => look::list(args, home, out),
        LibraryCommand::Search(args) => look::search(args, home, out),
        LibraryCommand::Show { entry } => look::show(entry, home, out),
        LibraryCommand::Bundle(args) => bundle::run(args, home, out),
        LibraryCommand::Equip(args) => equip::run(args, home, out),
        LibraryCommand::Pull(args) => pull::run(args, home, out),
        LibraryCommand::Export(args) => files::export(args, home, out),
        LibraryCommand::Import(args) => files::import(args, home, out),
    }
}

/// What a word names: a collection, or an entry by its id or the beginning of it.
fn named(library: &OwnerLibrary, word: &str, now: Timestamp) -> Result<Vec<HoldingId>, Fail> {
    if let Some(all) = library.contents(word, now) {
        let proposed = library.bundle(word).is_some_and(|b| b.standing == BundleStanding::Proposed);
        return match proposed {
            true => Err(Fail::refused(format!(
                "{word} is only proposed: it is published once two golems have seen something of it come true"
            ))),
            false => Ok(all),
        };
    }
    one(library, word).map(|(id, _)| vec![id])
}

/// What several words name, each once.
fn all_named(library: &OwnerLibrary, words: &[String], now: Timestamp) -> Result<Vec<HoldingId>, Fail> {
    let mut all = Vec::new();
    for word in words {
        for id in named(library, word, now)? {
            if !all.contains(&id) {
                all.push(id);
            }
        }
    }
    Ok(all)
}
