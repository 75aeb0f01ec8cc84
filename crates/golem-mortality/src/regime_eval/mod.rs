//! Regime-matched evaluation: was it the golem that changed, or only the weather?
//!
//! Performance is compared between ticks with the same volatility quintile and the same trend, by effect size (Cohen's
//! d with a bootstrap interval) and by distribution (Kolmogorov-Smirnov). [`r_squared`] is the seed's
//! fitness measure.
//!
//! Everything is pure: chance is an argument, and no input panics.

mod config;
mod effect;
mod fit;
mod kolmogorov;
mod ks;
mod matched;
mod tag;

pub use config::RegimeEvaluationConfig;
pub use effect::{RegimeEffect, cohens_d, effect_with_interval};
pub use fit::{SEED_MIN_PAIRS, r_squared, seed_r_squared};
pub use kolmogorov::kolmogorov_survival;
pub use ks::{KsTest, ks_two_sample};
pub use matched::{RegimeComparison, RegimeSample, RegimeVerdict, compare_in_regime};
pub use tag::{RegimeTag, Trend, volatility_quintile};
