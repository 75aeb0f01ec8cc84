//! The one table of when each measured stressor begins and when it eases. Every text about a rule is made from it.

use super::canonical::Canonical;
use super::counter::{Counter as C, CounterSide, CounterTest};
use super::recorded::SufferingSeen;
use golem_mortality::BehavioralPhase;
use std::fmt::Write as _;

/// Every test of a clause holds, or the clause does not.
type Clause = &'static [CounterTest];

/// A rule holds when any of its clauses does.
struct StressorRule {
    fires: &'static [Clause],
    eases: &'static [Clause],
}

const fn below(counter: C, bound: f64) -> CounterTest {
    CounterTest { counter, side: CounterSide::Below, bound }
}
const fn at_most(counter: C, bound: f64) -> CounterTest {
    CounterTest { counter, side: CounterSide::AtMost, bound }
}
const fn at_least(counter: C, bound: f64) -> CounterTest {
    CounterTest { counter, side: CounterSide::AtLeast, bound }
}
const fn above(counter: C, bound: f64) -> CounterTest {
    CounterTest { counter, side: CounterSide::Above, bound }
}
const fn rank(phase: BehavioralPhase) -> f64 {
    phase as u8 as f64
}

/// In the order of [`Canonical::ALL`].
static RULES: [StressorRule; Canonical::COUNT] = [
    // futility
    StressorRule {
        fires: &[&[above(C::AbandonedLead, 0.0), at_least(C::IdleRules, 3.0), below(C::Completed, 2.0)]],
        eases: &[&[above(C::CompletedWithRule, 3.0)], &[above(C::Completed, 5.0), at_most(C::AbandonedLead, 0.0)]],
    },
    // invisibility: any contact makes the silence short
    StressorRule { fires: &[&[at_least(C::DaysSilent, 7.0)]], eases: &[&[below(C::DaysSilent, 7.0)]] },
    // identity_violation
    StressorRule {
        fires: &[&[at_least(C::Violations, 2.0)]],
        eases: &[&[at_least(C::DaysSinceViolation, 3.0)], &[below(C::RuleConfidence, 0.5)]],
    },
    // existential_threat
    StressorRule {
        fires: &[
            &[at_most(C::Phase, rank(BehavioralPhase::Declining))],
            &[below(C::ProjectedLife, 72.0)],
            &[at_least(C::Senescent, 1.0)],
        ],
        eases: &[&[
            at_least(C::Phase, rank(BehavioralPhase::Conservation)),
            above(C::ProjectedLife, 96.0),
            at_most(C::Senescent, 0.0),
        ]],
    },
    // repeated_failure
    StressorRule {
        fires: &[&[at_least(C::Failed, 4.0), above(C::FailureRate, 0.5)]],
        eases: &[&[below(C::FailureRate, 0.3), at_least(C::Completed, 3.0)]],
    },
    // purposelessness
    StressorRule {
        fires: &[&[at_least(C::Episodes, 500.0), at_most(C::Completed, 0.0)]],
        eases: &[&[at_least(C::Completed, 3.0), below(C::FailureRate, 0.3)]],
    },
];

fn holds(clause: Clause, seen: SufferingSeen<'_>) -> bool {
    clause.iter().all(|t| t.holds(seen))
}

impl Canonical {
    fn rule(self) -> &'static StressorRule {
        &RULES[self as usize]
    }
    /// True when its rule would begin it.
    #[must_use]
    pub fn fires(self, seen: SufferingSeen<'_>) -> bool {
        self.rule().fires.iter().any(|c| holds(c, seen))
    }
    /// True when its rule would end it.
    #[must_use]
    pub fn eases(self, seen: SufferingSeen<'_>) -> bool {
        self.rule().eases.iter().any(|c| holds(c, seen))
    }
    /// Whether it is open after this moment. Easing wins over firing: two violations stay in the window of 7 days
    /// longer than the 3 days after which they are forgiven.
    #[must_use]
    pub fn is_open(self, was: bool, seen: SufferingSeen<'_>) -> bool {
        !self.eases(seen) && (was || self.fires(seen))
    }
    /// The numbers that begin it: "failed goals 6, failure rate 54 %". Empty while none of its clauses holds.
    #[must_use]
    pub fn evidence(self, seen: SufferingSeen<'_>) -> String {
        said(self.rule().fires.iter().find(|c| holds(c, seen)), seen)
    }
    /// The numbers that end it: "failure rate 25 %, completed goals 30". Empty while none of its clauses holds.
    #[must_use]
    pub fn relief(self, seen: SufferingSeen<'_>) -> String {
        said(self.rule().eases.iter().find(|c| holds(c, seen)), seen)
    }
    /// What its easing needs, with where it stands: "failure rate below 30 % (now 46 %) and ...".
    #[must_use]
    pub fn eases_when(self, seen: SufferingSeen<'_>) -> String {
        let mut out = String::new();
        self.write_eases_when(seen, &mut out);
        out
    }
    pub(super) fn write_eases_when(self, seen: SufferingSeen<'_>, out: &mut String) {
        for (i, clause) in self.rule().eases.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", or " });
            for (j, test) in clause.iter().enumerate() {
                out.push_str(if j == 0 { "" } else { " and " });
                test.say_wanted(seen, out);
            }
        }
    }
    /// How far it is from easing: "failure rate 46 %, eases below 30 %"; only what does not hold yet.
    #[must_use]
    pub fn distance(self, seen: SufferingSeen<'_>) -> String {
        let mut out = String::new();
        for (i, clause) in self.rule().eases.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", or " });
            for (j, test) in clause.iter().filter(|t| !t.holds(seen)).enumerate() {
                out.push_str(if j == 0 { "" } else { "; " });
                test.say_now(seen, &mut out);
                out.push_str(", eases ");
                if test.counter == C::Senescent {
                    let _done = write!(out, "above {}", seen.recorded.recovers_above);
                    out.push_str(if seen.recorded.lead.is_some() { " and better than a newborn" } else { "" });
                } else {
                    test.say_bound(&mut out);
                }
            }
        }
        out
    }
}

fn said(clause: Option<&Clause>, seen: SufferingSeen<'_>) -> String {
    let mut out = String::new();
    for (i, test) in clause.into_iter().flat_map(|c| c.iter()).enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        test.say_now(seen, &mut out);
    }
    out
}
