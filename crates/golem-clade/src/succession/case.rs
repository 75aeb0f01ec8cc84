//! One death on its way to an heir. The machine is pure: events move it, and it says what is to be done and when.
//!
//! The seven steps are the seed's. Credit is asked for before anything is bought, so the fifth has a first half
//! ([`SuccessionStep::Reserve`]) before the fourth; what was begun for nothing is taken back ([`SuccessionStep::Undo`]).

use super::config::ProvisionConfig;
use super::event::{
    CaseEvent, CompiledHeir, IdentityState, OutOfStep, SuccessionNext, SuccessionNotice, SuccessionStep,
};
use super::halt::SuccessionHalt;
use golem_core::{GolemId, Hash, Timestamp};
use serde::{Deserialize, Serialize};

/// Seconds until provisioning is tried again, after the first failures in a row.
pub const PROVISION_RETRIES_S: [u64; 3] = [30, 120, 480];
/// Seconds until it is tried again after that, for as long as it takes.
pub const RETRY_QUEUE_S: u64 = 3_600;

/// Seconds after it was due from which on nobody sees to it any more.
const LEFT_AFTER_S: i64 = 60;

/// One death on its way to an heir.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuccessionCase {
    /// Whose death: a golem dies once, so this names the death.
    pub dead: GolemId,
    /// Its line.
    pub lineage: GolemId,
    /// The successor's generation.
    pub generation: u32,
    /// When it was opened.
    pub opened: Timestamp,
    /// What comes next.
    pub at: SuccessionStep,
    /// When it was last moved.
    pub since: Timestamp,
    /// Nothing is tried before.
    pub due: Timestamp,
    /// Failures of the present step in a row.
    pub failures: u32,
    /// What was said last.
    pub said: Option<String>,
    /// Why it waits for its owner.
    pub halted: Option<SuccessionHalt>,
    /// The hash of what is handed on.
    pub bundle: Option<Hash>,
    /// The heir as it was decided.
    pub will: Option<CompiledHeir>,
    /// How far the two ways of life lie apart.
    pub distance: Option<f64>,
    /// Who was asked for a place: what may stand there is given back before anybody else is asked, and whoever lives there
    /// begins there, whatever the owner's word says by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<ProvisionConfig>,
    /// Where it lives.
    pub berth: Option<String>,
    /// Who is about to be born, and nobody else.
    pub expects: Option<GolemId>,
    /// Who it is.
    pub heir: Option<GolemId>,
    /// Its identity.
    pub identity: IdentityState,
    /// When the heir's money was moved.
    pub funded: Option<Timestamp>,
}

impl SuccessionCase {
    /// A death that nothing was done about yet.
    #[must_use]
    pub fn open(dead: GolemId, lineage: GolemId, generation: u32, now: Timestamp) -> Self {
        Self {
            dead,
            lineage,
            generation,
            opened: now,
            at: SuccessionStep::Export,
            since: now,
            due: now,
            failures: 0,
            said: None,
            halted: None,
            bundle: None,
            will: None,
            distance: None,
            place: None,
            berth: None,
            expects: None,
            heir: None,
            identity: IdentityState::Pending,
            funded: None,
        }
    }

    /// What to do now. Where the clock went back nobody waits for it to come again.
    #[must_use]
    pub fn next(&self, now: Timestamp) -> SuccessionNext {
        let waits = (now < self.due && now >= self.since).then_some(self.due);
        match (&self.halted, self.at, waits) {
            (_, SuccessionStep::Undo, None) => SuccessionNext::Do(SuccessionStep::Undo),
            (_, SuccessionStep::Undo, Some(until)) => SuccessionNext::Wait(until),
            (Some(why), ..) => SuccessionNext::Halted(why.clone()),
            (None, SuccessionStep::Done, waits) => match (&self.identity, waits) {
                (IdentityState::Owed { .. }, None) => SuccessionNext::Do(SuccessionStep::Register),
                (IdentityState::Owed { .. }, Some(until)) => SuccessionNext::Lives(Some(until)),
                _ => SuccessionNext::Lives(None),
            },
            (None, _, Some(until)) => SuccessionNext::Wait(until),
            (None, step, None) => SuccessionNext::Do(step),
        }
    }

    /// True while something is left to be done without the owner.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let owed = matches!(self.identity, IdentityState::Owed { .. });
        self.at == SuccessionStep::Undo || (self.halted.is_none() && (self.at != SuccessionStep::Done || owed))
    }

    /// True where a place is waited for, or to be given back, and whoever began with it does not see to it any more: it has been
    /// due for a minute. Whoever lives in this home may go on with it then.
    #[must_use]
    pub fn is_left(&self, now: Timestamp) -> bool {
        let waits = matches!(self.at, SuccessionStep::Provision | SuccessionStep::Fund | SuccessionStep::Undo);
        self.is_open() && waits && now.0.saturating_sub(self.due.0) >= LEFT_AFTER_S
    }

    /// Move it on.
    ///
    /// # Errors
    /// When the event does not belong here; then nothing has changed.
    pub fn apply(&mut self, event: CaseEvent, now: Timestamp) -> Result<Option<SuccessionNotice>, OutOfStep> {
        use SuccessionStep as S;
        let told = match (self.at, event) {
            (S::Done | S::Undo, event @ (CaseEvent::Halted(_) | CaseEvent::Postponed { .. })) => {
                return Err(self.out_of_step(&event));
            }
            (S::Register | S::Boot, event @ CaseEvent::Halted(_)) => return Err(self.out_of_step(&event)),
            (_, event) if self.halted.is_some() && !self.may_follow_a_halt(&event) => {
                return Err(self.out_of_step(&event));
            }
            // Sealed anew where the owner's word on what is handed on has changed since.
            (S::Export | S::Compile, CaseEvent::Exported { bundle }) => {
                self.bundle = Some(bundle);
                self.step(S::Compile)
            }
            (S::Compile, CaseEvent::Compiled(will)) => {
                self.will = Some(will);
                self.step(S::Compare)
            }
            (S::Compare, CaseEvent::Differs { distance }) => {
                self.distance = distance;
                self.step(S::Reserve)
            }
            (S::Reserve, CaseEvent::Reserved) => self.step(S::Provision),
            (S::Provision, CaseEvent::Asked { place }) => {
                self.place = Some(place);
                return Ok(None);
            }
            // Nobody is halted: it goes on elsewhere once everything is given back here.
            (S::Provision | S::Fund, CaseEvent::Moved) => self.step(S::Undo),
            (S::Provision, CaseEvent::Provisioned { berth }) => {
                self.berth = Some(berth);
                self.step(S::Fund)
            }
            (S::Provision | S::Fund, CaseEvent::ProvisionFailed { why, by_itself }) => {
                return Ok(self.failed(why, by_itself, now));
            }
            (S::Boot, CaseEvent::BootFailed { why }) => return Ok(self.failed(why, true, now)),
            (S::Fund, CaseEvent::Bearing { heir }) => {
                self.expects = Some(heir);
                return Ok(None);
            }
            (S::Fund, CaseEvent::Funded { heir }) if heir.is_none() || heir == self.expects => {
                self.heir = heir;
                self.funded = Some(now);
                self.step(S::Register)
            }
            (S::Register, CaseEvent::Registered { agent }) => {
                self.identity = IdentityState::Registered { agent };
                self.step(S::Boot)
            }
            (S::Register, CaseEvent::Unregistered) => {
                self.identity = IdentityState::Unasked;
                self.step(S::Boot)
            }
            // It boots without one, and the next heartbeat tries again.
            (S::Register, CaseEvent::RegisterFailed { why, .. }) => {
                self.identity = IdentityState::Owed { failures: 1 };
                self.step(S::Boot);
                self.said = Some(why.clone());
                Some(SuccessionNotice::Unidentified { why })
            }
            (S::Boot, CaseEvent::Booted) => {
                self.step(S::Done);
                self.will.as_ref().map(|will| SuccessionNotice::Succeeded {
                    name: will.name.clone(),
                    heir: self.heir,
                    berth: self.berth.clone().unwrap_or_default(),
                })
            }
            (S::Done, CaseEvent::Registered { agent }) if self.owes() => {
                self.identity = IdentityState::Registered { agent };
                self.step(S::Done)
            }
            (S::Done, CaseEvent::Unregistered) if self.owes() => {
                self.identity = IdentityState::Unasked;
                self.step(S::Done)
            }
            (S::Done, CaseEvent::RegisterFailed { why, heartbeat_s }) if self.owes() => {
                if let IdentityState::Owed { failures } = &mut self.identity {
                    *failures = failures.saturating_add(1);
                }
                self.said = Some(why);
                self.wait(heartbeat_s.max(1), now);
                return Ok(None);
            }
            (_, CaseEvent::Postponed { until }) => {
                (self.since, self.due) = (now, until);
                return Ok(None);
            }
            (at, CaseEvent::Halted(why)) => {
                self.halted = Some(why.clone());
                self.said = Some(why.to_string());
                // Credit is set aside, and a machine may stand: both go back first.
                if matches!(at, S::Provision | S::Fund) {
                    self.step(S::Undo);
                }
                Some(SuccessionNotice::Halted { why })
            }
            (S::Undo, CaseEvent::Undone) => {
                (self.place, self.berth, self.expects) = (None, None, None);
                self.step(S::Reserve)
            }
            (S::Undo, CaseEvent::UndoFailed { why }) => {
                self.failures = self.failures.saturating_add(1);
                self.said = Some(why);
                self.wait(delay_s(self.failures), now);
                return Ok(None);
            }
            // The dead say nothing new, but the owner's settings may have changed: all but the export is asked again.
            (at, CaseEvent::Resumed) if at <= S::Fund => {
                if at <= S::Reserve && self.bundle.is_some() {
                    self.at = S::Compile;
                }
                self.halted = None;
                self.failures = 0;
                None
            }
            (_, event) => return Err(self.out_of_step(&event)),
        };
        (self.since, self.due) = (now, now);
        Ok(told)
    }

    fn owes(&self) -> bool {
        matches!(self.identity, IdentityState::Owed { .. })
    }

    fn may_follow_a_halt(&self, event: &CaseEvent) -> bool {
        match event {
            CaseEvent::Resumed => self.halted.as_ref().is_some_and(|why| !why.is_final()),
            CaseEvent::Undone | CaseEvent::UndoFailed { .. } => self.at == SuccessionStep::Undo,
            _ => false,
        }
    }

    /// On to the next; nothing to tell.
    fn step(&mut self, to: SuccessionStep) -> Option<SuccessionNotice> {
        self.at = to;
        self.failures = 0;
        None
    }

    fn failed(&mut self, why: String, by_itself: bool, now: Timestamp) -> Option<SuccessionNotice> {
        self.failures = self.failures.saturating_add(1);
        self.said = Some(why.clone());
        self.wait(delay_s(self.failures), now);
        // Once when the queue begins; where no try of ours can help the owner hears at once.
        let queued = self.failures as usize == PROVISION_RETRIES_S.len() + 1;
        let told = queued || (!by_itself && self.failures == 1);
        told.then_some(SuccessionNotice::Queued { failures: self.failures, why })
    }

    fn wait(&mut self, s: u64, now: Timestamp) {
        self.since = now;
        self.due = Timestamp(now.0.saturating_add(i64::try_from(s).unwrap_or(i64::MAX)));
    }

    fn out_of_step(&self, event: &CaseEvent) -> OutOfStep {
        let words = format!("{event:?}");
        let name = words.split([' ', '(', '{']).next().unwrap_or_default();
        OutOfStep { at: self.at, event: name.to_owned() }
    }
}

/// How long to wait after so many failures in a row.
fn delay_s(failures: u32) -> u64 {
    let nth = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    PROVISION_RETRIES_S.get(nth).copied().unwrap_or(RETRY_QUEUE_S)
}
