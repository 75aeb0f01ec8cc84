//! The cage's state and what can be done with it: see, ask, settle, halt, resume. All of it is rebuilt from the journal
//! with the rest of the golem, so that a restart resets nothing.

use crate::audit::FactChain;
use crate::bleed::Bleed;
use crate::breaker::{Breaker, BreakerLevel, drawdown_bps};
use crate::config::CageConfig;
use crate::denial::Denial;
use crate::fact::{Amiss, CageFact, Stamp};
use crate::granted::Granted;
use crate::leave::GoingLeave;
use crate::limits::DAY;
use crate::loops::Loops;
use crate::open::{OpenPermit, unknown};
use crate::permit::Permit;
use crate::sight::Sight;
use crate::spend::Spend;
use crate::trail::SpendingTrail;
use crate::trust::Trust;
use golem_core::{Hash, Preview, Receipt, Tick, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Permits that can wait for their settlement at a time; the oldest is taken as spent when there are more.
const MOST_OPEN: usize = 32;
/// Characters that are kept of an owner's reason.
const MOST_REASON: usize = 200;

/// The cage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cage {
    pub(crate) now: VirtualTime,
    pub(crate) trail: SpendingTrail,
    pub(crate) breaker: Breaker,
    pub(crate) bleed: Bleed,
    pub(crate) sight: Sight,
    pub(crate) halted: Option<String>,
    pub(crate) spend: Spend,
    pub(crate) open: Vec<OpenPermit>,
    /// Books of this turn that a wish may stand on: the first that was shown, and those after what was permitted.
    pub(crate) ground: BookPrints,
    pub(crate) trust: Trust,
    pub(crate) loops: Loops,
    /// Permits issued so far.
    pub(crate) permits: u64,
    /// Denials so far, by name.
    pub(crate) denials: BTreeMap<String, u64>,
    pub(crate) audit: FactChain,
}

/// Prints of the books that a wish of this turn may stand on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct BookPrints {
    pub(crate) tick: Tick,
    pub(crate) books: Vec<u64>,
}

/// A wish, and everything the cage judges it by.
#[derive(Debug, Clone, Copy)]
pub struct CageAsk<'a> {
    /// The turn.
    pub tick: Tick,
    /// The golem's age.
    pub now: VirtualTime,
    /// Its net asset value.
    pub nav: Usdc,
    /// What would be done, and what would come of it.
    pub preview: &'a Preview,
}

impl Cage {
    /// A turn has come: windows slide, and the breakers follow the drawdown. A time that lies back is taken as the
    /// latest that was seen.
    pub fn see(&mut self, now: VirtualTime, tick: Tick, nav: Usdc, config: &CageConfig, facts: &mut Vec<CageFact>) {
        self.now = self.now.max(now);
        self.spend.slide(self.now);
        // Whatever is sent carries a deadline: after a day nothing of it can happen any more.
        while let Some(old) = self.open.iter().position(|open| self.now.since(open.at) >= DAY) {
            let open = self.open.remove(old);
            self.spend.book_of_old(open.reserved);
            self.tell_settled(tick, open.id, open.reserved, open.reserved, Some(Amiss::Never), facts);
        }
        self.trail.see(self.now, nav);
        if self.bleed.see(nav, config) {
            let (held, drawdown_bps, mark) = (self.bleed.is_held(), self.bleed.drawdown_bps(nav), self.bleed.mark());
            self.tell(tick, CageFact::Bled { audit: Stamp::default(), held, drawdown_bps, mark, nav }, facts);
        }
        let peak = self.trail.peak();
        if let Some(turned) = self.breaker.follow(self.now, peak, nav, config) {
            if turned.served {
                self.trail.anchor();
            }
            let (from, to, drawdown_bps) = (turned.from, self.breaker.level, drawdown_bps(peak, nav));
            self.tell(tick, CageFact::Breaker { audit: Stamp::default(), from, to, drawdown_bps, peak, nav }, facts);
        }
    }

    /// The owner gave more: no gain, and no end of a drawdown. To be told before the net asset value that holds it.
    pub fn fed(&mut self, amount: Usdc) {
        if let Some(had) = self.trail.latest() {
            self.bleed.fed(had, amount);
        }
        self.trail.fed(amount);
    }
    /// So much was spent on living (rent, thinking): no loss of what it does with its capital. To be told before the net
    /// asset value that lacks it.
    pub fn lived(&mut self, amount: Usdc) {
        if let Some(had) = self.trail.latest() {
            self.bleed.lived(had, amount);
        }
    }

    /// So much went home, by its owner's leave: no loss. To be told before the net asset value that lacks it.
    pub fn sent_home(&mut self, amount: Usdc) {
        if let Some(had) = self.trail.latest() {
            self.bleed.lived(had, amount);
        }
        self.trail.sent_home(amount);
    }

    /// Ask for a permit. Nothing leaves the books by it: for that there is [`Cage::ask_by_leave`].
    ///
    /// # Errors
    /// Whatever speaks against it first. The denial is also told as a fact.
    pub fn ask(&mut self, ask: &CageAsk<'_>, config: &CageConfig, facts: &mut Vec<CageFact>) -> Result<Permit, Denial> {
        self.ask_by_leave(ask, &mut GoingLeave::default(), config, facts)
    }

    /// Ask for a permit where something may leave the books: what is granted uses the leave up.
    ///
    /// # Errors
    /// Whatever speaks against it first. The denial is also told as a fact.
    pub fn ask_by_leave(
        &mut self,
        ask: &CageAsk<'_>,
        leave: &mut GoingLeave,
        config: &CageConfig,
        facts: &mut Vec<CageFact>,
    ) -> Result<Permit, Denial> {
        self.see(ask.now, ask.tick, ask.nav, config, facts);
        match self.judge(ask, leave, config) {
            Ok(granted) => {
                leave.take(&ask.preview.intent);
                Ok(self.issue(ask, granted, config, facts))
            }
            Err(why) => {
                self.deny(ask, &why, facts);
                Err(why)
            }
        }
    }

    /// Write a denial down: the cage's own, or one that others had to pronounce before it was asked.
    pub fn deny(&mut self, ask: &CageAsk<'_>, why: &Denial, facts: &mut Vec<CageFact>) {
        let count = self.denials.entry(why.name().to_owned()).or_default();
        *count = count.saturating_add(1);
        let (intent, venue) = (ask.preview.intent, ask.preview.venue);
        let fact = CageFact::Denied { audit: Stamp::default(), intent, venue, why: why.clone() };
        self.tell(ask.tick, fact, facts);
    }

    fn issue(&mut self, ask: &CageAsk<'_>, granted: Granted, config: &CageConfig, facts: &mut Vec<CageFact>) -> Permit {
        let (tick, preview, risk) = (ask.tick, ask.preview, granted.risk);
        self.permits = self.permits.saturating_add(1);
        let (id, expires, policy) = (self.permits, Tick(tick.0.saturating_add(config.permit_ticks)), config.hash());
        if self.open.len() >= MOST_OPEN {
            let open = self.open.remove(0);
            self.spend.book(self.now, open.reserved);
            self.tell_settled(tick, open.id, open.reserved, open.reserved, Some(Amiss::Never), facts);
        }
        self.open.push(OpenPermit::new(id, self.now, expires, &granted));
        self.ground.books.push(granted.books[1]);
        let fact = CageFact::Permitted {
            audit: Stamp::default(),
            permit: id,
            intent: preview.intent,
            venue: preview.venue,
            code: preview.code,
            actions: preview.actions.clone(),
            at_risk: risk.total,
            max_usdc: risk.max_usdc,
            max_asset: risk.max_asset,
            max_gas: granted.max_gas,
            expires,
            policy,
            looping: granted.looping,
        };
        self.tell(tick, fact, facts);
        Permit {
            id,
            tick,
            expires,
            intent: preview.intent,
            venue: preview.venue,
            code: preview.code,
            actions: preview.actions.clone(),
            max_usdc: risk.max_usdc,
            max_asset: risk.max_asset,
            max_gas: granted.max_gas,
            policy,
        }
    }

    /// A permit came to its end, used or not: what really moved is booked, the rest of what was reserved is released.
    pub fn settle(&mut self, permit: u64, tick: Tick, receipt: &Receipt, facts: &mut Vec<CageFact>) {
        let (reserved, booked, amiss) = match self.open.iter().position(|open| open.id == permit) {
            Some(at) => {
                let open = self.open.remove(at);
                let (booked, amiss) = open.booked(receipt);
                (open.reserved, booked, amiss)
            }
            None => (Usdc::ZERO, unknown(receipt), Some(Amiss::Unknown)),
        };
        self.spend.book(self.now, booked);
        // What really happened is in nobody's preview: the next wish is previewed on the chain as it is then.
        self.ground.books.clear();
        self.tell_settled(tick, permit, reserved, booked, amiss, facts);
    }

    /// The chain changed its mind about a receipt that was settled. What is put at risk now and was not before is booked;
    /// what is no longer there stays booked, so that a reorganisation never makes room.
    pub fn amend(&mut self, was: Option<&Receipt>, now: Option<&Receipt>) {
        let booked = |receipt: Option<&Receipt>| receipt.map_or(Usdc::ZERO, unknown);
        self.spend.book(self.now, booked(now).minus(booked(was)));
    }

    /// True while an action is permitted, not settled, and could still be carried out.
    #[must_use]
    pub fn has_open_permit(&self, tick: Tick) -> bool {
        self.open.iter().any(|open| tick < open.expires)
    }

    /// The owner halts everything but reducing.
    pub fn halt(&mut self, tick: Tick, reason: &str, facts: &mut Vec<CageFact>) {
        let reason: String = reason.chars().take(MOST_REASON).collect();
        self.halted = Some(reason.clone());
        self.tell(tick, CageFact::Halted { audit: Stamp::default(), reason }, facts);
    }

    /// The owner resumes: lifts the owner's halt, the third drawdown breaker and the hold of a bleed. Drawdowns are measured
    /// anew if one of those two stood.
    pub fn resume(&mut self, tick: Tick, facts: &mut Vec<CageFact>) {
        let halt = self.halted.take().is_some();
        let served = self.breaker.resume(self.now);
        let breaker = served || self.bleed.is_held();
        if breaker {
            self.bleed.resume(self.trail.latest().unwrap_or_default());
            self.trail.anchor();
        }
        self.tell(tick, CageFact::Resumed { audit: Stamp::default(), halt, breaker }, facts);
    }

    /// True while the owner's halt, the third drawdown breaker or the hold of a bleed stands.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.halted.is_some() || self.breaker() == BreakerLevel::Hold
    }

    /// The last link of the audit chain.
    #[must_use]
    pub fn audit_head(&self) -> Hash {
        self.audit.head
    }

    fn tell_settled(
        &mut self,
        tick: Tick,
        permit: u64,
        reserved: Usdc,
        booked: Usdc,
        amiss: Option<Amiss>,
        facts: &mut Vec<CageFact>,
    ) {
        self.tell(tick, CageFact::Settled { audit: Stamp::default(), permit, reserved, booked, amiss }, facts);
    }

    fn tell(&mut self, tick: Tick, fact: CageFact, facts: &mut Vec<CageFact>) {
        facts.push(self.audit.link(tick, fact));
    }
}
