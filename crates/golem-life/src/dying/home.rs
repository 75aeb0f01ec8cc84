//! Homecoming: whatever stands in the account by its own books goes home, the asset before the USDC, since gas is paid from
//! what is liquid. What is refused is tried again while there are turns; what stays behind is written down with its reason.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::{GiftsLeft, NotPermitted};
use golem_core::intent::{Asset, Outcome};
use golem_core::{HomeSum, Intent, Observation, Preview, Receipt, Usdc};
use golem_grimoire::testament::{HomeTransfer, LeftBehind};
use golem_mind::policy::Because;

impl Life {
    /// What is to go home in this turn. The leave for it is given here.
    pub(super) fn wish_to_go_home(&mut self, seen: &Observation) -> Vec<Intent> {
        let seen = self.believe(seen);
        self.value(&seen);
        self.turn.valued = self.valuation();
        self.turn.gifts = self.gifts_in(&seen);
        let sums = self.homebound(&seen);
        for sum in &sums {
            let leave = &mut self.turn.leave;
            match *sum {
                HomeSum::Usdc(amount) => leave.usdc = amount,
                HomeSum::Asset(amount) => leave.asset = amount,
                HomeSum::Coin(amount) => leave.coin = amount,
            }
        }
        self.turn.because = vec![Because::Dying; sums.len()];
        sums.into_iter().map(|sum| Intent::Home { sum }).collect()
    }

    /// What stands in the account and could still go.
    fn homebound(&self, seen: &Observation) -> Vec<HomeSum> {
        let there = seen.book.map(|book| (book.usdc, book.asset));
        // The chain may hold less than the books say: then what there is goes.
        let usdc = there.map_or(self.on_chain(), |(usdc, _)| self.on_chain().min(usdc));
        let asset = there.map_or(self.state.portfolio.asset, |(_, asset)| self.state.portfolio.asset.min(asset));
        let can_go = |sum: &HomeSum| !sum.is_nothing() && !self.is_stranded(*sum);
        let sums: Vec<_> = [HomeSum::Asset(asset), HomeSum::Usdc(usdc)].into_iter().filter(can_go).collect();
        if !sums.is_empty() {
            return sums;
        }
        // The coin goes last: it pays for the rest.
        let tried = self.state.deathbed.as_ref().and_then(|bed| bed.stranded.get(HomeSum::Coin(Asset::ZERO).name()));
        self.spare_coin(tried.map_or(0, |vain| vain.attempts)).map(HomeSum::Coin).into_iter().filter(can_go).collect()
    }

    /// What stands in the account and was never its own. It stays there, and is told.
    fn gifts_in(&self, seen: &Observation) -> GiftsLeft {
        let gifts = seen.gifts.unwrap_or_default();
        let beyond = seen.book.map_or((Usdc::ZERO, Asset::ZERO), |book| {
            (book.usdc.minus(self.on_chain()), book.asset.minus(self.state.portfolio.asset))
        });
        GiftsLeft {
            usdc: beyond.0,
            asset: beyond.1.plus(gifts.asset),
            positions: gifts.positions,
            added: gifts.liquidity > 0,
        }
    }

    fn is_stranded(&self, sum: HomeSum) -> bool {
        let vain = self.state.deathbed.as_ref().and_then(|bed| bed.stranded.get(sum.name()));
        vain.is_some_and(|vain| vain.for_good)
    }

    /// Book what came of it. Says what it came to when it is over.
    pub(super) fn come_home(&mut self, receipts: &[Receipt]) -> Option<String> {
        let wished = std::mem::take(&mut self.turn.wished);
        let (spent, before) = (self.state.ledger.spent, self.spent_before());
        let advanced = self.advanced();
        self.book_all(&wished, receipts);
        let tick = self.state.core.tick;
        for (wish, receipt) in wished.iter().zip(receipts) {
            let Intent::Home { sum } = wish.preview.intent else { continue };
            let worth = self.home_worth(sum);
            let Some(bed) = &mut self.state.deathbed else { continue };
            if wish.permit.is_some() && matches!(receipt.outcome, Outcome::SentHome { .. }) {
                bed.home.sent.push(HomeTransfer { tick, sum, worth, gas: receipt.gas.cost });
                bed.stranded.remove(sum.name());
                continue;
            }
            let refused = wish.refused.as_ref();
            let why = refused.map_or_else(|| super::refusal(receipt), |no| no.why.clone());
            let vain = bed.stranded.entry(sum.name().to_owned()).or_default();
            vain.again(why, refused.is_some_and(|no| no.for_good));
        }
        let gas = self.state.ledger.spent.minus(spent);
        // What is kept for the testament has gone along, and is not spent yet.
        let spent_before = self.spent_before().minus(before).minus(self.advanced().minus(advanced));
        let left = self.homebound(&Observation::default());
        let bed = self.state.deathbed.as_mut()?;
        if wished.is_empty() {
            for sum in &left {
                let vain = bed.stranded.entry(sum.name().to_owned()).or_default();
                vain.again("the chain has none of it in its account".to_owned(), false);
            }
        }
        bed.home.gas = bed.home.gas.plus(gas);
        bed.home.spent_before = bed.home.spent_before.plus(spent_before);
        // A turn in which nothing could be wished for counts too: the chain may hold less than the books say, for good.
        bed.home.turns = bed.home.turns.saturating_add(u32::from(!left.is_empty() || !wished.is_empty()));
        let over = left.is_empty() || self.is_out_of_home_turns();
        over.then(|| self.end_homecoming())
    }

    /// Also where nothing could even be wished for: every turn counts.
    fn is_out_of_home_turns(&self) -> bool {
        self.state.deathbed.as_ref().is_none_or(|bed| bed.home.turns >= bed.home.most_turns)
    }

    fn end_homecoming(&mut self) -> String {
        let left = [HomeSum::Asset(self.state.portfolio.asset), HomeSum::Usdc(self.on_chain())];
        let left: Vec<_> = left.into_iter().filter(|sum| !sum.is_nothing()).map(|s| (s, self.home_worth(s))).collect();
        let to = self.genesis.birth.home;
        let coin = self.state.gas.map(|gas| (HomeSum::Coin(gas.coin), self.state.portfolio.spot(gas.coin)));
        let gifts =
            self.turn.gifts.left().map(|(sum, why)| LeftBehind { sum, worth: self.home_worth(sum), why, attempts: 0 });
        let gifts: Vec<LeftBehind> = gifts.collect();
        let Some(bed) = &mut self.state.deathbed else { return String::new() };
        // What little is left to pay for gas with is not told, unless all of it could not go.
        let coin = coin.filter(|(sum, _)| bed.stranded.contains_key(sum.name()));
        for (sum, worth) in left.into_iter().chain(coin) {
            let vain = bed.stranded.get(sum.name()).cloned().unwrap_or_default();
            let why = if vain.attempts == 0 { "there was no turn left for it".to_owned() } else { vain.why };
            bed.home.failed.push(LeftBehind { sum, worth, why, attempts: vain.attempts });
        }
        bed.home.failed.extend(gifts);
        bed.home.to = to;
        let report = bed.home.clone();
        let said = report.say();
        self.tell(LifeFact::WentHome { report: Box::new(report) });
        said
    }

    /// USDC that must stand in its account on the chain, by its own books.
    pub(crate) fn on_chain(&self) -> Usdc {
        self.state.ledger.on_chain().minus(self.spent_before())
    }

    /// USDC that went home after they had been spent off the chain.
    pub(crate) fn spent_before(&self) -> Usdc {
        self.state.homegoing.as_ref().map_or(Usdc::ZERO, |home| home.spent_before)
    }

    /// What something that goes home is worth, at the price that was last seen.
    pub(crate) fn home_worth(&self, sum: HomeSum) -> Usdc {
        match sum {
            HomeSum::Usdc(amount) => amount,
            HomeSum::Asset(amount) | HomeSum::Coin(amount) => self.state.portfolio.spot(amount),
        }
    }

    /// Whether it is worth sending: more than its gas.
    ///
    /// # Errors
    /// Why not, and whether a later turn can change that.
    pub(crate) fn is_worth_sending(&self, preview: &Preview) -> Result<(), NotPermitted> {
        let (Intent::Home { sum }, cost) = (preview.intent, preview.gas.cost) else { return Ok(()) };
        let worth = self.home_worth(sum);
        if worth > cost || preview.refusal().is_some() {
            return Ok(());
        }
        let why = format!("its gas of {cost} USDC is more than the {worth} that it is worth");
        Err(NotPermitted { why, too_large: false, for_good: worth.0 < cost.0 / 4 })
    }
}
