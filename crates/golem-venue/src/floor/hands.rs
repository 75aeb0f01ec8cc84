//! Hands on a floor: previews on a fork, and carries out what a permit covers, with whatever rivals there are around it.

use super::chapter::Intervention;
use super::{Floor, NotedEffect, SharedFloor};
use crate::act;
use crate::venue::{Account, Actor, Venue, VenueError};
use golem_cage::Permit;
use golem_core::door::{ClaimReply, ClaimRequest, ForkReply, ForkRequest, Hands};
use golem_core::intent::{Holdings, Refusal};
use golem_core::{Action, Hash, Homeward, Intent, Point, Preview, Receipt, Tick, Usdc};

/// One golem's hands.
pub struct FloorHands {
    floor: SharedFloor,
    who: Account,
    /// Where its money goes home to.
    home: Option<Homeward>,
    /// The golem's head before the turn that acts, and what it was given until then.
    head: Hash,
    deposits: Usdc,
}

impl FloorHands {
    /// The hands of an account.
    #[must_use]
    pub fn new(floor: SharedFloor, who: Account) -> Self {
        Self { floor, who, home: None, head: Hash::default(), deposits: Usdc(0) }
    }

    /// The same with a way home.
    #[must_use]
    pub fn homeward(self, way: Homeward) -> Self {
        Self { home: Some(way), ..self }
    }

    fn actor(&self) -> Actor {
        Actor { who: self.who, home: self.home }
    }

    /// A turn is about to act: on top of this head, with what the golem was given until then.
    pub fn opening(&mut self, head: &Hash, holdings: &Holdings) {
        (self.head, self.deposits) = (*head, holdings.deposits);
    }

    /// Carry out what a permit covers in this turn, and note it under a key, if one is given, together with what it did.
    ///
    /// # Errors
    /// When the chain cannot go on; what happened is then not written down, so that it has not happened.
    pub fn act_noted(
        &mut self,
        key: Option<&str>,
        now: Tick,
        preview: &Preview,
        permit: Permit,
    ) -> Result<Receipt, VenueError> {
        let covered = preview.actions.iter().enumerate().all(|(n, action)| permit.covers(n, action));
        let fits = covered && permit.actions().len() == preview.actions.len() && permit.code() == preview.code;
        if !fits || permit.spend(now).is_err() {
            return Ok(Receipt::kept_back(preview.intent, Refusal::Denied));
        }
        let Some(key) = key else {
            let mut floor = self.floor.hold();
            fund(&mut floor, self.who, self.deposits)?;
            return carry_out(&mut floor, self.actor(), preview);
        };
        let done = self.give_and_carry_out(key, preview);
        let mut floor = self.floor.hold();
        let done = done.and_then(|receipt| floor.commit().map(|()| receipt));
        if let Err(trouble) = &done {
            // Half of it may be there in memory: nothing of that is ever written.
            floor.trouble = Some(trouble.clone());
        }
        done
    }

    /// What the golem was given comes to the chain together with the first effect that may need it, and is written down
    /// with it or not at all: whoever finishes the turn after a crash does both, or finds both done.
    fn give_and_carry_out(&mut self, key: &str, preview: &Preview) -> Result<Receipt, VenueError> {
        let mut floor = self.floor.hold();
        fund(&mut floor, self.who, self.deposits)?;
        let receipt = carry_out(&mut floor, self.actor(), preview)?;
        floor.ground.note_effect(key, &NotedEffect { receipt: receipt.clone(), head: self.head })?;
        Ok(receipt)
    }

    /// Do again, on a chain that is made anew, what was recorded under a key.
    ///
    /// # Errors
    /// In what it ends otherwise.
    pub fn redo_noted(&mut self, key: &str, preview: &Preview, receipt: &Receipt) -> Result<(), String> {
        let again = self.give_and_carry_out(key, preview).map_err(|e| e.to_string())?;
        same(receipt, &again)
    }

    /// Where the chain's file stands.
    #[must_use]
    pub fn mark(&self) -> Option<String> {
        self.floor.hold().ground.mark()
    }

    /// The golem's turns up to now are on disk. A chain that is written only then is never ahead of the golem on it, but
    /// by effects that the golem knows of, so that the same turns can be lived again on the same steps.
    pub fn written(&mut self) {
        self.floor.hold().write_if_due();
    }

    /// The keys of all that is noted with this beginning.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn noted_keys(&mut self, prefix: &str) -> Result<Vec<String>, VenueError> {
        self.floor.hold().ground.effects(prefix)
    }

    /// The effect noted under a key.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn noted(&mut self, key: &str) -> Result<Option<NotedEffect>, VenueError> {
        self.floor.hold().ground.effect(key)
    }
}

fn fund(floor: &mut Floor, who: Account, deposits: Usdc) -> Result<(), VenueError> {
    let before = floor.ground.view()?.point;
    floor.ground.fund_to(who, deposits)?;
    if floor.ground.view()?.point != before {
        floor.note(|| Intervention::Fund(who, deposits));
    }
    Ok(())
}

fn carry_out(floor: &mut Floor, actor: Actor, preview: &Preview) -> Result<Receipt, VenueError> {
    let who = actor.who;
    floor.note(|| match (preview.actions.as_slice(), actor.home) {
        ([Action::Home { sum }], Some(way)) => Intervention::SendHome(who, way, *sum),
        (actions, _) => Intervention::CarryOut(who, actions.to_vec()),
    });
    let tick = floor.tick().unwrap_or_default();
    let before = floor.before_deed()?;
    floor.market.before(&mut *floor.ground, &preview.actions, tick)?;
    floor.keep_deed(who, &preview.actions, before)?;
    let mut receipt = act::carry_out(&mut *floor.ground, actor, preview)?;
    if floor.market.after(&mut *floor.ground)? > 0 {
        receipt.after = Some(floor.ground.book(who)?);
    }
    Ok(receipt)
}

impl Hands<Permit> for FloorHands {
    fn is_external(&self) -> bool {
        self.floor.hold().ground.keeps_itself()
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        // Whoever acts without a key opens no turn: what was tried with is what it then acts with.
        self.deposits = holdings.deposits;
        let mut floor = self.floor.hold();
        let refused = || wishes.iter().map(|wish| Preview::refused(*wish, Refusal::NoMarket)).collect();
        let Ok(reference) = floor.reference() else { return refused() };
        let point = match floor.ground.view() {
            Ok(view) => view.point,
            Err(trouble) => {
                floor.trouble = Some(trouble);
                return refused();
            }
        };
        match funded(&mut floor, self.who, holdings.deposits, point) {
            Ok(Some(mut copy)) => act::preview(&mut *copy, self.actor(), wishes, reference),
            Ok(None) => act::preview(&mut *floor.ground, self.actor(), wishes, reference),
            Err(trouble) => {
                floor.trouble = Some(trouble);
                refused()
            }
        }
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: Permit) -> Receipt {
        self.act_noted(None, now, preview, permit).unwrap_or_else(|trouble| {
            self.floor.hold().trouble = Some(trouble);
            Receipt::kept_back(preview.intent, Refusal::NoMarket)
        })
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        let mut floor = self.floor.hold();
        fund(&mut floor, self.who, holdings.deposits).map_err(|e| e.to_string())?;
        let again = carry_out(&mut floor, self.actor(), preview).map_err(|e| e.to_string())?;
        same(receipt, &again)
    }
    fn try_on_fork(&mut self, request: &ForkRequest, holdings: &Holdings) -> ForkReply {
        self.floor.hold().try_on_fork(self.who, holdings.deposits, request)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        self.floor.hold().ground.bear_out(request)
    }
}

fn same(recorded: &Receipt, again: &Receipt) -> Result<(), String> {
    if recorded == again { Ok(()) } else { Err(format!("receipt: recorded {recorded:?}, done again {again:?}")) }
}

/// Where to try wishes with what the golem was given: on a chain with a file, a copy that has it, since the file gets it
/// with the first effect; otherwise the chain itself.
fn funded(floor: &mut Floor, who: Account, deposits: Usdc, head: Point) -> Result<Option<Box<dyn Venue>>, VenueError> {
    if !floor.ground.keeps_itself() {
        return fund(floor, who, deposits).map(|()| None);
    }
    let mut copy = floor.ground.fork_at(head)?;
    copy.fund_to(who, deposits)?;
    Ok(Some(copy))
}
