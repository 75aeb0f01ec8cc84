//! Rules that a golem is born with: what several generations have each proven, written into the settings of the next as a line,
//! `when market.gas_ratio > 2.0: risk 0.5`. Like every rule that is not its owner's, none of them raises risk.

use super::rule::{Rule, RuleId, RuleWords};
use super::spell;
use crate::entry::{Provenance, RuleAction};
use golem_core::VirtualTime;
use golem_core::observed::Expression;

/// Rules that a golem is born with at most.
pub const MOST_INNATE: usize = 16;
/// How sure a newborn is of them, in basis points: what a line must have proven them by.
const INNATE_BP: u16 = 7_000;

/// The line of a rule.
#[must_use]
pub fn innate_line(when: &str, action: &RuleAction) -> String {
    format!("when {when}: {}", spell::action(action))
}

/// The rule of a line.
///
/// # Errors
/// With what is wrong with it, in words.
pub fn read_innate(line: &str) -> Result<Rule, String> {
    let form = || format!("{line:?} is no rule; write it like `when market.gas_ratio > 2.0: risk 0.5`");
    let (when, does) = line.strip_prefix("when ").and_then(|rest| rest.rsplit_once(": ")).ok_or_else(form)?;
    let (when, action) = Expression::compile(when).ok().zip(spell::read_action(does)).ok_or_else(form)?;
    let wider = |parameter: &str| parameter.rsplit('.').next() == Some("range_sigmas");
    if matches!(&action, RuleAction::Scale { parameter, factor } if *factor > 1.0 && !wider(parameter)) {
        return Err(format!("{line:?} would raise risk, and only an owner's rule in the playbook may"));
    }
    let said = blake3::hash(innate_line(when.source(), &action).as_bytes()).to_hex();
    let id: RuleId = format!("innate-{}", &said[..12]).parse().map_err(|_| form())?;
    let words = RuleWords {
        id,
        title: format!("Born with: {}", spell::action(&action)),
        because: "It was proven in the lives of three generations before this one.".to_owned(),
        when,
        action,
        confidence_bp: INNATE_BP,
        validated: 0,
        contradicted: 0,
        episodes: 0,
        source: Provenance::Testament,
        since: VirtualTime(0),
        note: String::new(),
    };
    Rule::new(words).map_err(|e| e.to_string())
}
