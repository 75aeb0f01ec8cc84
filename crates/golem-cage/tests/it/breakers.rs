//! Drawdown breakers and halts: when they trip, what they leave possible, what lifts them, and that feeding does neither.

use crate::kit::{DAY, Desk, HOUR, Kept, usd};
use golem_cage::{BreakerLevel, CageFact};
use golem_core::Usdc;
use proptest::prelude::*;

const PEAK: u64 = 1_000;

fn level(kept: &Kept) -> BreakerLevel {
    kept.cage.status(&kept.config).breaker
}

/// A cage that has seen the peak, and then a fall to `nav` a turn later.
fn fallen_to(nav: Usdc) -> Kept {
    let mut kept = Kept::new(usd(PEAK));
    kept.see(usd(PEAK));
    kept.wait(40);
    kept.see(nav);
    kept
}

fn some() -> Desk {
    Desk { usdc: usd(600).0, asset: usd(200).0, position: Some((usd(50).0, usd(50).0)) }
}

#[test]
fn each_breaker_trips_exactly_at_its_drawdown() {
    let at = |bps: u64| usd(PEAK).0 - usd(PEAK).0 / 10_000 * bps;
    for (nav, expected) in [
        (at(0), BreakerLevel::Calm),
        (at(300) + 1, BreakerLevel::Calm),
        (at(300), BreakerLevel::Half),
        (at(700) + 1, BreakerLevel::Half),
        (at(700), BreakerLevel::ReduceOnly),
        (at(1_300) + 1, BreakerLevel::ReduceOnly),
        (at(1_300), BreakerLevel::Hold),
        (0, BreakerLevel::Hold),
    ] {
        let kept = fallen_to(Usdc(nav));
        assert_eq!(level(&kept), expected, "{nav}");
        let told: Vec<_> = kept.facts.iter().filter(|f| matches!(f, CageFact::Breaker { .. })).collect();
        assert_eq!(told.len(), usize::from(expected != BreakerLevel::Calm));
        let status = kept.cage.status(&kept.config);
        assert_eq!(u64::from(status.drawdown_bps), (usd(PEAK).0 - nav) * 10_000 / usd(PEAK).0);
        assert_eq!((status.peak, kept.cage.is_halted()), (usd(PEAK), expected == BreakerLevel::Hold));
    }
}

#[test]
fn nothing_that_stays_nothing_is_no_fall() {
    let mut kept = Kept::new(Usdc(0));
    kept.see(Usdc(0));
    assert_eq!(level(&kept), BreakerLevel::Calm);
    // Nor does a hold come back by itself once the owner lifted it from an empty golem.
    let mut kept = fallen_to(Usdc(0));
    kept.resume();
    kept.wait(40);
    kept.see(Usdc(0));
    assert_eq!(level(&kept), BreakerLevel::Calm);
}

#[test]
fn the_first_breaker_halves_every_limit() {
    let calm = Kept::new(usd(970));
    let mut calm = calm;
    calm.see(usd(970));
    let half = fallen_to(usd(970));
    let (calm, half) = (calm.cage.status(&calm.config), half.cage.status(&half.config));
    for (a, b) in calm.windows.iter().zip(&half.windows) {
        assert_eq!(a.cap.0 / 2, b.cap.0, "{:?}", a.window);
    }
    assert_eq!((calm.position_cap.0 / 2, calm.exposure_cap.0 / 2), (half.position_cap.0, half.exposure_cap.0));
    let mut kept = fallen_to(usd(970));
    let cap = half.windows[0].cap.0;
    let some = Desk { usdc: usd(970).0, asset: 0, position: None };
    assert_eq!(kept.why(&some.buy(cap + 1)), "per_tx");
    assert_eq!(kept.why(&some.buy(cap)), "permitted");
    // Back under it: whole again, at once.
    kept.wait(40);
    kept.see(Usdc(usd(970).0 + 1));
    assert_eq!(level(&kept), BreakerLevel::Calm);
}

#[test]
fn the_second_leaves_only_reducing_until_recovery_or_a_day() {
    let mut kept = fallen_to(usd(930));
    assert_eq!(kept.why(&some().buy(1)), "breaker");
    assert_eq!(kept.why(&some().sell(usd(100).0)), "permitted");
    kept.wait(40);
    kept.see(usd(970));
    assert_eq!(level(&kept), BreakerLevel::ReduceOnly, "still at the first level");
    kept.wait(40);
    kept.see(Usdc(usd(970).0 + 1));
    assert_eq!(level(&kept), BreakerLevel::Calm);

    let mut kept = fallen_to(usd(930));
    kept.now_s = 40 + DAY - 1;
    kept.see(usd(930));
    assert_eq!(level(&kept), BreakerLevel::ReduceOnly);
    kept.now_s = 40 + DAY;
    kept.see(usd(930));
    assert_eq!(level(&kept), BreakerLevel::Calm, "a day has passed, and drawdowns are measured anew");
    kept.wait(40);
    kept.see(usd(930));
    assert_eq!(level(&kept), BreakerLevel::Calm);
    kept.wait(40);
    kept.see(usd(902));
    assert_eq!(level(&kept), BreakerLevel::Half);
    // The owner's resume is not what lifts it.
    let mut kept = fallen_to(usd(930));
    kept.resume();
    assert_eq!(level(&kept), BreakerLevel::ReduceOnly);
    // It can get worse.
    kept.wait(40);
    kept.see(usd(870));
    assert_eq!(level(&kept), BreakerLevel::Hold);
}

#[test]
fn the_third_holds_until_the_owner_resumes_or_its_time_is_served() {
    let mut kept = fallen_to(usd(870));
    assert_eq!(kept.why(&some().buy(1)), "breaker_hold");
    assert_eq!(kept.why(&some().remove(10_000)), "permitted");
    kept.wait(40);
    kept.see(usd(2_000));
    assert_eq!(level(&kept), BreakerLevel::Hold, "recovery does not lift it");
    kept.now_s = 40 + 7 * DAY - 1;
    kept.see(usd(2_000));
    assert_eq!(level(&kept), BreakerLevel::Hold);
    kept.now_s = 40 + 7 * DAY;
    kept.see(usd(1_900));
    assert_eq!(level(&kept), BreakerLevel::Calm);
    kept.wait(40);
    kept.see(usd(1_900));
    assert_eq!(level(&kept), BreakerLevel::Calm, "measured anew");

    let mut kept = fallen_to(usd(870));
    kept.resume();
    assert_eq!(level(&kept), BreakerLevel::Calm);
    assert!(!kept.cage.is_halted());
    assert!(matches!(kept.facts.last(), Some(CageFact::Resumed { halt: false, breaker: true, .. })));
    kept.wait(40);
    kept.see(usd(870));
    assert_eq!(level(&kept), BreakerLevel::Calm, "measured anew");
    kept.wait(40);
    kept.see(usd(840));
    assert_eq!(level(&kept), BreakerLevel::Half);
}

#[test]
fn a_peak_counts_for_a_day_and_a_little() {
    for (after, expected) in [(DAY - 1, BreakerLevel::Half), (DAY + 2 * HOUR, BreakerLevel::Calm)] {
        let mut kept = Kept::new(usd(PEAK));
        kept.see(usd(PEAK));
        // Down slowly enough for no breaker, and watched all the while.
        for s in (1_800..after).step_by(1_800) {
            kept.now_s = s;
            kept.see(usd(975));
        }
        kept.now_s = after;
        kept.see(usd(960));
        assert_eq!(level(&kept), expected, "{after}");
    }
    // Nobody looked for ten days: what was in force then is what it fell from.
    let mut kept = Kept::new(usd(PEAK));
    kept.see(usd(PEAK));
    kept.wait(10 * DAY);
    kept.see(usd(870));
    assert_eq!(level(&kept), BreakerLevel::Hold);
}

#[test]
fn a_slow_bleed_is_stopped_and_no_patience_ends_it() {
    // Half a per cent a day: no day's drawdown ever trips anything.
    let (mut kept, mut nav, mut days) = (Kept::new(usd(PEAK)), usd(PEAK).0 as f64, 0);
    kept.see(usd(PEAK));
    while level(&kept) == BreakerLevel::Calm {
        for _ in 0..24 {
            nav *= 1.0 - 0.005 / 24.0;
            kept.wait(HOUR);
            kept.see(Usdc(nav as u64));
        }
        days += 1;
        assert!(days < 100, "it bleeds and bleeds");
    }
    assert_eq!((days, level(&kept), kept.cage.is_halted()), (45, BreakerLevel::Hold, true));
    assert_eq!(kept.why(&some().buy(1)), "bled");
    assert_eq!(kept.why(&some().sell(usd(100).0)), "permitted");
    assert!(kept.facts.iter().any(|f| matches!(f, CageFact::Bled { held: true, drawdown_bps: 2_000.., .. })));
    let status = kept.cage.status(&kept.config);
    assert_eq!((status.mark, status.bled), (usd(PEAK), true));
    // Neither a week nor a year of patience ends it; nor does feeding, which is no recovery.
    for wait in [8 * DAY, 400 * DAY] {
        kept.wait(wait);
        kept.see(Usdc(nav as u64));
        assert_eq!(kept.why(&some().buy(2)), "bled");
    }
    kept.cage.fed(usd(5_000));
    kept.see(Usdc(nav as u64 + usd(5_000).0));
    assert!(kept.cage.status(&kept.config).bled_bps >= 2_000);
    assert_eq!(kept.why(&some().buy(3)), "bled");
    // Half of what was lost, regained, does; and so does the owner's word.
    let mark = kept.cage.status(&kept.config).mark.0;
    let mut regained = kept.clone();
    for (nav, name) in [(mark / 10 * 9 - 1_000, "bled"), (mark / 10 * 9 + 1_000, "permitted")] {
        regained.wait(40);
        regained.see(Usdc(nav));
        regained.wait(2 * DAY);
        regained.see(Usdc(nav));
        assert_eq!(regained.why(&some().buy(4)), name);
    }
    kept.resume();
    assert!(matches!(kept.facts.last(), Some(CageFact::Resumed { halt: false, breaker: true, .. })));
    assert_eq!(kept.why(&some().buy(5)), "permitted");
    assert_eq!(kept.cage.status(&kept.config).bled_bps, 0, "measured anew");
}

#[test]
fn living_is_no_bleed_and_losing_is() {
    for (spent_on_living, expected) in [(true, BreakerLevel::Calm), (false, BreakerLevel::Hold)] {
        let mut kept = Kept::new(usd(100));
        kept.see(usd(100));
        for day in 1..=60 {
            kept.wait(DAY);
            if spent_on_living {
                kept.cage.lived(Usdc(500_000));
            }
            kept.see(Usdc(usd(100).0 - day * 500_000));
        }
        assert_eq!(level(&kept), expected);
    }
}

#[test]
fn a_halt_blocks_everything_but_reducing_until_resumed() {
    let mut kept = Kept::new(usd(PEAK));
    kept.see(usd(PEAK));
    assert!(!kept.cage.is_halted());
    kept.halt();
    assert!(kept.cage.is_halted());
    assert_eq!(kept.why(&some().buy(1)), "halted");
    assert_eq!(kept.why(&some().add(1, 1)), "halted");
    assert_eq!(kept.why(&some().rebalance(1, 1)), "halted");
    assert_eq!(kept.why(&some().sell(usd(200).0)), "permitted");
    assert_eq!(kept.why(&some().remove(10_000)), "permitted");
    assert_eq!(kept.why(&some().collect(5)), "permitted");
    kept.wait(400 * DAY);
    kept.see(usd(PEAK));
    assert_eq!(kept.why(&some().buy(2)), "halted", "no time lifts it");
    assert_eq!(kept.cage.status(&kept.config).halted.as_deref(), Some("enough"));
    kept.resume();
    assert!(matches!(kept.facts.last(), Some(CageFact::Resumed { halt: true, breaker: false, .. })));
    assert_eq!(kept.why(&some().buy(3)), "permitted");
    kept.cage.halt(golem_core::Tick(1), &"long ".repeat(1_000), &mut kept.facts);
    assert_eq!(kept.cage.status(&kept.config).halted.map(|r| r.chars().count()), Some(200));
}

#[test]
fn feeding_neither_hides_nor_fakes_a_drawdown() {
    // 6 % down, fed ten times its worth: still 6 % down, in the money of today.
    let mut kept = fallen_to(usd(940));
    assert_eq!(level(&kept), BreakerLevel::Half);
    kept.cage.fed(usd(9_400));
    kept.see(usd(10_340));
    let status = kept.cage.status(&kept.config);
    assert_eq!((status.breaker, status.drawdown_bps, status.peak), (BreakerLevel::Half, 600, usd(11_000)));
    // One more per cent of it trips the second.
    kept.see(usd(10_230));
    assert_eq!(level(&kept), BreakerLevel::ReduceOnly);

    // At the peak, fed in several parts before anyone looks: no drawdown comes of it.
    let mut kept = Kept::new(usd(PEAK));
    kept.see(usd(PEAK));
    for part in [1, 500, 2_000] {
        kept.cage.fed(usd(part));
    }
    kept.see(usd(PEAK + 2_501));
    assert_eq!(kept.cage.status(&kept.config).drawdown_bps, 0);
    assert_eq!(level(&kept), BreakerLevel::Calm);

    // From nothing, the loss is at least kept as an amount.
    let mut kept = fallen_to(Usdc(0));
    kept.resume();
    kept.see(Usdc(0));
    kept.cage.fed(usd(50));
    assert_eq!(kept.cage.status(&kept.config).peak, usd(50));
    kept.cage.fed(usd(50));
    assert_eq!(kept.cage.status(&kept.config).peak, usd(100));
    // Before anything was seen there is nothing to raise.
    let mut kept = Kept::new(usd(PEAK));
    kept.cage.fed(usd(50));
    assert_eq!(kept.cage.status(&kept.config).peak, Usdc(0));
}

#[test]
fn feeding_does_not_raise_what_a_window_began_with() {
    let mut kept = Kept::with(usd(100), |c| {
        (c.per_tx_share_bps, c.max_exposure_bps, c.per_hour_share_bps) = (10_000, 10_000, 10_000);
    });
    kept.see(usd(100));
    kept.cage.fed(usd(900));
    kept.see(usd(1_000));
    let rich = Desk { usdc: usd(1_000).0, asset: 0, position: None };
    assert_eq!(kept.why(&rich.buy(usd(100).0 + 1)), "per_hour");
}

proptest! {
    #[test]
    fn feeding_moves_no_drawdown_by_more_than_rounding(
        start in 1_000_000_u64..1_000_000_000_000,
        fall in 0_u64..10_000,
        parts in prop::collection::vec(0_u64..1_000_000_000_000, 1..5),
    ) {
        let nav = start - start / 10_000 * fall;
        let mut kept = Kept::new(Usdc(start));
        kept.see(Usdc(start));
        kept.wait(40);
        kept.see(Usdc(nav));
        let before = kept.cage.status(&kept.config).drawdown_bps;
        let mut fed = nav;
        for part in &parts {
            kept.cage.fed(Usdc(*part));
            fed += part;
        }
        kept.see(Usdc(fed));
        let after = kept.cage.status(&kept.config).drawdown_bps;
        prop_assert!(after.abs_diff(before) <= 1, "{before} became {after}");
        prop_assert!(nav == 0 || after >= before, "hidden");
    }

    #[test]
    fn any_numbers_in_any_order_leave_the_breakers_standing(
        steps in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..40),
    ) {
        let mut kept = Kept::new(Usdc(1));
        for (now, nav, fed) in steps {
            kept.now_s = now % (u64::MAX / 1_000);
            kept.cage.fed(Usdc(fed));
            kept.see(Usdc(nav));
            let status = kept.cage.status(&kept.config);
            prop_assert!(status.drawdown_bps <= 10_000);
            prop_assert!(status.peak >= Usdc(nav));
        }
    }
}
