//! A golem on somebody's chain: it sees what the nodes agree on, acts with its wallet, and lives in real time.

use super::{AnyHands, Newcomer, Stand, trouble};
use crate::fail::Fail;
use crate::run_loop;
use golem_cage::Permit;
use golem_chain::rpc::{Event, Hands as Sending, Recalled, RpcVenue, Sender};
use golem_core::intent::{Holdings, Refusal};
use golem_core::venue::VenueId;
use golem_core::{Intent, Preview, ProtocolState, RawObservation, Receipt, Timestamp, VirtualTime};
use golem_life::Amended;
use golem_life::door::{Hands, World};
use golem_runtime::{KeyedHands, Reconciled};
use golem_venue::market::Gauge;
use golem_venue::{Account, Venue, VenueError, act, pool};
use golem_wallet::{Addresses, Signer};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Settled effects that are remembered, in case the chain changes its mind.
const REMEMBERED: usize = 64;

/// The chain and what has been seen of it.
struct Node {
    venue: RpcVenue,
    gauge: Gauge,
    who: Account,
    /// What was booked lately, by key.
    booked: BTreeMap<String, (Preview, Receipt)>,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Node>>);

impl Shared {
    fn hold(&self) -> MutexGuard<'_, Node> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn stand(newcomer: Newcomer<'_>) -> Result<Stand, Fail> {
    let Newcomer { file, home, origin, key, .. } = newcomer;
    let origin =
        origin.ok_or_else(|| Fail::owner("a node's chain cannot be tried out on the side; use paper or embedded"))?;
    let key = key.ok_or_else(|| {
        Fail::hint(
            "this golem signs with a wallet",
            "give its passphrase: --passphrase-file FILE, or --passphrase-fd N",
        )
    })?;
    let clock = run_loop::clock();
    let chance = Box::new(|| {
        let mut bytes = [0; 8];
        // Only the pauses between attempts depend on it; without randomness they are all of the same length.
        let _none = getrandom::fill(&mut bytes);
        (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
    });
    let now = Box::new(move || u64::try_from(clock.now().0).unwrap_or(0));
    let mut venue = RpcVenue::open(&file.chain.rpc, chance, now).map_err(|e| trouble(&e))?;
    let (places, view) = (venue.places(), venue.view().map_err(|e| trouble(&e))?);
    let at = Addresses {
        chain_id: venue.chain_id(),
        venue: VenueId::UniswapV3,
        code: view.code,
        usdc: places.usdc,
        weth: places.weth,
        pool: places.pool,
        fee: pool::FEE,
        router: places.router,
        positions: places.positions,
    };
    let who = Account(key.address().into());
    let record = home.golem_dir(origin.birth.id).join("sent.db");
    let sender = Sender::open(venue.node(), &record, key.address()).map_err(|e| trouble(&e))?;
    venue.take_hands(Sending::new(sender, Signer::new(key, at))).map_err(|e| trouble(&e))?;
    let book = venue.book(who).map_err(|e| trouble(&e))?;
    if book.usdc < origin.birth.funding && !record.exists() {
        return Err(Fail::hint(
            format!("{who} holds {} USDC, and the golem was given {}", book.usdc, origin.birth.funding),
            "fund the wallet on its chain first, and give it some of the chain's coin for gas",
        ));
    }
    let node = Shared(Arc::new(Mutex::new(Node { venue, gauge: Gauge::default(), who, booked: BTreeMap::new() })));
    let world = Box::new(NodeWorld { node: node.clone(), born: origin.birth.born_at });
    let hands: AnyHands = Box::new(NodeHands(node));
    Ok(Stand { world, hands, floor: None, who })
}

struct NodeWorld {
    node: Shared,
    born: Timestamp,
}

impl World for NodeWorld {
    /// What the nodes agree on now. When they do not, there is nothing to see, and the golem holds.
    fn observe(&mut self, _age: VirtualTime) -> Option<RawObservation> {
        let mut node = self.node.hold();
        node.venue.begin_turn();
        let who = node.who;
        let Ok(view) = node.venue.view() else { return Some(RawObservation::default()) };
        let mut seen = node.gauge.observe(&view, Some(ProtocolState::Normal));
        seen.book = node.venue.book(who).ok().filter(|b| b.asset.0 > 0 || b.position.is_some());
        Some(seen)
    }
    fn epoch(&self) -> Timestamp {
        self.born
    }
    fn is_live(&self) -> bool {
        true
    }
    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(&self.node.hold().gauge).unwrap_or_default()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.node.hold().gauge = serde_json::from_slice(saved).map_err(|e| e.to_string())?;
        Ok(())
    }
}

struct NodeHands(Shared);

impl Hands<Permit> for NodeHands {
    fn is_external(&self) -> bool {
        true
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        let mut node = self.0.hold();
        let who = node.who;
        let refused = || wishes.iter().map(|wish| Preview::refused(*wish, Refusal::NoMarket)).collect();
        let (Ok(view), Ok(book)) = (node.venue.view(), node.venue.book(who)) else { return refused() };
        // Less on the chain than the books say is not traded with.
        if book.usdc < holdings.on_chain || book.asset < holdings.asset {
            return refused();
        }
        let off = node.gauge.off_reference_bps(&view);
        act::preview(&mut node.venue, who, wishes, off)
    }
    fn act(&mut self, preview: &Preview, _permit: Permit) -> Receipt {
        Receipt::kept_back(preview.intent, Refusal::Withheld)
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        Err("what happened on somebody's chain is not done again".into())
    }
}

impl KeyedHands<Permit> for NodeHands {
    fn act_keyed(&mut self, key: &str, preview: &Preview, permit: Permit) -> Reconciled {
        let tick = permit.tick();
        let Ok(spent) = permit.spend(tick) else {
            return Reconciled::Settled(Box::new(Receipt::kept_back(preview.intent, Refusal::Denied)));
        };
        let mut node = self.0.hold();
        match node.venue.act(key, preview, &spent) {
            Ok(receipt) => node.settled(key, preview, receipt),
            Err(VenueError::Unknown(_)) => Reconciled::Unknown,
            // Nothing was sent: whatever was is `Unknown`.
            Err(_) => Reconciled::Settled(Box::new(Receipt::kept_back(preview.intent, Refusal::NoMarket))),
        }
    }
    fn reconcile(&mut self, key: &str, preview: &Preview) -> Reconciled {
        let mut node = self.0.hold();
        match node.venue.recall(key, preview) {
            Ok(Recalled::Settled(receipt)) => node.settled(key, preview, receipt),
            Ok(Recalled::NeverSent) => Reconciled::NeverSent,
            Ok(Recalled::Unknown) | Err(_) => Reconciled::Unknown,
        }
    }
    fn amended(&mut self) -> Vec<Amended> {
        let mut node = self.0.hold();
        let Ok(events) = node.venue.poll() else { return Vec::new() };
        let mut keys: Vec<String> = Vec::new();
        for event in events {
            if let Event::Reorged { key, .. } | Event::Settled { key, .. } = event
                && !keys.contains(&key)
            {
                keys.push(key);
            }
        }
        keys.into_iter().filter_map(|key| node.amend(key)).collect()
    }
}

impl Node {
    fn settled(&mut self, key: &str, preview: &Preview, receipt: Receipt) -> Reconciled {
        if self.booked.len() >= REMEMBERED {
            self.booked.pop_first();
        }
        self.booked.insert(key.to_owned(), (preview.clone(), receipt.clone()));
        Reconciled::Settled(Box::new(receipt))
    }

    /// What is different now about an effect that was booked.
    fn amend(&mut self, key: String) -> Option<Amended> {
        let (preview, was) = self.booked.get(&key)?.clone();
        let now = match self.venue.recall(&key, &preview) {
            Ok(Recalled::Settled(now)) if now.outcome == was.outcome && now.gas == was.gas => return None,
            Ok(Recalled::Settled(now)) => Some(now),
            Ok(Recalled::NeverSent | Recalled::Unknown) => None,
            Err(_) => return None,
        };
        let nothing = Receipt::kept_back(preview.intent, Refusal::Cancelled);
        self.booked.insert(key.clone(), (preview, now.clone().unwrap_or(nothing)));
        Some(Amended { key, was: Some(was), now })
    }
}
