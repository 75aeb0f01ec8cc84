//! Replies, read field by field: bounded, on one line, and only where they fit. What cannot be read costs itself alone.

use crate::imagine::catalogue::{ThreatCard, threat};
use crate::imagine::creative::CreativeMode;
use crate::imagine::hypothesis::{ImaginedHypothesis, MOST_TEXT};
use crate::imagine::params::ImaginationParams;
use crate::journal::DreamProvenance;
use crate::liminal::LucidVerdict;
use crate::liminal::fragment::cut;
use golem_core::observed::{Expression, Verdict};
use golem_core::words::one_line;
use golem_grimoire::{Claim, EpisodeId, RuleAction};
use serde_json::Value;

/// The most bytes of a reply that are looked at.
const MOST_BYTES: usize = 20_000;
/// Ticks after which a claim can be checked.
const LEAST_TICKS: u64 = 15;
const MOST_TICKS: u64 = 90;

/// What to do with an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriageSaid {
    Preserve,
    Abstract,
    Forget,
}

/// What a model made of a batch of episodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplaySaid {
    pub patterns: Vec<String>,
    pub triage: Vec<(EpisodeId, TriageSaid)>,
}

/// What a model made of counterfactuals.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterfactualSaid {
    pub episode: EpisodeId,
    pub lesson: String,
    /// Where it can be checked.
    pub hypothesis: Option<ImaginedHypothesis>,
}

/// What a model made up.
#[derive(Debug, Clone, PartialEq)]
pub struct CreativeSaid {
    pub hypothesis: ImaginedHypothesis,
    pub fails_when: String,
}

/// A guard that a model proposes: its condition holds early in the threat.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardSaid {
    pub threat: &'static ThreatCard,
    pub hypothesis: ImaginedHypothesis,
}

/// How new a model finds a fragment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObserverSaid {
    pub novelty: f64,
    pub keep: bool,
}

/// What a model says on waking: verdicts by the thought's number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReturnSaid {
    pub verdicts: Vec<(usize, LucidVerdict)>,
    pub line: String,
}

fn read(text: &str) -> Option<Value> {
    (text.len() <= MOST_BYTES).then(|| serde_json::from_str(text).ok())?
}

fn list<'a>(said: &'a Value, key: &str, most: usize) -> impl Iterator<Item = &'a Value> {
    said.get(key).and_then(Value::as_array).into_iter().flatten().take(most)
}

fn words(said: &Value, key: &str) -> Option<String> {
    let text = said.get(key).and_then(Value::as_str).map(|t| one_line(t, MOST_TEXT))?;
    (!text.is_empty()).then_some(text)
}

/// An episode that was shown, by its number.
fn episode(said: &Value, shown: &[EpisodeId]) -> Option<EpisodeId> {
    said.get("episode").and_then(Value::as_u64).map(EpisodeId).filter(|id| shown.contains(id))
}

/// Read what was made of a batch; `shown` are its episodes.
#[must_use]
pub fn read_replay(text: &str, shown: &[EpisodeId]) -> ReplaySaid {
    let Some(said) = read(text) else { return ReplaySaid::default() };
    let patterns = list(&said, "patterns", 5).filter_map(Value::as_str).map(|t| one_line(t, MOST_TEXT));
    let mut triage: Vec<(EpisodeId, TriageSaid)> = Vec::new();
    for one in list(&said, "triage", 20) {
        let verdict = match one.get("verdict").and_then(Value::as_str) {
            Some("preserve") => TriageSaid::Preserve,
            Some("abstract") => TriageSaid::Abstract,
            Some("forget") => TriageSaid::Forget,
            _ => continue,
        };
        if let Some(id) = episode(one, shown).filter(|id| !triage.iter().any(|(known, _)| known == id)) {
            triage.push((id, verdict));
        }
    }
    ReplaySaid { patterns: patterns.filter(|p| !p.is_empty()).collect(), triage }
}

/// Read what was made of counterfactuals; `shown` are the episodes that were.
#[must_use]
pub fn read_counterfactual(text: &str, shown: &[EpisodeId], params: &ImaginationParams) -> Vec<CounterfactualSaid> {
    let Some(said) = read(text) else { return Vec::new() };
    let lesson = |one: &Value| {
        let (episode, lesson) = (episode(one, shown)?, words(one, "lesson")?);
        let claim = words(one, "when").zip(words(one, "then")).map(|(when, then)| Claim {
            when,
            then,
            unless: None,
            after_ticks: MOST_TICKS as u32,
        });
        let made = |claim| {
            let confidence = params.hypothesis_confidence;
            ImaginedHypothesis::new(&lesson, DreamProvenance::Counterfactual, claim, confidence)
        };
        let hypothesis = claim.and_then(made).map(|h| h.seeded([episode]));
        Some(CounterfactualSaid { episode, lesson, hypothesis })
    };
    list(&said, "lessons", 4).filter_map(lesson).collect()
}

/// Read what was made up. An idea that reality has no say in is none.
#[must_use]
pub fn read_creative(text: &str, mode: CreativeMode, params: &ImaginationParams) -> Vec<CreativeSaid> {
    let Some(said) = read(text) else { return Vec::new() };
    let confidence = match mode {
        CreativeMode::Transformational => params.transformational_confidence,
        CreativeMode::Combinational | CreativeMode::Exploratory => params.hypothesis_confidence,
    };
    let idea = |one: &Value| {
        let ticks = one.get("after_ticks").and_then(Value::as_u64)?.clamp(LEAST_TICKS, MOST_TICKS);
        let claim = Claim {
            when: words(one, "when")?,
            then: words(one, "then")?,
            unless: None,
            after_ticks: u32::try_from(ticks).ok()?,
        };
        let hypothesis = ImaginedHypothesis::new(&words(one, "text")?, DreamProvenance::Creative, claim, confidence)?;
        Some(CreativeSaid { hypothesis, fails_when: words(one, "fails_when").unwrap_or_default() })
    };
    list(&said, "ideas", 3).filter_map(idea).collect()
}

/// Read guards. A condition that does not hold early in its threat, or holds while nothing is the matter, guards
/// nothing.
#[must_use]
pub fn read_threats(text: &str, params: &ImaginationParams) -> Vec<GuardSaid> {
    let Some(said) = read(text) else { return Vec::new() };
    let guard = |one: &Value| {
        let card = threat(one.get("threat").and_then(Value::as_str)?)?;
        let when = words(one, "when")?;
        let condition = Expression::compile(&when).ok()?;
        let speaks_early = condition.evaluate(&card.early()) == Verdict::Holds;
        if !speaks_early || condition.evaluate(&ThreatCard::calm()) == Verdict::Holds {
            return None;
        }
        let claim = Claim { when, then: card.then.to_owned(), unless: None, after_ticks: MOST_TICKS as u32 };
        let confidence = params.guard_confidence;
        let made = ImaginedHypothesis::new(&words(one, "text")?, DreamProvenance::Threat, claim, confidence)?;
        Some(GuardSaid { threat: card, hypothesis: made.doing(Some(RuleAction::StandAside)) })
    };
    list(&said, "guards", 3).filter_map(guard).collect()
}

/// Read a half-finished thought: whatever was said, up to where it is cut off.
#[must_use]
pub fn read_onset(text: &str, most_tokens: u32) -> Option<String> {
    let begun: String = text.chars().take(MOST_BYTES).collect();
    let thought = cut(&begun, most_tokens);
    (!thought.is_empty()).then_some(thought)
}

/// Read what the observer says; none where there is no number in it.
#[must_use]
pub fn read_observer(text: &str) -> Option<ObserverSaid> {
    let said = read(text)?;
    let novelty = said.get("novelty").and_then(Value::as_f64).filter(|n| (0.0..=1.0).contains(n))?;
    Some(ObserverSaid { novelty, keep: said.get("keep").and_then(Value::as_bool).unwrap_or(false) })
}

/// Read what is said on waking, about so many thoughts. The first verdict on a thought counts.
#[must_use]
pub fn read_return(text: &str, thoughts: usize) -> ReturnSaid {
    let Some(said) = read(text) else { return ReturnSaid::default() };
    let mut verdicts: Vec<(usize, LucidVerdict)> = Vec::new();
    for one in list(&said, "verdicts", 16) {
        let number = one.get("thought").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let verdict = one.get("verdict").cloned().and_then(|v| serde_json::from_value::<LucidVerdict>(v).ok());
        if let (Some(number), Some(verdict)) = (number.filter(|n| *n < thoughts), verdict)
            && !verdicts.iter().any(|(known, _)| *known == number)
        {
            verdicts.push((number, verdict));
        }
    }
    ReturnSaid { verdicts, line: words(&said, "line").unwrap_or_default() }
}
