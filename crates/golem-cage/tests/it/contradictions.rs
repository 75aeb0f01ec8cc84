//! Previews that are of something else than their intent: each is bent in one place and denied.

use crate::kit::{Desk, usd, worth};
use crate::rules::{kept, some};
use golem_cage::{Contradiction, Denial};
use golem_core::intent::{Asset, Outcome};
use golem_core::venue::{Range, Wide};
use golem_core::{Action, Intent, Preview, Usdc};

/// Each way in which a preview can be of something else than its intent.
#[test]
fn a_preview_that_contradicts_itself_is_denied() {
    use Contradiction::{Actions, Books, NoPrice, Outcome as Wrong};
    type Bend = fn(&mut Preview);
    let buy = || some().buy(50);
    let add = || some().add(50, 50);
    let new = || Desk { position: None, ..some() }.add(50, 50);
    let part = || some().remove(5_000);
    let moved = || some().rebalance(usd(100).0, usd(100).0);
    let cases: Vec<(&str, Preview, Bend, Contradiction)> = vec![
        ("nothing sent", buy(), |p| p.actions.clear(), Actions),
        ("sent twice", buy(), |p| p.actions.push(p.actions[0]), Actions),
        ("more paid", buy(), |p| p.actions[0] = Action::Buy { pay: Usdc(51), min_out: worth(50) }, Actions),
        ("other minimum", buy(), |p| p.actions[0] = Action::Buy { pay: Usdc(50), min_out: worth(49) }, Actions),
        ("other kind", buy(), |p| p.actions[0] = Action::Sell { give: worth(50), min_out: Usdc(50) }, Actions),
        (
            "sell sends a buy",
            some().sell(50),
            |p| p.actions[0] = Action::Buy { pay: Usdc(50), min_out: Asset(1) },
            Actions,
        ),
        (
            "sell sends more",
            some().sell(50),
            |p| p.actions[0] = Action::Sell { give: worth(51), min_out: Usdc(50) },
            Actions,
        ),
        (
            "add sends more USDC",
            add(),
            |p| {
                if let Action::Mint { pay, .. } = &mut p.actions[0] {
                    pay.0 += 1;
                }
            },
            Actions,
        ),
        (
            "add sends more of the asset",
            add(),
            |p| {
                if let Action::Mint { give, .. } = &mut p.actions[0] {
                    give.0 += 1;
                }
            },
            Actions,
        ),
        (
            "add to another position",
            add(),
            |p| {
                if let Action::Mint { position, .. } = &mut p.actions[0] {
                    *position = Some(12);
                }
            },
            Actions,
        ),
        (
            "add beside the open position",
            add(),
            |p| {
                if let Action::Mint { position, .. } = &mut p.actions[0] {
                    *position = None;
                }
            },
            Actions,
        ),
        (
            "add to another range",
            add(),
            |p| {
                if let Action::Mint { range, .. } = &mut p.actions[0] {
                    *range = Range { lower: -600, upper: 610 };
                }
            },
            Actions,
        ),
        (
            "add to a position that is not there",
            new(),
            |p| {
                if let Action::Mint { position, .. } = &mut p.actions[0] {
                    *position = Some(11);
                }
            },
            Actions,
        ),
        ("add burns", add(), |p| p.actions = some().remove(10).actions, Actions),
        (
            "remove more than all",
            part(),
            |p| {
                if let Intent::Remove { share_bps, .. } = &mut p.intent {
                    *share_bps = 10_001;
                }
            },
            Actions,
        ),
        (
            "burn more than there is",
            some().remove(10_000),
            |p| {
                if let Action::Burn { liquidity, .. } = &mut p.actions[0] {
                    *liquidity += 1;
                }
            },
            Actions,
        ),
        (
            "burn more than there is, without closing",
            part(),
            |p| {
                if let Action::Burn { liquidity, .. } = &mut p.actions[0] {
                    *liquidity = u128::MAX;
                }
            },
            Actions,
        ),
        (
            "burn of another position",
            part(),
            |p| {
                if let Action::Burn { position, .. } = &mut p.actions[0] {
                    *position = 12;
                }
            },
            Actions,
        ),
        (
            "close with something left",
            part(),
            |p| {
                if let Action::Burn { close, .. } = &mut p.actions[0] {
                    *close = true;
                }
            },
            Actions,
        ),
        ("remove without a position", part(), |p| p.before.position = None, Actions),
        ("remove that collects", part(), |p| p.actions[0] = Action::Collect { position: 11 }, Actions),
        ("collect of another", some().collect(5), |p| p.actions[0] = Action::Collect { position: 12 }, Actions),
        ("collect without a position", some().collect(5), |p| p.before.position = None, Actions),
        ("move without burning", moved(), |p| p.actions = p.actions[1..].to_vec(), Actions),
        ("move without minting", moved(), |p| p.actions.truncate(1), Actions),
        (
            "move without closing",
            moved(),
            |p| {
                if let Action::Burn { close, .. } = &mut p.actions[0] {
                    *close = false;
                }
            },
            Actions,
        ),
        (
            "move into the old position",
            moved(),
            |p| {
                if let Action::Mint { position, .. } = &mut p.actions[1] {
                    *position = Some(11);
                }
            },
            Actions,
        ),
        ("another amount paid", buy(), |p| p.outcome = Outcome::Bought { paid: Usdc(49), got: worth(50) }, Wrong),
        (
            "another amount given",
            some().sell(50),
            |p| p.outcome = Outcome::Sold { gave: worth(49), got: Usdc(50) },
            Wrong,
        ),
        ("a buy that sells", buy(), |p| p.outcome = Outcome::Sold { gave: worth(50), got: Usdc(50) }, Wrong),
        ("a buy that holds", buy(), |p| p.outcome = Outcome::Held, Wrong),
        ("more added", add(), |p| p.outcome = Outcome::Added { paid: Usdc(51), gave: worth(50), liquidity: 1 }, Wrong),
        ("more given", add(), |p| p.outcome = Outcome::Added { paid: Usdc(50), gave: worth(51), liquidity: 1 }, Wrong),
        (
            "more put into the new range",
            moved(),
            |p| {
                if let Outcome::Moved { paid, .. } = &mut p.outcome {
                    paid.0 += 1;
                }
            },
            Wrong,
        ),
        (
            "more given to the new range",
            moved(),
            |p| {
                if let Outcome::Moved { gave, .. } = &mut p.outcome {
                    gave.0 += 1;
                }
            },
            Wrong,
        ),
        (
            "other liquidity",
            part(),
            |p| {
                if let Outcome::Removed { liquidity, .. } = &mut p.outcome {
                    *liquidity -= 1;
                }
            },
            Wrong,
        ),
        ("less USDC afterwards", buy(), |p| p.after.usdc.0 -= 1, Books),
        ("more USDC afterwards", buy(), |p| p.after.usdc.0 += 1, Books),
        ("less of the asset afterwards", buy(), |p| p.after.asset.0 -= 1, Books),
        ("more of the asset afterwards", buy(), |p| p.after.asset.0 += 1, Books),
        ("too much of the asset to reckon with", some().sell(50), |p| p.before.asset.0 = u128::MAX, Books),
        ("no price", buy(), |p| p.before.pool.sqrt_price_x96 = Wide([0; 4]), NoPrice),
        ("no price to sell at", some().sell(50), |p| p.before.pool.sqrt_price_x96 = Wide([0; 4]), NoPrice),
        ("no price to add at", add(), |p| p.before.pool.sqrt_price_x96 = Wide([0; 4]), NoPrice),
    ];
    for (name, mut preview, bend, how) in cases {
        assert_eq!(kept().why(&preview), "permitted", "{name}, before it is bent");
        bend(&mut preview);
        assert_eq!(kept().ask(&preview).unwrap_err(), Denial::Contradiction { how }, "{name}");
    }
}
