//! What the mortality rules report, in sentences.

use crate::cause::{cause, listed};
use crate::{money, time};
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_mortality::MortalityFact;
use golem_mortality::epistemic::SenescenceStage;
use golem_mortality::info::{AlertChange, Channel};
use golem_mortality::regime_eval::{RegimeComparison, RegimeVerdict};

pub(super) fn words(fact: &MortalityFact) -> Option<String> {
    Some(match fact {
        MortalityFact::VitalityUpdate { .. } | MortalityFact::StochasticRoll { .. } => return None,
        MortalityFact::PhaseTransition { from_phase, to_phase, composite, trigger_clock } => {
            let way = if to_phase < from_phase { "fell" } else { "recovered" };
            format!("{from_phase} -> {to_phase} (vitality {composite:.2}, {} {way} most)", trigger_clock.word())
        }
        MortalityFact::Channel(report) => {
            let what = match report.closing {
                Channel::Capacity => "what it can still pay for",
                Channel::RateDistortion => "how well it knows its market",
                Channel::EntropyProduction => "its age",
            };
            format!("vitality fell by {:.2}: mostly {what} ({:.0} %)", report.composite_fall, report.share * 100.0)
        }
        MortalityFact::EconomicCritical { remaining, projected_ticks, .. } => {
            let left = projected_ticks.map_or("for ever".to_owned(), ticks);
            format!("money is short: {} USDC above the reserve, enough for {left}", money::usdc(*remaining))
        }
        MortalityFact::EpistemicWarning { fitness, senescence_threshold, ticks_in_decline } => format!(
            "its forecasts get worse: fitness {fitness:.3}, {} since its best; senescence begins below {senescence_threshold:.2}",
            ticks(*ticks_in_decline)
        ),
        MortalityFact::Senescence { stage, fitness, lead, failing_domains } => {
            format!(
                "{} at fitness {fitness:.3}, {lead:+.3} against a newborn; failing: {}",
                stage_words(*stage),
                listed(failing_domains, "none alone")
            )
        }
        MortalityFact::Vigil { open: true, turns } => {
            format!("the vigil begins: {turns} turns in which it can still be fed")
        }
        MortalityFact::Vigil { open: false, turns } => format!("rescued, after {turns} turns of vigil"),
        MortalityFact::Rebalance(moved) => {
            format!(
                "{} USDC went from its {} purse to {}",
                money::usdc(moved.amount),
                moved.from.name(),
                moved.to.name()
            )
        }
        MortalityFact::DecouplingAlert { change, mi_bits, .. } => match change {
            AlertChange::Raised => format!("what it does says nothing about its market ({mi_bits:.2} bits)"),
            AlertChange::Cleared => "what it does fits its market again".to_owned(),
        },
        MortalityFact::OverfittingAlert { change, past_bits, recent_bits } => match change {
            AlertChange::Raised => {
                let past = past_bits.unwrap_or_default();
                format!("it knew the past ({past:.2} bits) better than the present ({recent_bits:.2})")
            }
            AlertChange::Cleared => "it knows the present as well as the past again".to_owned(),
        },
        MortalityFact::RedundancyAlert { change, .. } => match change {
            AlertChange::Raised => "it knows nothing that its siblings do not know".to_owned(),
            AlertChange::Cleared => "it knows something of its own again".to_owned(),
        },
        MortalityFact::RegimeEvaluation(compared) => compared_words(compared),
        MortalityFact::WouldHaveDied { cause: of } => format!("would have died. {}", cause(of)),
        MortalityFact::Dying { cause: of, .. } => format!("dying. {}", cause(of)),
        MortalityFact::DyingStage { stage, outcome } => format!("{}: {outcome}", stage.name()),
        MortalityFact::Dead { cause: of, ticks_alive, .. } => {
            format!("dead after {}. {}", ticks(*ticks_alive), cause(of))
        }
    })
}

pub(super) fn is_event(fact: &MortalityFact) -> bool {
    match fact {
        MortalityFact::DecouplingAlert { change, .. } | MortalityFact::OverfittingAlert { change, .. } => {
            *change == AlertChange::Raised
        }
        MortalityFact::PhaseTransition { .. }
        | MortalityFact::EconomicCritical { .. }
        | MortalityFact::Senescence { .. }
        | MortalityFact::Vigil { .. }
        | MortalityFact::WouldHaveDied { .. }
        | MortalityFact::Dying { .. }
        | MortalityFact::DyingStage { .. }
        | MortalityFact::Dead { .. } => true,
        _ => false,
    }
}

fn ticks(n: impl Into<u64>) -> String {
    time::age(n.into() as f64 / NOMINAL_TICKS_PER_DAY as f64)
}

fn stage_words(stage: SenescenceStage) -> &'static str {
    match stage {
        SenescenceStage::None => "its forecasts keep up again",
        SenescenceStage::Warning => "its forecasts fall behind the world",
        SenescenceStage::Confirmed => "senescent",
        SenescenceStage::Fatal => "senescent beyond recovery",
    }
}

fn compared_words(compared: &RegimeComparison) -> String {
    let how = match compared.verdict {
        RegimeVerdict::Unknown => "there is too little to compare its skill with",
        RegimeVerdict::Unchanged => "its skill is what it was",
        RegimeVerdict::Degraded => "its skill got worse",
        RegimeVerdict::Improved => "its skill got better",
    };
    format!("in the same weather {how} ({} turns against {} before)", compared.treatment, compared.baseline)
}
