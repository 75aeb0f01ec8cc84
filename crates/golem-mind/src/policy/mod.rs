//! The T0 policy: a template says what it wants, one gate lets through what is allowed and there is money for. It wants;
//! it never carries out.

mod act;
mod because;
mod careful;
mod config;
mod credence;
mod desk;
mod earn;
mod eth_dca;
mod gate;
mod guidance;
mod lp_management;
mod pace;
mod propose;
mod registry;
mod smallest;
mod stable_yield;
mod tables;
mod target;
mod template;
mod trend_following;
mod tune;
mod unwind;
mod vector;

pub use act::Act;
pub use because::Because;
pub use config::PolicyConfig;
pub(crate) use credence::Credence;
pub use guidance::Guidance;
pub use registry::Parameter;
pub use tables::{EthDca, LpManagement, StableYield, TrendFollowing};
pub use template::{NoSuchTemplate, Template};
pub use tune::{Stride, TuneError, tune};
pub use vector::action_vector;

use crate::outlook::Outlook;
use desk::Desk;
use golem_core::intent::{Holdings, Outcome};
use golem_core::{Elapsed, Intent, Receipt, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};

/// The most that is wanted in one turn.
pub const MOST_INTENTS: usize = 3;
/// What cannot wait is tried again after this part of the cooldown.
const URGENT: u64 = 10;
/// What must go at once and was not taken is offered again after so long.
const AGAIN: Elapsed = Elapsed::nominal(3);

/// What the golem may do in its phase, its suffering and its safety: decided elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Permissions {
    /// Scales every target, from 0 to 1.
    pub risk: f64,
    /// Whether exposure may grow.
    pub may_open: bool,
    /// Whether a liquidity range that has lost the price may be moved.
    pub may_rebalance: bool,
    /// Whether everything is to be given up, piece by piece.
    pub unwind: bool,
    /// Whether what is too much must go at once: no cooldown is waited for, and it need not pay.
    pub urgent: bool,
}

impl Permissions {
    /// Everything, at full risk.
    pub const ALL: Self = Self { risk: 1.0, may_open: true, may_rebalance: true, unwind: false, urgent: false };
    /// Reduce only.
    pub const REDUCE: Self = Self { risk: 1.0, may_open: false, may_rebalance: false, unwind: false, urgent: false };
}

/// What things are worth, by the exact arithmetic of another room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Valuation {
    /// Net asset value of the golem.
    pub nav: Usdc,
    /// What the liquidity position would fetch at the spot price, uncollected fees not included.
    pub liquidity: Usdc,
}

/// What the policy remembers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Policy {
    acted_at: Option<VirtualTime>,
    /// The last turn was the first of two steps.
    unfinished: bool,
    unwinding: unwind::Unwinding,
    stance: trend_following::TrendStance,
    calendar: eth_dca::Calendar,
    rest: stable_yield::Rest,
    pace: pace::TradePace,
}

impl Policy {
    /// What is wanted now; nothing means hold.
    pub fn decide(
        &mut self,
        outlook: &Outlook,
        holdings: &Holdings,
        value: &Valuation,
        may: &Permissions,
        config: &PolicyConfig,
        now: VirtualTime,
    ) -> Vec<Intent> {
        self.decide_with_reasons(outlook, (holdings, value), may, config, now).0
    }

    /// The same, with the clause behind each wish.
    pub fn decide_with_reasons(
        &mut self,
        outlook: &Outlook,
        (holdings, value): (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
        now: VirtualTime,
    ) -> (Vec<Intent>, Vec<Because>) {
        // What must go is not kept by a price that is not believed: it asks for the better one.
        let price = if may.unwind { outlook.price.or(outlook.sale_price) } else { outlook.price };
        let Some(price) = price.filter(|p| p.is_normal() && *p > 0.0) else { return Default::default() };
        let desk = Desk::of(outlook, (holdings, value), may, config, price);
        let wishes = self.wishes(&desk, now);
        let because = self.because(&wishes, &desk);
        (wishes, because)
    }

    fn wishes(&mut self, desk: &Desk<'_>, now: VirtualTime) -> Vec<Intent> {
        let (config, may) = (desk.config, desk.may);
        if may.unwind {
            return gate::pass(self.unwinding.step(desk), desk);
        }
        self.unwinding = unwind::Unwinding::default();
        if !self.is_due(desk, now) {
            return Vec::new();
        }
        let mut on_forecast = false;
        let (wishes, unfinished) = match config.template {
            Template::LpManagement => {
                let stay_days = self.pace.stay_days(now, config.lp_management.hold_days);
                let wanted = lp_management::wishes(desk, stay_days);
                on_forecast = wanted.on_forecast;
                (wanted.intents, wanted.unfinished)
            }
            Template::TrendFollowing => (trend_following::wishes(desk, &mut self.stance), false),
            Template::EthDca => (eth_dca::wishes(desk, &mut self.calendar, now), false),
            Template::StableYield => stable_yield::wishes(desk, &mut self.rest, now),
        };
        let wishes = gate::pass(wishes, desk);
        // One second step at most, so that what is refused again and again waits for the cooldown like everything else.
        self.unfinished = unfinished && !self.unfinished && !wishes.is_empty();
        if !wishes.is_empty() {
            self.acted_at = Some(now);
            if on_forecast {
                self.pace.moved(now);
            }
        }
        wishes
    }

    /// What a deliberation wishes for, as intents that are allowed and that there is money for.
    #[must_use]
    pub fn propose(
        outlook: &Outlook,
        (holdings, value): (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
        (act, share): (Act, f64),
    ) -> Vec<Intent> {
        let Some(price) = outlook.price.filter(|p| p.is_normal() && *p > 0.0) else { return Vec::new() };
        propose::intents(&Desk::of(outlook, (holdings, value), may, config, price), act, share)
    }

    /// A wish of somebody else goes out: the cooldown begins with it too.
    pub(crate) fn acts(&mut self, now: VirtualTime) {
        self.acted_at = Some(now);
    }

    /// Whether anything may be wanted in this turn: the cooldown is over, a second step is due, or it cannot wait.
    fn is_due(&mut self, desk: &Desk<'_>, now: VirtualTime) -> bool {
        let (mut cooldown, mut urgent) = (Elapsed::nominal(desk.config.cooldown_ticks), false);
        match desk.config.template {
            Template::LpManagement => {}
            Template::TrendFollowing => urgent = self.stance.watch(desk),
            Template::EthDca => cooldown = eth_dca::spacing(desk),
            Template::StableYield => urgent = stable_yield::must_leave(desk),
        }
        let Some(passed) = self.acted_at.map(|at| now.since(at)) else { return true };
        if desk.may.urgent && passed >= AGAIN {
            return true;
        }
        passed >= cooldown || self.unfinished || urgent && passed >= Elapsed(cooldown.0 / URGENT)
    }

    /// Learn what came of a wish.
    pub(crate) fn learn(&mut self, receipt: &Receipt) {
        if let (Intent::Buy { .. }, Outcome::Refused { .. }) = (receipt.intent, receipt.outcome) {
            self.calendar.undo();
        }
    }
}
