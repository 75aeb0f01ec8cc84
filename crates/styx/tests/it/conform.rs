//! One suite for every store: a table of what each must do, and a machine of random calls held against the model.

use crate::kit::{BEGIN, DAY, Teller, Tried, golem, identity, owner, stores};
use golem_core::OwnerId;
use proptest::prelude::*;
use std::sync::Arc;
use styx::store::{AppendOutcome, CursorMove, KeptRowKey, ModelStore, RelayStore, RowChange, RowRoom, WriteBatch};
use styx_wire::*;

fn deltas(deltas: &[SignedDelta]) -> WriteBatch {
    WriteBatch { deltas: deltas.to_vec(), ..WriteBatch::default() }
}

fn keep(tried: &Tried, now: u64, all: &[SignedDelta]) -> Vec<AppendOutcome> {
    tried.store.commit(now, &deltas(all)).unwrap()
}

#[test]
fn a_delta_is_kept_once_in_its_place() {
    let (one, two) = (Arc::new(owner(1)), Arc::new(owner(2)));
    for tried in stores() {
        let mut a = Teller::new(&one, golem(3));
        let all: Vec<SignedDelta> = (0..5).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        let kept = |n| AppendOutcome::Kept { position: n };
        let known = |n| AppendOutcome::Known { position: n };
        assert_eq!(keep(&tried, 1, &all[..3]), [kept(1), kept(2), kept(3)], "{}", tried.name);
        assert_eq!(keep(&tried, 2, &all[1..4]), [known(2), known(3), kept(4)], "{}", tried.name);
        let gap = a.tell(DeltaKind::Insight, b"six");
        let gapped = AppendOutcome::Refused(RefuseReason::Gap { expected: 5 });
        assert_eq!(keep(&tried, 3, std::slice::from_ref(&gap)), [gapped]);
        assert_eq!(keep(&tried, 3, &[all[4].clone(), gap]), [kept(5), kept(6)], "the gap is closed within a batch");
        // Another first link of the same golem.
        let mut forked = Teller::new(&one, golem(3));
        let other = forked.tell(DeltaKind::Insight, b"other");
        assert_eq!(keep(&tried, 4, &[other]), [AppendOutcome::Refused(RefuseReason::Forked)]);
        // Another owner's log begins at one, and the same key there is another chain.
        let mut stranger = Teller::new(&two, golem(3));
        let theirs = stranger.tell(DeltaKind::Warning, b"theirs");
        assert_eq!(keep(&tried, 5, &[theirs]), [kept(1)]);
        assert_eq!(tried.store.page(one.id, 0, 0, 100).unwrap().len(), 6);
        assert_eq!(tried.store.page(two.id, 0, 0, 100).unwrap().len(), 1);
        assert_eq!(tried.store.chain(one.id, a.origin()).unwrap(), Some(a.head));
        assert_eq!(tried.store.page(OwnerId([9; 20]), 0, 0, 100).unwrap(), []);
        let page = tried.store.page(one.id, 2, 0, 2).unwrap();
        assert_eq!(page.iter().map(|l| (l.position, l.delta.head.seq)).collect::<Vec<_>>(), [(3, 3), (4, 4)]);
        assert_eq!(page[0].delta, all[2], "byte for byte");
    }
}

#[test]
fn what_has_expired_is_past_and_its_chain_goes_on() {
    let one = Arc::new(owner(1));
    for tried in stores() {
        let mut a = Teller::new(&one, golem(3));
        let all: Vec<SignedDelta> = (0..4).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        keep(&tried, BEGIN, &all[..2]);
        keep(&tried, BEGIN + 3 * DAY, &all[2..3]);
        let name = tried.name;
        let bounds = tried.store.bounds(one.id, BEGIN + 1).unwrap();
        assert_eq!((bounds.head, bounds.oldest), (3, 3), "{name}: over is not shown, swept or not");
        assert_eq!(tried.store.expire(BEGIN + DAY).unwrap(), 2, "{name}");
        assert_eq!(tried.store.page(one.id, 0, 0, 9).unwrap().len(), 1);
        assert_eq!(keep(&tried, BEGIN + 3 * DAY, &all[..1]), [AppendOutcome::Past], "{name}: it is not kept again");
        assert_eq!(keep(&tried, BEGIN + 3 * DAY, &all[3..]), [AppendOutcome::Kept { position: 4 }]);
        tried.store.expire(BEGIN + 9 * DAY).unwrap();
        let bounds = tried.store.bounds(one.id, 0).unwrap();
        assert_eq!((bounds.head, bounds.oldest, bounds.bytes), (4, 5, 0), "{name}: positions are never given twice");
    }
}

#[test]
fn a_relay_that_lost_its_disk_takes_a_chain_from_where_it_is() {
    let one = Arc::new(owner(1));
    for tried in stores() {
        let mut a = Teller::new(&one, golem(3));
        let all: Vec<SignedDelta> = (0..6).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        assert_eq!(keep(&tried, 1, &all[3..4]), [AppendOutcome::Kept { position: 1 }]);
        // What came before was never here: nobody may be told that it is kept.
        let before = AppendOutcome::Refused(RefuseReason::Gap { expected: 5 });
        assert_eq!(keep(&tried, 1, &all[1..2]), [before], "{}", tried.name);
        assert_eq!(keep(&tried, 1, &all[4..5]), [AppendOutcome::Kept { position: 2 }]);
    }
}

#[test]
fn nothing_is_taken_from_the_dead_after_their_last_word() {
    let one = Arc::new(owner(1));
    for tried in stores() {
        let mut a = Teller::new(&one, golem(3));
        let all: Vec<SignedDelta> = (0..4).map(|n| a.tell(DeltaKind::Insight, &[n])).collect();
        keep(&tried, 1, &all[..1]);
        tried.store.end_chain(one.id, a.origin(), 3).unwrap();
        let dead = AppendOutcome::Refused(RefuseReason::Dead);
        let found = keep(&tried, 1, &all[1..]);
        let kept = |n| AppendOutcome::Kept { position: n };
        assert_eq!(found, [kept(2), kept(3), dead], "{}: what it told before its death still comes", tried.name);
        // One that never told anything.
        let mut b = Teller::new(&one, golem(4));
        tried.store.end_chain(one.id, b.origin(), 0).unwrap();
        assert_eq!(tried.store.chain(one.id, b.origin()).unwrap(), None);
        assert_eq!(keep(&tried, 1, &[b.tell(DeltaKind::Warning, b"late")]), [dead]);
    }
}

#[test]
fn cursors_never_go_back() {
    let (one, origin) = (owner(1).id, OriginKey::of(&golem(3)));
    for tried in stores() {
        for (upto, cursor) in [(5, 5), (3, 5), (9, 9)] {
            let cursors = vec![CursorMove { owner: one, origin, upto }];
            tried.store.commit(1, &WriteBatch { cursors, ..WriteBatch::default() }).unwrap();
            assert_eq!(tried.store.cursor(one, origin).unwrap(), cursor, "{}", tried.name);
        }
        assert_eq!(tried.store.cursor(owner(2).id, origin).unwrap(), 0);
    }
}

#[test]
fn what_was_told_lately_is_counted_by_its_budget() {
    let one = Arc::new(owner(1));
    for tried in stores() {
        let mut a = Teller::new(&one, golem(3));
        keep(&tried, BEGIN, &[a.tell(DeltaKind::Insight, b"1"), a.tell(DeltaKind::Warning, b"2")]);
        keep(&tried, BEGIN + 10, &[a.tell(DeltaKind::Crisis, b"3")]);
        let used = |since| tried.store.recent(one.id, a.origin(), since).unwrap();
        assert_eq!((used(0).batch, used(0).urgent, used(BEGIN + 1).urgent), (1, 2, 1), "{}", tried.name);
    }
}

#[test]
fn rows_of_one_owner_are_apart_and_in_order() {
    let (one, two) = (owner(1).id, owner(2).id);
    for tried in stores() {
        let key = |owner, n: u8| KeptRowKey { room: RowRoom::Mark, owner, key: vec![n] };
        for n in [3, 1, 2] {
            tried.store.change(&key(one, n), &mut |_| RowChange::Put(vec![n])).unwrap();
        }
        tried.store.change(&key(two, 9), &mut |_| RowChange::Put(vec![9])).unwrap();
        let rows = |after: u8, most| tried.store.rows(&key(one, after), most).unwrap();
        let first = KeptRowKey { key: Vec::new(), ..key(one, 0) };
        assert_eq!(tried.store.rows(&first, 9).unwrap().len(), 3, "{}", tried.name);
        assert_eq!(rows(1, 1), [(vec![2], vec![2])]);
        assert_eq!(rows(3, 9), []);
        assert_eq!(tried.store.owners_of(RowRoom::Mark).unwrap().len(), 2);
        assert_eq!(tried.store.owners_of(RowRoom::Grave).unwrap(), []);
        tried.store.change(&key(one, 2), &mut |_| RowChange::Remove).unwrap();
        assert_eq!(tried.store.row(&key(one, 2)).unwrap(), None);
        assert_eq!(tried.store.row(&KeptRowKey { room: RowRoom::Grave, ..key(one, 1) }).unwrap(), None);
    }
}

#[test]
fn rows_are_put_with_a_transaction_the_later_in_place_of_the_earlier() {
    let (one, two) = (owner(1).id, owner(2).id);
    for tried in stores() {
        let key = |owner, n: u8| KeptRowKey { room: RowRoom::Pulse, owner, key: vec![n] };
        let put = |rows: Vec<(KeptRowKey, Vec<u8>)>| {
            tried.store.commit(1, &WriteBatch { rows, ..WriteBatch::default() }).unwrap();
        };
        put(vec![(key(one, 1), vec![1]), (key(two, 1), vec![2]), (key(one, 1), vec![3])]);
        put(vec![(key(one, 2), vec![4]), (key(two, 1), vec![5])]);
        let row = |owner, n| tried.store.row(&key(owner, n)).unwrap();
        assert_eq!(
            (row(one, 1), row(one, 2), row(two, 1)),
            (Some(vec![3]), Some(vec![4]), Some(vec![5])),
            "{}",
            tried.name
        );
    }
}

#[test]
fn a_row_is_changed_by_one_at_a_time() {
    for tried in stores() {
        let key = KeptRowKey { room: RowRoom::Owner, owner: owner(1).id, key: vec![0] };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let add = &mut |now: Option<&[u8]>| RowChange::Put(vec![now.map_or(0, |b| b[0]) + 1]);
                        tried.store.change(&key, add).unwrap();
                    }
                });
            }
        });
        assert_eq!(tried.store.row(&key).unwrap(), Some(vec![100]), "{}", tried.name);
    }
}

#[test]
fn a_file_comes_back_as_what_it_was() {
    let one = Arc::new(owner(1));
    let tried = crate::kit::sqlite();
    let mut a = Teller::new(&one, golem(3));
    keep(&tried, 1, &[a.tell(DeltaKind::Insight, b"1")]);
    let path = tried.dir.as_ref().unwrap().path().join("styx.db");
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap().map(Result::unwrap) {
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
        assert_eq!(mode & 0o077, 0, "{:?} lies open", file.path());
    }
    let again = styx::store::SqliteStore::open(&path, identity(7)).unwrap();
    assert_eq!(again.identity(), tried.store.identity(), "the identity is drawn once");
    assert_eq!(again.page(one.id, 0, 0, 9).unwrap().len(), 1);
}

/// One call of the machine.
#[derive(Debug, Clone)]
enum Call {
    /// Some golem of some owner tells the next few, of which some were told before, and one may be left out.
    Tell {
        owner: usize,
        golem: usize,
        back: u64,
        n: u64,
        skip: bool,
    },
    Took {
        owner: usize,
        golem: usize,
        upto: u64,
    },
    Later(u64),
    Expire,
    Bury {
        owner: usize,
        golem: usize,
        after: u64,
    },
    Put {
        owner: usize,
        key: u8,
        byte: u8,
    },
    Remove {
        owner: usize,
        key: u8,
    },
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        6 => (0usize..2, 0usize..3, 0u64..4, 1u64..5, any::<bool>()).prop_map(
            |(owner, golem, back, n, skip)| Call::Tell { owner, golem, back, n, skip: skip && n > 2 }
        ),
        2 => (0usize..2, 0usize..3, 0u64..30).prop_map(|(owner, golem, upto)| Call::Took { owner, golem, upto }),
        2 => (0u64..3 * DAY).prop_map(Call::Later),
        1 => Just(Call::Expire),
        1 => (0usize..2, 0usize..3, 0u64..3).prop_map(|(owner, golem, after)| Call::Bury { owner, golem, after }),
        1 => (0usize..2, 0u8..4, any::<u8>()).prop_map(|(owner, key, byte)| Call::Put { owner, key, byte }),
        1 => (0usize..2, 0u8..4).prop_map(|(owner, key)| Call::Remove { owner, key }),
    ];
    prop::collection::vec(call, 1..25)
}

fn run(store: &dyn RelayStore, calls: &[Call]) -> String {
    let owners = [Arc::new(owner(1)), Arc::new(owner(2))];
    let chains: Vec<Vec<Vec<SignedDelta>>> = owners
        .iter()
        .map(|owner| {
            let told = |n: u8| {
                let mut teller = Teller::new(owner, golem(n + 3));
                (0..30)
                    .map(|i| teller.tell(if i % 3 == 0 { DeltaKind::Warning } else { DeltaKind::Insight }, &[i]))
                    .collect()
            };
            (0..3).map(told).collect()
        })
        .collect();
    let mut told = [[0_u64; 3]; 2];
    let mut now = BEGIN;
    let mut said = String::new();
    for call in calls {
        let line = match call {
            Call::Tell { owner, golem, back, n, skip } => {
                let next = &mut told[*owner][*golem];
                let from = next.saturating_sub(*back);
                let mut batch: Vec<SignedDelta> =
                    chains[*owner][*golem].iter().skip(from as usize).take(*n as usize).cloned().collect();
                if *skip && batch.len() > 2 {
                    batch.remove(1);
                }
                let outcomes = store.commit(now, &deltas(&batch)).unwrap();
                *next = store
                    .chain(owners[*owner].id, OriginKey::of(&crate::kit::golem(*golem as u8 + 3)))
                    .unwrap()
                    .map_or(0, |head| head.seq);
                format!("{outcomes:?}")
            }
            Call::Took { owner, golem, upto } => {
                let origin = OriginKey::of(&crate::kit::golem(*golem as u8 + 3));
                let cursors = vec![CursorMove { owner: owners[*owner].id, origin, upto: *upto }];
                store.commit(now, &WriteBatch { cursors, ..WriteBatch::default() }).unwrap();
                store.cursor(owners[*owner].id, origin).unwrap().to_string()
            }
            Call::Later(ms) => {
                now += ms;
                String::new()
            }
            // Days go whole in some stores: what is shown is the same.
            Call::Expire => {
                store.expire(now.saturating_sub(7 * DAY)).unwrap();
                String::new()
            }
            Call::Bury { owner, golem, after } => {
                let origin = OriginKey::of(&crate::kit::golem(*golem as u8 + 3));
                let last = told[*owner][*golem] + after;
                store.end_chain(owners[*owner].id, origin, last).unwrap();
                String::new()
            }
            Call::Put { owner, key, byte } => {
                let key = KeptRowKey { room: RowRoom::Chunk, owner: owners[*owner].id, key: vec![*key] };
                store.change(&key, &mut |_| RowChange::Put(vec![*byte])).unwrap();
                String::new()
            }
            Call::Remove { owner, key } => {
                let key = KeptRowKey { room: RowRoom::Chunk, owner: owners[*owner].id, key: vec![*key] };
                store.change(&key, &mut |_| RowChange::Remove).unwrap();
                String::new()
            }
        };
        said.push_str(&line);
        for owner in &owners {
            let since = now.saturating_sub(7 * DAY);
            let bounds = store.bounds(owner.id, since).unwrap();
            let page = store.page(owner.id, bounds.head / 2, since, 7).unwrap();
            let page: Vec<(u64, u64, OriginKey)> =
                page.iter().map(|l| (l.position, l.delta.head.seq, l.delta.head.origin)).collect();
            let rows = store.rows(&KeptRowKey { room: RowRoom::Chunk, owner: owner.id, key: Vec::new() }, 9).unwrap();
            said.push_str(&format!("{} {} {page:?} {rows:?}\n", bounds.head, bounds.oldest));
        }
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_store_does_what_the_model_does(calls in calls()) {
        let model = run(&ModelStore::new(identity(1)), &calls);
        for tried in stores() {
            prop_assert_eq!(&run(&*tried.store, &calls), &model, "{}", tried.name);
        }
    }
}
