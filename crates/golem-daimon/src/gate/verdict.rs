//! The verdict: six rules in a fixed order, each of which can only close.

use super::class::InPhase;
use super::denied::{Denied, WhyDenied};
use super::{ActionClass, GateSituation, Permits, Safety};
use golem_mortality::GolemMode;

type GateRule = fn(ActionClass, &GateSituation) -> Option<WhyDenied>;

/// The first that closes is the one that is told: what cannot be read before what is known, the world before the mood.
const RULES: [GateRule; 6] = [blindness, mode, safety, permits, phase, suffering];

/// Whether an action of this class may be tried.
///
/// # Errors
/// The first rule that closes it. [`ActionClass::Reduce`] is never denied.
pub fn gate(class: ActionClass, situation: &GateSituation) -> Result<(), Denied> {
    RULES.iter().find_map(|rule| rule(class, situation)).map_or(Ok(()), |why| Err(Denied { class, why }))
}

/// What is closed here and why, from the boldest class on.
#[must_use]
pub fn locked(situation: &GateSituation) -> Vec<(ActionClass, Denied)> {
    ActionClass::ALL.into_iter().filter_map(|c| gate(c, situation).err().map(|denied| (c, denied))).collect()
}

/// What stays open whatever is wrong: taking risk away, looking inwards and asking for help.
fn always_open(class: ActionClass) -> bool {
    matches!(class, ActionClass::Reflect | ActionClass::Peer | ActionClass::Reduce)
}

/// Whether a class acts on the world with money.
fn acts(class: ActionClass) -> bool {
    matches!(class, ActionClass::Explore | ActionClass::Open | ActionClass::Manage)
}

fn blindness(class: ActionClass, at: &GateSituation) -> Option<WhyDenied> {
    if always_open(class) { None } else { at.unreadable().map(WhyDenied::Unreadable) }
}

fn mode(class: ActionClass, at: &GateSituation) -> Option<WhyDenied> {
    let closed = match at.mode? {
        GolemMode::Waking => false,
        // A dream tries things on a fork, where no class of money is asked for.
        GolemMode::Dreaming => matches!(class, ActionClass::Open | ActionClass::Manage),
        // What is left is settlement, reflection and farewell.
        GolemMode::Dying => !always_open(class),
    };
    if closed { at.mode.map(WhyDenied::Mode) } else { None }
}

fn safety(class: ActionClass, at: &GateSituation) -> Option<WhyDenied> {
    let closed = match at.safety? {
        Safety::Open => false,
        Safety::NoNewRisk { .. } => matches!(class, ActionClass::Explore | ActionClass::Open),
        Safety::ReduceOnly { .. } => acts(class),
    };
    if closed { at.safety.map(WhyDenied::Safety) } else { None }
}

fn permits(class: ActionClass, at: &GateSituation) -> Option<WhyDenied> {
    at.permits.filter(|p| *p != Permits::All && acts(class)).map(WhyDenied::Permits)
}

fn phase(class: ActionClass, at: &GateSituation) -> Option<WhyDenied> {
    let phase = at.phase?;
    match class.in_phase(phase) {
        InPhase::Open => None,
        InPhase::ToAvertLoss => (!at.averts_loss).then_some(WhyDenied::NoLossToAvert(phase)),
        InPhase::Closed => Some(WhyDenied::Phase(phase)),
    }
}

fn suffering(class: ActionClass, at: &GateSituation) -> Option<WhyDenied> {
    at.band.filter(|band| !class.open_at(*band)).map(WhyDenied::Suffering)
}
