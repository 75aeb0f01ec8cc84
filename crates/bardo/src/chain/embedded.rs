//! Golems on an embedded chain: one file, one floor, shared by every golem of this process that names it.

use super::{NOBODY, Newcomer, Stand, account, plan, trouble};
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::out::Out;
use crate::world;
use golem_cage::Permit;
use golem_chain::contracts::{self as packages, Contracts, ContractsError};
use golem_chain::embedded::{ChainError, EmbeddedChain, EmbeddedConfig};
use golem_core::door::{EffectKey, Hands, KeyedHands, Reconciled, World};
use golem_core::intent::Holdings;
use golem_core::{Intent, Preview, Receipt, Tick};
use golem_runtime::Origin;
use golem_venue::floor::{Floor, FloorHands, FloorWorld, SharedFloor, WorldOutside};
use golem_venue::market::Outside;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The chains that are open in this process, by name.
#[derive(Default)]
pub struct Chains(Mutex<BTreeMap<String, SharedFloor>>);

impl Chains {
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
}

pub(super) fn stand(newcomer: &Newcomer<'_>) -> Result<Stand, Fail> {
    let Newcomer { file, origin, .. } = newcomer;
    let outside = world::build(&file.world)?;
    let (interval, ends) = (outside.natural_interval_s(), outside.ends_at());
    drop(outside);
    let floor = match origin {
        None => SharedFloor::new(floor(newcomer.file, newcomer.home, newcomer.out, None)?),
        Some(_) => shared(newcomer)?,
    };
    let who = origin.map_or(NOBODY, account);
    let world = Box::new(FloorWorld::new(floor.clone(), who, file.chain.joined_at).like(interval, ends));
    let prefix = origin.map_or_else(String::new, |o| format!("{}/", o.birth.id));
    let mut hands = FloorHands::new(floor.clone(), who);
    if let Some(origin) = origin {
        went_on_without(&mut hands, &prefix, newcomer, origin)?;
    }
    let hands = Box::new(Noted { hands, prefix });
    Ok(Stand { world, hands, floor: Some(floor), who })
}

/// A chain does not go back with a golem's file: what its golem did there after the file's last turn is done, and a file
/// that does not know of it would count the same money twice.
fn went_on_without(hands: &mut FloorHands, prefix: &str, newcomer: &Newcomer<'_>, origin: &Origin) -> Result<(), Fail> {
    let keys = hands.noted_keys(prefix).map_err(|e| trouble(&e))?;
    let turn = |key: &String| key[prefix.len()..].parse::<EffectKey>().ok().map(|key| key.tick.0);
    let last = keys.iter().filter_map(turn).max().unwrap_or(0);
    // The turn after the last may be open: its effects are reconciled.
    if last <= newcomer.lived.next().0 {
        return Ok(());
    }
    let (name, chain, lived) = (&origin.birth.name, &newcomer.file.chain.name, newcomer.lived);
    Err(Fail::hint(
        format!("the chain {chain} knows that {name} acted in turn {last}, and its file ends at turn {lived}"),
        format!(
            "put the newer file back, or restore chains/{chain} from the same time (no other golem may live on it)"
        ),
    ))
}

fn shared(newcomer: &Newcomer<'_>) -> Result<SharedFloor, Fail> {
    let name = &newcomer.file.chain.name;
    let mut open = newcomer.chains.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(floor) = open.get(name) {
        return Ok(floor.clone());
    }
    let path = path(newcomer.home, name)?;
    let floor = SharedFloor::new(floor(newcomer.file, newcomer.home, newcomer.out, Some(path))?);
    open.insert(name.clone(), floor.clone());
    Ok(floor)
}

/// The floor over a chain in a file, or in memory.
fn floor(file: &GolemFile, home: &Home, out: &Out, path: Option<PathBuf>) -> Result<Floor, Fail> {
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
    let chain = match &path {
        Some(path) => EmbeddedChain::open(path, &contracts, &config),
        None => EmbeddedChain::open_in_memory(&contracts, &config),
    };
    let chain = chain.map_err(|e| refused(e, &file.chain.name))?;
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
        other => Fail::hint(format!("the chain {name}: {other}"), "golems that share a chain are run by one command"),
    }
}

/// Where a chain of this home is kept.
pub fn path(home: &Home, name: &str) -> Result<PathBuf, Fail> {
    let name: golem_core::Name =
        name.parse().map_err(|e| Fail::owner(format!("chain.name: {name:?} is no name: {e}")))?;
    let dir = home.path().join("chains").join(name.as_str());
    std::fs::create_dir_all(&dir).map_err(|e| Fail::world(format!("cannot create {}: {e}", dir.display())))?;
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
    let mut floor = floor(file, home, out, Some(path(home, &file.chain.name)?))?;
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
            Ok(Some(receipt)) if receipt.intent == preview.intent => Reconciled::Settled(Box::new(receipt)),
            // Another effect under this key: the file and the chain do not belong together, and nobody may act.
            Ok(Some(_)) => Reconciled::Unknown,
            Ok(None) => Reconciled::NeverSent,
            Err(_) => Reconciled::Unknown,
        }
    }
}
