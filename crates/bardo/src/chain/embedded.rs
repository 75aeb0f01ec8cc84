//! Golems on an embedded chain: one file, one floor, shared by every golem of this process that names it. The golem's file
//! and the chain's know each other: what does not belong together is refused before anybody acts.

use super::{NOBODY, Newcomer, Stand, account, plan, trouble};
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::out::Out;
use crate::world;
use golem_cage::Permit;
use golem_chain::contracts::{self as packages, Contracts, ContractsError};
use golem_chain::embedded::{ChainError, EmbeddedChain, EmbeddedConfig};
use golem_core::door::{
    ClaimReply, ClaimRequest, EffectKey, ForkReply, ForkRequest, Hands, KeyedHands, Reconciled, World,
};
use golem_core::intent::Holdings;
use golem_core::{Hash, Intent, Preview, Receipt, Tick};
use golem_home::chains::{fits, remedy};
use golem_runtime::{Anchor, Origin, Store};
use golem_venue::Account;
use golem_venue::floor::{Floor, FloorHands, FloorWorld, SharedFloor, WorldOutside};
use golem_venue::market::Outside;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The chains that are open in this process, by name.
#[derive(Clone, Default)]
pub struct OpenChains(Arc<Mutex<BTreeMap<String, SharedFloor>>>);

impl OpenChains {
    /// Write down everything that has happened on them.
    pub fn close(&self) -> Result<(), Fail> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for floor in open.values() {
            let mut floor = floor.hold();
            // What went wrong on the way comes first: what is in memory since then has not happened.
            match floor.trouble().cloned() {
                Some(was) => return Err(trouble(&was)),
                None => floor.commit().map_err(|e| trouble(&e))?,
            }
        }
        Ok(())
    }

    /// The step at which a newborn joins a chain that is open in this process; none where it is not.
    pub fn joins(&self, name: &str) -> Option<Result<u64, Fail>> {
        let floor = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name)?.clone();
        let mut floor = floor.hold();
        let committed = floor.commit().map_err(|e| trouble(&e));
        Some(committed.map(|()| floor.tick().map_or(0, |tick| tick.saturating_add(1))))
    }
}

pub(super) fn stand(newcomer: &Newcomer<'_>) -> Result<Stand, Fail> {
    let Newcomer { file, origin, .. } = newcomer;
    let floor = match origin {
        None => SharedFloor::new(floor(newcomer.file, newcomer.home, newcomer.out, ChainStore::Memory)?),
        Some(_) => shared(newcomer)?,
    };
    let who = origin.map_or(NOBODY, account);
    let prefix = origin.map_or_else(String::new, |o| format!("{}/", o.birth.id));
    let mut hands = super::hands(&floor, who, *origin);
    if let (Some(origin), Some(store)) = (origin, newcomer.store) {
        knows_the_golem(&mut hands, &prefix, newcomer, origin, store)?;
    }
    put_onto(file, floor, who, Noted { hands, prefix })
}

fn put_onto(file: &GolemFile, floor: SharedFloor, who: Account, hands: Noted) -> Result<Stand, Fail> {
    let outside = world::build(&file.world)?;
    let (interval, ends) = (outside.natural_interval_s(), outside.ends_at());
    let world = Box::new(FloorWorld::new(floor.clone(), who, file.chain.joined_at).like(interval, ends));
    Ok(Stand { world, hands: Box::new(hands), floor: Some(floor), who })
}

/// A chain does not go back with a golem's file: what its golem did there after the file's last turn is done, and a file
/// that does not know of it would count the same money twice.
fn knows_the_golem(
    hands: &mut FloorHands,
    prefix: &str,
    newcomer: &Newcomer<'_>,
    origin: &Origin,
    store: &Store,
) -> Result<(), Fail> {
    let keys = hands.noted_keys(prefix).map_err(|e| trouble(&e))?;
    let turn = |key: &str| key[prefix.len()..].parse::<EffectKey>().ok().map(|key| key.tick.0);
    let Some((last, key)) = keys.iter().filter_map(|key| Some((turn(key)?, key))).max() else { return Ok(()) };
    let Anchor { lived, open, .. } = store.anchor()?;
    let (name, chain) = (&origin.birth.name, &newcomer.file.chain.name);
    // The turn after the last may be open: its effects are reconciled.
    if Tick(last) > lived && open != Some(Tick(last)) {
        let what =
            format!("the chain {chain} knows that {name} acted in turn {last}, and its file ends at turn {lived}");
        return Err(Fail::hint(what, remedy(name.as_str())));
    }
    let noted = hands.noted(key).map_err(|e| trouble(&e))?.map(|effect| effect.head);
    let head = store.head_after(Tick(last.saturating_sub(1)))?;
    if noted != head {
        let what =
            format!("the chain {chain} knows {name} by another history: what it did in turn {last} is not in its file");
        return Err(Fail::hint(what, remedy(name.as_str())));
    }
    Ok(())
}

fn shared(newcomer: &Newcomer<'_>) -> Result<SharedFloor, Fail> {
    let name = &newcomer.file.chain.name;
    let mut open = newcomer.chains.0.lock().unwrap_or_else(PoisonError::into_inner);
    let path = path(newcomer.home, name)?;
    let anchor = newcomer.store.map(Store::anchor).transpose()?;
    let lived_there = anchor.as_ref().is_some_and(|f| f.lived > Tick(0) || f.mark.is_some());
    if let (Some(anchor), Some(origin)) = (&anchor, newcomer.origin) {
        fits(newcomer.file, newcomer.home, origin.birth.name.as_str(), anchor)?;
    }
    if let Some(floor) = open.get(name) {
        return Ok(floor.clone());
    }
    let ground = match lived_there || newcomer.file.chain.joined_at > 0 {
        true => ChainStore::Known(path),
        false => ChainStore::New(path),
    };
    let floor = SharedFloor::new(floor(newcomer.file, newcomer.home, newcomer.out, ground)?);
    let stands = floor.hold().tick().map_or(0, |tick| tick.saturating_add(1));
    if stands < newcomer.file.chain.joined_at {
        return Err(Fail::hint(
            format!(
                "the chain {name} ends at step {stands}, and the golem joined it at {}",
                newcomer.file.chain.joined_at
            ),
            "put the file back that belongs to it",
        ));
    }
    open.insert(name.clone(), floor.clone());
    Ok(floor)
}

/// Where a chain is kept, and whether it must be there already.
enum ChainStore {
    Memory,
    New(PathBuf),
    Known(PathBuf),
}

/// The floor over a chain in a file, or in memory.
fn floor(file: &GolemFile, home: &Home, out: &Out, ground: ChainStore) -> Result<Floor, Fail> {
    let outside = world::build(&file.world)?;
    let plan = plan(file, &outside)?;
    let mut outside = WorldOutside(outside);
    let begin = outside.save();
    let first = outside.at(0).ok_or_else(|| Fail::world("the outside world has no beginning"))?;
    outside.restore(&begin).map_err(Fail::Bug)?;
    let genesis = plan.genesis(file.chain.usdc_is_token0, &first);
    let contracts = contracts(home, out)?;
    // The floor says when to write, so that a block is never on disk without the market's own state.
    let config = EmbeddedConfig { write_every: u64::MAX, ..EmbeddedConfig::new(genesis.clone()) };
    let chain = match &ground {
        ChainStore::Memory => EmbeddedChain::open_in_memory(&contracts, &config),
        ChainStore::New(path) => EmbeddedChain::open(path, &contracts, &config),
        ChainStore::Known(path) => EmbeddedChain::reopen(path, &contracts, &config),
    };
    let chain = chain.map_err(|e| refused(e, &file.chain.name))?;
    if let Ok(Some(address)) = file.chain.home_address() {
        let p = chain.site().places;
        let at = [p.usdc, p.weth, p.pool, p.factory, p.router, p.positions];
        if at.iter().any(|contract| contract.0.0 == address.bytes()) {
            return Err(Fail::hint(
                format!("chain.home: {address} is a contract of the chain {}", file.chain.name),
                "what is sent there is lost: give it an address of yours",
            ));
        }
    }
    let kept = chain.market_state().map(<[u8]>::to_vec);
    let mut floor = Floor::new(plan, &genesis, Box::new(chain), Box::new(outside)).map_err(|e| trouble(&e))?;
    if let Some(kept) = kept {
        floor.restore(&kept).map_err(|why| {
            Fail::hint(
                format!("the chain {} goes on in another world: {why}", file.chain.name),
                "give this golem the same world, seed and market, or another chain: --set chain.name=NAME",
            )
        })?;
    }
    Ok(floor)
}

fn refused(e: ChainError, name: &str) -> Fail {
    match e {
        ChainError::OtherChain { .. } => Fail::hint(
            format!("{e}"),
            "give this golem the same world and seed, or a chain of its own: --set chain.name=NAME",
        ),
        ChainError::Locked { .. } => {
            Fail::hint(format!("the chain {name}: {e}"), "golems that share a chain are run by one command")
        }
        other => Fail::hint(
            format!("the chain {name}: {other}"),
            "put the file back that belongs to it, or let it be made anew from a golem's own record: \
             bardo golem restore NAME --chain",
        ),
    }
}

/// Whether another process holds a chain right now.
pub fn is_held(home: &Home, name: &str) -> bool {
    let Ok(path) = path(home, name) else { return false };
    let lock = std::fs::File::open(path.with_file_name("chain.db.lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)))
}

/// Where a chain of this home is kept.
pub fn path(home: &Home, name: &str) -> Result<PathBuf, Fail> {
    let name: golem_core::Name =
        name.parse().map_err(|e| Fail::owner(format!("chain.name: {name:?} is no name: {e}")))?;
    let dir = home.path().join("chains").join(name.as_str());
    golem_runtime::make_dir(&dir)?;
    Ok(dir.join("chain.db"))
}

/// The Uniswap contracts: from the cache, or fetched once, saying so.
pub fn contracts(home: &Home, out: &Out) -> Result<Contracts, Fail> {
    packages::fetch_or_load(&home.path().join("contracts"), |words| out.say(words)).map_err(|e| missing(&e))
}

/// Where the contracts cannot be had at all, paper stands in for them: the same pool to the last unit, and said aloud.
pub fn fall_back(file: &mut GolemFile, home: &Home, out: &Out) -> Result<(), Fail> {
    if file.chain.kind != ChainWord::Embedded {
        return Ok(());
    }
    match packages::fetch_or_load(&home.path().join("contracts"), |words| out.say(words)) {
        Ok(_) => Ok(()),
        Err(e @ (ContractsError::NpmMissing | ContractsError::Offline(_))) => {
            file.chain.kind = ChainWord::Paper;
            out.alert(&format!("the chain is paper instead of embedded: {e}"));
            Ok(())
        }
        Err(e) => Err(missing(&e)),
    }
}

/// Contracts that cannot be had, as a failure.
pub fn missing(e: &ContractsError) -> Fail {
    match e.to_string().split_once("; hint: ") {
        Some((what, hint)) => Fail::world(format!("{what} ({hint})")),
        None => Fail::world(e.to_string()),
    }
}

/// The step at which a newborn joins the chain that its settings name: the one after the last, or the first.
pub fn joined(file: &GolemFile, home: &Home, out: &Out) -> Result<u64, Fail> {
    if file.chain.kind != ChainWord::Embedded || !path(home, &file.chain.name)?.exists() {
        return Ok(0);
    }
    let mut floor = floor(file, home, out, ChainStore::New(path(home, &file.chain.name)?))?;
    floor.commit().map_err(|e| trouble(&e))?;
    Ok(floor.tick().map_or(0, |t| t + 1))
}

/// Hands whose acts are written down by the chain, under the golem's own keys.
struct Noted {
    hands: FloorHands,
    prefix: String,
}

impl Hands<Permit> for Noted {
    fn is_external(&self) -> bool {
        self.hands.is_external()
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        self.hands.preview(wishes, holdings)
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: Permit) -> Receipt {
        self.hands.act(now, preview, permit)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        self.hands.redo(preview, receipt, holdings)
    }
    fn try_on_fork(&mut self, request: &ForkRequest, holdings: &Holdings) -> ForkReply {
        self.hands.try_on_fork(request, holdings)
    }
    fn bear_out(&mut self, request: &ClaimRequest) -> ClaimReply {
        self.hands.bear_out(request)
    }
}

impl KeyedHands<Permit> for Noted {
    fn act_keyed(&mut self, key: EffectKey, now: Tick, preview: &Preview, permit: Permit) -> Reconciled {
        match self.hands.act_noted(Some(&format!("{}{key}", self.prefix)), now, preview, permit) {
            Ok(receipt) => Reconciled::Settled(Box::new(receipt)),
            // What could not be written down may be half there in memory: nothing goes on before the chain is read again.
            Err(_) => Reconciled::Unknown,
        }
    }
    fn reconcile(&mut self, key: EffectKey, preview: &Preview) -> Reconciled {
        match self.hands.noted(&format!("{}{key}", self.prefix)) {
            Ok(Some(effect)) if effect.receipt.intent == preview.intent => {
                Reconciled::Settled(Box::new(effect.receipt))
            }
            // Another effect under this key: the file and the chain do not belong together, and nobody may act.
            Ok(Some(_)) => Reconciled::Unknown,
            Ok(None) => Reconciled::NeverSent,
            Err(_) => Reconciled::Unknown,
        }
    }
    fn opening(&mut self, head: &Hash, holdings: &Holdings) {
        self.hands.opening(head, holdings);
    }
    fn anchor(&mut self) -> Option<String> {
        self.hands.mark()
    }
    fn written(&mut self) {
        self.hands.written();
    }
    fn redo_keyed(&mut self, key: EffectKey, preview: &Preview, receipt: &Receipt, _: &Holdings) -> Result<(), String> {
        self.hands.redo_noted(&format!("{}{key}", self.prefix), preview, receipt)
    }
}

/// Stand on a chain that is made anew in a file of its own.
pub fn stand_anew(file: &GolemFile, home: &Home, origin: &Origin, at: &Path, out: &Out) -> Result<Stand, Fail> {
    let floor = SharedFloor::new(floor(file, home, out, ChainStore::New(at.to_owned()))?);
    let (who, prefix) = (account(origin), format!("{}/", origin.birth.id));
    let hands = super::hands(&floor, who, Some(origin));
    put_onto(file, floor, who, Noted { hands, prefix })
}
