//! Any sequence of any numbers: no cap is ever exceeded, what reduces is never held up by money, nothing depends on when
//! the process was restarted, nothing panics.

use crate::kit::watch::Watch;
use crate::kit::{Desk, Kept, as_predicted, usd, worth};
use golem_cage::{Cage, CageConfig, verify_audit};
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::venue::{VenueId, Wide};
use golem_core::{Action, Hash, Intent, Preview, Receipt, Usdc};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Wait(u64),
    Nav(u64),
    Fed(u64),
    Ask { kind: u8, desk: Desk, a: u64, b: u64, bend: Option<Bend> },
    Settle { which: usize, share: u64 },
    Halt,
    Resume,
    Restart,
}

/// One thing in a preview that is not as it should be.
#[derive(Debug, Clone)]
enum Bend {
    Actions(Vec<Action>),
    Outcome(Outcome),
    Intent(Intent),
    Before(u64, u128),
    After(u64, u128),
    Worth(u64, u64, u64),
    Root([u64; 4]),
    Venue,
    Code(u8),
    Reference(Option<i32>),
}

fn amount() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..=3_000_000_000_u64, 2 => 0..10_u64, 1 => any::<u64>(), 1 => (0..10_u64).prop_map(|n| u64::MAX - n)]
}

fn a_desk() -> impl Strategy<Value = Desk> {
    (amount(), amount(), prop::option::of((amount(), amount()))).prop_map(|(usdc, asset, position)| Desk {
        usdc,
        asset,
        position,
    })
}

fn an_action() -> impl Strategy<Value = Action> {
    (0..5_u8, amount(), amount(), any::<u128>(), any::<bool>()).prop_map(|(kind, a, b, liquidity, yes)| match kind {
        0 => Action::Buy { pay: Usdc(a), min_out: worth(b) },
        1 => Action::Sell { give: worth(a), min_out: Usdc(b) },
        2 => Action::Mint {
            position: yes.then_some(11),
            range: crate::kit::RANGE,
            pay: Usdc(a),
            give: worth(b),
            min_pay: Usdc(a),
            min_give: worth(b),
        },
        3 => Action::Burn { position: 11, liquidity, min_out: Usdc(a), min_asset: worth(b), close: yes },
        _ => Action::Collect { position: 11 },
    })
}

fn an_outcome() -> impl Strategy<Value = Outcome> {
    (0..7_u8, amount(), any::<u128>(), any::<u128>()).prop_map(|(kind, a, b, liquidity)| match kind {
        0 => Outcome::Bought { paid: Usdc(a), got: Asset(b) },
        1 => Outcome::Sold { gave: Asset(b), got: Usdc(a) },
        2 => Outcome::Added { paid: Usdc(a), gave: Asset(b), liquidity },
        3 => Outcome::Removed { liquidity, got: Usdc(a), got_asset: Asset(b) },
        4 => Outcome::Collected { got: Usdc(a), got_asset: Asset(b) },
        5 => Outcome::Moved {
            got: Usdc(a),
            got_asset: Asset(b),
            paid: Usdc(a),
            gave: Asset(b),
            had: liquidity,
            liquidity,
        },
        _ => Outcome::Refused { why: Refusal::Reverted },
    })
}

fn an_intent() -> impl Strategy<Value = Intent> {
    (0..7_u8, amount(), any::<u128>(), any::<u32>()).prop_map(|(kind, a, b, n)| match kind {
        0 => Intent::Hold,
        1 => Intent::Buy { pay: Usdc(a), min_out: Asset(b) },
        2 => Intent::Sell { give: Asset(b), min_out: Usdc(a) },
        3 => Intent::Add { pay: Usdc(a), give: Asset(b), width_bps: n, tolerance_bps: n % 200 },
        4 => Intent::Remove { share_bps: n, tolerance_bps: n % 200 },
        5 => Intent::Collect,
        _ => Intent::Rebalance { width_bps: n, tolerance_bps: n % 200 },
    })
}

fn a_bend() -> impl Strategy<Value = Bend> {
    // Changed code locks the rest of a script out, so it is rare.
    prop_oneof![50 => a_usual_bend(), 1 => any::<u8>().prop_map(Bend::Code)]
}

fn a_usual_bend() -> impl Strategy<Value = Bend> {
    prop_oneof![
        prop::collection::vec(an_action(), 0..3).prop_map(Bend::Actions),
        an_outcome().prop_map(Bend::Outcome),
        an_intent().prop_map(Bend::Intent),
        (amount(), any::<u128>()).prop_map(|(a, b)| Bend::Before(a, b)),
        (amount(), any::<u128>()).prop_map(|(a, b)| Bend::After(a, b)),
        (amount(), amount(), amount()).prop_map(|(a, b, c)| Bend::Worth(a, b, c)),
        any::<[u64; 4]>().prop_map(Bend::Root),
        Just(Bend::Venue),
        any::<Option<i32>>().prop_map(Bend::Reference),
    ]
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..4_000_u64).prop_map(Step::Wait),
        1 => (0..200_000_u64).prop_map(Step::Wait),
        3 => (900_000_000..1_100_000_000_u64).prop_map(Step::Nav),
        1 => prop_oneof![5 => 700_000_000..1_500_000_000_u64, 1 => amount()].prop_map(Step::Nav),
        1 => prop_oneof![5 => 0..100_000_000_u64, 1 => amount()].prop_map(Step::Fed),
        20 => (0..6_u8, a_desk(), amount(), amount(), prop::option::weighted(0.15, a_bend()))
            .prop_map(|(kind, desk, a, b, bend)| Step::Ask { kind, desk, a, b, bend }),
        12 => (any::<usize>(), 0..=100_u64).prop_map(|(which, share)| Step::Settle { which, share }),
        1 => Just(Step::Halt),
        3 => Just(Step::Resume),
        2 => Just(Step::Restart),
    ]
}

/// Most amounts are such that openings are often within the limits; the extreme ones stay.
fn small(x: u64, below: Usdc) -> u64 {
    if x < 3_000_000_000 { x % below.0 } else { x }
}

fn previewed(kind: u8, desk: Desk, a: u64, b: u64, bend: Option<&Bend>) -> Preview {
    let (a, b) = (small(a, usd(350)), small(b, usd(100)));
    // Most desks can pay for what is asked, and have what is reduced.
    let position = desk.position.map(|(a, b)| (small(a, usd(100)), small(b, usd(100))));
    let desk = Desk {
        usdc: desk.usdc.max(a),
        asset: small(desk.asset, usd(100)).max(b),
        position: if kind > 2 { position.or(Some((1_000, 2_000))) } else { position },
    };
    let mut preview = match kind {
        0 => desk.buy(a),
        1 => desk.sell(b),
        2 => desk.add(a, b),
        3 => desk.remove(u32::try_from(a % 10_001).unwrap()),
        4 => desk.collect(a),
        _ => desk.rebalance(a, b),
    };
    match bend {
        None => {}
        Some(Bend::Actions(actions)) => preview.actions = actions.clone(),
        Some(Bend::Outcome(outcome)) => preview.outcome = *outcome,
        Some(Bend::Intent(intent)) => preview.intent = *intent,
        Some(Bend::Before(a, b)) => (preview.before.usdc, preview.before.asset) = (Usdc(*a), Asset(*b)),
        Some(Bend::After(a, b)) => (preview.after.usdc, preview.after.asset) = (Usdc(*a), Asset(*b)),
        Some(Bend::Worth(a, b, c)) => {
            let worth = &mut preview.after.worth;
            (worth.position, worth.exposure, worth.fees) = (Usdc(*a), Usdc(*b), Usdc(*c));
        }
        Some(Bend::Root(root)) => preview.before.pool.sqrt_price_x96 = Wide(*root),
        Some(Bend::Venue) => preview.venue = VenueId::UniswapV2,
        Some(Bend::Code(byte)) => preview.code = Hash([*byte; 32]),
        Some(Bend::Reference(tick)) => preview.reference = tick.map(crate::kit::reference),
    }
    preview
}

/// What actions can take out at most, in micro-USDC at the kit's price.
fn at_worst(actions: &[Action]) -> u128 {
    actions
        .iter()
        .map(|action| match action {
            Action::Buy { pay, .. } => u128::from(pay.0),
            Action::Mint { pay, give, .. } => u128::from(pay.0) + give.0.div_ceil(crate::kit::UNIT),
            _ => 0,
        })
        .sum()
}

/// A receipt in which so many per cent of what was predicted moved.
fn receipt(preview: &Preview, share: u64) -> (Receipt, u128) {
    let part = |x: Usdc| Usdc(u64::try_from(u128::from(x.0) * u128::from(share) / 100).unwrap());
    let part_asset = |x: Asset| Asset(x.0 / 100 * u128::from(share));
    let mut receipt = as_predicted(preview);
    receipt.outcome = match receipt.outcome {
        _ if share == 0 => Outcome::Refused { why: Refusal::Slippage },
        Outcome::Bought { paid, got } => Outcome::Bought { paid: part(paid), got },
        Outcome::Added { paid, gave, liquidity } => {
            Outcome::Added { paid: part(paid), gave: part_asset(gave), liquidity }
        }
        Outcome::Moved { got, got_asset, paid, gave, had, liquidity } => {
            Outcome::Moved { got, got_asset, paid: part(paid), gave: part_asset(gave), had, liquidity }
        }
        other => other,
    };
    let moved = match receipt.outcome {
        Outcome::Bought { paid, .. } => u128::from(paid.0),
        Outcome::Added { paid, gave, .. } | Outcome::Moved { paid, gave, .. } => {
            u128::from(paid.0) + gave.0 / crate::kit::UNIT
        }
        _ => 0,
    };
    (receipt, moved)
}

const ABOUT_MONEY: [&str; 9] =
    ["per_tx", "per_hour", "per_day", "per_life", "position", "exposure", "halted", "breaker", "breaker_hold"];

struct Run {
    kept: Kept,
    permits: usize,
    denials: Vec<&'static str>,
}

fn run(steps: &[Step], restarts: bool, change: fn(&mut CageConfig)) -> Result<Run, TestCaseError> {
    let mut kept = Kept::with(usd(1_000), change);
    let (mut watch, mut waiting) = (Watch::default(), Vec::new());
    let (mut permits, mut denials) = (0, Vec::new());
    for step in steps {
        match step {
            Step::Wait(seconds) => kept.wait(*seconds),
            Step::Nav(nav) => {
                kept.see(Usdc(*nav));
                watch.saw(kept.now().0, Usdc(*nav));
            }
            Step::Fed(amount) => {
                kept.cage.fed(Usdc(*amount));
                watch.fed(Usdc(*amount));
            }
            Step::Ask { kind, desk, a, b, bend } => {
                let preview = previewed(*kind, *desk, *a, *b, bend.as_ref());
                let reduces = preview.intent.only_reduces();
                // Other books are mostly those of another turn; sometimes they are made up within one.
                kept.tick += u64::from(a % 8 != 0);
                let halted = kept.cage.is_halted();
                watch.saw(kept.now().0, kept.nav);
                match kept.ask(&preview) {
                    Ok(permit) => {
                        prop_assert!(!halted || reduces, "halted, and {:?} was permitted", preview.intent);
                        prop_assert_eq!(permit.actions(), preview.actions.as_slice());
                        // At a price that only this preview shows, amounts mean something else: not reckoned here.
                        let counts = !reduces && !matches!(bend, Some(Bend::Root(_)));
                        let at_risk = if counts { at_worst(permit.actions()) } else { 0 };
                        let sound = watch.permitted(permit.id(), at_risk, &kept.config);
                        prop_assert!(sound.is_ok(), "{:?}", sound);
                        permits += 1;
                        waiting.push((permit, preview, counts));
                    }
                    Err(why) => {
                        prop_assert!(
                            !reduces || !ABOUT_MONEY.contains(&why.name()),
                            "{} held up by {}",
                            preview.intent.name(),
                            why
                        );
                        prop_assert!(!reduces || !["loop", "outstanding"].contains(&why.name()));
                        denials.push(why.name());
                    }
                }
            }
            Step::Settle { which, share } if !waiting.is_empty() => {
                let (permit, preview, counts) = waiting.swap_remove(which % waiting.len());
                let (receipt, moved) = receipt(&preview, *share);
                watch.settled(permit.id(), if counts { moved } else { 0 });
                kept.settle(permit, &receipt);
            }
            Step::Settle { .. } => {}
            Step::Halt => kept.halt(),
            Step::Resume => kept.resume(),
            Step::Restart if restarts => {
                let saved = postcard::to_stdvec(&kept.cage).unwrap();
                kept.cage = postcard::from_bytes::<Cage>(&saved).unwrap();
            }
            Step::Restart => {}
        }
    }
    Ok(Run { kept, permits, denials })
}

fn tight(config: &mut CageConfig) {
    (config.per_tx_usdc, config.per_hour_usdc) = (usd(300), usd(700));
    (config.per_day_usdc, config.per_life_usdc) = (usd(1_000), usd(1_100));
    config.drawdown_bps = [2_000, 5_000, 9_900];
    config.bleed_bps = 10_000;
}

fn loose(config: &mut CageConfig) {
    let most = Usdc(u64::MAX);
    (config.per_tx_usdc, config.per_hour_usdc, config.per_day_usdc, config.per_life_usdc) = (most, most, most, most);
    config.drawdown_bps = [9_998, 9_999, 10_000];
    config.bleed_bps = 10_000;
}

proptest! {
    #[test]
    fn no_cap_is_exceeded_and_what_reduces_is_never_held_up_by_money(steps in prop::collection::vec(a_step(), 1..120)) {
        for change in [|_: &mut CageConfig| {}, tight, loose] {
            run(&steps, true, change)?;
        }
    }

    #[test]
    fn the_same_calls_give_the_same_cage_whenever_it_was_restarted(steps in prop::collection::vec(a_step(), 1..120)) {
        let (one, two, three) = (run(&steps, true, tight)?, run(&steps, true, tight)?, run(&steps, false, tight)?);
        prop_assert_eq!(&one.kept.cage, &two.kept.cage);
        prop_assert_eq!(&one.kept.cage, &three.kept.cage);
        prop_assert_eq!(&one.kept.facts, &three.kept.facts);
        let verified = verify_audit(&one.kept.facts).unwrap();
        prop_assert_eq!(verified.head, one.kept.cage.audit_head());
        let text = serde_json::to_string(&one.kept.cage).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Cage>(&text).unwrap(), &one.kept.cage);
    }
}

/// The properties above mean nothing if hardly anything is permitted: scripts like theirs must reach every kind of end.
#[test]
fn the_scripts_reach_permits_and_every_money_denial() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut permits, mut names) = (0, std::collections::BTreeMap::new());
    for _ in 0..200 {
        let steps = prop::collection::vec(a_step(), 120).new_tree(&mut runner).unwrap().current();
        let Run { permits: more, denials, .. } = run(&steps, true, tight).unwrap();
        permits += more;
        for name in denials {
            *names.entry(name).or_insert(0) += 1;
        }
    }
    assert!(permits > 1_000, "{permits} permits, {names:?}");
    for name in ABOUT_MONEY {
        assert!(names.contains_key(name), "{name} was never met: {names:?}");
    }
}
