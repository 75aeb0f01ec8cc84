//! One turn of suffering: live, let the rules open and close, look for a crisis, break one that lasts.
//!
//! The measured ledger changes here and nowhere else, by the clock and the counters alone.

use super::canonical::Canonical;
use super::course::Course;
use super::crisis::MOST_CRISIS_CYCLES;
use super::facts::{Lightened, SufferingFact};
use super::history::{Resolved, StressorEnding, StressorLedger};
use super::recorded::SufferingSeen;
use super::reported::Reported;
use super::state::{MOST_ACTIVE, Measured, Suffering};
use crate::band::Band;
use crate::line::Line;
use golem_core::VirtualTime;

/// The load that a respite leaves.
pub const RESPITE_LOAD: f64 = 0.70;

impl Suffering {
    /// Live up to now and let everything follow from it. What it returns is what happened; most turns it is nothing.
    pub fn turn(&mut self, seen: SufferingSeen<'_>) -> Vec<SufferingFact> {
        let mut facts = Vec::new();
        self.escalate(seen.now);
        for which in Canonical::ALL {
            let was = self.measured[which as usize].is_some();
            match (was, which.is_open(was, seen)) {
                (false, true) => self.begin(which, seen, &mut facts),
                (true, false) => self.end(which, seen, &mut facts),
                _ => {}
            }
        }
        self.close_what_holds(seen, &mut facts);
        self.crisis.count();
        self.own_crisis.count();
        self.crisis.look(self.load());
        self.own_crisis.look(self.measured_sum());
        self.tell(&mut facts);
        if self.crisis.cycles() >= MOST_CRISIS_CYCLES {
            self.respite(seen.now, &mut facts);
            self.tell(&mut facts);
        }
        facts
    }

    fn begin(&mut self, which: Canonical, seen: SufferingSeen<'_>, facts: &mut Vec<SufferingFact>) {
        if self.active() >= MOST_ACTIVE {
            self.evict(which, seen.now, facts);
        }
        let old = self.memory.resumes(which, seen.now);
        let severity = old.unwrap_or(0.0).max(which.initial());
        let domain = which.domain().or(seen.recorded.doing);
        self.measured[which as usize] = Some(Measured { domain, course: Course::new(seen.now, severity) });
        facts.push(SufferingFact::Onset {
            stressor: which.name().to_owned(),
            ledger: StressorLedger::Measured,
            severity,
            resumed: old.is_some(),
            domain,
            evidence: which.evidence(seen),
        });
    }

    fn end(&mut self, which: Canonical, seen: SufferingSeen<'_>, facts: &mut Vec<SufferingFact>) {
        let Some(Measured { domain, course }) = self.measured[which as usize].take() else { return };
        let rate = which.rate_per_day();
        let row = Resolved {
            stressor: which.name().to_owned(),
            ledger: StressorLedger::Measured,
            domain,
            onset: course.onset,
            ended: seen.now,
            severity: course.severity(rate),
            peak: course.peak(rate),
            ending: StressorEnding::Eased,
            note: which.relief(seen),
            description: Line::default(),
            elsewhere: None,
        };
        self.memory.note_end(which, seen.now, row.severity);
        self.memory.learn(&row);
        facts.push(SufferingFact::Resolved(row));
    }

    /// The weakest reported one gives way, the youngest of equals.
    fn evict(&mut self, by: Canonical, now: VirtualTime, facts: &mut Vec<SufferingFact>) {
        let weakest =
            self.reported.iter().enumerate().rev().min_by(|(_, a), (_, b)| a.severity().total_cmp(&b.severity()));
        let Some(at) = weakest.map(|(i, _)| i) else { return };
        let row = self.reported.remove(at).ended(now, StressorEnding::Evicted, format!("{by} took its place"));
        facts.push(SufferingFact::Evicted { by: by.name().to_owned(), row });
    }

    fn close_what_holds(&mut self, seen: SufferingSeen<'_>, facts: &mut Vec<SufferingFact>) {
        // Taken apart only when there is something to close: most turns there is not.
        while let Some(at) = self.reported.iter().position(|r| r.condition.holds(seen.snapshot)) {
            let closed = self.reported.remove(at);
            let note = closed.condition.text().to_owned();
            let row = closed.ended(seen.now, StressorEnding::Eased, note);
            self.memory.learn(&row);
            facts.push(SufferingFact::Resolved(row));
        }
    }

    /// Break a crisis. The measured ledger is lightened only when it was in crisis by itself for as long: otherwise
    /// inventing stressors would buy relief.
    fn respite(&mut self, now: VirtualTime, facts: &mut Vec<SufferingFact>) {
        let before = self.load();
        let cycles = self.crisis.cycles();
        let note = || format!("crisis loop broken after {cycles} consecutive cycles");
        let dropped = self.reported.drain(..).map(|r| r.ended(now, StressorEnding::Respite, note())).collect();
        let mut lightened = Vec::new();
        if self.own_crisis.cycles() >= MOST_CRISIS_CYCLES {
            let share = RESPITE_LOAD / self.measured_sum().max(RESPITE_LOAD);
            for which in Canonical::ALL {
                let Some(from) = self.severity(which) else { continue };
                if let Some(m) = &mut self.measured[which as usize] {
                    m.course.scale(share, which.rate_per_day());
                }
                let to = self.severity(which).unwrap_or(from);
                lightened.push(Lightened { stressor: which.name().to_owned(), from, to });
            }
            self.own_crisis.look(self.measured_sum());
        }
        self.crisis = self.own_crisis;
        self.respites = self.respites.saturating_add(1);
        let (number, after) = (self.respites, self.load());
        facts.push(SufferingFact::Respite { number, before, after, lightened, dropped });
    }

    /// Report a change of band that was not reported yet, and a crisis with its message to peers.
    pub(super) fn tell(&mut self, facts: &mut Vec<SufferingFact>) {
        let (from, to) = (self.told, self.band());
        if from == to {
            return;
        }
        let (load, raw) = (self.load(), self.raw());
        facts.push(SufferingFact::Band { from, to, load, raw });
        if to == Band::Crisis {
            facts.push(SufferingFact::Crisis { load, raw, message: self.crisis_message() });
        }
        self.told = to;
    }
}

impl Reported {
    /// The row of one that has ended.
    pub(super) fn ended(self, ended: VirtualTime, ending: StressorEnding, note: String) -> Resolved {
        Resolved {
            severity: self.severity(),
            peak: self.peak(),
            stressor: self.name.into(),
            ledger: StressorLedger::Reported,
            domain: self.domain,
            onset: self.course.onset,
            ended,
            ending,
            note,
            description: self.description,
            elsewhere: None,
        }
    }
}
