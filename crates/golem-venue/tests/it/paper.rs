//! What must hold on the paper venue whatever happens there.

use crate::paper_world;

use golem_core::intent::{Asset, Refusal};
use golem_core::venue::{LogKind, Range, Wide};
use golem_core::{Action, Dice, Intent, Point, Strand, Usdc};
use golem_venue::pool::{Owner, Round, full_range, maths};
use golem_venue::{Account, GenesisConfig, Header, MarketTrade, PaperVenue, Venue, VenueError, act, gas, spot};
use paper_world::{Did, GOLEMS, Op, meaning, perform, play, script, venue};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What the pool holds, as USDC and asset.
fn held(venue: &PaperVenue, usdc_is_token0: bool) -> [i128; 2] {
    let [a, b] = venue.pool().held().map(|x| i128::try_from(x).unwrap());
    spot::ordered(usdc_is_token0, a, b)
}

/// The ticks, the liquidity in range and the deeds say the same about who has what where.
fn books_agree(venue: &PaperVenue) {
    let pool = venue.pool();
    let (mut gross, mut net): (BTreeMap<i32, u128>, BTreeMap<i32, i128>) = Default::default();
    let (mut in_range, mut deeds) = (0, BTreeMap::new());
    for (_, deed) in venue.holders().filter_map(|(who, h)| h.deed.map(|d| (who, d))) {
        *deeds.entry((deed.range.lower, deed.range.upper)).or_insert(0) += deed.liquidity;
    }
    for (owner, range, stake) in pool.stakes() {
        let l = stake.liquidity;
        if owner == Owner::Positions {
            assert_eq!(deeds.remove(&(range.lower, range.upper)).unwrap_or(0), l, "deeds in {range:?}");
        }
        if l > 0 {
            *gross.entry(range.lower).or_default() += l;
            *gross.entry(range.upper).or_default() += l;
            *net.entry(range.lower).or_default() += l as i128;
            *net.entry(range.upper).or_default() -= l as i128;
        }
        in_range += if (range.lower..range.upper).contains(&pool.tick()) { l } else { 0 };
    }
    assert!(deeds.values().all(|l| *l == 0), "deeds without a stake: {deeds:?}");
    assert_eq!(in_range, pool.liquidity());
    assert_eq!(pool.ticks().map(|t| (t.at, t.gross)).collect::<BTreeMap<_, _>>(), gross);
    assert_eq!(pool.ticks().map(|t| (t.at, t.net)).collect::<BTreeMap<_, _>>(), net);
    assert_eq!(pool.ticks().map(|t| t.net).sum::<i128>(), 0);
    let tick = maths::tick_at(pool.sqrt_price()).unwrap();
    assert!(pool.tick() == tick || (pool.tick() == tick - 1 && maths::ratio_at(tick) == Some(pool.sqrt_price())));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_the_pool_holds_is_what_went_in_less_what_came_out(order: bool, script in script(60)) {
        let mut venue = venue(order);
        for line in script {
            let op = meaning(&mut venue, line);
            let (before, golems) = (held(&venue, order), GOLEMS.map(|who| venue.holder(who)));
            let did = perform(&mut venue, &op);
            let after = held(&venue, order);
            let moved = [after[0] - before[0], after[1] - before[1]];
            match did {
                Did::Nothing => prop_assert_eq!(moved, [0, 0]),
                Did::Traded(traded) => prop_assert_eq!(moved, [traded.usdc, traded.asset]),
                Did::Done(done) => {
                    let sum = |f: fn(&golem_venue::Done) -> i128| done.iter().map(f).sum::<i128>();
                    prop_assert_eq!(moved, [-sum(|d| d.usdc), -sum(|d| d.asset)]);
                    let mut change = [0, 0];
                    for (who, was) in GOLEMS.iter().zip(golems) {
                        let is = venue.holder(*who);
                        change[0] += i128::from(is.usdc.0) - i128::from(was.usdc.0);
                        change[1] += is.asset.0 as i128 - was.asset.0 as i128;
                    }
                    prop_assert_eq!(moved, change.map(|c| -c));
                }
            }
            books_agree(&venue);
        }
    }

    #[test]
    fn everybody_can_always_leave_and_only_dust_stays(order: bool, script in script(60)) {
        let mut venue = venue(order);
        let lines = script.len();
        play(&mut venue, &script);
        for who in GOLEMS {
            if let Some(deed) = venue.holder(who).deed {
                let action = if deed.liquidity > 0 {
                    let (position, liquidity) = (deed.id, deed.liquidity);
                    Action::Burn { position, liquidity, min_out: Usdc(0), min_asset: Asset(0), close: true }
                } else {
                    Action::Collect { position: deed.id }
                };
                prop_assert_eq!(venue.execute(who, &action).unwrap().refused, None);
            }
        }
        let stakes: Vec<_> = venue.pool().stakes().filter(|(o, ..)| *o == Owner::Market).collect();
        for (_, range, stake) in stakes {
            venue.trade(&MarketTrade::Withdraw { range, liquidity: stake.liquidity }).unwrap();
        }
        prop_assert_eq!(venue.pool().liquidity(), 0);
        prop_assert_eq!(venue.pool().ticks().count(), 0);
        // Every step and every reckoning may leave a few units to the pool.
        let dust = 500 + 20 * lines as u128;
        for (i, left) in venue.pool().held().into_iter().enumerate() {
            prop_assert!(left < dust, "{} units of token{} stayed", left, i);
        }
    }

    #[test]
    fn every_past_point_can_be_forked_and_lived_again(order: bool, script in script(50)) {
        let mut venue = venue(order);
        let mut seen: BTreeMap<Point, Vec<u8>> = BTreeMap::new();
        let mut ops = Vec::new();
        for line in &script {
            seen.insert(venue.view().unwrap().point, venue.save().unwrap());
            let op = meaning(&mut venue, *line);
            ops.push((venue.view().unwrap().point, op));
            perform(&mut venue, &op);
        }
        let end = venue.save().unwrap();
        seen.insert(venue.view().unwrap().point, end.clone());
        for (point, state) in &seen {
            prop_assert_eq!(&venue.fork(*point).unwrap().save().unwrap(), state, "at {}", point);
        }
        // From the middle on, the same operations lead to the same end.
        let (from, _) = ops[ops.len() / 2];
        let mut again = venue.fork(from).unwrap();
        for (_, op) in &ops[ops.len() / 2..] {
            perform(&mut again, op);
        }
        prop_assert_eq!(again.save().unwrap(), end);
    }

    #[test]
    fn a_restored_venue_goes_on_as_the_saved_one(order: bool, before in script(40), after in script(20)) {
        let mut venue = venue(order);
        play(&mut venue, &before);
        let mut restored = PaperVenue::restore(&venue.save().unwrap()).unwrap();
        prop_assert_eq!(restored.view().unwrap(), venue.view().unwrap());
        for line in after {
            let op = meaning(&mut venue, line);
            prop_assert_eq!(perform(&mut restored, &op), perform(&mut venue, &op));
        }
        prop_assert_eq!(restored.save().unwrap(), venue.save().unwrap());
        for who in GOLEMS {
            prop_assert_eq!(restored.book(who).unwrap(), venue.book(who).unwrap());
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_harmless(order: bool, lines in script(20), at: prop::sample::Index, bit in 0u8..8) {
        let mut venue = venue(order);
        play(&mut venue, &lines);
        let mut bytes = venue.save().unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if let Ok(mut odd) = PaperVenue::restore(&bytes) {
            play(&mut odd, &lines);
            for who in GOLEMS {
                odd.book(who).unwrap();
            }
        }
        prop_assert!(PaperVenue::restore(&bytes[..at]).is_err());
    }

    #[test]
    fn unwinding_brings_what_the_books_say(order: bool, script in script(60)) {
        let mut venue = venue(order);
        play(&mut venue, &script);
        for who in GOLEMS {
            let book = venue.book(who).unwrap();
            let mut fork = venue.fork(book.point).unwrap();
            let mut units = 0;
            if let Some(p) = book.position.filter(|p| p.liquidity > 0) {
                let (position, liquidity) = (p.id, p.liquidity);
                let burn = Action::Burn { position, liquidity, min_out: Usdc(0), min_asset: Asset(0), close: true };
                units += fork.execute(who, &burn).unwrap().gas_charged;
            } else if let Some(p) = book.position {
                fork.execute(who, &Action::Collect { position: p.id }).unwrap();
                units += gas::charged(&Action::Burn { position: 0, liquidity: 1, min_out: Usdc(0), min_asset: Asset(0), close: true }, 0, 0, false);
            }
            let give = fork.holder(who).asset;
            if give > Asset::ZERO {
                units += fork.execute(who, &Action::Sell { give, min_out: Usdc(0) }).unwrap().gas_charged;
            }
            prop_assert_eq!(book.worth.unwound, fork.holder(who).usdc.minus(book.usdc));
            prop_assert_eq!(book.worth.gas, venue.gas_cost(units).unwrap());
            // At the spot price everything is worth at least as much, but for the roundings of the parts.
            let spot = book.worth.position.plus(book.worth.fees).plus(spot::asset_to_usdc(
                book.asset, book.pool.sqrt_price_x96, order, Round::Down,
            ));
            prop_assert!(book.worth.unwound <= spot.plus(Usdc(4)), "{} of {}", book.worth.unwound, spot);
        }
    }

    #[test]
    fn a_round_trip_never_pays(order: bool, script in script(30), pay in 1u64..10_000_000_000) {
        let mut venue = venue(order);
        play(&mut venue, &script);
        let trader = Account([9; 20]);
        venue.fund_to(trader, Usdc(pay)).unwrap();
        let price = venue.pool().sqrt_price();
        let bought = venue.execute(trader, &Action::Buy { pay: Usdc(pay), min_out: Asset(0) }).unwrap();
        prop_assert_eq!((bought.refused, bought.usdc), (None, -i128::from(pay)));
        let give = venue.holder(trader).asset;
        if give > Asset::ZERO {
            venue.execute(trader, &Action::Sell { give, min_out: Usdc(0) }).unwrap();
        }
        prop_assert!(venue.holder(trader).usdc < Usdc(pay));
        // What the fees kept back leaves the price on the buyer's side.
        let dearer = if order { venue.pool().sqrt_price() <= price } else { venue.pool().sqrt_price() >= price };
        prop_assert!(dearer);
        // In and out of a position gives back at most what was put in.
        let before = venue.holder(trader);
        let add = Intent::Add { pay: before.usdc, give: before.asset, width_bps: 300, tolerance_bps: 100 };
        let preview = act::preview(&mut venue, trader, &[add, Intent::Remove { share_bps: 10_000, tolerance_bps: 100 }], None);
        let after = preview[1].after;
        prop_assert!(after.usdc <= before.usdc && after.asset <= before.asset);
    }

    #[test]
    fn swapping_there_and_back_meets_the_same_ticks(order: bool, percent in -20i32..20) {
        let mut venue = venue(order);
        let start = venue.view().unwrap().pool;
        let price = 3_000.0 * (1.0 + f64::from(percent) / 100.0);
        let to = |sqrt_price_x96| MarketTrade::ToPrice { sqrt_price_x96 };
        let there = venue.trade(&to(spot::sqrt_price_of(price, order))).unwrap();
        prop_assert_eq!(venue.view().unwrap().pool.sqrt_price_x96, spot::sqrt_price_of(price, order));
        let back = venue.trade(&to(start.sqrt_price_x96)).unwrap();
        prop_assert_eq!(venue.view().unwrap().pool, start);
        prop_assert_eq!(there.crossed, back.crossed);
        prop_assert!(percent.abs() < 7 || there.crossed > 0);
        // The market paid fees both ways.
        prop_assert!(percent == 0 || (there.usdc + back.usdc > 0 && there.asset + back.asset > 0));
    }

    #[test]
    fn mirrored_tokens_give_mirrored_results(script in script(40)) {
        // The formulas round towards the pool in both orders but not in mirrored places, so amounts may differ in the
        // last digits; refusals and everything that is counted may not.
        let (mut one, mut other) = (venue(true), venue(false));
        for line in script {
            if !matches!(line.0, 0..=3 | 6..=7) {
                continue;
            }
            let op = meaning(&mut one, line);
            let twin = match op {
                Op::Market(MarketTrade::ToPrice { sqrt_price_x96 }) => {
                    let price = spot::price_of(sqrt_price_x96, true);
                    Op::Market(MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(price, false) })
                }
                Op::Wants(who, Intent::Sell { give, min_out }) => {
                    Op::Wants(who, Intent::Sell { give: give.min(other.holder(who).asset), min_out })
                }
                Op::Wants(who, Intent::Buy { pay, min_out }) => {
                    Op::Wants(who, Intent::Buy { pay: pay.min(other.holder(who).usdc), min_out })
                }
                op => op,
            };
            perform(&mut one, &op);
            perform(&mut other, &twin);
            let (a, b) = (spot::price_f64(&one.view().unwrap()), spot::price_f64(&other.view().unwrap()));
            prop_assert!((a / b - 1.0).abs() < 1e-6, "{} and {}", a, b);
        }
        for who in GOLEMS {
            let (a, b) = (one.book(who).unwrap(), other.book(who).unwrap());
            let worth = |x: &golem_core::Book| (x.usdc.plus(x.worth.unwound)).as_f64();
            prop_assert!((worth(&a) - worth(&b)).abs() < 0.01, "{:?} and {:?}", a, b);
        }
    }

    #[test]
    fn ranges_of_mirrored_tokens_are_mirrored(tick in -887_272..887_272i32, width in any::<u32>()) {
        let (range, twin) = (act::range_around(tick, width), act::range_around(-tick - 1, width));
        prop_assert_eq!((twin.lower, twin.upper), (-range.upper, -range.lower));
        prop_assert!(golem_venue::checks::is_range(range));
        let full = full_range();
        if (full.lower..full.upper).contains(&tick) {
            prop_assert!(range.lower <= tick && tick < range.upper, "{:?}", range);
        }
    }

    #[test]
    fn no_action_and_no_trade_makes_it_panic(
        order: bool,
        script in script(10),
        numbers in prop::collection::vec((0u8..10, any::<u64>(), any::<u128>(), any::<i32>(), any::<i32>()), 1..20),
    ) {
        let mut venue = venue(order);
        play(&mut venue, &script);
        for (kind, a, b, lower, upper) in numbers {
            let range = Range { lower, upper };
            let near = Range { lower: lower % 200_000 * 10, upper: upper % 200_000 * 10 };
            let who = GOLEMS[(a % 3) as usize];
            let wild = Wide([a, (b >> 64) as u64, b as u64 >> (a % 64), 0]);
            match kind {
                0 => drop(venue.trade(&MarketTrade::ToPrice { sqrt_price_x96: wild })),
                1 => drop(venue.trade(&MarketTrade::Buy { pay: Usdc(a) })),
                2 => drop(venue.trade(&MarketTrade::Sell { give: Asset(b) })),
                3 => drop(venue.trade(&MarketTrade::Provide { range: if a % 2 == 0 { range } else { near }, liquidity: b >> (a % 128) })),
                4 => drop(venue.trade(&MarketTrade::Withdraw { range: near, liquidity: b })),
                5 => venue.fund_to(who, Usdc(a)).unwrap(),
                6 => drop(venue.execute(who, &Action::Mint { position: None, range: near, pay: Usdc(a), give: Asset(b), min_pay: Usdc(0), min_give: Asset(0) })),
                7 => drop(venue.begin_block(Header { timestamp: a, base_fee: b })),
                8 => {
                    let intent = Intent::Add { pay: Usdc(a), give: Asset(b >> 64), width_bps: lower as u32, tolerance_bps: upper as u32 };
                    drop(act::preview(&mut venue, who, &[intent, Intent::Rebalance { width_bps: upper as u32, tolerance_bps: lower as u32 }], None));
                }
                _ => drop(venue.fork_at(Point { block: a % 5, index: lower as u32 % 50 })),
            }
            venue.book(who).unwrap();
            venue.gas_cost(a).unwrap();
        }
        books_agree(&venue);
        prop_assert!(PaperVenue::restore(&venue.save().unwrap()).is_ok());
    }
}

#[test]
fn depth_is_about_the_same_everywhere_and_ticks_get_crossed() {
    for order in [true, false] {
        let mut venue = venue(order);
        let mut before = 3_000.0;
        for percent in 1..=20 {
            let price = 3_000.0 * (1.0 + f64::from(percent) / 100.0);
            let sqrt_price_x96 = spot::sqrt_price_of(price, order);
            let traded = venue.trade(&MarketTrade::ToPrice { sqrt_price_x96 }).unwrap();
            let expected = 200_000e6 * 100.0 * (price - before) / 3_000.0;
            let share = traded.usdc as f64 / expected;
            assert!((0.7..1.3).contains(&share), "{share} of the depth at {price}");
            before = price;
        }
    }
}

#[test]
fn fees_go_to_liquidity_by_its_share() {
    for order in [true, false] {
        let (mut venue, who) = (venue(order), GOLEMS[0]);
        for (intent, earns) in [
            (Intent::Buy { pay: Usdc::whole(5_000), min_out: Asset(1) }, false),
            (
                Intent::Add { pay: Usdc::whole(4_000), give: Asset(Asset::WHOLE), width_bps: 200, tolerance_bps: 99 },
                true,
            ),
        ] {
            let preview = act::preview(&mut venue, who, &[intent], None).remove(0);
            act::carry_out(&mut venue, who, &preview).unwrap();
            assert_eq!(venue.holder(who).deed.is_some(), earns);
        }
        let (mine, all) = (venue.holder(who).deed.unwrap().liquidity, venue.pool().liquidity());
        let paid = 20_000_000_001u64;
        assert_eq!(venue.trade(&MarketTrade::Buy { pay: Usdc(paid) }).unwrap().crossed, 0, "one step, one liquidity");
        let share = u128::from(paid) * 500 / 1_000_000 * mine / all;
        let fees = venue.book(who).unwrap().position.unwrap();
        assert!(u128::from(fees.fees.0).abs_diff(share) <= 1 && fees.fees_asset == Asset::ZERO, "{fees:?} for {share}");
        let collected = venue.execute(who, &Action::Collect { position: fees.id }).unwrap();
        assert_eq!((collected.usdc, collected.asset), (i128::from(fees.fees.0), 0));
    }
}

#[test]
fn funding_is_by_the_sum_and_never_twice() {
    let (mut venue, who) = (venue(true), Account([8; 20]));
    for (asked, held) in [(5, 5), (5, 5), (3, 5), (9, 9)] {
        venue.fund_to(who, Usdc(asked)).unwrap();
        assert_eq!(venue.holder(who).usdc, Usdc(held));
    }
}

#[test]
fn points_that_never_were_are_not_found() {
    let mut venue = venue(true);
    let first = venue.begins();
    venue.begin_block(Header { timestamp: 1_700_000_012, base_fee: 1 }).unwrap();
    venue.trade(&MarketTrade::Buy { pay: Usdc(1_000) }).unwrap();
    venue.begin_block(Header { timestamp: 1_700_000_024, base_fee: 1 }).unwrap();
    for (block, index, there) in [
        (first.block, 0, true),
        (1, 3, true),
        (1, 4, false),
        (2, 0, true),
        (2, 1, true),
        (2, 2, false),
        (3, 0, true),
        (3, 1, false),
        (4, 0, false),
        (0, 0, false),
    ] {
        let point = Point { block, index };
        match venue.fork_at(point) {
            Ok(mut fork) => assert!(there && fork.view().unwrap().point == point, "{point}"),
            Err(e) => assert!(!there && e == VenueError::NoSuchPoint(point), "{point}"),
        }
    }
    let restored = PaperVenue::restore(&venue.save().unwrap()).unwrap();
    assert_eq!(restored.begins(), Point { block: 3, index: 0 });
    assert!(restored.fork(Point { block: 2, index: 0 }).is_err());
}

#[test]
fn history_is_small() {
    let (mut venue, dice) = (venue(true), Dice::open(5, Strand::World));
    let mut price = 3_000.0;
    let blocks = 40_000;
    for n in 0..blocks {
        price *= libm::exp(0.0007 * dice.draws(n).normals().0);
        venue.begin_block(Header { timestamp: 1_700_000_000 + 12 * n, base_fee: 10_000_000 + u128::from(n) }).unwrap();
        venue.trade(&MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(price, true) }).unwrap();
    }
    // A fifth of 200,000 blocks, and of the twelve megabytes that they may take.
    assert!(venue.history_bytes() < 12_000_000 / 5, "{} bytes", venue.history_bytes());
    let middle = venue.fork(Point { block: blocks / 2, index: 1 }).unwrap();
    assert_eq!(middle.begins(), Point { block: blocks / 2, index: 1 });
}

#[test]
fn between_an_approval_and_its_swap_nothing_has_changed_hands() {
    let (mut venue, who) = (venue(true), GOLEMS[0]);
    let before = venue.view().unwrap();
    let done = venue.execute(who, &Action::Buy { pay: Usdc::whole(100), min_out: Asset(1) }).unwrap();
    assert_eq!(done.point, before.point);
    let index = before.point.index;
    let price_at = |i| venue.fork(Point { index: index + i, ..before.point }).unwrap().view().unwrap().pool;
    assert_eq!((price_at(0), price_at(1)), (before.pool, before.pool));
    assert_eq!(price_at(2), venue.pool().seen());
}

#[test]
fn what_is_refused_costs_gas_and_nothing_else() {
    let (mut venue, who) = (venue(false), GOLEMS[0]);
    let pool = venue.pool().clone();
    let far = Asset(u128::MAX);
    let done = venue.execute(who, &Action::Buy { pay: Usdc::whole(100), min_out: far }).unwrap();
    assert_eq!((done.refused, done.usdc, done.asset), (Some(Refusal::Slippage), 0, 0));
    assert_eq!(done.logs, [LogKind::Approval, LogKind::Approval]);
    assert_eq!(done.gas_charged, gas::charged(&Action::Buy { pay: Usdc(1), min_out: far }, 0, 1, true));
    assert_eq!(venue.pool(), &pool);
    let unsent = venue.execute(who, &Action::Buy { pay: Usdc(u64::MAX), min_out: far }).unwrap();
    assert_eq!((unsent.refused, unsent.gas_charged, unsent.logs.len()), (Some(Refusal::Funds), 0, 0));
    assert_eq!(unsent.point, venue.view().unwrap().point);
}

#[test]
fn a_position_is_opened_fed_and_closed_with_the_logs_of_the_contracts() {
    use LogKind::{Approval, Burn, Collect, DecreaseLiquidity, IncreaseLiquidity, Mint, Swap, Transfer};
    let (mut venue, who) = (venue(true), GOLEMS[0]);
    let buy = venue.execute(who, &Action::Buy { pay: Usdc::whole(3_000), min_out: Asset(1) }).unwrap();
    assert_eq!(buy.logs, [Approval, Transfer, Transfer, Swap]);
    let range = act::range_around(venue.pool().tick(), 500);
    let mint = |position, pay: u64, give: u128| {
        let (pay, give) = (Usdc(pay), Asset(give));
        Action::Mint { position, range, pay, give, min_pay: Usdc(0), min_give: Asset(0) }
    };
    // Half of the asset cannot be matched by so little USDC, so its allowance is taken back.
    let asset = venue.holder(who).asset.0;
    let opened = venue.execute(who, &mint(None, 100_000_000, asset)).unwrap();
    assert_eq!((opened.refused, opened.position), (None, Some(1)));
    assert_eq!(opened.logs, [Approval, Approval, Transfer, Transfer, Mint, Transfer, IncreaseLiquidity, Approval]);
    venue.trade(&MarketTrade::Buy { pay: Usdc::whole(100_000) }).unwrap();
    let fed = venue.execute(who, &mint(Some(1), 500_000_000, asset / 4)).unwrap();
    assert_eq!(fed.position, Some(1));
    assert_eq!(fed.logs[2..6], [Transfer, Transfer, Mint, IncreaseLiquidity]);
    let collected = venue.execute(who, &Action::Collect { position: 1 }).unwrap();
    assert_eq!(collected.logs, [Burn, Transfer, Collect, Collect]);
    assert!(collected.usdc > 0 && collected.asset == 0, "buying earns fees in USDC only");
    let liquidity = venue.holder(who).deed.unwrap().liquidity;
    let burn = |liquidity, close| Action::Burn { position: 1, liquidity, min_out: Usdc(0), min_asset: Asset(0), close };
    let half = venue.execute(who, &burn(liquidity / 2, false)).unwrap();
    assert_eq!(half.logs, [Burn, DecreaseLiquidity, Burn, Transfer, Transfer, Collect, Collect]);
    let closed = venue.execute(who, &burn(liquidity - liquidity / 2, true)).unwrap();
    assert_eq!(closed.logs, [Burn, DecreaseLiquidity, Transfer, Transfer, Collect, Collect, Approval, Transfer]);
    assert_eq!(venue.holder(who).deed, None);
    let next = venue.execute(who, &mint(None, 100_000_000, asset / 8)).unwrap();
    assert_eq!(next.position, Some(2), "numbers are never given twice");
}

#[test]
fn a_beginning_that_cannot_be_is_refused() {
    let config = |sqrt_price_x96, liquidity| GenesisConfig {
        usdc_is_token0: true,
        sqrt_price_x96,
        timestamp: 0,
        base_fee: 0,
        liquidity,
    };
    assert!(PaperVenue::genesis(&config(Wide::default(), Vec::new())).is_err());
    assert!(PaperVenue::genesis(&config(Wide([u64::MAX; 4]), Vec::new())).is_err());
    let price = spot::sqrt_price_of(3_000.0, true);
    assert!(PaperVenue::genesis(&config(price, vec![(Range { lower: 1, upper: 20 }, 5)])).is_err());
    assert!(PaperVenue::genesis(&config(price, vec![(full_range(), u128::MAX)])).is_err());
    let mut empty = PaperVenue::genesis(&config(price, Vec::new())).unwrap();
    empty.fund_to(GOLEMS[0], Usdc(5)).unwrap();
    let done = empty.execute(GOLEMS[0], &Action::Buy { pay: Usdc(5), min_out: Asset(1) }).unwrap();
    assert_eq!(done.refused, Some(Refusal::Slippage), "nobody sells in an empty pool");
}
