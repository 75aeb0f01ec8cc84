//! The wizard from end to end by keys: settings beside advice, the preview, the pull within 25 seconds, a birth.

use crate::kit::{Person, TestHome};
use golem_core::Usdc;
use golem_tui::KeyPress::{Backspace, Char, Down, Enter, Esc, PageDown, PageUp, Tab, Up};
use golem_tui::{PULL_MS, ScreenOrder, TuiPopup, WizardStep};

fn at_the_grave(size: (u16, u16)) -> Person {
    let mut person = Person::looking_at(TestHome::dead, size);
    person.state.reduced_motion = true;
    person.says("d1");
    person
}

fn step(person: &Person) -> WizardStep {
    let TuiPopup::Wizard(wizard) = &person.state.popup else { panic!("no wizard: {:?}", person.state.popup) };
    wizard.step
}

#[test]
fn a_successor_is_summoned_by_keys_alone() {
    let mut person = at_the_grave((80, 24));
    person.waits(0);
    insta::assert_snapshot!("wizard_strategy", person.sees());
    person.says("t");
    person.types([Down, Enter, Tab]);
    insta::assert_snapshot!("wizard_inheritance", person.sees());
    person.types([Tab]);
    person.types([Char(' '), Down, Down, Char(' ')]);
    person.waits(4_200);
    person.state.message = None;
    insta::assert_snapshot!("wizard_pull", person.sees());
    person.types([Tab]);
    person.types([Down, Enter, Backspace, Backspace, Backspace, Backspace, Backspace]);
    person.says("75.5");
    person.types([Enter, Tab]);
    person.state.message = None;
    insta::assert_snapshot!("wizard_confirm", person.sees());
    person.types([Enter]);
    assert_eq!(step(&person), WizardStep::Birth);
    assert!(person.sees().contains("is born"));
    let [ScreenOrder::Pull { entries, .. }, ScreenOrder::Summon(wish)] = &person.home.commands[..] else {
        panic!("{:?}", person.home.commands)
    };
    assert_eq!(entries.len(), 2);
    assert_eq!(wish.budget, Some(Usdc(75_500_000)));
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(wish.sets, [set("policy.lp_management.range_sigmas", "4.2"), set("policy.template", "trend-following")]);
    assert!(wish.inherit && !wish.force_similarity);
    // The last offer is what was asked for in the end.
    assert_eq!(person.home.wishes.last(), Some(wish));
    person.types([Enter]);
    assert_eq!(person.scene.golem, Some(person.home.living()), "one looks at the newborn");
}

#[test]
fn a_newborn_comes_together_from_what_fell_apart() {
    let mut person = at_the_grave((80, 24));
    person.state.reduced_motion = false;
    person.types([Tab, Tab, Tab, Tab, Enter]);
    let parts = |seen: &str| seen.chars().filter(|c| "█▓▒░·▀▄".contains(*c)).count();
    let first = parts(&person.sees());
    person.waits(1_200);
    let later = parts(&person.sees());
    person.waits(2_000);
    let whole = person.sees();
    assert!(first < later && later <= parts(&whole) && whole.contains("▄███▄"), "{first} {later}\n{whole}");
}

#[test]
fn the_pull_ends_by_itself_unless_it_is_held() {
    let mut person = at_the_grave((80, 24));
    person.types([Tab, Tab, Char(' ')]);
    assert_eq!(step(&person), WizardStep::Pull);
    person.waits(PULL_MS - 1_000);
    assert!(person.sees().contains("1 s"), "{}", person.sees());
    person.says("h");
    person.waits(60_000);
    assert_eq!(step(&person), WizardStep::Pull, "nobody has to hurry");
    person.says("h");
    person.waits(1_001);
    assert_eq!(step(&person), WizardStep::Funding);
    assert!(matches!(&person.home.commands[..], [ScreenOrder::Pull { entries, .. }] if entries.len() == 1));
}

/// What is marked is taken once, and whoever comes back and marks more gets that, too.
#[test]
fn whoever_comes_back_to_the_pull_takes_what_is_new() {
    let mut person = at_the_grave((80, 24));
    person.types([Tab, Tab, Char(' '), Tab]);
    assert_eq!(step(&person), WizardStep::Funding);
    person.types([Esc, Down, Char(' '), Tab, Esc, Tab]);
    let taken: Vec<&Vec<String>> = person
        .home
        .commands
        .iter()
        .map(|c| match c {
            ScreenOrder::Pull { entries, .. } => entries,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(taken.iter().map(|entries| entries.len()).collect::<Vec<_>>(), [1, 1]);
    assert_ne!(taken[0], taken[1]);
}

#[test]
fn help_costs_nothing_of_the_25_seconds() {
    let mut person = at_the_grave((80, 24));
    person.types([Tab, Tab]);
    person.waits(5_000);
    person.says("?");
    person.waits(60_000);
    person.types([Esc]);
    assert_eq!(step(&person), WizardStep::Pull);
    assert!(person.sees().contains("20 s, held"), "{}", person.sees());
}

/// The pull lasts 25 s: the grace of a machine that is told to stop.
#[test]
fn the_pull_lasts_25_seconds_to_the_millisecond() {
    let mut person = at_the_grave((80, 24));
    person.types([Tab, Tab]);
    person.waits(24_999);
    assert_eq!(step(&person), WizardStep::Pull);
    person.waits(1);
    assert_eq!(step(&person), WizardStep::Funding);
}

/// On the least terminal every setting is seen with its value, all of the advice can be read, and every field of what is inherited.
#[test]
fn everything_of_an_offer_can_be_seen_at_the_least_size() {
    let mut person = at_the_grave((80, 24));
    let seen = person.sees();
    assert!(seen.contains("lp-management") && seen.contains("true"), "{seen}");
    let TuiPopup::Wizard(wizard) = &mut person.state.popup else { panic!("no wizard") };
    let offer = wizard.offer.as_mut().unwrap();
    offer.advice = (0..40).map(|n| format!("keep rule number {n} of the forty that there are")).collect();
    let fields = offer.preview.domains.len();
    assert!(!person.sees().contains("number 39"));
    person.types([PageDown; 60]);
    assert!(person.sees().contains("number 39"), "{}", person.sees());
    person.types([PageUp; 60]);
    assert!(person.sees().contains("number 0 "));
    person.types([Tab]);
    let mut seen = String::new();
    for _ in 0..fields {
        seen.push_str(&person.sees());
        person.types([Down]);
    }
    let TuiPopup::Wizard(wizard) = &person.state.popup else { panic!("no wizard") };
    for (field, _) in &wizard.offer.as_ref().unwrap().preview.domains {
        let last = field.as_str().rsplit(['.', '_', '/']).next().unwrap();
        assert!(seen.contains(last), "{field:?}");
    }
    assert_eq!(wizard.row, fields - 1);
}

#[test]
fn a_copy_of_the_dead_is_refused_until_something_differs() {
    let mut person = at_the_grave((80, 24));
    person.home.too_near = true;
    person.types([Esc]);
    person.says("1");
    person.types([Tab]);
    assert!(person.sees().contains("it would be demo-42 again"), "{}", person.sees());
    person.types([Tab, Tab, Tab, Enter]);
    assert_eq!(step(&person), WizardStep::Confirm);
    assert!(person.sees().contains("change the strategy"), "{}", person.sees());
    person.types([Esc, Esc, Esc, Esc]);
    person.says("t");
    person.types([Tab, Tab, Tab, Tab, Enter]);
    assert_eq!(step(&person), WizardStep::Birth);
}

#[test]
fn what_is_typed_wrong_is_said_where_it_was_typed() {
    let mut person = at_the_grave((80, 24));
    person.types([Tab, Tab, Tab, Down, Enter]);
    person.says("x");
    person.types([Enter, Tab]);
    assert_eq!(step(&person), WizardStep::Funding);
    assert!(person.sees().contains("is no amount of USDC"), "{}", person.sees());
    person.types([Up, Esc, Esc, Esc, Esc]);
    assert!(matches!(person.state.popup, TuiPopup::Death { .. }), "back at the grave");
}

#[test]
fn whoever_starts_fresh_inherits_nothing() {
    let mut person = Person::looking_at(TestHome::dead, (80, 24));
    person.state.reduced_motion = true;
    person.says("d4");
    person.types([Tab]);
    assert!(person.sees().contains("it needs a name"));
    person.types([Enter]);
    person.says("bruno");
    person.types([Enter, Down, Down, Enter, Tab]);
    insta::assert_snapshot!("wizard_fresh", person.sees());
    person.types([Enter]);
    let [ScreenOrder::Create(wish)] = &person.home.commands[..] else { panic!("{:?}", person.home.commands) };
    assert_eq!(
        (wish.name.as_str(), wish.budget, wish.template.as_str(), wish.seed),
        ("bruno", Usdc::whole(50), "trend-following", None)
    );
}
