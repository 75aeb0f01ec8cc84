//! What one golem has learnt helps another that is born into the same world, and its opposite is not believed.

use golem_core::{Hash, Usdc};
use golem_grimoire::experts::DOMAINS;
use golem_lab::heir_pairs::{HeirPairsPlan, heir_pairs, judge_pairs};
use golem_lab::heirs::{export_after, heir_in, turned_round};
use golem_life::Settings;
use golem_mortality::Domain;

#[test]
fn an_export_helps_a_newborn_from_its_first_days_and_its_opposite_is_not_believed() {
    let (world, gas) = ("gas-hours", DOMAINS.iter().position(|d| *d == Domain::GasCondition).unwrap());
    let (mut told_gain, mut turned_gain, mut believed, mut worth) = (0.0, 0.0, 0, Vec::new());
    for law in 1..=2 {
        let export = export_after(world, law, law, 25.0).unwrap();
        assert!(!export.is_empty(), "nothing was learnt in 25 days");
        let heir = |told: &[_]| heir_in(world, law, 1_000 + law, 8.0, told).unwrap();
        let (nothing, told, turned) = (heir(&[]), heir(&export), heir(&turned_round(&export)));
        told_gain += told.skill[gas] - nothing.skill[gas];
        turned_gain += turned.skill[gas] - nothing.skill[gas];
        believed += turned.active;
        worth.push(turned.worth / nothing.worth - 1.0);
    }
    // Strangers' words may only lessen a risk, and on one path that is luck either way.
    assert!((worth.iter().sum::<f64>() / worth.len() as f64).abs() < 0.003, "{worth:?}");
    assert!(told_gain > 0.002, "{told_gain}");
    assert!(turned_gain > -0.01, "it costs a trifle: {turned_gain}");
    assert_eq!(believed, 0, "nothing of the opposite is active after eight days");
}

/// A slice of `bardo lab heirs`: the two of a pair differ, and a run that was broken off goes on.
#[test]
fn heirs_and_newborns_are_paired_and_kept() {
    let (home, settings) = (tempfile::tempdir().unwrap(), Settings::default());
    let plan = |paths| HeirPairsPlan {
        worlds: vec!["gas-hours".to_owned()],
        paths,
        first_seed: 3,
        learnt: 8,
        budget: Usdc::whole(10_000),
        settings: settings.hash(),
        binary: Hash::of(b"this program"),
    };
    let lived = std::sync::atomic::AtomicU32::new(0);
    let count = |_: &_| {
        lived.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let pairs = heir_pairs(&plan(1), &settings, Some(home.path()), 1, &count).unwrap();
    let [pair] = &pairs[..] else { panic!("one pair") };
    assert!(pair.inherited > 0, "{pair:?}");
    assert_ne!(pair.heir_loss, pair.newborn_loss, "an heir forecasts otherwise");
    assert!(pair.heir_loss.is_some() && pair.heir_worth.abs() < 0.5);
    let file = home.path().join("pairs.jsonl");
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{whole}{{\"world\":\"gas-ho")).unwrap();
    assert_eq!(heir_pairs(&plan(1), &settings, Some(home.path()), 1, &count).unwrap(), pairs);
    assert_eq!(lived.into_inner(), 1, "nothing was lived twice");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), whole);
    let other = heir_pairs(&plan(2), &settings, Some(home.path()), 1, &|_| {});
    assert!(other.is_err(), "a folder of another plan is left alone");
    assert_eq!(judge_pairs(&pairs).unwrap().len(), 2, "loss and worth");
}
