//! What goes back and forth is told once and counted.

use golem_core::Timestamp;
use golem_life::Fact;
use golem_mortality::phase::BehavioralPhase as Phase;
use golem_mortality::{MortalityFact, facts::TriggerClock};
use golem_view::flap::Flaps;

fn phase(from: Phase, to: Phase) -> Fact {
    let fact = MortalityFact::PhaseTransition {
        from_phase: from,
        to_phase: to,
        composite: 0.5,
        trigger_clock: TriggerClock::Economic,
    };
    Fact::Mortality(fact)
}

#[test]
fn flapping_is_folded_and_what_is_new_is_told() {
    let (mut flaps, mut told) = (Flaps::default(), 0);
    let hour = |n: i64| Timestamp(n * 3_600);
    for n in 0..48 {
        let (from, to) = if n % 2 == 0 { (Phase::Thriving, Phase::Stable) } else { (Phase::Stable, Phase::Thriving) };
        told += u32::from(flaps.pass(&phase(from, to), hour(n)).is_some());
    }
    assert_eq!(told, 1, "two days of back and forth are one line");
    assert_eq!(flaps.rest(), [("between stable and thriving", 47)]);
    assert_eq!(flaps.pass(&phase(Phase::Stable, Phase::Conservation), hour(49)), Some(0), "a fall is news");
    assert_eq!(
        flaps.pass(&phase(Phase::Thriving, Phase::Stable), hour(24 * 8)),
        Some(47),
        "a week later it is told again"
    );
    let once = Fact::Mortality(MortalityFact::Vigil { open: true, turns: 50 });
    assert_eq!(
        (flaps.pass(&once, hour(1)), flaps.pass(&once, hour(1))),
        (Some(0), Some(0)),
        "what matters is never held back"
    );
}
