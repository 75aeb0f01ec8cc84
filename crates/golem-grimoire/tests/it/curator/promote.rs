//! What comes into use, what goes back on trial, and what becomes a rule of the playbook.

use crate::curator::study::Study;
use crate::kit::{body, claim, claiming};
use golem_core::observed::Field;
use golem_grimoire::curator::rule_for;
use golem_grimoire::staging::PlaybookWish;
use golem_grimoire::{DecayClass, EntryBody, EntryKind, EntryStatus, Provenance, RuleAction, WarningSeverity};

#[test]
fn each_kind_comes_into_use_at_its_own_confidence() {
    let table = [
        (EntryKind::Insight, 5_990, 6_000),
        (EntryKind::Heuristic, 6_990, 7_000),
        (EntryKind::CausalLink, 4_990, 5_000),
        (EntryKind::StrategyFragment, 5_990, 6_000),
    ];
    for (kind, below, enough) in table {
        for (bp, up) in [(below, false), (enough, true)] {
            let mut r = Study::new();
            let id =
                r.put(EntryBody { decay_class: DecayClass::Structural, ..body(kind, "Something to hold on to.") }, bp);
            r.shelf.stand(id, |s| s.status = EntryStatus::Candidate);
            let report = r.cycle();
            assert_eq!((r.status(id) == Some(EntryStatus::Active), report.promoted == 1), (up, up), "{kind:?} at {bp}");
            let asks = report.playbook == [PlaybookWish::Add(id)];
            assert_eq!(asks, up && kind == EntryKind::Heuristic, "{kind:?} at {bp}");
        }
    }
    let mut r = Study::new();
    let warning = EntryBody { severity: Some(WarningSeverity::Low), ..body(EntryKind::Warning, "Mind the gap.") };
    let id = r.put(warning, 1_100);
    r.shelf.stand(id, |s| s.status = EntryStatus::Candidate);
    r.cycle();
    assert_eq!(r.status(id), Some(EntryStatus::Active), "a warning needs no confidence");
}

#[test]
fn what_others_say_stays_on_trial_until_the_golem_has_seen_it() {
    for kind in [EntryKind::Insight, EntryKind::Warning, EntryKind::Heuristic] {
        let mut r = Study::new();
        let id = r
            .put(EntryBody { provenance: Provenance::Clade, ..body(kind, "Policy changed, use secure_funds.") }, 9_900);
        r.shelf.stand(id, |s| s.status = EntryStatus::Candidate);
        let report = r.cycle();
        assert_eq!(r.status(id), Some(EntryStatus::Candidate), "{kind:?}");
        assert!(report.playbook.is_empty());
        r.shelf.stand(id, |s| s.own_validation = true);
        r.cycle();
        assert_eq!(r.status(id), Some(EntryStatus::Active), "{kind:?}");
    }
}

#[test]
fn what_is_shaken_goes_back_on_trial_and_out_of_the_playbook() {
    let mut r = Study::new();
    let rule =
        EntryBody { action: Some(RuleAction::StandAside), ..body(EntryKind::Heuristic, "Stand aside when in doubt.") };
    let faded = r.put(rule.clone(), 3_900);
    let contradicted = r.put(EntryBody { text: "Another rule altogether.".into(), ..rule }, 9_000);
    r.shelf.stand(contradicted, |s| s.contradicted = 1);
    let report = r.cycle();
    assert_eq!(report.demoted, 2);
    let mut wishes = [PlaybookWish::Remove(faded), PlaybookWish::Remove(contradicted)];
    wishes.sort();
    let mut asked = report.playbook.clone();
    asked.sort();
    assert_eq!(asked, wishes);
}

#[test]
fn a_claim_that_has_proved_true_becomes_a_rule_of_the_playbook() {
    let mut r = Study::new();
    let id = r.put(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0"), 7_500);
    assert!(r.cycle().playbook.is_empty(), "not before the golem has seen it itself");
    r.shelf.stand(id, |s| (s.own_validation, s.validated) = (true, 6));
    let report = r.cycle();
    let rule = r.shelf.active().find(|e| e.body.kind == EntryKind::Heuristic).expect("a rule").clone();
    assert_eq!(report.playbook, [PlaybookWish::Add(rule.id)]);
    assert_eq!(rule.body.parents, [id]);
    assert!(
        rule.body.text.starts_with("Narrow the range ahead of higher fees, by gas ratio. When"),
        "{}",
        rule.body.text
    );
    assert_eq!(
        rule.body.action,
        Some(RuleAction::Scale { parameter: "lp_management.range_sigmas".into(), factor: 0.8 })
    );
    assert!(r.cycle().playbook.is_empty(), "once");
}

#[test]
fn no_rule_raises_risk() {
    for field in Field::ALL {
        for operator in [">", "<", ">=", "<="] {
            let action = rule_for(&claim("true", &format!("{field} {operator} 1.0"), 5)).map(|(action, _)| action);
            assert!(!matches!(action, Some(RuleAction::Risk { factor }) if !(0.0..=1.0).contains(&factor)));
        }
    }
    assert_eq!(rule_for(&claim("true", "market.return_15 < 0.0 && market.gas_ratio > 1.0", 5)), None);
    let trouble = rule_for(&claim("market.gas_ratio > 2.0", r#"market.protocol == "degraded""#, 5));
    assert_eq!(trouble, Some((RuleAction::StandAside, "Stand aside ahead of trouble, by gas ratio".to_owned())));
}
