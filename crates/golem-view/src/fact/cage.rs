//! What the cage reports, in sentences.

use super::life::intent;
use crate::money;
use golem_cage::{BreakerLevel, CageFact, Denial};

pub(super) fn words(fact: &CageFact) -> String {
    match fact {
        CageFact::Permitted { permit, intent: asked, at_risk, max_gas, .. } => {
            let risk = match at_risk.0 {
                0 => "nothing more at risk".to_owned(),
                _ => format!("at most {} USDC at risk", money::usdc(*at_risk)),
            };
            format!("permit {permit} to {}: {risk}, at most {} for gas", intent(asked), money::usdc(*max_gas))
        }
        CageFact::Denied { intent: asked, why, .. } => format!("may not {}: {}", intent(asked), denial(why)),
        CageFact::Breaker { from, to, drawdown_bps, nav, peak, .. } => {
            let stands = format!("{} USDC, {} below {}", money::usdc(*nav), bps(*drawdown_bps), money::usdc(*peak));
            match to {
                BreakerLevel::Calm => format!("the breaker is lifted ({stands})"),
                _ if to > from => format!("a drawdown breaker trips: {} ({stands})", level(*to)),
                _ => format!("the breaker eases: {} ({stands})", level(*to)),
            }
        }
        CageFact::Bled { held: true, drawdown_bps, mark, .. } => {
            format!(
                "{} below its best of {} USDC: what it holds goes, no new risk until resumed",
                bps(*drawdown_bps),
                money::usdc(*mark)
            )
        }
        CageFact::Bled { held: false, .. } => "half of what was lost is regained: the hold is over".to_owned(),
        CageFact::Halted { reason, .. } => format!("halted: {reason}"),
        CageFact::Resumed { halt, breaker, .. } => match (halt, breaker) {
            (true, true) => "the owner lifts the halt and the breaker".to_owned(),
            (true, false) => "the owner lifts the halt".to_owned(),
            (false, true) => "the owner lifts the breaker".to_owned(),
            (false, false) => "the owner resumes; nothing was held back".to_owned(),
        },
        CageFact::Settled { permit, reserved, booked, amiss, .. } => {
            let wrong = if amiss.is_some() { "; it does not fit, so the larger amount counts" } else { "" };
            format!("permit {permit} is settled: {} of {} USDC{wrong}", money::usdc(*booked), money::usdc(*reserved))
        }
    }
}

pub(super) fn is_event(fact: &CageFact) -> bool {
    !matches!(fact, CageFact::Permitted { .. } | CageFact::Settled { .. } | CageFact::Denied { .. })
}

/// A denial, with no word of code.
fn denial(why: &Denial) -> String {
    match why {
        Denial::WouldFail { why } => format!("it would fail, {}", crate::trade::refusal(*why)),
        Denial::Slippage { expected, fair, .. } => {
            format!("only {} USDC would come back for {}", money::usdc(*expected), money::usdc(*fair))
        }
        Denial::Gas { cost, cap } => format!("gas of {} USDC is above {}", money::usdc(*cost), money::usdc(*cap)),
        Denial::Position { after, cap } => over("the position would be", *after, *cap),
        Denial::Exposure { after, cap } => over("ETH held would be", *after, *cap),
        Denial::Limit { asked, used, cap, window } => format!(
            "{} USDC on top of {} is above the limit of {} {}",
            money::usdc(*asked),
            money::usdc(*used),
            money::usdc(*cap),
            window.name()
        ),
        Denial::Breaker { level: at } => format!("a drawdown breaker allows {}", level(*at)),
        Denial::Code { .. } => "the contracts are not those it trusts".to_owned(),
        other => other.to_string(),
    }
}

fn over(what: &str, after: golem_core::Usdc, cap: golem_core::Usdc) -> String {
    format!("{what} {} USDC, and {} is the most", money::usdc(after), money::usdc(cap))
}

fn level(level: BreakerLevel) -> &'static str {
    match level {
        BreakerLevel::Calm => "everything",
        BreakerLevel::Half => "half of every limit",
        BreakerLevel::ReduceOnly => "only reducing",
        BreakerLevel::Hold => "only reducing, until the owner resumes or the hold is over",
    }
}

fn bps(drawdown: u32) -> String {
    format!("{:.1} %", f64::from(drawdown) / 100.0)
}
