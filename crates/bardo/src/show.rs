//! How things look to people: times, ages, causes of death.

use golem_core::{ReferencePrice, Timestamp};
use golem_life::Status;
use golem_mortality::DeathCause;

/// RFC 3339 in UTC.
pub fn time(at: Timestamp) -> String {
    at.to_string()
}

/// An age in days and hours.
pub fn age(days: f64) -> String {
    let hours = (days * 24.0).floor();
    let (d, h) = ((hours / 24.0).floor(), hours % 24.0);
    if d >= 1.0 { format!("{d:.0} d {h:.0} h") } else { format!("{h:.0} h {:.0} min", (days * 1440.0).floor() % 60.0) }
}

/// What a price is held against before value is given up.
pub fn reference(reference: Option<ReferencePrice>) -> String {
    reference.map_or("nothing: there is no reference, and nothing is opened".to_owned(), |reference| {
        format!("{} ({} min)", reference.kind.name(), reference.window_s / 60)
    })
}

/// A cause of death in a sentence.
pub fn cause(cause: &DeathCause) -> String {
    match cause {
        DeathCause::Economic { balance, burn_rate, .. } => {
            format!("economic: {balance} USDC were left, burning {:.4} USDC a day", burn_rate * 2_160.0 / 1e6)
        }
        DeathCause::EpistemicSenescence {
            final_fitness,
            fitness_at_peak,
            ticks_in_senescence,
            failing_domains,
            ..
        } => {
            let failing = if failing_domains.is_empty() {
                "none below the line alone".into()
            } else {
                failing_domains.join(", ")
            };
            format!(
                "epistemic senescence: fitness {final_fitness:.3} (best {fitness_at_peak:.3}), senescent for {ticks_in_senescence} ticks; failing: {failing}"
            )
        }
        DeathCause::Stochastic { hazard_rate, death_roll, epistemic_fitness, .. } => {
            format!(
                "stochastic: rolled {death_roll:.3e} against a hazard of {hazard_rate:.3e} at fitness {epistemic_fitness:.3}"
            )
        }
        DeathCause::OwnerKill { reason } => format!("the owner's will: {reason}"),
        DeathCause::KillSwitch { trigger } => format!("the kill switch: {trigger}"),
    }
}

/// One line about how a golem is.
pub fn line(s: &Status) -> String {
    format!(
        "{} · turn {} · {} · {} · vitality {:.2} · fitness {:.3} · {:.2} USDC",
        s.name,
        s.tick,
        age(s.age_days),
        s.phase,
        s.vitality.composite,
        s.vitality.epistemic,
        s.balance.as_f64(),
    )
}
