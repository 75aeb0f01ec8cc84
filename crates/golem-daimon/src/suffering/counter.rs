//! The counters that the rules compare, and how each is read and said.

use super::recorded::{RecordedCounters, SufferingSeen};
use super::write::push_fixed;
use golem_mortality::BehavioralPhase;
use std::fmt::Write as _;

/// On which side of its bound a counter must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CounterSide {
    Below,
    AtMost,
    AtLeast,
    Above,
}

impl CounterSide {
    fn words(self) -> &'static str {
        ["below", "at or below", "at or above", "above"][self as usize]
    }
}

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    Completed,
    Failed,
    CompletedWithRule,
    /// Abandoned less completed.
    AbandonedLead,
    IdleRules,
    FailureRate,
    DaysSilent,
    Violations,
    DaysSinceViolation,
    RuleConfidence,
    Phase,
    ProjectedLife,
    Senescent,
    Episodes,
}

/// How a counter's number is written.
#[derive(Clone, Copy)]
enum Form {
    Plain(&'static str),
    Percent,
    Phase,
}

impl Counter {
    /// Its value; none when it is not known, and then no comparison with it holds.
    pub(super) fn read(self, seen: SufferingSeen<'_>) -> Option<f64> {
        let r: &RecordedCounters = seen.recorded;
        let days_since = |t| seen.now.since(t).as_days();
        let value = match self {
            Self::Completed => r.completed.into(),
            Self::Failed => r.failed.into(),
            Self::CompletedWithRule => r.completed_with_rule.into(),
            Self::AbandonedLead => f64::from(r.abandoned) - f64::from(r.completed),
            Self::IdleRules => r.idle_rules.into(),
            Self::FailureRate => r.failure_rate()?,
            // Where nobody can speak there is no silence.
            Self::DaysSilent => r.contact.map_or(0.0, days_since),
            Self::Violations => r.violations.into(),
            Self::DaysSinceViolation => r.last_violation.map_or(f64::INFINITY, days_since),
            Self::RuleConfidence => r.violated_confidence?,
            Self::Phase => f64::from(r.phase as u8),
            Self::ProjectedLife => r.projected_life_h.unwrap_or(f64::INFINITY),
            Self::Senescent => f64::from(u8::from(r.senescent)),
            Self::Episodes => r.episodes_since_completed as f64,
        };
        (!value.is_nan()).then_some(value)
    }

    fn label(self) -> (&'static str, Form) {
        match self {
            Self::Completed => ("completed goals", Form::Plain("")),
            Self::Failed => ("failed goals", Form::Plain("")),
            Self::CompletedWithRule => ("goals completed with a promoted rule", Form::Plain("")),
            Self::AbandonedLead => ("abandoned less completed goals", Form::Plain("")),
            Self::IdleRules => ("promoted rules that never fired", Form::Plain("")),
            Self::FailureRate => ("failure rate", Form::Percent),
            Self::DaysSilent => ("time without owner contact or sibling use", Form::Plain(" days")),
            Self::Violations => ("actions against an own rule in 7 days", Form::Plain("")),
            Self::DaysSinceViolation => ("time since the last action against an own rule", Form::Plain(" days")),
            Self::RuleConfidence => ("confidence of the violated rule", Form::Plain("")),
            Self::Phase => ("phase", Form::Phase),
            Self::ProjectedLife => ("projected life", Form::Plain(" h")),
            Self::Senescent => ("senescent", Form::Plain("")),
            Self::Episodes => ("episodes since a goal was reached", Form::Plain("")),
        }
    }
}

/// One comparison of a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct CounterTest {
    pub(super) counter: Counter,
    pub(super) side: CounterSide,
    pub(super) bound: f64,
}

impl CounterTest {
    pub(super) fn holds(&self, seen: SufferingSeen<'_>) -> bool {
        self.counter.read(seen).is_some_and(|now| match self.side {
            CounterSide::Below => now < self.bound,
            CounterSide::AtMost => now <= self.bound,
            CounterSide::AtLeast => now >= self.bound,
            CounterSide::Above => now > self.bound,
        })
    }
    /// "failure rate 46 %".
    pub(super) fn say_now(&self, seen: SufferingSeen<'_>, out: &mut String) {
        let now = self.counter.read(seen);
        if self.counter == Counter::Senescent {
            let is = if now == Some(1.0) { "forecasts have gone stale" } else { "forecasts hold" };
            let _done = write!(out, "{is}, fitness {:.3}", seen.recorded.fitness);
            if let Some(lead) = seen.recorded.lead {
                let _done = write!(out, " and {lead:+.3} against a newborn");
            }
            return;
        }
        out.push_str(self.counter.label().0);
        out.push(' ');
        self.number(now, out);
    }
    /// "below 30 %".
    pub(super) fn say_bound(&self, out: &mut String) {
        out.push_str(self.side.words());
        out.push(' ');
        self.number(Some(self.bound), out);
    }
    /// "failure rate below 30 % (now 46 %)".
    pub(super) fn say_wanted(&self, seen: SufferingSeen<'_>, out: &mut String) {
        if self.counter == Counter::Senescent {
            let RecordedCounters { fitness, recovers_above, lead, .. } = seen.recorded;
            let _done = write!(out, "forecasts good again: fitness above {recovers_above} (now {fitness:.3})");
            if let Some(lead) = lead {
                let _done = write!(out, " and better than a newborn (now {lead:+.3})");
            }
            return;
        }
        out.push_str(self.counter.label().0);
        out.push(' ');
        self.say_bound(out);
        out.push_str(" (now ");
        self.number(self.counter.read(seen), out);
        out.push(')');
    }

    fn number(&self, value: Option<f64>, out: &mut String) {
        let Some(x) = value else { return out.push_str("unknown") };
        let (scale, unit) = match self.counter.label().1 {
            Form::Plain(unit) => (1.0, unit),
            Form::Percent => (100.0, " %"),
            Form::Phase => {
                let phase = BehavioralPhase::ALL.into_iter().find(|p| f64::from(*p as u8) >= x);
                return out.push_str(phase.unwrap_or(BehavioralPhase::Thriving).name());
            }
        };
        if x.is_infinite() {
            return out.push_str("without end");
        }
        let (x, bound) = (x * scale, self.bound * scale);
        push_fixed(x, decimals(x, bound), out);
        out.push_str(unit);
    }
}

/// As few decimals as tell a number from its bound: 30.4 % is not to read as 30 %.
fn decimals(x: f64, bound: f64) -> usize {
    let whole = |x: f64| (x - libm::rint(x)).abs() < 1e-9;
    if whole(x) || (whole(bound) && (x - bound).abs() > 1.0) {
        0
    } else if (x * 10.0 - libm::rint(x * 10.0)).abs() < 1e-9 || (x - bound).abs() > 0.1 {
        1
    } else {
        2
    }
}
