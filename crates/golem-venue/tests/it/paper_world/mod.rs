//! A small world for the paper venue's tests: three golems and a market that do whatever a script of numbers says.

#![allow(dead_code)]

use golem_core::intent::Asset;
use golem_core::venue::Range;
use golem_core::{Action, Intent, Usdc};
use golem_venue::pool::{Owner, full_range, maths};
use golem_venue::{Account, Done, GenesisConfig, Header, MarketTrade, PaperVenue, Traded, Venue, act, spot};
use proptest::prelude::*;

pub const GOLEMS: [Account; 3] = [Account([1; 20]), Account([2; 20]), Account([3; 20])];

/// A venue at 3,000 USDC where 200,000 USDC move the price by one per cent, and three golems with 10,000 USDC each.
pub fn venue(usdc_is_token0: bool) -> PaperVenue {
    let price = spot::sqrt_price_of(3_000.0, usdc_is_token0);
    let config = GenesisConfig::deep(usdc_is_token0, price, Usdc::whole(200_000), 1_700_000_000, 20_000_000);
    let mut venue = PaperVenue::genesis(&config).unwrap();
    for who in GOLEMS {
        venue.fund_to(who, Usdc::whole(10_000)).unwrap();
    }
    venue
}

/// One line of a script: what kind of thing, and two numbers that say how.
pub type Line = (u8, u64, u64);

pub fn script(lines: usize) -> impl Strategy<Value = Vec<Line>> {
    prop::collection::vec((0u8..14, any::<u64>(), any::<u64>()), 1..lines)
}

/// What a line stands for.
#[derive(Debug, Clone, Copy)]
pub enum Op {
    Block(Header),
    Market(MarketTrade),
    Wants(Account, Intent),
    Does(Account, Action),
}

/// What it did.
#[derive(Debug, Clone, PartialEq)]
pub enum Did {
    Nothing,
    Traded(Traded),
    Done(Vec<Done>),
}

fn part<T: TryFrom<u128>>(whole: impl Into<u128>, of: u64) -> T {
    let whole: u128 = whole.into();
    let share = (whole >> 32) * u128::from(of >> 32) + (((whole & 0xffff_ffff) * u128::from(of >> 32)) >> 32);
    T::try_from(share.min(whole)).ok().unwrap_or_else(|| unreachable!("a part fits where the whole does"))
}

/// A script's numbers, made to mean something where the venue stands now.
pub fn meaning(venue: &mut PaperVenue, (kind, a, b): Line) -> Op {
    let view = venue.view().unwrap();
    let who = GOLEMS[(b % 3) as usize];
    let holder = venue.holder(who);
    let (width_bps, tolerance_bps) = ([0, 5, 100, 700, 5_000][(b % 5) as usize], (b % 977) as u32);
    let steps = i32::try_from(a % 80).unwrap() - 40;
    let lower = (view.pool.tick / 10 + steps) * 10;
    let range = if a.is_multiple_of(11) {
        full_range()
    } else {
        Range { lower, upper: lower + 10 + 10 * i32::try_from(b % 200).unwrap() }
    };
    match kind {
        0 => Op::Block(Header { timestamp: view.timestamp + 1 + a % 40, base_fee: u128::from(b >> 36) }),
        // Exactly onto a tick where liquidity begins or ends.
        1 if a.is_multiple_of(3) => {
            let near = venue.pool().ticks().filter(|t| t.at.abs_diff(view.pool.tick) < 1_500);
            let at = near.map(|t| t.at).nth((b % 5) as usize).unwrap_or(view.pool.tick);
            Op::Market(MarketTrade::ToPrice { sqrt_price_x96: spot::wide(maths::ratio_at(at).unwrap()) })
        }
        1 => {
            let factor = 0.96 + 0.08 * (a as f64 / u64::MAX as f64);
            let price = spot::price_f64(&view) * factor;
            Op::Market(MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(price, view.usdc_is_token0) })
        }
        2 => Op::Market(MarketTrade::Buy { pay: Usdc(a % 2_000_000_000_000) }),
        3 => Op::Market(MarketTrade::Sell { give: Asset(u128::from(a) * 20) }),
        4 => Op::Market(MarketTrade::Provide { range, liquidity: u128::from(b) }),
        5 => {
            let market: Vec<_> = venue.pool().stakes().filter(|(o, ..)| *o == Owner::Market).collect();
            let (range, liquidity) = match market.get((a % 90) as usize) {
                Some((_, range, stake)) => (*range, stake.liquidity / (1 + u128::from(b % 3))),
                None => (range, u128::from(b)),
            };
            Op::Market(MarketTrade::Withdraw { range, liquidity })
        }
        6 => Op::Wants(who, Intent::Buy { pay: part::<u64>(holder.usdc.0, a).into_usdc(), min_out: Asset(1) }),
        7 => Op::Wants(who, Intent::Sell { give: Asset(part(holder.asset.0, a)), min_out: Usdc(0) }),
        8 | 9 => Op::Wants(
            who,
            Intent::Add {
                pay: part::<u64>(holder.usdc.0, a).into_usdc(),
                give: Asset(part(holder.asset.0, b)),
                width_bps,
                tolerance_bps,
            },
        ),
        10 => Op::Wants(who, Intent::Remove { share_bps: [100, 5_000, 10_000][(a % 3) as usize], tolerance_bps }),
        11 => Op::Wants(who, Intent::Collect),
        12 => Op::Wants(who, Intent::Rebalance { width_bps, tolerance_bps }),
        _ => Op::Does(who, odd(venue, who, a, b, range)),
    }
}

/// Actions that nobody sane would send, beside some that somebody might.
fn odd(venue: &PaperVenue, who: Account, a: u64, b: u64, range: Range) -> Action {
    let holder = venue.holder(who);
    let (id, all) = holder.deed.map_or((b % 5, u128::from(a)), |d| (d.id, d.liquidity));
    let position = holder.deed.map(|d| d.id).filter(|_| !b.is_multiple_of(7));
    let range = holder.deed.map_or(range, |d| d.range);
    match a % 9 {
        0 => Action::Buy { pay: Usdc(b), min_out: Asset(0) },
        1 => Action::Buy { pay: Usdc(holder.usdc.0 / 2), min_out: Asset(u128::from(b)) },
        2 => Action::Sell { give: holder.asset, min_out: Usdc(b >> 30) },
        3 => Action::Mint {
            position,
            range,
            pay: Usdc(holder.usdc.0 / 3),
            give: Asset(holder.asset.0 / 3),
            min_pay: Usdc(b >> 34),
            min_give: Asset(0),
        },
        4 => Action::Mint { position, range, pay: Usdc(1), give: Asset(1), min_pay: Usdc(0), min_give: Asset(0) },
        5 => Action::Burn {
            position: id,
            liquidity: all,
            min_out: Usdc(b >> 32),
            min_asset: Asset(0),
            close: b.is_multiple_of(2),
        },
        6 => Action::Burn { position: id, liquidity: all / 2 + 1, min_out: Usdc(0), min_asset: Asset(0), close: false },
        7 => Action::Collect { position: id },
        _ => Action::Burn { position: b, liquidity: u128::MAX, min_out: Usdc(0), min_asset: Asset(0), close: true },
    }
}

/// Do it.
pub fn perform(venue: &mut PaperVenue, op: &Op) -> Did {
    match op {
        Op::Block(header) => {
            venue.begin_block(*header).unwrap();
            Did::Nothing
        }
        // What the market cannot do is refused and changes nothing.
        Op::Market(trade) => venue.trade(trade).map_or(Did::Nothing, Did::Traded),
        Op::Does(who, action) => Did::Done(vec![venue.execute(*who, action).unwrap()]),
        Op::Wants(who, intent) => {
            let (view, book) = (venue.view().unwrap(), venue.book(*who).unwrap());
            let actions = act::resolve(intent, &view, &book).unwrap_or_default();
            Did::Done(actions.iter().map(|a| venue.execute(*who, a).unwrap()).collect())
        }
    }
}

/// Do a whole script.
pub fn play(venue: &mut PaperVenue, script: &[Line]) {
    for line in script {
        let op = meaning(venue, *line);
        perform(venue, &op);
    }
}

trait IntoUsdc {
    fn into_usdc(self) -> Usdc;
}
impl IntoUsdc for u64 {
    fn into_usdc(self) -> Usdc {
        Usdc(self)
    }
}
