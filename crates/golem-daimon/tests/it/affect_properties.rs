//! Affect under any input: finite, within bounds, the same after a save, and untouched by a clock that is set back.

use crate::affect_kit;

use affect_kit::{any_float, samples};
use golem_core::VirtualTime;
use golem_daimon::affect::baseline;
use golem_daimon::affect::{
    Affect, AffectConfig, AffectSample, AppraisalModel, ChannelSwitches, Channels, DreamMix, EXPLORATION, Emotion,
    Event, LEAST_CREATIVE, MOST_TIER_SHIFT, ModelAppraisal, Pad, Personality, Plutchik, RISK_CAP, RISK_FLOOR, SHARING,
};
use proptest::prelude::*;

fn events() -> impl Strategy<Value = Vec<Event>> {
    let one = prop_oneof![
        any_float().prop_map(|pct| Event::TradeProfit { pct }),
        any_float().prop_map(|pct| Event::TradeLoss { pct }),
        any_float().prop_map(|error| Event::PredictionMiss { error }),
        Just(Event::RegimeShift),
        Just(Event::SiblingDeath),
        Just(Event::KnowledgeValidated),
        Just(Event::KnowledgeContradicted),
        any::<bool>().prop_map(|ok| Event::DreamOutcome { ok }),
        any::<u8>().prop_map(|tier| Event::DreamThreat { tier }),
        Just(Event::GoalCompleted),
        Just(Event::GoalFailed),
        Just(Event::Mortality),
        Just(Event::Unknown),
    ];
    prop::collection::vec(one, 0..5)
}

fn said() -> impl Strategy<Value = Option<ModelAppraisal>> {
    let one = (0usize..8, prop::array::uniform3(any_float()), any_float())
        .prop_map(|(label, pad, strength)| ModelAppraisal(Emotion::new(Plutchik::ALL[label], pad, strength)));
    prop::option::of(one)
}

fn configs() -> impl Strategy<Value = AffectConfig> {
    let switches = prop::array::uniform5(prop::bool::weighted(0.8));
    (any_float(), prop::array::uniform3(any_float()), any::<u64>(), any::<[bool; 2]>(), switches).prop_map(
        |(mood_decay_rate, [pleasure, arousal, dominance], grief_duration_ticks, [model, aware], on)| AffectConfig {
            enabled: true,
            appraisal_model: if model { AppraisalModel::ChainOfEmotion } else { AppraisalModel::RuleBased },
            mood_decay_rate,
            mortality_aware_affect: aware,
            grief_duration_ticks,
            personality: Personality { pleasure, arousal, dominance },
            channels: ChannelSwitches { exploration: on[0], risk: on[1], tier: on[2], sharing: on[3], dreams: on[4] },
            ..AffectConfig::default()
        },
    )
}

type Turn = (u64, Vec<Event>, Option<ModelAppraisal>, AffectSample, Vec<[f64; 3]>);

/// Any clock: forwards by turns of any length, and backwards.
fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let clock = prop_oneof![8 => 0u64..50_000_000, 1 => any::<u64>()];
    let siblings = prop::collection::vec(prop::array::uniform3(any_float()), 0..3);
    prop::collection::vec((clock, events(), said(), samples(), siblings), 1..30)
}

fn live(config: &AffectConfig, turns: &[Turn], mut each: impl FnMut(&Affect)) -> Affect {
    let mut affect = Affect::new(config);
    for (at, events, said, sample, siblings) in turns {
        let others: Vec<Pad> = siblings.iter().map(|s| Pad::from(*s)).collect();
        affect.sync(VirtualTime(*at), &others, 1, config);
        affect.feel(VirtualTime(*at), events, said.as_ref(), sample, config);
        each(&affect);
    }
    affect
}

fn within(x: f64, (low, high): (f64, f64)) -> bool {
    x.is_finite() && x >= low - 1e-12 && x <= high + 1e-12
}

fn sound(pad: Pad) -> bool {
    [pad.pleasure(), pad.arousal(), pad.dominance()].into_iter().all(|x| within(x, (-1.0, 1.0)))
}

/// Every channel within its bounds, and exactly neutral where it is switched off.
fn bounded(c: &Channels, on: &ChannelSwitches, shares: DreamMix, base: f64) {
    let off = Channels::NEUTRAL;
    assert!(within(c.exploration, EXPLORATION) && within(c.risk, (RISK_FLOOR, RISK_CAP)));
    let shift = (-MOST_TIER_SHIFT, MOST_TIER_SHIFT);
    assert!(within(c.tier.t0, shift) && within(c.tier.t1, shift));
    let loud = c.tier.with_probe(true);
    assert!(loud.t0 <= 0.0 && loud.t1 <= 0.0 && !loud.at_most_t1);
    assert!(within(c.sharing, (-0.05, 0.25)));
    assert!(within(c.sharing_threshold(base), SHARING));
    let mixed = c.dreams.on(shares);
    let sum = mixed.replay + mixed.creative + mixed.threat;
    assert!((sum - 1.0).abs() < 1e-9 && mixed.replay >= 0.0 && mixed.threat >= 0.0);
    assert!(mixed.creative >= LEAST_CREATIVE - 1e-12 || mixed.creative.abs() < 1e-12 || c.dreams == off.dreams);
    assert!(on.exploration || c.exploration.to_bits() == off.exploration.to_bits());
    assert!(on.risk || c.risk.to_bits() == off.risk.to_bits());
    assert!(on.tier || c.tier == off.tier);
    assert!(on.sharing || c.sharing_threshold(base).to_bits() == base.to_bits());
    assert!(on.dreams || mixed == shares);
}

proptest! {
    #[test]
    fn nothing_that_happens_leaves_the_bounds(
        config in configs(), turns in turns(), weights in prop::array::uniform3(0.01..1.0f64), base in 0.1..0.8f64,
    ) {
        let total: f64 = weights.iter().sum();
        let [replay, creative, threat] = weights.map(|w| w / total);
        let shares = DreamMix { replay, creative, threat };
        live(&config, &turns, |affect| {
            assert!(sound(affect.mood()) && sound(affect.felt()));
            bounded(&affect.channels(&config), &config.channels, shares, base);
            let snapshot = affect.snapshot(&config).unwrap();
            assert!(snapshot.iter().all(|x| (-1.0..=1.0).contains(x)));
        });
    }

    #[test]
    fn a_saved_golem_feels_on_as_if_it_had_not_slept(config in configs(), before in turns(), after in turns()) {
        let affect = live(&config, &before, |_| {});
        let bytes = postcard::to_allocvec(&affect).unwrap();
        let mut woken: Affect = postcard::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&woken, &affect);
        prop_assert_eq!(&postcard::to_allocvec(&woken).unwrap(), &bytes);
        let mut awake = affect;
        for (at, events, said, sample, _) in &after {
            let now = VirtualTime(*at);
            let told = awake.feel(now, events, said.as_ref(), sample, &config);
            prop_assert_eq!(told, woken.feel(now, events, said.as_ref(), sample, &config));
        }
        prop_assert_eq!(woken, awake);
    }

    #[test]
    fn a_clock_set_back_stands_still(config in configs(), turns in turns()) {
        let mut latest = 0;
        let mut forwards = turns.clone();
        for turn in &mut forwards {
            latest = turn.0.max(latest);
            turn.0 = latest;
        }
        prop_assert_eq!(live(&config, &turns, |_| {}), live(&config, &forwards, |_| {}));
    }

    #[test]
    fn a_quiet_golem_comes_home_from_anywhere(config in configs(), turns in turns()) {
        let mut affect = live(&config, &turns, |_| {});
        let quiet = AffectConfig { mortality_aware_affect: false, ..config };
        let late = turns.iter().map(|t| t.0).max().unwrap_or(0).saturating_add(40_000 * 10 * 2_000);
        prop_assume!(late < u64::MAX / 2);
        affect.feel(VirtualTime(late), &[], None, &AffectSample::default(), &quiet);
        prop_assert!(affect.mood().distance(baseline(&quiet)) < 1e-9);
        prop_assert!(affect.felt().distance(baseline(&quiet)) < 1e-9);
    }

    #[test]
    fn feelings_add_up_within_range(a in prop::array::uniform3(any_float()), b in prop::array::uniform3(any_float()), by in any_float()) {
        let (x, y) = (Pad::from(a), Pad::from(b));
        for pad in [x, y, x.plus(y), x.times(by), x.toward(y, by)] {
            prop_assert!(sound(pad));
        }
        prop_assert!(x.distance(y) <= 12f64.sqrt() + 1e-12 && x.distance(x) <= 0.0);
        prop_assert!((x.distance(y) - y.distance(x)).abs() < 1e-15);
        prop_assert_eq!(serde_json::from_str::<Pad>(&serde_json::to_string(&x).unwrap()).unwrap(), x);
    }
}
