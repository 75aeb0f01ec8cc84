//! The owner's treasury and where every succession stands: `treasury.db`, looked at.

use crate::fail::Fail;
use crate::home::Home;
use golem_clade::succession::{OwnerEstate, SuccessionCase, SuccessionNext};
use golem_core::Timestamp;
use golem_runtime::{ShelfRow, TreasuryFile};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Where it is.
pub fn path(home: &Home) -> PathBuf {
    home.path().join("treasury.db")
}

/// What it holds; nothing when there is none yet.
pub fn find(home: &Home) -> Result<OwnerEstate, Fail> {
    let Some(mut file) = TreasuryFile::find(&path(home))? else { return Ok(OwnerEstate::default()) };
    let rows = file.rows()?;
    read(&rows, home)
}

/// The estate that rows of its file spell.
pub fn read(rows: &[ShelfRow], home: &Home) -> Result<OwnerEstate, Fail> {
    let all = rows.iter().map(|row| (row.table.as_str(), row.key.as_str(), row.body.as_str()));
    let hint = "put a copy of it back: no other file knows what was paid";
    OwnerEstate::read(all).map_err(|e| Fail::world_hint(format!("{}: damaged: {e}", path(home).display()), hint))
}

/// What `treasury show --json` prints; others rely on these names.
pub fn told(estate: &OwnerEstate, now: Timestamp) -> Value {
    let t = &estate.treasury;
    let cases: Vec<Value> = estate
        .cases()
        .map(|case| {
            let SuccessionCase { dead, at, heir, berth, identity, failures, said, distance, .. } = case;
            let halted = case.halted.as_ref();
            json!({ "dead": dead, "step": at, "heir": heir, "berth": berth, "identity": identity, "failures": failures,
                "said": said, "distance": distance, "halted": halted, "lifted_by": halted.map(|h| h.lifted_by()),
                "standing": standing(case, now), "due": case.due })
        })
        .collect();
    let identities: Vec<Value> = estate
        .identities()
        .map(|(number, claim)| json!({ "agent": number, "uri": claim.uri(), "of": claim }))
        .collect();
    json!({
        "credited_micro_usdc": t.credited(), "free_micro_usdc": t.free(), "held_micro_usdc": t.held(),
        "moved_micro_usdc": t.moved(), "credits": t.credits().collect::<Vec<_>>(),
        "moves": t.moves().map(|(dead, moved)| json!({ "dead": dead, "moved": moved })).collect::<Vec<_>>(),
        "authorizations": t.authorizations().collect::<Vec<_>>(), "successions": cases, "identities": identities,
        "notices": estate.notices(),
    })
}

/// Where a succession stands, in words.
pub fn standing(case: &SuccessionCase, now: Timestamp) -> String {
    match case.next(now) {
        SuccessionNext::Do(step) => format!("next: {step:?}").to_lowercase(),
        SuccessionNext::Wait(until) => format!("waits until {until}"),
        SuccessionNext::Halted(why) => format!("halted: {why}"),
        SuccessionNext::Lives(None) => "lives".to_owned(),
        SuccessionNext::Lives(Some(_)) => "lives, and owes its identity".to_owned(),
    }
}
