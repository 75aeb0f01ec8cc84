//! When it dreams.

use super::DreamVerdict::{Open, Stay};
use super::testing::{config, later, seen};
use super::*;
use BehavioralPhase::*;
use golem_core::{Timestamp, VirtualTime};
use proptest::prelude::*;

/// What it did, in a word: the kind of trigger, or the name of the reason.
fn word(verdict: DreamVerdict) -> &'static str {
    match verdict {
        Open { trigger } => trigger.kind(),
        Stay { why } => why.name(),
    }
}

/// A scheduler whose latest cycle ended so many turns before `s`.
fn slept(s: &DreamSeen, turns: u64) -> DreamScheduler {
    let last_dream_tick = Some(Tick(s.tick.0 - turns));
    let mut fresh = DreamScheduler { last_dream_tick, ..DreamScheduler::default() };
    // The pages of this day are open.
    let _verdict = fresh.should_dream(s, &config(), false);
    fresh.build_up = UrgencyBuildUp::default();
    fresh
}

fn asked(s: &DreamSeen, c: &DreamConfig, ordered: bool, turns: u64) -> &'static str {
    word(slept(s, turns).should_dream(s, c, ordered))
}

fn urgent() -> DreamSeen {
    let mut s = seen();
    (s.surprise, s.unreplayed, s.unresolved_arousal, s.recent_loss, s.fitness) = (9.0, 99, 1.0, 0.5, 0.5);
    s
}

fn with(mode: DreamScheduleMode, tier: DreamTier) -> DreamConfig {
    let mut c = config();
    (c.schedule.mode, c.tier) = (mode, tier);
    c
}

fn at_night(mut s: DreamSeen) -> DreamSeen {
    s.at = "2026-01-10T03:00:00Z".parse().unwrap();
    s
}

#[test]
fn nothing_happens_with_dreams_off() {
    let mut scheduler = DreamScheduler::default();
    let off = DreamConfig::default();
    assert_eq!(scheduler.should_dream(&at_night(urgent()), &off, true), Stay { why: WhyAwake::Off });
    assert_eq!(scheduler, DreamScheduler::default(), "and nothing is remembered");
}

#[test]
fn who_may_open_a_dream_in_which_mode() {
    use DreamScheduleMode::{Autonomous, Hybrid, Owner};
    use DreamTier::{Core, Hardened};
    let (calm, pressed) = (seen(), urgent());
    let (night, pressed_night) = (at_night(seen()), at_night(urgent()));
    // 60 turns after the latest cycle: the interval is over.
    for (mode, tier, s, ordered, expected) in [
        (Owner, Core, &calm, false, "no_window"),
        (Owner, Core, &pressed, false, "no_window"),
        (Owner, Core, &night, false, "window"),
        (Owner, Core, &calm, true, "owner"),
        (Owner, Hardened, &night, false, "window"),
        (Autonomous, Core, &calm, false, "interval"),
        (Autonomous, Core, &night, false, "interval"),
        (Autonomous, Hardened, &calm, false, "not_due"),
        (Autonomous, Hardened, &night, false, "not_due"),
        (Autonomous, Hardened, &pressed, false, "urgency"),
        (Autonomous, Hardened, &calm, true, "owner"),
        (Hybrid, Core, &calm, false, "interval"),
        (Hybrid, Core, &night, false, "window"),
        (Hybrid, Hardened, &calm, false, "not_due"),
        (Hybrid, Hardened, &pressed, false, "urgency"),
        (Hybrid, Hardened, &pressed_night, false, "window"),
        (Hybrid, Hardened, &pressed_night, true, "owner"),
    ] {
        assert_eq!(asked(s, &with(mode, tier), ordered, 60), expected, "{mode:?} {tier:?} {ordered} {:?}", s.at);
    }
}

#[test]
fn every_wish_passes_the_same_gate() {
    type Put = fn(&mut DreamSeen);
    let puts: [(Put, &str); 5] = [
        (|s| s.episodes = 10, "too_few_episodes"),
        (|s| s.model_purse_share = 0.1, "model_purse"),
        (|s| s.permit_pending = true, "permit_pending"),
        (|s| s.projected_life_h = Some(5.9), "life_too_short"),
        (|s| s.phase = Terminal, "terminal"),
    ];
    for (put, expected) in puts {
        for (mut s, ordered) in [(seen(), false), (urgent(), false), (at_night(seen()), false), (seen(), true)] {
            put(&mut s);
            let mut scheduler = slept(&s, 900);
            scheduler.emergency_used = true;
            assert_eq!(word(scheduler.should_dream(&s, &config(), ordered)), expected, "{ordered}");
        }
    }
}

#[test]
fn one_cycle_an_interval_whoever_wishes() {
    let hurried = |mut s: DreamSeen| {
        s.projected_life_h = Some(48.0);
        s
    };
    for (s, ordered, before, after) in [
        (seen(), false, "not_due", "interval"),
        (urgent(), false, "too_soon", "interval"),
        (at_night(seen()), false, "too_soon", "window"),
        (seen(), true, "too_soon", "owner"),
    ] {
        assert_eq!((asked(&s, &config(), ordered, 49), asked(&s, &config(), ordered, 50)), (before, after));
        let s = hurried(s);
        assert_eq!((asked(&s, &config(), ordered, 24), asked(&s, &config(), ordered, 25)), (before, after), "in haste");
    }
    let mut c = with(DreamScheduleMode::Hybrid, DreamTier::Hardened);
    assert_eq!(asked(&urgent(), &c, false, 49), "too_soon");
    assert_eq!(asked(&at_night(urgent()), &c, false, 0), "window", "cycles of one night follow each other");
    assert_eq!(asked(&at_night(urgent()), &c, true, 0), "owner", "an order is no reason to wait");
    assert_eq!(asked(&urgent(), &c, true, 49), "too_soon");
    c.dream_cycle_interval = 10;
    assert_eq!((asked(&urgent(), &c, false, 9), asked(&urgent(), &c, false, 10)), ("too_soon", "urgency"));
    let told = slept(&seen(), 43).should_dream(&seen(), &config(), true);
    assert_eq!(told, Stay { why: WhyAwake::TooSoon { interval: 50, left: 7 } });
}

#[test]
fn a_day_holds_24_cycles_and_a_quarter_waits_for_urgency() {
    let used = |s: &DreamSeen, n: u32, good: bool, ordered: bool| {
        let mut scheduler = slept(s, 60);
        scheduler.cycles_today = n;
        if good {
            scheduler.worth.learnt(0.9, s.now);
        }
        word(scheduler.should_dream(s, &config(), ordered))
    };
    for (s, n, good, ordered, expected) in [
        (&seen(), 17, false, false, "interval"),
        (&seen(), 18, false, false, "not_due"),
        (&urgent(), 18, false, false, "urgency"),
        (&urgent(), 23, false, false, "urgency"),
        (&urgent(), 24, false, false, "day_full"),
        (&seen(), 24, false, true, "day_full"),
        (&at_night(seen()), 24, false, false, "day_full"),
        // Good dreams need no reserve.
        (&seen(), 23, true, false, "interval"),
        (&seen(), 24, true, false, "not_due"),
    ] {
        assert_eq!(used(s, n, good, ordered), expected, "{n} {good} {ordered}");
    }
    let mut scheduler = slept(&seen(), 60);
    scheduler.cycles_today = 24;
    let tomorrow = later(&seen(), 2_160);
    assert_eq!(word(scheduler.should_dream(&tomorrow, &config(), false)), "interval");
    assert_eq!(scheduler.cycles_today, 0);
}

/// Keys of `[dream]` that say how often, each changed alone.
#[test]
fn how_often_it_dreams_is_the_owners_to_say() {
    type Set = fn(&mut DreamConfig);
    let used = |set: Set, s: &DreamSeen, cycles: u32| {
        let mut c = config();
        set(&mut c);
        let mut scheduler = slept(s, 60);
        scheduler.cycles_today = cycles;
        word(scheduler.should_dream(s, &c, false))
    };
    let table: [(&str, Set, DreamSeen, u32, &str); 9] = [
        ("as it is", |_| (), seen(), 17, "interval"),
        ("a day of 4", |c| c.core_max_cycles_per_day = 4, seen(), 3, "not_due"),
        ("a day of 4, urgent", |c| c.core_max_cycles_per_day = 4, urgent(), 3, "urgency"),
        ("a day of 4, full", |c| c.core_max_cycles_per_day = 4, urgent(), 4, "day_full"),
        ("nothing kept for urgent ones", |c| c.urgent_reserve = 0.0, seen(), 23, "interval"),
        ("all kept for urgent ones", |c| c.urgent_reserve = 1.0, seen(), 0, "not_due"),
        ("a fuller purse", |c| c.budget.purse_floor = 0.7, seen(), 0, "model_purse"),
        ("more to dream of", |c| c.first_dream.stable = 1_001, seen(), 0, "too_few_episodes"),
        ("just enough to dream of", |c| c.first_dream.stable = 1_000, seen(), 0, "interval"),
    ];
    for (what, set, s, cycles, expected) in table {
        assert_eq!(used(set, &s, cycles), expected, "{what}");
    }
}

#[test]
fn a_night_holds_as_many_cycles_as_the_phase_allows() {
    let c = with(DreamScheduleMode::Hybrid, DreamTier::Hardened);
    for (phase, cycles) in [(Thriving, 3), (Stable, 2), (Conservation, 1), (Declining, 1)] {
        let mut s = at_night(urgent());
        (s.phase, s.fitness) = (phase, 0.9);
        let mut scheduler = DreamScheduler::default();
        for n in 0..cycles {
            assert_eq!(word(scheduler.should_dream(&s, &c, false)), "window", "{phase} {n}");
            scheduler.opened(&s, &c, DreamTrigger::Window);
            scheduler.finished(&s, 0.5, Usdc::ZERO);
        }
        assert_eq!(scheduler.should_dream(&s, &c, false), Stay { why: WhyAwake::SessionFull { cap: cycles } });
        let mut next = later(&s, 2_160);
        next.phase = phase;
        assert_eq!(word(scheduler.should_dream(&next, &c, false)), "window", "the next night");
    }
}

#[test]
fn who_was_woken_at_night_stays_awake_for_an_interval() {
    let c = with(DreamScheduleMode::Hybrid, DreamTier::Hardened);
    let mut s = at_night(seen());
    (s.phase, s.fitness) = (Thriving, 0.9);
    let mut scheduler = DreamScheduler::default();
    assert_eq!(word(scheduler.should_dream(&s, &c, false)), "window");
    scheduler.opened(&s, &c, DreamTrigger::Window);
    scheduler.finished(&s, 0.5, Usdc::ZERO);
    scheduler.was_woken();
    let stay = Stay { why: WhyAwake::TooSoon { interval: 50, left: 50 } };
    assert_eq!(scheduler.should_dream(&s, &c, false), stay, "two more cycles of this night are not burnt");
    assert_eq!(scheduler.should_dream(&s, &c, true), stay, "an order passes the same gate");
    assert_eq!(word(scheduler.should_dream(&later(&s, 49), &c, false)), "too_soon");
    // What is left of the night is slept through after that, and a cycle that was not woken is followed at once.
    let later = later(&s, 50);
    assert_eq!(word(scheduler.should_dream(&later, &c, false)), "window");
    scheduler.opened(&later, &c, DreamTrigger::Window);
    scheduler.finished(&later, 0.5, Usdc::ZERO);
    assert_eq!(word(scheduler.should_dream(&later, &c, false)), "window");
}

#[test]
fn money_that_is_gone_closes_the_session_and_then_the_month() {
    let c = with(DreamScheduleMode::Hybrid, DreamTier::Hardened);
    let s = at_night(seen());
    let mut scheduler = DreamScheduler::default();
    scheduler.opened(&s, &c, DreamTrigger::Window);
    scheduler.finished(&s, 0.5, Usdc::whole(2));
    let closed = |cap, limit| Stay { why: WhyAwake::Budget { cap, limit } };
    assert_eq!(scheduler.should_dream(&s, &c, false), closed(BudgetCap::Session, Usdc::whole(2)));
    let next = later(&s, 2_160);
    scheduler.opened(&next, &c, DreamTrigger::Window);
    scheduler.finished(&next, 0.5, Usdc::whole(13));
    let third = later(&next, 2_160);
    assert_eq!(scheduler.should_dream(&third, &c, false), closed(BudgetCap::Month, Usdc::whole(15)));
    assert_eq!(scheduler.should_dream(&third, &config(), false), closed(BudgetCap::Month, Usdc::whole(15)), "core too");
    assert_eq!(word(scheduler.should_dream(&later(&third, 29 * 2_160), &c, false)), "window", "the next month");
    assert_eq!(scheduler.budget.spent_since_birth, Usdc::whole(15));
}

#[test]
fn urgency_opens_what_the_schedule_does_not() {
    let c = with(DreamScheduleMode::Autonomous, DreamTier::Hardened);
    let mut s = seen();
    // Stable opens at 0.70: 0.22 + 0.30 + 0.10 + 0.08 * 0.25 + 0.20 * (1 - e^-1) is 0.766.
    (s.surprise, s.unreplayed, s.unresolved_arousal) = (3.0, 50, 0.8);
    assert_eq!(asked(&s, &c, false, 300), "urgency");
    s.market_active = true;
    assert_eq!(asked(&s, &c, false, 300), "urgency");
    s.unresolved_arousal = 0.5;
    assert_eq!(asked(&s, &c, false, 300), "not_due", "0.729 is not enough for an active market");
    s.market_active = false;
    assert_eq!(asked(&s, &c, false, 300), "urgency");
    let mut scheduler = slept(&s, 300);
    assert_eq!(
        scheduler.should_dream(&s, &c, false),
        Open { trigger: DreamTrigger::Urgency { largest: UrgencyInput::Consolidation } }
    );
    assert!((scheduler.urgency - 0.729).abs() < 1e-3);
}

#[test]
fn what_built_up_is_kept_while_it_may_sleep_and_fades_while_it_may_not() {
    let c = with(DreamScheduleMode::Autonomous, DreamTier::Hardened);
    let mut s = seen();
    s.unresolved_patterns = true;
    let mut scheduler = slept(&s, 10);
    let start = scheduler.urgency;
    for turn in 1..=30 {
        scheduler.should_dream(&later(&s, turn), &c, false);
    }
    let high = scheduler.urgency;
    assert!(high > start + 0.35, "{start} {high}");
    s.permit_pending = true;
    scheduler.should_dream(&later(&s, 31), &c, false);
    assert!(scheduler.urgency < high - 0.09, "{high} {}", scheduler.urgency);
    s.permit_pending = false;
    scheduler.finished(&later(&s, 32), 0.5, Usdc::ZERO);
    s.unresolved_patterns = false;
    scheduler.should_dream(&later(&s, 33), &c, false);
    assert!(scheduler.urgency < 0.05, "{}", scheduler.urgency);
}

#[test]
fn the_last_dream_comes_once_and_asks_no_model() {
    let mut s = seen();
    (s.phase, s.episodes, s.projected_life_h) = (Terminal, 3, Some(1.0));
    let c = with(DreamScheduleMode::Owner, DreamTier::Hardened);
    let mut scheduler = DreamScheduler { last_dream_tick: Some(s.tick), cycles_today: 24, ..DreamScheduler::default() };
    assert_eq!(word(scheduler.should_dream(&s, &c, false)), "emergency");
    let plan = scheduler.plan(&s, &c, DreamTrigger::Emergency, Usdc::whole(1));
    assert_eq!((plan.tier, plan.bounds.grade), (DreamTier::Core, InferenceGrade::T0));
    assert!(!plan.bounds.imagines && plan.modulation.legacy == DreamLegacy::Full);
    assert_eq!(plan.allowance.amount, Usdc::ZERO);
    // A pending permit delays it, and the wish stays.
    s.permit_pending = true;
    assert_eq!(word(scheduler.should_dream(&s, &c, false)), "permit_pending");
    s.permit_pending = false;
    scheduler.opened(&s, &c, DreamTrigger::Emergency);
    assert_eq!(word(scheduler.should_dream(&later(&s, 500), &c, true)), "terminal");
    // Fed, and terminal once more.
    s.phase = Declining;
    scheduler.should_dream(&later(&s, 600), &c, false);
    s.phase = Terminal;
    assert_eq!(word(scheduler.should_dream(&later(&s, 700), &c, false)), "terminal");
}

#[test]
fn poor_dreams_stretch_the_interval() {
    let due = |quality: Option<f64>, turns: u64| {
        let mut scheduler = slept(&seen(), turns);
        quality.into_iter().for_each(|q| scheduler.worth.learnt(q, seen().now));
        word(scheduler.should_dream(&seen(), &config(), false))
    };
    for (quality, turns) in [(None, 50), (Some(0.0), 100), (Some(0.1), 75), (Some(0.2), 50), (Some(0.9), 50)] {
        assert_eq!((due(quality, turns - 1), due(quality, turns)), ("not_due", "interval"), "{quality:?}");
    }
    // An urgent dream need not wait longer.
    let mut scheduler = slept(&urgent(), 50);
    scheduler.worth.learnt(0.0, seen().now);
    assert_eq!(word(scheduler.should_dream(&urgent(), &config(), false)), "urgency");
}

#[test]
fn a_newborn_counts_from_birth() {
    let mut s = seen();
    (s.tick, s.now) = (Tick(49), VirtualTime(49 * 40_000));
    let mut newborn = DreamScheduler::default();
    assert_eq!(word(newborn.should_dream(&s, &config(), true)), "too_soon");
    assert_eq!(word(newborn.should_dream(&later(&s, 1), &config(), true)), "owner");
}

#[test]
fn what_a_cycle_is_given() {
    let mut s = seen();
    (s.phase, s.fitness) = (Thriving, 0.5);
    let hardened = with(DreamScheduleMode::Hybrid, DreamTier::Hardened);
    let plan = DreamScheduler::default().plan(&s, &hardened, DreamTrigger::Window, Usdc::whole(9));
    // Half-way to the epistemic clock's end: 1.15, so 15 % up every range.
    assert_eq!((plan.length.turns, plan.length.cycles_per_window, plan.length.budget), (35, 3, Usdc(575_000)));
    assert_eq!((plan.allowance.amount, plan.allowance.bound_by), (Usdc(500_000), BudgetCap::Cycle));
    assert_eq!((plan.bounds.batch, plan.bounds.episodes, plan.bounds.grade), (10, 12, InferenceGrade::T1));
    let plan = DreamScheduler::default().plan(&s, &config(), DreamTrigger::Interval, Usdc(70));
    assert_eq!((plan.tier, plan.allowance.amount, plan.bounds.grade), (DreamTier::Core, Usdc(70), InferenceGrade::T0));
}

#[test]
fn triggers_have_their_words() {
    for (trigger, kind, event) in [
        (DreamTrigger::Window, "window", "time"),
        (DreamTrigger::Interval, "interval", "time"),
        (DreamTrigger::Urgency { largest: UrgencyInput::Threat }, "urgency", "emotional_load"),
        (DreamTrigger::Urgency { largest: UrgencyInput::Novelty }, "urgency", "novelty_streak"),
        (DreamTrigger::Owner, "owner", "owner"),
        (DreamTrigger::Emergency, "emergency", "emergency"),
    ] {
        assert_eq!((trigger.kind(), trigger.word()), (kind, event));
    }
}

proptest! {
    /// Whatever is seen and ordered, no core life dreams more often than it may, and nothing panics.
    #[test]
    fn the_caps_hold_over_any_life(
        steps in prop::collection::vec((1u64..40, any::<bool>(), 0u32..80, any::<f64>(), any::<bool>()), 1..400)
    ) {
        let c = config();
        let (mut scheduler, mut s) = (DreamScheduler::default(), seen());
        let (mut last, mut today) = (None::<u64>, (0, 0));
        for (turns, ordered, unreplayed, surprise, permit) in steps {
            s = later(&s, turns);
            (s.unreplayed, s.surprise, s.permit_pending) = (unreplayed, surprise, permit);
            s.unresolved_patterns = ordered;
            if let Open { trigger } = scheduler.should_dream(&s, &c, ordered) {
                prop_assert!(last.is_none_or(|at| s.tick.0 - at >= 50));
                prop_assert!(!permit);
                last = Some(s.tick.0);
                today = if today.0 == s.now.day() { (today.0, today.1 + 1) } else { (s.now.day(), 1) };
                prop_assert!(today.1 <= 24);
                scheduler.opened(&s, &c, trigger);
                scheduler.finished(&s, surprise, Usdc(1));
            }
            prop_assert!((0.0..=1.0).contains(&scheduler.urgency));
        }
        prop_assert_eq!(scheduler.budget.spent_since_birth.0, scheduler.cycles_since_birth);
        // What is kept is what is read back, in either form.
        let bytes = golem_core::plain::bytes(&scheduler);
        let json = golem_core::plain::json(&scheduler);
        prop_assert!(!bytes.is_empty());
        prop_assert_eq!(serde_json::from_str::<DreamScheduler>(&json).unwrap(), scheduler);
    }

    #[test]
    fn no_input_panics(x: [f64; 7], n: (u64, u64, i64, u64), phase in 0usize..5, flags: [bool; 5], hardened: bool) {
        let mut c = with(DreamScheduleMode::Hybrid, if hardened { DreamTier::Hardened } else { DreamTier::Core });
        c.clocks.base_rate = x[6];
        let mut s = seen();
        (s.tick, s.now, s.at, s.episodes) = (Tick(n.0), VirtualTime(n.1), Timestamp(n.2), n.3);
        (s.fitness, s.age_ratio, s.surprise, s.unresolved_arousal, s.recent_loss) = (x[0], x[1], x[2], x[3], x[4]);
        (s.projected_life_h, s.suffering, s.phase) = (flags[0].then_some(x[5]), x[5], BehavioralPhase::ALL[phase]);
        (s.permit_pending, s.market_active, s.unresolved_patterns) = (flags[1], flags[2], flags[3]);
        let mut scheduler = DreamScheduler::default();
        for turn in 0..3 {
            let then = DreamSeen { tick: Tick(n.0.saturating_add(turn)), ..s.clone() };
            if let Open { trigger } = scheduler.should_dream(&then, &c, flags[4]) {
                let _plan = scheduler.plan(&then, &c, trigger, Usdc(n.3));
                scheduler.opened(&then, &c, trigger);
                scheduler.finished(&then, x[0], Usdc(n.3));
            }
        }
    }
}
