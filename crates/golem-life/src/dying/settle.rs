//! Settlement: what is open is closed by the ordinary door of a turn, in a fixed order: the liquidity position with its
//! fees, then the asset. Whatever gives value up is bounded by gate, purse, cage and reference like every other act; what is
//! refused is tried again while there are turns, and what stays open is written down with its reason.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::NotPermitted;
use golem_core::intent::{Asset, Outcome};
use golem_core::reference::BLIND_PARTS;
use golem_core::verification::flows;
use golem_core::{Intent, Observation, Preview, Receipt, Usdc, UsdcDelta};
use golem_grimoire::testament::{LeftOpen, OpenHolding, SettlementAct};
use golem_mind::policy::Because;
use golem_mind::{Guidance, Permissions, PolicyConfig};
use golem_mortality::dying::DeathBudget;

impl Life {
    /// What would close what is open, as far as it can be seen.
    pub(super) fn wish_to_settle(&mut self, seen: &Observation) -> Vec<Intent> {
        if self.open_holdings().is_empty() {
            return Vec::new();
        }
        let (now, seen) = (self.state.core.age, self.believe(seen));
        self.value(&seen);
        self.state.mind.look(&seen, now);
        if seen.book.is_some() && seen.reference.is_none() {
            self.allow_gas_for_parts();
        }
        self.turn.valued = self.valuation();
        let given_up = self.give_everything_up();
        let mut wishes = Vec::new();
        if self.should_collect() {
            wishes.push(Intent::Collect);
        }
        wishes.extend(given_up.into_iter().map(|intent| self.in_pieces(intent)));
        wishes.retain(|intent| closes(intent).is_some_and(|what| !self.is_hopeless(what)));
        self.turn.because = vec![Because::Dying; wishes.len()];
        self.see_to_gas(&mut wishes);
        wishes
    }

    /// The policy's own way to give everything up, at once: liquidity first, since taking it out brings asset in.
    pub(crate) fn give_everything_up(&mut self) -> Vec<Intent> {
        let (now, value) = (self.state.core.age, self.valuation());
        let holdings = self.state.portfolio.holdings(&self.state.ledger, self.state.ledger.capital);
        let policy = PolicyConfig { unwind_turns: 2, unwind_pieces: 1, ..self.policy.as_ref().clone() };
        let may = Permissions { unwind: true, ..Permissions::REDUCE };
        self.state.mind.decide_by(now, (&holdings, &value), &may, &policy, &Guidance::default()).intents
    }

    /// Without a reference everything goes in parts, and each costs the gas of the whole.
    fn allow_gas_for_parts(&mut self) {
        let needed = DeathBudget::gas_for(self.state.portfolio.worth.gas, BLIND_PARTS as u64);
        if let Some(bed) = &mut self.state.deathbed {
            bed.settlement.gas_limit = bed.settlement.gas_limit.max(needed);
        }
    }

    /// Fees come out with the position; they are fetched alone where that was refused.
    fn should_collect(&self) -> bool {
        let (book, bed) = (&self.state.portfolio, self.state.deathbed.as_ref());
        let refused = bed.is_some_and(|bed| bed.tried.contains_key(&OpenHolding::Liquidity));
        book.liquidity > 0 && book.worth.fees > Usdc::ZERO && refused
    }

    /// No more of the asset at once than the pool was found to bear.
    fn in_pieces(&self, intent: Intent) -> Intent {
        let piece = self.state.deathbed.as_ref().and_then(|bed| bed.piece);
        match (intent, piece) {
            (Intent::Sell { give, min_out }, Some(piece)) if give.0 > piece => {
                // Rounded down alike: a few micro-USDC less are asked for, far within the slippage that is allowed.
                let parts = u64::try_from(give.0.div_ceil(piece.max(1))).unwrap_or(u64::MAX).max(1);
                let share = Usdc(min_out.0 / parts);
                if share > Usdc::ZERO {
                    Intent::Sell { give: Asset(give.0 / u128::from(parts)), min_out: share }
                } else {
                    intent
                }
            }
            _ => intent,
        }
    }

    /// What is open and could be worth something, in the order in which it is closed.
    fn open_holdings(&self) -> Vec<OpenHolding> {
        let book = &self.state.portfolio;
        let open = [(OpenHolding::Liquidity, book.liquidity > 0), (OpenHolding::Asset, book.asset > Asset::ZERO)];
        open.into_iter().filter(|(what, is)| *is && !self.is_hopeless(*what)).map(|(what, _)| what).collect()
    }

    fn is_hopeless(&self, what: OpenHolding) -> bool {
        self.state.deathbed.as_ref().is_some_and(|bed| bed.is_hopeless(what))
    }

    /// Book what came of the wishes. Says what the settlement came to when it is over.
    pub(super) fn settle_up(&mut self, receipts: &[Receipt]) -> Option<String> {
        let open = self.open_holdings();
        let wished = std::mem::take(&mut self.turn.wished);
        let spent = self.state.ledger.spent;
        self.book_all(&wished, receipts);
        let tick = self.state.core.tick;
        for (n, (wish, receipt)) in wished.iter().zip(receipts).enumerate() {
            let Some(what) = closes(&wish.preview.intent) else { continue };
            let realised = self.turn.realised.get(n).copied().unwrap_or(UsdcDelta(0));
            let Some(bed) = &mut self.state.deathbed else { continue };
            if wish.permit.is_some() && receipt.was_done() {
                bed.closed(act(tick, what, receipt, realised));
                self.state.chronicle.act(tick, realised);
                continue;
            }
            let refused = wish.refused.as_ref();
            if refused.is_some_and(|no| no.too_large)
                && let Intent::Sell { give, .. } = wish.preview.intent
            {
                bed.piece = Some((give.0 / 2).max(1));
            }
            let why = refused.map_or_else(|| refusal(receipt), |no| no.why.clone());
            bed.failed(what, why, refused.is_some_and(|no| no.for_good));
        }
        let price = self.state.mind.senses().spot();
        let wanted = |what: &OpenHolding| wished.iter().any(|wish| closes(&wish.preview.intent) == Some(*what));
        let unwanted: Vec<OpenHolding> = open.into_iter().filter(|what| !wanted(what)).collect();
        let is_open = self.state.portfolio.open() > 0;
        let dust = self.state.portfolio.asset_worth() == Usdc::ZERO;
        let gas = self.state.ledger.spent.minus(spent);
        let bed = self.state.deathbed.as_mut()?;
        // Asset that came out of the position in this very turn has its own turn next.
        let moved = wished.iter().zip(receipts).any(|(w, r)| w.permit.is_some() && r.was_done());
        for what in unwanted.into_iter().filter(|_| !moved) {
            match (price, what) {
                (None, _) => bed.failed(what, "no price was seen".to_owned(), false),
                (Some(_), OpenHolding::Asset) if dust => bed.failed(what, "it is worth nothing".to_owned(), true),
                // The policy gives up the asset a turn after the liquidity.
                (Some(_), _) => {}
            }
        }
        bed.settlement.gas = bed.settlement.gas.plus(gas);
        if is_open || !wished.is_empty() {
            bed.settlement.turns = bed.settlement.turns.saturating_add(1);
        }
        self.state.core.exposure = self.state.portfolio.exposure(self.balance());
        let over = self.open_holdings().is_empty() || self.state.deathbed.as_ref()?.is_out_of_turns();
        over.then(|| self.end_settlement())
    }

    /// What stays open stays open, and is written down.
    fn end_settlement(&mut self) -> String {
        let book = &self.state.portfolio;
        let held = [
            (OpenHolding::Liquidity, book.liquidity, book.worth.position.plus(book.worth.fees)),
            (OpenHolding::Asset, book.asset.0, book.asset_worth()),
        ];
        let Some(bed) = &mut self.state.deathbed else { return String::new() };
        for (what, amount, worth) in held.into_iter().filter(|(_, amount, _)| *amount > 0) {
            let vain = bed.tried.get(&what).cloned().unwrap_or_default();
            let why = if vain.attempts == 0 { "there was no turn left for it".to_owned() } else { vain.why };
            bed.settlement.failed.push(LeftOpen { what, amount, worth, why, attempts: vain.attempts });
        }
        let report = bed.settlement.clone();
        let said = report.say();
        self.tell(LifeFact::Settled { report: Box::new(report) });
        said
    }

    /// Whether a wish of a settlement is worth making: within what gas may cost, and bringing more than its gas.
    ///
    /// # Errors
    /// Why not, and whether a later turn can change that.
    pub(crate) fn is_worth_settling(&self, preview: &Preview, taken: Usdc) -> Result<(), NotPermitted> {
        let (Some(bed), cost) = (&self.state.deathbed, preview.gas.cost) else { return Ok(()) };
        if preview.intent.needs_leave() {
            return Ok(());
        }
        let left = bed.gas_left().minus(taken);
        if cost > left {
            let why = format!("its gas of {cost} USDC is more than the {left} that are left for it");
            return Err(NotPermitted { why, too_large: false, for_good: false });
        }
        let (usdc, asset) = match preview.outcome {
            Outcome::Sold { got, .. } => (got, Asset::ZERO),
            Outcome::Removed { got, got_asset, .. } | Outcome::Collected { got, got_asset } => (got, got_asset),
            _ => return Ok(()),
        };
        let brings = usdc.plus(self.state.portfolio.spot(asset));
        if brings <= cost {
            let why = format!("its gas of {cost} USDC is more than the {brings} that it brings");
            // Gas falls by itself; not by so much within these turns.
            return Err(NotPermitted { why, too_large: false, for_good: brings.0 < cost.0 / 4 });
        }
        Ok(())
    }
}

/// What an intent closes.
pub(crate) fn closes(intent: &Intent) -> Option<OpenHolding> {
    match intent {
        Intent::Collect => Some(OpenHolding::Fees),
        Intent::Remove { .. } => Some(OpenHolding::Liquidity),
        Intent::Sell { .. } => Some(OpenHolding::Asset),
        Intent::Hold | Intent::Buy { .. } | Intent::Add { .. } | Intent::Rebalance { .. } => None,
        Intent::Home { .. } | Intent::Unwrap { .. } => None,
    }
}

fn act(tick: golem_core::Tick, what: OpenHolding, receipt: &Receipt, realised: UsdcDelta) -> SettlementAct {
    let [usdc, asset, _] = flows(&receipt.outcome);
    SettlementAct {
        tick,
        what,
        got: Usdc(u64::try_from(usdc).unwrap_or(0)),
        asset: Asset(asset.unsigned_abs()),
        gas: receipt.gas.cost,
        realised,
    }
}

pub(crate) fn refusal(receipt: &Receipt) -> String {
    match receipt.outcome {
        Outcome::Refused { why } => format!("refused: {}", golem_core::plain::word(&why).replace('_', " ")),
        _ => "it was not done".to_owned(),
    }
}
