//! Random scripts of everything that can happen on a venue, and how to act them out on any of them.

use super::common::account;
use golem_core::intent::Asset;
use golem_core::venue::Range;
use golem_core::{Action, Usdc};
use golem_venue::pool::maths;
use golem_venue::spot::wide;
use golem_venue::{Done, Header, MarketTrade, Traded, Venue, VenueError};
use proptest::prelude::*;

/// One thing that happens. Amounts are shares of what is there, so that most of it makes sense.
#[derive(Debug, Clone)]
pub enum Op {
    Block { seconds: u64, base_fee: u128 },
    Fund { who: u8, usdc: u64 },
    MarketTo { ticks: i32 },
    MarketToEdge { steps: i32 },
    MarketBeyond { down: bool },
    MarketBuy { usdc: u64 },
    MarketSell { wei: u128 },
    Provide { below: i32, above: i32, liquidity: u128 },
    Withdraw { below: i32, above: i32, liquidity: u128 },
    BuyLittle { who: u8, micro: u64 },
    Buy { who: u8, share: u32, greedy: bool },
    Sell { who: u8, share: u32, greedy: bool },
    Mint { who: u8, below: i32, above: i32, share: u32, greedy: bool },
    Burn { who: u8, share: u32, greedy: bool },
    Collect { who: u8 },
}

/// What came of it, but for real gas, which paper has none of.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    Nothing,
    Block(u64),
    Traded(Traded),
    Done(Done),
    Refused,
}

pub const ACCOUNTS: u8 = 3;

pub fn op() -> impl Strategy<Value = Op> {
    let who = 1..=ACCOUNTS;
    let share = prop_oneof![1u32..=100, 100u32..=10_000];
    let greedy = prop::bool::weighted(0.1);
    let reach = || prop_oneof![6 => 1i32..200, 1 => -20i32..2_000, 1 => Just(30_000)];
    let (below, above) = (reach(), reach());
    prop_oneof![
        3 => (1u64..100, 1u128..1_000_000_000_000).prop_map(|(seconds, base_fee)| Op::Block { seconds, base_fee }),
        2 => (who.clone(), 1u64..100_000_000_000).prop_map(|(who, usdc)| Op::Fund { who, usdc }),
        4 => (-3_000i32..3_000).prop_map(|ticks| Op::MarketTo { ticks }),
        2 => (-3i32..=3).prop_map(|steps| Op::MarketToEdge { steps }),
        1 => any::<bool>().prop_map(|down| Op::MarketBeyond { down }),
        1 => (who.clone(), 1u64..3_000).prop_map(|(who, micro)| Op::BuyLittle { who, micro }),
        2 => (1u64..3_000_000_000_000).prop_map(|usdc| Op::MarketBuy { usdc }),
        2 => (1u128..1_500_000_000_000_000_000_000).prop_map(|wei| Op::MarketSell { wei }),
        1 => (below.clone(), above.clone(), 1u128..1_000_000_000_000_000_000)
            .prop_map(|(below, above, liquidity)| Op::Provide { below, above, liquidity }),
        1 => (below.clone(), above.clone(), 1u128..1_000_000_000_000_000_000)
            .prop_map(|(below, above, liquidity)| Op::Withdraw { below, above, liquidity }),
        4 => (who.clone(), share.clone(), greedy).prop_map(|(who, share, greedy)| Op::Buy { who, share, greedy }),
        4 => (who.clone(), share.clone(), greedy).prop_map(|(who, share, greedy)| Op::Sell { who, share, greedy }),
        5 => (who.clone(), below, above, share.clone(), greedy)
            .prop_map(|(who, below, above, share, greedy)| Op::Mint { who, below, above, share, greedy }),
        3 => (who.clone(), share, greedy).prop_map(|(who, share, greedy)| Op::Burn { who, share, greedy }),
        2 => who.prop_map(|who| Op::Collect { who }),
    ]
}

pub fn script(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Op>> {
    let start = (1..=ACCOUNTS).map(|who| Op::Fund { who, usdc: 50_000_000_000 });
    let start: Vec<Op> = start.collect();
    prop::collection::vec(op(), length).prop_map(move |ops| start.iter().cloned().chain(ops).collect())
}

/// A script that is the same every time.
pub fn sample(seed: u8, length: usize) -> Vec<Op> {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    script(length..length + 1).new_tree(&mut runner).unwrap().current()
}

/// Let one thing happen. What it is in numbers depends on the venue's state, so equal venues do equal things.
pub fn act(venue: &mut dyn Venue, op: &Op) -> Came {
    if let Some((who, action)) = action(venue, op) {
        let mut done = venue.execute(account(who), &action).unwrap();
        done.gas_used = 0;
        return Came::Done(done);
    }
    let view = venue.view().unwrap();
    let range = |below, above| around(view.pool.tick, below, above);
    let trade = match *op {
        Op::Block { seconds, base_fee } => {
            let header = Header { timestamp: view.timestamp + seconds, base_fee };
            return Came::Block(venue.begin_block(header).unwrap());
        }
        Op::Fund { who, usdc } => {
            venue.fund_to(account(who), Usdc(usdc)).unwrap();
            return Came::Nothing;
        }
        Op::MarketTo { ticks } => {
            let to = (view.pool.tick + ticks).clamp(-400_000, 400_000);
            let nudge = alloy_primitives::U256::from(ticks.unsigned_abs() % 3);
            MarketTrade::ToPrice { sqrt_price_x96: wide(maths::ratio_at(to).unwrap() + nudge) }
        }
        // Exactly onto an edge of the market's own ranges, from either side.
        Op::MarketToEdge { steps } => {
            let edge = (view.pool.tick.div_euclid(600) + steps) * 600;
            MarketTrade::ToPrice { sqrt_price_x96: wide(maths::ratio_at(edge.clamp(-400_000, 400_000)).unwrap()) }
        }
        // No price at all: it must leave no trace.
        Op::MarketBeyond { down } => {
            let beyond = if down { golem_venue::pool::MIN_RATIO } else { golem_venue::pool::MAX_RATIO };
            MarketTrade::ToPrice { sqrt_price_x96: wide(beyond) }
        }
        Op::MarketBuy { usdc } => MarketTrade::Buy { pay: Usdc(usdc) },
        Op::MarketSell { wei } => MarketTrade::Sell { give: Asset(wei) },
        Op::Provide { below, above, liquidity } => MarketTrade::Provide { range: range(below, above), liquidity },
        Op::Withdraw { below, above, liquidity } => MarketTrade::Withdraw { range: range(below, above), liquidity },
        _ => unreachable!("actions were dealt with"),
    };
    match venue.trade(&trade) {
        Ok(traded) => Came::Traded(traded),
        Err(VenueError::Bug(_)) => Came::Refused,
        Err(e) => panic!("{e}"),
    }
}

/// The action that an account takes, if it is one.
pub fn action(venue: &mut dyn Venue, op: &Op) -> Option<(u8, Action)> {
    let who = match *op {
        Op::Buy { who, .. } | Op::Sell { who, .. } | Op::Mint { who, .. } => who,
        Op::Burn { who, .. } | Op::Collect { who } | Op::BuyLittle { who, .. } => who,
        _ => return None,
    };
    let book = venue.book(account(who)).unwrap();
    let action = match *op {
        Op::BuyLittle { micro, .. } => Action::Buy { pay: Usdc(micro), min_out: Asset(0) },
        Op::Buy { share, greedy, .. } => {
            Action::Buy { pay: book.usdc.share_bps(share), min_out: Asset(if greedy { u128::MAX } else { 0 }) }
        }
        Op::Sell { share, greedy, .. } => {
            Action::Sell { give: part(book.asset.0, share), min_out: Usdc(if greedy { u64::MAX } else { 0 }) }
        }
        Op::Mint { below, above, share, greedy, .. } => {
            let range = book.position.map_or_else(|| around(book.pool.tick, below, above), |p| p.range);
            let (pay, give) = (book.usdc.share_bps(share), part(book.asset.0, share));
            let (min_pay, min_give) = if greedy { (pay, give) } else { (Usdc(0), Asset(0)) };
            Action::Mint { position: book.position.map(|p| p.id), range, pay, give, min_pay, min_give }
        }
        Op::Burn { share, greedy, .. } => {
            let (position, all) = book.position.map_or((1, 1), |p| (p.id, p.liquidity));
            // The upper half of shares means all of it.
            let liquidity = if share > 5_000 { all } else { part(all, share).0.clamp(1, all.max(1)) };
            let close = liquidity == all && share.is_multiple_of(2);
            let min_out = Usdc(if greedy { u64::MAX } else { 0 });
            Action::Burn { position, liquidity, min_out, min_asset: Asset(0), close }
        }
        _ => Action::Collect { position: book.position.map_or(1, |p| p.id) },
    };
    Some((who, action))
}

fn around(tick: i32, below: i32, above: i32) -> Range {
    let middle = tick.div_euclid(10);
    Range { lower: (middle - below) * 10, upper: (middle + above) * 10 }
}

fn part(of: u128, share: u32) -> Asset {
    Asset(of / 10_000 * u128::from(share))
}
