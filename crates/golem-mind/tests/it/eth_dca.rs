//! eth-dca: the same amount in every stretch, whatever happens, and never a sale.

use crate::kit;
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::{Elapsed, Intent, Preview, RawObservation, Receipt, Usdc};
use golem_mind::{Learning, Outlook, Permissions, PolicyConfig, Template};
use kit::{Life, Market, Trader, Venue, calm, live};

const TEMPLATE: Template = Template::EthDca;

fn spent(intents: &[Intent]) -> u64 {
    intents.iter().map(|i| if let Intent::Buy { pay, .. } = i { pay.0 } else { 0 }).sum()
}

#[test]
fn one_purchase_in_every_stretch() {
    for (every, step) in [(2_160, 1), (2_160, 2), (2_160, 90), (100, 7), (90, 90), (10, 1)] {
        let mut trader = Trader::new(TEMPLATE, 1_000);
        trader.config.eth_dca.every_ticks = every;
        let mut bought = Vec::new();
        for t in 0..30 * every / step {
            let falls = Outlook { price: Some(2_000.0 - t as f64 / 100.0), ..calm() };
            if spent(&trader.turn(if t == 0 { 0 } else { step }, &falls, &Permissions::ALL)) > 0 {
                bought.push(trader.tick / every);
            }
        }
        let expected: Vec<u64> = (0..bought.len() as u64).collect();
        assert_eq!(bought, expected, "every {every} in steps of {step}");
        assert!((29..=30).contains(&bought.len()), "{bought:?}");
        assert_eq!(trader.venue.holdings.capital, Usdc::whole(1_000 - bought.len() as u64));
    }
}

#[test]
fn a_life_of_it_never_sells_and_ends_with_the_capital() {
    for may in [Permissions::ALL, Permissions::REDUCE] {
        let (mut market, mut life, mut venue) = (Market::new(4), Life::new(), Venue::new(Usdc::whole(12), 5.0));
        let config = PolicyConfig { template: TEMPLATE, ..Default::default() };
        let mut actions = 0;
        for t in 0..2_160 * 20u64 {
            let raw = market.tick();
            // The first turn is at tick 1, so this is the whole of five stretches.
            let now_may = if t < 2_160 * 5 - 1 { &Permissions::ALL } else { &may };
            let intents = live(&mut life, &mut venue, &raw, Learning::FULL, now_may, &config);
            assert!(intents.iter().all(|i| matches!(i, Intent::Buy { .. })), "{intents:?}");
            actions += intents.len();
        }
        let expected = if may.may_open { 12 } else { 5 };
        assert_eq!(actions, expected);
        assert_eq!(venue.holdings.capital, Usdc::whole(12 - expected as u64));
    }
}

#[test]
fn amounts_follow_risk_dips_and_what_is_left() {
    let buy = |config: &dyn Fn(&mut PolicyConfig), capital: u64, outlook: &Outlook, risk: f64| {
        let mut trader = Trader::new(TEMPLATE, 0);
        trader.venue.holdings.capital = Usdc(capital);
        config(&mut trader.config);
        spent(&trader.turn(0, outlook, &Permissions { risk, ..Permissions::ALL }))
    };
    let plain = |_: &mut PolicyConfig| {};
    let dips = |c: &mut PolicyConfig| c.eth_dca.dip_multiplier = 3.0;
    let below = |share: f64| Outlook { day_mean: Some(libm::log(2_000.0 / (1.0 - share))), ..calm() };
    assert_eq!(buy(&plain, 50_000_000, &calm(), 1.0), 1_000_000);
    assert_eq!(buy(&plain, 50_000_000, &calm(), 0.8), 800_000);
    assert_eq!(buy(&plain, 50_000_000, &calm(), 0.1), 500_000, "never less than a trade");
    assert_eq!(buy(&plain, 50_000_000, &calm(), 0.0), 0);
    assert_eq!(buy(&plain, 700_000, &calm(), 1.0), 700_000, "the rest");
    assert_eq!(buy(&plain, 400_000, &calm(), 1.0), 0, "too little to be a trade");
    assert_eq!(buy(&dips, 50_000_000, &below(0.04), 1.0), 1_000_000);
    assert_eq!(buy(&dips, 50_000_000, &below(0.06), 1.0), 3_000_000);
    assert_eq!(buy(&plain, 50_000_000, &below(0.06), 1.0), 1_000_000);
    let dear = Outlook { log_gas: Some(libm::log(1.0)), ..calm() };
    assert_eq!(buy(&plain, 50_000_000, &dear, 1.0), 0, "0.36 USDC of gas for a purchase of one");
    let falling = Outlook { mean_return: Some(-0.05), log_vol: Some(-2.0), ..calm() };
    assert_eq!(buy(&plain, 50_000_000, &falling, 1.0), 1_000_000, "whatever the forecast says");
}

#[test]
fn a_purchase_that_was_refused_is_tried_again_in_its_stretch() {
    let (mut life, mut attempts) = (Life::new(), Vec::new());
    let config = PolicyConfig { template: TEMPLATE, ..Default::default() };
    let venue = Venue::new(Usdc::whole(50), 5.0);
    for t in 1..2_160u64 {
        let raw = RawObservation { price: Some(2_000.0), gas_gwei: Some(0.01), ..Default::default() };
        life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
        let value = venue.value(2_000.0);
        for intent in life.mind.decide(life.now, &venue.holdings, &value, &Permissions::ALL, &config) {
            attempts.push(t);
            let Intent::Buy { pay, min_out } = intent else { panic!("{intent:?}") };
            let mut preview = Preview::refused(intent, Refusal::NoMarket);
            preview.outcome = Outcome::Bought { paid: pay, got: Asset(min_out.0 + 1) };
            let mut receipt = Receipt::kept_back(intent, Refusal::Slippage);
            if attempts.len() == 3 {
                receipt.outcome = preview.outcome;
            }
            life.mind.verify(&preview, &receipt, Learning::FULL, &mut Vec::new());
        }
    }
    assert_eq!(attempts, [1, 91, 181], "twice refused, after the cooldown each time, then it was enough");
}
