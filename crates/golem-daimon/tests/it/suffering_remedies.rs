//! What is done about each stressor: every one has a remedy, it is taken once for each time that its stressor opens, and it
//! moves no severity.

use crate::suffering_kit;

use golem_core::Elapsed;
use golem_daimon::suffering::*;
use golem_mortality::BehavioralPhase;
use suffering_kit::*;

#[test]
fn every_stressor_has_a_remedy_that_needs_no_model() {
    for which in Canonical::ALL {
        let steps: Vec<Remedy> = which.remedies().collect();
        assert!(!steps.is_empty(), "{which}");
        assert!(steps.iter().all(|r| !r.words().is_empty()));
    }
    let of = |which: Canonical| which.remedies().collect::<Vec<_>>();
    assert_eq!(of(Canonical::ExistentialThreat), [Remedy::LiveCheaply, Remedy::AskOwner], "cheaper first, then asking");
    assert_eq!(of(Canonical::RepeatedFailure), [Remedy::TryOtherWays, Remedy::SetNearGoal], "other ways first");
}

#[test]
fn a_step_is_taken_once_for_each_onset_and_moves_no_severity() {
    let threatened = RecordedCounters { phase: BehavioralPhase::Declining, ..healthy() };
    let (mut g, mut twin, mut log) = (Golem::new(threatened), Golem::new(threatened), RemedyLog::default());
    let mut taken = Vec::new();
    for hour in 1..=72u64 {
        if hour == 40 {
            // It is over for some hours, and comes back.
            (g.recorded, twin.recorded) = (healthy(), healthy());
        } else if hour == 45 {
            (g.recorded, twin.recorded) = (threatened, threatened);
        }
        g.after(Elapsed::secs(3_600));
        twin.after(Elapsed::secs(3_600));
        let now = g.suffering.at();
        taken.extend(log.due(&g.suffering, now).into_iter().map(|(_, remedy)| (hour, remedy)));
        assert_eq!(g.suffering.load().to_bits(), twin.suffering.load().to_bits(), "a remedy is no relief by itself");
        assert_eq!(log.takes(Remedy::LiveCheaply), !(40..45).contains(&hour), "hour {hour}");
    }
    let told: Vec<Remedy> = taken.iter().map(|(_, r)| *r).collect();
    use Remedy::{AskOwner, LiveCheaply};
    assert_eq!(told, [LiveCheaply, AskOwner, LiveCheaply, AskOwner], "{taken:?}");
    assert!(taken[1].0 - taken[0].0 >= 24, "asking waits a day: {taken:?}");
}
