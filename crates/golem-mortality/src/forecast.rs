//! How long a golem may yet live, by which clock, and how that is known.
//!
//! Three independent risks compete day by day. Stochastic: the analytic survival curve at the recent mean fitness.
//! Economic: first passage of net asset value to the line below which the golem would be Terminal (inverse Gaussian,
//! Cox and Miller 1965, p. 221), and the vigil after it. What living costs is known; what trading brings is not: a few days
//! of it say little about its mean, so it is drawn towards nothing, and what is not known of it widens the spread. Where the
//! line lies depends on fitness, of which days say little too: it is drawn towards the usual, and three of it are tried.
//! Epistemic: how likely a newborn would know better for the grace period, and the golem not catch up for the limit
//! (`staleness`).

use crate::config::{Measure, MortalityConfig};
use crate::economic::economic_score;
use crate::epistemic::Senescence;
pub use crate::staleness::ForecastPoint;
use crate::staleness::{self, LEVELS, Swing, normal_cdf};
use crate::stochastic::survival;
use crate::vitality::VitalityFactors;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Usdc, VirtualTime};
use serde::{Deserialize, Serialize};

/// What the forecast starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Present {
    /// Age now.
    pub age: VirtualTime,
    /// Fitness now.
    pub fitness: f64,
    /// How much more a newborn loses, now.
    pub lead: f64,
    /// How far it has fallen behind.
    pub senescence: Senescence,
    /// Net asset value now.
    pub balance: Usdc,
    /// The locked reserve.
    pub reserve: Usdc,
    /// Funding at birth.
    pub initial: Usdc,
    /// What living costs, micro-USDC per nominal tick.
    pub burn_rate: f64,
}

/// The probability of being alive at the end of a day from now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Alive {
    /// Days from now.
    pub day: u32,
    /// Probability.
    pub p: f64,
}

/// The probability of dying of each clock within the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Causes {
    /// Money.
    pub economic: f64,
    /// Knowledge.
    pub epistemic: f64,
    /// Chance.
    pub stochastic: f64,
}

/// A forecast of a life's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LifeForecast {
    /// Survival, day by day.
    pub p_alive: Vec<Alive>,
    /// Survival by the hour in the first days: a senescence that has begun runs its course within hours that are known.
    #[serde(default)]
    pub p_alive_hours: Vec<f64>,
    /// What it would die of.
    pub causes: Causes,
    /// Days until survival is a coin toss; none within the horizon.
    pub median_days: Option<f64>,
    /// How it was made.
    pub method: Vec<String>,
}

const STEPS_PER_DAY: u32 = 4;
/// The first days are told by the hour: so many.
const HOURS: u32 = 72;
/// History shorter than this tells burn only.
const DAYS_OF_HISTORY: f64 = 1.0;
/// Days of trading that count as much as the presumption that it brings nothing on the whole.
const DAYS_OF_DOUBT: f64 = 30.0;
/// Fitness of a golem that has learnt for weeks, how far it swings, and how many days of history that is worth (measured over
/// lives in the default world: 0.75, and a little less where it counts, since the line is crossed while fitness is low).
const USUAL_FITNESS: f64 = 0.70;
const USUAL_FITNESS_SWING: f64 = 0.14;
const USUAL_FITNESS_DAYS: f64 = 15.0;
/// Nominal ticks of a turn in Terminal, where turns take twice as long.
const VIGIL_TICKS_A_TURN: f64 = 2.0;

/// Make the forecast. Points may be empty; they are in ascending order of age.
#[must_use]
pub fn forecast(now: &Present, history: &[ForecastPoint], horizon_days: u32, config: &MortalityConfig) -> LifeForecast {
    if !config.kills() {
        let p_alive = (1..=horizon_days).map(|day| Alive { day, p: 1.0 }).collect();
        let word = if config.immortal { "immortal" } else { "deaths are recorded" };
        let method = vec![format!("{word}: the clocks are measured and none is enforced")];
        return LifeForecast {
            p_alive,
            p_alive_hours: Vec::new(),
            causes: Causes::default(),
            median_days: None,
            method,
        };
    }
    let drift = ForecastDrift::of(history, now, config);
    let asked = staleness::StaleQuestion { fitness: now.fitness, lead: now.lead, so_far: now.senescence };
    let swing = Swing::of(history, asked, &config.epistemic);
    let stale = swing.course(horizon_days as usize * 24);
    let age = now.age.nominal();
    // Age drags on vitality, so that the line rises; and it is the higher the lower fitness is by then.
    let swings = drift.fitness_swing(swing.dip());
    let line =
        |off: f64, ticks: f64| economic_line(now, (drift.fitness + off * swings).clamp(0.0, 1.0), age + ticks, config);
    let poor = |ticks: f64, days: f64| -> f64 {
        LEVELS.iter().map(|(off, weight)| weight * drift.passage(line(*off, ticks), days)).sum()
    };
    let (mut alive, mut causes) = (1.0, Causes::default());
    let (mut p_alive, mut median) = (Vec::new(), None);
    let (mut was, mut p_alive_hours, mut hour) = ([1.0; 3], Vec::new(), 0);
    while hour < horizon_days.saturating_mul(24) {
        let step = if hour < HOURS { 1 } else { 24 / STEPS_PER_DAY };
        hour += step;
        let days = f64::from(hour) / 24.0;
        let ticks = days * NOMINAL_TICKS_PER_DAY as f64;
        let is = [
            1.0 - poor(ticks, days),
            if config.epistemic.enabled { 1.0 - stale.get(hour as usize - 1).unwrap_or(&0.0) } else { 1.0 },
            if config.stochastic.enabled { survival(age, age + ticks, drift.fitness, &config.stochastic) } else { 1.0 },
        ];
        // The hazard of each clock within the step shares out the deaths of the step.
        let spent: [f64; 3] = std::array::from_fn(|i| log_loss(was[i], is[i]));
        let all: f64 = spent.iter().sum();
        let deaths = alive * -libm::expm1(-all);
        if all > 0.0 {
            causes.economic += deaths * spent[0] / all;
            causes.epistemic += deaths * spent[1] / all;
            causes.stochastic += deaths * spent[2] / all;
        }
        if median.is_none() && alive - deaths <= 0.5 && deaths > 0.0 {
            let within = (alive - 0.5) / deaths;
            median = Some(days - (1.0 - within) * f64::from(step) / 24.0);
        }
        alive -= deaths;
        was = std::array::from_fn(|i| is[i].min(was[i]));
        if hour <= HOURS {
            p_alive_hours.push(alive);
        }
        if hour % 24 == 0 {
            p_alive.push(Alive { day: hour / 24, p: alive });
        }
    }
    LifeForecast { p_alive, p_alive_hours, causes, median_days: median, method: drift.method(line(0.0, 0.0), &swing) }
}

impl LifeForecast {
    /// Probability of dying within this many days, by interpolation.
    #[must_use]
    pub fn p_dead_within(&self, days: f64) -> f64 {
        let hours = days.max(0.0) * 24.0;
        if hours < self.p_alive_hours.len() as f64 {
            return 1.0 - between(hours, |hour| self.p_alive_hours.get(hour - 1).copied());
        }
        1.0 - between(days.max(0.0), |day| self.p_alive.get(day - 1).map(|a| a.p))
    }
}

/// Survival between two whole steps: all are alive at the first, and none beyond the last.
fn between(steps: f64, alive: impl Fn(usize) -> Option<f64>) -> f64 {
    let at = |step: usize| if step == 0 { 1.0 } else { alive(step).unwrap_or(0.0) };
    let (whole, part) = (steps as usize, steps - libm::floor(steps));
    at(whole) * (1.0 - part) + at(whole.saturating_add(1)) * part
}

fn log_loss(was: f64, is: f64) -> f64 {
    let (was, is) = (was.max(1e-12), is.max(1e-12));
    if is < was { libm::log(was / is) } else { 0.0 }
}

/// How money and fitness have moved lately.
#[derive(Debug, Clone, Copy)]
struct ForecastDrift {
    balance: f64,
    /// Micro-USDC per day.
    drift: f64,
    /// Micro-USDC per root day.
    spread: f64,
    /// Days of history behind the drift.
    days: f64,
    /// Days of the vigil.
    vigil: f64,
    fitness: f64,
    /// How much of the fitness to come is known from history, of 1.
    fitness_known: f64,
    from_history: bool,
    economic: bool,
}

impl ForecastDrift {
    fn of(history: &[ForecastPoint], now: &Present, config: &MortalityConfig) -> Self {
        let mut drift = Self {
            balance: now.balance.0 as f64,
            drift: -now.burn_rate * NOMINAL_TICKS_PER_DAY as f64,
            spread: 0.0,
            days: 0.0,
            vigil: config.vitality.vigil_turns as f64 * VIGIL_TICKS_A_TURN / NOMINAL_TICKS_PER_DAY as f64,
            fitness: now.fitness,
            fitness_known: 1.0,
            from_history: false,
            economic: config.economic.enabled,
        };
        let (Some(first), Some(last)) = (history.first(), history.last()) else { return drift };
        let span = last.day - first.day;
        if span < DAYS_OF_HISTORY || history.len() < 3 {
            return drift;
        }
        let n = history.len() as f64;
        drift.fitness = history.iter().map(|p| p.fitness).sum::<f64>() / n;
        // By R2 fitness has another scale, on which nothing is usual.
        if config.epistemic.measure == Measure::Skill {
            drift.fitness_known = span / (span + USUAL_FITNESS_DAYS);
            drift.fitness += (1.0 - drift.fitness_known) * (USUAL_FITNESS - drift.fitness);
        }
        // Feeding is not income: steps up by more than a tenth are left out of the drift.
        let (mut sum, mut squares, mut days) = (0.0, 0.0, 0.0);
        for pair in history.windows(2) {
            let step = pair[1].balance.0 as f64 - pair[0].balance.0 as f64;
            let dt = pair[1].day - pair[0].day;
            if dt > 0.0 && step < 0.1 * pair[0].balance.0 as f64 {
                sum += step;
                squares += step * step;
                days += dt;
            }
        }
        if days > 0.0 {
            // Beside the known cost of living, what trading has brought so far.
            let trading = sum / days - drift.drift;
            if trading.is_finite() {
                drift.drift += trading * days / (days + DAYS_OF_DOUBT);
            }
            let steps = (history.len() - 1) as f64;
            drift.spread = libm::sqrt(((squares - sum * sum / steps) / days).max(0.0));
            drift.days = days;
            drift.from_history = true;
        }
        drift
    }

    /// How far the fitness to come may be from what is expected.
    fn fitness_swing(&self, seen: f64) -> f64 {
        let usual = USUAL_FITNESS_SWING * USUAL_FITNESS_SWING;
        libm::sqrt(self.fitness_known * seen * seen + (1.0 - self.fitness_known) * usual)
    }

    /// The probability that net asset value has touched the line within so many days.
    fn passage(&self, line: f64, days: f64) -> f64 {
        if !self.economic {
            return 0.0;
        }
        let distance = self.balance - line;
        let days = days - self.vigil;
        if days <= 0.0 {
            return 0.0;
        }
        if distance <= 0.0 {
            return 1.0;
        }
        // The mean of trading is itself uncertain, and an error in it grows with the days: Var = s2 d (1 + d / n).
        let spread = self.spread * libm::sqrt(1.0 + days / (self.days + DAYS_OF_DOUBT));
        if spread <= 0.0 {
            return if self.drift < 0.0 && -self.drift * days >= distance { 1.0 } else { 0.0 };
        }
        let root = spread * libm::sqrt(days);
        let reach = self.drift * days;
        let mirrored = libm::exp((-2.0 * self.drift * distance / (spread * spread)).min(700.0));
        let p = normal_cdf((-distance - reach) / root) + mirrored * normal_cdf((reach - distance) / root);
        if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
    }

    fn method(&self, line: f64, swing: &Swing) -> Vec<String> {
        let economic = if !self.economic {
            "economic: clock off".to_owned()
        } else {
            let source = if self.from_history { "own history" } else { "burn rate alone" };
            format!(
                "economic: first passage of net asset value from {:.2} to {:.2} USDC, drift {:+.4} and spread {:.4} USDC a day from {source}",
                self.balance / 1e6,
                line / 1e6,
                self.drift / 1e6,
                self.spread / 1e6
            )
        };
        vec![
            format!("stochastic: analytic survival at mean fitness {:.3}", self.fitness),
            economic,
            format!("epistemic: {swing}"),
        ]
    }
}

/// The net asset value below which the golem would be Terminal at a fitness and an age, never below the reserve.
fn economic_line(now: &Present, fitness: f64, nominal_ticks: f64, config: &MortalityConfig) -> f64 {
    let terminal = |balance: Usdc| {
        let economic = economic_score(balance, now.reserve, now.initial);
        VitalityFactors::of(economic, fitness, nominal_ticks, &config.vitality).product() < 0.1
    };
    let (mut low, mut high) = (now.reserve.0, now.reserve.max(now.balance).0);
    if !terminal(Usdc(low)) {
        return low as f64;
    }
    while high - low > 1 {
        let mid = low + (high - low) / 2;
        if terminal(Usdc(mid)) { low = mid } else { high = mid }
    }
    high as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present(balance: u64, burn_rate: f64) -> Present {
        Present {
            age: VirtualTime(0),
            fitness: 0.5,
            lead: 0.0,
            senescence: Senescence::default(),
            balance: Usdc(balance),
            reserve: Usdc(1_000_000),
            initial: Usdc(50_000_000),
            burn_rate,
        }
    }

    #[test]
    fn a_rich_golem_dies_by_chance() {
        let config = MortalityConfig::default();
        let f = forecast(&present(50_000_000, 0.0), &[], 120, &config);
        let day60 = survival(0.0, 60.0 * 2_160.0, 0.5, &config.stochastic);
        assert!((f.p_alive[59].p - day60).abs() < 0.01, "{} against {day60}", f.p_alive[59].p);
        assert!(f.causes.stochastic > 0.95 && f.causes.economic < 1e-9);
        let total = f.causes.economic + f.causes.epistemic + f.causes.stochastic + f.p_alive[119].p;
        assert!((total - 1.0).abs() < 1e-9, "{total}");
    }

    #[test]
    fn a_poor_golem_dies_of_poverty() {
        // 10 USDC left, one a day burnt: Terminal near 7 USDC (economic 0.12).
        let f = forecast(&present(10_000_000, 1e6 / 2_160.0), &[], 60, &MortalityConfig::default());
        let median = f.median_days.unwrap();
        assert!((2.0..5.0).contains(&median), "{median}");
        assert!(f.causes.economic > 0.9);
    }

    #[test]
    fn a_senescence_that_has_begun_is_told_by_the_hour() {
        let config = MortalityConfig::default();
        let mut now = Present { fitness: 0.20, lead: -0.05, ..present(50_000_000, 0.0) };
        let nominal = golem_core::Elapsed::nominal;
        now.senescence.tick(0.20, -0.05, nominal(config.epistemic.recovery_grace_period), &config.epistemic);
        now.senescence.tick(0.20, -0.05, nominal(config.epistemic.senescence_max_ticks - 360), &config.epistemic);
        let f = forecast(&now, &[], 30, &config);
        let (before, after) = (f.p_dead_within(2.0 / 24.0), f.p_dead_within(5.0 / 24.0));
        assert!(before < 0.05 && after > 0.8, "four hours are left: {before:.3} and {after:.3}");
        let days = [0.0, 0.9, 2.99, 3.0, 3.01, 29.9];
        assert!(days.windows(2).all(|w| f.p_dead_within(w[0]) <= f.p_dead_within(w[1]) + 1e-9));
    }

    #[test]
    fn whom_no_clock_can_end_is_not_forecast_to_die() {
        let immortal = MortalityConfig { immortal: true, ..Default::default() };
        let recorded = MortalityConfig { deaths: crate::config::Deaths::Recorded, ..Default::default() };
        for config in [immortal, recorded] {
            let f = forecast(&present(0, 1e9), &[], 30, &config);
            assert!(f.p_alive.iter().all(|a| a.p >= 1.0) && f.median_days.is_none());
        }
    }

    #[test]
    fn survival_never_rises_and_stays_in_range() {
        let config = MortalityConfig::default();
        for burn in [0.0, 100.0, 1e9, f64::NAN, f64::INFINITY] {
            let f = forecast(&present(20_000_000, burn), &[], 90, &config);
            assert!(f.p_alive.windows(2).all(|w| w[1].p <= w[0].p + 1e-12));
            assert!(f.p_alive.iter().all(|a| (-1e-9..=1.0).contains(&a.p)), "{burn}");
        }
    }
}
