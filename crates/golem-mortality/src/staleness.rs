//! Going stale: how likely fitness stays low for so long that senescence runs its course.
//!
//! Fitness swings around its level and comes back to it within hours: what counts is how long it stays away. It is taken as
//! a chain of hours with the swing and the memory of its recent history (Tauchen 1986), and lived forward through the
//! stages of senescence: below the line, confirmed, over its limit; between two hours it may have been above the line for a
//! moment (a Brownian bridge). The level is known from few days only and moves on with the days: it is tried at three places
//! for good, and around each of them it moves between three.

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
const NORMAL: [(f64, f64); 3] = [(-1.732_050_8, 1.0 / 6.0), (0.0, 2.0 / 3.0), (1.732_050_8, 1.0 / 6.0)];

/// How far the looks of a path that is seen now and then lie inside its extremes, in standard deviations between looks
/// (Broadie, Glasserman and Kou 1997).
const SHIFT: f64 = 0.582_6;
/// Hours from one look at fitness to the next that fit how rough measured paths are.
const LOOK: f64 = 0.3;
/// Hours after which what was seen of the level counts a third.
const FADES: f64 = 24.0;
/// As good as the naive rule; and what is left of a lead over it in the days to come. Of some 900 looks at lives that had
/// stopped learning, the mean of the days after lay at 0.7 of the lead of the days before.
const NAIVE: f64 = 0.5;
const KEPT: f64 = 0.7;
/// How far the level may be from where it is thought to be for good, and how far it goes for some days, in swings.
const LASTING: f64 = 0.7;
const PASSING: f64 = 0.7;
/// Hours that it stays there.
const HOURS_OF_A_LEVEL: f64 = 96.0;
/// The swing to come, in swings of the past: whoever is alive to be asked has had quiet days.
const WIDER: f64 = 1.1;

/// The lowest of the five or so deviations of a day that do not remember each other, in standard deviations.
const LOWEST_OF_A_DAY: f64 = 1.16;

type Bins = [f64; BINS];

/// How fitness moves, and the lines that it is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Swing {
    level: f64,
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
        let usual = Self { level: now, spread: 0.03, memory: 0.83, now, stage, low, high, grace, limit };
        let last = history.last().map_or(0.0, |(day, _)| *day);
        let recent: Vec<(f64, f64)> =
            history.iter().copied().filter(|(day, _)| (last - day) * 24.0 <= RECENT_HOURS).collect();
        let n = recent.len() as f64;
        let step = recent.first().map_or(0.0, |(first, _)| (last - first) * 24.0 / (n - 1.0).max(1.0));
        if n < 12.0 || step <= 0.0 {
            return usual;
        }
        let mean = recent.iter().map(|(_, f)| f).sum::<f64>() / n;
        let fading = |day: f64| libm::exp((day - last) * 24.0 / FADES);
        let weights: f64 = recent.iter().map(|(day, _)| fading(*day)).sum();
        let lately = recent.iter().map(|(day, f)| fading(*day) * f).sum::<f64>() / weights;
        // A lead over the naive rule is lost with time; whoever is behind it stays there.
        let level = lately.min(NAIVE + KEPT * (lately - NAIVE));
        let variance = recent.iter().map(|(_, f)| (f - mean) * (f - mean)).sum::<f64>() / n;
        let together = recent.windows(2).map(|w| (w[0].1 - mean) * (w[1].1 - mean)).sum::<f64>() / n;
        let memory = libm::pow((together / variance.max(1e-12)).clamp(0.05, 0.98), 1.0 / step).clamp(0.3, 0.98);
        // Deviations that remember each other tell less about their mean than so many of their own would.
        let alike = (-2.0 / libm::log(memory) / (n * step)).min(0.8);
        let spread = libm::sqrt(variance / (1.0 - alike)).max(0.01);
        Self { level, spread, memory, ..usual }
    }

    /// How far below its level fitness is once in a day or so.
    pub(crate) fn dip(&self) -> f64 {
        LOWEST_OF_A_DAY * self.spread
    }

    /// The probability that it has run its course by the end of each hour.
    pub(crate) fn course(&self, hours: usize) -> Vec<f64> {
        let mut dead = vec![0.0; hours];
        for (off, likely) in NORMAL {
            self.course_around(self.level + off * LASTING * self.spread, likely, &mut dead);
        }
        dead
    }

    /// The same around a level that lasts, and with the days lies above or below it.
    fn course_around(&self, level: f64, weight: f64, out: &mut [f64]) {
        let spread = WIDER * self.spread;
        let levels = NORMAL.map(|(off, likely)| (level + off * PASSING * self.spread, likely));
        if self.stage == 0 && normal_cdf((self.low - levels[0].0) / spread) < NEGLIGIBLE {
            return;
        }
        let stages = self.grace + self.limit;
        let ways =
            levels.map(|(level, _)| Ways::of((self.low - level) / spread, (self.high - level) / spread, self.memory));
        let mut at = levels.map(|(level, likely)| {
            let mut at = vec![[0.0; BINS]; stages];
            let first = ((self.now - level) / spread + REACH) / WIDTH;
            at[self.stage.min(stages - 1)][first.clamp(0.0, BINS as f64 - 1.0) as usize] = likely;
            at
        });
        // In the end as many of those who are left die in every hour: then the rest need not be lived through.
        let settled = 2 * stages + HOURS_OF_A_LEVEL as usize;
        let (mut dead, mut share, mut next) = (0.0_f64, 0.0, at[0].clone());
        for (hour, out) in out.iter_mut().enumerate() {
            if hour < settled {
                let mut dies = 0.0;
                for (ways, at) in ways.iter().zip(&mut at) {
                    dies += ways.hour(at, &mut next, self.grace);
                    std::mem::swap(at, &mut next);
                }
                change_levels(&mut at);
                share = dies / (1.0 - dead).max(NEGLIGIBLE);
                dead += dies;
            } else {
                dead += (1.0 - dead) * share;
            }
            *out += weight * dead;
        }
    }
}

/// Within an hour some go to another level, each as likely as it is.
fn change_levels(at: &mut [Vec<Bins>; 3]) {
    let [low, middle, high] = at;
    for ((low, middle), high) in low.iter_mut().zip(middle).zip(high) {
        for ((low, middle), high) in low.iter_mut().zip(middle).zip(high) {
            let all = *low + *middle + *high;
            for (p, (_, likely)) in [low, middle, high].into_iter().zip(NORMAL) {
                *p += (likely * all - *p) / HOURS_OF_A_LEVEL;
            }
        }
    }
}

/// Where a deviation goes within an hour, from every bin to every bin.
struct Ways {
    all: Steps,
    /// Below the line of senescence all the while.
    low: Steps,
    /// Below that of recovery all the while.
    high: Steps,
    /// How much of a bin lies below the line of senescence.
    below: Bins,
}

type Steps = [Bins; BINS];

impl Ways {
    fn of(low: f64, high: f64, memory: f64) -> Self {
        let noise = libm::sqrt(1.0 - memory * memory);
        let all: Steps = std::array::from_fn(|from| {
            let below = |edge: usize| match edge {
                0 => 0.0,
                BINS => 1.0,
                _ => normal_cdf((edge_of(edge) - memory * middle(from)) / noise),
            };
            std::array::from_fn(|to| below(to + 1) - below(to))
        });
        let below = |line: f64| -> Bins { std::array::from_fn(|i| ((line - edge_of(i)) / WIDTH).clamp(0.0, 1.0)) };
        let stays = |line: f64| -> Steps {
            let share = below(line);
            // Between two hours below a line it may have been above it, unless nobody looked.
            let speed = -2.0 * libm::log(memory);
            let seen = line + SHIFT * libm::sqrt(speed * LOOK);
            let depth: Bins = std::array::from_fn(|i| (seen - edge_of(i) - 0.5 * WIDTH * share[i]).max(0.0));
            std::array::from_fn(|from| {
                std::array::from_fn(|to| {
                    all[from][to] * share[to] * -libm::expm1(-2.0 * depth[from] * depth[to] / speed)
                })
            })
        };
        Self { low: stays(low), high: stays(high), below: below(low), all }
    }

    /// An hour of all stages; gives how many die in it.
    ///
    /// Whoever comes below the line is in the first stage, where half an hour has passed on average.
    fn hour(&self, at: &[Bins], next: &mut [Bins], grace: usize) -> f64 {
        let (before, senescent) = at.split_at(grace);
        let (young, old) = (along(&sum(before), &self.all), along(&sum(senescent), &self.all));
        let mut dies = [0.0; BINS];
        for (stage, bins) in at.iter().enumerate().skip(1) {
            *next.get_mut(stage + 1).unwrap_or(&mut dies) =
                along(bins, if stage < grace { &self.low } else { &self.high });
        }
        next[1] = [0.0; BINS];
        let (low, high) = (sum(&next[1..=grace]), sum(&next[grace + 1..]));
        for to in 0..BINS {
            let begins = (young[to] * self.below[to] - low[to]).max(0.0);
            next[1][to] = begins;
            next[0][to] = (young[to] - low[to] - begins + old[to] - high[to] - dies[to]).max(0.0);
        }
        dies.iter().sum()
    }
}

fn sum(stages: &[Bins]) -> Bins {
    let mut all = [0.0; BINS];
    for bins in stages {
        all.iter_mut().zip(bins).for_each(|(all, p)| *all += p);
    }
    all
}

/// Where they go by these steps.
fn along(bins: &Bins, steps: &Steps) -> Bins {
    let mut to = [0.0; BINS];
    for (p, step) in bins.iter().zip(steps).filter(|(p, _)| **p > NEGLIGIBLE * 1e-3) {
        to.iter_mut().zip(step).for_each(|(to, share)| *to += p * share);
    }
    to
}

fn edge_of(bin: usize) -> f64 {
    WIDTH * bin as f64 - REACH
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
    if senescence.is_senescent() {
        grace + hours(senescence.senescent_for)
    } else if senescence.below_for > golem_core::Elapsed::default() {
        (hours(senescence.below_for) + 1).min(grace.saturating_sub(1))
    } else {
        0
    }
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
