//! Value is given up near the reference only: opening strictly, selling after a bounded wait, and in parts without one.

use crate::kit::{Desk, Kept, reference, usd};
use crate::rules::{kept, some};
use golem_core::intent::Outcome;
use golem_core::{Action, Intent, Preview, ReferenceKind, ReferencePrice, Usdc};

/// The pool at a tick, with its reference at another.
fn at(preview: Preview, spot: i32, tick: i32) -> Preview {
    let mut preview = Preview { reference: Some(reference(tick).beside(spot)), ..preview };
    preview.before.pool.tick = spot;
    preview
}

fn all() -> [Preview; 5] {
    [
        some().buy(usd(10).0),
        some().add(usd(10).0, usd(10).0),
        some().rebalance(usd(100).0, usd(100).0),
        some().sell(usd(10).0),
        some().remove(1_000),
    ]
}

#[test]
fn nothing_is_given_up_away_from_the_reference() {
    // A tick is a ten-thousandth: 149 of them are 150 basis points, 151 are more.
    for off in [149, -149] {
        for preview in all() {
            assert_eq!(kept().why(&at(preview, 0, off)), "permitted", "{off}");
        }
    }
    for preview in all() {
        let reduces = matches!(preview.intent, Intent::Sell { .. });
        assert_eq!(kept().why(&at(preview.clone(), 0, 300)), if reduces { "permitted" } else { "off_reference" });
        assert_eq!(kept().why(&at(preview, 0, -300)), "off_reference", "the asset is cheaper than its reference");
    }
    // Taking fees gives nothing up.
    assert_eq!(kept().why(&at(some().collect(5), 0, -5_000)), "permitted");
    // A bar may move further the longer it is.
    for (window_s, expected) in [(1_800, "off_reference"), (3_600, "permitted"), (86_400, "permitted")] {
        let mut preview = at(some().buy(usd(10).0), 0, 200);
        preview.reference = preview.reference.map(|r| ReferencePrice { kind: ReferenceKind::LastBar, window_s, ..r });
        assert_eq!(kept().why(&preview), expected, "{window_s}");
    }
}

#[test]
fn what_asks_for_the_better_price_need_not_wait() {
    // Three per cent below the reference; at least the reference's price less slippage is asked for.
    let preview = at(some().sell(usd(100).0), 0, -296);
    assert_eq!(kept().why(&preview), "off_reference");
    let dear = Usdc(usd(102).0 + 500_000);
    let Intent::Sell { give, .. } = preview.intent else { panic!("a sale") };
    let mut better = Preview {
        intent: Intent::Sell { give, min_out: dear },
        actions: vec![Action::Sell { give, min_out: dear }],
        outcome: Outcome::Sold { gave: give, got: usd(103) },
        ..preview
    };
    better.after.usdc = better.before.usdc.plus(usd(103));
    assert_eq!(kept().why(&better), "permitted");
}

/// What the cage says; what is permitted comes true.
fn told(kept: &mut Kept, preview: &Preview) -> &'static str {
    kept.carry(preview).map_or_else(|why| why.name(), |()| "permitted")
}

/// A turn in which the pool is seen at a tick, with its reference at another.
fn look(kept: &mut Kept, spot: i32, tick: i32) -> bool {
    kept.wait(40);
    kept.cage.look(Some(reference(tick).beside(spot)), &kept.config)
}

#[test]
fn a_sale_waits_a_bounded_number_of_turns_and_a_push_never_passes() {
    let sale = |spot, tick| at(some().sell(usd(10).0), spot, tick);
    let mut kept = kept();
    assert!(look(&mut kept, 0, 0));
    // The market has fallen by a tenth and stays there: believed after five turns, and sold.
    for turn in 1..=5 {
        assert!(!look(&mut kept, 1_050, 0), "turn {turn}");
        assert_eq!(told(&mut kept, &sale(1_050, 0)), "off_reference");
    }
    assert!(look(&mut kept, 1_060, 0));
    assert_eq!(told(&mut kept, &sale(1_060, 0)), "permitted");
    assert_eq!(told(&mut kept, &at(some().buy(usd(10).0), 1_060, 0)), "off_reference", "opening waits for the mean");
    // A push on top of it is held against the turn before.
    assert!(!look(&mut kept, 2_100, 0));
    assert_eq!(told(&mut kept, &sale(2_100, 0)), "off_reference");
    assert!(!look(&mut kept, 1_060, 0), "and so is the way back");
    assert!(look(&mut kept, 1_060, 0));
    // Pushes of one turn in forty-five never get anywhere.
    for turn in 0..500 {
        let spot = if turn % 45 == 44 { 1_050 } else { 0 };
        assert_eq!(look(&mut kept, spot, 0), spot == 0, "turn {turn}");
        assert_eq!(told(&mut kept, &sale(spot, 0)) == "permitted", spot == 0, "turn {turn}");
    }
    // However wild it gets, the wait ends: what is allowed grows with it.
    let mut turns = 0;
    while !look(&mut kept, if turns % 2 == 0 { 3_000 } else { -3_000 }, 0) {
        turns += 1;
        assert!(turns < 300);
    }
}

#[test]
fn without_a_reference_nothing_is_opened_and_what_goes_goes_in_parts() {
    let blind = |preview: Preview| Preview { reference: None, ..preview };
    let desk = Desk { usdc: usd(600).0, asset: usd(200).0, position: Some((usd(100).0, usd(100).0)) };
    for (preview, expected) in [
        (desk.buy(usd(10).0), "no_reference"),
        (desk.add(usd(10).0, usd(10).0), "no_reference"),
        (desk.rebalance(usd(100).0, usd(100).0), "no_reference"),
        (desk.sell(usd(20).0), "permitted"),
        (desk.sell(usd(20).0 + 1), "no_reference"),
        (desk.remove(1_000), "permitted"),
        (desk.remove(1_001), "no_reference"),
        (desk.collect(5), "permitted"),
    ] {
        assert_eq!(kept().why(&blind(preview.clone())), expected, "{preview:?}");
    }
    // The last one that was known bounds what is asked for.
    let mut kept = kept();
    look(&mut kept, 0, -400);
    let cheap = blind(desk.sell_getting(usd(20).0, usd(20).0 - 100_000));
    assert_eq!(kept.why(&cheap), "off_reference");
    let mut turns = 0;
    while kept.why(&cheap) != "permitted" {
        kept.wait(40);
        assert!(kept.cage.look(None, &kept.config), "there is nothing to disbelieve it by");
        turns += 1;
        assert!(turns < 100);
    }
    assert_eq!(turns, 15, "three times the distance after three times the wait");
}

#[test]
fn turns_that_nobody_saw_were_not_waited_for() {
    let sale = |spot| at(some().sell(usd(10).0), spot, 0);
    let mut kept = kept();
    assert!(look(&mut kept, 0, 0));
    // Two turns away from the reference, then the nodes are gone for an hour.
    for _ in 0..2 {
        assert!(!look(&mut kept, 1_050, 0));
    }
    for _ in 0..100 {
        kept.wait(40);
        assert!(kept.cage.look(None, &kept.config));
    }
    // What is previewed before the next look is held against its reference, however long the golem was blind.
    assert_eq!(told(&mut kept, &sale(1_050)), "off_reference", "a reference is back between two looks");
    // The wait begins with the first look, however long nobody looked, and whatever stood there before is forgotten.
    for turn in 1..=5 {
        assert!(!look(&mut kept, 1_050, 0), "turn {turn}");
        assert_eq!(told(&mut kept, &sale(1_050)), "off_reference", "turn {turn}");
    }
    assert!(look(&mut kept, 1_050, 0));
    assert_eq!(told(&mut kept, &sale(1_050)), "permitted");
    // And nothing that was waited for in sight widens what is held against the last known one.
    let mut blind = Preview { reference: None, ..some().sell(usd(10).0) };
    blind.before.pool.tick = 1_050;
    assert_eq!(told(&mut kept, &blind), "off_reference");
}

#[test]
fn parts_without_a_reference_are_equal_and_come_to_an_end() {
    let mut kept = kept();
    look(&mut kept, 0, 0);
    // A tenth of what was held when the reference was lost, ten times over; never more than that in one of them.
    for left in (1..=10).rev() {
        kept.wait(40);
        assert!(kept.cage.look(None, &kept.config));
        let desk = Desk { usdc: usd(600).0, asset: usd(20 * left).0, position: None };
        let more = Preview { reference: None, ..desk.sell(usd(20).0 + 1) };
        assert_eq!(kept.why(&more), if left > 1 { "no_reference" } else { "contradiction" }, "{left}");
        assert_eq!(told(&mut kept, &Preview { reference: None, ..desk.sell(usd(20).0) }), "permitted", "{left}");
    }
    // Once there is one again, parts are measured anew.
    look(&mut kept, 0, 0);
    let desk = Desk { usdc: usd(600).0, asset: usd(100).0, position: None };
    assert_eq!(kept.why(&Preview { reference: None, ..desk.sell(usd(20).0) }), "no_reference");
    assert_eq!(kept.why(&Preview { reference: None, ..desk.sell(usd(10).0) }), "permitted");
}
