//! What the grimoire says about episodes.

use super::super::kit::{act, on_axis};
use super::super::known::ReplayKnown;
use golem_core::{GolemId, Regime, VirtualTime};
use golem_grimoire::entry::{EntryBody, EntryOrigin, Provenance};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::standing::Standing;
use golem_grimoire::{Entry, EntryKind, EntryStatus, Episode, EpisodeId};

const ORIGIN: EntryOrigin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };

fn standing(validated: u32, contradicted: u32) -> Standing {
    Standing {
        status: EntryStatus::Active,
        confidence_bp: 5_000,
        quality: 0.5,
        validated,
        contradicted,
        validators: 0,
        own_validation: false,
        dream_validated: false,
        strength: 1.0,
        uses: 0,
        retrievals: 0,
        last_validated: VirtualTime(0),
        true_until: None,
        low_cycles: 0,
        expects: None,
    }
}

fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    for id in 1..=12 {
        let regime = if id % 2 == 0 { Regime::Volatile } else { Regime::RangeBound };
        assert!(shelf.record(Episode { regime, ..act(id, 1, 0) }));
        shelf.mark(EpisodeId(id), |m| m.outcome_bps = Some(if id <= 6 { 5.0 } else { -5.0 }));
    }
    shelf
}

fn add(shelf: &mut Shelf, text: &str, of: &[u64], change: impl FnOnce(&mut EntryBody, &mut Standing)) {
    let mut body = EntryBody::own(EntryKind::Insight, text.to_owned(), ORIGIN, VirtualTime(0));
    (body.episodes, body.regime) = (of.iter().map(|id| EpisodeId(*id)).collect(), Some(Regime::Volatile));
    let mut standing = standing(0, 0);
    change(&mut body, &mut standing);
    assert!(shelf.add(Entry { id: body.id(), hash: body.hash(), body, standing }));
}

fn numbers(of: &std::collections::BTreeSet<EpisodeId>) -> Vec<u64> {
    of.iter().map(|id| id.0).collect()
}

#[test]
fn evidence_of_what_holds_and_of_what_does_not() {
    let mut shelf = shelf();
    add(&mut shelf, "new", &[1], |_, _| {});
    add(&mut shelf, "proven", &[2], |_, s| s.validated = 1);
    add(&mut shelf, "own", &[3], |_, s| s.own_validation = true);
    add(&mut shelf, "refuted", &[1, 4], |_, s| s.contradicted = 1);
    add(&mut shelf, "gone", &[5], |_, s| s.status = EntryStatus::Archived(VirtualTime(1)));
    add(&mut shelf, "asked", &[6], |b, s| (b.is_question, s.validated) = (true, 9));
    add(&mut shelf, "heard", &[7], |b, s| (b.provenance, s.validated) = (Provenance::Testament, 9));
    let known = ReplayKnown::of(&shelf);
    assert_eq!(numbers(&known.distilled), [1, 2, 3]);
    assert_eq!(numbers(&known.validated), [2, 3]);
    assert_eq!(numbers(&known.contradicted), [4, 5], "1 speaks for something that is in use");
}

#[test]
fn what_held_in_several_regimes_can_be_handed_on() {
    let mut shelf = shelf();
    add(&mut shelf, "wild", &[2], |_, s| s.validated = 1);
    assert_eq!(numbers(&ReplayKnown::of(&shelf).transferable), Vec::<u64>::new(), "one regime is not several");
    add(&mut shelf, "calm", &[3], |_, s| s.validated = 1);
    add(&mut shelf, "another end", &[8], |_, s| s.validated = 1);
    add(&mut shelf, "not proven", &[5], |_, _| {});
    assert_eq!(numbers(&ReplayKnown::of(&shelf).transferable), [2, 3]);
    add(&mut shelf, "in any weather", &[10], |b, s| (b.regime, s.validated) = (None, 1));
    assert_eq!(numbers(&ReplayKnown::of(&shelf).transferable), [2, 3, 10]);
}

#[test]
fn deaths_are_where_bloodstains_say() {
    let mut shelf = shelf();
    let stain = |b: &mut EntryBody, at: usize| {
        (b.is_bloodstain, b.provenance, b.prototype) = (true, Provenance::Testament, Some(on_axis(at, 1.0)));
    };
    add(&mut shelf, "here", &[], |b, _| stain(b, 1));
    add(&mut shelf, "no longer", &[], |b, s| {
        stain(b, 2);
        s.status = EntryStatus::Archived(VirtualTime(1));
    });
    add(&mut shelf, "nobody died", &[], |b, _| b.prototype = Some(on_axis(3, 1.0)));
    assert_eq!(ReplayKnown::of(&shelf).bloodstains, [on_axis(1, 1.0)]);
}
