//! What strangers say: it informs, it is tested, and until this golem has seen it come true it moves nothing.

use crate::curator::study::Study;
use crate::kit::{body, claim, claiming, days, origin, standing};
use golem_core::{Elapsed, GolemId, VirtualTime};
use golem_grimoire::admission::{AdmissionReason, NoNeighbours, Ruling, judge};
use golem_grimoire::grimoire::{Foreign, STRANGER};
use golem_grimoire::playbook::Rule;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::standing::Support;
use golem_grimoire::{
    DecayClass, Entry, EntryBody, EntryId, EntryKind, EntryOrigin, EntryStatus, EpisodeId, Grimoire, Provenance,
    RuleAction, Standing, WarningSeverity,
};

fn newborn() -> Grimoire {
    Grimoire::new("listener".parse().unwrap(), origin())
}

/// As sure of itself as an entry can be.
fn boasting(body: EntryBody) -> Foreign {
    let standing = Standing {
        validated: 900,
        validators: 40,
        own_validation: true,
        dream_validated: true,
        strength: 8.0,
        quality: 1.0,
        ..standing(EntryStatus::Active, 9_900)
    };
    Foreign { body, standing }
}

#[test]
fn a_claim_that_is_true_by_its_own_form_is_refused() {
    let hollow = [
        ("golem.tick >= 5", "golem.tick >= 5"),
        ("true", "market.price > 0.0"),
        ("market.gas_ratio > 2.0", "true"),
        ("market.gas_ratio > 2.0", "market.gas_ratio > 1.9"),
        ("market.gas_ratio > 2.0", "market.volume >= 0.0"),
    ];
    for (when, then) in hollow {
        let said = EntryBody { claim: Some(claim(when, then, 1)), ..body(EntryKind::Insight, "Trust me.") };
        let mut grimoire = newborn();
        assert_eq!(grimoire.take_in(boasting(said.clone()), days(1)), Ruling::Refuse, "{when} -> {then}");
        assert_eq!(grimoire.shelf().entries().count(), 0);
        // Whoever says it: a dream or a model may think of it too.
        let own = judge(&Shelf::default(), &said, Support { confirmed: 9, contradicted: 0 }, None, VirtualTime(0));
        assert!(own.reasons.contains(&AdmissionReason::Hollow), "{own:?}");
    }
}

#[test]
fn what_an_entry_says_of_itself_is_dropped() {
    let said = EntryBody {
        origin: EntryOrigin { golem: GolemId([9; 16]), generation: 31 },
        provenance: Provenance::Testament,
        is_bloodstain: true,
        decay_class: DecayClass::Structural,
        severity: Some(WarningSeverity::High),
        time_to_live: Some(Elapsed::secs(900 * 86_400)),
        tags: vec!["base_rate_bp:1".to_owned(), "gas".to_owned()],
        episodes: vec![EpisodeId(1)],
        parents: vec![EntryId([3; 16])],
        ..body(EntryKind::Warning, "The pool will run dry.")
    };
    let mut grimoire = newborn();
    assert!(matches!(grimoire.take_in(boasting(said), days(3)), Ruling::Admit { .. }));
    let entry = grimoire.shelf().entries().next().unwrap();
    let b = &entry.body;
    assert_eq!((b.origin, b.is_bloodstain, b.provenance), (STRANGER, false, Provenance::Clade));
    assert_eq!((b.decay_class, b.time_to_live), (DecayClass::Regime, Some(Elapsed::secs(7 * 86_400))));
    assert_eq!((b.tags.as_slice(), b.episodes.len(), b.parents.len()), (["gas".to_owned()].as_slice(), 0, 0));
    let s = &entry.standing;
    assert!(!s.own_validation && !s.dream_validated && s.validated == 0 && s.strength <= 1.0 && s.validators == 0);
    assert!(entry.is_hearsay() && entry.effective(days(3)) <= 0.4);
}

#[test]
fn a_strangers_factor_never_stands_in_the_playbook_and_its_caution_only_once_proven() {
    let rule = |action| EntryBody {
        action: Some(action),
        kind: EntryKind::Heuristic,
        provenance: Provenance::Clade,
        ..claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5")
    };
    let scale = rule(RuleAction::Scale { parameter: "lp_management.max_exposure".into(), factor: 2.0 });
    let aside = rule(RuleAction::StandAside);
    for (body, proven, stands) in [
        (scale.clone(), false, false),
        (scale.clone(), true, false),
        (aside.clone(), false, false),
        (aside, true, true),
        (EntryBody { provenance: Provenance::SelfGenerated, ..scale }, false, true),
    ] {
        let standing = Standing { own_validation: proven, ..standing(EntryStatus::Active, 9_000) };
        let made = Rule::from_entry(&Entry::new(body.clone(), standing), days(1));
        assert_eq!(made.is_some(), stands, "{:?} {proven}", body.action);
    }
}

#[test]
fn two_lines_from_a_stranger_take_no_rule_away() {
    let mut study = Study::new();
    let own = study.put(claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0"), 5_500);
    let theirs =
        EntryBody { provenance: Provenance::Clade, ..claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0") };
    let said = study.put(theirs, 4_000);
    study.shelf.stand(said, |s| s.status = EntryStatus::Candidate);
    let report = study.deep(&NoNeighbours);
    assert_eq!((report.contradictions, report.quarantined), (1, 1));
    assert_eq!(study.status(own), Some(EntryStatus::Active), "what was learnt here stays");
    assert!(matches!(study.status(said), Some(EntryStatus::Quarantined(_))));
}
