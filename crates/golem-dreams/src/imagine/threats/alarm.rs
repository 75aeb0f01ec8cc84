//! What was rehearsed asleep is recognised awake: while the trigger of a threat holds whose rehearsal cost something, less risk
//! is taken. It never gives more risk, and a trigger that cried wolf too often is only watched until it is right again.

use super::record::{ThreatBook, ThreatRecord};
use crate::imagine::catalogue::{THREATS, ThreatCard};
use golem_core::observed::{Expression, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// An alarm is judged after this long.
const JUDGED_AFTER: Elapsed = Elapsed::nominal(90);
/// One that was for nothing so many times more often than not is not heeded.
const PATIENCE: u32 = 2;
/// What a rehearsal must have cost, in basis points of wealth, and the share of the usual risk that is left then.
const FACTORS: [(f64, f64); 3] = [(300.0, 0.25), (100.0, 0.5), (50.0, 0.75)];

/// Alarms that ring, or wait to be judged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ThreatAlarms {
    /// When each is judged.
    open: BTreeMap<String, VirtualTime>,
}

/// What is heard in one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct AlarmHeard {
    /// The share of the usual risk, from 0 to 1.
    pub risk: f64,
    /// Threats that begin to ring now, with the share each leaves.
    pub begin: Vec<(&'static str, f64)>,
}

impl ThreatAlarms {
    /// One waking turn.
    pub fn hear(&mut self, book: &mut ThreatBook, seen: &Snapshot, now: VirtualTime, cycle: u64) -> AlarmHeard {
        let mut heard = AlarmHeard { risk: 1.0, begin: Vec::new() };
        if book.records().next().is_none() {
            return heard;
        }
        for (card, asked) in THREATS.iter().zip(compiled()) {
            let Some((trigger, then)) = asked else { continue };
            if self.open.get(card.id).is_some_and(|due| *due <= now) {
                self.open.remove(card.id);
                book.settled(card.id, then.evaluate(seen).holds(), cycle);
            }
            let Some(left) = left_by(card, book) else { continue };
            if !trigger.evaluate(seen).holds() {
                continue;
            }
            let is_new = !self.open.contains_key(card.id);
            if is_new {
                book.activated(card.id);
                self.open.insert(card.id.to_owned(), now.after(JUDGED_AFTER));
            }
            if is_heeded(&book.record(card.id)) {
                heard.risk = heard.risk.min(left);
                heard.begin.extend(is_new.then_some((card.id, left)));
            }
        }
        heard
    }
}

/// The share of risk that a threat leaves; none where it was not rehearsed, or cost little.
fn left_by(card: &ThreatCard, book: &ThreatBook) -> Option<f64> {
    let record = book.record(card.id);
    let cost = FACTORS.iter().find(|(least, _)| record.rehearsals > 0 && record.loss_bps >= *least);
    cost.map(|(_, left)| *left)
}

fn is_heeded(record: &ThreatRecord) -> bool {
    record.false_alarms < record.true_positives.saturating_add(PATIENCE)
}

/// Triggers and what is claimed to follow, compiled once. What cannot be read never rings; a test reads them all.
fn compiled() -> &'static [Option<(Expression, Expression)>] {
    static ALL: OnceLock<Vec<Option<(Expression, Expression)>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |text: &str| Expression::compile(text).ok();
        THREATS.iter().map(|card| read(card.trigger).zip(read(card.then))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::at;

    const CARD: &str = "flash_crash";

    fn card() -> &'static ThreatCard {
        THREATS.iter().find(|c| c.id == CARD).unwrap()
    }

    #[test]
    fn every_trigger_of_the_catalogue_can_be_asked() {
        assert_eq!(compiled().iter().flatten().count(), THREATS.len());
    }

    #[test]
    fn only_what_was_rehearsed_and_cost_something_takes_risk() {
        let early = card().early();
        for (loss, risk) in [(0.0, 1.0), (49.0, 1.0), (50.0, 0.75), (100.0, 0.5), (300.0, 0.25), (f64::MAX, 0.25)] {
            let (mut book, mut alarms) = (ThreatBook::default(), ThreatAlarms::default());
            assert!((alarms.hear(&mut book, &early, at(0), 1).risk - 1.0).abs() < 1e-12, "nothing was rehearsed");
            book.rehearsed(CARD, loss, 1, at(0));
            let heard = alarms.hear(&mut book, &early, at(1), 1);
            assert!((heard.risk - risk).abs() < 1e-12, "{loss}: {heard:?}");
            assert_eq!(heard.begin.len(), usize::from(risk < 1.0));
            // It rings on, and is told once.
            assert!(alarms.hear(&mut book, &early, at(2), 1).begin.is_empty());
            assert!((alarms.hear(&mut book, &ThreatCard::calm(), at(3), 1).risk - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn who_cries_wolf_is_watched_and_heeded_again_when_it_was_right() {
        let (mut book, mut alarms) = (ThreatBook::default(), ThreatAlarms::default());
        book.rehearsed(CARD, 500.0, 1, at(0));
        let (early, calm) = (card().early(), ThreatCard::calm());
        let mut ring = |book: &mut ThreatBook, n: u64, after: &Snapshot| {
            let heard = alarms.hear(book, &early, at(n * 1_000), 1).risk;
            alarms.hear(book, after, at(n * 1_000 + 90), 1);
            heard
        };
        assert!(ring(&mut book, 1, &calm) < 1.0);
        assert!(ring(&mut book, 2, &calm) < 1.0);
        assert!((ring(&mut book, 3, &calm) - 1.0).abs() < 1e-12, "two false alarms are enough");
        assert_eq!(book.record(CARD).false_alarms, 3);
        for _ in 0..2 {
            book.settled(CARD, true, 1);
        }
        assert!(ring(&mut book, 4, &calm) < 1.0, "it was right again");
    }
}
