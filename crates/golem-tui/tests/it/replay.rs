//! A life again: from its beginning, at any speed, to its end.

use crate::kit::{Person, TestHome};
use golem_core::Timestamp;
use golem_tui::KeyPress::{Char, End, Enter, Esc, Home};
use golem_tui::TuiPopup;

/// When the one in the graveyard died.
const DIED: Timestamp = Timestamp(1_767_225_600 + 6 * 86_400);

#[test]
fn a_finished_life_is_lived_again_to_its_death() {
    let mut person = Person::looking_at(TestHome::dead, (80, 24));
    person.says("r");
    person.waits(0);
    let first = person.sees();
    assert!(first.contains("replay ▶ 2 d/s 0 %"), "{first}");
    person.waits(10_000);
    let later = person.scene.moment(person.state.shown_age()).unwrap();
    assert!((19.0..=21.0).contains(&later.age_days), "{}", later.age_days);
    insta::assert_snapshot!("replay_80x24", person.sees());
    person.types([Char(' ')]);
    let still = person.sees();
    person.waits(5_000);
    assert!(still.contains('‖') && person.state.deck.at < 21.0);
    person.types([Char(' '), Char('+'), Char('+'), Char('+')]);
    person.waits(0);
    person.waits(4_000);
    assert!(matches!(person.state.popup, TuiPopup::Death { .. }), "its end is shown");
    person.types([Esc, Esc]);
    person.says("r");
    assert!(person.state.deck.live && person.sees().contains("† demo-42"));
}

/// What is shown of a moment is what was known then.
#[test]
fn nothing_of_the_future_is_shown() {
    let mut person = Person::looking_at(TestHome::dead, (200, 60));
    person.says("r");
    person.types([Char(' '), Home]);
    person.types((0..5).map(|_| Char('.')));
    let moment = person.scene.moment(person.state.shown_age()).unwrap();
    assert!(moment.age_days < 9.0);
    assert!(person.scene.told_until(moment.tick).iter().all(|line| line.tick <= moment.tick));
    assert!(person.scene.trades_until(moment.tick).iter().all(|trade| trade.tick <= moment.tick));
    assert!(person.scene.points_until(moment.tick).iter().all(|(_, p)| p.tick <= moment.tick));
    assert!(person.scene.told.len() > person.scene.told_until(moment.tick).len());
    person.says("5");
    let (now, log) = (golem_view::time::day(moment.at), person.sees());
    assert!(
        log.lines()
            .filter_map(|l| l.trim_matches(['║', ' ']).get(..10))
            .all(|day| !day.starts_with("2026") || day <= now.as_str()),
        "{log}"
    );
    // What it knew, dreamt and whom it had lost is asked of that moment, in each view and by each search.
    for view in ["2", "3"] {
        person.home.as_of.clear();
        person.says(view);
        person.waits(600);
        assert_eq!(person.home.as_of.last(), Some(&Some(moment.tick)), "{view}");
        assert!(!person.home.as_of.contains(&None), "{view}: {:?}", person.home.as_of);
    }
    person.home.as_of.clear();
    person.says("2/gas");
    person.types([Enter]);
    assert_eq!(person.home.as_of.last(), Some(&Some(moment.tick)), "a search, too");
    person.says("4");
    person.waits(600);
    let fate = person.sees();
    assert!(fate.contains("lineage, as of now") && fate.contains("library, as of now"), "{fate}");
    assert_eq!(fate.contains("I was not wrong about the gas."), moment.at >= DIED, "{fate}");
    // Back in the present all of it is of now again.
    person.says("r");
    person.home.as_of.clear();
    for view in ["2", "3"] {
        person.says(view);
        person.waits(600);
        assert_eq!(person.home.as_of.last(), Some(&None), "{view}");
    }
    person.says("4");
    person.waits(600);
    assert!(person.sees().contains("I was not wrong about the gas.") && !person.sees().contains("as of now"));
    person.says("1r");
    person.types([End]);
    assert!((person.state.deck.at - person.scene.end()).abs() < 1e-9);
}
