//! How long a full cycle of suffering takes: escalate, six rules, fragment, gate; after no history and after a long one.
//!
//! The bound is 5 microseconds with 10,000 entries of resolved history, and no dependence on their number.

#[path = "../tests/it/suffering_kit/mod.rs"]
mod kit;

use divan::{Bencher, black_box};
use golem_core::observed::{Field, Snapshot, Value};
use golem_core::{Elapsed, VirtualTime};
use golem_daimon::gate::{ActionClass, GateSituation, gate};
use golem_daimon::suffering::*;
use kit::{failing, healthy, ruined};

fn main() {
    divan::main();
}

const HISTORY: [usize; 2] = [0, 10_000];

/// A golem that has resolved `history` stressors, of six types and in every domain, at all kinds of peaks.
fn after(history: usize) -> (Suffering, VirtualTime, Snapshot) {
    let (mut suffering, mut now, mut snapshot) = (Suffering::default(), VirtualTime(10 * 86_400_000), Snapshot::new());
    let _set = snapshot.set(Field::GoalsFailureRate, Value::number(0.46).unwrap_or(Value::Integer(0)));
    let mut ended = 0;
    for i in 0.. {
        if ended >= history {
            break;
        }
        let doing = Some(ActivityDomain::ALL[i % 6]);
        let bad = RecordedCounters { senescent: i % 2 == 0, doing, ..failing() };
        let good = RecordedCounters { doing, ..healthy() };
        suffering.turn(SufferingSeen { now, recorded: &bad, snapshot: &snapshot });
        now = now.after(Elapsed::secs(3_600 * (1 + (i as u64 * 37) % 400)));
        let facts = suffering.turn(SufferingSeen { now, recorded: &good, snapshot: &snapshot });
        ended += facts.iter().map(|f| f.rows().len()).sum::<usize>();
    }
    (suffering, now, snapshot)
}

fn cycle(bencher: Bencher<'_, '_>, history: usize, recorded: impl Fn(VirtualTime) -> RecordedCounters, said: &str) {
    let (mut suffering, mut now, snapshot) = after(history);
    let first = recorded(now);
    suffering.turn(SufferingSeen { now, recorded: &first, snapshot: &snapshot });
    let (said, _) = parse_assessment(said);
    suffering.assess(&said, SufferingSeen { now, recorded: &first, snapshot: &snapshot });
    bencher.bench_local(move || {
        now = now.after(Elapsed(1));
        let recorded = recorded(now);
        let seen = SufferingSeen { now, recorded: black_box(&recorded), snapshot: &snapshot };
        let facts = suffering.turn(seen);
        let fragment = suffering.fragment(seen);
        let situation = GateSituation { band: Some(suffering.band()), ..GateSituation::FREE };
        let open = ActionClass::ALL.iter().filter(|c| gate(**c, &situation).is_ok()).count();
        (facts, fragment, open)
    });
}

/// The usual turn: nothing is open, nothing is said.
#[divan::bench(args = HISTORY)]
fn nothing_open(bencher: Bencher<'_, '_>, history: usize) {
    cycle(bencher, history, |_| healthy(), "{}");
}

/// All six at once: the longest fragment of measured ones.
#[divan::bench(args = HISTORY)]
fn six_measured(bencher: Bencher<'_, '_>, history: usize) {
    cycle(bencher, history, ruined, "{}");
}

/// Three measured ones and two reported ones with conditions to check.
#[divan::bench(args = HISTORY)]
fn three_measured_two_reported(bencher: Bencher<'_, '_>, history: usize) {
    let bad = |_| RecordedCounters {
        failed: 30,
        senescent: true,
        episodes_since_completed: 600,
        ..RecordedCounters::default()
    };
    let said = r#"{"new_stressors": [
        {"type": "fog", "description": "nothing is clear to me in this market", "condition": "goals.failure_rate < 0.3"},
        {"type": "dread", "description": "it will happen again", "condition": "goals.failure_rate < 0.2"}]}"#;
    cycle(bencher, history, bad, said);
}

/// What an agent says, read and answered.
#[divan::bench]
fn reading_an_assessment(bencher: Bencher<'_, '_>) {
    let text = r#"{"suffering_assessment": {"new_stressors": [{"type": "fog", "description": "nothing is clear",
        "condition": "when it lifts"}], "resolved": [{"type": "repeated_failure", "reason": "I feel fine"}]}}"#;
    bencher.bench_local(|| parse_assessment(black_box(text)));
}

/// The anticipatory signal after a long history.
#[divan::bench(args = HISTORY)]
fn anticipating(bencher: Bencher<'_, '_>, history: usize) {
    let (suffering, ..) = after(history);
    bencher.bench_local(|| black_box(&suffering).anticipate(black_box(ActivityDomain::Swap)));
}
