//! What dying reports, in sentences.

use super::count;
use crate::money;
use golem_core::Usdc;
use golem_grimoire::testament::SettlementReport;
use golem_life::LifeFact;

pub(super) fn words(fact: &LifeFact) -> Option<String> {
    Some(match fact {
        LifeFact::Accepted { budget, settlement_turns, positions, mood } => {
            let open = match positions {
                0 => "nothing is open".to_owned(),
                n => format!("{} to close in at most {}", count((*n).into(), "holding"), turns(*settlement_turns)),
            };
            let felt = mood.as_ref().map_or(String::new(), |mood| format!(", in a mood that is {mood}"));
            format!("it accepts its death{felt}: {} USDC for the end, {open}", money::usdc(budget.total))
        }
        LifeFact::Settled { report } => settled(report),
        LifeFact::TestamentWritten { sentences, arc, last_words, .. } => format!(
            "wrote its testament, {} on a {} life; last words: {last_words}",
            count((*sentences).into(), "sentence"),
            arc.name()
        ),
        LifeFact::Bequeathed { bloodstains } => match bloodstains.len() {
            0 => "its death leaves no mark on what it knew".to_owned(),
            1 => "its death leaves its mark on 1 entry".to_owned(),
            n => format!("its death leaves its mark on {n} entries"),
        },
        _ => return None,
    })
}

/// What was closed, and what could not be.
fn settled(report: &SettlementReport) -> String {
    let left = report.failed.iter().fold(Usdc::ZERO, |sum, left| sum.plus(left.worth));
    let closed = match report.actions.len() {
        0 => "closed nothing".to_owned(),
        n => format!(
            "closed what it held in {}: {} USDC came in, gas {}",
            count(n as u64, "act"),
            money::usdc(report.settled),
            money::usdc(report.gas)
        ),
    };
    match report.failed.first() {
        None if report.actions.is_empty() => "settled: nothing was open".to_owned(),
        None => closed,
        Some(first) => format!("{closed}; {} USDC stay open: {}", money::usdc(left), first.why),
    }
}

fn turns(n: u32) -> String {
    count(n.into(), "turn")
}
