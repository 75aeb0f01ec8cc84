//! What inheriting reports, in sentences.

use super::count;
use golem_life::LifeFact;

pub(super) fn words(fact: &LifeFact) -> Option<String> {
    Some(match fact {
        LifeFact::Inherited { report, .. } => {
            let parts =
                [(report.on_trial, "on trial"), (report.kept_aside, "kept aside"), (report.known, "known already")];
            let mut told: Vec<String> =
                parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
            let refused: u32 = report.refused.values().sum();
            if refused > 0 {
                let why: Vec<String> =
                    report.refused.iter().map(|(name, n)| format!("{} {n}", name.replace('_', " "))).collect();
                told.push(format!("{refused} refused ({})", why.join(", ")));
            }
            match report.offered {
                0 => "began as an heir that was left no knowledge".to_owned(),
                1 => format!("inherited 1 entry: {}", told.join(", ")),
                n => format!("inherited {n} entries: {}", told.join(", ")),
            }
        }
        LifeFact::HypothesesTaken { left, staged } => {
            format!("took up {staged} of {} that its predecessor left open", count((*left).into(), "question"))
        }
        _ => return None,
    })
}
