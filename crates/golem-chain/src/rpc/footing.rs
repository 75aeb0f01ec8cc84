//! A golem's footing on somebody's chain: it sees what the nodes agree on, acts with its wallet, and lives in real time.

use super::acting::Recalled;
use super::booked::Booked;
use super::venue::RpcVenue;
use golem_cage::Permit;
use golem_core::door::{
    Amended, ClaimReply, ClaimRequest, EffectKey, ForkReply, ForkRequest, Hands, KeyedHands, Reconciled, World,
};
use golem_core::intent::{Holdings, Refusal};
use golem_core::venue::Gifts;
use golem_core::{Intent, Preview, ProtocolState, RawObservation, Receipt, Tick, Timestamp, VirtualTime};
use golem_venue::market::PoolGauge;
use golem_venue::{Account, Actor, Venue, VenueError, act, reference};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How the owner is told what must not wait.
pub type Alert = Box<dyn FnMut(&str) + Send>;

/// The chain and what has been seen and booked of it: the world and the hands of one golem share it.
struct ChainFooting {
    venue: RpcVenue,
    gauge: PoolGauge,
    who: Account,
    booked: Booked,
    /// What strangers had put into the account when it was last told.
    gifts: Option<(Gifts, i128)>,
    alert: Alert,
    /// What the owner was told last, so that it is told once.
    told: String,
}

#[derive(Clone)]
struct SharedFooting(Arc<Mutex<ChainFooting>>);

impl SharedFooting {
    fn hold(&self) -> MutexGuard<'_, ChainFooting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a golem sees of somebody's chain.
pub struct RpcWorld {
    footing: SharedFooting,
    born: Timestamp,
}

/// What it acts with there.
pub struct RpcHands(SharedFooting);

/// The world and the hands of an account on a chain, with what was booked there lately.
#[must_use]
pub fn footing(venue: RpcVenue, who: Account, booked: Booked, born: Timestamp, alert: Alert) -> (RpcWorld, RpcHands) {
    let footing =
        ChainFooting { venue, gauge: PoolGauge::default(), who, booked, gifts: None, alert, told: String::new() };
    let footing = SharedFooting(Arc::new(Mutex::new(footing)));
    (RpcWorld { footing: footing.clone(), born }, RpcHands(footing))
}

impl ChainFooting {
    /// Tell the owner, once.
    fn alert(&mut self, words: String) {
        if self.told != words {
            (self.alert)(&words);
            self.told = words;
        }
    }

    /// What strangers have put into the account, where that is something else than when it was last told.
    fn new_gifts(&mut self) -> Option<Gifts> {
        let now = self.venue.gifts().ok()?;
        (self.gifts.replace(now) != Some(now)).then_some(now.0)
    }

    /// Whether the chain has what the golem's own books say. More is a gift, and says nothing about them.
    fn agrees(&mut self, holdings: &Holdings) -> Result<bool, VenueError> {
        let book = self.venue.book(self.who)?;
        let liquidity = book.position.map_or(0, |open| open.liquidity);
        Ok(book.usdc >= holdings.on_chain && book.asset == holdings.asset && liquidity == holdings.liquidity)
    }

    fn settled(&mut self, key: EffectKey, preview: &Preview, receipt: Receipt) -> Reconciled {
        self.booked.remember(key, preview, &receipt, &mut self.venue);
        if let (Some(point), Some(hands)) = (receipt.point, self.venue.hands()) {
            // Only dreams need it: one that cannot be found again is not dreamt of.
            let _undreamt = hands.sender().record().keep_landed(point, key, &preview.actions);
        }
        Reconciled::Settled(Box::new(receipt))
    }
}

impl World for RpcWorld {
    /// What the nodes agree on now. When they do not, there is nothing to see, and the golem holds.
    fn observe(&mut self, _age: VirtualTime) -> Option<RawObservation> {
        let mut footing = self.footing.hold();
        footing.venue.begin_turn();
        let who = footing.who;
        for odd in footing.venue.take_odd() {
            footing.alert(format!("the token {} did something else than it said in {}", odd.token, odd.hash));
        }
        let view = match footing.venue.view() {
            Ok(view) => view,
            Err(why) => {
                // A chain or a contract that is another one is no bad connection: the owner must know.
                if let VenueError::Changed(_) = why {
                    footing.alert(why.to_string());
                }
                return Some(RawObservation::default());
            }
        };
        let mut seen = footing.gauge.observe(&view, Some(ProtocolState::Normal));
        seen.book = footing.venue.book(who).ok();
        seen.gifts = footing.new_gifts();
        seen.reference = reference(&mut footing.venue, 0).ok().flatten();
        Some(seen)
    }
    fn epoch(&self) -> Timestamp {
        self.born
    }
    fn is_live(&self) -> bool {
        true
    }
    fn save(&self) -> Vec<u8> {
        golem_core::plain::json(&self.footing.hold().gauge).into_bytes()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.footing.hold().gauge = serde_json::from_slice(saved).map_err(|e| e.to_string())?;
        Ok(())
    }
}

impl Hands<Permit> for RpcHands {
    fn is_external(&self) -> bool {
        true
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        let mut footing = self.0.hold();
        let who = footing.who;
        let refused = |wish: &Intent| Preview::refused(*wish, Refusal::NoMarket);
        let (Ok(reference), Ok(agrees)) = (golem_venue::reference(&mut footing.venue, 0), footing.agrees(holdings))
        else {
            return wishes.iter().map(refused).collect();
        };
        // While the chain and the books say different things nothing is opened. What there is may still be given up.
        let tried: Vec<Intent> = wishes.iter().filter(|wish| agrees || wish.only_reduces()).copied().collect();
        let home = footing.venue.hands().and_then(|hands| hands.home);
        let mut previews = act::preview(&mut footing.venue, Actor { who, home }, &tried, reference).into_iter();
        footing.venue.keep_previewed();
        let mut answer = |wish: &Intent| {
            let found = if agrees || wish.only_reduces() { previews.next() } else { None };
            found.unwrap_or_else(|| refused(wish))
        };
        wishes.iter().map(&mut answer).collect()
    }
    fn act(&mut self, _now: Tick, preview: &Preview, _permit: Permit) -> Receipt {
        Receipt::kept_back(preview.intent, Refusal::Withheld)
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        Err("what happened on somebody's chain is not done again".into())
    }
    fn try_on_fork(&mut self, request: &ForkRequest, _holdings: &Holdings) -> ForkReply {
        let mut footing = self.0.hold();
        let who = footing.who;
        footing.venue.try_on_fork(who, request)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        self.0.hold().venue.bear_out(request)
    }
}

impl KeyedHands<Permit> for RpcHands {
    fn act_keyed(&mut self, key: EffectKey, now: Tick, preview: &Preview, permit: Permit) -> Reconciled {
        let Ok(spent) = permit.spend(now) else {
            return Reconciled::Settled(Box::new(Receipt::kept_back(preview.intent, Refusal::Denied)));
        };
        let mut footing = self.0.hold();
        match footing.venue.act(key, preview, &spent) {
            Ok(receipt) => footing.settled(key, preview, receipt),
            Err(VenueError::Unknown(_)) => Reconciled::Unknown,
            // Nothing was sent: whatever was is `Unknown`.
            Err(_) => Reconciled::Settled(Box::new(Receipt::kept_back(preview.intent, Refusal::NoMarket))),
        }
    }
    fn reconcile(&mut self, key: EffectKey, preview: &Preview) -> Reconciled {
        let mut footing = self.0.hold();
        // The turn's time may be over; to ask what became of it is worth another.
        footing.venue.begin_turn();
        match footing.venue.recall(key, preview) {
            Ok(Recalled::Settled(receipt)) => footing.settled(key, preview, receipt),
            Ok(Recalled::NeverSent) => Reconciled::NeverSent,
            Ok(Recalled::Unknown) | Err(_) => Reconciled::Unknown,
        }
    }
    fn amended(&mut self) -> Vec<Amended> {
        let ChainFooting { venue, booked, .. } = &mut *self.0.hold();
        booked.amended(venue)
    }
}
