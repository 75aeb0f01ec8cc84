//! The embedded chains of a home: where they are kept, and whether one is the chain that a golem has lived on.

use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Home;
use golem_chain::embedded::{ChainError, ChainMark, EmbeddedChain};
use golem_core::Tick;
use golem_runtime::Anchor;
use std::path::PathBuf;

/// Where a chain of this home would be kept; nothing is made.
pub fn kept_at(home: &Home, name: &str) -> PathBuf {
    home.path().join("chains").join(name).join("chain.db")
}

/// What to do about a golem and a chain that do not belong together.
pub fn remedy(name: &str) -> String {
    format!(
        "put the file back that belongs to it, or let the chain be made anew from the golem's own record: \
         bardo golem restore {name} --chain"
    )
}

/// The chain that a golem's file knows must be the one that is there: a missing, emptied, older or other one is not taken
/// for a new one.
pub fn fits(file: &GolemFile, home: &Home, name: &str, anchor: &Anchor) -> Result<(), Fail> {
    let path = kept_at(home, &file.chain.name);
    let chain = &file.chain.name;
    let refuse = |why: String| {
        Err(Fail::hint(format!("the chain {chain} is not the one that {name} lived on: {why}"), remedy(name)))
    };
    let Some(mark) = &anchor.mark else {
        return match anchor.lived {
            Tick(0) => Ok(()),
            lived => refuse(format!("{name} has lived {lived} turns and its file knows no chain")),
        };
    };
    let mark: ChainMark = match mark.parse() {
        Ok(mark) => mark,
        Err(why) => return refuse(why),
    };
    match EmbeddedChain::goes_on_from(&path, &mark) {
        Ok(()) => Ok(()),
        Err(ChainError::Absent(path)) => refuse(format!("{} is missing or empty", path.display())),
        Err(e) => refuse(e.to_string()),
    }
}
