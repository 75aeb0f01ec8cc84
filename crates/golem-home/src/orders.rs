//! What an owner tells a golem, through its durable inbox; it answers in the turn that takes the order.

use crate::dreams;
use crate::fail::Fail;
use crate::home::{Home, Place};
use golem_core::{Hash, Usdc};
use golem_life::{Ask, LifeStanding};
use golem_mortality::economic::MOST;
use golem_runtime::{Clock as _, GolemDir, Inbox, Lock, Reader, RealClock, wait_reply};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long to wait for a running golem to answer; at real speed a turn may take longer, and the order waits.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// What an owner may tell a golem from any surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "order", deny_unknown_fields)]
pub enum OwnerCommand {
    /// No turns until resumed.
    Pause,
    /// Go on.
    Resume,
    /// No new risk until resumed.
    Halt { reason: String },
    /// More money.
    Feed {
        /// How much.
        usdc: Usdc,
    },
    /// The end.
    Kill { reason: String },
    /// Words.
    Tell { text: String },
    /// Dream now.
    Dream,
    /// Stop dreaming.
    Wake { reason: String },
    /// Take a staged proposal through the gate.
    Approve { proposal: u64 },
    /// Take it off the table.
    Reject { proposal: u64 },
}

impl OwnerCommand {
    /// What goes into the inbox.
    fn ask(&self) -> Result<Ask, Fail> {
        Ok(match self {
            Self::Pause => Ask::Pause,
            Self::Resume => Ask::Resume,
            Self::Halt { reason } => Ask::Halt { reason: reason.clone() },
            Self::Feed { usdc } => {
                check_feed(*usdc)?;
                Ask::Feed { amount: *usdc }
            }
            Self::Kill { reason } => Ask::Kill { reason: reason.clone() },
            Self::Tell { text } => {
                check_words(text)?;
                Ask::Tell { text: text.clone() }
            }
            Self::Dream => Ask::Dream,
            Self::Wake { reason } => Ask::Wake { reason: reason.clone() },
            Self::Approve { proposal } => Ask::Judge { proposal: *proposal, approved: true },
            Self::Reject { proposal } => Ask::Judge { proposal: *proposal, approved: false },
        })
    }
}

/// What came of an order so far; others rely on these names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderAnswer {
    pub order: u64,
    pub reply: Option<String>,
    pub waiting: bool,
    pub running: bool,
}

/// Put an order; its number comes back at once, whether or not the golem runs.
pub fn send(place: &Place, command: &OwnerCommand, home: &Home) -> Result<u64, Fail> {
    let ask = command.ask()?;
    home.is_at_home(place)?;
    may_take(place, &ask)?;
    put(place, &ask)
}

/// Wait a little for the answer of a golem that runs.
pub fn await_answer(place: &Place, order: u64) -> Result<OrderAnswer, Fail> {
    let running = is_running(place)?;
    let patience = if running { PATIENCE } else { Duration::ZERO };
    let reply = wait_reply(&place.dir, order, patience)?.map(|reply| reply.text);
    Ok(OrderAnswer { order, waiting: reply.is_none(), reply, running })
}

/// Refuse an amount that helps nobody, or that is more than a ledger handles.
pub fn check_feed(amount: Usdc) -> Result<(), Fail> {
    if amount == Usdc::ZERO {
        return Err(Fail::hint("feeding nothing helps nobody", "give it more than 0: --usdc 10"));
    }
    if amount > MOST {
        let what = format!("{amount} USDC is more than the {MOST} that a golem may be given");
        return Err(Fail::hint(what, "feed it less"));
    }
    Ok(())
}

/// Refuse words that are none.
pub fn check_words(words: &str) -> Result<(), Fail> {
    match words.trim().is_empty() {
        true => Err(Fail::hint("there is nothing to tell", "say it in quotes: bardo golem tell NAME \"be careful\"")),
        false => Ok(()),
    }
}

/// The dead and the dying take no orders.
pub fn alive(place: &Place) -> Result<(), Fail> {
    match Reader::open(&place.dir)?.status()?.map(|s| s.standing) {
        Some(LifeStanding::Dead) => Err(Fail::hint(
            format!("{} is dead, and stays dead", place.name),
            format!("what you may want is a successor: bardo golem successor {} --inherit-grimoire", place.name),
        )),
        Some(LifeStanding::Dying) => Err(Fail::hint(
            format!("{} is dying: it takes no orders and cannot be fed any more", place.name),
            format!("let it come to its end: bardo golem run {}", place.name),
        )),
        _ => Ok(()),
    }
}

/// Refuse at once what it could only refuse: the dead and the dying take no orders, and who never dreams none about dreams.
pub fn may_take(place: &Place, ask: &Ask) -> Result<(), Fail> {
    alive(place)?;
    match ask {
        Ask::Dream | Ask::Wake { .. } => dreams::may_dream(place),
        _ => Ok(()),
    }
}

/// Put an order into the inbox; its number comes back.
pub fn put(place: &Place, ask: &Ask) -> Result<u64, Fail> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|e| Fail::world(e.to_string()))?;
    Ok(Inbox::open_for(&place.dir, ask)?.put(&Hash(key).to_string(), ask, RealClock::default().now())?)
}

/// Whether some process lives its life at the moment.
pub fn is_running(place: &Place) -> Result<bool, Fail> {
    Ok(Lock::holder(&GolemDir::of_golem(&place.dir)?).is_some())
}
