//! Momentum that turns with a mood of the market: found where it turns, not where it does not, and told only by what has
//! moods.

use crate::kit::{Chance, body, silent_panel};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use golem_grimoire::experts::{ExpertSpec, Experts, FoundExpert};
use golem_grimoire::series::Series;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{EntryBody, EntryKind};
use golem_mortality::{Domain, SettledForecast};
use std::collections::VecDeque;

/// Turns of five nominal ticks in a day, and how long a mood lasts.
const DAY: u64 = 432;
const MOOD: u64 = DAY + DAY / 2;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Momentum {
    None,
    Plain,
    /// It goes on while swings are wide, and comes back while they are small.
    Turning,
}

fn normal(chance: &mut Chance) -> f64 {
    (0..12).map(|_| chance.unit()).sum::<f64>() - 6.0
}

/// Everything that is ever found in so many days of returns.
fn found_in(days: u64, momentum: Momentum, seed: u64) -> Vec<FoundExpert> {
    let (mut chance, mut experts, mut series) = (Chance(seed), Experts::default(), Series::new());
    let (mut moved, mut open, mut found) = (0.0, VecDeque::<(VirtualTime, f64)>::new(), Vec::<FoundExpert>::new());
    for turn in 0..days * DAY {
        let now = VirtualTime(Elapsed::nominal(5 * turn).0);
        while open.front().is_some_and(|(made, _)| now.since(*made) >= Elapsed::nominal(90)) {
            let Some((made, actual)) = open.pop_front() else { break };
            let of = SettledForecast::of(Domain::PriceDirection, 0.0, 0.0);
            experts.settle(&SettledForecast { made, actual, ..of }, true);
        }
        moved = 0.9 * moved + (1.0_f64 - 0.81).sqrt() * normal(&mut chance);
        let wide = (turn / MOOD).is_multiple_of(2);
        let mut seen = Snapshot::new();
        seen.set_number(Field::MarketReturn90, 0.01 * moved).expect("a number");
        let usual = if wide { 0.02 } else { 0.008 };
        seen.set_number(Field::MarketVolatility, usual * (0.1 * normal(&mut chance)).exp()).expect("a number");
        series.push(now, &seen);
        experts.see(now, &seen);
        let said = silent_panel(now);
        experts.advise(&said);
        let goes_on = match momentum {
            Momentum::None => 0.0,
            Momentum::Plain => 1.0,
            Momentum::Turning if wide => 1.0,
            Momentum::Turning => -1.0,
        };
        open.push_back((now, 0.8 * goes_on * moved + normal(&mut chance)));
        if turn.is_multiple_of(10) {
            experts.choose(&Shelf::default(), &series, now, true);
            found.extend(experts.found());
        }
    }
    found
}

/// Those that go by the momentum, whether they turn and by what.
fn by_momentum(found: &[FoundExpert]) -> impl Iterator<Item = &FoundExpert> {
    found.iter().filter(|one| one.edge.as_deref().is_some_and(|edge| edge.starts_with("market.return_90>")))
}

#[test]
fn momentum_that_turns_with_a_mood_is_found_where_it_turns_and_not_where_it_does_not() {
    for seed in 1..=3 {
        let found = found_in(16, Momentum::Turning, seed);
        let proven = |one: &&FoundExpert| one.proven && one.claim.is_none();
        let first = by_momentum(&found).find(proven).expect("it is there to be found");
        assert_eq!((first.turned_by, first.up), (Some(Field::MarketVolatility), true), "{seed}: {first:?}");
        let edge = "market.return_90>forecast.return_error@90";
        assert_eq!(first.edge.as_deref(), Some(edge));
        assert!(!by_momentum(&found).any(|one| one.proven && one.turned_by.is_none()), "in the mean there is none");
        let found = found_in(16, Momentum::Plain, seed);
        assert!(by_momentum(&found).any(|one| one.proven && one.turned_by.is_none()), "{seed}: it does not turn");
        assert!(!by_momentum(&found).any(|one| one.proven && one.turned_by.is_some()), "{seed}: nor is it proven to");
        let found = found_in(16, Momentum::None, seed);
        assert!(!found.iter().any(|one| one.proven || one.turned_by.is_some()), "{seed}: there is nothing to find");
    }
}

#[test]
fn a_link_turns_only_by_what_has_moods() {
    let link = |tags: &[&str]| {
        ExpertSpec::of(&EntryBody {
            edge: Some("market.return_90>forecast.return_error@90".into()),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..body(EntryKind::CausalLink, "Momentum.")
        })
    };
    assert_eq!(link(&["sign:rises"]).map(|spec| spec.turned_by), Some(None));
    for (by, takes) in [
        ("market.volatility", true),
        ("market.volume", true),
        ("market.gas_gwei", true),
        ("market.fee_yield", true),
        ("market.price", true),
        ("market.gas_ratio", false),
        ("market.return_90", false),
        ("market.regime", false),
        ("forecast.return_error", false),
        ("golem.balance_usdc", false),
        ("market.no_such_field", false),
        ("", false),
    ] {
        let spec = link(&["sign:rises", &format!("turns:{by}")]);
        let expected = takes.then(|| Field::named(by));
        assert_eq!(spec.map(|spec| spec.turned_by), expected, "turns:{by}");
    }
}
