//! The steward: takes a case from step to step. What a step did is written down with the case, in one transaction with the money that it
//! moved; whatever is killed in between is done again, and found done.

use super::books;
use super::directive::Directive;
use super::heirship::{Heirship, NOT_WHAT_WAS_SEALED};
use super::provision::{BerthOrder, BerthRefusal, Provisioner};
use super::registry::IdentityRegistry;
use crate::fail::Fail;
use crate::home::Home;
use golem_clade::succession::{
    CaseEvent, CompiledHeir, KeptNotice, MovedCredit, OwnerEstate, ProvisionConfig, SuccessionCase, SuccessionHalt,
    SuccessionNext, SuccessionStep, TreasuryRefusal,
};
use golem_core::{GolemId, Hash, Timestamp};

/// Whoever carries a succession out. The dead one's folder is held by the caller meanwhile.
pub struct Steward<'a> {
    /// Where the case is kept.
    pub home: &'a Home,
    /// Whose death.
    pub dead: GolemId,
    /// Its line.
    pub lineage: GolemId,
    /// The successor's generation.
    pub generation: u32,
    /// The owner's word.
    pub directive: &'a Directive,
    /// The dead one's side.
    pub heirship: &'a mut dyn Heirship,
    /// Who makes a place, by what the owner says of it.
    pub places: &'a dyn Fn(&ProvisionConfig) -> Box<dyn Provisioner>,
    /// Who keeps identities.
    pub registry: &'a mut dyn IdentityRegistry,
    /// Time outside.
    pub now: &'a dyn Fn() -> Timestamp,
    /// Hears what the owner is told.
    pub tell: &'a mut dyn FnMut(&KeptNotice),
}

/// What a step did, and what goes with it into the record.
struct StepTaken {
    event: CaseEvent,
    lines: Vec<String>,
}

impl From<CaseEvent> for StepTaken {
    fn from(event: CaseEvent) -> Self {
        Self { event, lines: Vec::new() }
    }
}

impl Steward<'_> {
    /// Do whatever is due, and say where it stands then.
    pub fn attend(&mut self) -> Result<(SuccessionNext, SuccessionCase), Fail> {
        let mut case = self.opened()?;
        loop {
            let now = (self.now)();
            if let Some(event) = self.overtaken(&case, now)? {
                case = self.note(&case, event.into(), now)?;
                continue;
            }
            match case.next(now) {
                SuccessionNext::Do(step) => {
                    let deed = self.take(step, &case, now)?;
                    case = self.note(&case, deed, now)?;
                }
                other => return Ok((other, case)),
            }
        }
    }

    /// The owner says: try again.
    pub fn resume(&mut self) -> Result<(), Fail> {
        let case = self.opened()?;
        match &case.halted {
            Some(why) if !why.is_final() && case.at != SuccessionStep::Undo => {
                self.note(&case, CaseEvent::Resumed.into(), (self.now)()).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn opened(&self) -> Result<SuccessionCase, Fail> {
        if let Some(case) = books::find(self.home)?.case(self.dead) {
            return Ok(case.clone());
        }
        let new = SuccessionCase::open(self.dead, self.lineage, self.generation, (self.now)());
        books::change(self.home, |estate| {
            if estate.case(self.dead).is_none() {
                estate.put(new.clone());
            }
            Ok(estate.case(self.dead).cloned().unwrap_or(new))
        })
    }

    /// Whether somebody else was quicker, or the owner's word is another by now: it holds until somebody is born, and no longer.
    fn overtaken(&mut self, case: &SuccessionCase, now: Timestamp) -> Result<Option<CaseEvent>, Fail> {
        if case.halted.is_some() || case.at > SuccessionStep::Fund {
            return Ok(None);
        }
        let born = self.heirship.born()?;
        if case.expects.is_some_and(|expected| born.contains(&expected)) {
            return Ok(None);
        }
        let stands = match born.first() {
            Some(heir) => Some(*heir),
            None => self.heirship.elsewhere()?,
        };
        if let Some(heir) = stands {
            return Ok(Some(CaseEvent::Halted(SuccessionHalt::Succeeded { heir })));
        }
        if let Some(why) = self.taken_back(now) {
            return Ok(Some(CaseEvent::Halted(why)));
        }
        let asked = case.place.as_ref().filter(|_| matches!(case.at, SuccessionStep::Provision | SuccessionStep::Fund));
        Ok(asked.is_some_and(|p| !p.is_same_place(&self.directive.config.provision)).then_some(CaseEvent::Moved))
    }

    /// Why the owner's word holds for nobody new, if it does not.
    fn taken_back(&self, now: Timestamp) -> Option<SuccessionHalt> {
        let (said, next) = (&self.directive.config, self.generation);
        if !said.auto {
            return Some(SuccessionHalt::Revoked);
        }
        if next > said.max_generations {
            return Some(SuccessionHalt::Generations { next, most: said.max_generations });
        }
        self.directive.expires.filter(|at| now >= *at).map(|at| SuccessionHalt::Expired { at })
    }

    /// Whoever was asked for a place answers for it; where nobody was yet, whoever the owner names.
    fn place_maker(&self, case: &SuccessionCase) -> Box<dyn Provisioner> {
        let said = &self.directive.config.provision;
        // Of the same place the newer word holds: a token may be kept under another name by now.
        (self.places)(case.place.as_ref().filter(|asked| !asked.is_same_place(said)).unwrap_or(said))
    }

    /// One step.
    fn take(&mut self, step: SuccessionStep, case: &SuccessionCase, now: Timestamp) -> Result<StepTaken, Fail> {
        Ok(match step {
            SuccessionStep::Export => self.seal(self.directive.config.inherit_grimoire)?.into(),
            SuccessionStep::Compile => self.compile(case)?.into(),
            SuccessionStep::Compare => self.compare(will(case)?)?,
            // The money is looked at in the transaction that sets it aside.
            SuccessionStep::Reserve => CaseEvent::Reserved.into(),
            SuccessionStep::Provision => self.provision(case, now)?.into(),
            SuccessionStep::Fund => self.fund(case)?.into(),
            SuccessionStep::Register => self.register(case)?.into(),
            SuccessionStep::Boot => match self.place_maker(case).boot(berth(case)?, case.heir) {
                Ok(()) => CaseEvent::Booted.into(),
                Err(refusal) => CaseEvent::BootFailed { why: refusal.why }.into(),
            },
            SuccessionStep::Undo => match self.place_maker(case).release(self.dead) {
                Ok(()) => CaseEvent::Undone.into(),
                Err(refusal) => CaseEvent::UndoFailed { why: refusal.why }.into(),
            },
            SuccessionStep::Done => return Err(Fail::Bug("nothing is left to do".to_owned())),
        })
    }

    fn seal(&mut self, inherits: bool) -> Result<CaseEvent, Fail> {
        Ok(CaseEvent::Exported { bundle: Hash::of(&self.heirship.export(inherits)?) })
    }

    fn compile(&mut self, case: &SuccessionCase) -> Result<CaseEvent, Fail> {
        let will = match self.heirship.compile() {
            Ok(will) => will,
            Err(Fail::Owner(why, _)) => return Ok(CaseEvent::Halted(SuccessionHalt::Unfit { why })),
            Err(other) => return Err(other),
        };
        // What is sealed is what this heir is handed: the owner may have said otherwise since it was.
        match self.seal(will.inherits)? {
            CaseEvent::Exported { bundle } if case.bundle == Some(bundle) => Ok(CaseEvent::Compiled(will)),
            anew => Ok(anew),
        }
    }

    /// A place is asked for what was decided and sealed, whatever the owner says by now. Who is asked stands in the record
    /// before anything can stand there.
    fn provision(&mut self, case: &SuccessionCase, now: Timestamp) -> Result<CaseEvent, Fail> {
        let will = will(case)?;
        let bundle = self.heirship.export(will.inherits)?;
        if case.bundle != Some(Hash::of(&bundle)) {
            return Ok(no_place(BerthRefusal::passing(NOT_WHAT_WAS_SEALED)));
        }
        let (place, mut maker) = (self.directive.config.provision.clone(), self.place_maker(case));
        if case.place.as_ref() != Some(&place) {
            if let Err(refusal) = maker.reach(self.dead) {
                return Ok(no_place(refusal));
            }
            self.note(case, CaseEvent::Asked { place }.into(), now)?;
        }
        Ok(match maker.provision(&BerthOrder { dead: self.dead, will, bundle: &bundle }) {
            Ok(berth) => CaseEvent::Provisioned { berth },
            Err(refusal) => no_place(refusal),
        })
    }

    fn compare(&mut self, will: &CompiledHeir) -> Result<StepTaken, Fail> {
        let compared = self.heirship.compare(will)?;
        let event = match (compared.distance, compared.asked) {
            (Some(found), Some(asked)) => CaseEvent::Halted(SuccessionHalt::TooSimilar { found, asked }),
            (distance, _) => CaseEvent::Differs { distance },
        };
        Ok(StepTaken { event, lines: compared.lines })
    }

    /// The heir's birth. Who it is stands in the record before its file does, so that after a crash it is known as ours.
    fn fund(&mut self, case: &SuccessionCase) -> Result<CaseEvent, Fail> {
        if !self.place_maker(case).is_here() {
            return Ok(CaseEvent::Funded { heir: None });
        }
        let born = self.heirship.born()?;
        if let Some(heir) = case.expects.filter(|heir| born.contains(heir)) {
            return Ok(CaseEvent::Funded { heir: Some(heir) });
        }
        let sealed = case.bundle.ok_or_else(|| Fail::Bug("nothing was sealed".to_owned()))?;
        let mut bear = || -> Result<GolemId, Fail> {
            let heir = self.heirship.conceive(will(case)?, sealed)?;
            self.note(case, CaseEvent::Bearing { heir }.into(), (self.now)())?;
            self.heirship.bear()?;
            Ok(heir)
        };
        match bear() {
            Ok(heir) => Ok(CaseEvent::Funded { heir: Some(heir) }),
            Err(fail @ (Fail::Bug(_) | Fail::Hangup)) => Err(fail),
            Err(fail) => Ok(no_place(BerthRefusal::passing(fail.to_string()))),
        }
    }

    fn register(&mut self, case: &SuccessionCase) -> Result<CaseEvent, Fail> {
        let (parent, heir) = self.heirship.claims(will(case)?, case.heir);
        let heartbeat_s = self.directive.heartbeat_s;
        Ok(match self.registry.register(&parent, &heir) {
            Ok(Some(agent)) => CaseEvent::Registered { agent },
            Ok(None) => CaseEvent::Unregistered,
            Err(why) => CaseEvent::RegisterFailed { why: why.to_string(), heartbeat_s },
        })
    }

    /// Write down what was done: the case, the money and what there is to tell, together or not at all.
    fn note(&mut self, seen: &SuccessionCase, deed: StepTaken, now: Timestamp) -> Result<SuccessionCase, Fail> {
        let (dead, config) = (self.dead, &self.directive.config);
        let (case, told) = books::change(self.home, |estate| {
            let case = estate.case(dead).cloned();
            // Somebody else may have come between two of our steps, and never between a step and its record.
            let mut case = case.filter(|c| c.at == seen.at && c.halted == seen.halted).ok_or_else(|| {
                Fail::world_hint("the succession was moved by somebody else", "look again: bardo treasury show")
            })?;
            let event = match deed.event {
                CaseEvent::Reserved => {
                    let free_at = estate.treasury.not_before(case.lineage, config.max_per_day, config.cool_down_s, now);
                    reserve(estate, &case, free_at, now)?
                }
                event => event,
            };
            match &event {
                CaseEvent::Funded { heir } => hand_over(estate, &case, *heir, now)?,
                CaseEvent::Undone => estate.treasury.release(dead),
                _ => {}
            }
            let notice = case.apply(event, now).map_err(|e| Fail::Bug(e.to_string()))?;
            let told = notice.map(|what| KeptNotice { dead, at: now, what, lines: deed.lines });
            if let Some(told) = &told {
                estate.tell(told.clone());
            }
            estate.put(case.clone());
            Ok((case, told))
        })?;
        if let Some(told) = &told {
            (self.tell)(told);
        }
        Ok(case)
    }
}

/// Set the budget aside, if the owner's limits and the credit allow it.
fn reserve(
    estate: &mut OwnerEstate,
    case: &SuccessionCase,
    free_at: Timestamp,
    now: Timestamp,
) -> Result<CaseEvent, Fail> {
    // Nobody waits a day for what there is no money for.
    let mut after = estate.treasury.clone();
    match after.hold(case.dead, will(case)?.budget, now) {
        Ok(()) if free_at > now => Ok(CaseEvent::Postponed { until: free_at }),
        Ok(()) => {
            estate.treasury = after;
            Ok(CaseEvent::Reserved)
        }
        Err(TreasuryRefusal::Short { needed, there }) => {
            Ok(CaseEvent::Halted(SuccessionHalt::Credit { needed, there }))
        }
        Err(other) => Err(Fail::Bug(format!("the treasury: {other}"))),
    }
}

fn hand_over(
    estate: &mut OwnerEstate,
    case: &SuccessionCase,
    heir: Option<GolemId>,
    now: Timestamp,
) -> Result<(), Fail> {
    let (amount, berth) = (will(case)?.budget, berth(case)?.to_owned());
    let moved = MovedCredit { amount, at: now, lineage: case.lineage, heir, berth };
    estate.treasury.hand_over(case.dead, moved).map_err(|e| Fail::Bug(format!("the treasury: {e}")))
}

fn no_place(refusal: BerthRefusal) -> CaseEvent {
    CaseEvent::ProvisionFailed { why: refusal.why, by_itself: refusal.by_itself }
}

fn will(case: &SuccessionCase) -> Result<&CompiledHeir, Fail> {
    case.will.as_ref().ok_or_else(|| Fail::Bug("an heir that was never decided".to_owned()))
}

fn berth(case: &SuccessionCase) -> Result<&str, Fail> {
    case.berth.as_deref().ok_or_else(|| Fail::Bug("an heir without a place".to_owned()))
}

#[cfg(test)]
mod tests;
