//! Leave to go: how much may leave a golem's books in a turn. The dying protocol and the owner's withdrawal give it, gas that
//! runs short does; a wish never does, whoever wished. What was granted by it is used up.

use crate::denial::Denial;
use golem_core::intent::Asset;
use golem_core::{HomeSum, Intent, Usdc};

/// How much may leave, of each kind. None of it says where to: that is the birth record's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GoingLeave {
    /// USDC that may go home.
    pub usdc: Usdc,
    /// Asset that may go home.
    pub asset: Asset,
    /// Coin that may go home.
    pub coin: Asset,
    /// Asset that may become coin.
    pub unwrap: Asset,
}

impl GoingLeave {
    /// What is left for the kind that an intent is of, and what the intent takes; `None` for what needs no leave.
    fn of(&mut self, intent: &Intent) -> Option<(LeaveLeft<'_>, u128)> {
        Some(match *intent {
            Intent::Home { sum: HomeSum::Usdc(amount) } => (LeaveLeft::Usdc(&mut self.usdc), u128::from(amount.0)),
            Intent::Home { sum: HomeSum::Asset(amount) } => (LeaveLeft::Asset(&mut self.asset), amount.0),
            Intent::Home { sum: HomeSum::Coin(amount) } => (LeaveLeft::Asset(&mut self.coin), amount.0),
            Intent::Unwrap { give } => (LeaveLeft::Asset(&mut self.unwrap), give.0),
            _ => return None,
        })
    }

    /// Whether an intent is within it.
    pub(crate) fn covers(&mut self, intent: &Intent) -> Result<(), Denial> {
        let Some((left, asked)) = self.of(intent) else { return Ok(()) };
        let left = left.amount();
        if left == 0 {
            return Err(Denial::NoLeave);
        }
        if asked == 0 || asked > left { Err(Denial::BeyondLeave { asked, left }) } else { Ok(()) }
    }

    /// Use it up by what was granted.
    pub(crate) fn take(&mut self, intent: &Intent) {
        if let Some((left, asked)) = self.of(intent) {
            left.less(asked);
        }
    }
}

enum LeaveLeft<'a> {
    Usdc(&'a mut Usdc),
    Asset(&'a mut Asset),
}

impl LeaveLeft<'_> {
    fn amount(&self) -> u128 {
        match self {
            Self::Usdc(left) => u128::from(left.0),
            Self::Asset(left) => left.0,
        }
    }
    fn less(self, taken: u128) {
        match self {
            Self::Usdc(left) => *left = left.minus(Usdc(u64::try_from(taken).unwrap_or(u64::MAX))),
            Self::Asset(left) => *left = left.minus(Asset(taken)),
        }
    }
}
