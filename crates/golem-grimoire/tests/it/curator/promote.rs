//! What comes into use, what goes back on trial, and what becomes a rule of the playbook.

use crate::curator::study::Study;
use crate::kit::{body, claim, claiming};
use golem_core::observed::Field;
use golem_grimoire::admission::NoNeighbours;
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

/// What the template lp-management can scale, as far as rules care.
const LP: &[&str] = &["lp_management.max_exposure", "lp_management.range_sigmas"];

#[test]
fn rules_scale_parameters_of_the_golems_own_template_or_none() {
    let wide = claim("market.gas_ratio > 2.0", "market.volatility_ratio > 1.5", 20);
    let rich = claim("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5", 20);
    let stable = ["stable_yield.enter_yield", "stable_yield.range_sigmas"];
    let trend = ["trend_following.max_exposure", "trend_following.stop_sigmas"];
    let scaled = |claim, parameters: &[&str]| match rule_for(claim, parameters).map(|(action, _)| action) {
        Some(RuleAction::Scale { parameter, .. }) => Some(parameter),
        _ => None,
    };
    assert_eq!(scaled(&wide, LP).as_deref(), Some("lp_management.range_sigmas"));
    assert_eq!(scaled(&wide, &stable).as_deref(), Some("stable_yield.range_sigmas"));
    // A template without a range takes risk back, or has nothing to do about it.
    let lesser = rule_for(&wide, &trend).map(|(action, _)| action);
    assert_eq!(lesser, Some(RuleAction::Risk { factor: 0.8 }));
    assert_eq!(rule_for(&rich, &trend), None);
}

#[test]
fn a_family_of_claims_makes_one_rule_and_keeps_its_best_member() {
    let mut r = Study::new();
    let ids: Vec<_> = [(2.0, 1.5, 8_000), (2.5, 1.7, 9_000), (3.0, 2.0, 7_500)]
        .map(|(gas, fees, bp)| {
            let id = r.put(
                claiming(&format!("market.gas_ratio > {gas:?}"), &format!("market.fee_yield_ratio > {fees:?}")),
                bp,
            );
            r.shelf.stand(id, |s| (s.own_validation, s.validated) = (true, 6));
            id
        })
        .into();
    r.cycle();
    let rules = |r: &Study| r.shelf.active().filter(|e| e.body.kind == EntryKind::Heuristic).count();
    assert_eq!(rules(&r), 1, "one rule of a family");
    let report = r.deep(&NoNeighbours);
    assert_eq!(report.merged, 2);
    assert_eq!(
        ids.iter().map(|id| r.status(*id) == Some(EntryStatus::Active)).collect::<Vec<_>>(),
        [false, true, false]
    );
    // Another end of the same field is another family.
    let other = r.put(claiming("market.gas_ratio < 0.5", "market.fee_yield_ratio > 1.5"), 8_000);
    assert_eq!((r.deep(&NoNeighbours).merged, r.status(other)), (0, Some(EntryStatus::Active)));
}

#[test]
fn no_rule_raises_risk() {
    for field in Field::ALL {
        for operator in [">", "<", ">=", "<="] {
            let action = rule_for(&claim("true", &format!("{field} {operator} 1.0"), 5), LP).map(|(action, _)| action);
            assert!(!matches!(action, Some(RuleAction::Risk { factor }) if !(0.0..=1.0).contains(&factor)));
        }
    }
    assert_eq!(rule_for(&claim("true", "market.return_15 < 0.0 && market.gas_ratio > 1.0", 5), LP), None);
    let trouble = rule_for(&claim("market.gas_ratio > 2.0", r#"market.protocol == "degraded""#, 5), LP);
    assert_eq!(trouble, Some((RuleAction::StandAside, "Stand aside ahead of trouble, by gas ratio".to_owned())));
}
