//! From closed trades to strategy fragments: how the golem got in, how it got out, and whether that made money.

use super::distil::learn_or_move;
use super::{CuratorMaterial, Distilled, LEAST_EVIDENCE, own};
use crate::entry::{DecayClass, EntryBody, EntryKind};
use crate::episode::{Episode, EpisodeId};
use crate::shelf::Shelf;
use crate::situation::Situation;
use crate::standing::Support;
use crate::subject::{ENTER_TAG, LEAVE_IN_TAG, LEAVE_TAG};
use golem_core::Regime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Ways of trading that are counted at once; beyond that the one longest without news is forgotten.
const MOST_WAYS: usize = 32;
/// Episodes named as evidence.
const MOST_NAMED: usize = 16;

/// Trades counted so far, by the way they were made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct TradeWays {
    /// The last trade that was counted.
    counted: u64,
    ways: Vec<TradeWay>,
}

/// One way of trading, and how it went since the last time it was learnt from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TradeWay {
    enter: String,
    enter_in: Regime,
    leave: String,
    leave_in: Regime,
    won: u32,
    lost: u32,
    profit_micro: i64,
    episodes: Vec<EpisodeId>,
    situation: Situation,
}

impl TradeWays {
    pub(super) fn distil(&mut self, shelf: &mut Shelf, told: &CuratorMaterial<'_>, out: &mut Distilled) {
        for (number, trade) in closed_after(shelf, self.counted) {
            self.counted = number;
            if let (Some(first), Some(last)) = (shelf.episode(trade.first), shelf.episode(trade.last)) {
                self.count(first, last, trade.profit_micro);
            }
        }
        let full = |way: &TradeWay| way.won + way.lost >= LEAST_EVIDENCE;
        let ways = std::mem::take(&mut self.ways);
        let (ripe, rest): (Vec<TradeWay>, Vec<TradeWay>) = ways.into_iter().partition(full);
        self.ways = rest;
        for way in ripe {
            let seen = Support { confirmed: way.won, contradicted: way.lost };
            if learn_or_move(shelf, way.fragment(told), seen, told, out).is_some() {
                out.fragments += 1;
            }
        }
    }
    fn count(&mut self, first: &Episode, last: &Episode, profit: i64) {
        let (Some(enter), Some(leave)) = (&first.deed, &last.deed) else { return };
        let (enter, leave) = (enter.intent.name(), leave.intent.name());
        let is_same = |w: &TradeWay| {
            (w.enter.as_str(), w.enter_in, w.leave.as_str(), w.leave_in) == (enter, first.regime, leave, last.regime)
        };
        // The one with the latest news stands last.
        let mut way = match self.ways.iter().position(is_same) {
            Some(at) => self.ways.remove(at),
            None => TradeWay::new(enter, first, leave, last),
        };
        way.won += u32::from(profit > 0);
        way.lost += u32::from(profit < 0);
        way.profit_micro = way.profit_micro.saturating_add(profit);
        way.episodes.extend([first.id, last.id]);
        let extra = way.episodes.len().saturating_sub(MOST_NAMED);
        way.episodes.drain(..extra);
        self.ways.push(way);
        if self.ways.len() > MOST_WAYS {
            self.ways.remove(0);
        }
    }
}

impl TradeWay {
    fn new(enter: &str, first: &Episode, leave: &str, last: &Episode) -> Self {
        Self {
            enter: enter.to_owned(),
            enter_in: first.regime,
            leave: leave.to_owned(),
            leave_in: last.regime,
            won: 0,
            lost: 0,
            profit_micro: 0,
            episodes: Vec::new(),
            situation: first.situation,
        }
    }
    fn fragment(&self, told: &CuratorMaterial<'_>) -> EntryBody {
        let Self { enter, enter_in, leave, leave_in, .. } = self;
        EntryBody {
            decay_class: DecayClass::Regime,
            regime: Some(self.enter_in),
            tags: vec![
                format!("{ENTER_TAG}{enter}"),
                format!("{LEAVE_TAG}{leave}"),
                format!("{LEAVE_IN_TAG}{leave_in}"),
                format!("profit_micro:{}", self.profit_micro),
            ],
            prototype: Some(self.situation),
            episodes: self.episodes.clone(),
            ..own(
                told,
                EntryKind::StrategyFragment,
                format!("Enter by {enter} in {enter_in} weather and leave by {leave} in {leave_in} weather."),
            )
        }
    }
}

/// A trade that is over, from its first episode to its last.
struct ClosedTrade {
    first: EpisodeId,
    last: EpisodeId,
    profit_micro: i64,
}

/// The trades that are over, after a number, in order, as far as they are still in memory. A trade is over when a later
/// one has begun.
fn closed_after(shelf: &Shelf, counted: u64) -> BTreeMap<u64, ClosedTrade> {
    let mut trades: BTreeMap<u64, ClosedTrade> = BTreeMap::new();
    for (episode, _) in shelf.episodes() {
        let Some(deed) = episode.deed.as_ref().filter(|d| d.trade > counted) else { continue };
        let begun = ClosedTrade { first: episode.id, last: episode.id, profit_micro: 0 };
        let trade = trades.entry(deed.trade).or_insert(begun);
        trade.last = episode.id;
        trade.profit_micro = trade.profit_micro.saturating_add(deed.realised.0);
    }
    trades.pop_last();
    trades
}
