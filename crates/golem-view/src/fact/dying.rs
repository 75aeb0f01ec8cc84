//! What dying reports, in sentences.

use super::count;
use crate::money;
use golem_core::Usdc;
use golem_grimoire::testament::{HomeReport, SettlementReport};
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
        LifeFact::WentHome { report } => went_home(report),
        LifeFact::Withdrawn { sent, turns: took, why, .. } => {
            let short = why.as_ref().map_or(String::new(), |why| format!("; {why}"));
            match *sent {
                Usdc::ZERO => format!("nothing of what its owner withdrew went home, in {}{short}", turns(*took)),
                sent => format!("sent {} USDC home to its owner, in {}{short}", money::usdc(sent), turns(*took)),
            }
        }
        LifeFact::TestamentWritten { sentences, arc, last_words, .. } => format!(
            "wrote its testament, {} on a {} life; last words: {last_words}",
            count((*sentences).into(), "sentence"),
            arc.name()
        ),
        LifeFact::TestamentTold { kept, dropped, cost, why, .. } => match why {
            None => format!(
                "a model told {} of its testament in its own words for {} USDC; {dropped} had no record to stand on",
                count((*kept).into(), "sentence"),
                money::usdc(*cost)
            ),
            Some(why) if *cost == Usdc::ZERO => format!("no model told its testament: {why}"),
            Some(why) => format!("no model told its testament, for {} USDC: {why}", money::usdc(*cost)),
        },
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

/// What went home, and what stays behind.
fn went_home(report: &HomeReport) -> String {
    let to = if report.to.is_some() { "its owner's address" } else { "its owner's account" };
    let sums: Vec<String> = report.sent.iter().map(|went| money::sum(went.sum)).collect();
    let went = match sums.len() {
        0 => "sent nothing home".to_owned(),
        _ => format!("sent {} home to {to}, gas {}", sums.join(" and "), money::usdc(report.gas)),
    };
    match report.failed.first() {
        None if report.sent.is_empty() => "there was nothing to send home".to_owned(),
        None => went,
        Some(first) => format!("{went}; {} stays behind: {}", money::sum(first.sum), first.why),
    }
}

fn turns(n: u32) -> String {
    count(n.into(), "turn")
}
