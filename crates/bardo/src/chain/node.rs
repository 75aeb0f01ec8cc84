//! A golem on somebody's chain: its settings, its wallet and its journal make its footing there; the rules are the
//! chain's own room.

use super::{AnyHands, Newcomer, Stand, trouble};
use crate::birth::settings_of;
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile, refuse};
use crate::home::Home;
use golem_chain::rpc::{AccountHands, Booked, ChainRecord, JournalEffects, RpcConfig, RpcVenue, Sender, footing};
use golem_core::door::EffectKey;
use golem_core::venue::VenueId;
use golem_core::{Homeward, Tick};
use golem_life::LifeStanding;
use golem_runtime::Reader;
use golem_venue::{Account, Venue, VenueError, pool};
use golem_wallet::{Signer, VenueAddresses};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The record of what a golem sent, beside its own file.
const SENT: &str = "sent.db";

/// Whether a golem with these settings would have its wallet, and have it for itself: two that spend the same money would
/// each take the other's trades for theirs.
pub fn wallet_is_free(file: &GolemFile, home: &Home) -> Result<(), Fail> {
    if file.chain.kind != ChainWord::Rpc {
        return Ok(());
    }
    let own = crate::wallets::address_of(&file.chain.wallet, &crate::wallets::at(home))?;
    if own.eq_ignore_ascii_case(&file.chain.home) {
        return Err(Fail::hint(
            format!("chain.home: {own} is the address of the wallet {} itself", file.chain.wallet),
            "give it an address of yours that no golem signs for",
        ));
    }
    for other in home.golems()? {
        // One that cannot be read cannot be run either.
        let Ok(reader) = Reader::open(&other.dir) else { continue };
        let dead = matches!(reader.status(), Ok(Some(status)) if status.standing == LifeStanding::Dead);
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

/// The nodes that are spoken to: those it was born with or those that stand in for them, and what the environment holds.
pub fn find_nodes(rpc: &mut RpcConfig, instead: Option<&RpcConfig>) -> Result<(), Fail> {
    if let Some(RpcConfig { urls, url_env, allow_remote_http, .. }) = instead {
        (rpc.urls, rpc.url_env) = (urls.clone(), url_env.clone());
        rpc.allow_remote_http = *allow_remote_http;
    }
    let found = rpc.with_environment(|name| std::env::var(name).ok());
    *rpc = found.map_err(|p| refuse(&p.into_iter().map(|p| p.under("chain.rpc")).collect::<Vec<_>>()))?;
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
    if let Some(warning) = venue.warning() {
        out.alert(&format!("{}: {warning}", origin.birth.name));
    }
    let (places, view) = (venue.places(), venue.view().map_err(|e| trouble(&e))?);
    let at = VenueAddresses {
        chain_id: venue.chain_id(),
        venue: VenueId::UniswapV3,
        code: view.code,
        usdc: places.usdc,
        weth: places.weth,
        pool: places.pool,
        fee: pool::FEE,
        router: places.router,
        router_kind: places.router_kind,
        positions: places.positions,
    };
    let who = Account(key.address().into());
    let dir = home.golem_dir(origin.birth.id);
    let mut sender = Sender::open(venue.node(), &dir.join(SENT), key.address()).map_err(|e| trouble(&e))?;
    let has_sent = sender.has_sent().map_err(|e| trouble(&e))?;
    let effects = effects(&Reader::open(&dir)?)?;
    effects.hold(sender.record()).map_err(|e| trouble(&e))?;
    // A record that was begun before records knew.
    if has_sent && sender.record().owns_nothing_yet().map_err(|e| trouble(&e))? {
        effects.own(sender.record()).map_err(|e| trouble(&e))?;
    }
    let signer = Signer::new(key, at);
    let signer = match Homeward::fixed(&origin.birth) {
        Some(way) => signer.homeward(way),
        None => {
            out.alert(&format!("{}: it was born without a home: no money can leave it", origin.birth.name));
            signer
        }
    };
    let booked = booked(&dir, &sender.watched_keys().map_err(|e| trouble(&e))?)?;
    venue.take_hands(AccountHands::new(sender, signer)).map_err(|e| trouble(&e))?;
    let book = venue.book(who).map_err(|e| trouble(&e))?;
    if book.usdc < origin.birth.funding && !has_sent {
        return Err(Fail::hint(
            format!("{who} holds {} USDC, and the golem was given {}", book.usdc, origin.birth.funding),
            "fund the wallet on its chain first, and give it some of the chain's coin for gas",
        ));
    }
    let out = *out;
    let alert = Box::new(move |words: &str| out.alert(words));
    let (world, hands) = footing(venue, who, booked, origin.birth.born_at, alert);
    let hands: AnyHands = Box::new(hands);
    Ok(Stand { world: Box::new(world), hands, floor: None, who })
}

/// What was booked under some keys, by the journal.
fn booked(dir: &Path, keys: &BTreeSet<EffectKey>) -> Result<Booked, Fail> {
    let mut booked = Booked::default();
    let Some(first) = keys.first().map(|key| key.tick) else { return Ok(booked) };
    Reader::open(dir)?.turns_from(first, |tick, record| {
        booked.replay(keys, tick, &record.input.amended, (&record.previews, &record.receipts));
    })?;
    Ok(booked)
}

/// What its journal says of its effects.
fn effects(reader: &Reader) -> Result<JournalEffects, Fail> {
    let mut effects = JournalEffects::default();
    reader.turns_from(Tick(1), |tick, record| effects.replay(tick, &record.input.amended, &record.receipts))?;
    Ok(effects)
}

/// What is wrong with the record of what a golem sent, by itself and beside its journal.
pub fn record_problem(dir: &Path, reader: &Reader) -> Option<String> {
    let look = || -> Result<(), Fail> {
        let effects = effects(reader)?;
        let held = match ChainRecord::check(&dir.join(SENT)).map_err(|e| trouble(&e))? {
            Some(record) => effects.hold(&record),
            None if effects.is_empty() => Ok(()),
            None => Err(VenueError::Changed(format!("{SENT}, the record of what was sent, is missing"))),
        };
        held.map_err(|e| trouble(&e))
    };
    look().err().map(|e| e.to_string())
}
