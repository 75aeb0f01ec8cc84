//! Where a life that ended meets the steward: whoever ran it asks what becomes of its line.

use super::books;
use super::directive::{Directive, directive};
use super::heirship::OpenGrave;
use super::provision::provisioner;
use super::registry::registry;
use super::steward::Steward;
use crate::chain::OpenChains;
use crate::departed::Departed;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use crate::succession;
use golem_clade::succession::{
    KeptNotice, ProvisionerWord, SuccessionCase, SuccessionNext, SuccessionNotice, SuccessionStep,
};
use golem_core::Timestamp;
use golem_runtime::Reader;

/// What becomes of a line.
pub struct Attended {
    /// Where its case stands.
    pub next: SuccessionNext,
    /// The case.
    pub case: SuccessionCase,
    /// The heir, where it is to live in this process.
    pub here: Option<Place>,
}

/// Attend to a death. None where its owner wants no successor by itself. `again` is the owner's word to try what was halted.
pub fn attend(
    place: &Place,
    home: &Home,
    chains: &OpenChains,
    again: bool,
    out: &Out,
) -> Result<Option<Attended>, Fail> {
    let origin = Reader::open(&place.dir)?.origin()?;
    let word = directive(&origin, home)?;
    let known = books::find(home)?.case(place.id).cloned();
    if !word.config.auto && known.as_ref().is_none_or(|case| !case.is_open()) {
        return Ok(None);
    }
    let dead = Departed::read(place)?;
    let _held = succession::hold(place)?;
    let mut grave = OpenGrave { dead: &dead, config: &word.config, home, chains, out, awaited: None };
    let mut registry = registry(&word.config, dead.file.chain.kind, home, out);
    let clock = crate::clock::clock();
    let mut steward = Steward {
        home,
        dead: place.id,
        lineage: origin.birth.lineage,
        generation: origin.birth.generation.saturating_add(1),
        directive: &word,
        heirship: &mut grave,
        places: &|config| provisioner(config, home),
        registry: registry.as_mut(),
        now: &|| clock.now(),
        tell: &mut |notice| out.alert(&words(notice, place)),
    };
    if again {
        steward.resume()?;
    }
    let (next, case) = steward.attend()?;
    // Where it was born, it lives: the owner's word on that is for the next one by then.
    let lives = case.place.as_ref().unwrap_or(&word.config.provision).kind;
    let here = match (&next, case.heir, lives) {
        (SuccessionNext::Lives(_), Some(heir), ProvisionerWord::InProcess) => {
            home.golems()?.into_iter().find(|place| place.id == heir)
        }
        _ => None,
    };
    Ok(Some(Attended { next, case, here }))
}

/// What its owner says by now.
fn said(place: &Place, home: &Home) -> Result<Directive, Fail> {
    directive(&Reader::open(&place.dir)?.origin()?, home)
}

/// Refuse a second successor of a death whose first one was born elsewhere, where no file of this home shows it.
pub fn is_not_elsewhere(place: &Place, home: &Home) -> Result<(), Fail> {
    let case = books::find(home)?.case(place.id).cloned();
    match case.filter(|case| case.funded.is_some() && case.heir.is_none()).and_then(|case| case.berth) {
        None => Ok(()),
        Some(berth) => Err(Fail::hint(
            format!("{} has a successor, in {berth}", place.name),
            "another one of the same death: --another",
        )),
    }
}

/// Heirs that live without an identity are registered where that can be done now: with every heartbeat of whoever runs. Places that
/// are waited for, or are to be given back, are seen to where whoever began with them is gone. When it is to be tried next, if any is
/// left.
pub fn attend_owed(home: &Home, chains: &OpenChains, out: &Out) -> Result<Option<Timestamp>, Fail> {
    let now = crate::clock::clock().now();
    let estate = books::find(home)?;
    let open = estate.cases().filter(|case| case.is_open() && (case.funded.is_some() || case.is_left(now)));
    let open: Vec<_> = open.cloned().collect();
    let mut soonest: Option<Timestamp> = None;
    for case in open {
        let mut next = case.next(now);
        if let (SuccessionNext::Do(_), Some(place)) = (&next, home.golems()?.into_iter().find(|p| p.id == case.dead)) {
            // An heir that lives in the process of who asks for it is nothing that anybody else could begin.
            let begins_here = case.funded.is_none() && case.at != SuccessionStep::Undo;
            if begins_here && said(&place, home)?.config.provision.kind == ProvisionerWord::InProcess {
                continue;
            }
            next = attend(&place, home, chains, false, out)?.map_or(SuccessionNext::Lives(None), |told| told.next);
        }
        if let SuccessionNext::Lives(Some(at)) = next {
            soonest = Some(soonest.map_or(at, |s| s.min(at)));
        }
    }
    Ok(soonest)
}

/// A notice as the owner reads it.
fn words(notice: &KeptNotice, dead: &Place) -> String {
    let name = &dead.name;
    let head = match &notice.what {
        SuccessionNotice::Halted { why } => format!(
            "{name} has no successor yet: {why}\n  what would lift it: {}\n  try again: bardo golem successor {name} --auto",
            why.lifted_by()
        ),
        SuccessionNotice::Queued { failures, why } => {
            format!("{name}: no place for a successor after {failures} tries ({why}); it is tried again")
        }
        SuccessionNotice::Unidentified { why } => {
            format!("{name}: its successor lives without an identity for now ({why})")
        }
        SuccessionNotice::Succeeded { name: heir, berth, .. } => format!("{heir} succeeds {name}, in {berth}"),
    };
    let more: Vec<String> = notice.lines.iter().map(|line| format!("\n  {line}")).collect();
    match notice.what {
        SuccessionNotice::Halted { .. } => format!("{head}{}", more.concat()),
        _ => head,
    }
}
