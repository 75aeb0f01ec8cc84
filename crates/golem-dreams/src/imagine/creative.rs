//! Creative work in three modes: new combinations of what is known, a parameter at its edge, an assumption turned
//! round.
//!
//! Without a model these are rules over claims and runs on copies; with one, [`crate::ask`] puts the same seeds into
//! words.

mod element;

pub use element::CreativeElement;

use super::hypothesis::{ImaginedHypothesis, in_weather};
use super::params::ImaginationParams;
use crate::journal::DreamProvenance;
use golem_core::{Dice, Intent};
use golem_grimoire::{Claim, Episode, Marks};
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// Draws for one combination before giving up.
const MOST_DRAWS: u32 = 8;
/// A return this many usual deviations away is part of a situation.
const TELLING: f32 = 1.0;
/// The axis of the return over 15 ticks.
const RETURN_15: usize = 4;

/// Boden's three ways of being creative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreativeMode {
    /// The condition of one thing with the action of another.
    Combinational,
    /// A parameter at the end of its range.
    Exploratory,
    /// What is taken for granted, turned round.
    Transformational,
}

impl CreativeMode {
    /// The modes of a phase, the preferred one first. The dying make nothing up.
    #[must_use]
    pub fn of(phase: BehavioralPhase) -> &'static [Self] {
        match phase {
            BehavioralPhase::Thriving => &[Self::Transformational, Self::Exploratory],
            BehavioralPhase::Stable => &[Self::Exploratory, Self::Combinational],
            BehavioralPhase::Conservation => &[Self::Combinational, Self::Exploratory],
            BehavioralPhase::Declining => &[Self::Combinational],
            BehavioralPhase::Terminal => &[],
        }
    }
    /// The modes of a cycle's sessions: a phase's own, in turn.
    #[must_use]
    pub fn sessions(phase: BehavioralPhase, sessions: u32) -> Vec<Self> {
        Self::of(phase).iter().copied().cycle().take(sessions as usize).collect()
    }
}

/// How freely a model is to speak: creative work is warm, analysis is cool, whatever the owner's wish in between.
#[must_use]
pub fn temperature(is_creative: bool, wished: f64) -> f32 {
    let (low, high) = if is_creative { (0.8, 1.0) } else { (0.3, 0.5) };
    if wished.is_nan() { low as f32 } else { wished.clamp(low, high) as f32 }
}

/// Take the condition of one element and the consequence of another, by dice. Draws are `n` and those after it, sixteen
/// at most.
#[must_use]
pub fn combine(
    elements: &[CreativeElement],
    dice: &Dice,
    tick: u64,
    n: u32,
    params: &ImaginationParams,
) -> Option<ImaginedHypothesis> {
    let whens: Vec<&CreativeElement> = elements.iter().filter(|e| e.when.is_some()).collect();
    let thens: Vec<&CreativeElement> = elements.iter().filter(|e| e.then.is_some()).collect();
    let pick = |len: usize, n: u32| ((dice.uniform(tick, n) * len as f64) as usize).min(len.saturating_sub(1));
    (0..MOST_DRAWS).find_map(|draw| {
        let n = n.wrapping_add(2 * draw);
        let (one, other) = (whens.get(pick(whens.len(), n))?, thens.get(pick(thens.len(), n.wrapping_add(1)))?);
        let (when, (then, after_ticks)) = (one.when.as_ref()?, other.then.as_ref()?);
        if other.when.as_ref() == Some(when) {
            return None;
        }
        let claim = Claim { when: when.clone(), then: then.clone(), unless: None, after_ticks: *after_ticks };
        let text = format!("When {when}, as in \"{}\", then {then}, as in \"{}\".", one.text, other.text);
        let made = ImaginedHypothesis::new(&text, DreamProvenance::Creative, claim, params.hypothesis_confidence)?;
        Some(made.doing(other.action.clone()).seeded(one.episodes.iter().chain(&other.episodes).copied()))
    })
}

/// Turn an assumption round: the same condition, and the opposite of what is believed to follow. It begins at almost no
/// confidence, and does nothing until it has come true.
#[must_use]
pub fn transform(element: &CreativeElement, params: &ImaginationParams) -> Option<ImaginedHypothesis> {
    let (when, (then, after_ticks)) = (element.when.as_ref()?, element.then.as_ref()?);
    let claim = Claim { when: when.clone(), then: format!("!({then})"), unless: None, after_ticks: *after_ticks };
    let text = format!("What if it is the other way round: when {when}, not {then}?");
    let made = ImaginedHypothesis::new(&text, DreamProvenance::Creative, claim, params.transformational_confidence)?;
    Some(made.seeded(element.episodes.iter().copied()))
}

/// Hindsight: a deed that failed at what it was for did show what the moment was good for. Taking on exposure and
/// losing by it says that a fall was coming; giving it up and regretting it, a rise.
#[must_use]
pub fn relabel(episode: &Episode, marks: &Marks, params: &ImaginationParams) -> Option<ImaginedHypothesis> {
    let deed = episode.deed.as_ref()?;
    let bps = marks.outcome_bps.filter(|bps| *bps <= -(params.least_better_bps as f32))?;
    let then = match deed.intent {
        Intent::Buy { .. } | Intent::Add { .. } => "market.return_90 < 0.0",
        Intent::Sell { .. } | Intent::Remove { .. } => "market.return_90 > 0.0",
        Intent::Hold | Intent::Collect | Intent::Rebalance { .. } => return None,
        Intent::Home { .. } | Intent::Unwrap { .. } => return None,
    };
    let mut when = in_weather(episode.regime)?;
    match episode.situation.0[RETURN_15] {
        x if x >= TELLING => when.push_str(" && market.return_15 > 0.0"),
        x if x <= -TELLING => when.push_str(" && market.return_15 < 0.0"),
        _ => {}
    }
    let text = format!(
        "To {} lost {:.0} basis points; for one who expected the opposite it was the moment: when {when}, then {then}.",
        deed.intent.name(),
        -bps
    );
    let claim = Claim { when, then: then.to_owned(), unless: None, after_ticks: 90 };
    let made = ImaginedHypothesis::new(&text, DreamProvenance::Creative, claim, params.hypothesis_confidence)?;
    Some(made.seeded([episode.id]).within(episode.regime))
}

/// Leave out what means the same as a hypothesis that exists, and what says the same as an earlier one of this batch.
/// `similar` is how alike a text is to the likest hypothesis there is.
pub fn fresh(
    made: Vec<ImaginedHypothesis>,
    params: &ImaginationParams,
    similar: impl Fn(&str) -> f32,
) -> Vec<ImaginedHypothesis> {
    let mut kept: Vec<ImaginedHypothesis> = Vec::new();
    for one in made {
        let is_twin = kept.iter().any(|k| k.claim == one.claim && k.action == one.action);
        let is_known = similar(&one.said.text) > params.same_above;
        if !is_twin && !is_known {
            kept.push(one);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
