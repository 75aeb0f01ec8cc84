//! What goes back and forth is told once and then counted, so that a life that flaps around a threshold stays readable.

use golem_cage::CageFact;
use golem_core::Timestamp;
use golem_core::fact::FactBody;
use golem_daimon::gate::GateFact;
use golem_daimon::suffering::SufferingFact;
use golem_life::fact::DaimonFact;
use golem_life::{Fact, LifeFact};
use golem_mortality::MortalityFact;
use std::collections::BTreeMap;

/// What is told again within this time is counted instead.
const QUIET_S: i64 = 7 * 86_400;

/// What was told of late, and what was held back since.
#[derive(Debug, Clone, Default)]
pub struct Flaps {
    kinds: BTreeMap<String, Flap>,
}

#[derive(Debug, Clone, Copy)]
struct Flap {
    told: Timestamp,
    held_back: u32,
}

impl Flaps {
    /// Whether to tell a fact now; then how many of its kind were held back since the last one.
    pub fn pass(&mut self, fact: &Fact, at: Timestamp) -> Option<u32> {
        let Some(key) = key(fact) else { return Some(0) };
        match self.kinds.get_mut(&key) {
            Some(flap) if at.0.saturating_sub(flap.told.0) < QUIET_S => {
                flap.held_back = flap.held_back.saturating_add(1);
                None
            }
            Some(flap) => {
                let held_back = flap.held_back;
                *flap = Flap { told: at, held_back: 0 };
                Some(held_back)
            }
            None => {
                self.kinds.insert(key, Flap { told: at, held_back: 0 });
                Some(0)
            }
        }
    }

    /// What was held back and never told, most often first: what, and how often.
    #[must_use]
    pub fn rest(&self) -> Vec<(&str, u32)> {
        let held = self.kinds.iter().filter(|(_, flap)| flap.held_back > 0);
        let mut rest: Vec<_> = held.map(|(key, flap)| (key.as_str(), flap.held_back)).collect();
        rest.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        rest
    }
}

/// What goes back and forth, in words; `None` for what happens once or must always be told.
fn key(fact: &Fact) -> Option<String> {
    let between = |a: &str, b: &str| if a < b { format!("{a} and {b}") } else { format!("{b} and {a}") };
    Some(match fact {
        Fact::Mortality(MortalityFact::PhaseTransition { from_phase, to_phase, .. }) => {
            format!("between {}", between(from_phase.name(), to_phase.name()))
        }
        Fact::Mortality(
            fact @ (MortalityFact::DecouplingAlert { .. }
            | MortalityFact::OverfittingAlert { .. }
            | MortalityFact::EconomicCritical { .. }
            | MortalityFact::Senescence { .. }),
        ) => fact.name().trim_start_matches("mortality.").replace('_', " "),
        Fact::Cage(fact) => match &**fact {
            CageFact::Breaker { .. } => "drawdown breaker".to_owned(),
            CageFact::Bled { .. } => "hold after a drawdown".to_owned(),
            _ => return None,
        },
        Fact::Daimon(fact) => match &**fact {
            DaimonFact::Suffering(SufferingFact::Onset { stressor, .. }) => format!("suffering from {stressor}"),
            DaimonFact::Suffering(SufferingFact::Resolved(row)) => format!("relief from {}", row.stressor),
            DaimonFact::Suffering(SufferingFact::Band { from, to, .. }) => {
                format!("suffering between {}", between(from.name(), to.name()))
            }
            DaimonFact::Suffering(SufferingFact::Respite { .. }) => "respite".to_owned(),
            DaimonFact::Suffering(SufferingFact::Crisis { .. }) => "crisis".to_owned(),
            DaimonFact::Gate(GateFact::Denied { what, denied }) => {
                format!("{} not allowed ({})", what.as_str(), denied.name())
            }
            _ => return None,
        },
        Fact::Life(LifeFact::BooksDiffer { .. } | LifeFact::BooksAgree {}) => {
            "books that differ or agree again".to_owned()
        }
        Fact::Life(LifeFact::Gift { .. }) => "gifts".to_owned(),
        _ => return None,
    })
}
