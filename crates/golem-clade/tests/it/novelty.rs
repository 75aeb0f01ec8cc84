//! What an heir validates first.

use crate::kit::{body, claiming, days, golem, knowing, proven};
use golem_clade::novelty::{NoveltyRank, ValidationTurn, rank_by_novelty};
use golem_grimoire::{EntryBody, EntryKind};
use proptest::prelude::*;

fn ranked(known: Vec<EntryBody>, inherited: &[EntryBody]) -> Vec<NoveltyRank> {
    let heir = knowing(golem(2), known.into_iter().map(|b| proven(b, 9_000)).collect());
    let bodies: Vec<&EntryBody> = inherited.iter().collect();
    rank_by_novelty(&bodies, heir.shelf(), heir.embedder(), days(0))
}

fn of(ranks: &[NoveltyRank], at: usize) -> (usize, NoveltyRank) {
    ranks.iter().copied().enumerate().find(|(_, r)| r.at == at).expect("everything has a place")
}

#[test]
fn surprise_goes_first_and_what_is_known_waits() {
    let known = vec![
        claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"),
        claiming("market.volatility_ratio > 2.0", "market.return_15 < 0.0"),
        body(EntryKind::Insight, "Gas is dear in the evening."),
    ];
    let inherited = [
        // Known, to the field.
        claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"),
        // Known but for its bounds.
        claiming("market.gas_ratio > 3.0", "market.fee_yield_ratio > 1.2"),
        // The opposite of what is believed.
        claiming("market.volatility_ratio > 2.0", "market.return_15 > 0.0"),
        // Something else altogether.
        body(EntryKind::Warning, "A bridge that pauses withdrawals is about to fail."),
        // Nearly the same words.
        body(EntryKind::Insight, "Gas is dear in the evenings."),
    ];
    let ranks = ranked(known, &inherited);
    assert_eq!(ranks[0].at, 2, "what denies a belief is the greatest news: {ranks:?}");
    assert_eq!((ranks[0].surprise, ranks[0].turn), (1.0, ValidationTurn::First));
    let (place, bridge) = of(&ranks, 3);
    assert_eq!((place, bridge.turn), (1, ValidationTurn::First), "{ranks:?}");
    for at in [0, 1, 4] {
        assert_eq!(of(&ranks, at).1.turn, ValidationTurn::Deferred, "{at}: {ranks:?}");
    }
    assert!(of(&ranks, 0).1.surprise.abs() < 1e-12);
    assert!(of(&ranks, 1).1.surprise <= 0.1, "bounds alone are no news");
}

#[test]
fn the_second_that_says_the_same_is_no_surprise_any_more() {
    let twice = [
        claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"),
        claiming("market.gas_ratio > 2.5", "market.fee_yield_ratio > 1.4"),
        body(EntryKind::Warning, "A bridge that pauses withdrawals is about to fail."),
    ];
    let ranks = ranked(Vec::new(), &twice);
    let turns: Vec<_> = ranks.iter().map(|r| r.turn).collect();
    assert_eq!(turns, [ValidationTurn::First, ValidationTurn::First, ValidationTurn::Deferred], "{ranks:?}");
    assert_ne!(ranks[2].at, 2, "the bridge is news in any case");
}

proptest! {
    #[test]
    fn everything_has_one_place_whatever_the_order(
        (few, mixed) in prop::collection::vec((2..6_u32, 0..3_usize), 0..14)
            .prop_flat_map(|few| (Just(few.clone()), Just(few).prop_shuffle())),
    ) {
        let effects = ["market.fee_yield_ratio > 1.5", "market.volume_ratio > 2.0", "market.return_15 < 0.0"];
        let bodies = |few: &[(u32, usize)]| -> Vec<EntryBody> {
            few.iter().map(|(x, e)| claiming(&format!("market.gas_ratio > {x}.0"), effects[*e])).collect()
        };
        let known = vec![claiming("market.gas_ratio > 2.0", effects[0])];
        let (a, b) = (bodies(&few), bodies(&mixed));
        let (ra, rb) = (ranked(known.clone(), &a), ranked(known, &b));
        let mut places: Vec<usize> = ra.iter().map(|r| r.at).collect();
        places.sort_unstable();
        prop_assert_eq!(places, (0..a.len()).collect::<Vec<_>>());
        let said = |all: &[EntryBody], r: &[NoveltyRank]| {
            r.iter().map(|r| (all[r.at].text.clone(), r.surprise.to_bits())).collect::<Vec<_>>()
        };
        prop_assert_eq!(said(&a, &ra), said(&b, &rb));
        prop_assert!(ra.windows(2).all(|w| w[0].surprise >= w[1].surprise));
    }
}
