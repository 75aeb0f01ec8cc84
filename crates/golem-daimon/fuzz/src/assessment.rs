//! Any text as an agent's reply, cycle after cycle: no panic, every bound holds, no line of it stands in the prompt.

#![no_main]

use golem_core::observed::{Field, Snapshot, Value};
use golem_core::{Elapsed, VirtualTime};
use golem_daimon::suffering::{Band, RecordedCounters, Suffering, SufferingSeen, parse_assessment};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let recorded = RecordedCounters { failed: 30, completed: 4, ..RecordedCounters::default() };
    let mut snapshot = Snapshot::new();
    if let Some(rate) = Value::number(0.4) {
        let _set = snapshot.set(Field::GoalsFailureRate, rate);
    }
    let (mut suffering, mut now) = (Suffering::default(), VirtualTime(0));
    for reply in text.split('\u{1}').take(8) {
        now = now.after(Elapsed::secs(86_400));
        let seen = SufferingSeen { now, recorded: &recorded, snapshot: &snapshot };
        suffering.turn(seen);
        let (said, _) = parse_assessment(reply);
        let answered = suffering.assess(&said, seen);
        assert_eq!((answered.new.len(), answered.resolved.len()), (said.new.len(), said.resolved.len()));
        assert!((0.0..=1.0).contains(&suffering.load()) && suffering.active() <= 3);
        if let Some(fragment) = suffering.fragment(seen) {
            let closed = usize::from(suffering.band() >= Band::High);
            assert_eq!(fragment.lines().count(), 3 + closed + 2 * suffering.active());
            assert!(!fragment.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']));
        }
        let bytes = postcard::to_stdvec(&suffering).unwrap_or_default();
        assert_eq!(postcard::from_bytes(&bytes).as_ref(), Ok(&suffering));
    }
});
