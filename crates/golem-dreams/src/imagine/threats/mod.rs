//! Threat rehearsal: which of the catalogue's threats are due, what each would do to what is held now, which response
//! loses least, and whether a rule of the playbook would have given it.

mod alarm;
mod guard;
mod record;
mod rehearse;
mod schedule;
mod variant;

pub use alarm::{AlarmHeard, AlarmMoment, ThreatAlarms};
pub use guard::{ActiveGuard, GuardProposal, ThreatWarning, coverage, guards};
pub use record::{RehearsalOf, ThreatBook, ThreatRecord, ThreatTally};
pub use rehearse::{RehearsedResponse, ThreatPlan, ThreatResponse, ThreatSimulation};
pub use schedule::{ThreatSeen, due_threats, frequency, scenarios};
pub use variant::{VARIANT_DRAWS, weather};
