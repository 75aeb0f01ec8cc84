//! The same script on paper, on the embedded chain and on a real node: after every action the same amounts, ticks,
//! liquidity and fee growth everywhere, and where there are contracts the same gas, to the unit.

use super::common::{ACCOUNT_RANGE, account, contracts};
use super::script::{Came, Op, act, action, sample};
use super::twin::Twin;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::intent::Refusal;
use golem_core::venue::{Book, PoolSeen, Wide};
use golem_core::{Action, Point, Usdc};
use golem_venue::{Done, GenesisConfig, Header, PaperVenue, Venue, VenueError, spot};
use golem_wallet::RouterKind;
use std::collections::BTreeMap;

/// Everything that venues must show alike. What a place is called and the price of gas of the next block are not part of
/// it.
#[derive(Debug, PartialEq)]
struct Sight {
    pool: PoolSeen,
    fee_growth: [Wide; 2],
    books: Vec<Book>,
}

fn sight(venue: &mut dyn Venue) -> Result<Sight, VenueError> {
    let view = venue.view()?;
    let mut books = Vec::new();
    for who in ACCOUNT_RANGE {
        let mut book = venue.book(account(who))?;
        (book.point, book.worth.gas) = (Point::default(), Usdc::ZERO);
        books.push(book);
    }
    Ok(Sight { pool: view.pool, fee_growth: view.fee_growth, books })
}

/// What kind of thing an action was, for counting.
fn kind(action: &Action, done: &Done) -> &'static str {
    match (done.refused, action) {
        (Some(Refusal::Slippage), _) => "refused by slippage",
        (Some(Refusal::Funds), _) => "refused for want of funds",
        (Some(Refusal::NoPosition), _) => "refused for want of a position",
        (Some(_), _) => "refused otherwise",
        (None, Action::Buy { .. }) if done.crossed > 0 => "buy across ticks",
        (None, Action::Sell { .. }) if done.crossed > 0 => "sell across ticks",
        (None, Action::Buy { .. }) => "buy",
        (None, Action::Sell { .. }) => "sell",
        (None, Action::Mint { position: None, .. }) => "open",
        (None, Action::Mint { .. }) => "add",
        (None, Action::Burn { close: true, .. }) => "close",
        (None, Action::Burn { .. }) => "remove",
        (None, Action::Collect { .. }) => "collect",
        (None, Action::Home { .. } | Action::Unwrap { .. }) => "by leave",
    }
}

/// The script: everything in a block of its own, a second after the one before, so that a node can be asked after each.
fn alone(venue: &mut dyn Venue, base_fee: u128) {
    let timestamp = venue.view().unwrap().timestamp + 1;
    venue.begin_block(Header { timestamp, base_fee }).unwrap();
}

/// Golems that have nothing yet, golems so rich that they move the pool across many ticks both ways, then everything that
/// can happen. The beginning does not hang on the dice of the rest.
fn long_script() -> Vec<Op> {
    let poor = [1, 2, 3].map(|who| Op::BuyLittle { who, micro: 1_000_000_000_000 });
    let rich = [1, 2, 3].map(|who| Op::Fund { who, usdc: 1_000_000_000_000 });
    let rounds = (0..6).flat_map(|n| {
        let who = n % 3 + 1;
        [
            Op::Mint { who, below: 20, above: 30, share: 1_000, greedy: false },
            Op::Buy { who, share: 6_000, greedy: false },
            Op::Sell { who, share: 8_000, greedy: false },
            Op::Collect { who },
            Op::Burn { who, share: 10_000, greedy: false },
        ]
    });
    poor.into_iter().chain(rich).chain(rounds).chain(sample(11, 480)).collect()
}

/// A beginning so shallow that golems cross ticks: thirty thousand dollars move the price by a hundredth.
fn shallow(usdc_is_token0: bool) -> GenesisConfig {
    let price = spot::sqrt_price_of(2_000.0, usdc_is_token0);
    GenesisConfig::deep(usdc_is_token0, price, Usdc::whole(30_000), 1_700_000_000, 20_000_000_000)
}

fn chain(genesis: &GenesisConfig, router: RouterKind) -> Option<EmbeddedChain> {
    let config = EmbeddedConfig { router, ..EmbeddedConfig::new(genesis.clone()) };
    Some(EmbeddedChain::open_in_memory(contracts()?, &config).expect("a chain begins"))
}

/// Play the script on venues that must agree, and show the first everything that happens on it.
fn play(venues: &mut [&mut dyn Venue], ops: &[Op]) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for (step, op) in ops.iter().enumerate() {
        let mut all = Vec::new();
        for venue in venues.iter_mut() {
            alone(*venue, 1_000_000_000 + step as u128);
            let action = action(*venue, op).map(|(_, action)| action);
            let came = act(*venue, op);
            if let (Came::Done(done), Some(action)) = (&came, &action) {
                *counts.entry(kind(action, done)).or_default() += 1;
            }
            all.push((action, came, sight(*venue).unwrap(), venue.view().unwrap().point));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "step {step}: {op:?}: {all:#?}");
    }
    counts.values_mut().for_each(|count| *count /= venues.len() as u32);
    counts
}

fn hold_counts(counts: &BTreeMap<&str, u32>) {
    let sent: u32 = counts.iter().filter(|(kind, _)| !kind.starts_with("refused")).map(|(_, count)| count).sum();
    assert!(sent >= 200, "{sent} actions were carried out: {counts:?}");
    for (kind, least) in [
        ("buy", 10),
        ("sell", 10),
        ("buy across ticks", 3),
        ("sell across ticks", 3),
        ("open", 5),
        ("add", 10),
        ("remove", 5),
        ("close", 3),
        ("collect", 10),
        ("refused by slippage", 5),
        ("refused for want of funds", 2),
        ("refused for want of a position", 2),
    ] {
        let count = counts.get(kind).copied().unwrap_or_default();
        assert!(count >= least, "{kind}: {count} in {counts:?}");
    }
}

#[test]
fn paper_and_contracts_do_the_same_in_both_token_orders() {
    paper_and_contracts(RouterKind::V1);
}

#[test]
fn paper_and_contracts_do_the_same_over_the_second_router() {
    paper_and_contracts(RouterKind::V2);
}

fn paper_and_contracts(router: RouterKind) {
    for usdc_is_token0 in [true, false] {
        let genesis = shallow(usdc_is_token0);
        let Some(mut chain) = chain(&genesis, router) else { return };
        assert_eq!(chain.site().places.router_kind, router);
        let mut paper = PaperVenue::genesis(&genesis).unwrap();
        let counts = play(&mut [&mut paper, &mut chain], &long_script());
        eprintln!("usdc is token0: {usdc_is_token0}: {counts:?}");
        hold_counts(&counts);
    }
}

#[test]
fn a_real_node_does_the_same_with_the_same_gas_in_both_token_orders() {
    a_real_node(RouterKind::V1);
}

#[test]
fn a_real_node_does_the_same_with_the_same_gas_over_the_second_router() {
    a_real_node(RouterKind::V2);
}

fn a_real_node(router: RouterKind) {
    for usdc_is_token0 in [true, false] {
        let genesis = shallow(usdc_is_token0);
        let Some(mut chain) = chain(&genesis, router) else { return };
        let Some(mut twin) = Twin::of(&chain, &genesis) else { return };
        let mut counts = BTreeMap::new();
        let mut transactions = twin.follow(&mut chain);
        let ops = long_script();
        for (step, op) in ops.iter().enumerate() {
            // What a golem over there would be told beforehand.
            let foretold = action(&mut chain, op).map(|(who, action)| {
                let head = twin.venue.view().unwrap().point;
                let done = twin.venue.fork_at(head).unwrap().execute(account(who), &action).unwrap();
                (who, action, done)
            });
            alone(&mut chain, 1_000_000_000 + step as u128);
            match foretold {
                None => drop(act(&mut chain, op)),
                Some((who, action, mut foretold)) => {
                    let done = chain.execute(account(who), &action).unwrap();
                    *counts.entry(kind(&action, &done)).or_default() += 1;
                    // On somebody's chain what is used is what is charged, and blocks have numbers of their own.
                    (foretold.gas_charged, foretold.point) = (done.gas_charged, done.point);
                    assert_eq!(foretold, done, "step {step}: {action:?}");
                }
            }
            transactions += twin.follow(&mut chain);
            assert_eq!(sight(&mut twin.venue).unwrap(), sight(&mut chain).unwrap(), "step {step}: {op:?}");
        }
        eprintln!("usdc is token0: {usdc_is_token0}: {transactions} transactions with equal gas and logs, {counts:?}");
        hold_counts(&counts);
    }
}
