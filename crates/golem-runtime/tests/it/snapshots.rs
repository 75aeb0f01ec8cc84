//! Insurance: incremental, thinned, and refused when anything of it is missing.

use crate::crash_loop::Ear;
use crate::toy::*;
use golem_core::Tick;
use golem_core::door::InProcess;
use golem_life::Being;
use golem_runtime::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A golem with so many turns at real speed behind it; 540 turns are 6 hours.
fn lived(dir: &Path, n: u64) -> (Ear, golem_core::Hash) {
    let ear = Ear::default();
    let nature = Nature { bulk: 300_000, ..Nature::default() };
    let mut runner: ToyRunner =
        Runner::open(store(dir), &nature, Walk::new(), InProcess(Paper), ear.around(Pace::Real)).unwrap();
    runner.run(turns(n)).unwrap();
    let head = runner.head();
    runner.close().unwrap();
    (ear, head)
}

fn chunks(dir: &Path) -> Vec<PathBuf> {
    let shelves = fs::read_dir(dir.join("snapshots/chunks")).unwrap().map(|e| e.unwrap().path());
    shelves.flat_map(|s| fs::read_dir(s).unwrap().map(|e| e.unwrap().path())).collect()
}

#[test]
fn a_second_snapshot_writes_only_what_changed() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let (ear, _) = lived(tmp.path(), 1_700);
    let taken: Vec<_> = ear
        .notices
        .lock()
        .unwrap()
        .iter()
        .filter_map(|n| match n {
            Notice::SnapshotTaken { tick, new_chunks, chunks } => Some((tick.0, *new_chunks, *chunks)),
            _ => None,
        })
        .collect();
    assert_eq!(taken.iter().map(|t| t.0).collect::<Vec<_>>(), [540, 1_080, 1_620]);
    let (_, new, all) = taken[2];
    assert!(all > 7 && new <= 5, "{taken:?}: the 300 kB of state that did not change were not written again");
    let list = list_snapshots(tmp.path()).unwrap();
    assert_eq!(list.len(), 3);
    assert!(verify_snapshots(tmp.path()).unwrap().is_empty());
    let found = health(tmp.path()).unwrap();
    assert!(found.ok && found.snapshots == 3, "{found:?}");
}

#[test]
fn a_golem_comes_back_from_a_snapshot() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let (_, head) = lived(tmp.path(), 1_200);
    let list = list_snapshots(tmp.path()).unwrap();
    let (path, manifest) = &list[1];
    assert_eq!(manifest.tick, Tick(1_080));
    let before = fs::read(tmp.path().join("golem.db")).unwrap();
    let restored = restore_snapshot(tmp.path(), path, NOW).unwrap();
    assert_eq!(restored.tick, Tick(1_080));
    assert_eq!(fs::read(restored.aside.unwrap()).unwrap(), before, "moved aside, whole");
    assert_eq!(verify_chain(tmp.path()).unwrap().head, manifest.head);
    // Being told to restore was the acceptance; the lost turns are lived again and come out the same.
    let (_, again) = lived(tmp.path(), 120);
    assert_eq!(again, head);
    let notes = Reader::open(tmp.path()).unwrap().notes().unwrap();
    assert_eq!(notes.last().unwrap().what, "restored from the snapshot of tick 1080");

    // Into a directory whose file is lost altogether.
    fs::remove_file(tmp.path().join("golem.db")).unwrap();
    assert_eq!(restore_snapshot(tmp.path(), path, NOW).unwrap().aside, None);
    store(tmp.path()).close().unwrap();
}

#[test]
fn what_is_missing_or_rotten_is_refused() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    lived(tmp.path(), 600);
    let manifest = tmp.path().join("snapshots/540.json");
    let before = fs::read(tmp.path().join("golem.db")).unwrap();
    let refuse = |why: &str| {
        let said = restore_snapshot(tmp.path(), &manifest, NOW).unwrap_err();
        assert!(said.to_string().contains(why), "{said}");
        assert_eq!(fs::read(tmp.path().join("golem.db")).unwrap(), before, "nothing was changed");
        assert!(!tmp.path().join("golem.db.restored").exists());
    };
    let chunk = chunks(tmp.path()).pop().unwrap();
    let bytes = fs::read(&chunk).unwrap();
    fs::remove_file(&chunk).unwrap();
    refuse("missing");
    assert_eq!(verify_snapshots(tmp.path()).unwrap().len(), 1);
    let mut rotten = bytes.clone();
    rotten[100] ^= 1;
    fs::write(&chunk, &rotten).unwrap();
    refuse("does not fit its hash");
    fs::write(&chunk, &bytes).unwrap();
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"tick\":540", "\"tick\":541")).unwrap();
    refuse("sum does not fit");
    fs::write(&manifest, &text[..text.len() / 2]).unwrap();
    refuse("damaged");
    fs::write(&manifest, &text).unwrap();
    let running = store(tmp.path());
    assert!(matches!(restore_snapshot(tmp.path(), &manifest, NOW), Err(Error::Locked { .. })));
    running.close().unwrap();
    restore_snapshot(tmp.path(), &manifest, NOW).unwrap();
}

#[test]
fn thinning_removes_chunks_nobody_needs() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    // Three days: 12 snapshots, of which the last day's four and the last of each day before stay.
    lived(tmp.path(), 3 * 2_160 + 5);
    let ticks: Vec<u64> = list_snapshots(tmp.path()).unwrap().iter().map(|(_, m)| m.tick.0).collect();
    let keep: Vec<(Tick, _)> = (1..=12).map(|n| (Tick(n * 540), golem_core::VirtualTime(n * 6 * 3_600_000))).collect();
    assert_eq!(ticks, keepers(&keep).into_iter().map(|t| t.0).collect::<Vec<_>>());
    assert!(verify_snapshots(tmp.path()).unwrap().is_empty());
    let used: std::collections::BTreeSet<String> = list_snapshots(tmp.path())
        .unwrap()
        .iter()
        .flat_map(|(_, m)| m.chunks.iter().map(|h| h.to_string()).collect::<Vec<_>>())
        .collect();
    let there: std::collections::BTreeSet<String> =
        chunks(tmp.path()).iter().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(there, used);
}

#[test]
fn a_snapshot_that_cannot_be_taken_is_told_and_life_goes_on() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    fs::write(tmp.path().join("snapshots"), "in the way").unwrap();
    // A file where the directory should be is noticed at the start already.
    let refused = Runner::<Toy, _, _>::open(
        store(tmp.path()),
        &Nature::default(),
        Walk::new(),
        InProcess(Paper),
        around(Pace::Real),
    );
    assert!(refused.is_err());
    fs::remove_file(tmp.path().join("snapshots")).unwrap();
    fs::create_dir(tmp.path().join("snapshots")).unwrap();
    fs::write(tmp.path().join("snapshots/chunks"), "in the way").unwrap();
    let (ear, _) = lived(tmp.path(), 600);
    assert!(ear.notices.lock().unwrap().iter().any(|n| matches!(n, Notice::SnapshotSkipped { .. })));
    assert_eq!(Reader::open(tmp.path()).unwrap().tip().unwrap().0, Tick(600));
}

#[test]
fn accelerated_time_waits_five_seconds_between_snapshots() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let ear = Ear::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &Nature::default(), Walk::new(), InProcess(Paper), ear.around(Pace::Max))
            .unwrap();
    runner.run(turns(3_000)).unwrap();
    assert!(runner.being().tick() == Tick(3_000));
    assert!(list_snapshots(tmp.path()).unwrap().is_empty(), "33 virtual hours, no five seconds");
}

#[test]
fn one_damaged_manifest_stands_in_the_way_of_no_other() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    lived(tmp.path(), 1_200);
    let [first, second]: [PathBuf; 2] =
        list_snapshots(tmp.path()).unwrap().into_iter().map(|(path, _)| path).collect::<Vec<_>>().try_into().unwrap();
    let good = fs::read(&second).unwrap();
    fs::write(&second, &good[..good.len() / 2]).unwrap();
    let list = list_snapshots(tmp.path()).unwrap();
    assert_eq!(
        list.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(),
        std::slice::from_ref(&first),
        "the other is listed"
    );
    assert_eq!(verify_snapshots(tmp.path()).unwrap().len(), 1, "and the bad one is named");
    // Insurance goes on: new ones are taken and thinned, and the damaged one is set aside.
    let (ear, _) = lived(tmp.path(), 600);
    let taken: Vec<u64> = ear
        .notices
        .lock()
        .unwrap()
        .iter()
        .filter_map(|n| if let Notice::SnapshotTaken { tick, .. } = n { Some(tick.0) } else { None })
        .collect();
    assert_eq!(taken, [1_201, 1_741], "at once, since what is insured is turn 540, and six hours later");
    assert!(!second.exists() && second.with_extension("json.damaged").exists());
    assert!(verify_snapshots(tmp.path()).unwrap().is_empty());
    restore_snapshot(tmp.path(), &first, NOW).unwrap();
}

/// Gone, rotten, or on a part of the disk that cannot be read, which a directory in its place stands for.
#[test]
fn one_damaged_chunk_stands_in_the_way_of_no_other_snapshot() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    lived(tmp.path(), 1_200);
    let [first, second]: [(PathBuf, Manifest); 2] = list_snapshots(tmp.path()).unwrap().try_into().unwrap();
    let only = second.1.chunks.iter().find(|hash| !first.1.chunks.contains(hash)).unwrap().to_string();
    let place = tmp.path().join("snapshots/chunks").join(&only[..2]).join(&only);
    let good = fs::read(&place).unwrap();
    let mut rotten = good.clone();
    rotten[7] ^= 1;
    for (why, put) in [("missing", None), ("does not fit its hash", Some(&rotten)), ("cannot be read", None)] {
        fs::remove_file(&place).unwrap();
        match put {
            Some(bytes) => fs::write(&place, bytes).unwrap(),
            None if why == "cannot be read" => fs::create_dir(&place).unwrap(),
            None => {}
        }
        let wrong = verify_snapshots(tmp.path()).unwrap();
        assert!(wrong.len() == 1 && wrong[0].contains(why), "{wrong:?}");
        assert_eq!(list_snapshots(tmp.path()).unwrap().len(), 2, "{why}: both can be asked for");
        let said = restore_snapshot(tmp.path(), &second.0, NOW).unwrap_err();
        assert!(matches!(said, Error::Damaged { .. }) && said.to_string().contains(why), "{why}: {said}");
        // Whoever takes the newest that is whole goes on to the one before.
        let whole = list_snapshots(tmp.path()).unwrap().into_iter().rev();
        let mut tried = whole.map(|(path, _)| restore_snapshot(tmp.path(), &path, NOW));
        assert!(matches!(tried.next(), Some(Err(Error::Damaged { .. }))), "{why}");
        assert_eq!(tried.next().unwrap().unwrap().tick, first.1.tick, "{why}");
        // As it was: what belongs to the life that was left is listed again once that is whole.
        let _dir = fs::remove_dir(&place);
        fs::write(&place, &good).unwrap();
        let (aside, _) = list_snapshots_aside(tmp.path()).unwrap().pop().unwrap();
        restore_snapshot(tmp.path(), &aside, NOW).unwrap();
        assert_eq!(list_snapshots(tmp.path()).unwrap().len(), 2, "{why}");
    }
}

/// Insurance goes on beside a manifest that a rotten bit makes look like a newer program's, and beside one that cannot be read.
#[test]
fn a_manifest_that_cannot_be_read_keeps_nobody_from_being_insured() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    lived(tmp.path(), 1_200);
    let at = |name: &str| tmp.path().join("snapshots").join(name);
    let text = fs::read_to_string(at("540.json")).unwrap();
    fs::write(at("540.json"), text.replacen("\"format\":1", "\"format\":3", 1)).unwrap();
    fs::remove_file(at("1080.json")).unwrap();
    fs::create_dir(at("1080.json")).unwrap();
    assert_eq!(verify_snapshots(tmp.path()).unwrap().len(), 2);
    let (ear, _) = lived(tmp.path(), 1_200);
    let notices = ear.notices.lock().unwrap();
    let taken = notices.iter().filter(|n| matches!(n, Notice::SnapshotTaken { .. })).count();
    assert!(taken >= 2 && !notices.iter().any(|n| matches!(n, Notice::SnapshotSkipped { .. })), "{notices:?}");
    assert!(!at("540.json").exists() && at("540.json.damaged").exists());
    assert!(at("1080.json").exists(), "what may be read another time stays");
}

#[test]
fn a_rotten_chunk_is_never_reused() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    lived(tmp.path(), 600);
    // Every chunk rots: same length, one bit.
    for chunk in chunks(tmp.path()) {
        let mut bytes = fs::read(&chunk).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&chunk, bytes).unwrap();
    }
    assert!(!verify_snapshots(tmp.path()).unwrap().is_empty());
    let (_, head) = lived(tmp.path(), 1_100);
    let (newest, manifest) = list_snapshots(tmp.path()).unwrap().pop().unwrap();
    assert_eq!(manifest.tick, Tick(1_620));
    restore_snapshot(tmp.path(), &newest, NOW).unwrap();
    let (_, again) = lived(tmp.path(), 80);
    assert_eq!(again, head);
}

#[test]
fn what_is_to_be_insured_is_insured_before_it_dies_at_every_speed() {
    // It asks to be insured and dies a few turns later, or in the same turn: at full speed all of that is one group.
    for (dies_at, newest) in [(330, 300), (301, 300), (300, 299)] {
        for pace in [Pace::Max, Pace::Times(1e6), Pace::Real] {
            let tmp = tempfile::tempdir().unwrap();
            newborn(tmp.path());
            let nature = Nature { insured_at: 300, dies_at, ..Nature::default() };
            let mut runner = open(tmp.path(), &nature, pace);
            assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
            runner.close().unwrap();
            let ticks: Vec<u64> = list_snapshots(tmp.path()).unwrap().iter().map(|(_, m)| m.tick.0).collect();
            assert!(ticks.contains(&newest), "{pace:?}, dies at {dies_at}: {ticks:?}");
            assert!(verify_snapshots(tmp.path()).unwrap().is_empty());
        }
    }
}

/// The turns of what is listed, and of what was set aside.
fn listed(dir: &Path) -> [Vec<u64>; 2] {
    let ticks = |all: Vec<(PathBuf, Manifest)>| all.iter().map(|(_, m)| m.tick.0).collect();
    [ticks(list_snapshots(dir).unwrap()), ticks(list_snapshots_aside(dir).unwrap())]
}

#[test]
fn what_was_insured_of_a_life_that_was_left_is_set_aside_and_can_be_had() {
    let tmp = tempfile::tempdir().unwrap();
    let at = |tick: u64| tmp.path().join(format!("snapshots/{tick}.json"));
    newborn(tmp.path());
    let (_, left) = lived(tmp.path(), 2_000);
    assert_eq!(listed(tmp.path()), [vec![540, 1_080, 1_620], vec![]]);
    let back = restore_snapshot(tmp.path(), &at(540), NOW).unwrap().snapshots;
    assert_eq!(back, Sorted { aside: vec![Tick(1_080), Tick(1_620)], back: vec![] });
    assert_eq!(listed(tmp.path()), [vec![540], vec![1_080, 1_620]]);
    assert!(verify_snapshots(tmp.path()).unwrap().is_empty());

    // Another life from there on, which is insured at the same turns and thinned, and keeps what was set aside.
    let nature = Nature { bulk: 300_000, twist_at: Some(600), ..Nature::default() };
    let mut runner = open(tmp.path(), &nature, Pace::Real);
    runner.run(turns(6_000)).unwrap();
    let another = runner.head();
    runner.close().unwrap();
    let [ours, aside] = listed(tmp.path());
    assert_eq!(ours, [1_620, 3_780, 4_320, 4_860, 5_400, 5_940, 6_480]);
    assert_eq!(aside, [1_080, 1_620]);

    // By its name one of the other life can be had, and then the snapshots of this one are set aside.
    let (path, manifest) = list_snapshots_aside(tmp.path()).unwrap().pop().unwrap();
    let sorted = restore_snapshot(tmp.path(), &path, NOW).unwrap().snapshots;
    assert_eq!(sorted.back, [Tick(1_080), Tick(1_620)]);
    assert_eq!(sorted.aside.iter().map(|t| t.0).collect::<Vec<_>>(), ours);
    assert_eq!(verify_chain(tmp.path()).unwrap().head, manifest.head);
    let (_, again) = lived(tmp.path(), 380);
    assert_eq!(again, left, "it goes on as it went on then");
    assert_ne!(again, another);
}

#[test]
fn a_file_that_was_put_back_leaves_what_was_insured_after_it() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    lived(tmp.path(), 600);
    let older = fs::read(tmp.path().join("golem.db")).unwrap();
    lived(tmp.path(), 1_200);
    fs::write(tmp.path().join("golem.db"), older).unwrap();
    let put_back = OpenOptions { accept_rollback: true, ..OpenOptions::default() };
    let store = Store::open(tmp.path(), put_back, NOW).unwrap();
    let ear = Ear::default();
    let nature = Nature { bulk: 300_000, ..Nature::default() };
    let runner: ToyRunner =
        Runner::open(store, &nature, Walk::new(), InProcess(Paper), ear.around(Pace::Real)).unwrap();
    let told = Notice::SnapshotsAside { tick: Tick(600), ticks: vec![Tick(1_080), Tick(1_620)] };
    assert!(ear.notices.lock().unwrap().contains(&told));
    assert_eq!(listed(tmp.path()), [vec![540], vec![1_080, 1_620]]);
    runner.close().unwrap();
}
