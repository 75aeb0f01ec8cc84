//! Where what was found goes: each class to its own place, and nothing is believed for having been dreamt.

use super::*;
use crate::cycle::findings::{RehearsedWarning, ReplayPattern};
use crate::cycle::tests::{ORIGIN, dreaming, dreaming_with};
use crate::imagine::ImaginedHypothesis;
use crate::journal::{DreamJournalEntry, DreamProvenance};
use golem_core::VirtualTime;
use golem_grimoire::series::MinedClaim;
use golem_grimoire::staging::ProposalPool;
use golem_grimoire::{RuleAction, WarningSeverity};

const DEAR: &str = "market.gas_ratio > 2.0";
const FALLS: &str = "market.return_90 < 0.0";

fn claim(when: &str, then: &str) -> Claim {
    Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks: 90 }
}

fn pattern(text: &str, claim: Claim) -> ReplayPattern {
    ReplayPattern { text: text.to_owned(), episodes: Vec::new(), claim: Some(claim), mean_bps: 40.0 }
}

fn imagined(n: usize, bps: f64, action: Option<RuleAction>) -> ImaginedHypothesis {
    let claim = claim(&format!("market.gas_ratio > {n}.5"), FALLS);
    let text = format!("Above {n} and a half it falls.");
    let made = ImaginedHypothesis::new(&text, DreamProvenance::Counterfactual, claim, 0.2).expect("it can be asked");
    made.doing(action).executed(bps, 1)
}

fn classes(journal: &DreamJournalEntry) -> Vec<DreamOutputClass> {
    journal.phase3_summary.grimoire_updates.iter().map(|u| u.class).collect()
}

#[test]
fn each_class_goes_to_its_own_place() {
    dreaming(
        |_| {},
        |cycle, room| {
            cycle.findings.patterns = vec![pattern("Gas comes before a fall.", claim(DEAR, FALLS))];
            cycle.findings.hypotheses = vec![imagined(3, 20.0, None), imagined(4, 20.0, Some(RuleAction::StandAside))];
            let mut memory = DreamMemory::default();
            cycle.integrate(&mut memory, room);
            use DreamOutputClass::{NovelInsight, PlaybookRevision, StrategyHypothesis};
            assert_eq!(classes(&cycle.journal), [NovelInsight, StrategyHypothesis, PlaybookRevision]);
            let of = |pool| room.desk.proposals().filter(|p| p.pool == pool).collect::<Vec<_>>();
            let (others, changes) = (of(ProposalPool::Others), of(ProposalPool::Revisions));
            assert_eq!((others.len(), changes.len()), (2, 1));
            // A belief of dreams begins low, and what could change the playbook too.
            assert_eq!(others.iter().map(|p| p.confidence_bp).collect::<Vec<_>>(), [3_000, 2_000]);
            assert!(others.iter().chain(&changes).all(|p| p.source == Provenance::Dream));
            assert!(room.desk.shelf().in_use().next().is_none(), "nothing is believed for having been dreamt");
            assert_eq!(cycle.journal.phase3_summary.playbook_revisions_staged, ["Above 4 and a half it falls."]);
        },
    );
}

/// What each begins with is the owner's to say.
#[test]
fn what_was_found_begins_with_the_owners_confidence() {
    let unsure = |config: &mut crate::config::DreamConfig| {
        (config.consolidation.insight_confidence, config.consolidation.hypothesis_confidence) = (0.25, 0.15);
    };
    let begun = |from_the_record: bool| {
        let mut begun = Vec::new();
        dreaming(unsure, |cycle, room| {
            let mut body = room.desk.body(EntryKind::Warning, "Thin trade comes before a fall.".to_owned());
            body.claim = Some(claim("market.volume_ratio < 0.3", FALLS));
            body.severity = Some(WarningSeverity::High);
            let left_out = room.desk.warn(body, 3).expect("it is let in");
            let mut memory = DreamMemory::default();
            (0..3).for_each(|_| memory.crowded_out(&[left_out]));
            match from_the_record {
                true => cycle.findings.mined = vec![found(2.0, "market.return_90 > 0.004", None)],
                false => cycle.findings.patterns = vec![pattern("Gas comes before a fall.", claim(DEAR, FALLS))],
            }
            cycle.integrate(&mut memory, room);
            begun =
                room.desk.proposals().map(|p| (matches!(p.change, Proposed::Context(_)), p.confidence_bp)).collect();
        });
        begun.sort_unstable();
        begun
    };
    for from_the_record in [true, false] {
        assert_eq!(begun(from_the_record), [(false, 2_500), (true, 1_500)], "{from_the_record}");
    }
}

/// Found in the record: gas beyond a bound, and a move to one side that is held against one to the other, or not.
fn found(bound: f64, then: &str, unless: Option<&str>) -> (MinedClaim, Domain) {
    let when = format!("market.gas_ratio > {bound:?}");
    let claim = Claim { unless: unless.map(str::to_owned), ..claim(&when, then) };
    (MinedClaim { claim, hits: 30, n: 40, base_rate: 0.5, lift: 1.5, p_value: 0.001 }, Domain::PriceDirection)
}

#[test]
fn what_there_is_something_to_do_about_comes_first() {
    dreaming(
        |_| {},
        |cycle, room| {
            // What rises can be told, and no rule follows from it.
            let (up, down) = ("market.return_90 > 0.004", "market.return_90 < -0.004");
            cycle.findings.mined = vec![found(2.0, up, Some(down)), found(2.5, down, Some(up))];
            cycle.integrate(&mut DreamMemory::default(), room);
            let staged: Vec<_> = room.desk.proposals().map(|p| (p.pool, p.row.map(|row| row.place))).collect();
            assert_eq!(staged, [(ProposalPool::Revisions, Some(1)), (ProposalPool::Others, Some(2))]);
        },
    );
}

#[test]
fn a_move_held_against_its_opposite_is_staged_beside_one_that_is_not_and_once() {
    dreaming(
        |_| {},
        |cycle, room| {
            let (up, down) = ("market.return_90 > 0.004", "market.return_90 < -0.004");
            let mut waiting = |mined: (MinedClaim, Domain)| {
                cycle.findings.mined = vec![mined];
                cycle.integrate(&mut DreamMemory::default(), room);
                room.desk.proposals().count()
            };
            assert_eq!(waiting(found(2.0, down, None)), 1);
            assert_eq!(waiting(found(2.5, down, None)), 1, "the same with another bound");
            assert_eq!(waiting(found(2.5, down, Some(up))), 2, "a sharper test of it");
            assert_eq!(waiting(found(3.0, down, Some(up))), 2, "once");
            assert_eq!(waiting(found(3.5, down, None)), 2);
        },
    );
}

/// A belief that is not lived by, whose rule can be proven; and one whose rule is there already.
#[test]
fn what_is_believed_and_not_lived_by_may_be_proven_as_a_rule() {
    let (up, down) = ("market.return_90 > 0.004", "market.return_90 < -0.004");
    let said = |kind, text: &str, action| {
        let own = EntryBody::own(kind, text.to_owned(), ORIGIN, VirtualTime(0));
        EntryBody { claim: Some(claim(DEAR, down)), action, ..own }
    };
    let belief = said(EntryKind::Insight, "Dear gas comes before a fall.", None);
    let rule = said(EntryKind::Heuristic, "Risk half when gas is dear.", Some(RuleAction::Risk { factor: 0.5 }));
    for (believed, rules) in [(vec![belief.clone()], 1), (vec![belief, rule], 0)] {
        dreaming_with(
            &believed,
            |_| {},
            |cycle, room| {
                cycle.findings.mined = vec![found(2.5, down, None), found(2.5, down, Some(up))];
                cycle.integrate(&mut DreamMemory::default(), room);
                let staged = room.desk.proposals().filter(|p| p.pool == ProposalPool::Revisions);
                assert_eq!(staged.map(|p| p.claim.unless.as_deref()).collect::<Vec<_>>(), vec![Some(up); rules]);
                let met_again = classes(&cycle.journal).contains(&DreamOutputClass::ConfirmedPattern);
                assert!(met_again, "what is believed is firmer for it");
            },
        );
    }
}

#[test]
fn what_rehearsals_warn_of_enters_at_once_and_takes_risk_away_alone() {
    dreaming(
        |_| {},
        |cycle, room| {
            let (text, when) = ("A fall begins like this.".to_owned(), "market.return_15 < -0.03".to_owned());
            cycle.findings.warnings = vec![RehearsedWarning { text, when, severity: WarningSeverity::High, runs: 3 }];
            cycle.integrate(&mut DreamMemory::default(), room);
            assert_eq!(classes(&cycle.journal), [DreamOutputClass::ThreatScenario]);
            let warned: Vec<_> = room.desk.shelf().in_use().collect();
            assert_eq!((warned.len(), warned[0].body.kind), (1, EntryKind::Warning));
            assert_eq!((warned[0].body.provenance, warned[0].body.action.is_none()), (Provenance::Dream, true));
            assert!(room.desk.proposals().next().is_none());
        },
    );
}

#[test]
fn a_belief_that_is_met_again_is_firmer_at_once_and_surer_only_when_life_says_so() {
    dreaming(
        |_| {},
        |cycle, room| {
            let mut body = room.desk.body(EntryKind::Warning, "Dear gas comes before a fall.".to_owned());
            (body.claim, body.severity) = (Some(claim(DEAR, FALLS)), Some(WarningSeverity::High));
            let entry = room.desk.warn(body, 3).expect("it is let in");
            let before = room.desk.shelf().entry(entry).expect("it is there").standing.clone();
            cycle.findings.patterns = vec![pattern("It did again.", claim(DEAR, FALLS))];
            cycle.integrate(&mut DreamMemory::default(), room);
            assert_eq!(classes(&cycle.journal), [DreamOutputClass::ConfirmedPattern]);
            let after = room.desk.shelf().entry(entry).expect("it is there").standing.clone();
            assert!((after.strength - before.strength - REPLAY_STRENGTH).abs() < 1e-6);
            assert_eq!(after.confidence_bp, before.confidence_bp);
            let waiting: Vec<_> = room.desk.proposals().map(|p| p.change.clone()).collect();
            assert_eq!(waiting, [Proposed::Confidence { entry, by_bp: 500 }]);
        },
    );
}

#[test]
fn what_a_model_was_never_shown_asks_for_room_and_strangers_get_none() {
    dreaming(
        |_| {},
        |cycle, room| {
            let mut known = |text: &str, when: &str, provenance| {
                let mut body = room.desk.body(EntryKind::Warning, text.to_owned());
                (body.claim, body.severity) = (Some(claim(when, FALLS)), Some(WarningSeverity::High));
                body.provenance = provenance;
                room.desk.warn(body, 3).expect("it is let in")
            };
            let often = known("Dear gas comes before a fall.", DEAR, Provenance::Dream);
            let less = known("Thin trade comes before it too.", "market.volume_ratio < 0.3", Provenance::Dream);
            let seldom = known("So does a wide spread of prices.", "market.volatility > 0.03", Provenance::Testament);
            let theirs = known("Somebody says that calm does.", "market.volatility < 0.001", Provenance::Clade);
            let mut memory = DreamMemory::default();
            for _ in 0..3 {
                memory.crowded_out(&[often, less, theirs]);
            }
            memory.crowded_out(&[often, seldom, seldom, EntryId([9; 16])]);
            cycle.integrate(&mut memory, room);
            let waiting: Vec<_> = room.desk.proposals().map(|p| (p.change.clone(), p.claim.when.clone())).collect();
            let more = ContextChange::more_for(Provenance::Dream, 500).expect("its own");
            assert_eq!(waiting, [(Proposed::Context(more), DEAR.to_owned())], "once, and for what was left out most");
            assert_eq!(cycle.journal.phase3_summary.context_revisions_staged.len(), 1);
            assert_eq!(cycle.findings.proposed, 1);
            // What was asked for is counted anew; what can never ask is not kept.
            assert_eq!(memory.crowded_out, [(less, 3), (seldom, 2)].into());
        },
    );
    use Provenance::{Clade, Marketplace, Replicant};
    assert!([Clade, Replicant, Marketplace].into_iter().all(|theirs| ContextChange::more_for(theirs, 500).is_none()));
}

#[test]
fn changes_compete_for_as_many_places_as_the_owner_gives() {
    dreaming(
        |config| config.consolidation.max_staged_revisions = 2,
        |cycle, room| {
            let stand_aside = || Some(RuleAction::StandAside);
            cycle.findings.hypotheses =
                [(3, 5.0), (4, 10.0), (5, 60.0), (6, 1.0)].map(|(n, bps)| imagined(n, bps, stand_aside())).to_vec();
            cycle.integrate(&mut DreamMemory::default(), room);
            let waiting: Vec<&str> = room.desk.proposals().map(|p| p.claim.when.as_str()).collect();
            assert_eq!(waiting, ["market.gas_ratio > 4.5", "market.gas_ratio > 5.5"], "the most useful two");
            let away = &cycle.journal.phase3_summary.turned_away;
            assert_eq!(away.len(), 1);
            assert!(away[0].contains("worth more"), "{away:?}");
        },
    );
}
