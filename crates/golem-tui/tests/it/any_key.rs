//! No key sequence, no size and no moment breaks it.

use crate::kit::{Person, TestHome};
use golem_tui::KeyPress;
use proptest::prelude::*;

fn key() -> impl Strategy<Value = KeyPress> {
    use KeyPress::{BackTab, Backspace, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab, Up};
    let named = [Enter, Esc, Backspace, Tab, BackTab, Up, Down, Left, Right, PageUp, PageDown, Home, End];
    prop_oneof![
        4 => proptest::sample::select(named.to_vec()),
        4 => proptest::sample::select("12345drgoaxeinhtfysS? /+-.,<>q".chars().collect::<Vec<_>>()).prop_map(KeyPress::Char),
        1 => any::<char>().prop_map(KeyPress::Char),
    ]
}

#[derive(Debug, Clone)]
enum Happens {
    Key(KeyPress),
    Size(u16, u16),
    Time(u64),
    Break(bool),
    Dies,
    /// The home has so many more golems from now on.
    Crowd(u16),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        20 => key().prop_map(Happens::Key),
        2 => (1_u16..220, 1_u16..70).prop_map(|(w, h)| Happens::Size(w, h)),
        1 => (80_u16..120, 24_u16..40).prop_map(|(w, h)| Happens::Size(w, h)),
        2 => (0_u64..40_000).prop_map(Happens::Time),
        1 => any::<bool>().prop_map(Happens::Break),
        1 => Just(Happens::Dies),
        1 => (0_u16..60).prop_map(Happens::Crowd),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200)))]
    #[test]
    fn nothing_that_is_typed_breaks_it(
        golem in 0..3, still in any::<bool>(), all in proptest::collection::vec(happens(), 1..80)
    ) {
        let mut person = match golem {
            0 => Person::looking_at(TestHome::dead, (80, 24)),
            1 => Person::looking_at(TestHome::living, (80, 24)),
            _ => Person::at_fleet(17, (80, 24)),
        };
        person.state.reduced_motion = still;
        for one in all {
            match one {
                Happens::Key(key) => person.types([key]),
                Happens::Size(w, h) => person.resizes((w, h)),
                Happens::Time(ms) => person.waits(ms),
                Happens::Break(broken) => person.home.broken = broken,
                Happens::Dies => person.home.dies(),
                Happens::Crowd(n) => person.home.crew = TestHome::crowded(n).crew,
            }
            prop_assert!(!person.sees().is_empty() || person.state.over);
        }
    }
}
