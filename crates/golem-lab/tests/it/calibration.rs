//! Life forecasts mean what they say, for lives that chance ends, for lives that starve and for lives that go stale: of
//! many seeded lives as many die within a forecast quantile as the forecast says, within the sampling error.

#![allow(clippy::print_stderr, reason = "tests say what they measured")]

use golem_core::{Usdc, VirtualTime};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::Settings;
use golem_mind::Template;
use golem_mortality::forecast::{ForecastPoint, LifeForecast, Present, forecast};

/// The forecast looks this far ahead.
const HORIZON_DAYS: u32 = 200;

/// A kind of life, and when it is asked how long it may yet live.
struct Kind {
    name: &'static str,
    seeds: u64,
    budget: Usdc,
    asked_after_days: u32,
    settings: Settings,
    world: SyntheticConfig,
}

/// One life: what was foretold, and what came.
struct Fate {
    told: LifeForecast,
    /// Days from the question to its death; none when it outlived the horizon.
    days: Option<f64>,
    cause: &'static str,
}

fn lean() -> Settings {
    let mut settings = Settings::default();
    // The diagnostics advise only; without them a life passes twice as fast and is the same.
    settings.diagnostics.enabled = false;
    // Memory shapes what is traded, and a forecast asks how the clocks go: without it lives pass four times as fast.
    settings.grimoire.enabled = false;
    settings
}

fn long(slice: u64, full: u64) -> u64 {
    if std::env::var_os("BARDO_LONG").is_some() { full } else { slice }
}

/// Live it until it is asked, ask, and live it to its end or to the horizon's; none for one that died before.
fn fate(kind: &Kind, seed: u64) -> Option<Fate> {
    let world = Synthetic::new(kind.world.clone(), seed).unwrap();
    let mut subject = Subject::new(seed, kind.budget, &kind.settings, world).unwrap();
    let mut points = Vec::new();
    while subject.age_days() < f64::from(kind.asked_after_days) && !subject.is_dead() {
        subject.turns(90 * 40 / kind.settings.heartbeat.tick_interval_s.max(40));
        let s = subject.status();
        points.push(ForecastPoint { day: s.age_days, fitness: s.vitality.epistemic, lead: s.lead, balance: s.balance });
    }
    let s = subject.status();
    if s.death.is_some() {
        return None;
    }
    let now = Present {
        age: VirtualTime((s.age_days * 86_400_000.0) as u64),
        fitness: s.vitality.epistemic,
        lead: s.lead,
        senescence: s.senescence,
        balance: s.balance,
        reserve: s.reserve,
        initial: kind.budget,
        burn_rate: s.burn_rate_micro_usdc_per_tick,
    };
    let told = forecast(&now, &points, HORIZON_DAYS, &kind.settings.mortality);
    let asked = subject.age_days();
    while subject.age_days() < asked + f64::from(HORIZON_DAYS) && subject.turn() {}
    let death = subject.status().death;
    let days = death.as_ref().map(|d| d.age.age().as_days() - asked);
    Some(Fate { told, days, cause: death.map_or("alive", |d| d.cause.name()) })
}

fn fates(kind: &Kind) -> Vec<Fate> {
    (0..kind.seeds).filter_map(|seed| fate(kind, 1_000 + seed)).collect()
}

/// The forecast's own probability of dying as early as it did: uniform, where forecasts are calibrated.
fn rank(fate: &Fate) -> f64 {
    fate.days.map_or(1.0, |days| fate.told.p_dead_within(days))
}

/// Hold the ranks against the quarters: 2.58 standard errors, which a calibrated forecast exceeds once in a hundred.
fn holds(kind: &Kind, fates: &[Fate]) {
    let n = fates.len() as f64;
    let mut said = Vec::new();
    for p in [0.25, 0.5, 0.75] {
        let (died, error) = (fates.iter().filter(|f| rank(f) <= p).count() as f64, (n * p * (1.0 - p)).sqrt());
        said.push((p, died, n * p, error));
    }
    let causes: std::collections::BTreeMap<&str, usize> = fates.iter().fold(Default::default(), |mut all, f| {
        *all.entry(f.cause).or_default() += 1;
        all
    });
    eprintln!("{}: {n} lives, {causes:?}; (quantile, died within, expected, standard error): {said:.2?}", kind.name);
    for (p, died, expected, error) in said {
        assert!(
            (died - expected).abs() <= 2.58 * error,
            "{} at {p}: {died} died, {expected:.1} +- {error:.1}",
            kind.name
        );
    }
}

#[test]
fn lives_that_chance_ends() {
    let kind = Kind {
        name: "by chance",
        seeds: long(60, 500),
        budget: Usdc::whole(50),
        asked_after_days: 3,
        settings: lean(),
        world: SyntheticConfig::default(),
    };
    holds(&kind, &fates(&kind));
}

#[test]
fn lives_that_starve_in_silence() {
    // Too poor for a single trade: nothing but rent, so the forecast must know the day.
    // Who declines learns nothing new and goes stale in time: that clock is left out.
    let mut settings = lean();
    settings.mortality.stochastic.enabled = false;
    settings.mortality.epistemic.enabled = false;
    let kind = Kind {
        name: "starving in silence",
        seeds: long(8, 40),
        budget: Usdc::whole(6),
        asked_after_days: 3,
        settings,
        world: SyntheticConfig::default(),
    };
    for fate in fates(&kind) {
        let (told, came) = (fate.told.median_days.unwrap(), fate.days.unwrap());
        assert_eq!(fate.cause, "economic");
        assert!((told / came - 1.0).abs() < 0.10, "{told:.2} days were foretold, {came:.2} came");
    }
}

#[test]
fn lives_that_starve_in_the_market() {
    let mut settings = lean();
    settings.policy.template = Template::TrendFollowing;
    let kind = Kind {
        name: "starving in the market",
        seeds: long(32, 200),
        budget: Usdc::whole(12),
        asked_after_days: 5,
        settings,
        world: SyntheticConfig::default(),
    };
    let fates = fates(&kind);
    let starved = fates.iter().filter(|f| f.cause == "economic").count();
    assert!(starved * 2 > fates.len(), "{starved} of {} starved", fates.len());
    holds(&kind, &fates);
}

#[test]
fn lives_that_go_stale() {
    // It has everything the wrong way round from its eighth day on: a newborn knows better within hours, and nothing but the
    // course of senescence stands between it and the end. Asked while that runs, the forecast must know the day.
    let mut settings = lean();
    settings.heartbeat.tick_interval_s = 3_600;
    settings.mind.trading = false;
    settings.mind.turn_round_at_tick = 8 * 2_160;
    settings.mortality.stochastic.enabled = false;
    // Ignorance alone must not make it Terminal, which would end it at once.
    settings.mortality.vitality.epistemic_center = 0.0;
    assert!(settings.problems().is_empty(), "{:?}", settings.problems());
    let kind = Kind {
        name: "going stale",
        seeds: long(16, 100),
        budget: Usdc::whole(500),
        asked_after_days: 10,
        settings,
        world: SyntheticConfig::default(),
    };
    let fates = fates(&kind);
    for fate in &fates {
        assert_eq!(fate.cause, "epistemic_senescence");
        let (told, came) = (fate.told.median_days.expect("it will die"), fate.days.expect("it died"));
        assert!((told - came).abs() < 0.5, "{told:.2} days were foretold, {came:.2} came");
        assert!(fate.told.causes.epistemic > 0.9, "{:?}", fate.told.causes);
    }
    let sure = fates.iter().map(|fate| fate.told.causes.epistemic).sum::<f64>() / fates.len() as f64;
    assert!(sure > 0.95, "all of them died of it, and {sure} was foretold");
}

#[test]
fn who_learns_is_not_foretold_to_go_stale() {
    let mut settings = lean();
    settings.heartbeat.tick_interval_s = 3_600;
    settings.mind.trading = false;
    settings.mortality.stochastic.enabled = false;
    let kind = Kind {
        name: "keeping up",
        seeds: long(16, 100),
        budget: Usdc::whole(500),
        asked_after_days: 15,
        settings,
        world: SyntheticConfig::default(),
    };
    let fates: Vec<Fate> = fates(&kind);
    let foretold = fates.iter().map(|f| 1.0 - f.told.p_alive[44].p).sum::<f64>() / fates.len() as f64;
    let died = fates.iter().filter(|f| f.days.is_some_and(|d| d <= 45.0)).count() as f64 / fates.len() as f64;
    eprintln!("keeping up: {foretold:.3} were foretold to die within 45 days, {died:.3} did");
    assert!((foretold - died).abs() < 0.08, "{foretold} {died}");
}
