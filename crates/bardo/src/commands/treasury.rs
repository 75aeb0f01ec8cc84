//! `bardo treasury show|add|authorize`: the owner's credit, and where every succession stands.

use crate::auto;
use crate::cli::{TreasuryAdd, TreasuryCommand};
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_clade::succession::{CreditEntry, OwnerEstate, TreasuryRefusal};
use golem_core::words::one_line;
use golem_core::{GolemId, Hash, Timestamp};
use golem_home::estate::{standing, told};
use serde_json::json;

/// Look, or put in.
pub fn run(command: &TreasuryCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        TreasuryCommand::Show => show(home, out),
        TreasuryCommand::Add(args) => add(args, home, out),
        TreasuryCommand::Authorize(args) => super::authorize::run(args, home, out),
    }
}

fn add(args: &TreasuryAdd, home: &Home, out: &Out) -> Result<(), Fail> {
    let key = match &args.key {
        Some(key) => key.to_string(),
        None => {
            let mut fresh = [0; 32];
            getrandom::fill(&mut fresh).map_err(|e| Fail::world(e.to_string()))?;
            Hash(fresh).to_string()
        }
    };
    let at = crate::clock::clock().now();
    let entry = CreditEntry { amount: args.amount, at, note: one_line(&args.note, 200) };
    let (new, free) = auto::change(home, |estate| {
        let new = estate.treasury.credit(&key, entry).map_err(refused)?;
        Ok((new, estate.treasury.free()))
    })?;
    let told = json!({ "key": key, "new": new, "amount_micro_usdc": args.amount, "free_micro_usdc": free });
    out.result(&told, || match new {
        true => format!("{} USDC came in; {free} USDC are free", args.amount),
        false => format!("{key} came in before; {free} USDC are free"),
    })
}

/// What the treasury refuses, in the owner's words.
pub(super) fn refused(why: TreasuryRefusal) -> Fail {
    let hint = match &why {
        TreasuryRefusal::Used { .. } => "say another --key, or the same amount",
        TreasuryRefusal::Nothing => "say how much, such as 50 or 12.50",
        _ => "look at what there is: bardo treasury show",
    };
    Fail::hint(why.to_string(), hint)
}

fn show(home: &Home, out: &Out) -> Result<(), Fail> {
    let (estate, now) = (auto::find(home)?, crate::clock::clock().now());
    let name = |id: GolemId| home.place_of(id).map_or_else(|| id.to_string(), |place| place.name.to_string());
    out.result(&told(&estate, now), || words(&estate, now, &name))
}

fn words(estate: &OwnerEstate, now: Timestamp, name: &dyn Fn(GolemId) -> String) -> String {
    let t = &estate.treasury;
    let mut lines = vec![format!(
        "{} USDC free, {} set aside, {} moved to heirs; {} ever came in",
        t.free(),
        t.held(),
        t.moved(),
        t.credited()
    )];
    for case in estate.cases() {
        let heir = case.heir.map_or_else(String::new, |heir| format!(" -> {}", name(heir)));
        lines.push(format!("  {}{heir}: {}", name(case.dead), standing(case, now)));
        lines.extend(case.halted.as_ref().map(|why| format!("    what would lift it: {}", why.lifted_by())));
    }
    if estate.cases().next().is_none() {
        lines.push("  no succession has begun by itself".to_owned());
    }
    folded(&lines.join("\n"))
}
