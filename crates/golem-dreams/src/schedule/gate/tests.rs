//! What keeps it awake.

use super::*;
use crate::schedule::testing::{config, seen};
use BehavioralPhase::*;

fn asked(change: impl FnOnce(&mut DreamSeen), asked: GateAsked) -> Option<&'static str> {
    let mut s = seen();
    change(&mut s);
    precondition(&s, &config(), asked).map(|why| why.name())
}

#[test]
fn the_first_dream_waits_for_episodes() {
    for (phase, need) in [(Thriving, 200), (Stable, 150), (Conservation, 100), (Declining, 50)] {
        let with = |n| asked(|s| (s.phase, s.episodes) = (phase, n), GateAsked::Every);
        assert_eq!((with(need - 1), with(need)), (Some("too_few_episodes"), None), "{phase}");
    }
}

#[test]
fn the_purse_the_phase_and_permits_hold_it_back() {
    let every = |change: fn(&mut DreamSeen)| asked(change, GateAsked::Every);
    assert_eq!(every(|s| s.model_purse_share = 0.1499), Some("model_purse"));
    assert_eq!(every(|s| s.model_purse_share = 0.15), None);
    assert_eq!(every(|s| s.model_purse_share = f64::NAN), Some("model_purse"));
    assert_eq!(every(|s| s.phase = Terminal), Some("terminal"));
    assert_eq!(every(|s| s.permit_pending = true), Some("permit_pending"));
}

#[test]
fn an_emergency_passes_the_first_and_the_third() {
    let emergency = |change: fn(&mut DreamSeen)| asked(change, GateAsked::Emergency);
    assert_eq!(emergency(|s| (s.phase, s.episodes) = (Terminal, 0)), None);
    assert_eq!(emergency(|s| (s.phase, s.episodes) = (Stable, 0)), None);
    assert_eq!(emergency(|s| (s.phase, s.model_purse_share) = (Terminal, 0.1)), Some("model_purse"));
    assert_eq!(emergency(|s| (s.phase, s.permit_pending) = (Terminal, true)), Some("permit_pending"));
}

#[test]
fn every_reason_has_a_number_a_sentence_and_a_way_out() {
    let all = [
        (WhyAwake::Off, 1, "dreams are off"),
        (WhyAwake::TooFewEpisodes { have: 3, need: 150 }, 100, "3 episodes are too few"),
        (WhyAwake::ModelPurse { share: 0.1234, least: 0.15 }, 101, "12.3 % of the operating credit"),
        (WhyAwake::Terminal, 102, "terminal"),
        (WhyAwake::PermitPending, 103, "not settled"),
        (WhyAwake::LifeTooShort { hours: 5.04, least: 6.0 }, 200, "5.0 hours of money are left, and below 6 "),
        (WhyAwake::DayFull { cap: 24 }, 300, "the day's 24 cycles"),
        (WhyAwake::SessionFull { cap: 3 }, 301, "the window's 3 cycles"),
        (WhyAwake::Budget { cap: BudgetCap::Month, limit: Usdc::whole(15) }, 302, "the month's budget of 15.00 USDC"),
        (WhyAwake::TooSoon { interval: 50, left: 7 }, 303, "7 are left"),
        (WhyAwake::MarketMoves { moved_percent: -12.34, wakes_at: 10.0 }, 304, "moved by -12.3 %, and 10 wakes it"),
        (WhyAwake::NotDue { urgency: 0.314, opens_at: 0.7 }, 400, "urgency 0.31, and 0.70 opens one"),
        (WhyAwake::NoWindow, 401, "none is open"),
    ];
    let mut names: Vec<_> = all.iter().map(|(why, ..)| why.name()).collect();
    for (why, code, part) in all {
        assert_eq!(why.code(), code);
        assert!(why.to_string().contains(part), "{why}");
        assert!(!why.lifted_by().is_empty());
        assert_eq!(why.is_precondition(), matches!(code, 100..=103));
        // It is kept in a file and shown in JSON.
        let json = serde_json::to_string(&why).unwrap();
        assert_eq!(serde_json::from_str::<WhyAwake>(&json).unwrap(), why);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len());
}
