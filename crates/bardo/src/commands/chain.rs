//! `bardo chain serve`: an embedded chain over JSON-RPC, for this machine only. Never writes to a chain of this home, since
//! golems live there: it is served as a copy.

use crate::chain;
use crate::cli::Serve;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::run_loop;
use crate::settings_file::nearest;
use crate::wallets::{self, address_of};
use golem_chain::calls::Places;
use golem_chain::contracts;
use golem_chain::embedded::{ChainError, EmbeddedChain, EmbeddedConfig};
use golem_chain::serve::{DEVELOPMENT, ServeError, ServeLimits, start};
use golem_core::hash::parse_hex;
use golem_core::{Name, Usdc};
use golem_venue::market::MarketConfig;
use golem_venue::{Account, Header, Venue};
use serde_json::json;
use std::time::Duration;

/// Dollars for an ether on a chain that nobody lives on.
const PRICE: f64 = 2_500.0;
/// What the development account is given.
const GIFT: Usdc = Usdc(100_000_000_000);

/// What is served, and what of it is gone afterwards.
struct Stage {
    chain: EmbeddedChain,
    /// The file's own chain, held so that nobody else writes to it while a copy is served.
    _original: Option<EmbeddedChain>,
    kind: &'static str,
}

/// Serve until told to stop.
pub fn serve(args: &Serve, home: &Home, out: &Out) -> Result<(), Fail> {
    // Before anything is fetched or opened: an address of another kind is never served.
    if !args.listen.ip().is_loopback() {
        return Err(refused(ServeError::NotLoopback(args.listen)));
    }
    let stop = run_loop::stop_on_signals()?;
    let funded = args.fund.iter().map(|word| account_of(word, home)).collect::<Result<Vec<_>, _>>()?;
    let stage = match &args.chain {
        None => fresh(&funded, home, out)?,
        Some(name) => kept(name, home)?,
    };
    let (kind, id, site) = (stage.kind, stage.chain.chain_id(), *stage.chain.site());
    let running = start(stage.chain, args.listen, ServeLimits::default()).map_err(refused)?;
    let p = site.places;
    let mut told = json!({
        "url": running.url(), "chain_id": id, "kind": kind, "usdc": p.usdc, "weth": p.weth, "pool": p.pool,
        "factory": p.factory, "router": p.router, "position_manager": p.positions,
    });
    let mut words = vec![format!("serving {kind} at {}; Ctrl-C stops it", running.url())];
    if args.chain.is_none() {
        told["development_account"] = json!({ "address": DEVELOPMENT.address, "key": DEVELOPMENT.key });
        words.push(format!("an account with money: {}", DEVELOPMENT.address));
        words.push("  its key, known to everybody and of this chain only:".to_owned());
        words.push(format!("  {}", DEVELOPMENT.key));
    }
    words.extend(args.fund.iter().map(|word| format!("{word} has {GIFT} USDC and some ether there")));
    words.push("settings of a golem that lives on it follow, for golem create --config FILE:".to_owned());
    if out.json {
        out.line(&told.to_string())?;
    } else {
        words.iter().for_each(|line| out.say(line));
        out.line(&settings(&running.url(), id, &p, args.fund.first()))?;
    }
    while !stop.wait_for(Duration::from_secs(3600)) {}
    running.stop().map_err(refused)?;
    Ok(())
}

/// Settings of a golem that lives on what is served: a file for `golem create --config`.
fn settings(url: &str, chain_id: u64, p: &Places, wallet: Option<&String>) -> String {
    let named = wallet.filter(|word| word.parse::<Name>().is_ok());
    let wallet = named.map_or_else(|| "main".to_owned(), Clone::clone);
    let contracts = [
        ("usdc", p.usdc),
        ("asset", p.weth),
        ("pool", p.pool),
        ("factory", p.factory),
        ("router", p.router),
        ("positions", p.positions),
    ];
    let contracts: Vec<String> = contracts.iter().map(|(name, at)| format!("{name} = {{ at = \"{at}\" }}")).collect();
    format!(
        "[chain]\nkind = \"rpc\"\nwallet = \"{wallet}\"  # bardo wallet new {wallet}\n\n[chain.rpc]\nurls = [\"{url}\"]\n\
         chain_id = {chain_id}\nconfirmations = 0    # it mines whatever it gets, at once\n\
         max_age_s = 86400    # and nothing otherwise\n\n[chain.rpc.addresses]\n{}",
        contracts.join("\n")
    )
}

/// An account by the name of its wallet, or as it is.
fn account_of(word: &str, home: &Home) -> Result<Account, Fail> {
    let address = if word.starts_with("0x") { word.to_owned() } else { address_of(word, &wallets::at(home))? };
    // Capital letters are a checksum there.
    let bytes = parse_hex(&address.trim_start_matches("0x").to_lowercase());
    let hint = "give a wallet's name, or 0x and 40 hex digits";
    bytes.map(Account).map_err(|_| Fail::hint(format!("--fund: {word:?} is no address"), hint))
}

/// Seconds since the first block of a new chain: an hour.
const AGE_S: u64 = 3_600;

/// A new chain that is gone afterwards, with an account that has something.
fn fresh(funded: &[Account], home: &Home, out: &Out) -> Result<Stage, Fail> {
    let contracts = contracts::fetch_or_load(&home.path().join("contracts"), |words| out.say(words));
    let contracts = contracts.map_err(|e| chain::missing(&e))?;
    let now = u64::try_from(crate::clock::clock().now().0).unwrap_or_default();
    // Old enough for its pool to have a mean price.
    let genesis = MarketConfig::default().genesis(true, PRICE, now.saturating_sub(AGE_S), None);
    let opened = EmbeddedChain::open_in_memory(&contracts, &EmbeddedConfig::new(genesis));
    let mut chain = opened.map_err(|e| Fail::Bug(e.to_string()))?;
    let base_fee = u128::from(chain.open_block().base_fee);
    let begun = chain.begin_block(Header { timestamp: now, base_fee });
    begun.map_err(|e| chain::trouble(&e))?;
    for account in [Account(DEVELOPMENT.address.into())].iter().chain(funded) {
        chain.fund_to(*account, GIFT).map_err(|e| chain::trouble(&e))?;
    }
    Ok(Stage { chain, _original: None, kind: "a new chain in memory" })
}

/// A copy of a chain of this home.
fn kept(word: &str, home: &Home) -> Result<Stage, Fail> {
    let name: Name = word.parse().map_err(|e| Fail::owner(format!("--chain: {word:?} is no name: {e}")))?;
    let path = home.path().join("chains").join(name.as_str()).join("chain.db");
    let mut chain = EmbeddedChain::resume(&path).map_err(|e| match e {
        ChainError::Absent(_) => absent(word, home),
        ChainError::Locked { .. } => Fail::hint(
            format!("the chain {word} is in use by another process"),
            "golems that live on it have to stop first: a chain has one owner at a time",
        ),
        ChainError::Bug(what) => Fail::Bug(what),
        other => Fail::world(other.to_string()),
    })?;
    // What strangers do there would be in no golem's record, and its replay would differ: they get a copy.
    let head = chain.head();
    let copy = chain.fork(head).map_err(|e| Fail::world(e.to_string()))?;
    Ok(Stage {
        chain: copy,
        _original: Some(chain),
        kind: "a copy of a kept chain (what is sent to it is gone afterwards)",
    })
}

fn absent(word: &str, home: &Home) -> Fail {
    let entries = std::fs::read_dir(home.path().join("chains")).into_iter().flatten().flatten();
    let there = entries.filter(|entry| entry.path().join("chain.db").exists());
    let mut names: Vec<String> = there.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let hint = match nearest(word, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None if names.is_empty() => "leave --chain out for a new one in memory".to_owned(),
        None => format!("there are: {}", names.join(", ")),
    };
    Fail::hint(format!("there is no chain called {word:?}"), hint)
}

fn refused(e: ServeError) -> Fail {
    let text = e.to_string();
    match e {
        ServeError::NotLoopback(_) => match text.split_once("; hint: ") {
            Some((what, hint)) => Fail::hint(what, hint),
            None => Fail::owner(text),
        },
        ServeError::Bug(what) => Fail::Bug(what),
        _ => Fail::world(text),
    }
}
