//! What living costs, over whole lives: one steady burn, purses that are left alone, and profit that comes back to work.

use crate::life_kit::Watched;
use crate::puppet_kit::{self, Puppet, Seen, says};
use golem_core::Usdc;
use golem_core::fact::FactBody;
use golem_core::model::ModelMessage;
use golem_core::observed::{Field, Value};
use golem_daimon::affect::{AffectFact, AffectSample, EventKind, mortality_emotion};
use golem_life::fact::DaimonFact;
use golem_life::{Being, Fact, LifeFact, LifeStanding, Settings, Status};
use golem_mind::Template;
use golem_mortality::economic::Prices;
use golem_mortality::economic::surplus::operating_bound;
use golem_mortality::{BehavioralPhase, MortalityFact};

/// Memory and diagnostics shape what is traded, not what it costs; without them a life passes quickly.
fn lean() -> Settings {
    let mut settings = Settings::default();
    settings.diagnostics.enabled = false;
    settings.grimoire.enabled = false;
    settings.mortality.stochastic.enabled = false;
    settings
}

#[test]
fn the_runway_is_steady_and_true() {
    let mut golem = Watched::born(3, 50, &lean());
    let (mut last, mut spent_at_day_two) = (None, (0.0, 0.0));
    for hour in 1..=12 * 24u32 {
        golem.turns(90);
        let s = golem.life.status();
        let (left, burn) = (s.balance.minus(s.reserve).0 as f64, s.burn_rate_micro_usdc_per_tick);
        let runway = s.projected_life_h.unwrap();
        assert!((runway - left / burn / 90.0).abs() < 1.0, "one measure: {runway} h");
        let observed = golem.life.observed().get(Field::GolemProjectedLifeH);
        assert_eq!(observed, s.projected_life_h.and_then(Value::number), "and conditions read the same");
        if let Some(before) = last.replace(burn).filter(|_| hour > 24) {
            let moved: f64 = burn / before - 1.0;
            assert!(moved.abs() < 0.05, "hour {hour}: the burn moved by {:.1} %", moved * 100.0);
        }
        if hour == 48 {
            spent_at_day_two = (s.spent.0 as f64, s.age_days);
        }
    }
    let s = golem.life.status();
    let a_day = (s.spent.0 as f64 - spent_at_day_two.0) / (s.age_days - spent_at_day_two.1);
    let told = s.burn_rate_micro_usdc_per_tick * 2_160.0;
    assert!((told / a_day - 1.0).abs() < 0.10, "it says {told:.0} a day and spends {a_day:.0}");
}

/// What a model is told, what is felt, what is told when money is short: all by the measure that the status says. A life that
/// pays for thinking too, so that it burns more than its rent, down to its end.
#[test]
fn whoever_speaks_of_the_runway_means_the_same() {
    let mut settings = puppet_kit::settings();
    settings.grimoire.enabled = false;
    (settings.mortality.immortal, settings.mortality.stochastic.enabled) = (false, false);
    settings.mortality.economic.compute_usdc_per_hour = Usdc(20_000);
    let (seen, script) = (Seen::default(), r#"{"stance":"follow","confidence":1,"reason":"ok"}"#);
    let puppet = Puppet { script: Box::new(move |_| says(script)), seen: seen.clone() };
    let mut golem = Watched::born(3, 6, &settings).with_models(puppet);
    let (mut before, mut shown, mut felt, mut critical, mut dearest) = (golem.life.status(), 0, 0, 0, 0.0_f64);
    while golem.life.standing() == LifeStanding::Alive {
        let turn = golem.turn();
        let now = golem.life.status();
        for request in std::mem::take(&mut *seen.lock().unwrap()) {
            let ModelMessage::Golem { text } = &request.messages[0] else { panic!("{request:?}") };
            // It is asked before the turn is paid for, and by a price that has moved since the last one.
            let told = hours_told(text);
            assert!((told - before.projected_life_h.unwrap()).abs() <= 1.0, "{told} h at {}: {text}", now.tick);
            shown += 1;
        }
        for fact in &turn.facts {
            match &fact.body {
                Fact::Daimon(fact) => {
                    let DaimonFact::Affect(AffectFact::Appraisal { triggers, emotion, strength, pad, .. }) = &**fact
                    else {
                        continue;
                    };
                    if *triggers != [EventKind::Mortality] {
                        continue;
                    }
                    let sample = sample(&before, &now);
                    let rules = mortality_emotion(&sample);
                    let apart = pad.distance(rules.pad).max((strength - rules.strength.get()).abs());
                    assert!(*emotion == rules.label && apart < 1e-9, "{apart}: {sample:?}");
                    let unpressed = mortality_emotion(&AffectSample { runway_days: None, ..sample });
                    felt += u32::from(unpressed.strength.get() < rules.strength.get() - 0.05);
                }
                Fact::Mortality(MortalityFact::EconomicCritical { remaining, burn_rate, projected_ticks }) => {
                    assert_eq!((*remaining, *burn_rate), (left(&now), now.burn_rate_micro_usdc_per_tick));
                    assert_eq!(projected_ticks.map(|ticks| ticks as f64 / 90.0), now.projected_life_h);
                    critical += 1;
                }
                _ => {}
            }
        }
        dearest = dearest.max(now.burn_rate_micro_usdc_per_tick);
        before = now;
    }
    let rent = Prices::of(&settings.mortality.economic).rent_per_day().0 as f64 / 2_160.0;
    assert!(dearest > 1.05 * rent, "it pays for more than its rent: {dearest:.1} and {rent:.1} a tick");
    assert!(shown > 20 && felt > 0 && critical > 0, "{shown} shown, {felt} felt, {critical} critical");
}

fn left(s: &Status) -> Usdc {
    s.balance.minus(s.reserve)
}

/// What a context says that there is money for.
fn hours_told(text: &str) -> f64 {
    let after = text.split_once("money for ").unwrap_or_else(|| panic!("{text}")).1;
    after.split_once(" h").and_then(|(hours, _)| hours.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

/// What affect looks at: money as it is once the turn is paid for, and clocks that have not run yet.
fn sample(before: &Status, now: &Status) -> AffectSample {
    AffectSample {
        vitality: before.vitality.composite,
        phase: before.phase,
        balance_ratio: before.vitality.economic,
        runway_days: now.projected_life_h.map(|hours| hours / 24.0),
        fitness: before.vitality.epistemic,
        fitness_trend: before.fitness_trend,
        hazard: before.hazard_rate,
        prediction_error: 0.0,
        anomalies: 0,
    }
}

#[test]
fn purses_are_left_alone_where_the_plan_stays() {
    // Golems between Stable and Thriving, and one between Conservation and Declining.
    let mut settings = lean();
    let (mut moved, mut kept) = (0, 0);
    for (seed, center) in [(3, 0.36), (5, 0.36), (8, 0.36), (3, 0.59)] {
        settings.mortality.vitality.epistemic_center = center;
        let mut golem = Watched::born(seed, 50, &settings);
        for _ in 0..18 * 2_160 {
            let (phase, purses) = (golem.life.awareness().phase, golem.life.ledger().purses);
            let received = golem.life.ledger().received;
            let turn = golem.turn();
            let now = golem.life.awareness().phase;
            if now == phase {
                continue;
            }
            // A share of what a position brought in is refilled.
            let filled = golem.life.ledger().received > received;
            let filled =
                filled || turn.facts.iter().any(|f| matches!(f.body, Fact::Mortality(MortalityFact::Rebalance(_))));
            let change = |i: usize| golem.life.ledger().purses[i].0.abs_diff(purses[i].0);
            // Rent, gas and a snapshot of one turn, or all of it divided anew.
            let little = (0..4).all(|i| change(i) < 60_000);
            if phase.min(now) >= BehavioralPhase::Conservation {
                assert!(little || filled, "{phase} to {now}: {purses:?} became {:?}", golem.life.ledger().purses);
                kept += 1;
            } else {
                moved += usize::from(!little);
            }
            if now == BehavioralPhase::Terminal {
                break;
            }
        }
    }
    assert!(kept > 0 && moved > 0, "{kept} kept, {moved} divided anew");
}

#[test]
fn refill_does_not_shelter_what_was_earned() {
    let mut settings = lean();
    settings.policy.template = Template::LpManagement;
    // Little credit, and nothing to pay for: what profit adds is soon beyond the bound.
    settings.mortality.economic.operating_share = 0.05;
    settings.mortality.economic.refill_share = 1.0;
    settings.mortality.economic.compute_usdc_per_hour = Usdc(10);
    settings.mortality.economic.data_usdc_per_day = Usdc(10);
    settings.mortality.economic.snapshot_usdc = Usdc(10);
    let prices = Prices::of(&settings.mortality.economic);
    let mut golem = Watched::born(11, 2_000, &settings);
    let mut returned = 0;
    for _ in 0..25 * 2_160 {
        let turn = golem.turn();
        let ledger = golem.life.ledger();
        let bound = operating_bound(ledger, &prices, golem.life.age().age());
        assert!(ledger.operating() <= bound && ledger.balances(), "{} above {bound}", ledger.operating());
        returned += turn.told().filter(|f| matches!(f, LifeFact::Returned { .. })).count();
    }
    assert!(returned > 0, "something was earned and came back");
    assert_eq!(LifeFact::Returned { amount: Usdc(1) }.name(), "economy.returned");
}
