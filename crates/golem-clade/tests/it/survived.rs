//! What a line of golems has proven.

use crate::kit::{body, claim, claiming, clock, days, golem, heir_of, left_by, line, passport, proven, proven_rule};
use golem_clade::barrier::Crossings;
use golem_clade::survived::{InnateDefault, has_survived, innate, innate_candidates};
use golem_grimoire::playbook::read_innate;
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

#[test]
fn what_three_generations_proved_is_a_line_that_reads_back_and_none_raises_risk() {
    let width = "lp_management.range_sigmas";
    let scale = |key: &str, factor| RuleAction::Scale { parameter: key.to_owned(), factor };
    let table = [
        (RuleAction::Risk { factor: 0.4 }, "when market.gas_ratio > 2.0: risk 0.4", true),
        (RuleAction::StandAside, "when market.gas_ratio > 2.0: stand aside", true),
        (scale(width, 1.3), "when market.gas_ratio > 2.0: scale `lp_management.range_sigmas` by 1.3", true),
        // Wider or narrower is a matter of taste; larger is not.
        (
            scale("lp_management.base_exposure", 0.8),
            "when market.gas_ratio > 2.0: scale `lp_management.base_exposure` by 0.8",
            true,
        ),
        (
            scale("lp_management.base_exposure", 1.2),
            "when market.gas_ratio > 2.0: scale `lp_management.base_exposure` by 1.2",
            false,
        ),
        (RuleAction::Risk { factor: 1.5 }, "when market.gas_ratio > 2.0: risk 1.5", false),
    ];
    for (action, line, may_be) in table {
        let found = innate(&proven(rule(action.clone(), Provenance::SelfGenerated), 8_000), &lived(3, true));
        assert_eq!(found.and_then(|c| c.default.line()).as_deref(), Some(line));
        let read = read_innate(line);
        assert_eq!(read.is_ok(), may_be, "{read:?}");
        if let Ok(read) = read {
            assert_eq!((read.words().action.clone(), read.in_words()), (action, line.to_owned()));
            assert!(!read.is_owners() && read.id().entry().is_none());
        }
    }
    for odd in [
        "",
        "when : risk 0.5",
        "risk 0.5",
        "when market.gas_ratio > 2.0",
        "when nonsense: stand aside",
        "when market.gas_ratio > 2.0: sell everything",
    ] {
        assert!(read_innate(odd).is_err(), "{odd}");
    }
    let belief = claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5");
    assert_eq!(innate(&proven(belief, 8_000), &lived(3, true)).and_then(|c| c.default.line()), None);
}

/// What becomes a default stands on no trial, so that whatever can be held against an entry is held against it before: each row
/// is a way to claim three generations that were never lived.
#[test]
fn a_strangers_bundle_sets_no_default() {
    let (from, learnt, closed) = (line(4), clock().at(days(10)), clock().at(days(500)));
    let honest = proven_rule(learnt);
    let lines = |change: &dyn Fn(&mut golem_clade::provenance::TravellingEntry)| {
        let mut one = honest.clone();
        change(&mut one);
        let left = left_by(&from, vec![one], closed);
        left.innate(&heir_of(&left, closed)).len()
    };
    assert_eq!(lines(&|_| {}), 1, "what the line has proven is a default");
    type Change = fn(&mut golem_clade::provenance::TravellingEntry);
    let forged: [(&str, Change); 7] = [
        ("more generations than there were", |one| one.passport.crossings.survived = 9),
        ("carried by somebody else", |one| one.passport.crossings.carrier = golem(77)),
        ("learnt in a generation that has not been", |one| one.passport.learnt_by.generation = 8),
        ("another line's", |one| one.passport.lineage = golem(40)),
        ("surer than anything can be", |one| one.passport.crossings.judged_bp = 10_000),
        ("blood of a stranger", |one| one.passport.blood = Some(golem(77))),
        ("learnt after it was handed over", |one| one.passport.times.learnt = clock().at(days(501))),
    ];
    for (what, change) in forged {
        assert_eq!(lines(&change), 0, "{what}");
    }
}

/// What its owner chose not to hand on is no default either.
#[test]
fn what_is_left_out_sets_no_default() {
    let (from, closed) = (line(4), clock().at(days(500)));
    let mut left = left_by(&from, vec![proven_rule(clock().at(days(10)))], closed);
    let heir = heir_of(&left, closed);
    assert_eq!((left.innate(&heir).len(), left.given().count(), left.preview().entries), (1, 1, 1));
    left.choice.without = vec![left.heirloom.entries[0].passport.root];
    assert_eq!((left.innate(&heir).len(), left.given().count(), left.preview().entries), (0, 0, 0));
    // A choice without it is spelled as it always was, and one from before is read.
    let spelled = serde_json::to_string(&golem_clade::inheritance::InheritanceChoice::default()).expect("plain");
    assert_eq!(spelled, r#"{"domains":[],"exclude":[]}"#);
    let read: golem_clade::inheritance::InheritanceChoice = serde_json::from_str(&spelled).expect("as it was");
    assert_eq!(read, golem_clade::inheritance::InheritanceChoice::default());
}
