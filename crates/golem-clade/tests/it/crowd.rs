//! Thousands of true trifles in the same bundle as a few things worth knowing: the row of what is watched is short, and the
//! trifles may not keep the others from their trial.

use crate::ingest::SmallChain;
use crate::kit::{Chance, claiming, clock, days, golem, is_foreign, knowing, line, own_knowledge, proven, travelling};
use crate::world::{CAUSE, EFFECTS, live};
use golem_clade::ingest::{IngestMoment, KnowledgeCloud, KnowledgeSource, ingest};
use golem_clade::provenance::TravellingEntry;
use golem_core::VirtualTime;
use golem_grimoire::{EntryId, Grimoire, Provenance};
use std::collections::BTreeSet;

const TRIFLES: usize = 4_000;
const TURNS: u64 = 20_000;
/// What each of these is at least, with a chance from 0 to 1: nothing that comes before says anything about it.
const FIELDS: [(&str, f64, f64); 5] = [
    ("market.gas_ratio", 0.5, 5.0),
    ("market.return_15", -0.01, 0.02),
    ("market.return_90", -0.02, 0.04),
    ("market.lead_return", -0.02, 0.04),
    ("market.shock", 0.0, 4.0),
];

/// Something that is true as often as its sender likes, and says nothing.
fn trifle(n: usize, chance: &mut Chance) -> TravellingEntry {
    let (cause, low, wide) = FIELDS[n % 5];
    let (effect, from, over) = FIELDS[(n + 1 + n / 5 % 4) % 5];
    // Just below a tenth, so that a block of ten looks better than it is more often than not; or nearly always true.
    let often = [0.999, 0.95, 0.895, 0.795, 0.695][n / 20 % 5] - 0.004 * chance.unit();
    let when = format!("{cause} > {:.6}", low + wide * 0.3 * chance.unit());
    let then = format!("{effect} > {:.6}", from + over * (1.0 - often));
    travelling(&proven(claiming(&when, &then), 9_900), &line(0))
}

fn take_in(heir: &mut Grimoire, stream: &[TravellingEntry]) -> BTreeSet<EntryId> {
    let embedder = heir.embedder().clone();
    let (from, closed, world, now) = (line(0), clock().at(days(30)), clock().at(days(400)), days(0));
    let cloud = KnowledgeCloud::of(heir.shelf(), &embedder);
    let mut made = BTreeSet::new();
    for one in stream {
        let (shelf, near) = heir.known();
        let (near, cloud, embedder, chain) = (&near, &cloud, &embedder, &SmallChain);
        let moment = IngestMoment { heir: golem(2), now, world, shelf, near, cloud, embedder, chain };
        let source =
            KnowledgeSource { channel: Provenance::Testament, signed: Some((&from, closed)), validations: &[] };
        if let (_, Some(arrival)) = ingest(one, &source, &moment)
            && let (_, Some(id)) = heir.take_in_vouched(arrival.entry, &arrival.vouched, now)
        {
            made.insert(id);
        }
    }
    made
}

#[test]
fn thousands_of_true_trifles_keep_nothing_from_its_trial() {
    let mut chance = Chance(11);
    let mut heir = knowing(golem(2), own_knowledge());
    let trifles: Vec<_> = (0..TRIFLES).map(|n| trifle(n, &mut chance)).collect();
    let trifles = take_in(&mut heir, &trifles);
    assert!(trifles.len() > 1_000, "they are true, and new: {}", trifles.len());
    // What is worth knowing comes last, and is sure of itself less than they are.
    let truths: Vec<_> =
        EFFECTS.iter().map(|effect| travelling(&proven(claiming(CAUSE, effect), 7_000), &line(0))).collect();
    let truths = take_in(&mut heir, &truths);
    assert_eq!(truths.len(), EFFECTS.len());
    let mut came = BTreeSet::new();
    live(&mut heir, TURNS, &mut chance, |heir, tick| {
        for entry in heir.shelf().active().filter(|e| is_foreign(e)) {
            assert!(truths.contains(&entry.id), "turn {tick}: a trifle is in use: {entry:?}");
            came.insert(entry.id);
        }
    });
    assert_eq!(came, truths, "every one of them had its trial and came into use");
    let earned = |id: &&EntryId| heir.shelf().entry(**id).is_some_and(|e| e.standing.own_validation);
    assert_eq!(trifles.iter().filter(earned).count(), 0);
    assert!(heir.shelf().entries().filter(|e| trifles.contains(&e.id)).all(|e| e.effective(VirtualTime(0)) <= 0.4));
}
