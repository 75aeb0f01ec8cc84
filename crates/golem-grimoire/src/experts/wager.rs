//! Evidence that may be looked at whenever one likes: a wager against "it is no better with this than without".
//!
//! Before each block of time a stake is fixed; when the block is over, the wealth is multiplied by `1 + stake x gain`,
//! where the gain is a bounded difference of proper scores. If there is no gain to be had, no way of staking makes the
//! wealth grow in the mean, and by Ville's inequality it ever reaches `1 / level` with a chance of at most `level`,
//! however often one looks and whenever one stops (Shafer 2021; Waudby-Smith and Ramdas 2024).
//!
//! A forecast over a horizon is settled a horizon later. Trials that are a horizon apart are over before the next begins, and
//! all count for one wealth. Where a whole block is one trial, its outcome is not known when the next block begins: then
//! blocks count in turn for one of two wealths. The wager is worth the mean of all three.

use serde::{Deserialize, Serialize};

/// No stake is higher: with gains above -1.4 no block can take everything.
pub const MOST_STAKE: f64 = 0.65;
/// Logarithms of wealth are kept within this.
const FURTHEST: f64 = 60.0;

/// The wealths, as logarithms: of trials in turn, and of trials alone.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Wager {
    log_wealth: [f64; 3],
}

impl Wager {
    /// A block of this side is over: what was staked on it before it began, and what it brought.
    pub fn book(&mut self, side: usize, stake: f64, gain: f64) {
        self.multiply(side & 1, stake, gain);
    }
    fn multiply(&mut self, which: usize, stake: f64, gain: f64) {
        let factor = 1.0 + stake.clamp(0.0, MOST_STAKE) * gain;
        if factor.is_finite() {
            let wealth = &mut self.log_wealth[which];
            *wealth = (*wealth + libm::log(factor.max(1e-6))).clamp(-FURTHEST, FURTHEST);
        }
    }
    /// A trial that was over before the next began.
    pub fn book_alone(&mut self, stake: f64, gain: f64) {
        self.multiply(2, stake, gain);
    }
    /// The wager's worth, as a logarithm: the mean of the wealths.
    #[must_use]
    pub fn log_value(&self) -> f64 {
        let high = self.log_wealth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.log_wealth.iter().map(|w| libm::exp(w - high)).sum();
        high + libm::log(sum / self.log_wealth.len() as f64)
    }
    /// True when chance would lead here with a probability of at most `level`.
    #[must_use]
    pub fn proves(&self, level: f64) -> bool {
        level > 0.0 && self.log_value() >= -libm::log(level)
    }
}

/// The chance that anything untrue is ever taken for proven in a whole life, all entries together.
pub const LEVEL: f64 = 0.1;
/// Parts of it: what is searched for in the residuals of the panels has one half, what is staged a quarter; beliefs that are
/// watched, entries that speak beside a panel and rules that act share what is left. Each of these counts for itself.
const SEARCHED: f64 = 0.5;
const STAGED: f64 = 0.25;
const WATCHED: f64 = 0.25 / 3.0;
const SEATED: f64 = 0.25 / 3.0;
const ACTING: f64 = 0.25 / 3.0;
/// Who dreams has this on top of it: what was found in the record by sleeping on it, and what was imagined.
const DREAMT: f64 = 0.125;
const IMAGINED: f64 = 0.125;

/// The level for one hypothesis that has this part among those that are tried together, in the `round`-th search of a life
/// (from 0).
#[must_use]
pub fn searched_level(part: f64, round: u32) -> f64 {
    LEVEL * SEARCHED * share(u64::from(round) + 1) * part
}
/// What is proven one by one, as it comes: each kind of it has a row of numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelShare {
    /// Proposals that are staged.
    Staged,
    /// Beliefs that are watched.
    Watched,
    /// Entries that speak beside a panel and were not found here.
    Seated,
    /// Rules that act.
    Acting,
    /// Proposals that a dream found in the record.
    Dreamt,
    /// Proposals that a dream made up.
    Imagined,
}

impl LevelShare {
    /// Those of a life without dreams.
    pub const AWAKE: [Self; 4] = [Self::Staged, Self::Watched, Self::Seated, Self::Acting];

    /// The level of the `number`-th of its kind in a life (from 1).
    #[must_use]
    pub fn level(self, number: u64) -> f64 {
        let part = match self {
            Self::Staged => STAGED,
            Self::Watched => WATCHED,
            Self::Seated => SEATED,
            Self::Acting => ACTING,
            Self::Dreamt => DREAMT,
            Self::Imagined => IMAGINED,
        };
        LEVEL * part * share(number)
    }
}

/// Shares of a whole that are never used up: 1/2, 1/6, 1/12, ...
fn share(number: u64) -> f64 {
    let n = number.max(1) as f64;
    1.0 / (n * (n + 1.0))
}

/// A wager on a row of yes and no against a rate that is known before each of them, by the difference of logarithmic
/// scores: the rate of the claim so far against the base rate. Kept as a logarithm of the wealth, in millionths.
#[must_use]
pub fn rate_step(hits: u32, misses: u32, base_rate: f64, hit: bool) -> f64 {
    let base = if base_rate.is_nan() { 0.99 } else { base_rate.clamp(0.01, 0.99) };
    // Never below the base rate: what is proven is that it comes true more often than that.
    let said =
        ((f64::from(hits) + 2.0 * base.max(0.6)) / (f64::from(hits) + f64::from(misses) + 2.0)).clamp(base, 0.995);
    if hit { libm::log(said / base) } else { libm::log((1.0 - said) / (1.0 - base)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whoever_proves_anything_errs_with_all_others_together_in_one_life_of_ten_at_most() {
        // Far beyond any life: what is left of each row is one over its length.
        let rows = 1..200_000_u64;
        let all =
            |kinds: &[LevelShare]| -> f64 { kinds.iter().flat_map(|kind| rows.clone().map(|n| kind.level(n))).sum() };
        let counted = all(&LevelShare::AWAKE);
        let searched: f64 = (0..200_000).map(|round| searched_level(1.0, round)).sum();
        assert!(counted + searched <= LEVEL, "{counted} and {searched}");
        assert!(counted + searched >= 0.999 * LEVEL, "nothing of it is given away: {counted} and {searched}");
        let dreamt = all(&[LevelShare::Dreamt, LevelShare::Imagined]);
        assert!(dreamt <= LEVEL / 4.0, "who dreams errs in a quarter more: {dreamt}");
    }

    proptest! {
        /// Whatever came before, whoever is next and whatever is staked: a fair block leaves the worth as it was in the
        /// mean. The best of the three wealths would grow.
        #[test]
        fn a_fair_block_is_worth_nothing_in_the_mean(
            before in prop::collection::vec((0_usize..3, 0.0..MOST_STAKE, -1.25..1.25_f64), 0..40),
            (stake, up, down) in (0.01..MOST_STAKE, 0.1..1.25_f64, 0.1..1.25_f64),
        ) {
            let book = |wager: &Wager, which: usize, stake: f64, gain: f64| {
                let mut after = *wager;
                match which {
                    2 => after.book_alone(stake, gain),
                    side => after.book(side, stake, gain),
                }
                after
            };
            let wager = before.iter().fold(Wager::default(), |w, (which, stake, gain)| book(&w, *which, *stake, *gain));
            for which in 0..3 {
                let worth = |gain: f64| libm::exp(book(&wager, which, stake, gain).log_value() - wager.log_value());
                // Won with a chance of down in up and down, lost otherwise: nothing in the mean.
                let mean = (down * worth(up) + up * worth(-down)) / (up + down);
                prop_assert!((mean - 1.0).abs() < 1e-9, "{mean} by the wealth {which}");
                prop_assert!(worth(up) > 1.0 && worth(-down) < 1.0);
            }
        }
    }
}
