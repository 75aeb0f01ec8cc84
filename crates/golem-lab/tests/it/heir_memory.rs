//! What an heir has from the first turn on: rules that its line has proven, causes that wait for its own rows, and beside every
//! entry what the testament says of it.

use crate::life_kit::Watched;
use golem_clade::heirloom::Heirloom;
use golem_clade::provenance::{Passport, TravellingEntry};
use golem_clade::world_time::LifeClock;
use golem_core::VirtualTime;
use golem_core::observed::Field;
use golem_grimoire::causal::{Edge, EdgeId};
use golem_grimoire::change::NamedTable;
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::standing::Support;
use golem_grimoire::testament::{Testament, TestamentSource};
use golem_grimoire::{
    Claim, Entry, EntryBody, EntryId, EntryKind, EntryOrigin, EntryStatus, Remembered, Standing, WarningSeverity,
};
use golem_life::{Ask, Being, LifeFact, LifeStanding, Settings, WrittenPages};
use golem_mind::policy::Template;
use std::collections::BTreeMap;

fn mortal() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.stochastic.enabled = false;
    settings
}

/// A golem that lived for some days and was ended, with all that it wrote.
fn departed() -> (Watched, WrittenPages, Heirloom) {
    let mut golem = Watched::born(3, 500, &mortal());
    let mut rows = BTreeMap::new();
    let mut asked = false;
    while golem.life.standing() != LifeStanding::Dead {
        let over = !asked && golem.life.age().age().as_days() >= 4.0;
        let turn = if over { golem.asked(vec![Ask::Kill { reason: "enough".into() }]) } else { golem.turn() };
        asked |= over;
        for (key, body) in turn.rows(NamedTable::Testament) {
            rows.insert(key.to_owned(), body.to_owned());
        }
    }
    let kept = rows.iter().map(|(key, body)| (NamedTable::Testament, key.as_str(), body.as_str()));
    let pages = WrittenPages::of(golem.origin().0.birth.id, kept);
    let left = golem.leaves(&pages);
    (golem, pages, left)
}

#[test]
fn an_inherited_entry_is_told_with_what_the_testament_says_of_it() {
    let (golem, pages, left) = departed();
    let testament: &Testament = pages.testament.as_ref().expect("it wrote one");
    assert!(!left.passages.is_empty(), "a testament speaks of something that is left");
    let said: Vec<&str> = testament.sentences().map(|s| s.text()).collect();
    assert!(left.passages.iter().all(|p| said.contains(&p.text.as_str())), "in its own words");
    assert_eq!(Heirloom::read(&left.canonical()).unwrap(), left);
    let mut heir = golem.heir(5, left.clone());
    heir.turns(3);
    let grimoire = heir.life.grimoire().unwrap();
    let told: Vec<EntryId> = grimoire
        .shelf()
        .entries()
        .map(|e| e.id)
        .filter(|id| grimoire.told_beside(*id).is_some_and(|t| t.passage.is_some()))
        .collect();
    assert!(!told.is_empty(), "{:?}", left.passages);
    for id in &told {
        let passage = grimoire.told_beside(*id).and_then(|t| t.passage.clone()).unwrap();
        assert!(left.passages.iter().any(|p| p.text == passage));
    }
}

#[test]
fn what_three_generations_proved_stands_in_the_playbook_from_the_first_turn_on() {
    let line = "when market.price > 0.0: stand aside";
    let mut settings = mortal();
    settings.defaults.rules = vec![line.to_owned()];
    assert_eq!(settings.problems(), []);
    assert_ne!(settings.hash(), mortal().hash(), "it is part of how a golem is born");
    let mut golem = Watched::born(3, 500, &settings);
    let first = golem.turn();
    assert!(first.told().any(|f| matches!(f, LifeFact::PlaybookRevised { revision: 1, dreamt: false })));
    let rules = |golem: &Watched| -> Vec<String> {
        golem.life.grimoire().unwrap().playbook().rules().map(|r| r.in_words()).collect()
    };
    assert_eq!(rules(&golem), [line]);
    // It is used: what always holds keeps it out of the market, where a twin without it has gone in.
    let mut twin = Watched::born(3, 500, &mortal());
    golem.turns(1_500);
    twin.turns(1_500);
    let opened = |g: &Watched| g.life.holdings().liquidity > 0 || g.life.holdings().asset > golem_core::Asset::ZERO;
    assert!(opened(&twin) && !opened(&golem), "a default that nobody obeys is none");
    // A newborn with the same rule twice, or with too many, is refused before it is born.
    settings.defaults.rules = vec!["when market.price > 0.0: risk 2.0".to_owned()];
    assert_eq!(settings.problems().len(), 1);
    settings.defaults.rules = vec![line.to_owned(); 17];
    assert_eq!(settings.problems().len(), 1);
}

#[test]
fn causes_wait_for_the_heirs_own_rows_and_a_restart_knows_them() {
    let (golem, _, mut left) = departed();
    let (from, to, lag) = (Field::MarketGasGwei, Field::MarketFeeYield, 20);
    left.edges = vec![Edge {
        id: EdgeId::new(from, to, lag),
        from,
        to,
        lag,
        weight: 0.4,
        confidence_bp: 9_000,
        held: 9,
        failed: 0,
        failed_in_a_row: 0,
        fired: 3,
        last_fired: None,
        created: golem.life.age(),
        invalidated: None,
        judged: 9,
    }];
    let mut heir = golem.heir(5, left);
    heir.turns(3);
    let untested = |heir: &Watched| -> Vec<u16> {
        heir.life.grimoire().unwrap().graph().untested().map(|e| e.confidence_bp).collect()
    };
    assert_eq!(untested(&heir), [4_000], "no more than a testament is worth");
    let again = heir.remembering(Remembered::default());
    assert_eq!(untested(&again), [4_000], "it follows from the birth record and the saved state");
    assert_eq!(again.life.grimoire().unwrap().graph().waiting(), 1);
}

/// What a golem leaves as things stand, with one thing that it knew: a warning.
fn warns(golem: &Watched) -> Heirloom {
    let mut left = golem.leaves(&WrittenPages::default());
    let own = left.lineage.clone();
    let origin = EntryOrigin { golem: own.golem, generation: own.generation };
    let claim = Claim {
        when: "market.gas_ratio > 1.0".to_owned(),
        then: "market.volatility_ratio > 1.0".to_owned(),
        unless: None,
        after_ticks: 20,
    };
    let text = "When gas is dearer than usual, the weather turns within minutes.".to_owned();
    let body = EntryBody {
        claim: Some(claim),
        severity: Some(WarningSeverity::High),
        ..EntryBody::own(EntryKind::Warning, text, origin, VirtualTime(0))
    };
    let first = Standing::first(EntryStatus::Active, 9_000, Support::default(), VirtualTime(0));
    let entry = Entry::new(body, Standing { validated: 9, own_validation: true, quality: 0.7, ..first });
    let passport = Passport::own(&entry, &own, LifeClock { zero: golem.origin().0.birth.born_at });
    let entry = Foreign { body: entry.body, standing: entry.standing };
    left.entries = vec![TravellingEntry { entry, passport }];
    (left.questions, left.validations, left.passages) = Default::default();
    left
}

/// What acting by something inherited was worth goes back to whoever learnt it: as long as its heir lives, and in its testament.
#[test]
fn an_heir_tells_what_was_owed_to_whom() {
    let mut settings = mortal();
    settings.policy.template = Template::EthDca;
    settings.policy.eth_dca.every_ticks = 100;
    // Memory is asked in nearly every turn.
    settings.mind.gate.base_deliberation_threshold = 0.05;
    let mut parent = Watched::born(3, 500, &settings);
    parent.turns(300);
    let learnt_by = parent.origin().0.birth.id;
    let mut heir = parent.heir(5, warns(&parent));
    for _ in 0..30_000 {
        if !heir.life.status().attributed.is_empty() {
            break;
        }
        heir.turn();
    }
    let owed = heir.life.status().attributed;
    let [one] = &owed[..] else { panic!("the warning kept it from buying once: {owed:?}") };
    assert_eq!((one.learnt_by, one.by_rule.len()), (learnt_by, 1));
    assert_eq!((one.by_rule[0].trials, one.by_rule[0].bps), (one.trials, one.bps), "one rule is all there is");
    let known = heir.life.grimoire().unwrap().shelf().entry(one.by_rule[0].rule).expect("it has the warning");
    assert_eq!((known.body.kind, known.body.origin.golem), (EntryKind::Warning, learnt_by));

    let mut rows = Vec::new();
    heir.asked(vec![Ask::Kill { reason: "enough".into() }]);
    while heir.life.standing() != LifeStanding::Dead {
        let turn = heir.turn();
        rows.extend(turn.rows(NamedTable::Testament).map(|(_, body)| body.to_owned()));
    }
    let told = Testament::read(rows.first().expect("it wrote one")).unwrap();
    assert_eq!(told.attributed, heir.life.status().attributed, "what it owed in the end");
    let worth = told.attributed[0].by_rule[0];
    let section = if worth.bps < 0.0 { &told.sections.got_wrong } else { &told.sections.learned };
    let words = "I had this from my parent; over ";
    let said = section.iter().find(|said| said.text().contains(words)).unwrap_or_else(|| panic!("{section:?}"));
    assert_eq!(said.rests_on(), [TestamentSource::Entry(worth.rule)]);
    assert!(said.text().contains(&format!("{:+.1} basis points", worth.bps)), "{}", said.text());
    assert!(said.text().starts_with("When gas is dearer"), "{}", said.text());
    // Who lived by what it learnt itself owes nothing, and its testament has no word for it.
    let (first, pages, _) = departed();
    let own = pages.testament.as_ref().expect("it wrote one");
    assert_eq!((&own.attributed[..], first.life.status().attributed.len()), (&[][..], 0));
    assert!(!golem_core::plain::json(own).contains("attributed"), "its form is what it was");
}
