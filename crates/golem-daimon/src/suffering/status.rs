//! What surfaces show: band, load, each stressor with its evidence and its distance to easing, and what is locked.

use super::canonical::Canonical;
use super::domain::ActivityDomain;
use super::history::StressorLedger;
use super::recorded::SufferingSeen;
use super::state::Suffering;
use crate::band::Band;
use crate::gate::ActionClass;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// One open stressor, for surfaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StressorStatus {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub ledger: StressorLedger,
    /// True when nothing can check it: it ends on the agent's word.
    pub unverifiable: bool,
    /// How bad it is.
    pub severity: f64,
    /// How bad it has been.
    pub peak: f64,
    /// When it began.
    pub onset: VirtualTime,
    /// Where.
    pub domain: Option<ActivityDomain>,
    /// The numbers behind it, or the agent's words.
    pub evidence: String,
    /// What it needs to ease.
    pub eases_when: String,
    /// How far it is from that, where that can be said.
    pub distance: Option<String>,
}

impl StressorStatus {
    /// What a person can do about it; none for what the agent made up.
    #[must_use]
    pub fn remedy(&self, golem: &str) -> Option<String> {
        Canonical::named(&self.name).filter(|_| self.ledger == StressorLedger::Measured).map(|c| c.remedy(golem))
    }
}

/// The whole of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SufferingStatus {
    /// The band.
    pub band: Band,
    /// The load, in [0, 1].
    pub load: f64,
    /// The sum without any cap.
    pub raw: f64,
    /// Whole cycles that the present crisis has lasted.
    pub crisis_cycles: u64,
    /// How often a crisis had to be broken.
    pub respites: u64,
    /// What is open, the worst first.
    pub stressors: Vec<StressorStatus>,
    /// What this load closes.
    pub locked: Vec<ActionClass>,
}

impl Suffering {
    /// What surfaces show.
    #[must_use]
    pub fn status(&self, seen: SufferingSeen<'_>) -> SufferingStatus {
        let band = self.band();
        let stressors = self.worst_first().into_iter().map(|open| {
            let (evidence, eases_when, distance) = match (open.canonical, open.reported) {
                (Some(which), _) => {
                    // Between its two bounds nothing fires any more; what is left is how far it is from easing.
                    let (fired, left) = (which.evidence(seen), which.distance(seen));
                    (if fired.is_empty() { left.clone() } else { fired }, which.eases_when(seen), Some(left))
                }
                (None, Some(r)) => {
                    let mut text = String::new();
                    r.condition.write(seen.snapshot, &mut text);
                    (r.description.to_string(), text, r.condition.distance(seen.snapshot))
                }
                (None, None) => Default::default(),
            };
            StressorStatus {
                name: open.name.to_owned(),
                ledger: open.ledger(),
                unverifiable: open.reported.is_some_and(|r| !r.condition.is_checkable()),
                severity: open.severity,
                peak: open.peak,
                onset: open.onset,
                domain: open.domain,
                evidence,
                eases_when,
                distance,
            }
        });
        SufferingStatus {
            band,
            load: self.load(),
            raw: self.raw(),
            crisis_cycles: self.crisis_cycles(),
            respites: self.respites(),
            stressors: stressors.collect(),
            locked: ActionClass::ALL.into_iter().filter(|c| !c.open_at(band)).collect(),
        }
    }
}
