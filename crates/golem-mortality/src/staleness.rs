//! Going stale: how likely a newborn would know better for so long that senescence runs its course.
//!
//! The lead over a newborn swings around its level with the clock's own memory of five days. It is taken as a chain of
//! quarters of a day (Tauchen 1986) and lived forward through the stages of senescence: behind, confirmed, over its limit.
//! Fitness moves with it: what is gained on the newborn is gained on the naive rule. The level itself is known from few
//! days only, so that three of them are tried. By R2, fitness itself is the number that swings.

use crate::config::{EpistemicConfig, Measure};
use crate::epistemic::Senescence;
use golem_core::Usdc;
use golem_core::time::NOMINAL_TICKS_PER_DAY;

/// One remembered point of a life.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastPoint {
    /// Age in days.
    pub day: f64,
    /// Fitness.
    pub fitness: f64,
    /// How much more a newborn loses.
    pub lead: f64,
    /// Net asset value.
    pub balance: Usdc,
}

/// Steps of the chain in a day, and hours of a step.
const STEPS_PER_DAY: u32 = 4;
const HOURS_PER_STEP: usize = 24 / STEPS_PER_DAY as usize;

/// Days of history that tell where the lead stands now.
const RECENT_DAYS: f64 = 20.0;
/// Memory of the lead and of fitness, in days: the clock's.
const MEMORY_DAYS: f64 = 5.0;
/// The age in days from which on there is a newborn to be compared with. The lead rises from nothing then, by its memory.
const COMPARED_FROM: f64 = 5.0;
/// The lead of a golem that learns, as far as it is not known yet: its level, its swing, and how many days of history that
/// is worth (measured over lives on recorded hours).
const USUAL_LEVEL: f64 = 0.013;
const USUAL_SPREAD: f64 = 0.006;
const USUAL_DAYS: f64 = 5.0;
/// By how much fitness rises with the lead.
const FITNESS_PER_LEAD: f64 = 5.0;
/// How finely the swing is told apart, and how far it reaches, in standard deviations.
const BINS: usize = 16;
const REACH: f64 = 3.2;
/// What is less likely than this is left out.
const NEGLIGIBLE: f64 = 1e-9;
/// A normal's mean over three points (Gauss and Hermite): where, and how much each weighs.
pub(crate) const LEVELS: [(f64, f64); 3] = [(-1.732_050_8, 1.0 / 6.0), (0.0, 2.0 / 3.0), (1.732_050_8, 1.0 / 6.0)];

type Bins = [f64; BINS];

/// How a golem stands when it is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StaleQuestion {
    pub fitness: f64,
    pub lead: f64,
    pub so_far: Senescence,
}

/// How the lead moves, and the lines that it is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Swing {
    level: f64,
    /// How far the level may be from where it is thought to be.
    doubt: f64,
    spread: f64,
    now: f64,
    /// Steps in the stages of senescence so far, and hours in the step that runs.
    stage: usize,
    hours: usize,
    /// Below this it falls behind, above that it has caught up.
    low: f64,
    high: f64,
    grace: usize,
    limit: usize,
    /// How far fitness swings.
    dip: f64,
}

impl Swing {
    /// The swing of a history, oldest first; without one, of a usual life.
    pub(crate) fn of(history: &[ForecastPoint], now: StaleQuestion, config: &EpistemicConfig) -> Self {
        let last = history.last().map_or(0.0, |p| p.day);
        let recent: Vec<&ForecastPoint> = history.iter().filter(|p| last - p.day <= RECENT_DAYS).collect();
        let days = recent.first().map_or(0.0, |first| (last - first.day).max(0.0));
        let mean = |x: &dyn Fn(&ForecastPoint) -> f64| mean_of(recent.iter().map(|p| x(p)));
        let fitness = mean(&|p| p.fitness).unwrap_or(now.fitness);
        let dip = libm::sqrt(mean(&|p| (p.fitness - fitness) * (p.fitness - fitness)).unwrap_or(0.0));
        let by_r2 = config.measure == Measure::RSquared;
        let (usual, at) = if by_r2 { (now.fitness, now.fitness) } else { (USUAL_LEVEL, now.lead) };
        let Seen { level: seen, variance, days } = if by_r2 {
            let seen = mean(&|p| p.fitness).unwrap_or(usual);
            Seen { level: seen, variance: dip * dip, days }
        } else {
            Seen::of_lead(&recent, last).unwrap_or(Seen { level: usual, variance: 0.0, days: 0.0 })
        };
        // What remembers itself for days shows little of its swing within days; what is usual fills in.
        let known = days / (days + USUAL_DAYS);
        let alike = (2.0 * MEMORY_DAYS / days.max(MEMORY_DAYS)).min(0.8);
        let spread = libm::sqrt(known * variance / (1.0 - alike) + (1.0 - known) * USUAL_SPREAD * USUAL_SPREAD);
        let level = known * seen + (1.0 - known) * usual;
        let (low, high) = if by_r2 {
            (config.senescence_threshold, config.recovery_threshold)
        } else {
            // Where the lead would be when fitness crosses each of its lines.
            let at = |line: f64| level + (line - fitness) / FITNESS_PER_LEAD;
            (
                at(config.senescence_threshold).min(0.0).max(-config.newborn_margin),
                at(config.recovery_threshold).max(0.0),
            )
        };
        let steps = |ticks: u64| {
            let day = NOMINAL_TICKS_PER_DAY;
            ((ticks.min(day * 40) * u64::from(STEPS_PER_DAY) + day / 2) / day).max(1) as usize
        };
        let (grace, limit) = (steps(config.recovery_grace_period), steps(config.senescence_max_ticks));
        let (stage, hours) = run_so_far(now.so_far, grace);
        let spread = spread.max(0.002);
        // A level that was seen for a few memories only is doubted by as much.
        let doubt = spread * libm::sqrt((2.0 * MEMORY_DAYS / (days + USUAL_DAYS)).min(1.0));
        Self { level, doubt, spread, now: at, stage, hours, low, high, grace, limit, dip }
    }

    /// How far below its level fitness is now and then.
    pub(crate) fn dip(&self) -> f64 {
        self.dip
    }

    /// The stage after another step: so many behind, and beyond the grace period senescent.
    fn next(&self, stage: usize, at: f64) -> usize {
        let goes_on = if stage < self.grace { at < self.low } else { at <= self.high };
        if goes_on { stage + 1 } else { 0 }
    }

    /// The probability that it has run its course by the end of each hour. A senescence that has begun is in the middle of
    /// a step: what is left of that passes first.
    pub(crate) fn course(&self, hours: usize) -> Vec<f64> {
        let mut dead = vec![0.0; (hours + self.hours) / HOURS_PER_STEP];
        for (off, weight) in LEVELS {
            self.course_at(self.level + off * self.doubt, weight, &mut dead);
        }
        let by = |hour: usize| (hour + self.hours) / HOURS_PER_STEP;
        (1..=hours).map(|hour| by(hour).checked_sub(1).map_or(0.0, |step| dead[step])).collect()
    }

    fn course_at(&self, level: f64, weight: f64, out: &mut [f64]) {
        if self.stage == 0 && normal_cdf((self.low - level) / self.spread) < NEGLIGIBLE {
            return;
        }
        let (steps, stages) = (self.steps(), self.grace + self.limit);
        let leads: Bins = std::array::from_fn(|i| level + self.spread * middle(i));
        let mut at = vec![[0.0; BINS]; stages];
        let first = ((self.now - level) / self.spread + REACH) / WIDTH;
        at[self.stage.min(stages - 1)][first.clamp(0.0, BINS as f64 - 1.0) as usize] = 1.0;
        let mut dead = 0.0;
        for out in out {
            let mut next = vec![[0.0; BINS]; stages];
            for (stage, bins) in at.iter().enumerate() {
                for (p, step) in bins.iter().zip(&steps).filter(|(p, _)| **p > NEGLIGIBLE * 1e-3) {
                    for (i, share) in step.iter().enumerate() {
                        match next.get_mut(self.next(stage, leads[i])) {
                            Some(bins) => bins[i] += p * share,
                            None => dead += p * share,
                        }
                    }
                }
            }
            at = next;
            *out += weight * dead;
        }
    }

    /// Where a deviation goes within a step, from every bin to every bin.
    fn steps(&self) -> [Bins; BINS] {
        let memory = libm::exp(-1.0 / (MEMORY_DAYS * f64::from(STEPS_PER_DAY)));
        let noise = libm::sqrt(1.0 - memory * memory);
        std::array::from_fn(|from| {
            let below = |edge: usize| match edge {
                0 => 0.0,
                BINS => 1.0,
                _ => normal_cdf((WIDTH * edge as f64 - REACH - memory * middle(from)) / noise),
            };
            std::array::from_fn(|to| below(to + 1) - below(to))
        })
    }
}

impl std::fmt::Display for Swing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let days = |steps: usize| steps as f64 / f64::from(STEPS_PER_DAY);
        write!(
            f,
            "the lead over a newborn swings by {:.3} around {:+.3}; below {:+.3} for {:.1} days and not above {:+.3} for {:.1} more",
            self.spread,
            self.level,
            self.low,
            days(self.grace),
            self.high,
            days(self.limit)
        )
    }
}

/// What a history shows of the number that swings.
struct Seen {
    level: f64,
    variance: f64,
    days: f64,
}

impl Seen {
    /// The lead as a share of what its memory can show by then: while it rises from nothing, that is no swing.
    fn of_lead(recent: &[&ForecastPoint], last: f64) -> Option<Self> {
        let shown = |p: &ForecastPoint| -libm::expm1(-(p.day - COMPARED_FROM) / MEMORY_DAYS);
        let compared = || recent.iter().filter(|p| p.day > COMPARED_FROM);
        let days = last - compared().next()?.day;
        let sum = |x: &dyn Fn(&ForecastPoint) -> f64| compared().map(|p| x(p)).sum::<f64>();
        let level = sum(&|p| p.lead) / sum(&|p| shown(p));
        let off = |p: &ForecastPoint| p.lead - shown(p) * level;
        let variance = mean_of(compared().map(|p| off(p) * off(p)))?;
        (level.is_finite() && variance.is_finite()).then_some(Self { level, variance, days })
    }
}

fn mean_of(all: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = all.fold((0.0, 0.0), |(sum, n), x| (sum + x, n + 1.0));
    (n > 0.0).then(|| sum / n)
}

/// Steps that its senescence has run already, and the hours beyond them.
fn run_so_far(senescence: Senescence, grace: usize) -> (usize, usize) {
    let (before, ran) =
        if senescence.is_senescent() { (grace, senescence.senescent_for) } else { (0, senescence.below_for) };
    let hours = (ran.nominal_floor() * 24 / NOMINAL_TICKS_PER_DAY) as usize;
    (before + hours / HOURS_PER_STEP, hours % HOURS_PER_STEP)
}

const WIDTH: f64 = 2.0 * REACH / BINS as f64;

fn middle(bin: usize) -> f64 {
    WIDTH * (bin as f64 + 0.5) - REACH
}

pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Elapsed;

    fn history(fitness: f64, lead: f64) -> Vec<ForecastPoint> {
        let swing = |n: u32| libm::sin(f64::from(n) / 90.0);
        let point = |n: u32| ForecastPoint {
            day: 20.0 + f64::from(n) / 24.0,
            fitness: fitness + 0.02 * swing(n),
            lead: lead + 0.01 * swing(n),
            balance: Usdc(1),
        };
        (0..480).map(point).collect()
    }
    fn asked(fitness: f64, lead: f64) -> StaleQuestion {
        StaleQuestion { fitness, lead, so_far: Senescence::default() }
    }
    /// From the moment at which it is asked, whatever was before.
    fn by_day(fitness: f64, lead: f64, day: usize) -> f64 {
        let swing = Swing::of(&history(fitness, lead), asked(fitness, lead), &EpistemicConfig::default());
        swing.course(24 * 60)[24 * day - 1]
    }

    #[test]
    fn the_nearer_to_the_line_the_sooner_and_never_before_its_course_is_run() {
        assert!(by_day(0.8, 0.10, 60) < 1e-3, "{}", by_day(0.8, 0.10, 60));
        assert!(by_day(0.1, -0.08, 4) < 1e-9, "grace and limit take more than five days");
        assert!(by_day(0.1, -0.08, 8) > 0.8, "{}", by_day(0.1, -0.08, 8));
        let all: Vec<f64> = [0.02, -0.01, -0.03, -0.06].iter().map(|lead| by_day(0.6, *lead, 20)).collect();
        assert!(all.windows(2).all(|w| w[0] < w[1]), "{all:?}");
        let course = Swing::of(&history(0.5, -0.02), asked(0.5, -0.02), &EpistemicConfig::default()).course(600);
        assert!(course.windows(2).all(|w| w[0] <= w[1] + 1e-12) && course[599] <= 1.0 + 1e-9);
    }

    #[test]
    fn a_senescence_that_has_run_for_long_ends_sooner() {
        let config = EpistemicConfig::default();
        let by = |ticks: u64, hours: usize| {
            let mut so_far = Senescence::default();
            so_far.tick(0.20, -0.05, Elapsed::nominal(config.recovery_grace_period), &config);
            so_far.tick(0.20, -0.05, Elapsed::nominal(ticks), &config);
            let asked = StaleQuestion { fitness: 0.20, lead: -0.05, so_far };
            Swing::of(&history(0.20, -0.05), asked, &config).course(hours)[hours - 1]
        };
        let left = config.senescence_max_ticks - 360;
        assert!(by(left, 5) > 0.9, "four hours are left: {}", by(left, 5));
        assert!(by(left, 3) < 1e-9, "four hours are left: {}", by(left, 3));
        assert!(by(0, 18) < 1e-9, "nearly five days are left");
    }
}
