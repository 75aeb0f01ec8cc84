//! Phages in a life: when they are born, what becomes of them, that they touch nothing, and that a life with them is lived again
//! as it was.

use crate::life_kit::{Turn, Watched};
use golem_dreams::phage::{ChildKind, PhageFact, PhageVerdict, UntestedBecause};
use golem_life::{Ask, Being, Fact, Life, Settings};
use golem_mortality::BehavioralPhase;
use std::collections::BTreeMap;

fn with_phages() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    settings.phages.enabled = true;
    settings
}

fn told(turn: &Turn) -> Vec<&PhageFact> {
    let all = turn.facts.iter().filter_map(|f| if let Fact::Phage(fact) = &f.body { Some(&**fact) } else { None });
    all.collect()
}

#[test]
fn children_are_born_live_their_turns_and_die_with_a_verdict() {
    let mut golem = Watched::born(5, 10_000, &with_phages());
    let mut born: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut judged, mut ended) = (0, 0);
    for turn in 1..=(6 * 2_160) {
        let lived = golem.turn();
        for fact in told(&lived) {
            match fact {
                PhageFact::Born { id, kind: ChildKind::Phage, lives_turns, .. } => {
                    assert_eq!(*lives_turns, 50);
                    assert!(born.insert(*id, turn).is_none(), "born twice");
                }
                PhageFact::Died { id, kind: ChildKind::Phage, verdict, shadow_ticks, .. } => {
                    let at = born.remove(id).expect("whoever dies was born");
                    assert_eq!(turn - at, 50, "it lives fifty turns");
                    ended += 1;
                    judged += u32::from(verdict.micro().is_some());
                    assert!(*shadow_ticks <= 200);
                }
                _ => {}
            }
        }
    }
    // Stable or better all the while: two or three a day, a first one after a first wait.
    assert!((10..=18).contains(&ended), "{ended} in six days");
    assert!(judged * 2 >= ended, "{judged} of {ended} were judged");
    let stats = golem.life.status().phages.expect("it has children");
    assert_eq!(
        stats.counts.survived + stats.counts.failed + stats.counts.indifferent,
        u64::from(stats.signals.judged).max(u64::from(judged))
    );
    println!("{stats:#?}");
}

#[test]
fn a_golem_without_children_is_what_it_was_and_children_touch_neither_money_nor_chain() {
    // What children find may change what is believed, and so what is done. Until the first has died nothing can differ.
    let settings = with_phages();
    let mut without = settings.clone();
    without.phages.enabled = false;
    let (mut parent, mut alone) = (Watched::born(11, 10_000, &settings), Watched::born(11, 10_000, &without));
    let mut deaths = 0;
    while deaths == 0 {
        let (with, plain) = (parent.turn(), alone.turn());
        assert!(told(&plain).is_empty());
        deaths += told(&with).iter().filter(|f| matches!(f, PhageFact::Died { .. })).count();
        let rest = |turn: &Turn| {
            turn.facts.iter().filter(|f| !matches!(f.body, Fact::Phage(_))).map(|f| f.body.clone()).collect::<Vec<_>>()
        };
        assert_eq!(rest(&with), rest(&plain));
        assert_eq!(parent.life.balance(), alone.life.balance());
        assert_eq!(parent.life.ledger(), alone.life.ledger());
        assert_eq!(parent.life.holdings(), alone.life.holdings());
    }
    assert!(alone.life.status().phages.is_none());
}

#[test]
fn who_dies_takes_its_children_along() {
    let mut settings = with_phages();
    settings.mortality.immortal = false;
    let mut golem = Watched::born(5, 10_000, &settings);
    while golem.life.status().phages.is_none_or(|p| p.alive.is_empty()) {
        golem.turn();
    }
    golem.turns(7);
    let last = golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
    let orphaned = PhageVerdict::Untested { because: UntestedBecause::Orphaned };
    assert!(told(&last).iter().any(|f| matches!(f, PhageFact::Died { verdict, .. } if *verdict == orphaned)));
    assert!(golem.life.status().phages.is_some_and(|p| p.alive.is_empty() && p.signals.judged == 0));
    for _ in 0..60 {
        if golem.life.standing() == golem_life::LifeStanding::Dead {
            break;
        }
        assert!(told(&golem.turn()).is_empty(), "no child outlives it, and none is born of the dying");
    }
}

#[test]
fn saved_and_restored_in_the_middle_of_a_childs_life_it_goes_on_the_same() {
    let mut golem = Watched::born(9, 10_000, &with_phages());
    while golem.life.status().phages.is_none_or(|p| p.alive.is_empty()) {
        golem.turn();
    }
    for _ in 0..49 {
        let (genesis, secret) = golem.origin();
        // The memory's rows are the file's business: what is asked here is the state of the children themselves.
        let saved = golem.life.save().join();
        let again = Life::restore(genesis, secret, &saved, golem_grimoire::Remembered::default()).expect("it fits");
        assert_eq!(again.status().phages, golem.life.status().phages);
        assert!(again.status().phages.is_some_and(|p| !p.alive.is_empty()));
        golem.turn();
    }
}

#[test]
fn the_phase_says_how_many_and_the_dying_phases_have_none() {
    for (phase, want) in [
        (BehavioralPhase::Thriving, 3),
        (BehavioralPhase::Stable, 2),
        (BehavioralPhase::Conservation, 1),
        (BehavioralPhase::Declining, 0),
        (BehavioralPhase::Terminal, 0),
    ] {
        assert_eq!(with_phages().phages.per_day.table()[phase as usize], want);
    }
}
