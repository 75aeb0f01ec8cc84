//! Any text as a file of the original: no panic, nothing measured comes in, every cap holds.

#![no_main]

use golem_core::VirtualTime;
use golem_core::observed::Snapshot;
use golem_daimon::suffering::{
    Canonical, MOST_REPORTED, MOST_REPORTED_LOAD, RecordedCounters, Suffering, SufferingSeen, import,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let now = VirtualTime(1);
    let Ok(imported) = import(text, now) else { return };
    for row in &imported.history {
        assert!((0.0..=1.0).contains(&row.severity) && row.peak >= row.severity && row.peak <= 1.0);
        assert!(!row.note.chars().any(char::is_control));
    }
    let mut suffering = Suffering::default();
    let rows = imported.history.len();
    let facts = suffering.adopt(imported, now);
    assert_eq!(facts.iter().map(|f| f.rows().len()).sum::<usize>(), rows);
    assert!(Canonical::ALL.into_iter().all(|c| suffering.severity(c).is_none()));
    assert!(suffering.active() <= MOST_REPORTED && suffering.load() <= MOST_REPORTED_LOAD);
    let (recorded, snapshot) = (RecordedCounters::default(), Snapshot::new());
    let _shown = suffering.fragment(SufferingSeen { now, recorded: &recorded, snapshot: &snapshot });
    let bytes = postcard::to_stdvec(&suffering).unwrap_or_default();
    assert_eq!(postcard::from_bytes(&bytes).as_ref(), Ok(&suffering));
});
