//! What was thought through three times is a rule, until the world moves on.

use golem_core::intent::Holdings;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, Regime, VirtualTime};
use golem_grimoire::EntryId;
use golem_grimoire::playbook::RuleId;
use golem_mind::cache::{CachePlace, DecisionCache, Scene, Stance, Versions};
use golem_mind::{Permissions, Probes, Severity, Template};
use golem_mortality::BehavioralPhase;

const NOW: Versions = Versions { playbook: 1, context: 1 };

fn rule(n: u8) -> RuleId {
    EntryId([n; 16]).into()
}

fn scene(regime: Regime, gas: Severity) -> Scene {
    let probes = Probes { gas, ..Default::default() };
    Scene::of(regime, &probes, &Holdings::default(), 0.31, Template::LpManagement)
}

fn calm() -> Scene {
    scene(Regime::RangeBound, Severity::Low)
}

fn seen(price: f64, gas: f64) -> Snapshot {
    let mut all = Snapshot::default();
    all.set_number(Field::MarketPrice, price).unwrap().set_number(Field::MarketGasGwei, gas).unwrap();
    all
}

fn at(tick: u64) -> VirtualTime {
    VirtualTime(0).after(Elapsed::nominal(tick))
}

fn place<'a>(scene: &'a Scene, seen: &'a Snapshot, tick: u64, life: Option<u32>) -> CachePlace<'a> {
    CachePlace { scene, seen, now: at(tick), versions: NOW, life }
}

/// A cache in which the calm scene was analysed at the given ticks.
fn analysed(ticks: &[(u64, Stance)]) -> DecisionCache {
    let mut cache = DecisionCache::default();
    for (tick, stance) in ticks {
        cache.note(&place(&calm(), &seen(2_000.0, 0.05), *tick, Some(1)), *stance, &[rule(7)]);
    }
    cache
}

fn three() -> DecisionCache {
    analysed(&[(1, Stance::StandAside), (2, Stance::StandAside), (3, Stance::StandAside)])
}

fn asks(cache: &mut DecisionCache, scene: &Scene, seen: &Snapshot, tick: u64, versions: Versions) -> Option<Stance> {
    cache.find(&CachePlace { versions, ..place(scene, seen, tick, Some(1)) }).map(|c| c.stance)
}

#[test]
fn three_times_the_same_is_a_rule_and_twice_is_not() {
    let still = seen(2_000.0, 0.05);
    for (history, expected) in [
        (vec![Stance::StandAside; 2], None),
        (vec![Stance::StandAside; 3], Some(Stance::StandAside)),
        (vec![Stance::Follow, Stance::Follow, Stance::StandAside, Stance::Follow, Stance::Follow], None),
        (vec![Stance::StandAside, Stance::Follow, Stance::Follow, Stance::Follow], Some(Stance::Follow)),
    ] {
        let ticks: Vec<_> = (1u64..).zip(history).collect();
        let mut cache = analysed(&ticks);
        assert_eq!(asks(&mut cache, &calm(), &still, 6, NOW), expected, "{ticks:?}");
    }
    let mut cache = three();
    asks(&mut cache, &calm(), &still, 5, NOW);
    asks(&mut cache, &scene(Regime::RangeBound, Severity::High), &still, 5, NOW);
    let counts = cache.counts();
    assert_eq!((counts.asked, counts.hits, counts.held, counts.rules), (2, 1, 1, 1));
    assert_eq!((cache.held()[0].hits, cache.held()[0].count), (1, 3));
}

#[test]
fn a_rule_lives_as_long_as_its_phase_says() {
    // The life of 45 nominal ticks after the last analysis at tick 3, by the factors of the phase table.
    for (phase, last) in [
        (BehavioralPhase::Thriving, Some(47)),
        (BehavioralPhase::Stable, Some(92)),
        (BehavioralPhase::Conservation, Some(92)),
        (BehavioralPhase::Declining, Some(182)),
        (BehavioralPhase::Terminal, None),
    ] {
        let life = phase.behaviour().cache_life;
        let mut cache = DecisionCache::default();
        for tick in 1..=3 {
            cache.note(&place(&calm(), &seen(2_000.0, 0.05), tick, life), Stance::Reduce, &[]);
        }
        let mut holds = |tick| cache.find(&place(&calm(), &seen(2_000.0, 0.05), tick, life)).is_some();
        match last {
            Some(last) => assert!(holds(last) && !holds(last + 1), "{phase}"),
            None => assert!(!holds(3), "{phase} caches nothing"),
        }
    }
}

#[test]
fn one_more_analysis_renews_what_has_expired() {
    let mut cache = three();
    let still = seen(2_000.0, 0.05);
    assert_eq!(asks(&mut cache, &calm(), &still, 60, NOW), None);
    cache.note(&place(&calm(), &still, 60, Some(1)), Stance::StandAside, &[]);
    assert_eq!(asks(&mut cache, &calm(), &still, 61, NOW), Some(Stance::StandAside));
}

#[test]
fn a_change_of_regime_of_context_or_of_a_rule_forgets() {
    let still = seen(2_000.0, 0.05);
    let mut weather = three();
    assert_eq!(asks(&mut weather, &scene(Regime::Volatile, Severity::Low), &still, 4, NOW), None);
    assert_eq!(asks(&mut weather, &calm(), &still, 5, NOW), None, "it is gone when the weather is back, too");
    let mut context = three();
    assert_eq!(asks(&mut context, &calm(), &still, 4, Versions { context: 2, ..NOW }), None);
    assert_eq!((context.counts().held, context.counts().dropped), (0, 1));
    let mut playbook = three();
    playbook.forget(&[rule(8)]);
    assert!(asks(&mut playbook, &calm(), &still, 4, Versions { playbook: 2, ..NOW }).is_some(), "another rule");
    playbook.forget(&[rule(9), rule(7)]);
    assert_eq!(asks(&mut playbook, &calm(), &still, 4, NOW), None);
}

#[test]
fn a_condition_that_drifts_by_more_than_a_fifth_forgets() {
    for (price, gas, holds) in [
        (2_399.0, 0.05, true),
        (2_401.0, 0.05, false),
        (1_601.0, 0.05, true),
        (1_599.0, 0.05, false),
        (2_000.0, 0.059, true),
        (2_000.0, 0.061, false),
    ] {
        let mut cache = three();
        assert_eq!(asks(&mut cache, &calm(), &seen(price, gas), 4, NOW).is_some(), holds, "{price} {gas}");
        assert_eq!(asks(&mut cache, &calm(), &seen(2_000.0, 0.05), 5, NOW).is_some(), holds, "gone for good");
    }
    let mut blind = three();
    assert_eq!(asks(&mut blind, &calm(), &Snapshot::default(), 4, NOW), None, "what is not seen is not the same");
}

#[test]
fn situations_are_told_apart_and_their_number_is_bounded() {
    let mut cache = DecisionCache::default();
    let mut patterns = std::collections::BTreeSet::new();
    for n in 0..200u32 {
        let s = Scene { exposure: f64::from(n % 10) / 10.0 + 0.05, ..calm() };
        let probes =
            Probes { price_delta: [Severity::None, Severity::Low, Severity::High][n as usize / 10 % 3], ..s.probes };
        let probes = Probes { causes: [Severity::None, Severity::Low, Severity::High][n as usize / 30 % 3], ..probes };
        let s = Scene { probes, ..s };
        patterns.insert(s.pattern());
        cache.note(&place(&s, &seen(1.0, 1.0), u64::from(n), Some(1)), Stance::Follow, &[]);
    }
    assert_eq!((patterns.len(), cache.counts().held), (90, 64));
    assert!(cache.held().iter().all(|c| c.last_validated >= at(100)), "the oldest go first");
}

#[test]
fn no_stance_allows_more() {
    for stance in [Stance::Follow, Stance::Ease { percent: 250 }, Stance::StandAside, Stance::Reduce] {
        for may in [Permissions::ALL, Permissions::REDUCE, Permissions { risk: 0.3, ..Permissions::ALL }] {
            let narrow = stance.narrow(&may);
            assert!(narrow.risk <= may.risk && narrow.may_open <= may.may_open, "{stance:?} {narrow:?}");
            assert_eq!((narrow.may_rebalance, narrow.unwind), (may.may_rebalance, may.unwind));
        }
    }
    assert!((Stance::Ease { percent: 40 }.narrow(&Permissions::ALL).risk - 0.4).abs() < 1e-12);
}
