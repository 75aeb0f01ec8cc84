//! Gap analysis: whether a rule of the playbook would have answered a threat early, and what to propose where none
//! would.

use super::rehearse::{ThreatResponse, ThreatSimulation};
use crate::imagine::catalogue::ThreatCard;
use crate::imagine::hypothesis::ImaginedHypothesis;
use crate::imagine::params::ImaginationParams;
use crate::journal::{DreamProvenance, ThreatCoverage};
use golem_core::observed::{Expression, Verdict};
use golem_grimoire::{Claim, RuleAction, WarningSeverity};
use serde::{Deserialize, Serialize};

/// Risk at most this much of the usual counts as an answer; more is a weak one.
const ANSWER_RISK: f64 = 0.5;
/// A threat that costs less than this many basis points of wealth needs no guard.
const LEAST_LOSS_BPS: f64 = 50.0;
/// A response that saves less than this share of the loss is none.
const LEAST_SAVED: f64 = 0.25;
/// Losses from which a warning is grave, and from which it is more than low.
const GRAVE_BPS: f64 = 300.0;
const DEAR_BPS: f64 = 100.0;

/// A rule in use, as the playbook has it: its condition and its action.
pub type ActiveGuard = (String, RuleAction);

/// What is proposed against a threat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardProposal {
    /// The rule, staged.
    pub rule: ImaginedHypothesis,
    /// The warning, on the evidence of the runs.
    pub warning: ThreatWarning,
}

/// What was lived through on copies, as a warning. It only ever takes risk away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreatWarning {
    pub threat: String,
    pub text: String,
    pub severity: WarningSeverity,
    /// Its condition.
    pub when: String,
    /// Runs behind it.
    pub runs: u32,
    pub loss_bps: f64,
}

/// Whether the rules in use answer a threat, and what is missing.
#[must_use]
pub fn coverage(card: &ThreatCard, active: &[ActiveGuard]) -> (ThreatCoverage, Vec<String>) {
    let early = card.early();
    let Ok(trigger) = Expression::compile(card.trigger) else { return (ThreatCoverage::Uncovered, Vec::new()) };
    let mut gaps = Vec::new();
    for (when, action) in active {
        let Ok(condition) = Expression::compile(when) else { continue };
        let speaks_early = condition.evaluate(&early) == Verdict::Holds;
        let is_related = condition.fields().iter().any(|field| trigger.fields().contains(field));
        match (speaks_early, is_answer(action), is_related) {
            (true, true, _) => return (ThreatCoverage::Covered, Vec::new()),
            (true, false, _) => gaps.push(format!("the rule for {when} speaks early and does too little")),
            (false, true, true) => gaps.push(format!("the rule for {when} would answer and speaks too late")),
            (false, ..) => {}
        }
    }
    if gaps.is_empty() {
        return (ThreatCoverage::Uncovered, vec![format!("no rule speaks when {}", card.trigger)]);
    }
    (ThreatCoverage::Weak, gaps)
}

fn is_answer(action: &RuleAction) -> bool {
    match action {
        RuleAction::StandAside => true,
        RuleAction::Risk { factor } => *factor <= ANSWER_RISK,
        RuleAction::Scale { .. } => false,
    }
}

/// What to propose after rehearsals: a guard for each threat that costs something, that a response would soften, and
/// that no rule answers.
#[must_use]
pub fn guards(simulations: &[ThreatSimulation], params: &ImaginationParams) -> Vec<GuardProposal> {
    simulations.iter().filter_map(|simulation| guard(simulation, params)).collect()
}

fn guard(simulation: &ThreatSimulation, params: &ImaginationParams) -> Option<GuardProposal> {
    let (card, loss, saves) = (simulation.card, simulation.loss_bps(), simulation.saves_bps());
    let is_open = simulation.coverage != ThreatCoverage::Covered;
    if !is_open || loss < LEAST_LOSS_BPS || saves < loss * LEAST_SAVED {
        return None;
    }
    let action = match simulation.best.response {
        ThreatResponse::DoNothing => return None,
        ThreatResponse::Halve => RuleAction::Risk { factor: ANSWER_RISK },
        ThreatResponse::UnwindAtOnce | ThreatResponse::UnwindAtLoss { .. } => RuleAction::StandAside,
    };
    let claim = Claim { when: card.trigger.to_owned(), then: card.then.to_owned(), unless: None, after_ticks: 90 };
    let named = card.id.replace('_', " ");
    let runs = u32::try_from(simulation.rehearsed.len()).unwrap_or(u32::MAX);
    let text = format!("When {}, a {named} may be beginning: {}.", card.trigger, simulation.best.response);
    let rule = ImaginedHypothesis::new(&text, DreamProvenance::Threat, claim, params.guard_confidence)?;
    let severity = match loss {
        loss if loss >= GRAVE_BPS => WarningSeverity::High,
        loss if loss >= DEAR_BPS => WarningSeverity::Medium,
        _ => WarningSeverity::Low,
    };
    let text = format!(
        "A {named} would cost {loss:.0} basis points as things stand, and {:.0} to {}.",
        // Rounded first, and what is next to nothing has no sign.
        libm::round(simulation.best.loss_bps) + 0.0,
        simulation.best.response
    );
    let warning = ThreatWarning {
        threat: card.id.to_owned(),
        text,
        severity,
        when: card.trigger.to_owned(),
        runs,
        loss_bps: loss,
    };
    Some(GuardProposal { rule: rule.doing(Some(action)).executed(saves, runs), warning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::catalogue::{THREATS, threat};
    use crate::imagine::threats::RehearsedResponse;

    fn rule(when: &str, action: RuleAction) -> ActiveGuard {
        (when.to_owned(), action)
    }

    fn simulated(id: &str, losses: &[(ThreatResponse, f64)], active: &[ActiveGuard]) -> ThreatSimulation {
        let card = threat(id).unwrap();
        let one = |(response, loss_bps): &(ThreatResponse, f64)| RehearsedResponse {
            response: *response,
            loss_bps: *loss_bps,
            worst_bps: *loss_bps,
        };
        let rehearsed: Vec<RehearsedResponse> = losses.iter().map(one).collect();
        let best = rehearsed.iter().copied().min_by(|a, b| a.loss_bps.total_cmp(&b.loss_bps)).unwrap();
        let (coverage, gaps) = coverage(card, active);
        ThreatSimulation { card, rehearsed, best, coverage, gaps }
    }

    #[test]
    fn a_rule_that_speaks_early_and_does_enough_covers_a_threat() {
        use ThreatCoverage as C;
        let (aside, half, mild) =
            (RuleAction::StandAside, RuleAction::Risk { factor: 0.5 }, RuleAction::Risk { factor: 0.6 });
        let wide = RuleAction::Scale { parameter: "lp_management.range_sigmas".into(), factor: 1.5 };
        let table = [
            (vec![], C::Uncovered),
            (vec![rule("market.return_15 < -0.02", aside.clone())], C::Covered),
            (vec![rule("market.return_15 < -0.02", half)], C::Covered),
            (vec![rule("market.return_15 < -0.02", mild)], C::Weak),
            (vec![rule("market.return_15 < -0.02", wide)], C::Weak),
            // A quarter is lost early in it: a rule for half a price gone speaks too late.
            (vec![rule("market.return_15 < -0.5", aside.clone())], C::Weak),
            (vec![rule("market.gas_ratio > 5.0", aside.clone())], C::Uncovered),
            (vec![rule("not a condition", aside)], C::Uncovered),
        ];
        for (active, expected) in table {
            let (found, gaps) = coverage(threat("flash_crash").unwrap(), &active);
            assert_eq!(found, expected, "{active:?}");
            assert_eq!(gaps.is_empty(), expected == C::Covered);
        }
        for card in &THREATS {
            let own = [rule(card.trigger, RuleAction::StandAside)];
            assert_eq!(coverage(card, &own).0, C::Covered, "{}", card.id);
        }
    }

    #[test]
    fn a_guard_is_proposed_where_it_would_have_helped() {
        use ThreatResponse as R;
        let params = ImaginationParams::default();
        let made =
            |losses: &[(R, f64)], active: &[ActiveGuard]| guards(&[simulated("flash_crash", losses, active)], &params);
        let out = made(&[(R::DoNothing, 900.0), (R::UnwindAtOnce, 100.0), (R::Halve, 500.0)], &[]);
        let one = &out[0];
        assert_eq!(
            (&one.rule.action, one.rule.claim.when.as_str()),
            (&Some(RuleAction::StandAside), "market.return_15 < -0.03")
        );
        assert!((one.rule.said.confidence - 0.3).abs() < 1e-12);
        assert_eq!((one.rule.said.provenance, one.rule.runs, one.warning.runs), (DreamProvenance::Threat, 3, 3));
        assert_eq!(one.warning.severity, WarningSeverity::High);
        assert_eq!(
            one.warning.text,
            "A flash crash would cost 900 basis points as things stand, and 100 to unwind at once."
        );
        let halved = made(&[(R::DoNothing, 200.0), (R::Halve, 90.0)], &[]);
        assert_eq!(halved[0].rule.action, Some(RuleAction::Risk { factor: 0.5 }));
        assert_eq!(halved[0].warning.severity, WarningSeverity::Medium);
        assert_eq!(made(&[(R::DoNothing, 60.0), (R::Halve, 10.0)], &[])[0].warning.severity, WarningSeverity::Low);
        let covered = [rule("market.return_15 < -0.02", RuleAction::StandAside)];
        for (losses, active) in [
            (vec![(R::DoNothing, 49.0), (R::Halve, 1.0)], &[][..]),
            (vec![(R::DoNothing, 100.0), (R::Halve, 76.0)], &[]),
            (vec![(R::DoNothing, 100.0), (R::Halve, 120.0)], &[]),
            (vec![(R::DoNothing, 900.0), (R::UnwindAtOnce, 100.0)], &covered),
        ] {
            assert!(made(&losses, active).is_empty(), "{losses:?}");
        }
    }

    #[test]
    fn every_threat_can_have_a_guard_and_none_takes_risk() {
        use ThreatResponse as R;
        for card in &THREATS {
            let simulation = simulated(card.id, &[(R::DoNothing, 900.0), (R::UnwindAtOnce, 100.0)], &[]);
            let out = guards(&[simulation], &ImaginationParams::default());
            assert_eq!(out.len(), 1, "{}", card.id);
            assert_eq!(out[0].rule.action, Some(RuleAction::StandAside));
        }
    }
}
