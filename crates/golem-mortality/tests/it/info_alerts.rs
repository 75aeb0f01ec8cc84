//! Whole lives of pairs through the diagnostics: who is called decoupled, overfitted, redundant, and who never is.
//! `BARDO_LONG=1` lives all hundred worlds of each kind; by default a slice of twenty.

use crate::dice;

use dice::{Dice, worlds};
use golem_core::fact::FactBody as _;
use golem_mortality::MortalityFact;
use golem_mortality::info::{
    AlertChange, InfoAlert, InfoConfig, InfoSeen, InfoState, Pair, RedundancyReport, assess_redundancy, bits_budget,
};

/// How much of the response's first axis follows the action's first axis, tick by tick.
type Coupling = fn(u64) -> f64;

/// Actions and responses that remember `phi` of themselves, coupled as told.
fn series(ticks: usize, phi: f64, coupling: Coupling, dice: &mut Dice) -> Vec<Pair> {
    let actions: Vec<Vec<f64>> = (0..3).map(|_| dice.remembering(ticks, phi)).collect();
    let responses: Vec<Vec<f64>> = (0..2).map(|_| dice.remembering(ticks, phi)).collect();
    (0..ticks)
        .map(|i| {
            let rho = coupling(i as u64);
            let follows = rho * actions[0][i] + libm::sqrt(1.0 - rho * rho) * responses[0][i];
            Pair { action: [actions[0][i], actions[1][i], actions[2][i]], response: [follows, responses[1][i]] }
        })
        .collect()
}

/// Lives through the pairs, one a tick, and returns the state and the alerts with their ticks.
fn live(pairs: &[Pair], composite: f64, dice: &mut Dice) -> (InfoState, Vec<(u64, InfoAlert)>) {
    let config = InfoConfig::default();
    let mut state = InfoState::default();
    let mut alerts = Vec::new();
    for (i, pair) in pairs.iter().enumerate() {
        state.push(*pair, &config);
        let nominal_tick = i as u64 + 1;
        let seen = InfoSeen { nominal_tick, composite };
        let changed = state.update(seen, &config, &mut || dice.uniform());
        alerts.extend(changed.into_iter().map(|alert| (nominal_tick, alert)));
    }
    (state, alerts)
}

fn raised(alerts: &[(u64, InfoAlert)], name: &str) -> bool {
    alerts
        .iter()
        .any(|(_, alert)| MortalityFact::from(alert.clone()).name() == name && alert.change() == AlertChange::Raised)
}

#[test]
fn independent_worlds_are_decoupled_and_never_overfitted() {
    let count = worlds(20, 100);
    let (mut decoupled, mut overfitted) = (0, 0);
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let phi = if seed % 2 == 0 { 0.9 } else { 0.6 };
        let pairs = series(4_000, phi, |_| 0.0, &mut dice);
        let (state, alerts) = live(&pairs, 0.8, &mut dice);
        decoupled += u64::from(state.diagnostics().decoupled);
        overfitted += u64::from(raised(&alerts, "mortality.overfitting_alert"));
        // The false half bit of the long memory is not taken for knowledge.
        assert!(state.diagnostics().mi_bits.unwrap() < 0.25);
        assert!(state.diagnostics().i_max_bits < 1.01);
    }
    assert!(decoupled * 100 >= count * 95, "{decoupled} of {count}");
    assert_eq!(overfitted, 0);
}

#[test]
fn coupled_worlds_are_never_decoupled() {
    let count = worlds(20, 100);
    let mut sum = 0.0;
    for seed in 0..count {
        let mut dice = Dice::new(1_000 + seed);
        let pairs = series(2_500, 0.9, |_| 0.8, &mut dice);
        let (state, alerts) = live(&pairs, 0.8, &mut dice);
        assert!(!raised(&alerts, "mortality.decoupling_alert"), "{seed} {alerts:?}");
        sum += state.diagnostics().mi_bits.unwrap();
    }
    // The truth is 0.74; the false half bit on top of it has been taken off.
    let mean = sum / count as f64;
    assert!((0.5..0.9).contains(&mean), "{mean}");
}

#[test]
fn a_weaker_but_real_coupling_is_saved_by_the_surrogates() {
    // Once it knew two bits; the quarter of a bit it knows now is below a fifth of that, and still real.
    let count = worlds(10, 100);
    let mut sum = 0.0;
    for seed in 0..count {
        let mut dice = Dice::new(2_000 + seed);
        let pairs = series(4_500, 0.3, |i| if i < 1_500 { 0.99 } else { 0.55 }, &mut dice);
        let (state, alerts) = live(&pairs, 0.8, &mut dice);
        assert!(!raised(&alerts, "mortality.decoupling_alert"), "{seed} {alerts:?}");
        sum += state.diagnostics().vitality.unwrap();
    }
    assert!(sum / (count as f64) < 0.2, "{sum} of {count}");
}

#[test]
fn what_fits_only_the_past_is_overfitted_and_recovers() {
    let count = worlds(20, 100);
    let mut found = 0;
    for seed in 0..count {
        let mut dice = Dice::new(3_000 + seed);
        let pairs = series(6_000, 0.8, |i| if i < 2_000 { 0.9 } else { 0.0 }, &mut dice);
        let (state, alerts) = live(&pairs, 0.4, &mut dice);
        found += u64::from(raised(&alerts, "mortality.overfitting_alert"));
        // A thousand pairs later the past is as empty as the present.
        assert!(!state.diagnostics().overfitted);
        assert!(!raised(&alerts, "mortality.decoupling_alert"), "its clocks were not content");
    }
    assert!(found * 100 >= count * 95, "{found} of {count}");
}

#[test]
fn decoupling_is_noticed_soon_and_cleared_when_it_ends() {
    let mut dice = Dice::new(77);
    let pairs = series(9_000, 0.8, |i| if (3_000..6_000).contains(&i) { 0.0 } else { 0.9 }, &mut dice);
    let (_, alerts) = live(&pairs, 0.8, &mut dice);
    let ticks: Vec<u64> = alerts
        .iter()
        .filter(|(_, alert)| MortalityFact::from(alert.clone()).name() == "mortality.decoupling_alert")
        .map(|(tick, _)| *tick)
        .collect();
    assert_eq!(ticks.len(), 2, "{alerts:?}");
    assert!((3_500..=5_000).contains(&ticks[0]), "{ticks:?}");
    assert!((6_000..=7_500).contains(&ticks[1]), "{ticks:?}");
}

/// What own and clade actions say about the same market.
fn compared(kind: &str, seed: u64) -> RedundancyReport {
    let (n, phi) = (1_000, 0.7);
    let mut dice = Dice::new(4_000 + seed);
    let side = |dice: &mut Dice| -> Vec<[f64; 3]> {
        let axes: Vec<Vec<f64>> = (0..3).map(|_| dice.remembering(n, phi)).collect();
        (0..n).map(|i| [axes[0][i], axes[1][i], axes[2][i]]).collect()
    };
    let own = side(&mut dice);
    let mut clade = side(&mut dice);
    let noise = [dice.remembering(n, phi), dice.remembering(n, phi)];
    let mut response: Vec<[f64; 2]> = (0..n).map(|i| [noise[0][i], noise[1][i]]).collect();
    for i in 0..n {
        match kind {
            "copy" => {
                clade[i] = own[i].map(|x| x + 0.1 * dice.normal());
                response[i][0] = 0.9 * own[i][0] + 0.4 * response[i][0];
            }
            "unique" => {
                response[i][0] = 0.95 * own[i][0] + 0.3 * response[i][0];
                response[i][1] = 0.95 * clade[i][0] + 0.3 * response[i][1];
            }
            _ => {}
        }
    }
    assess_redundancy(&own, &clade, &response, &InfoConfig::default(), &mut || dice.uniform()).unwrap()
}

#[test]
fn only_those_who_repeat_their_clade_are_redundant() {
    let redundant = |kind: &str, count: u64| (0..count).filter(|seed| compared(kind, *seed).redundant).count() as u64;
    assert_eq!(redundant("independent", worlds(20, 100)), 0);
    assert_eq!(redundant("unique", worlds(6, 100)), 0);
    let count = worlds(6, 100);
    let copies = redundant("copy", count);
    assert!(copies * 100 >= count * 90, "{copies} of {count}");
}

#[test]
fn redundancy_enters_the_diagnostics() {
    let config = InfoConfig::default();
    let mut state = InfoState::default();
    let copy = compared("copy", 1);
    let alert = state.note_redundancy(5_000, &copy, &config);
    assert!(matches!(alert, Some(InfoAlert::Redundancy { change: AlertChange::Raised, .. })));
    assert_eq!(state.note_redundancy(6_000, &copy, &config), None);
    assert!(state.diagnostics().redundant && !state.redundancy_due(7_999) && state.redundancy_due(8_000));
    let independent = compared("independent", 1);
    let alert = state.note_redundancy(8_000, &independent, &config);
    assert!(matches!(alert, Some(InfoAlert::Redundancy { change: AlertChange::Cleared, .. })));
}

#[test]
fn surrogates_get_rare_while_the_answer_stays_the_same() {
    let mut dice = Dice::new(8);
    let pairs = series(33_000, 0.5, |_| 0.0, &mut dice);
    let config = InfoConfig { window_pairs: 300, buffer_pairs: 600, ..InfoConfig::default() };
    let mut state = InfoState::default();
    let (mut draws, mut occasions) = (0, Vec::new());
    for (i, pair) in pairs.iter().enumerate() {
        state.push(*pair, &config);
        let nominal_tick = i as u64 + 1;
        let before = draws;
        let seen = InfoSeen { nominal_tick, composite: 0.8 };
        state.update(seen, &config, &mut || {
            draws += 1;
            dice.uniform()
        });
        // One draw seeds the jitter of a window; more than two mean surrogates.
        if draws - before > 2 {
            occasions.push(nominal_tick);
        }
    }
    assert!(occasions.windows(2).all(|w| w[1] - w[0] >= 1_000), "{occasions:?}");
    assert!(occasions.len() <= 10 && draws < 66 * 2 + 400, "{draws} draws at {occasions:?}");
}

#[test]
fn too_few_pairs_are_insufficient_and_not_zero() {
    let mut dice = Dice::new(5);
    let pairs = series(199, 0.5, |_| 0.9, &mut dice);
    let config = InfoConfig { estimate_every: 10, ..InfoConfig::default() };
    let mut state = InfoState::default();
    for (i, pair) in pairs.iter().enumerate() {
        state.push(*pair, &config);
        let seen = InfoSeen { nominal_tick: i as u64 + 1, composite: 0.9 };
        assert_eq!(state.update(seen, &config, &mut || dice.uniform()), []);
        assert_eq!(state.diagnostics().mi_bits, None);
        assert_eq!(state.diagnostics().cortical(), None);
        assert_eq!(bits_budget(state.diagnostics(), &config), None);
    }
    assert_eq!(state.diagnostics().pairs, 190);
}

#[test]
fn a_golem_that_always_does_the_same_knows_nothing() {
    let mut dice = Dice::new(6);
    let pairs: Vec<Pair> =
        series(600, 0.5, |_| 0.0, &mut dice).into_iter().map(|pair| Pair { action: [0.0; 3], ..pair }).collect();
    let (state, alerts) = live(&pairs, 0.9, &mut dice);
    assert_eq!(state.diagnostics().mi_bits, Some(0.0));
    assert!(raised(&alerts, "mortality.decoupling_alert"));
    assert!(state.diagnostics().entropy_rate.unwrap() < 0.01);
}

#[test]
fn a_life_is_repeated_to_the_bit_and_survives_storage() {
    let run = || {
        let mut dice = Dice::new(9);
        let pairs = series(2_500, 0.8, |i| if i < 1_200 { 0.8 } else { 0.1 }, &mut dice);
        live(&pairs, 0.7, &mut dice)
    };
    let (state, alerts) = run();
    assert_eq!(run(), (state.clone(), alerts));
    let stored = serde_json::to_string(&state).unwrap();
    let restored: InfoState = serde_json::from_str(&stored).unwrap();
    assert_eq!(restored.pairs.len(), 2_000);
    assert_eq!(restored.diagnostics().tick, state.diagnostics().tick);
}
