//! Hands on a floor: previews on a fork, and carries out what a permit covers, with whatever rivals there are around it.

use super::{Floor, SharedFloor};
use crate::act;
use crate::venue::{Account, VenueError};
use golem_cage::Permit;
use golem_core::door::Hands;
use golem_core::intent::{Holdings, Refusal};
use golem_core::{Intent, Preview, Receipt, Tick};

/// One golem's hands.
pub struct FloorHands {
    floor: SharedFloor,
    who: Account,
}

impl FloorHands {
    /// The hands of an account.
    #[must_use]
    pub fn new(floor: SharedFloor, who: Account) -> Self {
        Self { floor, who }
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
        let mut floor = self.floor.hold();
        let receipt = carry_out(&mut floor, self.who, preview)?;
        if let Some(key) = key {
            floor.ground.note_effect(key, &receipt)?;
            floor.commit()?;
        }
        Ok(receipt)
    }

    /// The keys of all that is noted with this beginning.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn noted_keys(&mut self, prefix: &str) -> Result<Vec<String>, VenueError> {
        self.floor.hold().ground.effects(prefix)
    }

    /// The receipt noted under a key.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn noted(&mut self, key: &str) -> Result<Option<Receipt>, VenueError> {
        self.floor.hold().ground.effect(key)
    }
}

fn carry_out(floor: &mut Floor, who: Account, preview: &Preview) -> Result<Receipt, VenueError> {
    let tick = floor.tick().unwrap_or_default();
    floor.market.before(&mut *floor.ground, &preview.actions, tick)?;
    let mut receipt = act::carry_out(&mut *floor.ground, who, preview)?;
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
        let mut floor = self.floor.hold();
        let refused = || wishes.iter().map(|wish| Preview::refused(*wish, Refusal::NoMarket)).collect();
        if let Err(trouble) = floor.ground.fund_to(self.who, holdings.deposits) {
            floor.trouble = Some(trouble);
            return refused();
        }
        let Ok(reference) = floor.reference() else { return refused() };
        act::preview(&mut *floor.ground, self.who, wishes, reference)
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: Permit) -> Receipt {
        self.act_noted(None, now, preview, permit).unwrap_or_else(|trouble| {
            self.floor.hold().trouble = Some(trouble);
            Receipt::kept_back(preview.intent, Refusal::NoMarket)
        })
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        let mut floor = self.floor.hold();
        floor.ground.fund_to(self.who, holdings.deposits).map_err(|e| e.to_string())?;
        let again = carry_out(&mut floor, self.who, preview).map_err(|e| e.to_string())?;
        if again == *receipt { Ok(()) } else { Err(format!("receipt: recorded {receipt:?}, done again {again:?}")) }
    }
}
