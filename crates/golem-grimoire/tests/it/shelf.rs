//! A shelf rebuilt from what it wrote is the same shelf, and a turn writes each thing once.

use crate::kit;

use golem_core::{Regime, VirtualTime};
use golem_grimoire::change::{Change, NamedTable};
use golem_grimoire::shelf::{RECENT_EPISODES, Shelf};
use golem_grimoire::{EntryKind, EntryStatus, EpisodeId};
use kit::{File, about, active, body, claiming, days, episode};
use proptest::prelude::*;

/// One thing that can happen to a shelf, by numbers.
fn happen(shelf: &mut Shelf, what: u8, which: u64, how: u64) {
    let nth = |shelf: &Shelf| shelf.entries().nth((which % 17) as usize).map(|e| e.id);
    match what % 8 {
        0 | 1 => {
            let id = shelf.next_episode();
            assert!(shelf.record(episode(id.0, VirtualTime(how))));
        }
        2 => {
            let id = EpisodeId(which % shelf.next_episode().0.max(1));
            shelf.mark(id, |m| (m.consolidated, m.replays) = (how.is_multiple_of(2), how as u32));
        }
        3 => {
            let mut b = body(EntryKind::Insight, &format!("lesson {}", which % 23));
            b.learnt_at = VirtualTime(how % 3);
            shelf.add(active(b, how as u16));
        }
        4 => {
            shelf.add(active(about("buy", Regime::ALL[(which % 5) as usize], how.is_multiple_of(2)), 7_000));
        }
        5 => {
            let Some(id) = nth(shelf) else { return };
            shelf.stand(id, |s| s.confidence_bp = how as u16);
        }
        6 => {
            let Some(id) = nth(shelf) else { return };
            let at = VirtualTime(how);
            let to = [
                EntryStatus::Active,
                EntryStatus::Candidate,
                EntryStatus::Archived(at),
                EntryStatus::Quarantined(at),
                EntryStatus::Burnt(at),
            ];
            shelf.stand(id, |s| s.status = to[(how % 5) as usize]);
        }
        _ => shelf.put_row(NamedTable::Goal, format!("{}", which % 3), String::new(), format!("{how}")),
    }
}

proptest! {
    #[test]
    fn a_rebuilt_shelf_is_the_same_shelf(turns in prop::collection::vec(prop::collection::vec(any::<(u8, u64, u64)>(), 0..12), 0..30)) {
        let (mut shelf, mut file) = (Shelf::default(), File::default());
        for turn in turns {
            for (what, which, how) in turn {
                happen(&mut shelf, what, which, how);
            }
            let changes = shelf.take_changes();
            let mut bodies_and_standings = std::collections::BTreeSet::new();
            for change in &changes {
                let thing = match change {
                    Change::Episode { episode, .. } => format!("episode {}", episode.id.0),
                    Change::Marked { id, .. } => format!("marks {}", id.0),
                    Change::Entry { entry, .. } => format!("entry {}", entry.id),
                    Change::Stands { id, .. } => format!("entry {id}"),
                    Change::Row { table, key, .. } => format!("{table:?} {key}"),
                    Change::Vector { of, .. } => format!("vector {of:?}"),
                };
                prop_assert!(bodies_and_standings.insert(thing.clone()), "{thing} was written twice in a turn");
            }
            file.write(changes);
            prop_assert!(shelf.take_changes().is_empty());
            prop_assert_eq!(&Shelf::rebuild(&file.remembered()), &shelf);
        }
    }
}

#[test]
fn only_the_latest_episodes_stay_in_memory_each_beside_its_marks() {
    let (mut shelf, mut file) = (Shelf::default(), File::default());
    let all = RECENT_EPISODES as u64 + 300;
    for id in 1..=all {
        shelf.record(episode(id, VirtualTime(id)));
    }
    assert_eq!((shelf.episodes().len(), shelf.episode_count()), (RECENT_EPISODES, all as usize));
    assert!(shelf.episode(EpisodeId(300)).is_none() && shelf.episode(EpisodeId(301)).is_some());
    assert!(shelf.mark(EpisodeId(307), |m| m.replays += 1));
    assert!(shelf.mark(EpisodeId(307), |m| m.replays += 1));
    assert_eq!(shelf.marks(EpisodeId(307)).map(|m| m.replays), Some(2));
    // What is known of older ones is in the file, and stays as it was written.
    assert!(!shelf.mark(EpisodeId(7), |m| m.replays += 1) && shelf.marks(EpisodeId(7)).is_none());
    assert!(!shelf.mark(EpisodeId(all + 1), |m| m.replays += 1));
    // Each of the latest still stands beside its own marks.
    shelf.mark(EpisodeId(all), |m| m.dream_priority = true);
    assert!(shelf.episodes().next_back().is_some_and(|(e, m)| e.id.0 == all && m.dream_priority));
    file.write(shelf.take_changes());
    assert_eq!(Shelf::rebuild(&file.remembered()), shelf);
}

#[test]
fn burning_leaves_one_line_and_is_for_ever() {
    let mut shelf = Shelf::default();
    let entry = active(body(EntryKind::Insight, &format!("{}\nand more", "long ".repeat(50))), 5_000);
    let (id, again) = (entry.id, entry.clone());
    assert!(shelf.add(entry));
    shelf.stand(id, |s| s.status = EntryStatus::Burnt(days(3)));
    assert!(shelf.entry(id).is_none());
    let ash = &shelf.ashes()[&id];
    assert_eq!((ash.line.chars().count(), ash.since), (96, days(3)));
    assert!(!shelf.stand(id, |s| s.status = EntryStatus::Active), "nothing moves it any more");
    assert!(!shelf.add(again), "nor can it come back by another way");
}

#[test]
fn the_same_belief_is_known_again_whoever_learnt_it_and_when() {
    let mut shelf = Shelf::default();
    let said = claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0");
    shelf.add(active(said.clone(), 7_000));
    let mut other = said.clone();
    (other.learnt_at, other.origin.generation, other.text) = (days(3), 4, "In other words".to_owned());
    assert_eq!(shelf.saying(&other).count(), 1);
    assert_eq!(shelf.saying(&claiming("market.gas_ratio > 3.0", "market.return_15 < 0.0")).count(), 0);
}

#[test]
fn beliefs_that_cannot_both_be_right_are_seen_to_contradict() {
    let gas = "market.gas_ratio > 2.0";
    let rises = claiming(gas, "market.return_15 > 0.0");
    let table = [
        (claiming(gas, "market.return_15 <= 0.0"), true),
        (claiming(gas, "market.return_15 < -0.01"), true),
        (claiming(gas, "market.return_15 > 0.01"), false),
        (claiming(gas, "market.return_90 < 0.0"), false),
        (claiming("market.gas_ratio > 3.0", "market.return_15 < 0.0"), false),
        (claiming(gas, "market.return_15 < 0.5"), false),
    ];
    for (other, expected) in table {
        assert_eq!(golem_grimoire::subject::contradict(&rises, &other), expected, "{}", other.text);
        assert_eq!(golem_grimoire::subject::contradict(&other, &rises), expected, "{}", other.text);
    }
    let words = [
        (r#"market.protocol == "normal""#, r#"market.protocol == "degraded""#, true),
        (r#"market.protocol == "normal""#, r#"market.protocol != "normal""#, true),
        (r#"market.protocol == "normal""#, r#"market.protocol != "degraded""#, false),
        ("market.return_15 >= 0.0", "market.return_15 <= 0.0", false),
        ("market.return_15 > 0.0", "!(market.return_15 > 0.0)", true),
    ];
    for (a, b, expected) in words {
        assert_eq!(golem_grimoire::subject::oppose(a, b), expected, "{a} and {b}");
    }
    let (well, badly) = (about("buy", Regime::Volatile, true), about("buy", Regime::Volatile, false));
    assert!(golem_grimoire::subject::contradict(&well, &badly));
    assert!(!golem_grimoire::subject::contradict(&well, &about("buy", Regime::RangeBound, false)));
    assert!(!golem_grimoire::subject::contradict(&well, &about("sell", Regime::Volatile, false)));
}
