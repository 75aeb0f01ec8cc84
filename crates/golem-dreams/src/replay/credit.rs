//! Reverse replay: from what a closed trade brought, back along its acts to the first decision, whose doing it was.
//!
//! The last act gets most and each one before it a fixed share of that ([`ReplayRules::credit_lambda`]); what rounding
//! leaves over goes to those it took most from, so that the shares always add up to what the trade brought. Losses are
//! walked before gains; where there are more trades than a cycle can walk, what was large comes first and the rest waits.

use super::rules::ReplayRules;
use super::utility::LivedEpisode;
use crate::journal::CreditAssignment;
use golem_grimoire::EpisodeId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The weight of the last act, from which the others' are made: fine enough for any sum of money.
const WHOLE: f64 = (1u64 << 40) as f64;

/// A closed trade, walked backward.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedTrade {
    pub trade: u64,
    /// What it brought, in micro-USDC.
    pub micro_usdc: i64,
    /// How many of the cycle's walks it is worth by its size; whose size is worth none waits for another cycle.
    pub replays: u32,
    /// From the last act to the first decision; acts whose share is nothing are left out.
    pub shares: Vec<CreditAssignment>,
}

/// A trade as it is remembered.
struct RememberedTrade {
    trade: u64,
    micro_usdc: i64,
    /// The oldest first.
    acts: Vec<EpisodeId>,
}

/// Walk back along the trades that are over, brought or cost something, and are not credited yet. `holds` says whether
/// the golem holds anything now: then its latest trade is not over.
#[must_use]
pub fn trace(
    rules: &ReplayRules,
    episodes: &[LivedEpisode<'_>],
    holds: bool,
    credited: &BTreeSet<u64>,
) -> Vec<TracedTrade> {
    let mut trades = closed(episodes, holds);
    trades.retain(|t| t.micro_usdc != 0 && !credited.contains(&t.trade));
    trades.sort_by_key(|t| (t.micro_usdc > 0, Reverse(t.micro_usdc.unsigned_abs()), Reverse(t.trade)));
    let replays = rate(rules, &trades);
    let walked = trades.iter().zip(replays).filter(|(_, replays)| *replays > 0);
    walked.map(|(trade, replays)| traced(rules, trade, replays)).collect()
}

/// What the open trade may yet come to, walked back along its acts like what a closed one has brought.
#[must_use]
pub fn ahead(rules: &ReplayRules, episodes: &[LivedEpisode<'_>], trade: u64, micro_usdc: i64) -> Vec<CreditAssignment> {
    let is_of_it = |e: &&LivedEpisode<'_>| e.0.deed.as_ref().is_some_and(|d| d.trade == trade && !d.on_paper);
    let acts = episodes.iter().filter(is_of_it).map(|(episode, _)| episode.id).collect();
    traced(rules, &RememberedTrade { trade, micro_usdc, acts }, 1).shares
}

/// The trades that are over, as far as they are remembered: a later one has begun, or nothing is held.
fn closed(episodes: &[LivedEpisode<'_>], holds: bool) -> Vec<RememberedTrade> {
    let mut trades: BTreeMap<u64, (i128, Vec<EpisodeId>)> = BTreeMap::new();
    for (episode, _) in episodes {
        // What was done on paper moved nothing, and holding belongs to no trade.
        let Some(deed) = episode.deed.as_ref().filter(|d| d.trade > 0 && !d.on_paper) else { continue };
        let (sum, acts) = trades.entry(deed.trade).or_default();
        *sum += i128::from(deed.realised.0);
        acts.push(episode.id);
    }
    if holds {
        trades.pop_last();
    }
    let kept = |sum: i128| sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    trades.into_iter().map(|(trade, (sum, acts))| RememberedTrade { trade, micro_usdc: kept(sum), acts }).collect()
}

/// How many walks each is worth: every loss one, as far as the cycle goes; the rest by how much was won or lost.
fn rate(rules: &ReplayRules, trades: &[RememberedTrade]) -> Vec<u32> {
    let losses = trades.iter().take_while(|t| t.micro_usdc < 0).count();
    let budget = rules.reverse_replays as usize;
    let once = losses.min(budget);
    let sizes: Vec<u64> = trades.iter().map(|t| t.micro_usdc.unsigned_abs()).collect();
    let more = apportion((budget - once) as u64, &sizes);
    more.iter().enumerate().map(|(at, n)| u32::from(at < once) + u32::try_from(*n).unwrap_or(u32::MAX)).collect()
}

fn traced(rules: &ReplayRules, trade: &RememberedTrade, replays: u32) -> TracedTrade {
    let lambda = if rules.credit_lambda.is_nan() { 0.0 } else { rules.credit_lambda.clamp(0.0, 1.0) };
    let weight = |hops: usize| (WHOLE * libm::pow(lambda, hops as f64)) as u64;
    let weights: Vec<u64> = (0..trade.acts.len()).map(weight).collect();
    let parts = apportion(trade.micro_usdc.unsigned_abs(), &weights);
    let signed = |part: u64| {
        let wide = i128::from(part) * i128::from(trade.micro_usdc.signum());
        i64::try_from(wide).unwrap_or(i64::MAX)
    };
    let shares = trade.acts.iter().rev().zip(parts).enumerate().filter(|(_, (_, part))| *part > 0);
    let shares = shares.map(|(hops, (episode, part))| CreditAssignment {
        trade: trade.trade,
        episode: *episode,
        hops: u32::try_from(hops).unwrap_or(u32::MAX),
        micro_usdc: signed(part),
    });
    TracedTrade { trade: trade.trade, micro_usdc: trade.micro_usdc, replays, shares: shares.collect() }
}

/// Share a total out by weight, exactly: rounded down, and what is left goes to the largest remainders, the first of
/// equals.
fn apportion(total: u64, weights: &[u64]) -> Vec<u64> {
    let whole: u128 = weights.iter().copied().map(u128::from).sum();
    if whole == 0 {
        return vec![0; weights.len()];
    }
    let exact = |w: &u64| u128::from(total) * u128::from(*w);
    let mut parts: Vec<u64> = weights.iter().map(|w| u64::try_from(exact(w) / whole).unwrap_or(u64::MAX)).collect();
    let given: u64 = parts.iter().sum();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|at| Reverse(exact(&weights[*at]) % whole));
    for at in order.into_iter().take((total - given) as usize) {
        parts[at] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::kit::{act, lived};
    use proptest::prelude::*;

    fn trades(list: &[(u64, i64)]) -> Vec<(golem_grimoire::Episode, golem_grimoire::Marks)> {
        let acts = list.iter().enumerate();
        acts.map(|(at, (trade, realised))| (act(at as u64 + 1, *trade, *realised), Default::default())).collect()
    }

    fn shares(of: &TracedTrade) -> Vec<(u64, u32, i64)> {
        of.shares.iter().map(|s| (s.episode.0, s.hops, s.micro_usdc)).collect()
    }

    #[test]
    fn the_last_act_gets_most_and_nothing_is_lost() {
        let all = trades(&[(1, 0), (1, 0), (1, -1_000_000)]);
        let out = trace(&ReplayRules::default(), &lived(&all), false, &BTreeSet::new());
        assert_eq!(out.len(), 1);
        // 1 : 0.7 : 0.49 of a loss of one USDC, back from the end.
        assert_eq!(shares(&out[0]), [(3, 0, -456_621), (2, 1, -319_635), (1, 2, -223_744)]);
    }

    #[test]
    fn a_trade_is_over_when_another_has_begun_or_nothing_is_held() {
        let all = trades(&[(1, -5), (2, 7)]);
        let over = |holds| -> Vec<u64> {
            let out = trace(&ReplayRules::default(), &lived(&all), holds, &BTreeSet::new());
            out.iter().map(|t| t.trade).collect()
        };
        assert_eq!((over(true), over(false)), (vec![1], vec![1, 2]));
        let again = trace(&ReplayRules::default(), &lived(&all), false, &BTreeSet::from([1]));
        assert_eq!(again.iter().map(|t| t.trade).collect::<Vec<_>>(), [2], "credited once");
    }

    #[test]
    fn what_is_ahead_of_an_open_trade_is_shared_out_among_its_acts_alone() {
        let mut all = trades(&[(1, 50), (2, 0), (2, 0), (2, 0)]);
        all[2].0.deed.as_mut().unwrap().on_paper = true;
        let shares = ahead(&ReplayRules::default(), &lived(&all), 2, -1_700);
        let shares: Vec<_> = shares.iter().map(|s| (s.episode.0, s.hops, s.micro_usdc)).collect();
        assert_eq!(shares, [(4, 0, -1_000), (2, 1, -700)]);
        assert_eq!(ahead(&ReplayRules::default(), &lived(&all), 9, -1_700), [], "nothing is held by it");
    }

    #[test]
    fn paper_and_holding_are_no_trades() {
        let mut all = trades(&[(1, -5), (0, -7), (2, 0)]);
        all[0].0.deed.as_mut().unwrap().on_paper = true;
        assert_eq!(trace(&ReplayRules::default(), &lived(&all), false, &BTreeSet::new()), Vec::new());
    }

    #[test]
    fn losses_come_first_and_large_ones_more_often() {
        let all = trades(&[(1, 9_000), (2, -100), (3, -900), (4, 100)]);
        let out = trace(&ReplayRules::default(), &lived(&all), false, &BTreeSet::new());
        let order: Vec<(u64, u32)> = out.iter().map(|t| (t.trade, t.replays)).collect();
        // Ten walks: one for each loss, eight by size.
        assert_eq!(order, [(3, 2), (2, 1), (1, 7)]);
        let few = ReplayRules { reverse_replays: 1, ..ReplayRules::default() };
        let out = trace(&few, &lived(&all), false, &BTreeSet::new());
        assert_eq!(out.iter().map(|t| t.trade).collect::<Vec<_>>(), [3], "the largest loss, not the largest gain");
    }

    proptest! {
        #[test]
        fn shares_add_up(acts in prop::collection::vec((1u64..4, any::<i64>()), 0..60), lambda in prop::num::f64::ANY) {
            let all = trades(&acts);
            let rules = ReplayRules { credit_lambda: lambda, ..ReplayRules::default() };
            let out = trace(&rules, &lived(&all), false, &BTreeSet::new());
            for trade in &out {
                let sum: i128 = trade.shares.iter().map(|s| i128::from(s.micro_usdc)).sum();
                prop_assert_eq!(sum, i128::from(trade.micro_usdc));
                prop_assert!(trade.shares.iter().all(|s| s.micro_usdc.signum() == trade.micro_usdc.signum()));
                let size = |share: &CreditAssignment| share.micro_usdc.unsigned_abs();
                let falls = |w: &[CreditAssignment]| w[0].hops < w[1].hops && size(&w[0]) >= size(&w[1]);
                prop_assert!(trade.shares.windows(2).all(falls));
            }
            let walks: u32 = out.iter().map(|t| t.replays).sum();
            prop_assert!(walks <= rules.reverse_replays);
            prop_assert!(out.is_empty() || walks == rules.reverse_replays);
        }
    }
}
