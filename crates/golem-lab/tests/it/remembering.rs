//! What a life does with what it remembers: how wide it looks, when it hears the other side, which decisions it forgets when
//! its rules change, and how much of its predictions it keeps.

use crate::life_kit;
use crate::puppet_kit;

use golem_core::{GolemId, Usdc, VirtualTime};
use golem_grimoire::change::NamedTable;
use golem_grimoire::retrieval::Recall;
use golem_grimoire::standing::Support;
use golem_grimoire::{DecayClass, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Remembered, Standing};
use golem_life::{LifeFact, Settings, TickInput};
use golem_mind::Prediction;
use golem_mind::cache::CacheCounts;
use golem_mortality::Domain;
use golem_mortality::config::{ChannelSwitches, Personality};
use life_kit::{Turn, Watched};
use puppet_kit::{Puppet, says};
use std::collections::BTreeMap;

fn immortal() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.mind.gate.base_deliberation_threshold = 0.05;
    settings
}

fn entry(text: &str, tag: &str) -> Entry {
    let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
    let body = EntryBody {
        decay_class: DecayClass::Structural,
        tags: vec![tag.to_owned()],
        ..EntryBody::own(EntryKind::Insight, text.to_owned(), origin, VirtualTime(0))
    };
    Entry::new(body, Standing::first(EntryStatus::Active, 8_000, Support::default(), VirtualTime(0)))
}

/// More than can be recalled at once, of four kinds; half of it speaks well of things.
fn much() -> Remembered {
    let subjects = ["volatile weather", "the price of gas", "news about the protocol", "the depth of the pool"];
    let said =
        ["at noon", "at night", "before a crash", "on Sundays", "after a storm", "late in the year", "twice a day"];
    let one = |(n, text): (usize, String)| (entry(&text, ["went:well", "went:badly"][n % 2]), None);
    let all = subjects.iter().flat_map(|subject| said.iter().map(move |when| format!("{subject} turns {when}")));
    Remembered { entries: all.enumerate().map(one).collect(), ..Remembered::default() }
}

/// What was recalled in a turn, if anything was.
fn recalled(turn: &Turn) -> Option<Recall> {
    turn.rows(NamedTable::Recall).next().map(|(_, body)| serde_json::from_str(body).unwrap())
}

/// The first recalls of a life that differs from others in what it explores only, and their turns.
fn first_recalls(explores: Option<Personality>) -> Vec<(u64, Recall)> {
    let mut settings = immortal();
    let affect = &mut settings.mortality.affect;
    let none = ChannelSwitches { risk: false, tier: false, sharing: false, dreams: false, ..affect.channels };
    affect.channels = ChannelSwitches { exploration: explores.is_some(), ..none };
    affect.personality = explores.unwrap_or_default();
    let mut golem = Watched::born(4, 500, &settings).remembering(much());
    (1..).filter_map(|n| recalled(&golem.turn()).map(|found| (n, found))).take(30).collect()
}

#[test]
fn whoever_explores_casts_the_net_wider() {
    // Whoever is restless and not afraid: fear makes cautious.
    let settled = Personality { pleasure: 1.0, arousal: -1.0, dominance: 1.0 };
    let restless = Personality { pleasure: -1.0, arousal: 1.0, dominance: 1.0 };
    let [settled, usual, restless] = [Some(settled), None, Some(restless)].map(first_recalls);
    assert_eq!((settled[0].0, usual[0].0), (restless[0].0, restless[0].0), "they live the same life until then");
    // A single moment may be one of fear, or find the same ten: over some of them it shows.
    let sameness = |recalls: Vec<(u64, Recall)>| {
        assert!(recalls.iter().all(|(_, recall)| recall.hits.len() == 10));
        recalls.iter().flat_map(|(_, recall)| &recall.hits).map(|hit| hit.why.alike).sum::<f64>() / 300.0
    };
    let [settled, usual, restless] = [settled, usual, restless].map(sameness);
    assert!(settled > usual && usual > restless, "{settled} {usual} {restless}");
}

#[test]
fn one_recall_in_a_hundred_turns_hears_the_other_side() {
    let mut golem = Watched::born(4, 500, &immortal()).remembering(much());
    let mut hundreds: BTreeMap<u64, Vec<bool>> = BTreeMap::new();
    for n in 1..600u64 {
        if let Some(recall) = recalled(&golem.turn()) {
            hundreds.entry(n / 100).or_default().push(recall.hits.iter().any(|hit| hit.why.contrarian));
        }
    }
    assert!(hundreds.len() > 4 && hundreds.values().all(|drawn| drawn.len() > 1), "{hundreds:?}");
    for (hundred, drawn) in hundreds {
        assert_eq!(drawn[0], hundred > 0, "the first of hundred {hundred}");
        assert!(drawn[1..].iter().all(|drawn| !drawn), "no other of hundred {hundred}: {drawn:?}");
    }
}

fn cache(golem: &Watched) -> CacheCounts {
    golem.life.mind().clone().cache().counts()
}

/// A golem whose model always comes to the same.
fn consistent(seed: u64) -> Watched {
    let mut settings = puppet_kit::settings();
    settings.thinking.request_usdc = Usdc::ZERO;
    settings.thinking.daily_calls = 100_000;
    settings.thinking.daily_tokens = u64::MAX;
    settings.mind.gate.base_deliberation_threshold = 0.05;
    let follow = says(r#"{"stance":"follow","confidence":0.6,"reason":"ok"}"#);
    let puppet = Puppet { script: Box::new(move |_| follow.clone()), seen: Default::default() };
    Watched::born(seed, 500, &settings).with_models(puppet)
}

fn revised(turn: &Turn) -> bool {
    turn.told().any(|f| matches!(f, LifeFact::PlaybookRevised { .. }))
}

#[test]
fn another_playbook_makes_it_think_again_about_what_was_decided() {
    const RULE: &str = "\n## Be small when poor\n\n- when: golem.projected_life_h < 1\n- do: risk 0.5\n";
    type Edit = fn(String) -> String;
    let table: [(&str, Edit, bool); 4] = [
        ("as it was", |page| page, false),
        ("no playbook at all", |_| "buy the moon".to_owned(), false),
        ("a note", |page| page + "\nMind the gap.\n", true),
        ("a rule", |page| page + RULE, true),
    ];
    for (edit, change, is_revision) in table {
        let mut golem = consistent(4);
        while cache(&golem).rules == 0 {
            golem.turn();
        }
        let before = cache(&golem);
        let edited = Some(change(golem.life.grimoire().unwrap().page()));
        let input = TickInput { edited, ..golem.input() };
        let turn = golem.live(&input);
        assert_eq!(revised(&turn), is_revision, "{edit}");
        let after = cache(&golem);
        // What is thought in the turn itself is thought under the new one.
        assert_eq!(after.dropped - before.dropped, if is_revision { before.held } else { 0 }, "{edit}: {after:?}");
        assert_eq!(after.rules > 0, !is_revision, "{edit}: {after:?}");
    }
}

#[test]
fn what_it_writes_into_its_playbook_itself_does_too() {
    let (mut revisions, mut forgotten) = (0, 0);
    // Not every life learns a rule in its first days.
    for seed in 4..10 {
        let mut golem = consistent(seed);
        for _ in 0..10_000 {
            let before = cache(&golem);
            if revised(&golem.turn()) {
                let after = cache(&golem);
                (revisions, forgotten) = (revisions + 1, forgotten + before.held);
                assert!(after.held <= 1 && after.rules == 0, "{before:?} {after:?}");
            }
            if forgotten > 0 {
                return;
            }
        }
    }
    panic!("{revisions} revisions, and nothing had been decided before them");
}

#[test]
fn of_the_predictions_one_in_a_horizon_is_kept() {
    let mut golem = Watched::born(4, 500, &immortal());
    let (mut kept, mut settled): (BTreeMap<&str, Vec<Prediction>>, BTreeMap<&str, u64>) = Default::default();
    for _ in 0..900 {
        let turn = golem.turn();
        for fact in turn.told() {
            if let LifeFact::PredictionResolved { domain, .. } = fact {
                *settled.entry(domain.name()).or_default() += 1;
            }
        }
        for (_, body) in turn.rows(NamedTable::Prediction) {
            let row: Prediction = serde_json::from_str(body).unwrap();
            assert!(row.came.is_some_and(|came| came.at == golem.life.age()), "{row:?}");
            kept.entry(row.domain.name()).or_default().push(row);
        }
    }
    for domain in Domain::ALL.into_iter().filter(|d| d.horizon().0 > 0) {
        let (horizon, rows) = (domain.horizon().0, &kept[domain.name()]);
        let places: Vec<u64> = rows.iter().map(|row| row.made.0 / horizon).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{domain}: {places:?}");
        // None of the whole horizons that are over is without one.
        let over = (golem.life.age().0 / horizon).saturating_sub(2);
        assert!(places.len() as u64 >= over, "{domain}: {} of {over}", places.len());
        assert!(settled[domain.name()] > 4 * rows.len() as u64, "{domain}: those between are settled and judged too");
    }
}
