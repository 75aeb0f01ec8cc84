//! Causes of death in a sentence, and chances as people say them.

use crate::money::{self, grouped};
use crate::time;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::words::one_line;
use golem_mortality::DeathCause;

/// A cause of death in a sentence.
#[must_use]
pub fn cause(cause: &DeathCause) -> String {
    match cause {
        DeathCause::Economic { balance, burn_rate, .. } => {
            let daily = burn_rate * NOMINAL_TICKS_PER_DAY as f64 / 1e6;
            format!(
                "money: {} USDC were left, and it burnt {} USDC a day",
                money::usdc(*balance),
                money::of_float(daily)
            )
        }
        DeathCause::EpistemicSenescence {
            final_fitness,
            fitness_at_peak,
            ticks_in_senescence,
            failing_domains,
            ..
        } => {
            let days = *ticks_in_senescence as f64 / NOMINAL_TICKS_PER_DAY as f64;
            format!(
                "knowledge: its forecasts no longer fit the world (fitness {final_fitness:.3}, at best {fitness_at_peak:.3}), \
                 senescent for {}; failing: {}",
                time::age(days),
                listed(failing_domains, "none alone")
            )
        }
        DeathCause::Stochastic { hazard_rate, death_roll, death_probability, .. } => {
            chance(*death_roll, *death_probability, *hazard_rate)
        }
        DeathCause::OwnerKill { reason } => format!("the owner's will: {}", one_line(reason, usize::MAX)),
        DeathCause::KillSwitch { trigger } => format!("the kill switch: {trigger}"),
    }
}

/// Of what somebody died, in a word or two.
#[must_use]
pub fn in_a_word(cause: &DeathCause) -> &'static str {
    match cause {
        DeathCause::Economic { .. } => "poverty",
        DeathCause::EpistemicSenescence { .. } => "ignorance",
        DeathCause::Stochastic { .. } => "chance",
        DeathCause::OwnerKill { .. } => "its owner's will",
        DeathCause::KillSwitch { .. } => "its switch",
    }
}

/// What was rolled, and the probability that it was compared with. A record from before that probability was kept has the
/// hazard alone, which is the same for a turn of 40 seconds.
fn chance(roll: f64, probability: f64, hazard: f64) -> String {
    let fatal = if probability > 0.0 { probability } else { hazard };
    let (low, high) = apart(roll, fatal);
    format!(
        "chance: at its age and fitness {} was fatal, and this one was: it rolled {low}, and anything below {high} kills",
        odds(fatal)
    )
}

/// A probability of a turn as odds.
#[must_use]
pub fn odds(probability: f64) -> String {
    match probability {
        p if p >= 1.0 => "every turn".to_owned(),
        p if p >= 0.1 => format!("{:.0} turns in 100", p * 100.0),
        p if p > 0.0 => format!("one turn in {}", grouped((1.0 / p).round() as u128)),
        _ => "no turn".to_owned(),
    }
}

/// Two fractions, the lower one first, with as many decimals as show which is which.
fn apart(low: f64, high: f64) -> (String, String) {
    let mut told = (fraction(low, 2), fraction(high, 2));
    for digits in 3..=17 {
        // 0.100 and 0.10 are one number.
        if told.0.parse::<f64>().ok() < told.1.parse().ok() {
            break;
        }
        told = (fraction(low, digits), fraction(high, digits));
    }
    told
}

/// A fraction with so many digits that say something, never in powers of ten.
#[must_use]
pub fn fraction(x: f64, digits: usize) -> String {
    if !x.is_finite() || x <= 0.0 {
        return "0".to_owned();
    }
    let lead = libm::floor(-libm::log10(x)).max(0.0) as usize;
    format!("{x:.*}", (lead + digits).min(30))
}

/// Names in a row, the first four of many.
#[must_use]
pub fn listed(names: &[String], none: &str) -> String {
    match names {
        [] => none.to_owned(),
        few if few.len() <= 4 => few.join(", "),
        many => format!("{} and {} more", many[..3].join(", "), many.len() - 3),
    }
}
