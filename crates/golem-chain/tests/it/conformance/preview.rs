//! A preview is what happens when nothing comes in between; when something does, the least result holds and the deviation
//! is recorded.

use super::common::{account, contracts};
use super::life::Life;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::dice::Dice;
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::verification::flows;
use golem_core::{Intent, OutcomeVerification, Preview, Receipt, Strand, Tick, Timestamp, Usdc};
use golem_venue::market::{Market, MarketConfig, OutsideTick};
use golem_venue::scenario::{Happening, ScenarioEvent};
use golem_venue::{Venue, act};
use std::collections::BTreeMap;

/// How many actions: more when there is time.
fn actions() -> usize {
    if std::env::var_os("BARDO_LONG").is_some() { 10_000 } else { 1_000 }
}

#[test]
fn a_preview_is_the_receipt_when_nothing_intervenes() {
    let mut counts = BTreeMap::new();
    for usdc_is_token0 in [true, false] {
        let Some(mut life) = Life::new(usdc_is_token0, 3) else { return };
        for n in 0..actions() / 2 {
            let lived = life.live(1).remove(0);
            let (preview, receipt) = (&lived.preview, &lived.receipt);
            let held = OutcomeVerification::of(Tick(n as u64), 0, preview, receipt);
            assert!(held.is_exact(), "action {n}: {held:?}");
            assert_eq!(receipt.after, Some(preview.after), "action {n}: {preview:?}");
            let deviations = &held.deviations;
            let changes = deviations.balance_change_bps;
            assert_eq!((changes.usdc, changes.asset, changes.liquidity), (Some(0), Some(0), Some(0)));
            assert_eq!(deviations.gas_deviation_bps, Some(0));
            let word = if preview.refusal().is_some() { "refused" } else { preview.intent.name() };
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    eprintln!("{counts:?}");
    for word in ["buy", "sell", "add", "remove", "collect", "rebalance", "refused"] {
        assert!(counts.get(word).copied().unwrap_or(0) >= 20, "{word}: {counts:?}");
    }
}

/// The wish with the least result that the preview makes reasonable: that much less, in basis points, than foreseen.
fn bounded(preview: &Preview, bps: u64) -> Intent {
    match (preview.intent, preview.outcome) {
        (Intent::Buy { pay, .. }, Outcome::Bought { got, .. }) => {
            Intent::Buy { pay, min_out: Asset(got.0 - got.0 / 10_000 * u128::from(bps)) }
        }
        (Intent::Sell { give, .. }, Outcome::Sold { got, .. }) => {
            Intent::Sell { give, min_out: Usdc(got.0 - got.0 / 10_000 * bps) }
        }
        (intent, _) => intent,
    }
}

/// What a receipt must respect, whatever others did: the bounds of the actions that were permitted.
fn hold_bounds(preview: &Preview, receipt: &Receipt) {
    use golem_core::Action;
    let refused = matches!(receipt.outcome, Outcome::Refused { .. });
    let [usdc, asset, liquidity] = flows(&receipt.outcome);
    if refused {
        assert_eq!([usdc, asset, liquidity], [0; 3]);
    }
    let int = |x: u128| i128::try_from(x).unwrap();
    match (preview.actions.as_slice(), refused) {
        ([Action::Buy { pay, min_out }], false) => {
            assert!(asset >= int(min_out.0) && usdc == -i128::from(pay.0), "{receipt:?}");
        }
        ([Action::Sell { give, min_out }], false) => {
            assert!(usdc >= i128::from(min_out.0) && asset == -int(give.0), "{receipt:?}");
        }
        ([Action::Mint { pay, give, min_pay, min_give, .. }], false) => {
            assert!((i128::from(min_pay.0)..=i128::from(pay.0)).contains(&-usdc), "{receipt:?}");
            assert!((int(min_give.0)..=int(give.0)).contains(&-asset), "{receipt:?}");
        }
        ([Action::Burn { liquidity: all, min_out, min_asset, .. }], false) => {
            assert!(usdc >= i128::from(min_out.0) && asset >= int(min_asset.0), "{receipt:?}");
            assert_eq!(liquidity, -int(*all));
        }
        _ => {}
    }
}

/// The deviation in basis points, reckoned once more.
fn apart(expected: i128, actual: i128) -> Option<i64> {
    match expected {
        0 => (actual == 0).then_some(0),
        _ => i64::try_from((actual - expected) * 10_000 / expected.abs()).ok(),
    }
}

#[test]
fn with_rivals_in_between_the_least_result_holds_and_the_deviation_is_recorded() {
    let Some(contracts) = contracts() else { return };
    let (mut moved, mut refused, mut fine) = (0, 0, 0);
    for usdc_is_token0 in [true, false] {
        let config = MarketConfig::default();
        let genesis = config.genesis(usdc_is_token0, 2_000.0, 1_700_000_000, None);
        let chain = EmbeddedChain::open_in_memory(contracts, &EmbeddedConfig::new(genesis.clone())).unwrap();
        let dice = Dice::open(4, Strand::Market);
        let mut market = Market::new(config, dice, Timestamp(1_700_000_040), genesis.liquidity);
        let lasting = |what| ScenarioEvent { at_tick: 0, for_ticks: 10_000, what };
        let rivals = lasting(Happening::Rivals { trades: 2, size_usdc: Usdc::whole(6_000) });
        let sandwich = lasting(Happening::Sandwich { times: 3.0, every: 3 });
        market.inject(&[rivals, sandwich], 0).unwrap();
        let mut life = Life::upon(chain, 8);
        for tick in 0..150 {
            market.step(&mut life.chain, tick, &OutsideTick::priced(2_000.0 + (tick % 7) as f64)).unwrap();
            let who = account(1 + (tick % 3) as u8);
            let book = life.chain.book(who).unwrap();
            let wish = life.wish(&book);
            let first = act::preview(&mut life.chain, who, &[wish], None).remove(0);
            let intent = bounded(&first, 10);
            let preview = act::preview(&mut life.chain, who, &[intent], None).remove(0);
            if preview.refusal().is_some() {
                continue;
            }
            market.before(&mut life.chain, &preview.actions, tick).unwrap();
            let before = life.chain.book(who).unwrap();
            let receipt = act::carry_out(&mut life.chain, who, &preview).unwrap();
            market.after(&mut life.chain).unwrap();

            hold_bounds(&preview, &receipt);
            let held = OutcomeVerification::of(Tick(tick), 0, &preview, &receipt);
            let (said, came) = (flows(&preview.outcome), flows(&receipt.outcome));
            let recorded = held.deviations.balance_change_bps;
            let reckoned = [0, 1, 2].map(|i| apart(said[i], came[i]));
            assert_eq!([recorded.usdc, recorded.asset, recorded.liquidity], reckoned, "{receipt:?}");
            assert_eq!(
                held.is_exact(),
                preview.outcome == receipt.outcome && preview.gas == receipt.gas && preview.logs == receipt.logs
            );
            // What the books say is what the outcome says.
            let after = receipt.after.expect("a book");
            assert_eq!(i128::from(after.usdc.0) - i128::from(before.usdc.0), came[0], "{receipt:?}");
            match receipt.outcome {
                Outcome::Refused { why } => {
                    assert_eq!(why, Refusal::Slippage, "{receipt:?}");
                    refused += 1;
                }
                outcome if outcome == preview.outcome => fine += 1,
                _ => moved += 1,
            }
        }
    }
    eprintln!("{moved} came otherwise within bounds, {refused} were refused, {fine} came as foreseen");
    assert!(moved >= 60 && refused >= 15, "{moved} moved, {refused} refused, {fine} as foreseen");
}
