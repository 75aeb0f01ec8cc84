//! Memory in the file: written with the turn, read as of any turn, found by words, noticed when it rots.

use crate::crash_loop::Ear;
use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Tick, VirtualTime};
use golem_grimoire::EpisodeId;
use golem_grimoire::change::TextSubject;
use golem_life::Being;
use golem_runtime::memory::Detail;
use golem_runtime::*;
use std::path::Path;

fn lived(dir: &Path, n: u64) -> ToyRunner {
    newborn(dir);
    let mut runner = open(dir, &remembering(), Pace::Max);
    runner.run(turns(n)).unwrap();
    runner
}

fn remembering() -> Nature {
    Nature { remembers: true, ..Nature::default() }
}

#[test]
fn what_a_turn_changed_is_there_as_of_that_turn_and_not_before() {
    let tmp = tempfile::tempdir().unwrap();
    lived(tmp.path(), 345).close().unwrap();
    let reader = Reader::open(tmp.path()).unwrap();
    for (as_of, episodes, entries) in [(9, 0, 0), (10, 1, 0), (99, 9, 0), (100, 10, 1), (345, 34, 3)] {
        let all = reader.memory().remembered(Some(Tick(as_of)), Detail::All).unwrap();
        assert_eq!((all.episodes.len(), all.entries.len()), (episodes, entries), "as of {as_of}");
        let last = as_of / 10 * 10;
        if let Some((episode, marks, embedding)) = all.episodes.first() {
            assert_eq!(*episode, an_episode(Tick(10), VirtualTime(INTERVAL.0 * 10)));
            assert_eq!((u64::from(marks.replays), embedding.clone()), (last, Some(a_vector(10))));
        }
        if let Some((entry, _)) = all.entries.last() {
            let begun = Tick(as_of / 100 * 100);
            assert_eq!(entry.body, an_entry(begun).body);
            let moved = if last == begun.0 { 0 } else { last };
            assert_eq!(u64::from(entry.standing.validated), moved, "as of {as_of}");
        }
        let lent: Vec<_> = all.vectors.iter().filter(|(of, _)| matches!(of, TextSubject::Episode(_))).collect();
        assert_eq!(lent.len(), episodes.saturating_sub(1), "as of {as_of}: each comes one turn of ten later");
        assert!(lent.iter().zip(1..).all(|(v, n)| *v == &(TextSubject::Episode(EpisodeId(n)), a_vector(n + 100))));
        if let Some((TextSubject::Entry(id), vector)) = all.vectors.last() {
            assert_eq!((*id, vector), (an_entry(Tick(as_of / 100 * 100)).id, &a_vector(last)), "as of {as_of}");
        }
        if as_of >= 10 {
            assert_eq!(all.rows.last().unwrap().2, format!("{{\"at\":{last}}}"));
        }
    }
    // Of old episodes only what similarity needs.
    let few = reader.memory().remembered(None, Detail::Newest(4)).unwrap();
    let texts: Vec<bool> = few.episodes.iter().map(|(e, ..)| e.text.is_empty()).collect();
    assert_eq!(texts.iter().filter(|empty| !**empty).count(), 4);
    assert!(texts[0] && few.episodes[0].0.situation == an_episode(Tick(10), VirtualTime(0)).situation);
    assert!(few.episodes.iter().all(|(e, _, vector)| !e.text.is_empty() || vector.is_none()), "of the newest only");
    let learnt = reader.memory().remembered(None, Detail::Learnt).unwrap();
    assert!(learnt.episodes.is_empty() && learnt.entries == few.entries && learnt.rows == few.rows);
}

#[test]
fn a_golem_comes_back_with_what_it_remembered_at_its_checkpoint() {
    let tmp = tempfile::tempdir().unwrap();
    let mut runner = lived(tmp.path(), 1_005);
    let tick = runner.being().tick().0;
    runner.run(turns(30)).unwrap();
    drop(runner);
    let back = open(tmp.path(), &remembering(), Pace::Max);
    let remembered = &back.being().remembered;
    // The checkpoint is older than the file: what came after it is lived again, and must not be there twice.
    assert!(remembered.tick.0 >= 1_000 && remembered.tick.0 <= tick, "{}", remembered.tick);
    assert_eq!(remembered.episodes.len() as u64, remembered.tick.0 / 10);
    drop(back);
    let all = Reader::open(tmp.path()).unwrap().memory().remembered(None, Detail::All).unwrap();
    assert_eq!(all.episodes.len() as u64, (tick + 30) / 10);
}

#[test]
fn a_checkpoint_whose_state_is_in_one_piece_as_it_was_before_is_used_all_the_same() {
    let tmp = tempfile::tempdir().unwrap();
    lived(tmp.path(), 1_200).close().unwrap();
    let db = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
    db.execute_batch(
        "UPDATE checkpoint SET format = 2, state = (SELECT bytes FROM state_pieces WHERE n = 0); DELETE FROM state_pieces;",
    )
    .unwrap();
    drop(db);
    let ear = Ear::default();
    let back: ToyRunner =
        Runner::open(store(tmp.path()), &remembering(), Walk::new(), InProcess(Paper), ear.around(Pace::Max)).unwrap();
    back.close().unwrap();
    let notices = ear.notices.lock().unwrap();
    assert!(notices.contains(&Notice::Resumed { tick: Tick(1_200), replayed: 0, unfit: None }), "{notices:?}");
}

#[test]
fn texts_are_found_by_their_words_up_to_a_turn() {
    let tmp = tempfile::tempdir().unwrap();
    lived(tmp.path(), 345).close().unwrap();
    let reader = Reader::open(tmp.path()).unwrap();
    let shelf = reader.memory();
    let found = shelf.episodes_with("turn 120", Tick(345), 3).unwrap();
    assert_eq!(found[0].id, EpisodeId(12), "{found:?}");
    assert!(found[0].score > found[1].score);
    assert!(shelf.episodes_with("120", Tick(119), 3).unwrap().is_empty());
    assert_eq!(shelf.episodes().unwrap(), 34);
    // A query is words, not a program.
    for odd in ["\"", "AND OR NOT", "text:*", "a\"b c", "NEAR(gas, 2)", "", "🜁 -- ; drop"] {
        shelf.episodes_with(odd, Tick(345), 3).unwrap();
    }
}

#[test]
fn a_rotten_memory_is_not_believed_and_is_made_again_once() {
    let rots = [
        ("UPDATE episodes SET body = replace(body, 'gas was dear', 'gas was free') WHERE id = 7", Some("episode 7")),
        ("UPDATE vectors SET vector = zeroblob(3) WHERE number = 7", Some("a vector of an episode")),
        ("UPDATE vectors SET model = 'another' WHERE number = 9", Some("a vector of an episode")),
        ("UPDATE episodes SET id = 7000 WHERE id = 7", None),
        ("UPDATE episodes SET tick = tick - 1 WHERE id = 7", None),
        ("UPDATE episodes SET model = 'another' WHERE id = 7", None),
        ("DELETE FROM episodes WHERE id = 7", None),
        ("UPDATE marks SET body = replace(body, '1', '2') WHERE id = 1 AND tick = 1000", None),
        ("UPDATE marks SET tick = 1 WHERE id = 1 AND tick = 1000", None),
        ("DELETE FROM marks WHERE id = 1 AND tick = 1000", None),
        ("INSERT INTO marks SELECT id + 1, tick, body FROM marks WHERE id = 1 AND tick = 1000", None),
        ("UPDATE standings SET body = replace(body, 'yes', 'no') WHERE tick = 990", None),
        ("DELETE FROM standings WHERE tick = (SELECT max(tick) FROM standings WHERE tick <= 1000)", None),
        ("DELETE FROM entries WHERE number = 3", None),
        ("UPDATE entries SET number = 400 WHERE number = 3", None),
        ("UPDATE named SET body = '{\"at\":7}' WHERE tick = 1000", None),
        ("DELETE FROM named WHERE tick = 1000", None),
        ("DELETE FROM vectors WHERE number = 9", None),
    ];
    for (rot, told) in rots {
        let tmp = tempfile::tempdir().unwrap();
        let runner = lived(tmp.path(), 1_200);
        let head = runner.head();
        runner.close().unwrap();
        assert_eq!(verify_chain(tmp.path()).unwrap().damage, None);
        let all = |tick| Reader::open(tmp.path()).unwrap().memory().remembered(Some(tick), Detail::All).unwrap();
        let whole = [Tick(505), Tick(1_200)].map(all);
        let db = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
        assert!(db.execute(rot, []).unwrap() >= 1, "{rot}");
        drop(db);
        if let Some(told) = told {
            let shown = Reader::open(tmp.path()).unwrap().memory().remembered(None, Detail::All).unwrap_err();
            assert!(shown.to_string().contains(told), "{shown}");
        }
        // Those who only look see it before a run does.
        let damage = verify_chain(tmp.path()).unwrap().damage.unwrap_or_else(|| panic!("{rot} went unnoticed"));
        assert!(damage.what.contains("memory"), "{rot}: {}", damage.what);
        assert!(!health(tmp.path()).unwrap().ok, "{rot}");
        let mended = |head: &golem_core::Hash| {
            let ear = Ear::default();
            let back: ToyRunner =
                Runner::open(store(tmp.path()), &remembering(), Walk::new(), InProcess(Paper), ear.around(Pace::Max))
                    .unwrap();
            assert_eq!((back.head(), back.being().remembered.tick), (*head, Tick(1_200)), "{rot}: from its checkpoint");
            back.close().unwrap();
            let notices = ear.notices.lock().unwrap();
            notices.iter().filter(|n| matches!(n, Notice::MemoryMended { .. })).count()
        };
        assert_eq!(mended(&head), 1, "{rot}: it is made again, and said");
        assert_eq!(verify_chain(tmp.path()).unwrap().damage, None, "{rot}");
        assert!(health(tmp.path()).unwrap().ok, "{rot}");
        assert_eq!([Tick(505), Tick(1_200)].map(all), whole, "{rot}: as it was, at every turn");
        let found = Reader::open(tmp.path()).unwrap().memory().episodes_with("turn 120", Tick(345), 1).unwrap();
        assert_eq!(found[0].id, EpisodeId(12), "{rot}: and found by its words");
        let notes = Reader::open(tmp.path()).unwrap().notes().unwrap();
        assert!(notes.last().unwrap().what.ends_with("it was made again from the journal"), "{rot}");
        assert_eq!(mended(&head), 0, "{rot}: once");
    }
}

#[test]
fn what_is_said_twice_of_a_row_in_one_turn_is_counted_once() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature { repeats_itself: true, ..remembering() };
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(320)).unwrap();
    runner.close().unwrap();
    assert_eq!(verify_chain(tmp.path()).unwrap().damage, None);
}
