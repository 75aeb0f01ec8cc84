//! What is odd about a playbook: rules that cannot fire, contradict each other, repeat each other, or name what is not
//! there.

use super::parse::unknown_parameter;
use super::reason::Region;
use super::{KeptSection, Playbook, PlaybookSection, Rule, RuleId};
use crate::entry::RuleAction;
use crate::family::ClaimFamily;
use std::fmt;

/// Something odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookFinding {
    /// The rule; none for a section that is out of force.
    pub rule: Option<RuleId>,
    /// The heading.
    pub title: String,
    /// What kind of oddity.
    pub kind: FindingKind,
    /// In words.
    pub what: String,
}

/// Kinds of oddities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A section looks like a rule and cannot be read.
    OutOfForce,
    /// A parameter that no template in use has.
    UnknownParameter,
    /// The condition can never hold.
    Dead,
    /// Says what another rule says.
    Duplicate,
    /// Wants the opposite of another rule where both apply.
    Contradiction,
    /// Changes nothing when it fires.
    Idle,
}

impl fmt::Display for PlaybookFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.rule.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
        write!(f, "{}{id}: {}", self.title, self.what)
    }
}

/// Everything odd, in the order of the file. `parameters` are the keys that rules may scale; an empty list checks none.
#[must_use]
pub fn lint(playbook: &Playbook, parameters: &[&str]) -> Vec<PlaybookFinding> {
    let mut found = Vec::new();
    let rules: Vec<(&Rule, Region)> = playbook.rules().map(|r| (r, Region::of(&r.words().when))).collect();
    for section in playbook.sections() {
        match section {
            PlaybookSection::Kept(KeptSection { text, problem: Some(why) }) => {
                let title = text.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_owned();
                found.push(PlaybookFinding { rule: None, title, kind: FindingKind::OutOfForce, what: why.clone() });
            }
            PlaybookSection::Kept(_) => (),
            PlaybookSection::Rule(rule) => {
                let mut add = |kind, what: String| {
                    let title = rule.words().title.clone();
                    found.push(PlaybookFinding { rule: Some(rule.id().clone()), title, kind, what });
                };
                alone(rule, parameters, &mut add);
                // Each pair once, told at the later rule.
                let before = rules.iter().take_while(|(r, _)| r.id() != rule.id());
                let own = Region::of(&rule.words().when);
                before.for_each(|(other, region)| together(other, region, rule, &own, &mut add));
            }
        }
    }
    found
}

fn alone(rule: &Rule, parameters: &[&str], add: &mut dyn FnMut(FindingKind, String)) {
    if let RuleAction::Scale { parameter, .. } = &rule.words().action
        && !parameters.is_empty()
        && !parameters.contains(&parameter.as_str())
    {
        add(FindingKind::UnknownParameter, unknown_parameter(0, parameter, parameters).say());
    }
    if let Some(field) = Region::of(&rule.words().when).impossible() {
        add(FindingKind::Dead, format!("it can never fire: {field} would need a value that it cannot have"));
    }
    let idle = match rule.words().action {
        RuleAction::Scale { factor, .. } | RuleAction::Risk { factor } => (factor - 1.0).abs() < 1e-9,
        RuleAction::StandAside => false,
    };
    if idle {
        add(FindingKind::Idle, "it changes nothing: a factor of 1 is none".to_owned());
    }
}

fn together(a: &Rule, in_a: &Region, b: &Rule, in_b: &Region, add: &mut dyn FnMut(FindingKind, String)) {
    let (first, second) = (&a.words().action, &b.words().action);
    let title = &a.words().title;
    if a.words().when == b.words().when && first == second {
        return add(FindingKind::Duplicate, format!("it says the same as {title:?}"));
    }
    let family = |r: &Rule| ClaimFamily::of_rule(r.words().when.source(), &r.words().action);
    if !a.is_owners() && !b.is_owners() && family(a) == family(b) {
        return add(FindingKind::Duplicate, format!("it differs from {title:?} in a bound or a factor only"));
    }
    let opposite = match (first, second) {
        (RuleAction::Scale { parameter: p, factor: x }, RuleAction::Scale { parameter: q, factor: y }) => {
            p == q && (x - 1.0) * (y - 1.0) < 0.0
        }
        (RuleAction::Risk { factor: x }, RuleAction::Risk { factor: y }) => (x - 1.0) * (y - 1.0) < 0.0,
        (RuleAction::Risk { factor }, RuleAction::StandAside)
        | (RuleAction::StandAside, RuleAction::Risk { factor }) => *factor > 1.0,
        _ => false,
    };
    if opposite && in_a.meets(in_b) && in_a.impossible().or(in_b.impossible()).is_none() {
        add(FindingKind::Contradiction, format!("it wants the opposite of {title:?} where both apply"));
    }
}
