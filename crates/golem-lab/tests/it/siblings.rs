//! Groups by the instrument: whoever shares hears and knows otherwise, whoever is silent lives as alone, and a run that was broken off
//! goes on.

use golem_core::{Hash, Usdc};
use golem_lab::siblings::{GroupLived, SiblingsPlan, judge_groups, siblings_group, siblings_groups};
use golem_life::Settings;

fn plan(members: u64, days: u64) -> SiblingsPlan {
    SiblingsPlan {
        worlds: vec!["gas-hours".to_owned()],
        groups: 1,
        first_seed: 5,
        members,
        days,
        budget: Usdc::whole(10_000),
        settings: Settings::default().hash(),
        binary: Hash::of(b"this program"),
    }
}

/// What it says changes nothing for who says it: nobody hears it, and it lives as it would have in silence.
#[test]
fn who_speaks_to_nobody_lives_as_in_silence() {
    let group = siblings_group(&plan(1, 6), &Settings::default(), "gas-hours", 0).unwrap();
    assert!(group.sharing.told > 0, "{group:?}");
    assert_eq!(GroupLived { told: 0, ..group.sharing }, group.silent);
}

#[test]
fn who_shares_hears_the_others_and_knows_otherwise() {
    let (home, settings) = (tempfile::tempdir().unwrap(), Settings::default());
    let lived = std::sync::atomic::AtomicU32::new(0);
    let count = |_: &_| {
        lived.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let groups = siblings_groups(&plan(3, 8), &settings, Some(home.path()), 1, &count).unwrap();
    let [group] = &groups[..] else { panic!("one group") };
    let GroupLived { told, heard, .. } = group.sharing;
    assert!(told > 0 && heard > 0 && heard <= told * 2, "each of three is heard by two at most: {group:?}");
    assert_eq!((group.silent.told, group.silent.heard), (0, 0));
    assert_ne!(group.sharing.skill, group.silent.skill, "what was heard is part of what is forecast");
    assert!(group.silent.novelty.is_some_and(|n| n > 0.0 && n <= 1.0), "{group:?}");
    assert_eq!(siblings_groups(&plan(3, 8), &settings, Some(home.path()), 1, &count).unwrap(), groups);
    assert_eq!(lived.into_inner(), 1, "nothing was lived twice");
    let judged = judge_groups(&groups).unwrap();
    assert_eq!(judged.len(), 4, "nobody was struck by a blow: {judged:?}");
}
