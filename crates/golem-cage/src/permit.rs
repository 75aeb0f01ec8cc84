//! A permit: the right to send exactly these actions, once, soon. Only the cage makes one, and using it uses it up.

use golem_core::intent::Asset;
use golem_core::venue::VenueId;
use golem_core::{Action, Hash, Intent, Tick, Usdc};

/// The right to send exactly these actions, once.
///
/// It cannot be copied, stored or made outside of the cage:
///
/// ```compile_fail,E0599
/// fn twice(permit: golem_cage::Permit) -> (golem_cage::Permit, golem_cage::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
///
/// and it cannot be used twice:
///
/// ```compile_fail,E0382
/// use golem_core::Tick;
/// fn twice(permit: golem_cage::Permit) {
///     let first = permit.spend(Tick(1));
///     let second = permit.spend(Tick(1));
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Permit {
    pub(crate) id: u64,
    pub(crate) tick: Tick,
    pub(crate) expires: Tick,
    pub(crate) intent: Intent,
    pub(crate) venue: VenueId,
    pub(crate) code: Hash,
    pub(crate) actions: Vec<Action>,
    pub(crate) max_usdc: Usdc,
    pub(crate) max_asset: Asset,
    pub(crate) max_gas: Usdc,
    pub(crate) policy: Hash,
}

impl Permit {
    /// Its number in this golem's life.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
    /// The turn it was issued in.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.tick
    }
    /// The first turn in which it is too late.
    #[must_use]
    pub fn expires(&self) -> Tick {
        self.expires
    }
    /// What was asked.
    #[must_use]
    pub fn intent(&self) -> Intent {
        self.intent
    }
    /// Where it holds.
    #[must_use]
    pub fn venue(&self) -> VenueId {
        self.venue
    }
    /// Hash over the code of the venue's contracts: with other code it does not hold.
    #[must_use]
    pub fn code(&self) -> Hash {
        self.code
    }
    /// What may be sent, in this order.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }
    /// The most USDC that can leave the account by it, gas not counted.
    #[must_use]
    pub fn max_usdc(&self) -> Usdc {
        self.max_usdc
    }
    /// The most of the asset that can leave the account by it.
    #[must_use]
    pub fn max_asset(&self) -> Asset {
        self.max_asset
    }
    /// The most that it may cost in gas, all its transactions together.
    #[must_use]
    pub fn max_gas(&self) -> Usdc {
        self.max_gas
    }
    /// Hash of the policy it was issued under.
    #[must_use]
    pub fn policy(&self) -> Hash {
        self.policy
    }
    /// Whether its `n`-th action is this one, or a mint of which this one is a smaller part.
    #[must_use]
    pub fn covers(&self, n: usize, action: &Action) -> bool {
        self.actions.get(n).is_some_and(|permitted| permitted == action || is_part(action, permitted))
    }
    /// Use it up.
    ///
    /// # Errors
    /// When it is too late, or not yet time.
    pub fn spend(self, now: Tick) -> Result<Spent, Stale> {
        if self.tick <= now && now < self.expires {
            Ok(Spent { permit: self, taken: 0 })
        } else {
            Err(Stale { id: self.id, tick: self.tick, expires: self.expires, now })
        }
    }
}

/// Whether an action is a mint that takes at most what was permitted, and asks for no less: where a burn before it brought
/// less than foreseen.
#[must_use]
pub fn is_part(action: &Action, permitted: &Action) -> bool {
    let Action::Mint { position, range, pay, give, min_pay, min_give } = *action else { return false };
    let Action::Mint { pay: most, give: most_asset, min_pay: least, min_give: least_asset, .. } = *permitted else {
        return false;
    };
    let same = Action::Mint { position, range, pay: most, give: most_asset, min_pay: least, min_give: least_asset };
    same == *permitted && pay <= most && give <= most_asset && min_pay >= least && min_give >= least_asset
}

/// A permit that is being used: each of its actions can be taken once, in their order.
#[derive(Debug)]
#[must_use]
pub struct Spent {
    permit: Permit,
    taken: usize,
}

impl Spent {
    /// What it says. It cannot be spent again.
    pub fn permit(&self) -> &Permit {
        &self.permit
    }
    /// How many of its actions have been taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken
    }
    /// Take the next action, which must be this one.
    ///
    /// # Errors
    /// When the next action is another one, or none is left.
    pub fn take(&mut self, action: &Action) -> Result<(), NotCovered> {
        if !self.permit.covers(self.taken, action) {
            return Err(NotCovered { id: self.permit.id, n: self.taken });
        }
        self.taken = self.taken.saturating_add(1);
        Ok(())
    }
}

/// A permit came too late, or too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("permit {id} holds from turn {tick} until before turn {expires}; this is turn {now}")]
pub struct Stale {
    id: u64,
    tick: Tick,
    expires: Tick,
    now: Tick,
}

/// An action that a permit does not cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("permit {id} does not cover this as its action {n}")]
pub struct NotCovered {
    id: u64,
    n: usize,
}
