//! An owner's withdrawal from the living: what must be closed is closed by the ordinary door, over as many turns as that takes
//! and may take, and what was asked for goes home. While it is open nothing else is wanted, so that nothing is opened.

use crate::deathbed::Vain;
use crate::dying::{closes, refusal};
use crate::fact::LifeFact;
use crate::homegoing::OpenWithdrawal;
use crate::life::Life;
use crate::scratch::Wished;
use golem_cage::GoingLeave;
use golem_core::intent::{Asset, Outcome};
use golem_core::{HomeSum, Intent, Receipt, Usdc};
use golem_grimoire::testament::OpenHolding;
use golem_mind::policy::Because;
use std::collections::BTreeMap;
use std::fmt;

/// Less than this is not worth the way.
pub const LEAST_WITHDRAWAL: Usdc = Usdc(100_000);
/// Turns in which what is open is closed; what there is by then goes.
const CLOSING_TURNS: u32 = 60;
/// Turns more in which it is tried to send it.
const SENDING_TURNS: u32 = 12;
/// What is closed beyond what is missing, in basis points: prices move, and gas is paid.
const BEYOND_BPS: u64 = 200;

/// Why an owner's withdrawal is not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalRefused {
    /// Too little.
    Dust {
        /// What was asked for, or all there is.
        asked: Usdc,
    },
    /// More than there is.
    TooMuch {
        /// What was asked for.
        asked: Usdc,
        /// What there is.
        there: Usdc,
    },
    /// One at a time.
    Open {
        /// Its number in the inbox.
        order: u64,
    },
}

impl std::error::Error for WithdrawalRefused {}

impl fmt::Display for WithdrawalRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dust { asked } => {
                write!(f, "{asked} USDC is less than the {LEAST_WITHDRAWAL} that are worth sending")
            }
            Self::TooMuch { asked, there } => write!(
                f,
                "{asked} USDC is more than the {there} of capital that there are; what it lives on stays until it dies"
            ),
            Self::Open { order } => write!(f, "the withdrawal of order {order} is not over yet"),
        }
    }
}

impl Life {
    /// Capital that could go home: what is liquid, and what positions would bring after gas. What it lives on, and the reserve,
    /// are no part of it.
    pub fn withdrawable(&self) -> Usdc {
        self.spendable_capital().plus(self.state.portfolio.value())
    }

    fn withdrawal(&self) -> Option<&OpenWithdrawal> {
        self.state.homegoing.as_ref()?.withdrawal.as_ref()
    }

    /// True while a withdrawal is open.
    pub(crate) fn withdraws(&self) -> bool {
        self.withdrawal().is_some()
    }

    /// The owner asks for money: a part of the capital, or all of it.
    pub(crate) fn asked_to_withdraw(&mut self, order: u64, asked: Option<Usdc>) -> String {
        match self.may_withdraw(asked) {
            Err(why) => format!("refused: {why}"),
            Ok(()) => {
                let open = OpenWithdrawal { order, asked, turns: 0, tried: BTreeMap::new(), held_up: None };
                self.state.homegoing.get_or_insert_default().withdrawal = Some(open);
                let what = asked.map_or_else(|| "all of its capital".to_owned(), |amount| format!("{amount} USDC"));
                match self.state.core.paused {
                    true => format!("{what} will go home once it is resumed"),
                    false => format!("{what} will go home as soon as what must be closed is closed"),
                }
            }
        }
    }

    fn may_withdraw(&self, asked: Option<Usdc>) -> Result<(), WithdrawalRefused> {
        if let Some(open) = self.withdrawal() {
            return Err(WithdrawalRefused::Open { order: open.order });
        }
        let there = self.withdrawable();
        let amount = asked.unwrap_or(there);
        if amount < LEAST_WITHDRAWAL {
            return Err(WithdrawalRefused::Dust { asked: amount });
        }
        if amount > there { Err(WithdrawalRefused::TooMuch { asked: amount, there }) } else { Ok(()) }
    }

    /// What the open withdrawal wants of this turn: to close something, or to send what is there. The leave is given here.
    pub(crate) fn wish_to_withdraw(&mut self) -> Vec<Intent> {
        self.turn.valued = self.valuation();
        let Some(open) = self.withdrawal().cloned() else { return Vec::new() };
        let (free, late) = (self.spendable_capital(), open.turns >= CLOSING_TURNS);
        let missing = open.asked.map(|asked| asked.minus(free));
        let enough = missing == Some(Usdc::ZERO);
        let closing = if enough || late { Vec::new() } else { self.close_for(missing, &open) };
        if !closing.is_empty() {
            self.turn.because = vec![Because::Withdrawing; closing.len()];
            return closing;
        }
        // What waits for its price is waited for.
        if !enough && !late && self.is_worth_waiting(&open) {
            return Vec::new();
        }
        let amount = open.asked.map_or(free, |asked| asked.min(free));
        if amount == Usdc::ZERO {
            return Vec::new();
        }
        self.turn.leave = GoingLeave { usdc: amount, ..GoingLeave::default() };
        self.turn.because = vec![Because::Withdrawing];
        vec![Intent::Home { sum: HomeSum::Usdc(amount) }]
    }

    /// What closes as much as is missing; everything where all is to go.
    fn close_for(&mut self, missing: Option<Usdc>, open: &OpenWithdrawal) -> Vec<Intent> {
        let hopeless = |what: OpenHolding| open.tried.get(&what).is_some_and(|vain| vain.for_good);
        let mut wishes = self.give_everything_up();
        wishes.retain(|wish| closes(wish).is_some_and(|what| !hopeless(what)));
        match missing {
            Some(missing) => wishes.into_iter().map(|wish| self.as_much_as(wish, missing)).collect(),
            None => wishes,
        }
    }

    /// The part of a closing act that brings what is missing, and a little more.
    fn as_much_as(&self, wish: Intent, missing: Usdc) -> Intent {
        let book = &self.state.portfolio;
        let worth = match wish {
            Intent::Sell { give, .. } => book.spot(give),
            Intent::Remove { .. } => book.worth.position.plus(book.worth.fees),
            _ => return wish,
        };
        let share = u128::from(missing.0).saturating_mul(10_000).div_ceil(u128::from(worth.0.max(1)));
        let share = share.saturating_add(u128::from(BEYOND_BPS)).saturating_add(1);
        if share >= 10_000 {
            return wish;
        }
        let part = |x: u128| x / 10_000 * share + x % 10_000 * share / 10_000;
        match wish {
            Intent::Sell { give, min_out } => {
                let min_out = Usdc(u64::try_from(part(min_out.0.into())).unwrap_or(u64::MAX));
                let smaller = Intent::Sell { give: Asset(part(give.0)), min_out };
                if min_out > Usdc::ZERO { smaller } else { wish }
            }
            Intent::Remove { tolerance_bps, .. } => {
                Intent::Remove { share_bps: u32::try_from(share).unwrap_or(10_000), tolerance_bps }
            }
            other => other,
        }
    }

    /// Whether anything is open that may still be closed.
    fn is_worth_waiting(&self, open: &OpenWithdrawal) -> bool {
        let book = &self.state.portfolio;
        let held = [(OpenHolding::Liquidity, book.liquidity > 0), (OpenHolding::Asset, book.asset > Asset::ZERO)];
        let hopeless = |what| open.tried.get(&what).is_some_and(|vain: &Vain| vain.for_good);
        book.value() >= LEAST_WITHDRAWAL && held.into_iter().any(|(what, is)| is && !hopeless(what))
    }

    /// What came of it; ends the withdrawal where it is over.
    pub(crate) fn see_to_withdrawal(&mut self, wished: &[Wished], receipts: &[Receipt]) {
        let Some(open) = self.state.homegoing.as_mut().and_then(|home| home.withdrawal.as_mut()) else { return };
        open.turns = open.turns.saturating_add(1);
        let mut sent = None;
        for (wish, receipt) in wished.iter().zip(receipts) {
            let done = wish.permit.is_some() && receipt.was_done();
            let refused = wish.refused.as_ref();
            let why = || refused.map_or_else(|| refusal(receipt), |no| no.why.clone());
            let for_good = refused.is_some_and(|no| no.for_good);
            match (receipt.outcome, closes(&wish.preview.intent)) {
                (Outcome::SentHome { sum: HomeSum::Usdc(amount) }, _) if done => sent = Some(amount),
                (_, Some(_)) if done => {}
                (_, Some(what)) => open.tried.entry(what).or_default().again(why(), for_good),
                (_, None) => open.held_up.get_or_insert_default().again(why(), for_good),
            }
        }
        let (late, asked) = (open.turns >= CLOSING_TURNS + SENDING_TURNS, open.asked);
        let stuck = open.held_up.as_ref().filter(|vain| vain.for_good || late).map(|vain| vain.why.clone());
        let tried = open.tried.values().last().map(|vain| vain.why.clone());
        if let Some(amount) = sent {
            let short = asked.is_some_and(|asked| amount < asked) || asked.is_none() && self.is_holding();
            let why = short.then(|| tried.unwrap_or_else(|| "no more of it could be freed".to_owned()));
            self.end_withdrawal(amount, why);
        } else if let Some(why) = stuck {
            self.end_withdrawal(Usdc::ZERO, Some(why));
        } else if late {
            let why = tried.unwrap_or_else(|| "nothing could be freed".to_owned());
            self.end_withdrawal(Usdc::ZERO, Some(why));
        }
    }

    fn is_holding(&self) -> bool {
        self.state.portfolio.value() >= LEAST_WITHDRAWAL
    }

    /// Nothing more comes of an open withdrawal.
    pub(crate) fn break_off_withdrawal(&mut self, why: &str) {
        if self.withdraws() {
            self.end_withdrawal(Usdc::ZERO, Some(why.to_owned()));
        }
    }

    fn end_withdrawal(&mut self, sent: Usdc, why: Option<String>) {
        let Some(open) = self.state.homegoing.as_mut().and_then(|home| home.withdrawal.take()) else { return };
        let OpenWithdrawal { order, asked, turns, .. } = open;
        self.tell(LifeFact::Withdrawn { order, asked, sent, turns, why });
    }
}
