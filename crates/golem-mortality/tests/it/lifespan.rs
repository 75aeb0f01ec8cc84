//! The eight steps: each clock kills alone, nothing dies twice, the vigil can be survived, immortals only watch.

use golem_core::fact::FactBody;
use golem_core::{Elapsed, Secret, Strand, Tick, Timestamp, Usdc, VirtualTime};
use golem_mortality::config::Deaths;
use golem_mortality::facts::TriggerClock;
use golem_mortality::stochastic::survival;
use golem_mortality::{
    BehavioralPhase, DeathCause, Domain, DyingStage, LifespanSeen, Mortality, MortalityConfig, MortalityFact,
    SettledForecast,
};
use proptest::prelude::*;

struct Stage {
    config: MortalityConfig,
    state: Mortality,
    tick: u64,
    facts: Vec<MortalityFact>,
}

impl Stage {
    fn new(config: MortalityConfig) -> Self {
        Self { state: Mortality::newborn(Timestamp(0), &config), config, tick: 0, facts: Vec::new() }
    }
    fn turn(&mut self, balance: u64, settled: &[SettledForecast], roll: f64) -> bool {
        self.turn_with(balance, settled, roll, None)
    }
    fn turn_with(
        &mut self,
        balance: u64,
        settled: &[SettledForecast],
        roll: f64,
        ordered: Option<&DeathCause>,
    ) -> bool {
        self.tick += 1;
        let seen = LifespanSeen {
            tick: Tick(self.tick),
            age: VirtualTime(self.tick * 40_000),
            elapsed: Elapsed::nominal(1),
            at: Timestamp(self.tick as i64 * 40),
            balance: Usdc(balance),
            reserve: Usdc(1_000_000),
            credit: Usdc(balance / 3),
            initial: Usdc(50_000_000),
            burn_rate: 78.0,
            settled,
            roll,
            ordered,
            felt: 0.0,
            entropy_rate: None,
        };
        self.state.tick(&seen, &self.config, &mut self.facts)
    }
    fn cause(&self) -> Option<&DeathCause> {
        self.state.death.as_ref().map(|d| &d.cause)
    }
}

const RICH: u64 = 50_000_000;

fn settled(domain: Domain, model_loss: f64) -> SettledForecast {
    SettledForecast::of(domain, model_loss, 1.0)
}

/// Let years of forecasts bring its fitness to `fitness` and its lead over a newborn to `lead`.
fn know(life: &mut Stage, fitness: f64, lead: f64) {
    const SPAN: Elapsed = Elapsed::nominal(10_800);
    for n in 1..=100u64 {
        let made = VirtualTime(n * SPAN.0);
        let model = 1.0 - (fitness - 0.30) / 5.0;
        let all = [0, 1, 2, 3].map(|i| {
            let newborn_loss = Some(model + lead);
            SettledForecast { made, newborn_loss, ..settled(Domain::ALL[i], model) }
        });
        life.state.epistemic.settle(&all, Tick(life.tick), made.after(SPAN), &life.config.epistemic);
    }
}

#[test]
fn a_newborn_is_stable_and_earns_thriving() {
    let mut life = Stage::new(MortalityConfig::default());
    assert_eq!(life.state.vitality.phase, BehavioralPhase::Stable);
    know(&mut life, 0.65, 0.0);
    for _ in 0..400 {
        life.turn(RICH, &[], 0.99);
    }
    assert_eq!(life.state.vitality.phase, BehavioralPhase::Thriving);
    assert_eq!(life.state.vitality.previous_phase, Some(BehavioralPhase::Stable));
}

#[test]
fn chance_kills_alone() {
    let mut life = Stage::new(MortalityConfig::default());
    assert!(!life.turn(RICH, &[], 0.5));
    assert!(life.turn(RICH, &[], 0.0));
    let Some(DeathCause::Stochastic { death_roll, tick_at_death, was_in_senescence, hazard_rate, .. }) = life.cause()
    else {
        panic!("{:?}", life.cause())
    };
    assert!(*death_roll < *hazard_rate && *tick_at_death == 2 && !was_in_senescence);
    // Recorded is recorded: nothing changes any more.
    let before = life.state.clone();
    assert!(life.turn(RICH, &[], 0.99));
    assert_eq!(life.state, before);
}

#[test]
fn death_is_recorded_first_and_final_when_its_stages_have_passed() {
    let mut life = Stage::new(MortalityConfig::default());
    life.turn(RICH, &[], 0.5);
    assert!(
        !life.state.pass_stage(String::new(), &mut Vec::new()) && life.state.dying.is_none(),
        "the living have no such turns"
    );
    assert!(life.turn(RICH, &[], 0.0));
    let death = life.state.death.clone().unwrap();
    assert_eq!((death.tick, death.roll), (Tick(2), 0.0));
    assert!(!life.state.is_dead(), "recorded, and not yet final");
    let told = |facts: &[MortalityFact]| facts.iter().map(|f| f.name()).collect::<Vec<_>>();
    assert!(told(&life.facts).contains(&"mortality.dying") && !told(&life.facts).contains(&"mortality.dead"));
    let mut stages = Vec::new();
    while let Some(stage) = life.state.dying {
        stages.push(stage);
        let mut facts = Vec::new();
        let over = life.state.pass_stage(format!("{} is over", stage.name()), &mut facts);
        let last = stage == DyingStage::Farewell;
        assert_eq!((over, life.state.is_dead()), (last, last));
        let want: &[&str] =
            if last { &["mortality.dying_stage", "mortality.dead"] } else { &["mortality.dying_stage"] };
        assert_eq!(told(&facts), want);
        let MortalityFact::DyingStage { outcome, .. } = &facts[0] else { panic!("{facts:?}") };
        assert_eq!(*outcome, format!("{} is over", stage.name()));
    }
    assert_eq!(stages, DyingStage::ALL);
    assert_eq!(life.state.death, Some(death), "what was recorded stands");
    let (before, mut facts) = (life.state.clone(), Vec::new());
    assert!(
        life.state.pass_stage(String::new(), &mut facts) && facts.is_empty() && life.state == before,
        "dead stays dead"
    );
}

#[test]
fn poverty_kills_at_the_reserve() {
    let mut life = Stage::new(MortalityConfig::default());
    assert!(!life.turn(1_000_001, &[], 0.99) && life.state.vitality.phase == BehavioralPhase::Terminal);
    assert!(life.turn(1_000_000, &[], 0.99));
    assert!(matches!(life.cause(), Some(DeathCause::Economic { balance: Usdc(1_000_000), .. })));
}

#[test]
fn poverty_kills_in_the_vigil() {
    let mut life = Stage::new(MortalityConfig::default());
    // Economic health 0.05: Terminal, but above the reserve.
    let mut turns = 0;
    while !life.turn(3_450_000, &[], 0.99) {
        turns += 1;
        assert!(turns < 100);
    }
    assert_eq!(turns, 50, "a vigil of fifty turns");
    assert!(matches!(life.cause(), Some(DeathCause::Economic { balance: Usdc(3_450_000), .. })));
}

#[test]
fn feeding_in_the_vigil_saves() {
    let mut life = Stage::new(MortalityConfig::default());
    for _ in 0..49 {
        assert!(!life.turn(3_450_000, &[], 0.99));
    }
    assert!(!life.turn(30_000_000, &[], 0.99));
    assert!(life.state.vitality.phase >= BehavioralPhase::Declining && life.state.vigil.is_none());
    assert!(
        life.facts.iter().any(|f| matches!(f, MortalityFact::Vigil { open: false, turns: 48 })),
        "{:?}",
        life.facts.last()
    );
}

#[test]
fn ignorance_kills_alone_slowly_and_at_once() {
    // Hardly better than naive for ever, and a newborn is better: warning, 500 ticks, senescent, 10,800 more.
    let mut slow = Stage::new(MortalityConfig::default());
    know(&mut slow, 0.32, -0.01);
    while !slow.turn(RICH, &[], 0.99) {
        assert!(slow.tick < 12_000);
    }
    let Some(DeathCause::EpistemicSenescence { failing_domains, ticks_in_senescence, final_fitness, .. }) =
        slow.cause()
    else {
        panic!("{:?}", slow.cause())
    };
    assert_eq!((*ticks_in_senescence, failing_domains.len()), (10_800, 4));
    assert!((final_fitness - 0.32).abs() < 1e-6, "{final_fitness}");
    // The same where a newborn knows no better: nobody is stale.
    let mut alone = Stage::new(MortalityConfig::default());
    know(&mut alone, 0.32, 0.001);
    for _ in 0..15_000 {
        assert!(!alone.turn(RICH, &[], 0.99));
    }
    // Fitness 0.05 gives a composite below 0.1: the moment senescence is confirmed it is fatal, unless the vigil is first.
    let mut config = MortalityConfig::default();
    config.vitality.vigil_turns = 10_000;
    let mut fast = Stage::new(config);
    know(&mut fast, 0.05, -0.1);
    while !fast.turn(RICH, &[], 0.99) {
        assert!(fast.tick < 700);
    }
    assert!(matches!(fast.cause(), Some(DeathCause::EpistemicSenescence { ticks_in_senescence: 0, .. })));
}

#[test]
fn orders_are_obeyed_even_by_immortals() {
    let kill = DeathCause::OwnerKill { reason: "enough".into() };
    for immortal in [false, true] {
        let mut life = Stage::new(MortalityConfig { immortal, ..Default::default() });
        assert!(life.turn_with(RICH, &[], 0.99, Some(&kill)));
        assert_eq!(life.cause(), Some(&kill));
    }
}

#[test]
fn immortals_measure_everything_and_enforce_nothing() {
    let mut life = Stage::new(MortalityConfig { immortal: true, ..Default::default() });
    for _ in 0..200 {
        assert!(!life.turn(0, &[], 0.0));
        assert_eq!(life.state.vitality.phase, BehavioralPhase::Thriving);
    }
    assert_eq!(life.state.shadow_phase, BehavioralPhase::Terminal);
    let first = life.state.would_have_died_at.as_ref().unwrap();
    assert_eq!(first.tick, Tick(1));
    let told = life.facts.iter().filter(|f| matches!(f, MortalityFact::WouldHaveDied { .. })).count();
    assert_eq!(told, 1, "the first time only");
}

#[test]
fn where_deaths_are_recorded_phases_act_and_the_first_death_is_told_once() {
    let mut mortal = Stage::new(MortalityConfig::default());
    let mut spared = Stage::new(MortalityConfig { deaths: Deaths::Recorded, ..Default::default() });
    let mut balance = RICH;
    while !mortal.turn(balance, &[], 0.99) {
        assert!(!spared.turn(balance, &[], 0.99));
        assert_eq!(spared.state, mortal.state, "until death the two lives are one");
        balance = balance.saturating_sub(100_000);
    }
    assert!(!spared.turn(balance, &[], 0.99));
    assert_eq!(spared.state.would_have_died_at, mortal.state.death, "the same death, written down");
    assert!(mortal.state.death.is_some() && spared.state.death.is_none());
    for _ in 0..200 {
        assert!(!spared.turn(0, &[], 0.0), "every clock would kill it now");
        assert_eq!(spared.state.vitality.phase, BehavioralPhase::Terminal, "its phase is not pinned");
    }
    let told = |life: &Stage| life.facts.iter().filter(|f| matches!(f, MortalityFact::WouldHaveDied { .. })).count();
    assert_eq!((told(&mortal), told(&spared)), (0, 1), "the first time only");
    assert_eq!(spared.state.would_have_died_at, mortal.state.death, "and no later one takes its place");
    let kill = DeathCause::OwnerKill { reason: "enough".into() };
    assert!(spared.turn_with(RICH, &[], 0.99, Some(&kill)), "orders are obeyed");
}

#[test]
fn self_hosted_golems_do_not_starve() {
    let mut config = MortalityConfig::default();
    config.economic.enabled = false;
    let mut life = Stage::new(config);
    for _ in 0..500 {
        assert!(!life.turn(0, &[], 0.99));
    }
    assert!((life.state.vitality.economic - 1.0).abs() < 1e-12);
}

#[test]
fn the_trigger_is_the_component_that_fell_most() {
    for (balance, f, want) in [(8_000_000, 0.5, TriggerClock::Economic), (RICH, 0.2, TriggerClock::Epistemic)] {
        let mut life = Stage::new(MortalityConfig::default());
        know(&mut life, f, 0.0);
        for _ in 0..200 {
            life.turn(balance, &[], 0.99);
        }
        let transition = life.facts.iter().find_map(|fact| match fact {
            MortalityFact::PhaseTransition { trigger_clock, .. } => Some(*trigger_clock),
            _ => None,
        });
        assert_eq!(transition, Some(want));
    }
}

#[test]
fn a_climb_says_what_recovered() {
    // Poor and getting wiser, or rich and getting wiser: the phase that is won is won by knowledge, or by money.
    for (low, high, want) in [
        ((RICH, 0.25), (RICH, 0.65), TriggerClock::Epistemic),
        ((14_000_000, 0.6), (RICH, 0.58), TriggerClock::Economic),
    ] {
        let mut life = Stage::new(MortalityConfig::default());
        know(&mut life, low.1, 0.0);
        for _ in 0..400 {
            life.turn(low.0, &[], 0.99);
        }
        let (phase, so_far) = (life.state.vitality.phase, life.facts.len());
        know(&mut life, high.1, 0.0);
        for _ in 0..400 {
            life.turn(high.0, &[], 0.99);
        }
        assert!(life.state.vitality.phase > phase);
        let climb = life.facts[so_far..].iter().find_map(|fact| match fact {
            MortalityFact::PhaseTransition { from_phase, to_phase, trigger_clock, .. } if to_phase > from_phase => {
                Some(*trigger_clock)
            }
            _ => None,
        });
        assert_eq!(climb, Some(want));
    }
}

#[test]
fn purses_are_divided_anew_only_when_the_plan_changes() {
    use BehavioralPhase::{Conservation, Declining, Stable, Terminal, Thriving};
    for (from, to, anew) in [
        (Thriving, Stable, false),
        (Stable, Conservation, false),
        (Conservation, Thriving, false),
        (Conservation, Declining, true),
        (Declining, Terminal, true),
        (Terminal, Declining, true),
        (Declining, Stable, true),
    ] {
        assert_eq!(from.divides_unlike(to), anew, "{from} to {to}");
    }
}

#[test]
fn a_fall_names_the_channel_that_closes() {
    use golem_mortality::info::Channel;
    for (balance, f, want) in [(8_000_000, 0.5, Channel::Capacity), (RICH, 0.2, Channel::RateDistortion)] {
        let mut life = Stage::new(MortalityConfig::default());
        know(&mut life, f, 0.0);
        for _ in 0..200 {
            life.turn(balance, &[], 0.99);
        }
        let closing = life.facts.iter().find_map(|fact| match fact {
            MortalityFact::Channel(report) => Some(report.closing),
            _ => None,
        });
        assert_eq!(closing, Some(want));
    }
}

#[test]
fn the_seeds_r_squared_is_selectable_and_kills_on_returns() {
    use golem_mortality::config::Measure;
    let mut config = MortalityConfig::default();
    config.epistemic.measure = Measure::RSquared;
    let mut life = Stage::new(config);
    // Forecasts of zero against returns that go up and down: as good as naive by skill, worthless by R2.
    for n in 0..200 {
        let actual = if n % 2 == 0 { 0.01 } else { -0.01 };
        let s = SettledForecast { actual, ..settled(Domain::PriceDirection, 1.0) };
        life.turn(RICH, &[s], 0.99);
    }
    assert!(life.state.epistemic.fitness < 0.01, "{}", life.state.epistemic.fitness);
}

#[test]
fn warnings_are_told_once_per_fall() {
    let mut life = Stage::new(MortalityConfig::default());
    know(&mut life, 0.45, 0.0);
    for _ in 0..300 {
        life.turn(12_000_000, &[], 0.99);
    }
    let count = |name: &str| life.facts.iter().filter(|f| f.name() == name).count();
    assert_eq!((count("mortality.economic_critical"), count("mortality.epistemic_warning")), (1, 1));
    assert_eq!(count("mortality.vitality_update"), 300);
    assert_eq!(count("mortality.stochastic_roll"), 300);
}

/// Only chance kills, and life passes at a hundredth of its length: the same shape, a hundred times as many lives.
fn by_chance_alone() -> MortalityConfig {
    let mut config = MortalityConfig::default();
    config.economic.enabled = false;
    config.epistemic.enabled = false;
    config.stochastic.base_hazard_rate = 1e-4;
    config.stochastic.age_hazard_coefficient = 1e-6;
    config.stochastic.aging_rate = 5e-3;
    config.stochastic.max_hazard_rate = 1e-2;
    config
}

/// Kolmogorov and Smirnov's test of death ages, in turns of one nominal tick, against the analytic curve at p = 0.01.
fn follows_the_curve(mut ages: Vec<f64>, fitness: f64) {
    let config = by_chance_alone().stochastic;
    ages.sort_by(f64::total_cmp);
    let n = ages.len() as f64;
    let d = ages.iter().enumerate().fold(0.0f64, |d, (i, age)| {
        // The turn that killed began half a tick earlier on average: compare at its middle.
        let cdf = 1.0 - survival(0.0, age - 0.5, fitness, &config);
        d.max((cdf - i as f64 / n).abs()).max(((i + 1) as f64 / n - cdf).abs())
    });
    let critical = 1.628 / n.sqrt();
    assert!(d < critical, "KS {d} at fitness {fitness}; p > 0.01 needs {critical}");
}

#[test]
fn lives_by_chance_follow_the_analytic_curve() {
    let config = by_chance_alone().stochastic;
    for fitness in [0.2, 0.5, 1.0] {
        let age_at_death = |seed: u64| {
            let dice = Secret::from_seed(seed).dice(Strand::Death);
            let mut clock = golem_mortality::stochastic::StochasticClock::default();
            let dies = |age: &u64| clock.tick(*age as f64, 1.0, fitness, dice.uniform(*age, 0), &config);
            (1..).find(dies).unwrap_or(0) as f64
        };
        follows_the_curve((0..5_000).map(age_at_death).collect(), fitness);
    }
}

#[test]
fn lives_by_chance_follow_it_through_the_whole_step() {
    // Nothing is forecast, so fitness stays at 0.5.
    let age_at_death = |seed: u64| {
        let dice = Secret::from_seed(seed).dice(Strand::Death);
        let mut life = Stage::new(by_chance_alone());
        while !life.turn(RICH, &[], dice.uniform(life.tick + 1, 0)) {
            life.facts.clear();
        }
        assert!(matches!(life.cause(), Some(DeathCause::Stochastic { .. })), "{:?}", life.cause());
        life.tick as f64
    };
    follows_the_curve((0..5_000).map(age_at_death).collect(), 0.5);
}

fn any_f64() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), -10.0..10.0f64, Just(f64::NAN), Just(f64::INFINITY)]
}

proptest! {
    #[test]
    fn no_input_breaks_the_lifespan(
        turns in prop::collection::vec((any::<u64>(), any::<u64>(), any_f64(), any_f64(), any_f64(), 0usize..6, any_f64()), 1..80),
        immortal: bool, recorded: bool, economic: bool, epistemic: bool, stochastic: bool,
        center in 0.0..1.0f64, steep in 0.1..100.0f64, drag in 0.0..1.0f64,
    ) {
        let deaths_are = if recorded { Deaths::Recorded } else { Deaths::Enforced };
        let mut config = MortalityConfig { immortal, deaths: deaths_are, ..Default::default() };
        config.economic.enabled = economic;
        config.epistemic.enabled = epistemic;
        config.stochastic.enabled = stochastic;
        config.vitality.economic_center = center;
        config.vitality.epistemic_steepness = steep;
        config.vitality.age_drag = drag;
        let mut state = Mortality::newborn(Timestamp(i64::MIN), &config);
        let (mut facts, mut deaths) = (Vec::new(), 0);
        for (i, (balance, age, model_loss, naive_loss, roll, domain, burn)) in turns.into_iter().enumerate() {
            let sample = SettledForecast {
                predicted: model_loss, naive: burn, actual: naive_loss, hit: true,
                ..SettledForecast::of(Domain::ALL[domain], model_loss, naive_loss)
            };
            let was_dead = state.death.is_some();
            let seen = LifespanSeen {
                // Clock jumps in both directions, and ages from anywhere.
                tick: Tick(i as u64), age: VirtualTime(age), elapsed: Elapsed(age % 1_000_000_000), at: Timestamp(-(age as i64 / 2)),
                balance: Usdc(balance), reserve: Usdc(1_000_000), credit: Usdc(balance), initial: Usdc(balance / 2),
                burn_rate: burn, settled: &[sample; 3], roll, ordered: None, entropy_rate: None, felt: 0.0,
            };
            facts.clear();
            state.tick(&seen, &config, &mut facts);
            deaths += facts.iter().filter(|f| matches!(f, MortalityFact::Dying { .. })).count();
            prop_assert!(!was_dead || facts.is_empty(), "nothing happens after death");
            let v = &state.vitality;
            for x in [v.economic, v.epistemic, v.composite, state.stochastic.survival_probability, state.epistemic.fitness, state.epistemic.peak] {
                prop_assert!((0.0..=1.0).contains(&x), "{x}");
            }
            prop_assert!(v.age_factor.is_finite() && v.age_factor >= 0.0);
            prop_assert!((0.0..=config.stochastic.max_hazard_rate).contains(&state.stochastic.current_hazard));
        }
        prop_assert!(deaths <= 1);
        prop_assert!(!((immortal || recorded) && deaths > 0));
    }
}
