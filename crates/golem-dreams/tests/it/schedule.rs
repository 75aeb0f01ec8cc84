//! When a golem dreams, over whole lives.

use golem_core::{Regime, Tick, Timestamp, Usdc, VirtualTime};
use golem_dreams::config::{DreamConfig, DreamScheduleMode};
use golem_dreams::schedule::{DreamScheduler, DreamTrigger, DreamVerdict};
use golem_dreams::{DreamSeen, DreamTier};
use golem_mortality::BehavioralPhase;

const TURNS_A_DAY: u64 = 2_160;

/// A quiet, stable golem at a turn; born at midnight UTC.
fn quiet(turn: u64) -> DreamSeen {
    DreamSeen {
        tick: Tick(turn),
        now: VirtualTime(turn * 40_000),
        at: Timestamp(1_767_225_600 + (turn * 40) as i64),
        phase: BehavioralPhase::Stable,
        fitness: 0.6,
        age_ratio: turn as f64 / 200_000.0,
        projected_life_h: None,
        regime: Regime::RangeBound,
        volatility_fifth: 3,
        surprise: 0.5,
        episodes: turn / 3,
        unreplayed: 10,
        unresolved_arousal: 0.1,
        recent_loss: 0.0,
        model_purse_share: 0.6,
        permit_pending: turn.is_multiple_of(7),
        market_active: false,
        suffering: 0.0,
        unresolved_patterns: false,
    }
}

fn dreaming(mode: DreamScheduleMode, tier: DreamTier) -> DreamConfig {
    let mut config = DreamConfig { enabled: true, tier, ..DreamConfig::default() };
    config.schedule.mode = mode;
    config
}

struct Lived {
    cycles: Vec<(u64, DreamTrigger)>,
    scheduler: DreamScheduler,
}

/// Live so many turns; each cycle lasts `length` turns, costs `cost` and is worth 0.3.
fn live(config: &DreamConfig, turns: u64, length: u64, cost: Usdc, seen: impl Fn(u64) -> DreamSeen) -> Lived {
    let mut lived = Lived { cycles: Vec::new(), scheduler: DreamScheduler::default() };
    let mut turn = 1;
    while turn <= turns {
        let now = seen(turn);
        if let DreamVerdict::Open { trigger } = lived.scheduler.should_dream(&now, config, false) {
            lived.cycles.push((turn, trigger));
            lived.scheduler.opened(&now, config, trigger);
            turn += length;
            lived.scheduler.finished(&seen(turn), 0.3, cost);
        }
        turn += 1;
    }
    lived
}

#[test]
fn a_quiet_core_life_dreams_on_the_interval() {
    let config = dreaming(DreamScheduleMode::Autonomous, DreamTier::Core);
    let lived = live(&config, 3 * TURNS_A_DAY - 1, 0, Usdc::ZERO, quiet);
    // 150 episodes, one in three turns: the first dream comes with turn 450, which is after five hours.
    assert_eq!(lived.cycles[0], (450, DreamTrigger::Interval));
    assert!(lived.cycles.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 50));
    for day in 0..3 {
        let of_day = lived.cycles.iter().filter(|(turn, _)| turn / TURNS_A_DAY == day).count();
        assert_eq!(of_day, 18, "day {day}");
    }
}

#[test]
fn a_hungry_life_dreams_twice_as_often_and_then_not_at_all() {
    let config = dreaming(DreamScheduleMode::Autonomous, DreamTier::Core);
    // Money for ten days: below 72 hours from turn 15,120 on, below 6 from turn 21,060 on.
    let hungry = |turn: u64| DreamSeen { projected_life_h: Some(240.0 - turn as f64 / 90.0), ..quiet(turn) };
    let lived = live(&config, 10 * TURNS_A_DAY - 1, 0, Usdc::ZERO, hungry);
    let gaps = |from: u64, to: u64| -> Vec<u64> {
        let within: Vec<u64> = lived.cycles.iter().map(|c| c.0).filter(|turn| (from..to).contains(turn)).collect();
        within.windows(2).map(|pair| pair[1] - pair[0]).collect()
    };
    assert_eq!(gaps(0, 15_121).iter().min(), Some(&50));
    assert_eq!(gaps(15_121, 21_061).iter().min(), Some(&25));
    assert!(lived.cycles.iter().all(|(turn, _)| *turn <= 21_060));
    for day in 0..10 {
        assert!(lived.cycles.iter().filter(|(turn, _)| turn / TURNS_A_DAY == day).count() <= 24);
    }
}

#[test]
fn a_hardened_life_sleeps_at_night_within_its_means() {
    let config = dreaming(DreamScheduleMode::Owner, DreamTier::Hardened);
    let lived = live(&config, 40 * TURNS_A_DAY, 25, Usdc(300_000), quiet);
    // Two cycles a night of $0.30 each are $0.60, and the month's $15 last for 25 nights: nights 1 to 25 of the first
    // thirty days (night 0 has too few episodes), and all of the ten after them.
    assert_eq!(lived.cycles.len(), 2 * 25 + 2 * 10);
    assert_eq!(lived.scheduler.budget.spent_since_birth, Usdc(300_000 * 70));
    for (turn, trigger) in &lived.cycles {
        let hour = turn % TURNS_A_DAY / 90;
        assert!(*trigger == DreamTrigger::Window && (2..6).contains(&hour), "{turn}");
    }
}

#[test]
fn a_life_that_is_put_down_and_taken_up_dreams_the_same() {
    let config = dreaming(DreamScheduleMode::Hybrid, DreamTier::Core);
    let stirred = |turn: u64| DreamSeen {
        surprise: (turn % 97) as f64 / 20.0,
        unreplayed: (turn % 61) as u32,
        unresolved_patterns: turn % 5 < 2,
        suffering: (turn % 11) as f64 / 11.0,
        ..quiet(turn)
    };
    let (mut whole, mut resumed) = (DreamScheduler::default(), DreamScheduler::default());
    for turn in 1..3_000 {
        let seen = stirred(turn);
        let verdicts = (
            whole.should_dream(&seen, &config, turn % 401 == 0),
            resumed.should_dream(&seen, &config, turn % 401 == 0),
        );
        assert_eq!(verdicts.0, verdicts.1, "turn {turn}");
        if let DreamVerdict::Open { trigger } = verdicts.0 {
            for scheduler in [&mut whole, &mut resumed] {
                scheduler.opened(&seen, &config, trigger);
                scheduler.finished(&seen, (turn % 10) as f64 / 10.0, Usdc(turn));
            }
        }
        resumed = serde_json::from_str(&golem_core::plain::json(&resumed)).expect("what was written is read");
    }
    assert_eq!(whole, resumed);
}
