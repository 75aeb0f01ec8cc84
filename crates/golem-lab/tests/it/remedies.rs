//! A stressor is over sooner where the golem does something about it. A slice; the whole table is `bardo lab remedies`.

use crate::life_kit::Watched;
use crate::puppet_kit::{self, Puppet, Seen, says};

use golem_core::{GolemId, Usdc, VirtualTime};
use golem_daimon::suffering::Canonical;
use golem_grimoire::change::Change;
use golem_grimoire::playbook::{Amendment, PlaybookWriter, Rule, RuleId};
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, DecayClass, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Grimoire, Remembered, RuleAction,
    Standing,
};
use golem_lab::remedies::{RemedyArm, RemedyLine, RemedyPlan, RemedyReport, measure};
use golem_life::{Ask, Being};

fn slice(stressors: &[Canonical], days: u64) -> RemedyReport {
    let plan = RemedyPlan { stressors: stressors.to_vec(), seeds: 4, days, ..RemedyPlan::default() };
    measure(&plan, &|_| ()).unwrap()
}

/// It opened on most paths, and was over sooner by the mean and on most of them.
fn is_over_sooner(report: &RemedyReport, line: &RemedyLine) {
    assert!(line.opened * 4 >= line.lives * 3, "{line:?}");
    let hours = |arm: RemedyArm| {
        let of = report.lives.iter().filter(move |l| l.stressor == line.stressor && l.arm == arm);
        of.map(|l| l.hours_until_eased).collect::<Vec<_>>()
    };
    let both = hours(RemedyArm::Without).into_iter().zip(hours(line.arm)).filter_map(|(a, b)| a.zip(b));
    let pairs: Vec<(f64, f64)> = both.collect();
    let sooner = pairs.iter().filter(|(without, with)| with < without).count();
    assert!(line.until_eased.mean < -6.0 && sooner * 2 > pairs.len(), "{}: {pairs:?}", line.stressor);
}

#[test]
fn stressors_are_over_sooner_with_remedies() {
    for (stressor, days) in DAYS {
        let report = slice(&[stressor], days);
        let with = report.lines.iter().find(|l| l.arm == RemedyArm::With).unwrap();
        is_over_sooner(&report, with);
    }
}

/// As many days as it takes to tell. Repeated failure is not among them: it opens on two paths of three, and a slice is too few
/// to tell.
const DAYS: [(Canonical, u64); 5] = [
    (Canonical::Futility, 30),
    (Canonical::Invisibility, 14),
    (Canonical::IdentityViolation, 14),
    (Canonical::ExistentialThreat, 10),
    (Canonical::Purposelessness, 30),
];

#[test]
fn a_message_that_nobody_answers_changes_nothing() {
    let report = slice(&[Canonical::Invisibility, Canonical::ExistentialThreat], 14);
    let silent: Vec<&RemedyLine> = report.lines.iter().filter(|l| l.arm == RemedyArm::Unanswered).collect();
    let [unseen, poor] = &silent[..] else { panic!("{silent:?}") };
    assert!(unseen.until_eased.mean.abs() < 1e-9 && unseen.eased == 0, "{unseen:?}");
    assert!(poor.until_eased.mean.abs() < 12.0, "{poor:?}");
}

#[test]
fn whoever_lives_cheaply_still_answers_its_owner() {
    let mut settings = puppet_kit::settings();
    settings.mortality.epistemic.measure = golem_mortality::config::Measure::RSquared;
    settings.mortality.epistemic.senescence_threshold = 0.60;
    settings.mortality.epistemic.recovery_threshold = 0.90;
    settings.thinking.request_usdc = Usdc::ZERO;
    let seen = Seen::default();
    let script = |_: &golem_core::model::ModelRequest| says(r#"{"stance":"follow","confidence":0.6,"reason":"ok"}"#);
    let puppet = Puppet { script: Box::new(script), seen: seen.clone() };
    let mut golem = Watched::born(5, 500, &settings).with_models(puppet);
    while golem.life.status().load.unwrap() < 0.25 {
        golem.turn();
    }
    seen.lock().unwrap().clear();
    golem.turns(500);
    assert_eq!(seen.lock().unwrap().len(), 0, "under the threat no model is asked for its own sake");
    golem.asked(vec![Ask::Tell { text: "how are you?".into() }]);
    assert_eq!(seen.lock().unwrap().len(), 1, "a question of the owner's is answered");
    golem.turns(20);
    assert_eq!(seen.lock().unwrap().len(), 1, "and nothing more");
}

/// A grimoire with one rule of its own in the playbook, and the rule.
fn believing(support: Support) -> (Grimoire, Entry) {
    let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
    let claim = Claim {
        when: "market.gas_ratio > 2".to_owned(),
        then: "market.price > 0".to_owned(),
        unless: None,
        after_ticks: 90,
    };
    let body = EntryBody {
        claim: Some(claim),
        action: Some(RuleAction::StandAside),
        decay_class: DecayClass::Structural,
        ..EntryBody::own(EntryKind::Heuristic, "Stand aside while gas is dear.".to_owned(), origin, VirtualTime(0))
    };
    let entry = Entry::new(body, Standing::first(EntryStatus::Active, 9_000, support, VirtualTime(0)));
    let name: golem_core::Name = "believer".parse().unwrap();
    let rule = Amendment::Put(Box::new(Rule::from_entry(&entry, VirtualTime(0)).unwrap()));
    let (revision, _) = PlaybookWriter::new(name.clone(), origin.golem).curate(vec![rule]);
    let Change::Row { table, key, body, .. } = revision.unwrap().change else { panic!("a playbook is a row") };
    let memory =
        Remembered { entries: vec![(entry.clone(), None)], rows: vec![(table, key, body)], ..Remembered::default() };
    let state = Grimoire::new(name.clone(), origin).state();
    (Grimoire::rebuild(name, origin, state, &memory).unwrap(), entry)
}

#[test]
fn a_rule_yields_only_where_the_record_speaks_against_it_and_then_it_is_out_of_force() {
    let (mut grimoire, rule) = believing(Support { confirmed: 4, contradicted: 3 });
    assert_eq!(grimoire.yield_if_contradicted(rule.id, VirtualTime(1)), None);
    assert!(grimoire.playbook().rule(&RuleId::from(rule.id)).is_some());

    let (mut grimoire, rule) = believing(Support { confirmed: 3, contradicted: 4 });
    assert!(matches!(grimoire.yield_if_contradicted(rule.id, VirtualTime(1)), Some(Some(_))));
    assert!(grimoire.playbook().rule(&RuleId::from(rule.id)).is_none(), "nobody can act against it any more");
    let standing = &grimoire.shelf().entry(rule.id).unwrap().standing;
    assert!(standing.confidence_bp < 5_000 && standing.status == EntryStatus::Candidate, "{standing:?}");
}
