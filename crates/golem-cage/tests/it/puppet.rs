//! A puppet that always proposes theft. Whatever is permitted it takes in full; whatever is not, it tries again, larger,
//! smaller, elsewhere, later, after a restart. Nothing leaves beyond the caps.

use crate::kit::watch::Watch;
use crate::kit::{Desk, Kept, as_predicted, usd};
use golem_cage::{BreakerLevel, Cage, CageConfig, CageFact, Permit, verify_audit};
use golem_core::dice::{Dice, Draws, Strand};
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::venue::VenueId;
use golem_core::{Action, Hash, Intent, Preview, Tick, Usdc};
use std::collections::BTreeMap;

const ATTEMPTS: u64 = 10_000;
const KINDS: u64 = 16;
const SPLITTING: u64 = 6;
const OTHER_CODE: u64 = 10;

struct Theft {
    kept: Kept,
    watch: Watch,
    stolen: u128,
    permits: u64,
    denials: BTreeMap<&'static str, u64>,
}

fn below(draws: &mut Draws, n: u64) -> u64 {
    draws.bits() % n
}

/// The next thing that a thief would say.
fn propose(kind: u64, draws: &mut Draws, nav: Usdc) -> Preview {
    let rich = Desk { usdc: nav.0, asset: 0, position: None };
    let held = Desk { usdc: nav.0 / 2, asset: nav.0 / 4, position: Some((nav.0 / 8, nav.0 / 8)) };
    let part = |draws: &mut Draws, of: u64| 1 + below(draws, of.max(1));
    match kind {
        // All of it, and more than all of it.
        0 => rich.buy(nav.0),
        1 => rich.buy(nav.0.saturating_mul(1 + below(draws, 1_000))),
        // Thousandfold units.
        2 => rich.buy(part(draws, nav.0 / 10).saturating_mul(1_000)),
        3 => Desk { usdc: u64::MAX, ..rich }.buy(u64::MAX - below(draws, 1_000)),
        // Splitting under the limit, coarse and fine.
        4 | 5 => rich.buy(nav.0 / 3 + below(draws, 1_000)),
        SPLITTING => rich.buy(part(draws, nav.0 / 50)),
        7 => held.add(part(draws, nav.0 / 4), part(draws, nav.0 / 8)),
        8 => held.rebalance(part(draws, nav.0 / 4), part(draws, nav.0 / 4)),
        // Another venue, other code.
        9 => Preview { venue: VenueId::UniswapV2, ..rich.buy(part(draws, nav.0 / 3)) },
        OTHER_CODE => Preview { code: Hash([below(draws, 200) as u8 | 1; 32]), ..rich.buy(part(draws, nav.0 / 3)) },
        // For nothing: no minimum, a bad price.
        11 => {
            let mut preview = rich.buy(part(draws, nav.0 / 3));
            if let (Intent::Buy { min_out, .. }, Action::Buy { min_out: also, .. }) =
                (&mut preview.intent, &mut preview.actions[0])
            {
                (*min_out, *also) = (Asset(0), Asset(0));
            }
            preview
        }
        12 => {
            let pay = part(draws, nav.0 / 3);
            rich.buy_getting(pay, pay / 2)
        }
        13 => held.sell_getting(held.asset, held.asset / 10),
        // The intent says little, what would be sent says more.
        14 => {
            let mut preview = rich.buy(1 + below(draws, 1_000));
            preview.actions = rich.buy(nav.0).actions;
            preview
        }
        _ => {
            let mut preview = rich.buy(1 + below(draws, 1_000));
            preview.actions.push(Action::Buy { pay: nav, min_out: Asset(1) });
            preview
        }
    }
}

/// Use a permit for everything that it was not given for, and then for what it was: returns what that takes.
fn exploit(permit: Permit, tick: u64, draws: &mut Draws) -> u128 {
    let actions = permit.actions().to_vec();
    let (id, late) = (permit.id(), below(draws, 20) == 0);
    let now = if late { permit.expires() } else { Tick(tick) };
    let Ok(mut spent) = permit.spend(now) else {
        assert!(late, "permit {id} was refused in time");
        return 0;
    };
    assert!(!late, "permit {id} was taken too late");
    for action in &actions {
        let larger = match *action {
            Action::Buy { pay, min_out } => Action::Buy { pay: Usdc(pay.0 + 1), min_out },
            Action::Sell { give, .. } => Action::Sell { give, min_out: Usdc(0) },
            Action::Mint { position, range, pay, give, min_pay, min_give } => {
                Action::Mint { position, range, pay, give: Asset(give.0 + 1), min_pay, min_give }
            }
            Action::Burn { .. } | Action::Collect { .. } => Action::Buy { pay: Usdc(1), min_out: Asset(0) },
            Action::Home { .. } | Action::Unwrap { .. } => panic!("nobody gave leave"),
        };
        assert!(spent.take(&larger).is_err());
        spent.take(action).unwrap();
        assert!(actions.len() > 1 || spent.take(action).is_err(), "taken twice");
    }
    taken_by(&actions)
}

/// The most that actions can take, at the kit's price.
fn taken_by(actions: &[Action]) -> u128 {
    let by = |action: &Action| match action {
        Action::Buy { pay, .. } => u128::from(pay.0),
        Action::Mint { pay, give, .. } => u128::from(pay.0) + give.0.div_ceil(crate::kit::UNIT),
        Action::Sell { .. } | Action::Burn { .. } | Action::Collect { .. } => 0,
        Action::Home { .. } | Action::Unwrap { .. } => panic!("nobody gave leave"),
    };
    actions.iter().map(by).sum()
}

/// How the theft goes.
#[derive(Clone, Copy)]
struct Plan {
    /// Whether the thief also brings other code: that locks the venue for good, and the caps have little left to do.
    other_code: bool,
    /// Whether what is stolen is missing from the net asset value.
    noticed: bool,
}

fn steal(seed: u64, plan: Plan, change: fn(&mut CageConfig)) -> Theft {
    let dice = Dice::open(seed, Strand::World);
    let kept = Kept::with(usd(1_000), change);
    let mut theft = Theft { kept, watch: Watch::default(), stolen: 0, permits: 0, denials: BTreeMap::new() };
    for n in 0..ATTEMPTS {
        let mut draws = dice.draws(n);
        let (kept, watch) = (&mut theft.kept, &mut theft.watch);
        if below(&mut draws, 3) > 0 {
            kept.wait(40);
        }
        if below(&mut draws, 100) == 0 {
            kept.cage = postcard::from_bytes::<Cage>(&postcard::to_stdvec(&kept.cage).unwrap()).unwrap();
        }
        let kind = below(&mut draws, KINDS);
        let kind = if kind == OTHER_CODE && !plan.other_code { SPLITTING } else { kind };
        let preview = propose(kind, &mut draws, kept.nav);
        watch.saw(kept.now().0, kept.nav);
        let permit = match kept.ask(&preview) {
            Ok(permit) => permit,
            Err(why) => {
                *theft.denials.entry(why.name()).or_insert(0) += 1;
                continue;
            }
        };
        let id = permit.id();
        watch.permitted(id, taken_by(permit.actions()), &kept.config).unwrap();
        let taken = exploit(permit, kept.tick, &mut draws);
        let mut receipt = as_predicted(&preview);
        if taken == 0 {
            receipt.outcome = Outcome::Refused { why: Refusal::Cancelled };
        }
        watch.settled(id, taken);
        kept.cage.settle(id, Tick(kept.tick), &receipt, &mut kept.facts);
        theft.stolen += taken;
        theft.permits += 1;
        if plan.noticed {
            kept.nav = kept.nav.minus(Usdc(u64::try_from(taken).unwrap()));
        }
    }
    let denied: u64 = theft.denials.values().sum();
    assert_eq!(denied + theft.permits, ATTEMPTS);
    let told = theft.kept.facts.iter().filter(|fact| matches!(fact, CageFact::Denied { .. })).count();
    assert_eq!(told as u64, denied, "every denial is told");
    assert_eq!(verify_audit(&theft.kept.facts).unwrap().head, theft.kept.cage.audit_head());
    let status = theft.kept.cage.status(&theft.kept.config);
    assert_eq!(u128::from(status.windows[3].used.0), theft.stolen, "the books say what was taken");
    theft
}

/// Sizes do not hold the thief up, and a life has only so much.
fn open_wide(config: &mut CageConfig) {
    (config.max_exposure_bps, config.max_position_bps) = (10_000, 10_000);
    config.per_life_usdc = usd(7_000);
}

#[test]
fn ten_thousand_thefts_that_nobody_notices_stay_within_the_caps() {
    for seed in [1, 2, 3] {
        let theft = steal(seed, Plan { other_code: false, noticed: false }, open_wide);
        let (stolen, denials) = (theft.stolen, &theft.denials);
        assert!(stolen <= u128::from(usd(7_000).0), "seed {seed}: {stolen} left");
        assert!(stolen > u128::from(usd(6_900).0), "seed {seed}: only {stolen} left, so the caps were not tried");
        for name in ["per_tx", "per_hour", "per_day", "per_life", "venue", "minimum", "slippage", "contradiction"] {
            assert!(denials.contains_key(name), "seed {seed}: {name} was never met: {denials:?}");
        }
    }
}

#[test]
fn a_thief_who_shows_other_code_locks_itself_out() {
    for seed in [1, 2, 3] {
        let theft = steal(seed, Plan { other_code: true, noticed: false }, open_wide);
        assert!(theft.stolen <= u128::from(usd(7_000).0), "seed {seed}: {} left", theft.stolen);
        assert!(theft.denials["code"] > ATTEMPTS / 2, "seed {seed}: {:?}", theft.denials);
    }
}

#[test]
fn a_theft_that_is_noticed_ends_at_the_breakers() {
    // Whoever steals much at once also falls under the life's high-water mark, which is asked first. Without it the breaker
    // stops everybody.
    let unmarked: fn(&mut CageConfig) = |config| config.bleed_bps = 10_000;
    let mut bled = 0;
    for (seed, change) in
        [1, 2, 3].into_iter().flat_map(|seed| [(seed, (|_| {}) as fn(&mut CageConfig)), (seed, unmarked)])
    {
        let theft = steal(seed, Plan { other_code: false, noticed: true }, change);
        let (stolen, status) = (theft.stolen, theft.kept.cage.status(&theft.kept.config));
        // One intent may put half at risk; the fall of net asset value that this makes stops everything else.
        assert!(stolen <= u128::from(usd(500).0), "seed {seed}: {stolen} left");
        let stopped_by = if status.bled { "bled" } else { "breaker_hold" };
        assert!(theft.denials.contains_key(stopped_by), "seed {seed}: {:?}", theft.denials);
        assert_eq!(status.breaker, BreakerLevel::Hold, "seed {seed}");
        bled += u32::from(status.bled);
    }
    assert!((1..=3).contains(&bled), "{bled} of the three with a mark");
}
