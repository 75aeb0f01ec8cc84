//! A golem on somebody's chain: it sees what the nodes agree on, acts with its wallet, and lives in real time.

use super::{AnyHands, Newcomer, Stand, trouble};
use crate::birth::settings_of;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::out::Out;
use golem_cage::Permit;
use golem_chain::rpc::{Event, Hands as Sending, Recalled, RpcVenue, Sender};
use golem_core::door::{Amended, EffectKey, Hands, KeyedHands, Reconciled, World};
use golem_core::intent::{Holdings, Refusal};
use golem_core::venue::VenueId;
use golem_core::{Intent, Preview, ProtocolState, RawObservation, Receipt, Tick, Timestamp, VirtualTime};
use golem_life::Standing;
use golem_runtime::Reader;
use golem_venue::market::Gauge;
use golem_venue::{Account, Venue, VenueError, act, pool};
use golem_wallet::{Addresses, Signer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Settled effects that are remembered, in case the chain changes its mind, before those that it can no longer change are
/// forgotten.
const REMEMBERED: usize = 64;

/// The chain and what has been seen of it.
struct Node {
    venue: RpcVenue,
    gauge: Gauge,
    who: Account,
    /// What was booked lately, by key.
    booked: Booked,
    /// Keys of which the chain may say something else than what was booked.
    in_doubt: BTreeSet<EffectKey>,
    out: Out,
    /// What the owner was told last, so that it is told once.
    told: String,
}

type Booked = BTreeMap<EffectKey, (Preview, Receipt)>;

#[derive(Clone)]
struct Shared(Arc<Mutex<Node>>);

impl Shared {
    fn hold(&self) -> MutexGuard<'_, Node> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a golem with these settings would have its wallet, and have it for itself: two that spend the same money would
/// each take the other's trades for theirs.
pub fn wallet_is_free(file: &GolemFile, home: &Home) -> Result<(), Fail> {
    if file.chain.kind != ChainWord::Rpc {
        return Ok(());
    }
    crate::wallets::exists(&file.chain.wallet, home)?;
    for other in home.golems()? {
        // One that cannot be read cannot be run either.
        let Ok(reader) = Reader::open(&other.dir) else { continue };
        let dead = matches!(reader.status(), Ok(Some(status)) if status.standing == Standing::Dead);
        let Ok(theirs) = reader.origin().map_err(Fail::from).and_then(|origin| settings_of(&origin)) else { continue };
        let (kind, wallet) = (theirs.chain.kind, &theirs.chain.wallet);
        if !dead && kind == ChainWord::Rpc && *wallet == file.chain.wallet {
            return Err(Fail::hint(
                format!("chain.wallet: {} trades with the wallet {wallet}", other.name),
                "one wallet, one golem; make another: bardo wallet new NAME",
            ));
        }
    }
    Ok(())
}

pub(super) fn stand(newcomer: Newcomer<'_>) -> Result<Stand, Fail> {
    let Newcomer { file, home, origin, key, out, .. } = newcomer;
    let origin =
        origin.ok_or_else(|| Fail::owner("a node's chain cannot be tried out on the side; use paper or embedded"))?;
    let key = key.ok_or_else(|| {
        Fail::hint(
            "this golem signs with a wallet",
            "give its passphrase: --passphrase-file FILE, or --passphrase-fd N",
        )
    })?;
    let chance = Box::new(|| {
        let mut bytes = [0; 8];
        // Only the pauses between attempts depend on it; without randomness they are all of the same length.
        let _none = getrandom::fill(&mut bytes);
        (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
    });
    let since_1970 = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Box::new(move || u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX));
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
    let dir = home.golem_dir(origin.birth.id);
    let sender = Sender::open(venue.node(), &dir.join("sent.db"), key.address()).map_err(|e| trouble(&e))?;
    let has_sent = sender.has_sent().map_err(|e| trouble(&e))?;
    let booked = booked(&dir, &effects(&sender.watched_keys().map_err(|e| trouble(&e))?))?;
    venue.take_hands(Sending::new(sender, Signer::new(key, at))).map_err(|e| trouble(&e))?;
    let book = venue.book(who).map_err(|e| trouble(&e))?;
    if book.usdc < origin.birth.funding && !has_sent {
        return Err(Fail::hint(
            format!("{who} holds {} USDC, and the golem was given {}", book.usdc, origin.birth.funding),
            "fund the wallet on its chain first, and give it some of the chain's coin for gas",
        ));
    }
    let in_doubt = booked.keys().copied().collect();
    let node = Shared(Arc::new(Mutex::new(Node {
        venue,
        gauge: Gauge::default(),
        who,
        booked,
        in_doubt,
        out: *out,
        told: String::new(),
    })));
    let world = Box::new(NodeWorld { node: node.clone(), born: origin.birth.born_at });
    let hands: AnyHands = Box::new(NodeHands(node));
    Ok(Stand { world, hands, floor: None, who })
}

/// The keys of effects among what a sender knows.
fn effects(keys: &BTreeSet<String>) -> BTreeSet<EffectKey> {
    keys.iter().filter_map(|key| key.parse().ok()).collect()
}

/// What was booked under some keys, by the journal: the truth about that, whatever the chain did while nobody looked.
fn booked(dir: &Path, keys: &BTreeSet<EffectKey>) -> Result<Booked, Fail> {
    let mut found = Booked::new();
    let Some(first) = keys.first().map(|key| key.tick) else { return Ok(found) };
    Reader::open(dir)?.turns_from(first, |tick, record| {
        for amended in &record.input.amended {
            if let Some((preview, receipt)) = found.get_mut(&amended.key) {
                *receipt = amended.now.clone().unwrap_or_else(|| nothing(preview));
            }
        }
        for (n, (preview, receipt)) in record.previews.iter().zip(&record.receipts).enumerate() {
            let key = EffectKey::new(tick, n);
            if keys.contains(&key) {
                found.insert(key, (preview.clone(), receipt.clone()));
            }
        }
    })?;
    Ok(found)
}

/// What the chain has been seen to do about an effect.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    /// It has landed, here or elsewhere.
    Settled,
    /// It is no longer there.
    Reorged,
}

/// The receipt of what the chain took back.
fn nothing(preview: &Preview) -> Receipt {
    Receipt::kept_back(preview.intent, Refusal::Cancelled)
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
        for odd in node.venue.take_odd() {
            node.alert(format!("the token {} did something else than it said in {}", odd.token, odd.hash));
        }
        let view = match node.venue.view() {
            Ok(view) => view,
            Err(why) => {
                // A chain or a contract that is another one is no bad connection: the owner must know.
                if let VenueError::Changed(_) = why {
                    node.alert(why.to_string());
                }
                return Some(RawObservation::default());
            }
        };
        let mut seen = node.gauge.observe(&view, Some(ProtocolState::Normal));
        seen.book = node.venue.book(who).ok();
        seen.reference = golem_venue::reference(&mut node.venue, 0).ok().flatten();
        Some(seen)
    }
    fn epoch(&self) -> Timestamp {
        self.born
    }
    fn is_live(&self) -> bool {
        true
    }
    fn save(&self) -> Vec<u8> {
        golem_core::plain::json(&self.node.hold().gauge).into_bytes()
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
        let Ok(book) = node.venue.book(who) else { return refused() };
        // Less on the chain than the books say is not traded with.
        if book.usdc < holdings.on_chain || book.asset < holdings.asset {
            return refused();
        }
        let Ok(reference) = golem_venue::reference(&mut node.venue, 0) else { return refused() };
        let previews = act::preview(&mut node.venue, who, wishes, reference);
        node.venue.keep_previewed();
        previews
    }
    fn act(&mut self, _now: Tick, preview: &Preview, _permit: Permit) -> Receipt {
        Receipt::kept_back(preview.intent, Refusal::Withheld)
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        Err("what happened on somebody's chain is not done again".into())
    }
}

impl KeyedHands<Permit> for NodeHands {
    fn act_keyed(&mut self, key: EffectKey, now: Tick, preview: &Preview, permit: Permit) -> Reconciled {
        let Ok(spent) = permit.spend(now) else {
            return Reconciled::Settled(Box::new(Receipt::kept_back(preview.intent, Refusal::Denied)));
        };
        let mut node = self.0.hold();
        match node.venue.act(&key.to_string(), preview, &spent) {
            Ok(receipt) => node.settled(key, preview, receipt),
            Err(VenueError::Unknown(_)) => Reconciled::Unknown,
            // Nothing was sent: whatever was is `Unknown`.
            Err(_) => Reconciled::Settled(Box::new(Receipt::kept_back(preview.intent, Refusal::NoMarket))),
        }
    }
    fn reconcile(&mut self, key: EffectKey, preview: &Preview) -> Reconciled {
        let mut node = self.0.hold();
        // The turn's time may be over; to ask what became of it is worth another.
        node.venue.begin_turn();
        match node.venue.recall(&key.to_string(), preview) {
            Ok(Recalled::Settled(receipt)) => node.settled(key, preview, receipt),
            Ok(Recalled::NeverSent) => Reconciled::NeverSent,
            Ok(Recalled::Unknown) | Err(_) => Reconciled::Unknown,
        }
    }
    fn amended(&mut self) -> Vec<Amended> {
        let mut node = self.0.hold();
        let Ok(events) = node.venue.poll() else { return Vec::new() };
        let mut told = BTreeMap::new();
        for event in events {
            let (key, what) = match event {
                Event::Reorged { key, .. } => (key, Told::Reorged),
                Event::Settled { key, .. } => (key, Told::Settled),
                _ => continue,
            };
            if let Ok(key) = key.parse::<EffectKey>() {
                told.insert(key, what);
            }
        }
        let keys: BTreeSet<EffectKey> =
            std::mem::take(&mut node.in_doubt).into_iter().chain(told.keys().copied()).collect();
        keys.into_iter().filter_map(|key| node.amend(key, told.get(&key).copied())).collect()
    }
}

impl Node {
    /// Tell the owner, once.
    fn alert(&mut self, words: String) {
        if self.told != words {
            self.out.alert(&words);
            self.told = words;
        }
    }

    fn settled(&mut self, key: EffectKey, preview: &Preview, receipt: Receipt) -> Reconciled {
        if self.booked.len() >= REMEMBERED
            && let Some(Ok(watched)) = self.venue.hands().map(|hands| hands.sender().watched_keys())
        {
            let watched = effects(&watched);
            self.booked.retain(|key, _| watched.contains(key));
        }
        self.booked.insert(key, (preview.clone(), receipt.clone()));
        Reconciled::Settled(Box::new(receipt))
    }

    /// What is different now about an effect that was booked. Gas is valued at the price of the moment, so for one of which
    /// nothing was told its units and its place on the chain say whether it is the same. Something is only taken back when
    /// the chain was seen to have dropped it: a node that does not answer in time has said nothing.
    fn amend(&mut self, key: EffectKey, told: Option<Told>) -> Option<Amended> {
        let moved = told.is_some();
        let (preview, was) = self.booked.get(&key)?.clone();
        let same = |now: &Receipt| {
            let gas = if moved { now.gas == was.gas } else { now.gas.used == was.gas.used && now.point == was.point };
            gas && now.outcome == was.outcome
        };
        let now = match self.venue.recall(&key.to_string(), &preview) {
            Ok(Recalled::Settled(now)) if same(&now) => return None,
            Ok(Recalled::Settled(now)) => Some(now),
            Ok(Recalled::NeverSent | Recalled::Unknown) if was == nothing(&preview) => return None,
            Ok(Recalled::NeverSent | Recalled::Unknown) if told == Some(Told::Reorged) => None,
            Ok(Recalled::NeverSent | Recalled::Unknown) | Err(_) => {
                self.in_doubt.insert(key);
                return None;
            }
        };
        let booked = now.clone().unwrap_or_else(|| nothing(&preview));
        self.booked.insert(key, (preview, booked));
        Some(Amended { key, was: Some(was), now })
    }
}
