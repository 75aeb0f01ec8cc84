//! What the cage reports. Every fact is a link of the audit chain.

use crate::breaker::BreakerLevel;
use crate::denial::Denial;
use golem_core::fact::FactBody;
use golem_core::intent::Asset;
use golem_core::venue::VenueId;
use golem_core::{Action, Hash, Intent, Tick, Usdc};
use serde::{Deserialize, Serialize};

/// A link of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// Its place: 0 is the first.
    pub seq: u64,
    /// The turn it belongs to.
    pub tick: Tick,
    /// BLAKE3 over place, previous hash, turn and what happened.
    pub hash: Hash,
}

golem_core::facts! {
/// A past-tense fact of the cage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum CageFact {
    /// A permit was issued.
    #[serde(rename = "cage.permit")]
    Permitted {
        /// Its link.
        audit: Stamp,
        /// The permit's number.
        permit: u64,
        /// What was asked.
        intent: Intent,
        /// Where.
        venue: VenueId,
        /// With which code there.
        code: Hash,
        /// What may be sent.
        actions: Vec<Action>,
        /// What is reserved of the limits for it.
        #[serde(rename = "at_risk_micro_usdc")]
        at_risk: Usdc,
        /// The most USDC that can leave the account.
        #[serde(rename = "max_micro_usdc")]
        max_usdc: Usdc,
        /// The most of the asset that can leave the account.
        max_asset: Asset,
        /// The most that it may cost in gas.
        #[serde(rename = "max_gas_micro_usdc")]
        max_gas: Usdc,
        /// The first turn in which it is too late.
        expires: Tick,
        /// The policy it was issued under.
        policy: Hash,
        /// True when the loop guard would have denied it, had it not been one that only reduces.
        looping: bool,
    },
    /// An ask was denied.
    #[serde(rename = "cage.denied")]
    Denied {
        /// Its link.
        audit: Stamp,
        /// What was asked.
        intent: Intent,
        /// Where.
        venue: VenueId,
        /// Why.
        why: Denial,
    },
    /// A drawdown breaker tripped, deepened or was lifted.
    #[serde(rename = "cage.breaker")]
    Breaker {
        /// Its link.
        audit: Stamp,
        /// Before.
        from: BreakerLevel,
        /// Now.
        to: BreakerLevel,
        /// The drawdown.
        drawdown_bps: u32,
        /// What it is measured from.
        #[serde(rename = "peak_micro_usdc")]
        peak: Usdc,
        /// Net asset value.
        #[serde(rename = "nav_micro_usdc")]
        nav: Usdc,
    },
    /// Too much of the life's high-water mark was lost, or half of that regained.
    #[serde(rename = "cage.bled")]
    Bled {
        /// Its link.
        audit: Stamp,
        /// True when only reducing is left from here on.
        held: bool,
        /// The drawdown.
        drawdown_bps: u32,
        /// What it is measured from.
        #[serde(rename = "mark_micro_usdc")]
        mark: Usdc,
        /// Net asset value.
        #[serde(rename = "nav_micro_usdc")]
        nav: Usdc,
    },
    /// The owner halted everything but reducing.
    #[serde(rename = "cage.halted")]
    Halted {
        /// Its link.
        audit: Stamp,
        /// The owner's words, cut to 200 characters.
        reason: String,
    },
    /// The owner resumed.
    #[serde(rename = "cage.resumed")]
    Resumed {
        /// Its link.
        audit: Stamp,
        /// True when this lifted an owner's halt.
        halt: bool,
        /// True when this lifted the third drawdown breaker, or the hold of a bleed.
        breaker: bool,
    },
    /// A permit came to its end: what really moved is booked, the rest of what was reserved is released.
    #[serde(rename = "cage.settled")]
    Settled {
        /// Its link.
        audit: Stamp,
        /// The permit's number.
        permit: u64,
        /// What was reserved.
        #[serde(rename = "reserved_micro_usdc")]
        reserved: Usdc,
        /// What is booked.
        #[serde(rename = "booked_micro_usdc")]
        booked: Usdc,
        /// What is wrong with it, if anything.
        amiss: Option<Amiss>,
    },
}
}

/// What can be wrong with a settlement. Where something is, the larger amount is booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amiss {
    /// No such permit is open.
    Unknown,
    /// The receipt is of another intent.
    Other,
    /// More moved than was permitted.
    Beyond,
    /// Nobody settled it for a day.
    Never,
}

impl CageFact {
    /// Its link in the audit chain.
    #[must_use]
    pub fn audit(&self) -> Stamp {
        match self {
            Self::Permitted { audit, .. }
            | Self::Denied { audit, .. }
            | Self::Breaker { audit, .. }
            | Self::Bled { audit, .. }
            | Self::Halted { audit, .. }
            | Self::Resumed { audit, .. }
            | Self::Settled { audit, .. } => *audit,
        }
    }
    pub(crate) fn audit_mut(&mut self) -> &mut Stamp {
        match self {
            Self::Permitted { audit, .. }
            | Self::Denied { audit, .. }
            | Self::Breaker { audit, .. }
            | Self::Bled { audit, .. }
            | Self::Halted { audit, .. }
            | Self::Resumed { audit, .. }
            | Self::Settled { audit, .. } => audit,
        }
    }
}

impl FactBody for CageFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
}
