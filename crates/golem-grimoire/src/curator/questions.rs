//! What the golem does not know: questions are entries too. One is asked where forecasts lose, where claims keep
//! failing, and in weather for which nothing is known; it is closed when that has changed.

use super::{CuratorMaterial, CuratorRooms, Distilled, learn, own};
use crate::entry::{DecayClass, EntryBody, EntryId, EntryKind};
use crate::shelf::Shelf;
use crate::standing::EntryStatus;
use crate::standing::Support;
use golem_core::{Elapsed, Regime};
use golem_mortality::Domain;

/// A domain below this fitness raises a question; 0.30 is as good as the naive rule.
const LOSING: f64 = 0.25;
/// A domain above this has answered it.
const ANSWERED: f64 = 0.35;
/// Claims about the same thing that failed before it is a question.
const FAILED_CLAIMS: u32 = 3;
/// Episodes in a weather before knowing nothing about it is a gap.
const LIVED: u32 = 20;
/// Questions that are open at once.
const MOST_OPEN: usize = 32;
/// A question that stays open is asked again once in this time, so that it does not fade.
const AGAIN_AFTER: Elapsed = Elapsed::secs(86_400);

pub(super) fn distil(desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    for (domain, fitness) in Domain::ALL.into_iter().zip(told.fitness) {
        let question = about_domain(domain, told);
        match fitness {
            Some(f) if f < LOSING => ask(desk.shelf, question, told, out),
            Some(f) if f > ANSWERED => close(desk.shelf, &question, told, out),
            _ => {}
        }
    }
    for field in desk.staging.take_failing(FAILED_CLAIMS) {
        let text = format!("What comes before a change of {field}? Claims about it keep failing.");
        let domain = super::domain_of(&field);
        ask(desk.shelf, EntryBody { domain, ..question(told, text) }, told, out);
    }
    for (regime, lived, known) in weathers(desk.shelf) {
        let text = format!("What works in {regime} weather?");
        let question = EntryBody { regime: Some(regime), ..question(told, text) };
        match known {
            true => close(desk.shelf, &question, told, out),
            false if lived >= LIVED => ask(desk.shelf, question, told, out),
            false => {}
        }
    }
}

fn about_domain(domain: Domain, told: &CuratorMaterial<'_>) -> EntryBody {
    let text = format!("Why do forecasts of {} lose to the naive rule?", domain.name());
    EntryBody { domain: Some(domain), ..question(told, text) }
}

fn question(told: &CuratorMaterial<'_>, text: String) -> EntryBody {
    EntryBody { is_question: true, decay_class: DecayClass::Regime, ..own(told, EntryKind::Insight, text) }
}

fn ask(shelf: &mut Shelf, question: EntryBody, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    let known = shelf.saying(&question).next().map(|e| (e.id, e.standing.last_validated, e.is_in_use()));
    if let Some((id, last, open)) = known {
        if !open || told.now.since(last) >= AGAIN_AFTER {
            shelf.stand(id, |s| {
                (s.status, s.true_until, s.low_cycles) = (EntryStatus::Active, None, 0);
                s.last_validated = s.last_validated.max(told.now);
            });
        }
        return;
    }
    if shelf.active().filter(|e| e.body.is_question).count() >= MOST_OPEN {
        return;
    }
    if let Some(id) = learn(shelf, question, Support::default(), told) {
        shelf.stand(id, |s| s.status = EntryStatus::Active);
        out.questions += 1;
    }
}

fn close(shelf: &mut Shelf, question: &EntryBody, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    let open: Vec<EntryId> = shelf.saying(question).filter(|e| e.is_in_use()).map(|e| e.id).collect();
    for id in open {
        shelf.stand(id, |s| (s.status, s.true_until) = (EntryStatus::Archived(told.now), Some(told.now)));
        out.answered += 1;
    }
}

/// Each weather, the episodes lived in it of late, and whether anything in use is about it.
fn weathers(shelf: &Shelf) -> Vec<(Regime, u32, bool)> {
    let (mut lived, mut known) = ([0; Regime::ALL.len()], [false; Regime::ALL.len()]);
    for (episode, _) in shelf.episodes() {
        lived[episode.regime as usize] += 1;
    }
    for entry in shelf.active().filter(|e| !e.body.is_question) {
        if let Some(regime) = entry.body.regime {
            known[regime as usize] = true;
        }
    }
    let named = Regime::ALL.into_iter().filter(|r| *r != Regime::Unknown);
    named.map(|r| (r, lived[r as usize], known[r as usize])).collect()
}
