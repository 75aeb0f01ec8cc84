//! What was rehearsed asleep is recognised awake: while the trigger of a threat holds, and for a while after, the response is
//! given that rehearsals have shown to be worth it. It never gives more risk, and a trigger that cried wolf too often is only
//! watched until it is right again. All are watched from birth on: one that is often followed by nothing is not even tried.

use super::record::ThreatBook;
use super::rehearse::ThreatResponse;
use crate::imagine::catalogue::{THREATS, triggers};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An alarm is judged after this long, and rings so long after its trigger last held.
const JUDGED_AFTER: Elapsed = Elapsed::nominal(90);
const RINGS_ON: Elapsed = Elapsed::nominal(45);

/// Alarms that ring, or wait to be judged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ThreatAlarms {
    open: BTreeMap<String, OpenAlarm>,
}

/// One alarm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct OpenAlarm {
    /// When it is judged, against the price at which it began to ring and what gas cost then.
    judged: VirtualTime,
    price: Option<f64>,
    gas_bps: f64,
    /// Until when it rings, if its trigger does not hold again.
    rings: VirtualTime,
    is_judged: bool,
}

/// When something is heard.
#[derive(Debug, Clone, Copy)]
pub struct AlarmMoment {
    pub now: VirtualTime,
    /// How long a turn is.
    pub turn: Elapsed,
    /// Cycles of dreams so far.
    pub cycle: u64,
    /// What the gas of going out and coming in again costs, in basis points of what is exposed.
    pub gas_bps: f64,
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
    pub fn hear(&mut self, book: &mut ThreatBook, seen: &Snapshot, at: &AlarmMoment) -> AlarmHeard {
        let AlarmMoment { now, turn, cycle, gas_bps } = *at;
        // What is taken out in one turn is sold in the next.
        let rings_on = RINGS_ON.max(Elapsed(turn.0.saturating_mul(2)));
        let mut heard = AlarmHeard { risk: 1.0, begin: Vec::new() };
        let price = seen.get(Field::MarketPrice).and_then(|price| price.as_f64());
        let begins = || OpenAlarm { judged: now.after(JUDGED_AFTER), price, gas_bps, rings: now, is_judged: false };
        for (card, trigger) in THREATS.iter().zip(triggers()) {
            let Some(trigger) = trigger else { continue };
            self.judge(card.id, book, price, (now, cycle));
            let holds = trigger.evaluate(seen).holds();
            let is_new = holds && !self.open.contains_key(card.id);
            if is_new {
                book.activated(card.id);
                self.open.insert(card.id.to_owned(), begins());
            }
            let Some(alarm) = self.open.get_mut(card.id) else { continue };
            if holds && alarm.is_judged {
                // It goes on: it is judged again from here.
                *alarm = begins();
            }
            if holds {
                alarm.rings = now.after(rings_on);
            }
            // What was never rehearsed is watched too: by the time that there is an answer to it, it is known what usually
            // follows, and that was not paid for.
            let answer =
                book.known(card.id).filter(|record| record.is_heeded()).and_then(|record| record.answer(gas_bps));
            if let Some(left) = answer.map(left_by).filter(|_| now < alarm.rings) {
                heard.risk = heard.risk.min(left);
                heard.begin.extend(is_new.then_some((card.id, left)));
            }
        }
        self.open.retain(|_, alarm| !alarm.is_judged || now < alarm.rings);
        heard
    }

    /// What became of an alarm, once its time has come and the price is known.
    fn judge(&mut self, id: &str, book: &mut ThreatBook, price: Option<f64>, (now, cycle): (VirtualTime, u64)) {
        let Some(alarm) = self.open.get_mut(id).filter(|alarm| !alarm.is_judged && alarm.judged <= now) else { return };
        match (alarm.price, price) {
            (Some(then), Some(price)) => {
                alarm.is_judged = true;
                book.settled(id, 1.0 - price / then, alarm.gas_bps, cycle);
            }
            // It began without a price: nobody can tell.
            (None, _) => alarm.is_judged = true,
            (Some(_), None) => {}
        }
    }
}

/// The share of risk that a response leaves.
fn left_by(response: ThreatResponse) -> f64 {
    match response {
        ThreatResponse::DoNothing => 1.0,
        ThreatResponse::Halve => 0.5,
        ThreatResponse::UnwindAtLoss { .. } | ThreatResponse::UnwindAtOnce => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::catalogue::ThreatCard;
    use crate::imagine::samples::at;
    use crate::imagine::threats::{RehearsalOf, RehearsedResponse};

    const CARD: &str = "flash_crash";

    fn card() -> &'static ThreatCard {
        THREATS.iter().find(|c| c.id == CARD).unwrap()
    }

    /// Practised, with what each response lost.
    fn practised(losses: &[(ThreatResponse, f64)]) -> ThreatBook {
        let mut book = ThreatBook::default();
        practise(&mut book, losses);
        book
    }

    fn practise(book: &mut ThreatBook, losses: &[(ThreatResponse, f64)]) {
        let one = |(response, loss_bps): &(ThreatResponse, f64)| RehearsedResponse {
            response: *response,
            loss_bps: *loss_bps,
            worst_bps: *loss_bps,
        };
        let all: Vec<RehearsedResponse> = losses.iter().map(one).collect();
        let tried: Vec<ThreatResponse> = all.iter().map(|one| one.response).collect();
        for cycle in 0..3 {
            book.rehearsed(CARD, &RehearsalOf { rehearsed: &all, tried: &tried, exposure: 1.0 }, cycle, at(0));
        }
    }

    /// Calm again, at the price at which it rang.
    fn early_but_calm(early: &Snapshot) -> Snapshot {
        match early.get(Field::MarketPrice).and_then(|price| price.as_f64()) {
            Some(price) => at_price(&ThreatCard::calm(), price),
            None => ThreatCard::calm(),
        }
    }

    fn moment(tick: u64) -> AlarmMoment {
        AlarmMoment { now: at(tick), turn: Elapsed::nominal(1), cycle: 1, gas_bps: 0.0 }
    }

    /// What is seen with the price at so much of the usual.
    fn at_price(seen: &Snapshot, price: f64) -> Snapshot {
        let mut seen = seen.clone();
        seen.set_number(Field::MarketPrice, price).unwrap();
        seen
    }

    #[test]
    fn every_trigger_of_the_catalogue_can_be_asked() {
        assert_eq!(triggers().iter().flatten().count(), THREATS.len());
    }

    #[test]
    fn what_rehearsals_have_shown_to_help_is_done_and_nothing_else() {
        use ThreatResponse as R;
        let (early, calm) = (card().early(), ThreatCard::calm());
        for (losses, risk) in [
            (vec![], 1.0),
            (vec![(R::DoNothing, 900.0), (R::UnwindAtOnce, 100.0), (R::Halve, 500.0)], 0.0),
            (vec![(R::DoNothing, 900.0), (R::UnwindAtLoss { bps: 200 }, 100.0), (R::Halve, 500.0)], 0.5),
            (vec![(R::DoNothing, 900.0), (R::UnwindAtOnce, 800.0), (R::Halve, 500.0)], 0.5),
            (vec![(R::DoNothing, -20.0), (R::UnwindAtOnce, 100.0), (R::Halve, 50.0)], 1.0),
        ] {
            let (mut book, mut alarms) = (practised(&losses), ThreatAlarms::default());
            let heard = alarms.hear(&mut book, &early, &moment(1));
            assert!((heard.risk - risk).abs() < 1e-12, "{losses:?}: {heard:?}");
            assert_eq!(heard.begin.len(), usize::from(risk < 1.0));
            // It is told once, rings on for a while, and then no more.
            assert!(alarms.hear(&mut book, &early, &moment(2)).begin.is_empty());
            assert!((alarms.hear(&mut book, &calm, &moment(46)).risk - risk).abs() < 1e-12);
            assert!((alarms.hear(&mut book, &calm, &moment(47)).risk - 1.0).abs() < 1e-12);
        }
    }

    /// On bars what is taken out in one turn is sold in the next; and what goes on for long is judged again and again.
    #[test]
    fn an_alarm_rings_for_two_turns_and_one_that_goes_on_is_judged_again() {
        let losses = [(ThreatResponse::DoNothing, 900.0), (ThreatResponse::UnwindAtOnce, 100.0)];
        let (mut book, mut alarms) = (practised(&losses), ThreatAlarms::default());
        let (early, calm) = (card().early(), ThreatCard::calm());
        let hour = |n: u64| AlarmMoment { now: at(90 * n), turn: Elapsed::nominal(90), cycle: 1, gas_bps: 0.0 };
        let risks = [(&early, 1), (&calm, 2), (&calm, 3)].map(|(seen, n)| alarms.hear(&mut book, seen, &hour(n)).risk);
        assert!(risks[0] < 1.0 && risks[1] < 1.0 && risks[2] >= 1.0, "{risks:?}");
        let (mut book, mut alarms) = (practised(&losses), ThreatAlarms::default());
        let heard: Vec<bool> = (0..600).map(|n| alarms.hear(&mut book, &early, &moment(n)).risk < 1.0).collect();
        assert!(
            heard[..360].iter().all(|rings| *rings) && heard[380..].iter().all(|rings| !rings),
            "nothing came of it"
        );
        assert!(book.record(CARD).false_alarms >= 3);
    }

    #[test]
    fn who_cries_wolf_is_watched_and_heeded_again_when_it_was_right() {
        let mut book = practised(&[(ThreatResponse::DoNothing, 900.0), (ThreatResponse::UnwindAtOnce, 100.0)]);
        let mut alarms = ThreatAlarms::default();
        let (early, calm) = (at_price(&card().early(), 0.8), ThreatCard::calm());
        let mut ring = |book: &mut ThreatBook, n: u64, after: f64| {
            let heard = alarms.hear(book, &early, &moment(n * 1_000)).risk;
            alarms.hear(book, &at_price(&calm, after), &moment(n * 1_000 + 90));
            heard
        };
        assert!(ring(&mut book, 1, 0.9) < 1.0);
        assert!(ring(&mut book, 2, 0.9) < 1.0);
        assert!((ring(&mut book, 3, 0.7) - 1.0).abs() < 1e-12, "two that were quite wrong are enough");
        assert_eq!(book.record(CARD).false_alarms, 2);
        assert!((ring(&mut book, 4, 0.7) - 1.0).abs() < 1e-12, "it was right, and is watched still");
        assert!((ring(&mut book, 5, 0.7) - 1.0).abs() < 1e-12);
        assert!(ring(&mut book, 6, 0.7) < 1.0, "it was right again");
        assert_eq!((book.record(CARD).true_positives, book.record(CARD).activations), (4, 6));
    }

    /// What gas cost when it began to ring is what going out would have cost.
    #[test]
    fn an_alarm_is_judged_by_the_gas_of_its_beginning() {
        let early = card().early();
        for (then, after, heard_again) in [(0.0, 0.0, true), (150.0, 0.0, false), (0.0, 150.0, true)] {
            let losses = [(ThreatResponse::DoNothing, 900.0), (ThreatResponse::UnwindAtOnce, 100.0)];
            let (mut book, mut alarms) = (practised(&losses), ThreatAlarms::default());
            let at = |tick, gas_bps| AlarmMoment { gas_bps, ..moment(tick) };
            alarms.hear(&mut book, &early, &at(1, then));
            alarms.hear(&mut book, &early_but_calm(&early), &at(91, after));
            let heard = alarms.hear(&mut book, &early, &at(1_000, 0.0)).risk < 1.0;
            assert_eq!(heard, heard_again, "{then} and {after}");
        }
    }

    /// What often holds and is followed by nothing is known before there is an answer to it, and costs nothing; what never held
    /// is answered the first time.
    #[test]
    fn what_usually_follows_is_known_before_the_first_answer() {
        let losses = [(ThreatResponse::DoNothing, 900.0), (ThreatResponse::UnwindAtOnce, 100.0)];
        let early = card().early();
        for (rang, answered) in [(0, true), (3, true), (4, false), (8, false)] {
            let (mut book, mut alarms) = (ThreatBook::default(), ThreatAlarms::default());
            for n in 0..rang {
                assert!((alarms.hear(&mut book, &early, &moment(n * 1_000)).risk - 1.0).abs() < 1e-12);
                alarms.hear(&mut book, &early_but_calm(&early), &moment(n * 1_000 + 90));
            }
            practise(&mut book, &losses);
            let risk = alarms.hear(&mut book, &early, &moment(100_000)).risk;
            assert_eq!(risk < 1.0, answered, "after {rang} for nothing");
        }
    }
}
