//! Acting on somebody's chain: an action's transactions, one after the other, each recorded before it is sent and waited
//! for before the next; then what really came of it, by the balances.

use super::fees::{GWEI, GasRule, within_budget};
use super::fork::{nothing, taken};
use super::hands::{AccountHands, MOST_GAS, Under};
use super::outcome::CostTally;
use super::owned::ReceiptOwned;
use super::receipt::Landed;
use super::sender::SentStep;
use super::step::{StepCall, StepEnd};
use super::venue::RpcVenue;
use super::watch::ChainEvent;
use crate::calls::{self, refusal};
use alloy_primitives::{Address, U256};
use golem_cage::Spent;
use golem_core::door::{EffectKey, Reconciled};
use golem_core::intent::Refusal;
use golem_core::{Action, Homeward, Point, Preview, Receipt, Usdc};
use golem_venue::act;
use golem_venue::checks::{unsendable, unsendable_home};
use golem_venue::pool::Round;
use golem_venue::spot::usdc_to_asset;
use golem_venue::{Account, Actor, Done, Venue, VenueError};
use golem_wallet::Caps;

/// What became of an intent that was committed before.
pub type Recalled = Reconciled<Receipt>;

/// What became of one transaction.
enum Stepped {
    /// It is in a block, and cost so much coin.
    Landed(Landed, u128),
    /// It did not happen; whatever was paid to take it back.
    Not(Refusal, Option<(Landed, u128)>),
}

impl RpcVenue {
    /// Carry a previewed intent out under a key, with a permit that is being spent. What the preview touched is kept
    /// beside it.
    ///
    /// # Errors
    /// [`VenueError::Unknown`] when something was sent and its end is not known yet: ask [`RpcVenue::recall`] later.
    pub fn act(&mut self, key: EffectKey, preview: &Preview, spent: &Spent) -> Result<Receipt, VenueError> {
        let touched = self.previewed.clone().or_else(|| self.touched());
        // Measured at a fee of its own: where the base fee is next to nothing, its cost is rounded to less than tips are.
        let measured = self.here()?.gas_cost_at(preview.gas.charged, GWEI)?;
        let (most, below) = self.divided(preview, spent.permit().max_gas())?;
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        hands.signer.admit(spent).map_err(|e| VenueError::Bug(format!("the permit is not for these hands: {e}")))?;
        hands.sender.budget = Some(within_budget(most, measured, GWEI));
        hands.sender.below = below;
        if let Some(touched) = touched {
            hands.sender.record().keep_touched(key, &touched)?;
        }
        // Tokens are asked again how they count: what was permitted is in these units.
        self.hold_tokens()?;
        self.under(key, preview, false)
    }

    /// What a permit leaves for gas, and the coin that it leaves for what is taken beside the gas: that may come to twice what the
    /// preview found, as far as the gas of now leaves room for it.
    fn divided(&mut self, preview: &Preview, most: Usdc) -> Result<(Usdc, Option<u128>), VenueError> {
        if self.config.gas != GasRule::OpStack {
            return Ok((most, None));
        }
        let (usdc_is_token0, here) = (self.places.usdc_is_token0(), self.here()?);
        let gas = here.gas_cost(preview.gas.charged)?;
        let beside = preview.gas.cost.minus(gas);
        let reserved = beside.plus(beside).min(most.minus(gas));
        let price = here.pool_seen()?.sqrt_price_x96;
        let wei = usdc_to_asset(reserved, price, usdc_is_token0, Round::Down);
        Ok((most.minus(reserved), Some(wei.0)))
    }

    /// What became of a key: what was signed is followed to its end, what was not is not done any more, and allowances
    /// that were left behind are taken back.
    ///
    /// # Errors
    /// When the chain cannot be used now, or is another one.
    pub fn recall(&mut self, key: EffectKey, preview: &Preview) -> Result<Recalled, VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        if !hands.sender.knows(key)? {
            return Ok(Recalled::NeverSent);
        }
        match self.under(key, preview, true) {
            Ok(receipt) => Ok(Recalled::Settled(receipt)),
            Err(VenueError::Unknown(_)) => Ok(Recalled::Unknown),
            Err(other) => Err(other),
        }
    }

    /// Look at the chain once: what was open and has ended, what had ended and is open again. See [`Sender::poll`].
    ///
    /// [`Sender::poll`]: super::Sender::poll
    ///
    /// # Errors
    /// When the chain cannot be used now.
    pub fn poll(&mut self) -> Result<Vec<ChainEvent>, VenueError> {
        let caps = self.caps()?;
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        let (sender, mut pen) = hands.both(None, caps);
        sender.poll(&mut pen)
    }

    /// Write down what a receipt brings, before anybody books it.
    fn own(&mut self, key: EffectKey, receipt: Receipt) -> Result<Receipt, VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        hands.sender.record.own(key, &ReceiptOwned::by(&receipt))?;
        self.owned = hands.sender.record.owned(None)?;
        Ok(receipt)
    }

    /// What was booked under a key has not happened after all.
    ///
    /// # Errors
    /// When that cannot be written.
    pub(super) fn disown(&mut self, key: EffectKey) -> Result<(), VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        hands.sender.record.own(key, &ReceiptOwned::default())?;
        self.owned = hands.sender.record.owned(None)?;
        Ok(())
    }

    fn under(&mut self, key: EffectKey, preview: &Preview, only_follow: bool) -> Result<Receipt, VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        let who = Actor { who: Account(hands.account().into()), home: hands.home };
        hands.under = Some(Under { key, next: 0, only_follow });
        // What came of this key is found out anew: it counts once.
        self.owned = hands.sender.record.owned(Some(key))?;
        let receipt = act::carry_out(self, who, preview);
        let begun = match self.hands.as_mut() {
            Some(AccountHands { under, sender, .. }) => {
                *under = None;
                sender.knows(key)?
            }
            None => false,
        };
        let receipt = receipt.and_then(|receipt| self.own(key, receipt));
        if let (Err(_), Some(hands)) = (&receipt, &self.hands) {
            // What was booked under it before stands until something else is known.
            self.owned = hands.sender.record.owned(None)?;
        }
        match receipt {
            // Something is out there already: whatever went wrong after that, its end is not known.
            Err(why) if begun => Err(VenueError::Unknown(why.to_string())),
            other => other,
        }
    }

    pub(super) fn carry_out(
        &mut self,
        who: Address,
        action: &Action,
        way: Option<Homeward>,
    ) -> Result<Done, VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        if hands.account() != who {
            return Err(VenueError::Bug("these hands are of another account".into()));
        }
        let begun = hands.recorded()?.is_some();
        let head = self.look_again()?;
        let mut done = nothing(Point { block: head.number.saturating_add(1), index: 0 });
        if !begun {
            let held = self.here()?.held(who)?;
            done.refused = match (*action, way) {
                (Action::Home { sum }, Some(way)) => unsendable_home(sum, Account(who.into()), way, &held),
                _ => unsendable(action, &held),
            };
        }
        if done.refused.is_some() {
            return Ok(done);
        }
        let mut tally = CostTally::default();
        let mut granted = Vec::new();
        for call in self.places.approvals(action) {
            let token = call.to;
            match self.step(who, action, call)? {
                Stepped::Landed(l, wei) if l.succeeded => {
                    tally.count(&mut done, &l, wei);
                    granted.push(token);
                }
                Stepped::Landed(l, wei) => {
                    tally.count(&mut done, &l, wei);
                    done.refused = Some(Refusal::Reverted);
                }
                Stepped::Not(why, cost) => {
                    cost.iter().for_each(|(l, wei)| tally.count(&mut done, l, *wei));
                    done.refused = Some(why);
                }
            }
            if done.refused.is_some() {
                break;
            }
        }
        if done.refused.is_none() {
            self.main_step(who, (action, way), &mut done, &mut tally)?;
        }
        for call in self.places.revocations(action, taken(&done)) {
            if granted.contains(&call.to)
                && let Stepped::Landed(l, wei) | Stepped::Not(_, Some((l, wei))) = self.step(who, action, call)?
            {
                tally.count(&mut done, &l, wei);
            }
        }
        done.gas_charged = done.gas_used;
        done.point = tally.first.unwrap_or(done.point);
        self.owned = self.owned.plus(ReceiptOwned::of(action, &done));
        done.wei = Some(tally.wei).filter(|_| done.gas_used > 0);
        self.look_again()?;
        Ok(done)
    }

    /// The one transaction of an action.
    fn main_step(
        &mut self,
        who: Address,
        (action, way): (&Action, Option<Homeward>),
        done: &mut Done,
        tally: &mut CostTally,
    ) -> Result<(), VenueError> {
        let sent = self.here()?.as_it_stands(action)?;
        let (call, value) = match (sent, way) {
            (Action::Home { sum }, Some(way)) => self.places.send_home(way, sum),
            (Action::Home { .. }, None) => {
                done.refused = Some(Refusal::Denied);
                return Ok(());
            }
            (sent, _) => (self.places.act(who, &sent, self.deadline()?), U256::ZERO),
        };
        match self.step_with(who, action, call, value)? {
            Stepped::Landed(landed, wei) => {
                tally.count(done, &landed, wei);
                if landed.succeeded {
                    self.happened(who, action, &landed, done)?;
                } else {
                    done.refused = Some(self.why_reverted(who, &landed));
                }
            }
            Stepped::Not(why, cost) => {
                cost.iter().for_each(|(l, wei)| tally.count(done, l, *wei));
                done.refused = Some(why);
            }
        }
        Ok(())
    }

    /// Send one transaction under the key and wait for its end. One that was signed before stays what it was; a new one
    /// is first tried on the fork.
    fn step(&mut self, who: Address, action: &Action, call: calls::Call) -> Result<Stepped, VenueError> {
        self.step_with(who, action, call, U256::ZERO)
    }

    /// The same with coin.
    fn step_with(
        &mut self,
        who: Address,
        action: &Action,
        call: calls::Call,
        value: U256,
    ) -> Result<Stepped, VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        let recorded = hands.recorded()?;
        let known = recorded.is_some();
        let call = match recorded {
            Some(step) if step.call.to == call.to => step.call,
            Some(_) => return Err(VenueError::Bug("another step was recorded here".into())),
            None => {
                let (success, gas, output) = self.here()?.attempt_with(who, call.to, call.data.clone(), value)?;
                if !success {
                    // It keeps its number all the same: whoever recalls this key later may find that it could be sent.
                    return Ok(Stepped::Not(self.skipped()?.unwrap_or_else(|| refusal(&output)), None));
                }
                // Refunds come only after the whole was reserved, and a sixty-fourth stays behind in each inner call.
                let below = self.here()?.data_gas(call.to, &call.data)?;
                let gas_limit = (gas + gas * 3 / 5 + 20_000).saturating_add(below.saturating_mul(2)).min(MOST_GAS);
                StepCall { to: call.to, data: call.data, gas_limit, value }
            }
        };
        let caps = self.caps()?;
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        let Some(Under { key, next, only_follow }) = hands.under else {
            return Err(VenueError::Bug("nothing is sent without a key".into()));
        };
        // What was signed before may be raised as long as its permit is known; what was not needs one that holds now.
        let (sender, mut pen) = hands.both((known || !only_follow).then_some(*action), caps);
        let sent = sender.send(key, next, &call, &mut pen)?;
        hands.under = Some(Under { key, next: next + 1, only_follow });
        self.look_again()?;
        Ok(match sent {
            SentStep::Settled(StepEnd::Landed(landed)) => {
                let wei = self.coin_paid(who, &landed, call.value)?;
                Stepped::Landed(landed, wei)
            }
            SentStep::Settled(StepEnd::Cancelled(landed)) => {
                let wei = self.coin_paid(who, &landed, U256::ZERO)?;
                Stepped::Not(Refusal::Cancelled, Some((landed, wei)))
            }
            SentStep::Settled(StepEnd::Displaced) => Stepped::Not(Refusal::Cancelled, None),
            SentStep::NotSent { .. } if only_follow => Stepped::Not(Refusal::Cancelled, None),
            SentStep::NotSent { why, .. } => Stepped::Not(why, None),
            SentStep::Unknown => return Err(VenueError::Unknown(format!("step {next} of {key}"))),
        })
    }

    /// Leave out the next step of the key; why, where nothing new may be begun anyway.
    fn skipped(&mut self) -> Result<Option<Refusal>, VenueError> {
        let hands = self.hands.as_mut().ok_or(VenueError::NotOurs)?;
        let Some(under) = hands.under.as_mut() else {
            return Err(VenueError::Bug("nothing is sent without a key".into()));
        };
        under.next += 1;
        Ok(under.only_follow.then_some(Refusal::Cancelled))
    }

    /// The last second at which what is signed now may happen, by the later of both clocks.
    fn deadline(&self) -> Result<u64, VenueError> {
        let now = self.node.head()?.timestamp.max(self.node.now_ms() / 1_000);
        Ok(now.saturating_add(self.config.deadline_s))
    }

    fn caps(&self) -> Result<Caps, VenueError> {
        let hands = self.hands.as_ref().ok_or(VenueError::NotOurs)?;
        let max_fee_per_gas = hands.sender.cap();
        Ok(Caps { gas_limit: MOST_GAS, max_fee_per_gas, deadline: self.deadline()? })
    }
}
