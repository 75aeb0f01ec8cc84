//! What a replicant writes before it dies: what did better, in which weather, with a claim that reality can check. What it is for
//! follows from the claim: a narrower range serves while fees are high, a larger share while the price rises.

use super::hypothesis::PhageHypothesis;
use crate::imagine::hypothesis::{in_weather, is_width, without_risk};
use golem_core::{Regime, VirtualTime};
use golem_grimoire::{Claim, EntryBody, EntryKind, EntryOrigin, Provenance, RuleAction};

/// When the claim is looked at: the horizon of a price forecast.
const AFTER_TICKS: u32 = 90;

/// The report of a replicant that did so much better over so many hours; none where there is nothing that could be checked.
#[must_use]
pub fn replicant_report(
    hypothesis: &PhageHypothesis,
    (better_bps, hours): (f64, f64),
    regime: Regime,
    (origin, now): (EntryOrigin, VirtualTime),
) -> Option<EntryBody> {
    let PhageHypothesis::Parameter { parameter, from, to, .. } = hypothesis else { return None };
    let then = match (is_width(parameter), to > from) {
        (true, true) => "market.fee_yield_ratio < 1.0",
        (true, false) => "market.fee_yield_ratio > 1.0",
        (false, true) => "market.return_90 > 0.0",
        (false, false) => "market.return_90 < 0.0",
    };
    let when = in_weather(regime)?;
    let factor = to / from;
    let action = without_risk(RuleAction::Scale { parameter: parameter.clone(), factor });
    let kind = if action.is_some() { EntryKind::Heuristic } else { EntryKind::StrategyFragment };
    let text = format!(
        "In a {regime} market a {parameter} of {to:.2} did {better_bps:.1} basis points better than {from:.2} over {hours:.1} hours on a copy."
    );
    let mut body = EntryBody::own(kind, text, origin, now);
    body.provenance = Provenance::Replicant;
    body.action = action;
    body.regime = Some(regime);
    body.claim = Some(Claim { when, then: then.to_owned(), unless: None, after_ticks: AFTER_TICKS });
    Some(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::tuning::TunedBy;
    use golem_core::GolemId;
    use golem_grimoire::admission::{hollow, is_tidy};

    #[test]
    fn a_report_can_be_checked_and_never_asks_for_more_risk() {
        let (width, share) = ("lp_management.range_sigmas", "lp_management.base_exposure");
        for (parameter, from, to, kind) in [
            (width, 6.0, 3.0, EntryKind::Heuristic),
            (width, 6.0, 10.8, EntryKind::Heuristic),
            (share, 0.3, 0.15, EntryKind::Heuristic),
            (share, 0.3, 0.54, EntryKind::StrategyFragment),
        ] {
            let by = TunedBy::Share { band_bps: 100 };
            let tried = PhageHypothesis::Parameter { parameter: parameter.to_owned(), from, to, by };
            let who = (EntryOrigin { golem: GolemId([7; 16]), generation: 1 }, VirtualTime(9));
            let body = replicant_report(&tried, (4.0, 6.0), Regime::RangeBound, who).expect("something to report");
            assert!(is_tidy(&body) && hollow(body.claim.as_ref().unwrap()).is_none(), "{body:?}");
            assert_eq!((body.kind, body.provenance), (kind, Provenance::Replicant), "{parameter} to {to}");
            assert_eq!(replicant_report(&tried, (4.0, 6.0), Regime::Unknown, who), None);
        }
        let who = (EntryOrigin { golem: GolemId([7; 16]), generation: 1 }, VirtualTime(9));
        assert_eq!(
            replicant_report(&PhageHypothesis::Contrary { did: Vec::new() }, (4.0, 6.0), Regime::Volatile, who),
            None
        );
    }
}
