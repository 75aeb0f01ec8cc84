//! Patterns across episodes, without a model: an act in one weather, or at one time of the day, that ends otherwise
//! than the same act elsewhere. What the market would have to do for it becomes a claim that the waking world can
//! check.

use super::forward::ForwardResponse;
use super::rules::ReplayRules;
use super::utility::LivedEpisode;
use golem_core::Regime;
use golem_grimoire::{Claim, Episode, EpisodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Patterns of one cycle at most, the clearest.
const MOST_PATTERNS: usize = 8;
/// Differences below this, in basis points of wealth, are nothing whatever their error.
const LEAST_DIFFERENCE_BPS: f64 = 1.0;
/// Episodes that are named as evidence at most, the latest.
const MOST_NAMED: usize = 16;
/// The time after which a claim is checked: what the price did in that time, and nothing before it.
const AFTER_TICKS: u32 = 90;

/// Something that several episodes have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternFound {
    pub text: String,
    /// The oldest first.
    pub episodes: Vec<EpisodeId>,
    /// What reality can check of it, where it can.
    pub claim: Option<Claim>,
    /// What the act brought in the mean, in basis points of wealth.
    pub mean_bps: f64,
}

/// Where an act was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PatternPlace {
    Weather(Regime),
    /// A quarter of the day, UTC, from 0 to 3.
    Quarter(u8),
}

/// An episode with an act and an outcome.
struct EndedAct {
    id: EpisodeId,
    bps: f64,
}

/// What the replayed episodes have in common, the clearest first: those of earlier cycles and, by their numbers, those
/// of this one.
#[must_use]
pub fn find(rules: &ReplayRules, episodes: &[LivedEpisode<'_>], now: &BTreeSet<EpisodeId>) -> Vec<PatternFound> {
    let mut acts: BTreeMap<&'static str, Vec<EndedAct>> = BTreeMap::new();
    let mut groups: BTreeMap<(&'static str, PatternPlace), BTreeSet<EpisodeId>> = BTreeMap::new();
    for (episode, marks) in episodes.iter().filter(|(e, m)| m.replays > 0 || now.contains(&e.id)) {
        let (Some(deed), Some(bps)) = (&episode.deed, marks.outcome_bps.filter(|bps| bps.is_finite())) else {
            continue;
        };
        let action = deed.intent.name();
        acts.entry(action).or_default().push(EndedAct { id: episode.id, bps: f64::from(bps) });
        for place in [PatternPlace::Weather(episode.regime), PatternPlace::Quarter(quarter(episode))] {
            groups.entry((action, place)).or_default().insert(episode.id);
        }
    }
    let mut found: Vec<(f64, PatternFound)> = Vec::new();
    for ((action, place), group) in groups {
        let all = acts.get(action).map_or(&[][..], Vec::as_slice);
        let (here, rest): (Vec<&EndedAct>, Vec<&EndedAct>) = all.iter().partition(|a| group.contains(&a.id));
        found.extend(compare(rules, &here, &rest).map(|clear| (clear, pattern(action, place, &here))));
    }
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().take(MOST_PATTERNS).map(|(_, pattern)| pattern).collect()
}

/// What paid where things stood as they do now, and pays in what is likely to come too, with what reality can check of it.
#[must_use]
pub fn planned(response: &ForwardResponse, regime: Regime, on_a_copy_bps: f64) -> Option<PatternFound> {
    let ForwardResponse { action, expected_bps, episodes, .. } = response;
    let pays = on_a_copy_bps >= LEAST_DIFFERENCE_BPS && *expected_bps >= LEAST_DIFFERENCE_BPS;
    let claim = claim(action, PatternPlace::Weather(regime), true).filter(|_| pays)?;
    let text = format!(
        "To {action} in {regime} weather went well, {expected_bps:+.1} bps in the mean of {}, and on a copy of the present it does \
         again: {on_a_copy_bps:+.1}.",
        episodes.len()
    );
    let named = episodes.iter().take(MOST_NAMED).rev().copied().collect();
    Some(PatternFound { text, episodes: named, claim: Some(claim), mean_bps: on_a_copy_bps })
}

fn quarter(episode: &Episode) -> u8 {
    (episode.at.0.rem_euclid(86_400) / 21_600) as u8
}

/// How many standard errors a group lies from the rest, where it is a pattern: enough on both sides, most of the group
/// on the side of its mean, and that mean further out than the rest's by more than chance would have it.
fn compare(rules: &ReplayRules, here: &[&EndedAct], rest: &[&EndedAct]) -> Option<f64> {
    let least = rules.pattern_least.max(2) as usize;
    if here.len() < least || rest.len() < least {
        return None;
    }
    let ((mean, error), (other, other_error)) = (mean(here), mean(rest));
    let difference = mean - other;
    let agree = here.iter().filter(|a| a.bps * mean > 0.0).count();
    let clear = difference.abs() / libm::sqrt(error + other_error).max(1e-9);
    let is_pattern = difference * mean > 0.0
        && difference.abs() >= LEAST_DIFFERENCE_BPS
        && agree as f64 >= rules.pattern_agree * here.len() as f64
        && clear >= rules.pattern_errors;
    is_pattern.then_some(clear)
}

/// The mean of at least two outcomes, and the square of its standard error.
fn mean(of: &[&EndedAct]) -> (f64, f64) {
    let n = of.len() as f64;
    let mean = of.iter().map(|a| a.bps).sum::<f64>() / n;
    let squares: f64 = of.iter().map(|a| (a.bps - mean) * (a.bps - mean)).sum();
    (mean, squares / (n - 1.0) / n)
}

fn pattern(action: &'static str, place: PatternPlace, here: &[&EndedAct]) -> PatternFound {
    let (mean_bps, _) = mean(here);
    let went = if mean_bps > 0.0 { "well" } else { "badly" };
    let whereabouts = match place {
        PatternPlace::Weather(regime) => format!("in {regime} weather"),
        PatternPlace::Quarter(at) => format!("from {} to {} o'clock UTC", at * 6, at * 6 + 6),
    };
    PatternFound {
        text: format!("To {action} {whereabouts} went {went}: {mean_bps:+.1} bps in the mean of {}.", here.len()),
        episodes: here.iter().skip(here.len().saturating_sub(MOST_NAMED)).map(|a| a.id).collect(),
        claim: claim(action, place, mean_bps > 0.0),
        mean_bps,
    }
}

/// What the market must have done for it: the price for swaps, the fees for liquidity. Holding and collecting say
/// nothing about the market, and weather that nobody could name is no condition.
fn claim(action: &str, place: PatternPlace, well: bool) -> Option<Claim> {
    let then = match (action, well) {
        ("buy", true) | ("sell", false) => "market.return_90 > 0.0",
        ("buy", false) | ("sell", true) => "market.return_90 < 0.0",
        ("add" | "rebalance", true) | ("remove", false) => "market.fee_yield_ratio > 1.0",
        ("add" | "rebalance", false) | ("remove", true) => "market.fee_yield_ratio < 1.0",
        _ => return None,
    };
    let when = match place {
        PatternPlace::Weather(Regime::Unknown) => return None,
        PatternPlace::Weather(regime) => format!("market.regime == \"{regime}\""),
        PatternPlace::Quarter(at) => format!("market.hour >= {}.0 && market.hour < {}.0", at * 6, at * 6 + 6),
    };
    Some(Claim { when, then: then.to_owned(), unless: None, after_ticks: AFTER_TICKS })
}
