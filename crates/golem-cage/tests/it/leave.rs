//! What leaves the books leaves them by leave alone: as much of it as was given, of that kind, once.

use crate::kit::{Desk, Kept, as_predicted, desk, usd, worth};
use golem_cage::{CageAsk, Denial, GoingLeave, Permit};
use golem_core::intent::{Asset, Outcome};
use golem_core::venue::Gas;
use golem_core::{Action, HomeSum, Intent, Preview, Tick, Usdc};
use proptest::prelude::*;

/// A desk of a hundred USDC and asset worth fifty.
fn held() -> Desk {
    Desk { asset: usd(50).0, ..desk(100) }
}

fn going(from: Desk, intent: Intent, action: Action, outcome: Outcome) -> Preview {
    let [usdc, asset, _] = golem_core::verification::flows(&outcome);
    let micro = |x: i128| u64::try_from(x.unsigned_abs()).unwrap_or(u64::MAX);
    let asset = u64::try_from(asset.unsigned_abs() / crate::kit::UNIT).unwrap_or(u64::MAX);
    let after = Desk { usdc: from.usdc.saturating_sub(micro(usdc)), asset: from.asset.saturating_sub(asset), ..from };
    let gas = Gas { charged: 51_000, used: 0, cost: Usdc(1) };
    // The shape of an honest sale, with something else in it.
    let plain = from.sell(1);
    Preview { intent, actions: vec![action], outcome, gas, before: from.book(), after: after.book(), ..plain }
}

fn home(sum: HomeSum) -> Preview {
    going(held(), Intent::Home { sum }, Action::Home { sum }, Outcome::SentHome { sum })
}

fn unwrap(give: Asset) -> Preview {
    going(held(), Intent::Unwrap { give }, Action::Unwrap { give }, Outcome::Unwrapped { gave: give })
}

fn asked(kept: &mut Kept, preview: &Preview, leave: &mut GoingLeave) -> Result<Permit, Denial> {
    let ask = CageAsk { tick: Tick(kept.tick), now: kept.now(), nav: kept.nav, preview };
    kept.cage.ask_by_leave(&ask, leave, &kept.config, &mut kept.facts)
}

#[test]
fn without_leave_nothing_goes_whoever_asks() {
    let sums = [HomeSum::Usdc(Usdc(1)), HomeSum::Usdc(usd(100)), HomeSum::Asset(worth(5)), HomeSum::Coin(Asset(5))];
    let mut kept = Kept::new(usd(150));
    for preview in sums.map(home).into_iter().chain([unwrap(worth(5))]) {
        assert_eq!(kept.ask(&preview).err(), Some(Denial::NoLeave), "{preview:?}");
    }
    // Not even where everything else may go on: a halt, a breaker and an empty purse change nothing about it.
    kept.halt();
    assert_eq!(kept.why(&home(HomeSum::Usdc(Usdc(1)))), "no_leave");
}

#[test]
fn leave_is_for_a_kind_and_an_amount_and_is_used_up() {
    let mut kept = Kept::new(usd(150));
    let mut leave = GoingLeave { usdc: usd(60), asset: worth(7), ..GoingLeave::default() };
    let beyond = |asked: Usdc, left: Usdc| Denial::BeyondLeave { asked: asked.0.into(), left: left.0.into() };
    let more = Usdc(usd(60).0 + 1);
    for (preview, want) in [
        (home(HomeSum::Usdc(more)), beyond(more, usd(60))),
        (home(HomeSum::Usdc(Usdc(0))), beyond(Usdc(0), usd(60))),
        (home(HomeSum::Coin(Asset(1))), Denial::NoLeave),
        (unwrap(worth(1)), Denial::NoLeave),
        (home(HomeSum::Asset(worth(8))), Denial::BeyondLeave { asked: worth(8).0, left: worth(7).0 }),
    ] {
        assert_eq!(asked(&mut kept, &preview, &mut leave).err(), Some(want), "{preview:?}");
    }
    assert_eq!(leave, GoingLeave { usdc: usd(60), asset: worth(7), ..GoingLeave::default() }, "no denial uses it up");
    let first = home(HomeSum::Usdc(usd(40)));
    let permit = asked(&mut kept, &first, &mut leave).unwrap();
    assert_eq!((permit.max_usdc(), permit.max_asset(), permit.actions()), (usd(40), Asset(0), &first.actions[..]));
    kept.settle(permit, &as_predicted(&first));
    let again = home(HomeSum::Usdc(Usdc(usd(20).0 + 1)));
    assert_eq!(asked(&mut kept, &again, &mut leave).err(), Some(beyond(Usdc(usd(20).0 + 1), usd(20))));
    let rest = home(HomeSum::Usdc(usd(20)));
    let permit = asked(&mut kept, &rest, &mut leave).unwrap();
    kept.settle(permit, &as_predicted(&rest));
    assert_eq!(asked(&mut kept, &home(HomeSum::Usdc(Usdc(1))), &mut leave).err(), Some(Denial::NoLeave));
    let asset = home(HomeSum::Asset(worth(7)));
    let permit = asked(&mut kept, &asset, &mut leave).unwrap();
    assert!(!permit.covers(0, &first.actions[0]) && permit.covers(0, &asset.actions[0]));
}

#[test]
fn a_preview_that_sends_something_else_than_it_says_is_refused_with_all_leave_given() {
    let all =
        || GoingLeave { usdc: usd(100), asset: worth(50_000_000), coin: Asset(u128::MAX), unwrap: Asset(u128::MAX) };
    let (usdc, asset) = (HomeSum::Usdc(usd(10)), HomeSum::Asset(worth(10)));
    let honest = home(usdc);
    let cases = [
        ("another token", Preview { actions: vec![Action::Home { sum: asset }], ..honest.clone() }),
        ("more", Preview { actions: vec![Action::Home { sum: HomeSum::Usdc(usd(11)) }], ..honest.clone() }),
        ("twice", Preview { actions: vec![Action::Home { sum: usdc }, Action::Home { sum: usdc }], ..honest.clone() }),
        ("a swap", Preview { actions: vec![Action::Buy { pay: usd(10), min_out: Asset(1) }], ..honest.clone() }),
        ("another outcome", Preview { outcome: Outcome::SentHome { sum: asset }, ..honest.clone() }),
        ("books that do not show it", Preview { after: honest.before, ..honest.clone() }),
        ("a transfer in the name of a sale", Preview { intent: held().sell(5).intent, ..honest.clone() }),
        ("a transfer in the name of unwrapping", Preview { intent: Intent::Unwrap { give: worth(10) }, ..honest }),
    ];
    for (what, preview) in cases {
        let why = asked(&mut Kept::new(usd(150)), &preview, &mut all()).err().map(|why| why.name());
        assert_eq!(why, Some("contradiction"), "{what}");
    }
}

/// A transfer that is denied has moved nothing: whoever is previewed on top of it stands on nothing, and must not be let in
/// because the transfer would have made room.
#[test]
fn nothing_is_opened_on_top_of_a_transfer_that_was_denied() {
    let mut kept = Kept::new(usd(150));
    let away = home(HomeSum::Asset(worth(usd(50).0)));
    assert_eq!(kept.ask(&away).err(), Some(Denial::NoLeave));
    let emptied = Desk { asset: 0, ..held() };
    assert_eq!(kept.ask(&emptied.buy(usd(5).0)).err(), Some(Denial::Unfounded));
    assert!(kept.ask(&held().buy(usd(5).0)).is_ok(), "on what is really there it is judged as always");
}

#[test]
fn gas_that_eats_what_goes_is_refused_and_money_that_went_home_is_no_drawdown() {
    let mut kept = Kept::new(usd(150));
    let mut leave = GoingLeave { usdc: usd(100), ..GoingLeave::default() };
    let mut dear = home(HomeSum::Usdc(usd(10)));
    dear.gas.cost = usd(6);
    assert_eq!(asked(&mut kept, &dear, &mut leave).err().map(|why| why.name()), Some("gas"));
    // Half of everything goes home in one turn: no breaker trips, and what was lost before stays lost.
    kept.see(usd(200));
    kept.wait(60);
    kept.see(usd(196));
    kept.cage.sent_home(usd(98));
    kept.wait(60);
    kept.see(usd(98));
    assert_eq!(kept.cage.breaker(), golem_cage::BreakerLevel::Calm);
    assert!(kept.facts.iter().all(|f| !matches!(f, golem_cage::CageFact::Breaker { .. })), "{:?}", kept.facts);
    kept.wait(60);
    kept.see(usd(60));
    assert_ne!(kept.cage.breaker(), golem_cage::BreakerLevel::Calm, "a real loss is one");
}

proptest! {
    /// Whatever is asked in whatever order, no more of a kind goes than leave was given for it.
    #[test]
    fn no_more_goes_than_leave_was_given(
        given in (0u64..200, 0u64..80, 0u64..50, 0u64..50),
        asks in prop::collection::vec((0u8..4, 0u64..120), 1..40),
    ) {
        let mut kept = Kept::new(usd(150));
        let (usdc, asset, coin, into_coin) = given;
        let mut leave = GoingLeave {
            usdc: Usdc(usdc), asset: worth(asset), coin: Asset(coin.into()), unwrap: worth(into_coin),
        };
        let mut went = [0u128; 4];
        for (kind, amount) in asks {
            let preview = match kind {
                0 => home(HomeSum::Usdc(Usdc(amount))),
                1 => home(HomeSum::Asset(worth(amount))),
                2 => home(HomeSum::Coin(Asset(amount.into()))),
                _ => unwrap(worth(amount)),
            };
            if let Ok(permit) = asked(&mut kept, &preview, &mut leave) {
                went[usize::from(kind)] += u128::from(amount);
                kept.settle(permit, &as_predicted(&preview));
            }
            prop_assert!(kept.ask(&preview).is_err(), "never by the ordinary door");
        }
        let most = [usdc, asset, coin, into_coin].map(u128::from);
        prop_assert!(went.iter().zip(most).all(|(went, most)| *went <= most), "{went:?} of {most:?}");
    }
}
