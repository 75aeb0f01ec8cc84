//! Going stale: how likely fitness stays low for so long that senescence runs its course.
//!
//! Fitness swings around its level and comes back to it within hours: what counts is how long it stays away. It is taken as
//! a chain of hours with the swing and the memory of its recent history (Tauchen 1986), and lived forward through the
//! stages of senescence: below the line, confirmed, over its limit. The level itself is known from few days only, so that
//! three of them are tried.

use crate::config::EpistemicConfig;
use crate::epistemic::Senescence;
use golem_core::time::NOMINAL_TICKS_PER_DAY;

/// Hours of history that tell where fitness stands now: its level moves within days.
const RECENT_HOURS: f64 = 120.0;
/// How finely the swing is told apart, and how far it reaches, in standard deviations.
const BINS: usize = 16;
const REACH: f64 = 3.2;
/// What is less likely than this is left out.
const NEGLIGIBLE: f64 = 1e-9;
/// A normal's mean over three points (Gauss and Hermite): where, and how much each weighs.
const LEVELS: [(f64, f64); 3] = [(-1.732_050_8, 1.0 / 6.0), (0.0, 2.0 / 3.0), (1.732_050_8, 1.0 / 6.0)];

/// The lowest of the five or so deviations of a day that do not remember each other, in standard deviations.
const LOWEST_OF_A_DAY: f64 = 1.16;

type Bins = [f64; BINS];

/// How fitness moves, and the lines that it is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Swing {
    level: f64,
    /// How far the level may be from where it is thought to be.
    doubt: f64,
    spread: f64,
    /// What is left of a deviation after an hour.
    memory: f64,
    now: f64,
    /// Hours in the stages of senescence so far.
    stage: usize,
    low: f64,
    high: f64,
    grace: usize,
    limit: usize,
}

impl Swing {
    /// The swing of a history of ages in days and fitness, oldest first; without one, of a usual life.
    pub(crate) fn of(history: &[(f64, f64)], now: f64, so_far: Senescence, config: &EpistemicConfig) -> Self {
        let day = NOMINAL_TICKS_PER_DAY;
        let hours = |ticks: u64| ((ticks.min(day * 20) * 24 + day / 2) / day).max(1) as usize;
        let (grace, limit) = (hours(config.recovery_grace_period), hours(config.senescence_max_ticks));
        let (low, high) = (config.senescence_threshold, config.recovery_threshold);
        let stage = hours_so_far(so_far, grace);
        let usual = Self { level: now, doubt: 0.03, spread: 0.04, memory: 0.83, now, stage, low, high, grace, limit };
        let last = history.last().map_or(0.0, |(day, _)| *day);
        let recent: Vec<(f64, f64)> =
            history.iter().copied().filter(|(day, _)| (last - day) * 24.0 <= RECENT_HOURS).collect();
        let n = recent.len() as f64;
        let step = recent.first().map_or(0.0, |(first, _)| (last - first) * 24.0 / (n - 1.0).max(1.0));
        if n < 12.0 || step <= 0.0 {
            return usual;
        }
        let level = recent.iter().map(|(_, f)| f).sum::<f64>() / n;
        let variance = recent.iter().map(|(_, f)| (f - level) * (f - level)).sum::<f64>() / n;
        let together = recent.windows(2).map(|w| (w[0].1 - level) * (w[1].1 - level)).sum::<f64>() / n;
        let memory = libm::pow((together / variance.max(1e-12)).clamp(0.05, 0.98), 1.0 / step).clamp(0.3, 0.98);
        // Deviations that remember each other tell less about the level than so many of their own would, and the level
        // itself moves on: it is doubted twice as much.
        let alike = (-2.0 / libm::log(memory) / (n * step)).min(0.8);
        let spread = libm::sqrt(variance / (1.0 - alike)).max(0.01);
        Self { level, doubt: 2.0 * spread * libm::sqrt(alike), spread, memory, ..usual }
    }

    /// How far below its level fitness is once in a day or so.
    pub(crate) fn dip(&self) -> f64 {
        LOWEST_OF_A_DAY * self.spread
    }

    /// The stage after another hour: so many hours below the line, and beyond the grace period senescent.
    fn next(&self, stage: usize, fitness: f64) -> usize {
        let goes_on = if stage < self.grace { fitness < self.low } else { fitness <= self.high };
        if goes_on { stage + 1 } else { 0 }
    }

    /// The probability that it has run its course by the end of each hour.
    pub(crate) fn course(&self, hours: usize) -> Vec<f64> {
        let mut dead = vec![0.0; hours];
        for (off, weight) in LEVELS {
            self.course_at(self.level + off * self.doubt, weight, &mut dead);
        }
        dead
    }

    fn course_at(&self, level: f64, weight: f64, out: &mut [f64]) {
        if self.stage == 0 && normal_cdf((self.low - level) / self.spread) < NEGLIGIBLE {
            return;
        }
        let (steps, stages) = (self.steps(), self.grace + self.limit);
        let fitness: Bins = std::array::from_fn(|i| level + self.spread * middle(i));
        let mut at = vec![[0.0; BINS]; stages];
        let first = ((self.now - level) / self.spread + REACH) / WIDTH;
        at[self.stage.min(stages - 1)][first.clamp(0.0, BINS as f64 - 1.0) as usize] = 1.0;
        let mut dead = 0.0;
        for out in out {
            let mut next = vec![[0.0; BINS]; stages];
            for (stage, bins) in at.iter().enumerate() {
                for (p, step) in bins.iter().zip(&steps).filter(|(p, _)| **p > NEGLIGIBLE * 1e-3) {
                    for (i, share) in step.iter().enumerate() {
                        match next.get_mut(self.next(stage, fitness[i])) {
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

    /// Where a deviation goes within an hour, from every bin to every bin.
    fn steps(&self) -> [Bins; BINS] {
        let noise = libm::sqrt(1.0 - self.memory * self.memory);
        std::array::from_fn(|from| {
            let below = |edge: usize| match edge {
                0 => 0.0,
                BINS => 1.0,
                _ => normal_cdf((WIDTH * edge as f64 - REACH - self.memory * middle(from)) / noise),
            };
            std::array::from_fn(|to| below(to + 1) - below(to))
        })
    }
}

impl std::fmt::Display for Swing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hours = -1.0 / libm::log(self.memory);
        write!(
            f,
            "fitness swings by {:.3} around {:.3} and comes back within {hours:.0} h; below {} for {} h and not above {} for {} h more",
            self.spread, self.level, self.low, self.grace, self.high, self.limit
        )
    }
}

/// Hours that its senescence has run already: the clock says it, hourly looks at fitness would not.
fn hours_so_far(senescence: Senescence, grace: usize) -> usize {
    let hours = |ran: golem_core::Elapsed| (ran.nominal_floor() * 24 / NOMINAL_TICKS_PER_DAY) as usize;
    if senescence.is_senescent() { grace + hours(senescence.senescent_for) } else { hours(senescence.below_for) }
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

    fn history(level: f64) -> Vec<(f64, f64)> {
        (0..72).map(|n| (f64::from(n) / 24.0, level + 0.03 * libm::sin(f64::from(n * n)))).collect()
    }
    /// From the moment at which it is asked, whatever was before.
    fn by_day(level: f64, day: usize) -> f64 {
        let past = history(level);
        let swing = Swing::of(&past, past[71].1, Senescence::default(), &EpistemicConfig::default());
        swing.course(24 * 60)[24 * day - 1]
    }

    #[test]
    fn the_nearer_to_the_line_the_sooner_and_never_before_its_course_is_run() {
        assert!(by_day(0.60, 60) < 1e-6);
        assert!(by_day(0.30, 1) < 1e-9, "grace and limit take more than a day");
        assert!(by_day(0.30, 3) > 0.8, "{}", by_day(0.30, 3));
        let all: Vec<f64> = [0.37, 0.36, 0.35, 0.33].iter().map(|level| by_day(*level, 4)).collect();
        assert!(all.windows(2).all(|w| w[0] < w[1]), "{all:?}");
        let course = Swing::of(&history(0.37), 0.37, Senescence::default(), &EpistemicConfig::default()).course(600);
        assert!(course.windows(2).all(|w| w[0] <= w[1] + 1e-12) && course[599] <= 1.0 + 1e-9);
    }

    #[test]
    fn a_senescence_that_has_run_for_long_ends_sooner() {
        let config = EpistemicConfig::default();
        let asked = |ticks: u64, hours: usize| {
            let mut so_far = Senescence::default();
            so_far.tick(0.30, golem_core::Elapsed::nominal(config.recovery_grace_period), &config);
            so_far.tick(0.30, golem_core::Elapsed::nominal(ticks), &config);
            Swing::of(&history(0.30), 0.30, so_far, &config).course(hours)[hours - 1]
        };
        let left = config.senescence_max_ticks - 180;
        assert!(asked(left, 3) > 0.9, "two hours are left: {}", asked(left, 3));
        assert!(asked(0, 3) < 1e-9, "nearly a day is left");
    }
}
