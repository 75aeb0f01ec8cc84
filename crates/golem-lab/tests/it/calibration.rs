//! Life forecasts mean what they say: of many seeded lives, the share that dies within the first half of its forecast
//! median agrees with the forecast within its sampling error.

use golem_core::{Usdc, VirtualTime};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::Settings;
use golem_mortality::forecast::{Point, Present, forecast};

#[test]
fn forecasts_are_calibrated() {
    let lives = if std::env::var_os("BARDO_LONG").is_some() { 500 } else { 60 };
    let mut settings = Settings::default();
    // The diagnostics advise only; without them a life passes twice as fast and is the same.
    settings.diagnostics.enabled = false;
    // Memory shapes what is traded, and a forecast asks how the clocks go: without it lives pass four times as fast.
    settings.grimoire.enabled = false;
    let funding = Usdc::whole(50);
    let (mut expected, mut variance, mut died, mut asked) = (0.0, 0.0, 0.0, 0);
    for seed in 0..lives {
        let world = Synthetic::new(SyntheticConfig::default(), 1_000 + seed).unwrap();
        let mut subject = Subject::new(1_000 + seed, funding, &settings, world).unwrap();
        let mut points = Vec::new();
        // Three days in, it is asked how long it may yet live.
        for _ in 0..72 {
            subject.turns(90);
            let s = subject.status();
            points.push(Point { day: s.age_days, fitness: s.vitality.epistemic, balance: s.balance });
        }
        if subject.is_dead() {
            continue;
        }
        let s = subject.status();
        let now = Present {
            age: VirtualTime((s.age_days * 86_400_000.0) as u64),
            fitness: s.vitality.epistemic,
            balance: s.balance,
            reserve: s.reserve,
            initial: funding,
            burn_rate: s.burn_rate_micro_usdc_per_tick,
        };
        let told = forecast(&now, &points, 200, &settings.mortality);
        let half = told.median_days.expect("a median within 200 days") / 2.0;
        let p = told.p_dead_within(half);
        (expected, variance, asked) = (expected + p, variance + p * (1.0 - p), asked + 1);
        let until = subject.age_days() + half;
        while subject.age_days() < until && subject.turn() {}
        died += f64::from(u8::from(subject.is_dead()));
    }
    let (n, error) = (f64::from(asked), variance.sqrt());
    eprintln!(
        "{died} of {n} died within the first half of their forecast median; {expected:.1} were expected, +-{error:.1}"
    );
    // 2.58 standard errors: a calibrated forecast fails this once in a hundred campaigns.
    assert!((died - expected).abs() <= 2.58 * error, "{died} died, {expected:.1} +- {error:.1} expected");
}
