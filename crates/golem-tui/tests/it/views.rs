//! Each view at the least size and at a large one; what is seen without colours; help, resizing, and what fails.

use crate::kit::{Person, TestHome};
use golem_core::Regime;
use golem_tui::KeyPress::{Down, Enter, Esc, Left, Right, Tab};
use golem_tui::{ScreenOrder, TuiPopup, TuiView};

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 60);

#[test]
fn each_view_at_both_sizes() {
    for (size, name) in [(SMALL, "80x24"), (LARGE, "200x60")] {
        let mut person = Person::looking_at(TestHome::living, size);
        for (n, view) in TuiView::ALL.into_iter().enumerate() {
            person.says(&(n + 1).to_string());
            if view == TuiView::Mind {
                person.says("/gas");
                person.types([Enter]);
                person.types([Left, Left]);
            }
            insta::assert_snapshot!(format!("{}_{name}", view.name().to_lowercase()), person.sees());
        }
    }
}

#[test]
fn every_pane_of_the_small_views_can_be_reached() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.types([Right, Right]);
    insta::assert_snapshot!("market_80x24", person.sees());
    person.says("2");
    for pane in ["forecasts", "playbook", "grimoire", "causes"] {
        let seen = person.sees();
        assert!(seen.contains(&format!(" {pane}")), "{pane}:\n{seen}");
        person.types([Right]);
    }
    person.says("/gas");
    person.types([Enter]);
    insta::assert_snapshot!("grimoire_80x24", person.sees());
    person.says("4");
    person.types([Right]);
    assert!(person.sees().contains("I was not wrong about the gas."));
    person.types([Right]);
    insta::assert_snapshot!("library_80x24", person.sees());
}

/// The dead of a home with what they left: the testament, and all that they believed.
#[test]
fn a_grave_is_opened_by_keys() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.says("4");
    person.types([Right]);
    person.says("t");
    let page = person.sees();
    assert!(page.contains("testament of † demo-42") && page.contains("Narrative arc"), "{page}");
    person.types([Esc]);
    person.says("s");
    let page = person.sees();
    assert!(page.contains("grimoire of † demo-42: 3 entries") && page.contains("0.70 † The more of"), "{page}");
    person.types([Esc]);
    assert_eq!((person.state.view, &person.state.popup), (TuiView::Fate, &TuiPopup::Nothing));
    // They are of the graveyard and of no other pane.
    person.types([Right]);
    person.says("ts");
    assert_eq!(person.state.popup, TuiPopup::Nothing);
}

/// What an owner must know is seen on the least terminal.
#[test]
fn a_vigil_and_a_halt_are_seen_at_the_least_size() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    assert!(!person.sees().contains("feed it, or it dies"));
    let status = person.scene.life.as_mut().unwrap().status.as_mut().unwrap();
    (status.vigil, status.cage.halted) = (Some(3), Some("by hand".to_owned()));
    let seen = person.sees();
    assert!(seen.contains("feed it, or it dies") && seen.contains("by hand"), "{seen}");
}

/// Of what is said of how it stands, nothing that is said is cut in the middle of a number, whatever the market does.
#[test]
fn figures_are_whole_at_the_least_size() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    for regime in Regime::ALL {
        let status = person.scene.life.as_mut().unwrap().status.as_mut().unwrap();
        (status.regime, status.price) = (regime, Some(23_170.55));
        let seen = person.sees();
        for word in ["hazard", "P(alive)", "mood", "market", "runway", "holds", "right"] {
            let line = seen.lines().find(|line| line.contains(&format!("│ {word} "))).unwrap();
            assert!(!line.ends_with("…│"), "{line}");
        }
        assert!(seen.contains(&regime.name().replace('_', " ")) && seen.contains("23,170.55"), "{seen}");
    }
}

/// The moment that one looks at is whole in the head, in the present and in a replay.
#[test]
fn the_moment_is_whole_at_the_least_size() {
    for golem in [TestHome::living, TestHome::dead] {
        let mut person = Person::looking_at(golem, SMALL);
        for replayed in [false, true] {
            if replayed {
                person.says("r");
                person.waits(9_000);
            }
            let moment = person.scene.moment(person.state.shown_age()).unwrap();
            let (head, at) = (person.sees().lines().next().unwrap().to_owned(), golem_view::time::moment(moment.at));
            assert!(head.contains(&at) && !head.contains('…'), "{head}");
        }
    }
}

/// What is cut in the list of trades is read as a whole, and what it holds leaves room for what it did.
#[test]
fn a_trade_is_opened_and_positions_do_not_push_all_of_them_out() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    let all = person.scene.trades.all().to_vec();
    for row in 0..3 {
        person.types([Enter]);
        let trade = &all[all.len() - 1 - row];
        let TuiPopup::Reader { lines, .. } = &person.state.popup else { panic!("{:?}", person.state.popup) };
        assert!(lines.iter().any(|line| line.contains(&trade.sentence())), "{lines:?}");
        assert!(trade.why.is_empty() || lines.iter().any(|line| line.contains(&trade.why)), "{lines:?}");
        person.types([Esc, Down]);
    }
    let status = person.scene.life.as_mut().unwrap().status.as_mut().unwrap();
    let one = status.open[0];
    status.open.extend([one; 9]);
    let seen = person.sees();
    let done = seen.lines().filter(|line| line.starts_with("│ 01-")).count();
    assert!(done >= 2 && seen.contains("more positions"), "{seen}");
}

/// What was said stands where the keys that help stand: the next key ends it.
#[test]
fn a_message_ends_with_the_next_key() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    let keys = person.sees().lines().last().unwrap().to_owned();
    person.says("rr");
    assert!(person.sees().lines().last().unwrap().contains("the present"));
    person.types([Right, Left]);
    assert_eq!(person.sees().lines().last().unwrap(), keys);
}

/// Help is there wherever a question mark is no part of what is typed.
#[test]
fn help_is_there_wherever_one_is() {
    let mut person = Person::looking_at(TestHome::dead, SMALL);
    person.state.reduced_motion = true;
    let asks = |person: &mut Person, wanted: &str| {
        let before = person.state.popup.clone();
        person.says("?");
        let seen = person.sees();
        assert!(seen.contains("help · any key closes it") && seen.contains(wanted), "{seen}");
        person.types([Enter]);
        assert_eq!(person.state.popup, before, "{wanted}");
    };
    asks(&mut person, "in the graveyard: a testament");
    person.says("d");
    asks(&mut person, "its reflection, the graveyard");
    person.says("1");
    asks(&mut person, "take the dead one's advice");
    person.types([Esc, Esc, Esc]);
    asks(&mut person, "those in trouble");
    person.says("/?");
    assert_eq!(person.state.fleet.filter, "?", "it was typed");
}

/// Whoever died on this market is seen on its chart, and nobody who died elsewhere.
#[test]
fn bloodstains_lie_over_the_market() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.types([Right, Right]);
    let field = |seen: &str| seen.lines().skip(3).take(8).any(|l| l.chars().take(44).any(|c| c == '†'));
    assert!(field(&person.sees()), "{}", person.sees());
    person.scene.graves[0].same_market = false;
    assert!(!field(&person.sees()), "{}", person.sees());
}

/// Daggers for corners, a dashed frame, ash that falls unless nothing shall move, and the mood of the dead in the colour.
#[test]
fn an_entry_paid_for_with_a_life_looks_like_it() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.says("/gas");
    person.types([Enter]);
    let cards =
        |seen: &str| seen.lines().filter(|l| l.contains('╎') || l.contains('╌')).map(str::to_owned).collect::<Vec<_>>();
    let before = cards(&person.sees());
    let corners = before.iter().filter(|l| l.contains("†╌") || l.contains("╌†")).count();
    assert!(corners >= 4 && before.iter().any(|l| l.contains("paid for by demo-42")), "{before:#?}");
    let ash = |lines: &[String]| lines.iter().flat_map(|l| l.chars().skip(72)).filter(|c| ".',·`".contains(*c)).count();
    assert!(ash(&before) > 0, "{before:#?}");
    person.waits(900);
    assert_ne!(cards(&person.sees()), before, "it falls");
    person.state.reduced_motion = true;
    let still = cards(&person.sees());
    person.waits(900);
    assert_eq!(cards(&person.sees()), still);
    person.palette.color = true;
    let with = person.colours();
    for entry in &mut person.scene.found {
        entry.blood.as_mut().map(|blood| blood.mood.take());
    }
    assert_ne!(person.colours(), with, "the mood of the dead is in the colour");
}

#[test]
fn without_colours_no_cell_has_one() {
    let mut person = Person::looking_at(TestHome::living, LARGE);
    for view in "12345".chars() {
        person.says(&view.to_string());
        assert!(person.colours().is_empty());
    }
    person.palette.color = true;
    person.says("1");
    assert!(person.colours().len() > 3);
}

/// The log shows what was asked for and nothing else, and all of it again.
#[test]
fn the_log_is_filtered() {
    let mut person = Person::looking_at(TestHome::living, LARGE);
    person.says("5");
    let all = person.sees();
    person.says("/BOUGHT");
    person.types([Enter]);
    let seen = person.sees();
    let lines: Vec<&str> = seen.lines().filter(|line| line.contains("2026-01-") && line.starts_with('║')).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("bought")), "{seen}");
    person.says("/");
    person.types([Enter]);
    assert_eq!(person.sees(), all);
}

#[test]
fn help_is_there_and_goes_away() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    let before = person.sees();
    person.says("?");
    insta::assert_snapshot!("help_80x24", person.sees());
    person.types([Esc]);
    assert_eq!(person.sees(), before);
}

#[test]
fn what_is_too_small_says_so_and_grows_again() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    let before = person.sees();
    for (size, needs) in [((79, 24), "79x24"), ((80, 23), "80x23"), ((20, 5), "20x5"), ((1, 1), ""), ((3, 60), "")] {
        person.resizes(size);
        assert!(person.sees().replace('\n', " ").contains(needs));
    }
    person.resizes(SMALL);
    assert_eq!(person.sees(), before);
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_nothing_is_lost() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.home.broken = true;
    person.waits(3_000);
    let seen = person.sees();
    assert!(seen.contains("the file cannot be read") && seen.contains("alma"), "{seen}");
    person.home.broken = false;
    person.waits(9_000);
    assert!(!person.sees().contains("cannot be read"));
}

#[test]
fn proposals_are_judged_and_orders_given_by_keys() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    let golem = person.home.living();
    person.says("3");
    person.types([Right, Down]);
    let number = person.scene.staging[1].number;
    person.says("ax");
    person.says("o3");
    person.says("o4");
    person.says("12.5");
    person.types([Enter]);
    person.says("o6");
    assert!(matches!(person.state.popup, TuiPopup::Sure { .. }) && person.sees().contains("for ever"));
    person.says("n");
    person.says("o6y");
    let judge = |approved| ScreenOrder::Judge { golem, proposal: number, approved };
    let fed = ScreenOrder::Feed(golem, "12.5".parse().unwrap());
    let wanted = [judge(true), judge(false), ScreenOrder::Halt(golem), fed, ScreenOrder::Kill(golem)];
    assert_eq!(person.home.commands, wanted);
    assert!(person.sees().contains("so it shall be"), "{}", person.sees());
    person.types([Tab]);
    assert!(!person.sees().contains("so it shall be"), "the next key ends it: {}", person.sees());
}

/// What strangers wrote reaches no terminal as a code.
#[test]
fn nothing_hidden_is_shown() {
    let mut person = Person::looking_at(TestHome::living, SMALL);
    person.says("/gas");
    person.types([Enter]);
    for entry in &mut person.scene.found {
        entry.text = "a\u{1b}[2J\u{202e}b\u{9b}31m".to_owned();
    }
    let seen = person.sees();
    assert!(!seen.chars().any(|c| c != '\n' && golem_core::words::is_hidden(c)), "{seen:?}");
}
