//! Dreams as sentences.

use super::count;
use crate::money;
use golem_dreams::DreamFact;
use golem_dreams::journal::{DreamProvenance, ThreatCoverage};
use golem_dreams::liminal::OnsetAlarm;

pub(super) fn words(fact: &DreamFact) -> String {
    match fact {
        DreamFact::Start { cycle_id, trigger, urgency, .. } => {
            format!("{cycle_id} begins: {}, urgency {urgency:.2}", trigger.replace('_', " "))
        }
        DreamFact::Blocked { why, until } => format!("it would dream, but {why}; until {until}"),
        DreamFact::Phase { cycle_id, phase, .. } => format!("{cycle_id}: {phase}"),
        DreamFact::Onset { cycle_id, aborted: Some(alarm), .. } => {
            let what = match alarm {
                OnsetAlarm::Move => "the price has moved far",
                OnsetAlarm::Drain => "liquidity is leaving",
                OnsetAlarm::Paused => "the protocol is in trouble",
            };
            format!("{cycle_id} is startled while it falls asleep: {what}")
        }
        DreamFact::Onset { cycle_id, theme, fragments, kept, .. } => {
            let about = theme.as_ref().map(|t| format!(" about {t}")).unwrap_or_default();
            format!("{cycle_id} falls asleep{about}: {kept} of {fragments} fragments are new")
        }
        DreamFact::Hypothesis { hypothesis, provenance: DreamProvenance::Inherited, .. } => {
            format!("it takes up what its predecessor was testing: {hypothesis}")
        }
        DreamFact::Hypothesis { hypothesis, .. } => format!("it imagines: {hypothesis}"),
        DreamFact::Asked { question, came, tokens, cost, .. } => {
            format!("asked {question}: {came}; {tokens} tokens, {} USDC", money::usdc(*cost))
        }
        DreamFact::Counterfactual { hypothesis, outcome, .. } => {
            format!("tried on a copy of the chain: {hypothesis} ({outcome:+.1} bps of wealth)")
        }
        DreamFact::Threat { threat, loss_bps, best_response, best_loss_bps, coverage, .. } => {
            let known = match coverage {
                ThreatCoverage::Uncovered => "no rule answers it",
                ThreatCoverage::Weak => "its rules answer it late",
                ThreatCoverage::Covered => "its rules answer it",
            };
            let losses = format!("{:.2} % lost, {:.2} % with {best_response}", loss_bps / 100.0, best_loss_bps / 100.0);
            format!("it rehearses {}: {losses}; {known}", threat.replace('_', " "))
        }
        DreamFact::Alarm { threat, risk } => {
            format!(
                "this looks like a {} it rehearsed: {:.0} % of its usual risk",
                threat.replace('_', " "),
                risk * 100.0
            )
        }
        DreamFact::Tuned { parameter, value, because, .. } => {
            format!("{parameter} is {value:.3} from now on: {because}")
        }
        DreamFact::Context { because, .. } => format!("its context changes: {because}"),
        DreamFact::Contradiction { finding, .. } => format!("a dream speaks against what it believes: {finding}"),
        DreamFact::Complete {
            cycle_id,
            episodes_replayed,
            runs,
            insights_crystallized,
            heuristics_proposed,
            cost,
            nothing_because,
            ..
        } => {
            let found = insights_crystallized + heuristics_proposed;
            let why = if found == 0 {
                nothing_because.first().map(|w| format!(" ({w})")).unwrap_or_default()
            } else {
                String::new()
            };
            format!(
                "{cycle_id} is over: {} replayed, {} on copies, {} proposed{why}; {} USDC",
                count(u64::from(*episodes_replayed), "episode"),
                count(u64::from(*runs), "run"),
                found,
                money::usdc(*cost)
            )
        }
        DreamFact::Interrupted { cycle_id, phase, reason, .. } => format!("{cycle_id} breaks off in {phase}: {reason}"),
        DreamFact::Poor { quality, days } => {
            format!("its dreams have been worth little for {days} days: {quality:.2} of 1 in the mean")
        }
        DreamFact::Judged { cycle_id, came_true: true, text, .. } => {
            format!("what it dreamt came true ({cycle_id}): {text}")
        }
        DreamFact::Judged { cycle_id, text, .. } => format!("what it dreamt did not come true ({cycle_id}): {text}"),
    }
}

/// Whoever watches wants to hear what came of dreams, and what breaks them off.
pub(super) fn is_event(fact: &DreamFact) -> bool {
    matches!(
        fact,
        DreamFact::Alarm { .. }
            | DreamFact::Judged { .. }
            | DreamFact::Poor { .. }
            | DreamFact::Interrupted { .. }
            | DreamFact::Contradiction { .. }
    )
}
