//! What an heir does with what was left unfinished: its first dreams take it up before anything of their own, and a life lived
//! again dreams the same.

use crate::life_kit::{Turn, Watched};
use golem_clade::heirloom::Heirloom;
use golem_core::Hash;
use golem_dreams::cycle::TAKEN_UP_A_CYCLE;
use golem_dreams::journal::{DreamJournalEntry, DreamProvenance};
use golem_dreams::{DreamFact, DreamTier};
use golem_grimoire::Provenance;
use golem_grimoire::change::NamedTable;
use golem_life::{Being, Fact, Settings, WrittenPages};
use std::collections::BTreeMap;

fn dreamer() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.dream.enabled = true;
    settings.dream.tier = DreamTier::Core;
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (20, 20, 20, 20);
    settings
}

fn told(turn: &Turn) -> impl Iterator<Item = &DreamFact> {
    turn.facts.iter().filter_map(|f| if let Fact::Dream(fact) = &f.body { Some(&**fact) } else { None })
}

/// A golem that has dreamt and is still testing something, and what it leaves.
fn parent() -> (Watched, Heirloom) {
    let mut golem = Watched::born(3, 1_000, &dreamer());
    let mut rows = BTreeMap::new();
    while golem.life.age().age().as_days() < 4.0 {
        let turn = golem.turn();
        for (key, body) in turn.rows(NamedTable::Dream) {
            rows.insert(key.to_owned(), body.to_owned());
        }
    }
    let id = golem.origin().0.birth.id;
    let pages = WrittenPages::of(id, rows.iter().map(|(key, body)| (NamedTable::Dream, key.as_str(), body.as_str())));
    let left = golem.leaves(&pages);
    assert!(left.hypotheses.len() > 1, "it was testing nothing");
    assert!(!left.dreams.is_empty() && left.dreams.iter().all(|d| d.dreamer == id), "{:?}", left.dreams);
    assert_eq!(Heirloom::read(&left.canonical()).unwrap(), left);
    (golem, left)
}

/// Live until the first dream is over: its journal, what was told on the way, and the digest after each turn.
fn first_dream(heir: &mut Watched) -> (DreamJournalEntry, Vec<DreamFact>, Vec<Hash>) {
    let (mut facts, mut digests) = (Vec::new(), Vec::new());
    for _ in 0..20_000 {
        let turn = heir.turn();
        digests.push(heir.life.digest());
        facts.extend(told(&turn).cloned());
        if let Some((_, body)) = turn.rows(NamedTable::Dream).find(|(key, _)| !key.contains('/')) {
            return (serde_json::from_str(body).unwrap(), facts, digests);
        }
    }
    panic!("nothing was dreamt");
}

#[test]
fn the_first_dream_of_an_heir_takes_up_what_its_parent_was_testing_and_a_life_lived_again_does_the_same() {
    let (golem, left) = parent();
    let unfinished: Vec<&str> = left.hypotheses.iter().map(|h| h.text.as_str()).collect();
    let mut heir = golem.heir(4, left.clone());
    let (journal, facts, digests) = first_dream(&mut heir);
    let taken: Vec<&str> = journal.inherited.iter().map(|one| one.text.as_str()).collect();
    assert!(!taken.is_empty() && taken.len() <= TAKEN_UP_A_CYCLE, "{journal:?}");
    assert!(taken.iter().all(|text| unfinished.contains(text)));
    assert!(journal.inherited.windows(2).all(|pair| pair[0].place < pair[1].place), "the most promising first");
    // Before anything that this night imagined itself.
    let imagined = facts.iter().filter_map(|f| match f {
        DreamFact::Hypothesis { provenance, .. } => Some(*provenance),
        _ => None,
    });
    let (inherited, own): (Vec<_>, Vec<_>) = imagined.enumerate().partition(|(_, p)| *p == DreamProvenance::Inherited);
    assert_eq!(inherited.len(), taken.len());
    assert!(inherited.iter().all(|(at, _)| own.iter().all(|(other, _)| at < other)), "{inherited:?} {own:?}");
    // What it has taken up is tested from the beginning, and counts as what was told by the dead.
    let staged: Vec<_> = heir.life.grimoire().unwrap().staging().proposals().cloned().collect();
    let told: Vec<_> = staged.iter().filter(|p| p.source == Provenance::Testament).collect();
    let came = journal.inherited.iter().filter(|one| one.came.as_ref().is_some_and(|c| c.starts_with("staged")));
    assert_eq!(told.len(), came.count());
    assert!(!told.is_empty() && told.iter().all(|p| p.confidence_bp <= 1_500), "{told:?}");
    let first_own = staged.iter().filter(|p| p.source == Provenance::Dream).map(|p| p.number).min();
    assert!(told.iter().all(|p| first_own.is_none_or(|own| p.number < own)), "it has the first places");
    // The next night goes on where this one ended.
    let (next, ..) = first_dream(&mut heir);
    assert!(next.inherited.iter().all(|one| journal.inherited.iter().all(|before| before.place < one.place)));
    assert!(left.hypotheses.len() <= taken.len() || !next.inherited.is_empty(), "{next:?}");

    let (golem, again) = parent();
    assert_eq!(again, left);
    let (same, _, lived_again) = first_dream(&mut golem.heir(4, again));
    assert_eq!((same, lived_again), (journal, digests), "bit for bit");
}

#[test]
fn who_was_left_nothing_to_finish_dreams_its_own() {
    let (golem, mut left) = parent();
    left.hypotheses.clear();
    let (journal, facts, _) = first_dream(&mut golem.heir(4, left));
    assert!(journal.inherited.is_empty());
    let inherited = |f: &DreamFact| matches!(f, DreamFact::Hypothesis { provenance: DreamProvenance::Inherited, .. });
    assert!(!facts.iter().any(inherited));
}

#[test]
fn nothing_that_was_unfinished_later_is_taken_up_earlier() {
    let (golem, mut left) = parent();
    // The life that left it ends only after the heir's first days.
    left.closed = left.closed.after(golem_core::Elapsed::secs(30 * 86_400));
    let (journal, ..) = first_dream(&mut golem.heir(4, left));
    assert!(journal.inherited.is_empty(), "{journal:?}");
}
