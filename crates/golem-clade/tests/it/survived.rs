//! What a line of golems has proven.

use crate::kit::{body, claim, claiming, golem, passport, proven};
use golem_clade::barrier::Crossings;
use golem_clade::survived::{InnateDefault, has_survived, innate, innate_candidates};
use golem_grimoire::{EntryBody, EntryKind, Provenance, RuleAction};

fn rule(action: RuleAction, provenance: Provenance) -> EntryBody {
    EntryBody {
        kind: EntryKind::Heuristic,
        action: Some(action),
        provenance,
        ..claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5")
    }
}

fn lived(survived: u32, validated_here: bool) -> golem_clade::provenance::Passport {
    passport(Crossings { survived, validated_here, ..Crossings::learnt_by(golem(1), 9_000) })
}

#[test]
fn three_generations_with_a_validation_and_still_believed() {
    let (aside, question) = (
        rule(RuleAction::StandAside, Provenance::Testament),
        EntryBody { is_question: true, ..body(EntryKind::Insight, "Why?") },
    );
    for (body, survived, here, bp, innate) in [
        (&aside, 3, false, 7_000, true),
        (&aside, 2, true, 7_000, true),
        (&aside, 2, false, 9_900, false),
        (&aside, 3, true, 6_999, false),
        (&question, 9, true, 9_900, false),
    ] {
        let entry = proven(body.clone(), bp);
        assert_eq!(has_survived(&entry, &lived(survived, here)), innate, "{survived} {here} {bp}");
    }
}

#[test]
fn a_default_says_what_it_would_be() {
    let when = "market.gas_ratio > 2.0".to_owned();
    let scale = RuleAction::Scale { parameter: "lp_management.range_sigmas".into(), factor: 1.1 };
    let parameter =
        InnateDefault::Parameter { parameter: "lp_management.range_sigmas".into(), factor: 1.1, when: when.clone() };
    for (body, wanted) in [
        (rule(scale.clone(), Provenance::SelfGenerated), Some(parameter)),
        // A factor from elsewhere is nobody's default.
        (rule(scale, Provenance::Testament), None),
        (
            rule(RuleAction::Risk { factor: 0.4 }, Provenance::Testament),
            Some(InnateDefault::Caution { risk: 0.4, when: when.clone() }),
        ),
        (
            rule(RuleAction::StandAside, Provenance::Testament),
            Some(InnateDefault::Caution { risk: 0.0, when: when.clone() }),
        ),
        (
            claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"),
            Some(InnateDefault::Belief { claim: claim("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5") }),
        ),
        (body(EntryKind::Insight, "Words alone set nothing."), None),
    ] {
        let found = innate(&proven(body.clone(), 8_000), &lived(3, true)).map(|c| c.default);
        assert_eq!(found, wanted, "{body:?}");
    }
}

#[test]
fn the_most_often_validated_come_first() {
    let bodies =
        ["2.0", "3.0", "4.0"].map(|x| claiming(&format!("market.gas_ratio > {x}"), "market.fee_yield_ratio > 1.5"));
    let entries = bodies.map(|b| proven(b, 8_000));
    let passports = [lived(3, false), lived(7, false), lived(1, false)];
    let found = innate_candidates(entries.iter().zip(&passports));
    assert_eq!(found.iter().map(|c| c.generations).collect::<Vec<_>>(), [7, 3]);
}
