//! A trade in words: why, what came of it, and one line for whoever watches.

use super::{Trade, What};
use crate::money;
use crate::time::span;
use crate::wrap::cut;
use golem_core::Tick;
use golem_core::intent::Refusal;
use golem_grimoire::playbook::RuleId;
use golem_life::LifeFact;
use golem_mind::cache::Stance;
use golem_mind::policy::Because;

/// What a turn has said so far about why it acts.
#[derive(Debug, Clone, Default)]
pub(super) struct TradeGrounds {
    thought: Option<(Tick, Option<Stance>, String)>,
}

impl TradeGrounds {
    pub(super) fn see(&mut self, tick: Tick, fact: &LifeFact) {
        if let LifeFact::Deliberated { stance, reason, .. } = fact {
            self.thought = Some((tick, *stance, reason.clone()));
        }
    }

    /// Why, in one short sentence.
    pub(super) fn why(&self, tick: Tick, because: Option<Because>, rules: &[RuleId]) -> String {
        let thought = self.thought.as_ref().filter(|(at, ..)| *at == tick);
        let mut words = match (because, thought) {
            (Some(Because::Wished), Some((.., reason))) => format!("a model wished for it: {}", cut(reason, 80)),
            (because, _) => because.map_or("", clause).to_owned(),
        };
        if let Some((_, Some(stance), reason)) = thought
            && *stance != Stance::Follow
        {
            words = format!("{words}; a model said to {}: {}", stance_words(*stance), cut(reason, 60));
        }
        match rules {
            [] => words,
            [one] => format!("{words}; under its rule {}", one.as_str()),
            many => format!("{words}; under {} rules of its playbook", many.len()),
        }
    }
}

/// A stance as an advice.
#[must_use]
pub fn stance_words(stance: Stance) -> String {
    match stance {
        Stance::Follow => "go on as its rules say".to_owned(),
        Stance::Ease { percent } => format!("take {percent} % of the usual risk"),
        Stance::StandAside => "open nothing".to_owned(),
        Stance::Reduce => "open nothing and hold half".to_owned(),
    }
}

/// A clause of a policy in a sentence.
#[must_use]
pub fn clause(because: Because) -> &'static str {
    match because {
        Because::Wished => "a model wished for it",
        Because::Declining => "it declines: everything goes, piece by piece",
        Because::Bled => "too much was lost slowly: everything goes, piece by piece",
        Because::Breakout => "the price broke out of its channel",
        Because::Rising => "the price rises above its slow mean",
        Because::Falling => "the price falls below its slow mean",
        Because::Stopped => "stop: the price fell too far from its peak",
        Because::MoreAsset => "its forecast is worth more ETH than it held",
        Because::LessAsset => "its forecast is worth less ETH than it held",
        Because::Due => "the next purchase was due",
        Because::DueAndDown => "a purchase was due, and the price is down on the day",
        Because::PoolPays => "fees of the pool should pay more than it costs",
        Because::PoolPaysNot => "the pool no longer pays enough for its risk",
        Because::LeftRange => "the price left the range of the position",
        Because::Outgrown => "the position outgrew its share",
        Because::Width => "the range no longer fits how much the price moves",
        Because::Fees => "the fees were worth fetching",
        Because::LeftOver => "left over: its plan holds none of it",
        Because::Dying => "it was dying: everything was closed",
        Because::Withdrawing => "its owner withdraws money",
        Because::Gas => "the coin for gas ran short",
    }
}

/// Why something came to nothing, for people.
#[must_use]
pub fn refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::Slippage => "the price moved too far",
        Refusal::Funds => "there was not enough to pay with",
        Refusal::NoMarket => "there was no price to trade at",
        Refusal::NoPosition => "there was nothing left to reduce",
        Refusal::Withheld => "safe mode or a full disk kept it back",
        Refusal::Denied => "its own rules kept it back",
        Refusal::Reverted => "the contracts refused it",
        Refusal::Cancelled => "it was too slow or too dear and was taken back",
    }
}

impl Trade {
    /// What was done, in one sentence with amounts and price.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (usdc, eth) = (money::usdc_abs(self.usdc), money::eth_abs(self.asset));
        let at = self.price.map_or(String::new(), |p| format!(" at {}", money::price(p)));
        let (inward, done) = (self.asset > 0, self.refused.is_none());
        let words = match self.what {
            what if !done => {
                let why = self.refused.map_or("", refusal);
                return format!("wanted to {} and could not: {why}", what.verb());
            }
            What::Buy => format!("bought {eth} ETH for {usdc} USDC{at}"),
            What::Sell => format!("sold {eth} ETH for {usdc} USDC{at}"),
            What::Add => format!("put {usdc} USDC and {eth} ETH into the pool"),
            What::Remove => format!("took {usdc} USDC and {eth} ETH out of the pool"),
            What::Collect => format!("collected fees of {usdc} USDC and {eth} ETH"),
            What::Move if inward => format!("moved its range; {eth} ETH came out"),
            What::Move => "moved its range in the pool".to_owned(),
        };
        let back = if self.taken_back { " (the chain took it back)" } else { "" };
        match self.profit {
            Some(profit) => format!("{words}, {} USDC{back}", money::gain(profit)),
            None if self.realised.0 != 0 => format!("{words}, {} USDC before gas{back}", money::gain(self.realised)),
            None => format!("{words}{back}"),
        }
    }

    /// What came of it, as far as the record knows; empty where it does not.
    #[must_use]
    pub fn aftermath(&self) -> String {
        let mut said = Vec::new();
        if let (Some(predicted), Some(actual)) = (self.came.predicted_bps, self.came.actual_bps) {
            let off = actual - predicted;
            said.push(match off {
                _ if off.abs() < 0.05 => "as predicted".to_owned(),
                _ if off < 0.0 => format!("{:.1} bps less than predicted", -off),
                _ => format!("{off:.1} bps more than predicted"),
            });
        }
        let moved = |to: f64| self.price.filter(|p| *p > 0.0).map(|p| money::change(to / p - 1.0));
        if let Some((exit, change)) = self.came.exit.and_then(|e| Some((e, moved(e.price)?))) {
            let after = span(u64::try_from(exit.at.0.saturating_sub(self.at.0)).unwrap_or(0));
            said.push(format!("left at {} ({change}) after {after}", money::price(exit.price)));
        } else if let Some(change) = self.came.later.and_then(|l| moved(l.price)) {
            said.push(format!("price an hour later {change}"));
        }
        said.join(", ")
    }
}

impl What {
    /// As what one wants to do.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Buy => "buy ETH",
            Self::Sell => "sell ETH",
            Self::Add => "add liquidity",
            Self::Remove => "remove liquidity",
            Self::Collect => "collect fees",
            Self::Move => "move its range",
        }
    }
}
