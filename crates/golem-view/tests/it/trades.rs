//! Trades agree with the golem's own ledger, to the micro-USDC, for every template.

use crate::kit::{TEMPLATES, busy, live};
use golem_core::Usdc;
use golem_core::intent::Asset;
use golem_mind::policy::{Because, Template};
use golem_mortality::economic::Purpose;
use golem_view::trade::{POOL_FEE, Totals, Trades, What, csv_row, table, total_lines};
use golem_view::wrap::{WIDTH, columns};

#[test]
fn sums_agree_with_the_ledger_for_every_template() {
    for (seed, template) in (21..).zip(TEMPLATES) {
        let mut subject = busy(template, seed);
        // A trend takes days to be seen.
        let turns = if template == Template::TrendFollowing { 40_000 } else { 8_000 };
        let (facts, prices) = live(&mut subject, turns);
        let mut trades = Trades::default();
        let (mut prices, mut told) = (prices.into_iter().peekable(), 0);
        for fact in &facts {
            while let Some((at, price)) = prices.next_if(|(at, _)| *at <= fact.at) {
                trades.price(at, price);
            }
            told += usize::from(trades.see(fact).is_some());
        }
        let (totals, status, ledger) = (trades.totals(), subject.status(), subject.life().ledger());
        assert!(totals.done > 3, "{template}: {totals:?}");
        assert_eq!(told, trades.all().len(), "{template}");
        assert_eq!(totals.done, status.trades, "{template}");
        assert_eq!(totals.realised, status.earned, "{template}");
        let gas = [Purpose::Gas, Purpose::Settlement].map(|purpose| ledger.by_purpose[purpose.index()]);
        assert_eq!(totals.gas, gas[0].plus(gas[1]), "{template}");
        // What went out and came in is what the ledger says went out and came in.
        let moved = |sign: i64| trades.all().iter().map(|t| (t.usdc.0 * sign).max(0)).sum::<i64>() as u64;
        assert_eq!((Usdc(moved(-1)), Usdc(moved(1))), (ledger.put, ledger.received), "{template}");
        // What is left of the asset is what stands in its books.
        let asset: i128 = trades.all().iter().map(|t| t.asset).sum();
        assert!(asset >= 0, "{template}: sold more than it bought");
        closes(&totals, template.name());
        for trade in trades.all() {
            let why = trade.because.unwrap();
            assert!(clauses(template, trade.what).contains(&why), "{template}: {why:?} for {trade:?}");
        }
        shows(&trades);
    }
}

/// The reasons that a template can have for an act; in these lives nothing declines and no model is asked.
fn clauses(template: Template, what: What) -> &'static [Because] {
    use Because::*;
    match (template, what) {
        (_, What::Add) => &[PoolPays],
        (_, What::Collect) => &[Fees],
        (_, What::Move) => &[Width],
        (Template::TrendFollowing, What::Buy) => &[Breakout, Rising, MoreAsset],
        (Template::TrendFollowing, What::Sell) => &[Stopped, Falling, LessAsset],
        (Template::EthDca, What::Buy) => &[Due, DueAndDown],
        (Template::StableYield, What::Buy) => &[PoolPays],
        (Template::StableYield, What::Sell) => &[LeftOver],
        (Template::StableYield, What::Remove) => &[PoolPaysNot, LeftRange, Outgrown],
        (Template::LpManagement, What::Buy) => &[PoolPays, MoreAsset],
        (Template::LpManagement, What::Sell) => &[LessAsset],
        (Template::LpManagement, What::Remove) => &[PoolPaysNot, LeftRange],
        _ => &[],
    }
}

/// The sum on the last line closes.
fn closes(totals: &Totals, template: &str) {
    let [realised, gas, held] = [totals.realised.0, totals.gas.0 as i64, totals.gas_held().0 as i64];
    assert_eq!(realised - gas + held, totals.profit.0, "{template}");
    assert!(totals.gas_held() <= totals.gas, "{template}: more gas is held than was paid");
}

/// Every trade says why and what came of it, and no line is too wide.
fn shows(trades: &Trades) {
    for trade in trades.all().iter().filter(|t| t.is_done()) {
        assert!(!trade.why.is_empty() && trade.because.is_some(), "{trade:?}");
        assert!(trade.price.is_some_and(|p| p > 0.0), "{trade:?}");
        assert!(trade.profit.is_none() == trade.what.opens(), "{trade:?}");
        match trade.what {
            What::Buy | What::Sell => assert!(trade.fee_paid > Usdc::ZERO, "{trade:?}"),
            What::Collect => assert!(trade.fee_earned > Usdc::ZERO, "{trade:?}"),
            _ => assert_eq!(trade.fee_paid, Usdc::ZERO, "{trade:?}"),
        }
    }
    let later = trades.all().iter().filter(|t| t.came.later.is_some()).count();
    assert!(later + 40 > trades.all().len(), "{later} of {} know the price of an hour later", trades.all().len());
    assert!(trades.all().iter().any(|t| !t.aftermath().is_empty()));
    for line in table(trades.all()).into_iter().chain(total_lines(&trades.totals(), true)) {
        assert!(columns(&line) <= WIDTH, "{} columns: {line}", columns(&line));
    }
}

/// Whoever begins to look somewhere in a life does not know what was paid for what is sold: no gain is made up.
#[test]
fn whoever_looks_from_the_middle_on_tells_the_golems_own_word() {
    let mut sold = 0;
    for (seed, template) in (21..).zip(TEMPLATES) {
        let (facts, _) = live(&mut busy(template, seed), 8_000);
        let mut whole = Trades::default();
        for fact in &facts {
            whole.see(fact);
        }
        for from in (0..facts.len()).step_by(facts.len() / 5) {
            let mut part = Trades::midway();
            for fact in &facts[from..] {
                part.see(fact);
            }
            for trade in part.all() {
                let same = whole.all().iter().find(|t| (t.tick, t.number) == (trade.tick, trade.number)).unwrap();
                assert_eq!(trade.profit, None, "{template}: {trade:?}");
                assert_eq!(trade.realised, same.realised, "{template}: {trade:?}");
                let told = trade.sentence();
                assert_eq!(told.contains("before gas"), same.realised.0 != 0, "{template}: {told}");
                assert!(told.contains("before gas") || !(told.contains("gain") || told.contains("loss")), "{told}");
                sold += usize::from(same.realised.0 != 0);
            }
        }
    }
    assert!(sold > 10, "{sold}");
}

#[test]
fn the_fee_is_that_of_the_only_pool_there_is() {
    assert_eq!(POOL_FEE, golem_venue::pool::FEE);
}

#[test]
fn large_amounts_fit_too() {
    let (facts, _) = live(&mut busy(TEMPLATES[2], 5), 1_500);
    let mut trades = Trades::default();
    for fact in &facts {
        trades.see(fact);
    }
    let mut huge = trades.all()[0].clone();
    huge.usdc.0 = -123_456_789_012_345_678;
    huge.asset = 123_456 * Asset::WHOLE as i128 + 1;
    huge.price = Some(9_876_543.21);
    huge.gas = Usdc(98_765_432_109);
    huge.fee_paid = Usdc(987_654_321_098);
    huge.profit = Some(golem_core::UsdcDelta(-98_765_432_109_876));
    huge.why = "because \"it\", and\nthat".repeat(30);
    let mut tiny = huge.clone();
    (tiny.usdc.0, tiny.asset, tiny.price) = (1, -1, Some(1e-9));
    (tiny.gas, tiny.fee_paid, tiny.fee_earned) = (Usdc(1), Usdc(0), Usdc(1));
    for line in table(&[huge.clone(), tiny]) {
        assert!(columns(&line) <= WIDTH, "{} columns: {line}", columns(&line));
    }
    assert!(csv_row(&huge).ends_with("\"\"it\"\", and\nthat\""), "quotes are doubled, and the cell is quoted");
}
