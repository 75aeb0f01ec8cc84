//! What counterfactuals have shown so far, and what follows when many of one kind agree.

use super::alternative::Alternative;
use super::hypothesis::{ImaginedHypothesis, in_weather, is_width};
use super::params::ImaginationParams;
use super::score::MeanOf;
use crate::journal::DreamProvenance;
use golem_core::{Elapsed, Regime, VirtualTime};
use golem_grimoire::{Claim, EpisodeId, RuleAction};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Findings that are kept; the oldest go first.
pub const MOST_FINDINGS: usize = 512;
/// Ticks after which the claim of a hypothesis is checked: the horizon of its fields.
const CLAIM_TICKS: u32 = 90;

/// What an alternative would have brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegretFinding {
    pub episode: EpisodeId,
    /// When it was decided.
    pub age: VirtualTime,
    /// The kind of action, by the intent's word.
    pub action: String,
    pub regime: Regime,
    pub alternative: Alternative,
    /// More than what was done, in basis points of wealth.
    pub better_bps: f64,
}

/// Findings of the same action, in the same weather, about the same alternative.
type RegretKind = (String, Regime, Alternative);

/// All findings that are remembered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RegretBook {
    findings: VecDeque<RegretFinding>,
    /// What was tried and said nothing: it is not tried again.
    silent: VecDeque<(EpisodeId, Alternative)>,
    /// Hypotheses that were made, as the words of their kind, and on how many findings.
    said: BTreeMap<String, u32>,
}

impl RegretBook {
    /// True when this alternative of this episode was run already.
    #[must_use]
    pub fn has(&self, episode: EpisodeId, alternative: Alternative) -> bool {
        self.findings.iter().any(|f| f.episode == episode && f.alternative == alternative)
            || self.silent.contains(&(episode, alternative))
    }
    /// It was tried, whatever came of it.
    pub fn tried(&mut self, episode: EpisodeId, alternative: Alternative) {
        if !self.has(episode, alternative) {
            self.silent.push_back((episode, alternative));
            if self.silent.len() > MOST_FINDINGS {
                self.silent.pop_front();
            }
        }
    }
    /// Keep findings. Numbers that are none are not kept.
    pub fn learn(&mut self, findings: impl IntoIterator<Item = RegretFinding>) {
        for finding in findings.into_iter().filter(|f| f.better_bps.is_finite()) {
            if self.has(finding.episode, finding.alternative) {
                continue;
            }
            self.findings.push_back(finding);
            if self.findings.len() > MOST_FINDINGS {
                self.findings.pop_front();
            }
        }
    }
    #[must_use]
    pub fn len(&self) -> usize {
        self.findings.len()
    }
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Hypotheses that the findings carry by now: at least three independent ones of a kind, whose mean is worth
    /// something and beats zero by Student's test at 5 %. Each is said once, and again when twice as much speaks for
    /// it. `parameters` are the keys of the golem's template.
    pub fn hypotheses(&mut self, params: &ImaginationParams, parameters: &[&str]) -> Vec<ImaginedHypothesis> {
        let mut kinds: BTreeMap<RegretKind, Vec<&RegretFinding>> = BTreeMap::new();
        for finding in &self.findings {
            let kind = (finding.action.clone(), finding.regime, finding.alternative);
            kinds.entry(kind).or_default().push(finding);
        }
        let mut all = Vec::new();
        for (kind, findings) in kinds {
            let apart = independent(findings, params.independent_ticks);
            let gains: Vec<f64> = apart.iter().map(|f| f.better_bps).collect();
            let Some(mean) = MeanOf::these(&gains) else { continue };
            let enough = mean.n >= params.least_findings && mean.mean >= params.least_better_bps && mean.beats_zero();
            let name = format!("{} {} {:?}", kind.0, kind.1, kind.2);
            if !enough || self.said.get(&name).is_some_and(|n| mean.n < n.saturating_mul(2)) {
                continue;
            }
            let Some(hypothesis) = hypothesis(&kind, mean, params, parameters) else { continue };
            self.said.insert(name, mean.n);
            all.push(hypothesis.seeded(apart.iter().rev().map(|f| f.episode)));
        }
        all
    }
}

/// In their order, leaving out what lies too close to the one before: the same hour twice is one hour.
fn independent(mut findings: Vec<&RegretFinding>, ticks: u32) -> Vec<&RegretFinding> {
    findings.sort_by_key(|f| (f.age, f.episode));
    let mut apart: Vec<&RegretFinding> = Vec::new();
    for finding in findings {
        let far = |last: &&RegretFinding| finding.age.since(last.age) >= Elapsed::nominal(u64::from(ticks));
        if apart.last().is_none_or(far) {
            apart.push(finding);
        }
    }
    apart
}

fn hypothesis(
    (action, regime, alternative): &RegretKind,
    mean: MeanOf,
    params: &ImaginationParams,
    parameters: &[&str],
) -> Option<ImaginedHypothesis> {
    let then = follows(action, *alternative)?;
    let claim = Claim { when: in_weather(*regime)?, then: then.to_owned(), unless: None, after_ticks: CLAIM_TICKS };
    let text = format!(
        "To {action} in {regime} weather would have been better {alternative}: {:.1} basis points in the mean of {} \
         runs, give or take {:.1}.",
        mean.mean, mean.n, mean.error
    );
    let hypothesis =
        ImaginedHypothesis::new(&text, DreamProvenance::Counterfactual, claim, params.hypothesis_confidence)?;
    let doing = answer(action, *alternative, parameters);
    Some(hypothesis.doing(doing).executed(mean.mean, mean.n).within(*regime))
}

/// Whether a deed takes on exposure, gives it up, or neither.
fn takes_on(action: &str) -> Option<bool> {
    match action {
        "buy" | "add" => Some(true),
        "sell" | "remove" => Some(false),
        _ => None,
    }
}

/// What the market must do if the alternative is to be better next time too: what speaks against having taken on
/// exposure is a fall, what speaks for more of it a rise. A narrow range pays while fees are high, a wide one when the
/// price travels.
fn follows(action: &str, alternative: Alternative) -> Option<&'static str> {
    const FALL: &str = "market.return_90 < 0.0";
    const RISE: &str = "market.return_90 > 0.0";
    const FEES: &str = "market.fee_yield_ratio > 1.0";
    const TRAVEL: &str = "market.return_90 < -0.003 || market.return_90 > 0.003";
    use Alternative as A;
    match (alternative, takes_on(action)) {
        (A::MuchNarrower | A::Narrower, _) => Some(FEES),
        (A::Wider | A::MuchWider, _) => Some(TRAVEL),
        (A::NotAtAll | A::Smaller | A::Later | A::Opposite, Some(true)) => Some(FALL),
        (A::Larger | A::Earlier, Some(true)) => Some(RISE),
        (A::NotAtAll | A::Smaller | A::Later | A::Opposite, Some(false)) => Some(RISE),
        (A::Larger | A::Earlier, Some(false)) => Some(FALL),
        (A::Out, _) => Some(FALL),
        (A::In, _) => Some(RISE),
        (_, None) => None,
    }
}

/// What a rule could do about it. What would take more risk has no rule; the claim is tested all the same.
fn answer(action: &str, alternative: Alternative, parameters: &[&str]) -> Option<RuleAction> {
    use Alternative as A;
    if let Some((n, d)) = alternative.width_factor() {
        let key = parameters.iter().find(|key| is_width(key))?;
        return Some(RuleAction::Scale { parameter: (*key).to_owned(), factor: f64::from(n) / f64::from(d) });
    }
    if alternative == A::Out {
        return Some(RuleAction::StandAside);
    }
    match (alternative, takes_on(action)?) {
        (A::NotAtAll | A::Opposite, true) => Some(RuleAction::StandAside),
        (A::Smaller, true) | (A::Larger, false) => Some(RuleAction::Risk { factor: 0.5 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
