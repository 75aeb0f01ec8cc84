//! The death screen: the scene before it, the stone, the four ways on.

use crate::kit::{Person, TestHome};
use golem_tui::KeyPress::{Char, Down, End, Enter, Esc};
use golem_tui::{TuiPopup, TuiView};

#[test]
fn a_stone_with_everything_on_it_at_both_sizes() {
    for (size, name) in [((80, 24), "80x24"), ((200, 60), "200x60")] {
        let mut person = Person::looking_at(TestHome::dead, size);
        person.says("d");
        person.waits(5_000);
        insta::assert_snapshot!(format!("death_{name}"), person.sees());
    }
}

#[test]
fn a_death_that_happens_is_shown_once_with_its_scene() {
    let mut person = Person::looking_at(TestHome::living, (80, 24));
    person.home.dies();
    person.waits(1_000);
    assert!(matches!(person.state.popup, TuiPopup::Death { .. }));
    person.waits(900);
    let early = person.sees();
    person.waits(700);
    let late = person.sees();
    assert!(early.contains("any key") && early.contains('█') && early != late && !early.contains("Summon"), "{early}");
    person.waits(2_000);
    let stone = person.sees();
    assert!(stone.contains("Summon Successor") && stone.contains("last words"), "{stone}");
    person.types([Esc]);
    person.waits(5_000);
    assert_eq!(person.state.popup, TuiPopup::Nothing, "it is not shown again by itself");
}

#[test]
fn the_scene_can_be_skipped_and_switched_off() {
    let mut person = Person::looking_at(TestHome::dead, (80, 24));
    person.says("d");
    person.waits(100);
    assert!(!person.sees().contains("Summon"));
    person.types([Char('x')]);
    assert!(person.sees().contains("Summon Successor"));
    person.types([Esc]);
    person.state.reduced_motion = true;
    person.says("d");
    assert!(person.sees().contains("Summon Successor"));
}

/// A successor that should have come by itself and did not: its owner is told where the ways on are.
#[test]
fn a_failed_succession_is_told_at_the_grave() {
    let mut person = Person::looking_at(TestHome::dead, (80, 24));
    person.state.reduced_motion = true;
    person.says("d");
    assert!(!person.sees().contains("no successor came"));
    person.home.halted_heir = Some("there is no credit for it; bardo treasury add USDC".to_owned());
    person.waits(2_100);
    person.waits(0);
    let seen = person.sees();
    assert!(
        seen.contains("no successor came by itself: there is no credit") && seen.contains("4 Start Fresh"),
        "{seen}"
    );
}

#[test]
fn the_four_ways_on() {
    let mut person = Person::looking_at(TestHome::dead, (80, 24));
    person.state.reduced_motion = true;
    person.says("d");
    person.types([Down, Enter]);
    let page = person.sees();
    assert!(page.contains("Narrative arc:") && page.contains("Pleasure:"), "{page}");
    let TuiPopup::Reader { lines, .. } = &person.state.popup else { panic!("a page") };
    let whole = lines.join("\n").to_lowercase();
    assert!(whole.contains("what i suspect") && whole.contains("## the life"), "{whole}");
    person.types([End]);
    assert_ne!(person.sees(), page);
    person.types([Esc]);
    assert!(matches!(person.state.popup, TuiPopup::Death { row: 1, .. }), "at the grave again");
    person.says("3");
    assert_eq!((person.state.view, person.state.pane()), (TuiView::Fate, 1));
    assert!(person.sees().contains("graveyard"));
    person.says("d");
    person.says("4");
    assert!(person.sees().contains("with nothing of anybody's"));
    person.types([Esc]);
    person.says("d1");
    assert!(person.sees().contains("A successor of † demo-42"));
}
