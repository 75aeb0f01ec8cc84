//! The state: two ledgers, a load, a band. It is saved with the golem, and nothing the agent says can write to it past
//! the doors in `turn.rs` and `assess.rs`.

use super::canonical::Canonical;
use super::course::Course;
use super::crisis::{EXISTENCE_CYCLE, Latch};
use super::domain::ActivityDomain;
use super::history::StressorLedger;
use super::memory::EndedMemory;
use super::reported::Reported;
use crate::band::Band;
use golem_core::{Elapsed, Unit, VirtualTime};
use serde::{Deserialize, Serialize};

/// The most that reported stressors add to the load, all together.
pub const MOST_REPORTED_LOAD: f64 = 0.35;
/// The most reported stressors at a time.
pub const MOST_REPORTED: usize = 2;
/// The most new reported stressors in an existence cycle.
pub const MOST_NEW_PER_CYCLE: u32 = 2;
/// The seed's limit of active stressors. It binds reported ones only.
pub const MOST_ACTIVE: usize = 5;

/// A measured stressor that is open.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) domain: Option<ActivityDomain>,
    pub(super) course: Course,
}

/// What a golem suffers from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Suffering {
    pub(super) measured: [Option<Measured>; Canonical::COUNT],
    pub(super) reported: Vec<Reported>,
    /// The last moment that was lived through.
    at: VirtualTime,
    /// Time lived in this existence cycle, and what was newly reported in it.
    in_cycle: Elapsed,
    pub(super) new_in_cycle: u32,
    pub(super) crisis: Latch,
    /// The crisis of the measured ledger alone: only this one lightens it, so that no report can bring that forward.
    pub(super) own_crisis: Latch,
    pub(super) respites: u64,
    /// The band that was last reported as a fact.
    pub(super) told: Band,
    pub(super) memory: EndedMemory,
}

/// An open stressor, to look at.
#[derive(Debug, Clone, Copy)]
pub struct OpenStressor<'a> {
    /// Its name.
    pub name: &'a str,
    /// Which one, of a measured one.
    pub canonical: Option<Canonical>,
    /// How bad it is.
    pub severity: f64,
    /// How bad it has been.
    pub peak: f64,
    /// When it began.
    pub onset: VirtualTime,
    /// Where.
    pub domain: Option<ActivityDomain>,
    pub(super) reported: Option<&'a Reported>,
}

impl OpenStressor<'_> {
    /// Whose it is.
    #[must_use]
    pub fn ledger(&self) -> StressorLedger {
        if self.canonical.is_some() { StressorLedger::Measured } else { StressorLedger::Reported }
    }
}

impl Suffering {
    /// Live up to a moment: everything open grows. A clock set back counts as no time, and time goes on from there.
    pub fn escalate(&mut self, now: VirtualTime) {
        let lived = now.since(self.at);
        self.at = now;
        for course in self.measured.iter_mut().flatten().map(|m| &mut m.course) {
            course.grow(lived);
        }
        for course in self.reported.iter_mut().map(|r| &mut r.course) {
            course.grow(lived);
        }
        self.crisis.live(lived);
        self.own_crisis.live(lived);
        let in_cycle = self.in_cycle.plus(lived);
        if in_cycle >= EXISTENCE_CYCLE {
            self.new_in_cycle = 0;
        }
        self.in_cycle = Elapsed(in_cycle.0 % EXISTENCE_CYCLE.0);
        self.crisis.look(self.load());
    }

    /// The last moment that was lived through.
    #[must_use]
    pub fn at(&self) -> VirtualTime {
        self.at
    }
    /// What is open: the measured ones in the order of the seed, then the reported ones, the oldest first.
    pub fn open(&self) -> impl Iterator<Item = OpenStressor<'_>> {
        let measured = Canonical::ALL.into_iter().zip(&self.measured).filter_map(|(c, m)| {
            let Measured { domain, course } = m.as_ref()?;
            let rate = c.rate_per_day();
            Some(OpenStressor {
                name: c.name(),
                canonical: Some(c),
                severity: course.severity(rate),
                peak: course.peak(rate),
                onset: course.onset,
                domain: *domain,
                reported: None,
            })
        });
        measured.chain(self.reported.iter().map(|r| OpenStressor {
            name: r.name.as_str(),
            canonical: None,
            severity: r.severity(),
            peak: r.peak(),
            onset: r.course.onset,
            domain: r.domain,
            reported: Some(r),
        }))
    }
    /// How bad a measured one is; none while it is not open.
    #[must_use]
    pub fn severity(&self, which: Canonical) -> Option<f64> {
        self.measured[which as usize].map(|m| m.course.severity(which.rate_per_day()))
    }
    /// How many are open.
    #[must_use]
    pub fn active(&self) -> usize {
        self.measured.iter().flatten().count() + self.reported.len()
    }
    /// The sum of the measured severities.
    pub(super) fn measured_sum(&self) -> f64 {
        Canonical::ALL.into_iter().filter_map(|c| self.severity(c)).sum()
    }
    fn reported_sum(&self) -> f64 {
        self.reported.iter().map(Reported::severity).sum()
    }
    /// The plain sum of all severities, without any cap.
    #[must_use]
    pub fn raw(&self) -> f64 {
        // An empty sum is minus zero.
        self.measured_sum() + self.reported_sum() + 0.0
    }
    /// The load, in [0, 1]: what the bands are cut from. Reported ones add at most 0.35.
    #[must_use]
    pub fn load(&self) -> f64 {
        Unit::clamped(self.measured_sum() + self.reported_sum().min(MOST_REPORTED_LOAD)).get()
    }
    /// The band, with the memory of a crisis.
    #[must_use]
    pub fn band(&self) -> Band {
        if self.crisis.on { Band::Crisis } else { Band::of(self.load()).min(Band::Severe) }
    }
    /// Whole existence cycles that the present crisis has lasted.
    #[must_use]
    pub fn crisis_cycles(&self) -> u64 {
        self.crisis.cycles()
    }
    /// How often a crisis had to be broken.
    #[must_use]
    pub fn respites(&self) -> u64 {
        self.respites
    }
}
