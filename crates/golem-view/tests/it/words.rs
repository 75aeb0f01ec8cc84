//! Causes, times and folded lines, as people read them.

use golem_core::{Timestamp, Usdc};
use golem_mortality::DeathCause;
use golem_mortality::stochastic::death_probability;
use golem_view::cause::{cause, fraction, odds};
use golem_view::time::{ahead, moment, since, span};
use golem_view::wrap::{columns, cut, fold};
use proptest::prelude::*;

fn by_chance(hazard: f64, roll: f64, elapsed: f64) -> DeathCause {
    DeathCause::Stochastic {
        hazard_rate: hazard,
        death_roll: roll,
        tick_at_death: 1,
        epistemic_fitness: 0.5,
        credit_balance: Usdc(1),
        was_in_senescence: false,
        death_probability: death_probability(hazard, elapsed),
    }
}

#[test]
fn a_death_by_chance_names_the_probability_that_was_rolled_against() {
    // A turn of an hour, in which ninety nominal ticks passed: the hazard of one of them was not what was rolled against.
    let told = cause(&by_chance(1.4e-4, 8.6e-3, 90.0));
    assert!(told.contains("it rolled 0.0086, and anything below 0.013 kills"), "{told}");
    assert!(told.contains("one turn in 80 was fatal"), "{told}");
    assert!(!told.contains("e-"), "{told}");
    let close = cause(&by_chance(1e-5, 9.99996e-6, 1.0));
    assert!(close.contains("0.0000099999") && !close.contains("hazard"), "{close}");
}

/// Rounded to a tenth both are, one with a digit more.
#[test]
fn two_numbers_that_differ_late_are_told_apart() {
    let (hazard, elapsed) = (0.003_343_665_818_764_355_4, 32.182_833_256_026_434);
    let q = death_probability(hazard, elapsed);
    let told = cause(&by_chance(hazard, 0.977_759_931_028_777_7 * q, elapsed));
    assert!(!told.contains("rolled 0.100,"), "{told}");
}

proptest! {
    /// The number that is printed for the roll is below the one that is printed for the probability.
    #[test]
    fn what_is_printed_is_what_was_compared(hazard in 1e-9f64..1e-2, share in 0.0f64..1.0, elapsed in 0.3f64..200.0) {
        let q = death_probability(hazard, elapsed);
        prop_assume!(share * q < q);
        let told = cause(&by_chance(hazard, share * q, elapsed));
        let number = |after: &str| -> f64 {
            let rest = told.split(after).nth(1).unwrap();
            rest.split([' ', ',']).next().unwrap().parse().unwrap()
        };
        let (roll, fatal) = (number("rolled "), number("below "));
        prop_assert!(roll < fatal, "{}", told);
        prop_assert!((fatal / q - 1.0).abs() < 0.06, "{} instead of {}", fatal, q);
    }

    #[test]
    fn folded_lines_fit_and_lose_nothing(text in "([a-z{}(),.ä…]{1,120} ?){0,30}", width in 24usize..100) {
        let lines = fold("2026-01-01 00:00  ", &text, width.max(27));
        prop_assert!(lines.iter().all(|l| columns(l) <= width.max(27)), "{:?}", lines);
        let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let back = letters(&lines.join(" "));
        prop_assert_eq!(back, letters(&format!("2026-01-01 00:00 {text}")));
    }
}

#[test]
fn spans_moments_and_what_an_owner_calls_them() {
    assert_eq!(
        (span(0), span(59), span(125), span(7_300)),
        ("0 s".into(), "59 s".into(), "2 min".into(), "2 h 1 min".into())
    );
    assert_eq!((span(86_400 * 3 + 3_600), ahead(180)), ("3 d 1 h".into(), "in 3 min".into()));
    let now: Timestamp = "2026-01-31T07:05:09Z".parse().unwrap();
    assert_eq!(moment(now), "2026-01-31 07:05");
    for (word, at) in [
        ("2d", "2026-01-29T07:05:09Z"),
        ("3h", "2026-01-31T04:05:09Z"),
        ("90min", "2026-01-31T05:35:09Z"),
        ("1w", "2026-01-24T07:05:09Z"),
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
    ] {
        assert_eq!(since(word, now).unwrap().to_string(), at, "{word}");
    }
    for bad in ["", "yesterday", "12", "2026-13-01", "2 fortnights", "-3d", "99999999999999999999d", "d"] {
        assert!(since(bad, now).unwrap_err().contains("is no time"), "{bad}");
    }
}

#[test]
fn chances_as_people_say_them() {
    assert_eq!(odds(1.0 / 31_000.0), "one turn in 31,000");
    assert_eq!(odds(0.25), "25 turns in 100");
    assert_eq!(fraction(0.000_031_62, 2), "0.000032");
    assert_eq!(fraction(0.0, 2), "0");
    assert_eq!(cut("abcdef", 4), "abc…");
}
