//! New histories out of an old one: its hourly returns in blocks drawn with replacement, made wider or narrower by a factor.
//! Within a block what follows what is as it was, so that clusters of wide moves stay; between blocks nothing is left.

use golem_core::{Dice, RawObservation, Strand};

/// Hours of a block: a week.
const BLOCK: usize = 168;
/// The price at which a resampled history begins.
const FIRST_PRICE: f64 = 3_000.0;
/// No path leads further from where it began, in logarithms.
const LIMIT: f64 = 6.0;

/// One hour of a history: its log return, and what was traded in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HourMove {
    pub log_return: f64,
    pub volume: Option<f64>,
}

/// The hours of a history, as moves; hours without a price move nothing.
#[must_use]
pub fn moves(hours: &[RawObservation]) -> Vec<HourMove> {
    let price = |o: &RawObservation| o.price.filter(|p| p.is_finite() && *p > 0.0);
    let between = |pair: &[RawObservation]| {
        let log_return = price(&pair[0]).zip(price(&pair[1])).map_or(0.0, |(a, b)| libm::log(b / a));
        HourMove { log_return, volume: pair[1].volume }
    };
    hours.windows(2).map(between).collect()
}

/// So many hours after the first one, drawn in blocks by this seed, with all returns times `scale`. The first block begins
/// somewhere, later ones wherever they are drawn; a block that runs over the end goes on at the beginning.
#[must_use]
pub fn resampled(history: &[HourMove], hours: usize, scale: f64, seed: u64) -> Vec<RawObservation> {
    let dice = Dice::open(seed, Strand::Bridge);
    let seen = |log: f64, volume| RawObservation {
        price: Some(FIRST_PRICE * libm::exp(log)),
        volume,
        ..RawObservation::default()
    };
    let mut all = vec![seen(0.0, history.first().and_then(|h| h.volume))];
    let mut log = 0.0_f64;
    for block in 0..hours.div_ceil(BLOCK) {
        let from = (dice.uniform(block as u64, 0) * history.len() as f64) as usize;
        for n in 0..BLOCK.min(hours - block * BLOCK) {
            let Some(hour) = history.get((from + n) % history.len().max(1)) else { return all };
            log = (log + scale * hour.log_return).clamp(-LIMIT, LIMIT);
            all.push(seen(log, hour.volume));
        }
    }
    all
}

/// Standard deviation of the hourly returns.
#[must_use]
pub fn deviation(history: &[HourMove]) -> f64 {
    let n = history.len().max(1) as f64;
    let mean = history.iter().map(|h| h.log_return).sum::<f64>() / n;
    libm::sqrt(history.iter().map(|h| (h.log_return - mean) * (h.log_return - mean)).sum::<f64>() / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> Vec<HourMove> {
        let dice = Dice::open(3, Strand::World);
        let one = |n: u64| {
            // The second half is three times as wide as the first.
            let wide = if n < 2_000 { 0.004 } else { 0.012 };
            HourMove { log_return: wide * dice.draws(n).normals().0, volume: Some(1e6) }
        };
        (0..4_000).map(one).collect()
    }

    #[test]
    fn a_resampled_history_has_the_scaled_deviation_and_keeps_its_clusters() {
        let history = history();
        for scale in [0.5, 1.0, 2.0] {
            let again: Vec<HourMove> = moves(&resampled(&history, 40_000, scale, 7));
            let ratio = deviation(&again) / (scale * deviation(&history));
            assert!((0.93..1.07).contains(&ratio), "{scale}: {ratio}");
            // Hours a day apart are alike in width, hours a season apart are not.
            let width: Vec<f64> = again.iter().map(|h| h.log_return.abs()).collect();
            let alike = |lag: usize| {
                let mean = width.iter().sum::<f64>() / width.len() as f64;
                let of = |k: usize| width.iter().zip(&width[k..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
                of(lag) / of(0)
            };
            assert!(alike(24) > 0.1 && alike(2_000).abs() < 0.05, "{} {}", alike(24), alike(2_000));
        }
    }

    #[test]
    fn another_seed_is_another_history_and_the_same_seed_the_same() {
        let history = history();
        assert_eq!(resampled(&history, 500, 1.0, 1), resampled(&history, 500, 1.0, 1));
        assert_ne!(resampled(&history, 500, 1.0, 1), resampled(&history, 500, 1.0, 2));
        assert_eq!(resampled(&history, 500, 1.0, 1).len(), 501);
    }
}
