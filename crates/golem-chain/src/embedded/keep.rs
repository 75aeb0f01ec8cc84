//! Opening a chain, making what happens on it last, and beginning one.

use super::archive::{Archive, ArchiveBatch, Loaded};
use super::deploy::{Site, endowment, script};
use super::machine::BLOCK_GAS;
use super::names::Names;
use super::state::ChainState;
use super::trail::{Block, Trail};
use super::world::{ChainAccounts, StateField};
use super::{ChainError, ChainMark, EmbeddedChain, EmbeddedConfig, layout};
use crate::contracts::Contracts;
use crate::evm::Tx;
use alloy_primitives::{B256, U256, keccak256};
use golem_wallet::RouterKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const CHAIN_ID: &str = "chain id";
const GENESIS: &str = "genesis";
const SITE: &str = "site";
/// Only there where it is not the first one: chains of before know nothing of another.
const ROUTER: &str = "router";
const MARKET: &str = "market";
const TICKS: &str = "ticks";

impl EmbeddedChain {
    /// The chain in a file; begun there when the file is new.
    ///
    /// # Errors
    /// When another process has it, when it is another chain, or when it cannot be read or written.
    pub fn open(path: &Path, contracts: &Contracts, config: &EmbeddedConfig) -> Result<Self, ChainError> {
        let mut archive = Archive::open(path)?;
        match archive.load()? {
            None => Self::begin(archive, contracts, config),
            Some(loaded) => Self::load(path, archive, loaded, config.write_every)?.begun_like(path, contracts, config),
        }
    }

    /// The chain that a file must hold already: somebody has lived on it.
    ///
    /// # Errors
    /// [`ChainError::Absent`] when there is none; then nothing is made. Otherwise as [`EmbeddedChain::open`].
    pub fn reopen(path: &Path, contracts: &Contracts, config: &EmbeddedConfig) -> Result<Self, ChainError> {
        let mut chain = Self::resume(path)?.begun_like(path, contracts, config)?;
        chain.write_every = config.write_every.max(1);
        Ok(chain)
    }

    fn begun_like(self, path: &Path, contracts: &Contracts, config: &EmbeddedConfig) -> Result<Self, ChainError> {
        let (chain, name) = (self, genesis_name(contracts, config));
        if chain.names != name {
            let why = if chain.chain_id == config.chain_id {
                "it began with another price, liquidity, time or token order".to_owned()
            } else {
                format!("its id is {}", chain.chain_id)
            };
            return Err(ChainError::OtherChain { path: path.to_owned(), why });
        }
        Ok(chain)
    }

    /// The chain that a file holds; its contracts are in it.
    ///
    /// # Errors
    /// When there is none, when another process has it, or when it cannot be read.
    pub fn resume(path: &Path) -> Result<Self, ChainError> {
        let absent = || ChainError::Absent(path.to_owned());
        if !std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
            return Err(absent());
        }
        let mut archive = Archive::open(path)?;
        let loaded = archive.load()?.ok_or_else(absent)?;
        Self::load(path, archive, loaded, 1_000)
    }

    /// Hold every row of a chain's file against its sums, without changing anything: what is wrong, in words.
    ///
    /// # Errors
    /// When there is no chain, or the file cannot be opened at all.
    pub fn check(path: &Path) -> Result<Vec<String>, ChainError> {
        Archive::check(path)
    }

    /// Put another file in the place of a chain's: what was there is moved aside and never deleted. Says where it is now.
    ///
    /// # Errors
    /// When a process has the chain, or the files cannot be moved.
    pub fn replace(path: &Path, with: &Path) -> Result<Option<PathBuf>, ChainError> {
        Archive::replace(path, with)
    }

    /// A chain that is gone when it is dropped, history and all.
    ///
    /// # Errors
    /// When it cannot begin like that.
    pub fn open_in_memory(contracts: &Contracts, config: &EmbeddedConfig) -> Result<Self, ChainError> {
        Self::begin(Archive::in_memory()?, contracts, config)
    }

    fn begin(archive: Archive, contracts: &Contracts, config: &EmbeddedConfig) -> Result<Self, ChainError> {
        let genesis = &config.genesis;
        let base_fee =
            base_fee(genesis.base_fee).ok_or_else(|| ChainError::Genesis("the base fee is too high".to_owned()))?;
        let names = genesis_name(contracts, config);
        let (site, steps) = script(contracts, genesis, config.router);
        let mut state = ChainState::whole(ChainAccounts::default(), names);
        state.grant(site.market, endowment());
        let first = Block { number: 0, timestamp: genesis.timestamp.saturating_sub(1), base_fee, first: 0 };
        let mut chain = Self::with(archive, config.chain_id, config.write_every, site, names, state, first, 0)?;
        for (at, step) in steps.into_iter().enumerate() {
            let fee = u128::from(base_fee);
            let tx = Tx { from: site.market, to: step.to, value: step.value, data: step.data, ..Tx::default() };
            let ran = chain.send(&Tx { gas_limit: BLOCK_GAS / 2, max_fee: fee, ..tx }, None)?;
            if !ran.success {
                let why = alloy_sol_types::decode_revert_reason(&ran.output).or(ran.halted).unwrap_or_default();
                return Err(ChainError::Genesis(format!("transaction {at} of the first block reverted: {why}")));
            }
        }
        chain.next_block(genesis.timestamp, base_fee);
        chain.write(true)?;
        Ok(chain)
    }

    fn load(path: &Path, archive: Archive, loaded: Loaded, write_every: u64) -> Result<Self, ChainError> {
        let damaged = |what: &str| ChainError::Damaged { path: path.to_owned(), what: what.to_owned() };
        let meta = |name: &str| archive.shelf().meta(name)?.ok_or_else(|| damaged("a single fact is missing"));
        let (genesis, id, site, market) = (meta(GENESIS)?, meta(CHAIN_ID)?, meta(SITE)?, archive.shelf().meta(MARKET)?);
        let names = Names(B256::try_from(genesis.as_slice()).map_err(|_| damaged("the genesis"))?);
        let id = u64::from_be_bytes(id.try_into().map_err(|_| damaged("the chain id"))?);
        let mut site: Site = postcard::from_bytes(&site).map_err(|_| damaged("the contracts' addresses"))?;
        if let Some(kind) = archive.shelf().meta(ROUTER)? {
            site.places.router_kind = postcard::from_bytes(&kind).map_err(|_| damaged("the router's kind"))?;
        }
        let Loaded { world, open, seq } = loaded;
        let state = ChainState::whole(world, names);
        let mut chain = Self::with(archive, id, write_every, site, names, state, open, seq)?;
        chain.market_state = market;
        Ok(chain)
    }

    #[allow(clippy::too_many_arguments)]
    fn with(
        archive: Archive,
        chain_id: u64,
        write_every: u64,
        site: Site,
        names: Names,
        state: ChainState,
        open: Block,
        seq: u64,
    ) -> Result<Self, ChainError> {
        let ticks: Vec<i32> = match archive.shelf().meta(TICKS)? {
            Some(bytes) => postcard::from_bytes(&bytes).map_err(|e| ChainError::Bug(e.to_string()))?,
            None => Vec::new(),
        };
        Ok(Self {
            chain_id,
            site: Arc::new(site),
            names,
            write_every: write_every.max(1),
            state,
            open,
            seq,
            trail: Arc::new(Trail::at(seq)),
            elders: Vec::new(),
            shelf: archive.shelf().clone(),
            shelved: seq,
            ticks: Arc::new(ticks.into_iter().map(|t| (t, layout::tick_slot(t))).collect::<BTreeMap<_, _>>()),
            new_ticks: false,
            archive: Some(archive),
            effects: Vec::new(),
            market_state: None,
        })
    }

    /// Write everything that has happened, durably, in one piece. A fork writes nothing.
    ///
    /// # Errors
    /// When the file cannot be written; nothing of it is then, and it can be tried again.
    pub fn commit(&mut self) -> Result<(), ChainError> {
        let nothing_new = self.trail.sent.is_empty() && self.trail.blocks.is_empty() && self.effects.is_empty();
        if nothing_new && self.market_state.is_none() {
            return Ok(());
        }
        self.write(false)
    }

    fn write(&mut self, first: bool) -> Result<(), ChainError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let made = self.trail.changes.iter().filter(|c| c.key.field == StateField::Code && !c.after.is_zero());
        let hashes = made.map(|c| B256::from(c.after));
        let codes = hashes.filter_map(|h| Some((h, self.state.top().code(h)?.original_bytes()))).collect();
        let (id, site, router, ticks);
        let mut meta: Vec<(&str, &[u8])> = Vec::new();
        if first {
            id = self.chain_id.to_be_bytes();
            site = postcard::to_stdvec(&*self.site).map_err(|e| ChainError::Bug(e.to_string()))?;
            meta.extend([(CHAIN_ID, &id[..]), (GENESIS, self.names.0.as_slice()), (SITE, &site)]);
            if self.site.places.router_kind != RouterKind::default() {
                let kind = postcard::to_stdvec(&self.site.places.router_kind);
                router = kind.map_err(|e| ChainError::Bug(e.to_string()))?;
                meta.push((ROUTER, &router));
            }
        }
        if self.new_ticks {
            let all: Vec<i32> = self.ticks.keys().copied().collect();
            ticks = postcard::to_stdvec(&all).map_err(|e| ChainError::Bug(e.to_string()))?;
            meta.push((TICKS, &ticks));
        }
        meta.extend(self.market_state.as_deref().map(|state| (MARKET, state)));
        let batch =
            ArchiveBatch { trail: &self.trail, open: &self.open, seq: self.seq, codes, effects: &self.effects, meta };
        archive.write(&batch)?;
        self.shelved = self.seq;
        self.trail = Arc::new(Trail::at(self.seq));
        self.effects.clear();
        self.new_ticks = false;
        Ok(())
    }

    /// Where the file stands, for whoever rests on it: kept elsewhere, and shown to [`EmbeddedChain::goes_on_from`] later.
    /// A fork has no file.
    #[must_use]
    pub fn mark(&self) -> Option<ChainMark> {
        let (writes, head) = self.archive.as_ref()?.head();
        Some(ChainMark { writes, head })
    }

    /// Whether a file still goes on from a mark: it was written at least as often, and what was written until then is the
    /// same.
    ///
    /// # Errors
    /// [`ChainError::Older`] in what it differs; or when there is no chain, or it cannot be read.
    pub fn goes_on_from(path: &Path, mark: &ChainMark) -> Result<(), ChainError> {
        Archive::goes_on_from(path, mark.writes, &mark.head)
    }

    /// Close the open block and open the next.
    pub(super) fn next_block(&mut self, timestamp: u64, base_fee: u64) {
        Arc::make_mut(&mut self.trail).blocks.push(self.open);
        self.open = Block { number: self.open.number.saturating_add(1), timestamp, base_fee, first: self.seq };
    }

    /// What an effect came to, if it happened.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn effect(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ChainError> {
        if let Some((_, receipt)) = self.effects.iter().rev().find(|(k, _)| k == key) {
            return Ok(Some(receipt.clone()));
        }
        if self.archive.is_some() { self.shelf.effect(key) } else { Ok(None) }
    }

    /// The keys of the effects that begin with this.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn effect_keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, ChainError> {
        let mut keys = if self.archive.is_some() { self.shelf.effect_keys(prefix)? } else { Vec::new() };
        keys.extend(self.effects.iter().map(|(key, _)| key.clone()).filter(|key| key.starts_with(prefix)));
        Ok(keys)
    }

    /// Keep what an effect came to, together with everything it did, durably: after a crash either both are there or
    /// neither. To be called before anything else is done on the chain.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record_effect(&mut self, key: &[u8], receipt: &[u8]) -> Result<(), ChainError> {
        self.effects.push((key.to_vec(), receipt.to_vec()));
        self.commit()
    }

    /// Keep the market's own state; it is written with what happens next.
    pub fn set_market_state(&mut self, state: Vec<u8>) {
        self.market_state = Some(state);
    }
    /// The market's own state, as it was last set.
    #[must_use]
    pub fn market_state(&self) -> Option<&[u8]> {
        self.market_state.as_deref()
    }
}

/// A base fee that the EVM can count with.
pub(super) fn base_fee(wei: u128) -> Option<u64> {
    u64::try_from(wei).ok()
}

/// The name of a beginning: everything that the first block depends on.
fn genesis_name(contracts: &Contracts, config: &EmbeddedConfig) -> Names {
    let (site, steps) = script(contracts, &config.genesis, config.router);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&config.chain_id.to_be_bytes());
    hasher.update(&config.genesis.timestamp.to_be_bytes());
    hasher.update(&config.genesis.base_fee.to_be_bytes());
    hasher.update(site.market.as_slice());
    for step in steps {
        hasher.update(keccak256(&step.data).as_slice());
        hasher.update(&step.value.to_be_bytes::<32>());
        hasher.update(U256::from_be_slice(step.to.unwrap_or_default().as_slice()).as_le_slice());
    }
    Names(B256::from(*hasher.finalize().as_bytes()))
}
