//! All golems at a glance: orders, filters, sums, one of them and back, and what happens to them meanwhile.

use crate::kit::{Person, TestHome};
use golem_core::Usdc;
use golem_life::{LifeStanding, Status};
use golem_tui::KeyPress::{Backspace, Char, Down, End, Enter, Esc, Home, PageDown, Up};
use golem_tui::{FleetDesk, FleetKind, FleetSort, FleetTotals, LifeCard, TuiPopup};
use std::collections::BTreeSet;
use std::sync::Arc;

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 60);

fn names(rows: &[&LifeCard]) -> Vec<String> {
    rows.iter().map(|card| card.name.clone()).collect()
}

#[test]
fn all_golems_at_both_sizes() {
    for (size, name) in [(SMALL, "80x24"), (LARGE, "200x60")] {
        let mut person = Person::at_fleet(40, size);
        person.types([Down, Down]);
        insta::assert_snapshot!(format!("fleet_{name}"), person.sees());
    }
    let mut person = Person::at_fleet(40, SMALL);
    person.says("?");
    insta::assert_snapshot!("fleet_help_80x24", person.sees());
}

/// What is ordered by, of a golem that has it.
fn number(sort: FleetSort, card: &LifeCard) -> Option<f64> {
    let s = card.status.as_deref()?;
    let lives = s.standing != LifeStanding::Dead;
    match sort {
        FleetSort::Name | FleetSort::State => None,
        FleetSort::Worth => Some(s.worth().as_f64()),
        _ if !lives => None,
        FleetSort::Vitality => Some(s.vitality.composite),
        FleetSort::Runway => Some(s.projected_life_h.unwrap_or(f64::MAX)),
        FleetSort::Alive => Some(s.survival_24h),
        FleetSort::Suffering => s.load,
        FleetSort::Mood => s.affect.as_ref().map(|a| a.mood_pad.pleasure()),
    }
}

#[test]
fn every_order_is_one_both_ways_and_whoever_has_no_number_stands_last() {
    let person = Person::at_fleet(60, SMALL);
    let cards = &person.scene.cards;
    for sort in FleetSort::ALL {
        for reversed in [false, true] {
            let desk = FleetDesk { sort, reversed, ..FleetDesk::default() };
            let rows = desk.rows(cards);
            assert_eq!(rows.len(), cards.len());
            if sort == FleetSort::Name {
                let mut sorted = names(&rows);
                sorted.sort();
                if reversed {
                    sorted.reverse();
                }
                assert_eq!(names(&rows), sorted);
                continue;
            }
            let known: Vec<Option<f64>> = rows.iter().map(|card| number(sort, card)).collect();
            let first_none = known.iter().position(Option::is_none).unwrap_or(known.len());
            if sort != FleetSort::State {
                assert!(known[first_none..].iter().all(Option::is_none), "{sort:?}: {known:?}");
                let falls = matches!(sort, FleetSort::Worth | FleetSort::Suffering) != reversed;
                let steps = known[..first_none].windows(2).map(|w| w[1] >= w[0]);
                let ties = known[..first_none].windows(2).map(|w| w[1] == w[0]);
                assert!(steps.zip(ties).all(|(up, tie)| tie || up != falls), "{sort:?} {reversed}: {known:?}");
            }
        }
    }
    let by_state = FleetDesk { sort: FleetSort::State, ..FleetDesk::default() };
    let states: Vec<Option<LifeStanding>> = by_state.rows(cards).iter().map(|card| card.standing()).collect();
    let place = |wanted| states.iter().position(|s| *s == wanted).unwrap();
    assert_eq!(place(Some(LifeStanding::Dying)), 0, "whoever is dying stands on top");
    assert!(place(Some(LifeStanding::Dead)) < place(None), "{states:?}");
}

#[test]
fn orders_by_keys_are_said_and_seen() {
    let mut person = Person::at_fleet(40, SMALL);
    assert!(person.sees().contains("42 of 42 · by name"));
    person.says("ss");
    let weakest = person.sees();
    assert!(weakest.contains("by vitality") && person.state.fleet.sort == FleetSort::Vitality, "{weakest}");
    person.says("S");
    assert!(person.sees().contains("by vitality, turned"));
    assert_ne!(person.sees(), weakest);
    (0..6).for_each(|_| person.says("s"));
    assert_eq!((person.state.fleet.sort, person.state.fleet.reversed), (FleetSort::Name, false));
}

#[test]
fn golems_are_found_while_one_types() {
    let mut person = Person::at_fleet(40, SMALL);
    person.says("/crew-01");
    let seen = person.sees();
    assert!(seen.contains("10 of 42") && seen.contains("crew-013") && !seen.contains("crew-020"), "{seen}");
    person.types([Enter]);
    assert_eq!((&person.state.popup, person.state.fleet.filter.as_str()), (&TuiPopup::Nothing, "crew-01"));
    // What a row says of a golem can be looked for, too.
    person.types([Esc]);
    assert!(person.sees().contains("42 of 42"), "{}", person.sees());
    person.says("/DYING");
    person.types([Enter]);
    let desk = person.state.fleet.clone();
    let rows = desk.rows(&person.scene.cards);
    assert!(!rows.is_empty() && rows.iter().all(|card| card.standing() == Some(LifeStanding::Dying)));
    person.says("/nobody is called this");
    assert!(person.sees().contains("nobody like that"), "{}", person.sees());
    person.types([Enter, Enter, Down]);
    assert!(person.state.at_fleet, "nobody can be opened");
    person.types([Backspace]);
    assert!(person.sees().contains("42 of 42"));
}

#[test]
fn some_kinds_only() {
    let mut person = Person::at_fleet(40, SMALL);
    let mut shown = Vec::new();
    for kind in [FleetKind::Living, FleetKind::Troubled, FleetKind::Dead, FleetKind::All] {
        person.says("f");
        assert_eq!(person.state.fleet.kind, kind);
        let desk = person.state.fleet.clone();
        let rows = desk.rows(&person.scene.cards);
        assert!(rows.iter().all(|card| match kind {
            FleetKind::Living => !card.is_dead(),
            FleetKind::Dead => card.is_dead(),
            FleetKind::Troubled => card.trouble().is_some(),
            FleetKind::All => true,
        }));
        let count = rows.len();
        shown.push(count);
        assert!(person.sees().contains(&format!("{count} of 42")));
    }
    assert_eq!(shown[0] + shown[2], shown[3]);
    assert!(shown[1] > 0 && shown[1] < shown[0]);
}

/// Why an owner should look, by what there is to say.
#[test]
fn whoever_needs_its_owner_says_why() {
    let quiet = || {
        let mut person = Person::at_fleet(0, SMALL);
        let mut s = person.scene.cards[0].status.as_deref().unwrap().clone();
        (s.band, s.load, s.vigil, s.cage.halted) = (None, None, None, None);
        assert!(s.phase > golem_mortality::BehavioralPhase::Declining);
        (person.scene.cards.remove(0), s)
    };
    let because = |change: &dyn Fn(&mut Status)| {
        let (mut card, mut s) = quiet();
        change(&mut s);
        card.status = Some(Arc::new(s));
        card.trouble()
    };
    assert_eq!(because(&|_| {}), None);
    assert!(because(&|s| s.vigil = Some(3)).unwrap().contains("feed it"));
    assert!(because(&|s| s.cage.halted = Some("by hand".into())).unwrap().contains("by hand"));
    assert!(because(&|s| s.band = Some(golem_daimon::suffering::Band::High)).unwrap().contains("high"));
    assert_eq!(because(&|s| s.band = Some(golem_daimon::suffering::Band::Present)), None);
    assert!(because(&|s| s.standing = LifeStanding::Dying).unwrap().contains("dying"));
    assert!(because(&|s| s.phase = golem_mortality::BehavioralPhase::Declining).unwrap().contains("declining"));
    let dead = |s: &mut Status| (s.standing, s.vigil) = (LifeStanding::Dead, Some(1));
    assert_eq!(because(&dead), None, "the dead need nobody");
}

#[test]
fn the_sums_are_exact() {
    let mut person = Person::at_fleet(60, LARGE);
    let cards = person.scene.cards.clone();
    let totals = FleetTotals::of(&cards);
    let worth = |dead: bool| -> u64 {
        let some = cards.iter().filter(|card| !dead || card.is_dead());
        some.filter_map(|card| Some(card.status.as_deref()?.worth().0)).sum()
    };
    assert_eq!((totals.worth, totals.left), (Usdc(worth(false)), Usdc(worth(true))));
    let is = |wanted| cards.iter().filter(|card| card.standing() == Some(wanted)).count();
    let damaged = cards.iter().filter(|card| card.problem.is_some()).count();
    assert_eq!((totals.dying, totals.dead, totals.damaged), (is(LifeStanding::Dying), is(LifeStanding::Dead), damaged));
    assert_eq!(totals.alive + totals.dying + totals.dead + totals.damaged + totals.unread, cards.len());
    let seen = person.sees();
    let line = format!(" {} alive · {} dying · {} dead", totals.alive, totals.dying, totals.dead);
    assert!(seen.contains(&line) && seen.contains(&golem_view::money::usdc(totals.worth)), "{seen}");
    person.scene.cards[0].read = false;
    person.scene.cards[0].status = None;
    assert_eq!(FleetTotals::of(&person.scene.cards).unread, 1);
    assert!(person.sees().contains("1 being read"));
}

#[test]
fn one_of_them_and_back() {
    let mut person = Person::at_fleet(6, SMALL);
    assert!(person.state.at_fleet && person.sees().contains("bardo · 8 golems"), "{}", person.sees());
    person.types([End, Enter]);
    assert_eq!(person.scene.golem, Some(person.home.dead()), "the last by name");
    assert!(!person.state.at_fleet && person.sees().contains("† demo-42"));
    for back in [Esc, Backspace, Char('g')] {
        person.types([back]);
        assert!(person.state.at_fleet && person.sees().contains("bardo · 8 golems"));
        assert_eq!(person.state.fleet.chosen, Some(person.home.dead()), "where one was");
        person.types([Char('g')]);
        assert!(!person.state.at_fleet, "and to the same one again");
    }
    // A page that is read is closed first.
    person.types([Char('d'), Esc, Esc]);
    assert!(!person.state.at_fleet);
    person.types([Esc, Home, Enter]);
    assert_eq!(person.scene.golem, Some(person.home.living()));
    person.types([Esc, Char('q')]);
    assert!(person.state.over);
}

/// Rows move under one's eyes; what is chosen is a golem and no row.
#[test]
fn the_choice_follows_its_golem() {
    let mut person = Person::at_fleet(30, SMALL);
    person.says("ss");
    person.types([Down, Down, Down]);
    let chosen = person.state.fleet.chosen.unwrap();
    let row = |person: &Person| {
        let desk = &person.state.fleet;
        desk.row(&desk.rows(&person.scene.cards))
    };
    let before = row(&person);
    assert_eq!(before, 3);
    let at = person.home.crew.iter().position(|card| card.id == chosen).unwrap();
    let mut s = person.home.crew[at].status.as_deref().unwrap().clone();
    s.vitality.composite = 0.999;
    person.home.crew[at].status = Some(Arc::new(s));
    person.waits(1_100);
    person.waits(0);
    assert_eq!(person.state.fleet.chosen, Some(chosen));
    assert!(row(&person) > before, "it went down the list");
    // Whoever is gone is chosen no more.
    person.home.crew.remove(at);
    person.waits(1_100);
    person.waits(0);
    assert_eq!(row(&person), 0);
    person.types([Down]);
    assert_eq!(row(&person), 1);
}

#[test]
fn hundreds_are_reached_by_keys_and_the_chosen_one_is_in_sight() {
    let mut person = Person::at_fleet(500, SMALL);
    assert!(person.sees().contains("502 golems"));
    for keys in [vec![PageDown; 7], vec![End], vec![Up; 3], vec![Home, Down]] {
        person.types(keys);
        let desk = person.state.fleet.clone();
        let name = names(&desk.rows(&person.scene.cards))[desk.row(&desk.rows(&person.scene.cards))].clone();
        let seen = person.sees();
        // In its row, and as the title of what is said of it.
        assert_eq!(seen.lines().filter(|line| line.contains(&name)).count(), 2, "{name}\n{seen}");
    }
}

#[test]
fn a_death_among_them_is_told_once() {
    let mut person = Person::at_fleet(3, SMALL);
    person.home.dies();
    person.waits(1_100);
    person.waits(0);
    assert!(person.sees().contains("† alma died of chance"), "{}", person.sees());
    assert_eq!(person.state.popup, TuiPopup::Nothing, "no scene of one that is not looked at");
    person.waits(9_000);
    person.waits(0);
    assert!(!person.sees().contains("alma died"));
    person.types([Home, Enter]);
    assert_eq!(person.state.popup, TuiPopup::Nothing, "it was dead before one looked at it");
}

/// The scene of a death is for whoever looks at the one that dies.
#[test]
fn nobody_dies_over_the_heads_of_the_others() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.types([Esc]);
    person.home.dies();
    let status = person.scene.life.as_mut().unwrap().status.as_mut().unwrap();
    status.standing = LifeStanding::Dead;
    person.waits(500);
    assert_eq!(person.state.popup, TuiPopup::Nothing);
    person.types([Char('g')]);
    assert!(matches!(person.state.popup, TuiPopup::Death { .. }), "there it is shown");
}

/// While one golem is looked at nobody reads all of them, and the other way round.
#[test]
fn only_what_is_looked_at_is_read() {
    let mut person = Person::at_fleet(5, SMALL);
    person.types([Enter]);
    let (fleet, life) = person.home.looks;
    (0..10).for_each(|_| person.waits(1_500));
    assert_eq!(person.home.looks.0, fleet);
    assert!(person.home.looks.1 > life);
    person.types([Esc]);
    let (fleet, life) = person.home.looks;
    (0..10).for_each(|_| person.waits(1_500));
    assert_eq!(person.home.looks.1, life);
    assert!((10..=12).contains(&(person.home.looks.0 - fleet)), "about once a second, whatever frames there are");
}

#[test]
fn without_colours_no_cell_has_one() {
    let mut person = Person::at_fleet(40, LARGE);
    assert!(person.colours().is_empty());
    person.palette.color = true;
    assert!(person.colours().len() > 3);
}

#[test]
fn what_cannot_be_read_is_told() {
    let mut person = Person::at_fleet(12, SMALL);
    let before = person.scene.cards.len();
    person.home.broken = true;
    person.waits(1_500);
    person.waits(0);
    let seen = person.sees();
    assert!(seen.contains("the file cannot be read") && person.scene.cards.len() == before, "{seen}");
    person.home.broken = false;
    // One damaged file is a row like others; nothing is to be seen of it but why.
    person.says("/crew-009");
    person.types([Enter]);
    assert!(person.sees().contains("damaged"), "{}", person.sees());
    person.types([Enter]);
    assert!(person.state.at_fleet && person.sees().contains("bardo doctor"), "{}", person.sees());
}

#[test]
fn an_empty_home_says_how_to_begin_and_n_begins() {
    let mut person = Person::at_fleet(0, SMALL);
    person.scene.cards.clear();
    assert!(person.sees().contains("There is no golem in this home"), "{}", person.sees());
    person.types([Enter]);
    assert!(person.state.at_fleet);
    person.says("n");
    assert!(person.sees().contains("with nothing of anybody's"));
    person.types([Esc]);
    assert!(person.state.at_fleet && person.state.popup == TuiPopup::Nothing);
}

#[test]
fn nothing_hidden_is_shown() {
    let mut person = Person::at_fleet(3, LARGE);
    for card in &mut person.scene.cards {
        card.name = "a\u{1b}[2J\u{202e}b".to_owned();
        card.last_trade = Some("c\u{9b}31m\nd".to_owned());
    }
    let seen = person.sees();
    assert!(!seen.chars().any(|c| c != '\n' && golem_core::words::is_hidden(c)), "{seen:?}");
}

/// Every row is a golem's own, whatever the size.
#[test]
fn columns_stay_in_their_places() {
    for size in [SMALL, (100, 30), (119, 40), (120, 40), LARGE] {
        let mut person = Person::at_fleet(40, size);
        let seen = person.sees();
        let head = seen.lines().find(|line| line.contains("suffering")).unwrap().to_owned();
        let at = |line: &str, word: &str| line.split(word).next().map(|before| before.chars().count());
        let row = seen.lines().find(|line| line.contains("crew-001")).unwrap();
        let mood = person.scene.cards.iter().find(|card| card.name == "crew-001").unwrap();
        let mood = mood.status.as_deref().unwrap().affect.as_ref().unwrap().mood.name();
        assert_eq!(at(row, mood), at(&head, "mood"), "{size:?}\n{seen}");
        let widths: BTreeSet<usize> = seen.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|w| *w <= usize::from(size.0)), "{widths:?}");
    }
}

/// A home may be looked at before anybody is: the first screen is all of them.
#[test]
fn whoever_names_nobody_sees_all() {
    let mut person = Person::anywhere(TestHome::new(), SMALL);
    person.waits(0);
    assert!(person.sees().contains("bardo · 2 golems"), "{}", person.sees());
    person.types([Esc, Backspace, Char('g')]);
    assert!(person.state.at_fleet && !person.state.over, "only q leaves");
}

/// Names, trades and troubles come from files that others may have written: nothing hidden reaches the screen.
#[test]
fn nothing_hidden_in_a_row_reaches_the_screen() {
    let hidden = ['\u{1b}', '\u{7}', '\u{200b}', '\u{200f}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{ad}'];
    let bad = |word: &str| hidden.iter().fold(word.to_owned(), |text, c| format!("{text}{c}x"));
    let mut person = Person::at_fleet(3, LARGE);
    for card in &mut person.scene.cards {
        (card.name, card.last_trade) = (bad("name"), Some(bad("bought")));
        card.problem = card.problem.as_ref().map(|_| bad("damaged")).or_else(|| Some(bad("late")));
    }
    for _ in 0..person.scene.cards.len() {
        let seen = person.sees();
        let told = seen.matches("name x x x x x x x x").count();
        assert!(told > person.scene.cards.len(), "in every row and above what is told of one: {seen}");
        let found: Vec<char> = seen.chars().filter(|c| hidden.contains(c)).collect();
        assert!(found.is_empty(), "{found:?} in {seen}");
        person.types([Down]);
    }
}
