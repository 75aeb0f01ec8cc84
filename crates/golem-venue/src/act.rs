//! Intents become actions, the same way on every venue: what would be sent, what it would do, and doing it.
//!
//! A preview is carried out on a throw-away copy of the chain, by the very code that carries it out for real; when nothing
//! comes in between, the two agree to the unit.

mod resolve;

pub use resolve::{moved_price, range_around, resolve};

use crate::venue::{Actor, Done, Venue, VenueError};
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::venue::{Gas, VenueId};
use golem_core::{Action, Intent, Preview, Receipt, ReferencePrice, Usdc};

/// What each intent would do now, one after the other, each on top of those before it that would succeed.
pub fn preview(
    venue: &mut dyn Venue,
    who: impl Into<Actor>,
    intents: &[Intent],
    reference: Option<ReferencePrice>,
) -> Vec<Preview> {
    let who = who.into();
    let mut previews: Vec<Preview> = Vec::with_capacity(intents.len());
    let mut fork: Option<Box<dyn Venue>> = None;
    for intent in intents {
        let tried = fresh(venue, &mut fork, who, &previews).and_then(|fork| one(fork, who, intent));
        let mut preview = tried.unwrap_or_else(|_| Preview::refused(*intent, Refusal::NoMarket));
        preview.reference = reference.map(|reference| reference.beside(preview.before.pool.tick));
        // What reverted has still used up transactions of the copy: the next one gets a clean one.
        if preview.refusal().is_some() {
            fork = None;
        }
        previews.push(preview);
    }
    previews
}

/// The copy to try the next intent on: the head, and what was accepted so far done on it.
fn fresh<'a>(
    venue: &mut dyn Venue,
    fork: &'a mut Option<Box<dyn Venue>>,
    who: Actor,
    previews: &[Preview],
) -> Result<&'a mut dyn Venue, VenueError> {
    let copy = match fork.take() {
        Some(copy) => copy,
        None => {
            let head = venue.view()?.point;
            let mut copy = venue.fork_at(head)?;
            for accepted in previews.iter().filter(|p| p.refusal().is_none()) {
                carry_out(copy.as_mut(), who, accepted)?;
            }
            copy
        }
    };
    Ok(fork.insert(copy).as_mut())
}

fn one(fork: &mut dyn Venue, actor: Actor, intent: &Intent) -> Result<Preview, VenueError> {
    let (view, before) = (fork.view()?, fork.book(actor.who)?);
    let mut preview = Preview {
        intent: *intent,
        venue: VenueId::UniswapV3,
        code: view.code,
        actions: Vec::new(),
        before,
        after: before,
        outcome: Outcome::Held,
        gas: Gas::default(),
        logs: Vec::new(),
        reference: None,
    };
    match resolve(intent, &view, &before) {
        Ok(actions) => preview.actions = actions,
        Err(why) => preview.outcome = Outcome::Refused { why },
    }
    if !preview.actions.is_empty() {
        let receipt = carry_out(fork, actor, &preview)?;
        (preview.outcome, preview.gas, preview.logs) = (receipt.outcome, receipt.gas, receipt.logs);
        preview.after = receipt.after.unwrap_or(before);
    }
    Ok(preview)
}

/// Do what was previewed: its actions one after the other, up to the first that is refused.
///
/// # Errors
/// When the venue could not answer. What it refused is no error.
pub fn carry_out(venue: &mut dyn Venue, who: impl Into<Actor>, preview: &Preview) -> Result<Receipt, VenueError> {
    let actor = who.into();
    let mut receipt = Receipt::kept_back(preview.intent, preview.refusal().unwrap_or(Refusal::Withheld));
    book(venue, actor, &preview.actions, &mut receipt)?;
    receipt.after = Some(venue.book(actor.who)?);
    Ok(receipt)
}

/// Carry actions out for the intent of a receipt, and book on it what they did.
pub(crate) fn book(
    venue: &mut dyn Venue,
    who: Actor,
    actions: &[Action],
    receipt: &mut Receipt,
) -> Result<(), VenueError> {
    let done = perform(venue, who, actions, |venue, one| {
        receipt.gas.charged = receipt.gas.charged.saturating_add(one.gas_charged);
        receipt.gas.used = receipt.gas.used.saturating_add(one.gas_used);
        receipt.gas.cost = receipt.gas.cost.plus(venue.cost_of(one)?);
        receipt.logs.extend_from_slice(&one.logs);
        receipt.point = receipt.point.or(Some(one.point));
        Ok(())
    })?;
    if !done.is_empty() {
        receipt.outcome = outcome(&receipt.intent, &done);
    }
    Ok(())
}

/// Carry actions out one after the other, up to the first that is refused; each is looked at right after it was done.
pub(crate) fn perform(
    venue: &mut dyn Venue,
    actor: Actor,
    actions: &[Action],
    mut look: impl FnMut(&mut dyn Venue, &Done) -> Result<(), VenueError>,
) -> Result<Vec<Done>, VenueError> {
    let mut done: Vec<Done> = Vec::with_capacity(actions.len());
    for action in actions {
        let one = match (*action, actor.home) {
            (Action::Home { sum }, Some(way)) => venue.send_home(actor.who, way, sum)?,
            _ => venue.execute(actor.who, &within(action, done.last()))?,
        };
        look(venue, &one)?;
        let stop = one.refused.is_some();
        done.push(one);
        if stop {
            break;
        }
    }
    Ok(done)
}

/// A position that is moved takes with it what came out of the old range, and nothing from the account: where less came
/// out than foreseen, less is offered.
fn within(action: &Action, before: Option<&Done>) -> Action {
    let mut action = *action;
    if let (Action::Mint { pay, give, .. }, Some(burnt)) = (&mut action, before) {
        *pay = (*pay).min(gain(burnt));
        *give = (*give).min(Asset(inflow(burnt.asset)));
    }
    action
}

/// What came of an intent whose actions did this.
fn outcome(intent: &Intent, done: &[Done]) -> Outcome {
    let (first, last) = match done {
        [] => return Outcome::Held,
        [only] => (only, only),
        [first, .., last] => (first, last),
    };
    if let Some(why) = first.refused {
        return Outcome::Refused { why };
    }
    let removed = Outcome::Removed {
        liquidity: inflow(first.liquidity.saturating_neg()),
        got: gain(first),
        got_asset: Asset(inflow(first.asset)),
    };
    let (paid, gave) = (loss(last), Asset(outflow(last.asset)));
    match intent {
        Intent::Hold => Outcome::Held,
        Intent::Buy { .. } => Outcome::Bought { paid, got: Asset(inflow(last.asset)) },
        Intent::Sell { .. } => Outcome::Sold { gave, got: gain(last) },
        Intent::Add { .. } => Outcome::Added { paid, gave, liquidity: inflow(last.liquidity) },
        Intent::Remove { .. } => removed,
        Intent::Collect => Outcome::Collected { got: gain(last), got_asset: Asset(inflow(last.asset)) },
        Intent::Home { sum } => Outcome::SentHome { sum: *sum },
        Intent::Unwrap { .. } => Outcome::Unwrapped { gave },
        Intent::Rebalance { .. } if done.len() < 2 || last.refused.is_some() => removed,
        Intent::Rebalance { .. } => Outcome::Moved {
            got: gain(first),
            got_asset: Asset(inflow(first.asset)),
            paid,
            gave,
            had: outflow(first.liquidity),
            liquidity: inflow(last.liquidity),
        },
    }
}

fn inflow(change: i128) -> u128 {
    u128::try_from(change).unwrap_or_default()
}
fn outflow(change: i128) -> u128 {
    inflow(change.saturating_neg())
}
fn gain(done: &Done) -> Usdc {
    Usdc(u64::try_from(inflow(done.usdc)).unwrap_or(u64::MAX))
}
fn loss(done: &Done) -> Usdc {
    Usdc(u64::try_from(outflow(done.usdc)).unwrap_or(u64::MAX))
}
