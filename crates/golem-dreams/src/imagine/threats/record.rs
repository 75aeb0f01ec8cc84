//! What is remembered of each threat: how often it was rehearsed, seemed to begin, and did.

use super::rehearse::{RehearsedResponse, ThreatResponse};
use crate::imagine::catalogue::{THREATS, threat};
use crate::journal::ThreatSimulated;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Cycles for which a real loss doubles rehearsal.
pub const CYCLES_AFTER_LOSS: u8 = 5;
const CALMING_REHEARSALS: u32 = 5;
/// A threat that would cost less than this, in basis points of wealth, frightens nobody.
const FRIGHTENING_BPS: f64 = 100.0;

/// A mean is over so many rehearsals at most, and a response is relied upon from so many on.
const REMEMBERED: u32 = 20;
const PRACTISED: u32 = 3;
/// Who has less than this share exposed learns nothing by a rehearsal.
const LEAST_EXPOSURE: f64 = 0.05;
/// How many for nothing are borne before one is only watched, and how many it can be behind at most.
const PATIENCE: f64 = 4.0;
const FARTHEST_BEHIND: f64 = 12.0;
/// An alarm was right when the price has fallen by more than this share since: less than that nobody need go out for.
const CAME: f64 = 0.005;
/// No single alarm speaks for a larger fall or rise than this, in basis points, or than twice what its way cost where that is more:
/// two that were quite wrong are as four for nothing.
const MOST_SAID_BPS: f64 = 100.0;
/// The share of a loss that must be saved, and what going out and coming in again costs beside gas, in basis points of what is exposed.
const WORTH_SAVING: f64 = 0.25;
const ROUND_TRIP_BPS: f64 = 50.0;

/// One threat's history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreatRecord {
    pub rehearsals: u32,
    /// Times its trigger held while awake.
    pub activations: u32,
    pub true_positives: u32,
    pub false_alarms: u32,
    /// When it was rehearsed last, and in which cycle.
    pub rehearsed: Option<VirtualTime>,
    pub rehearsed_cycle: Option<u64>,
    /// The cycle before which it last turned out to be real.
    pub struck_cycle: Option<u64>,
    /// What doing nothing lost in the latest rehearsal, in basis points of wealth.
    pub loss_bps: f64,
    /// What each response came to, in the mean of the rehearsals.
    responses: Vec<ResponseMean>,
    /// What heeding its alarms would have come to, in basis points of what is exposed. Being right makes good what was wrong, and is
    /// no credit for later: where triggers hold often, chance alone would give some.
    account_bps: f64,
}

/// What a response came to in the mean, in basis points of what was exposed: what doing nothing lost, and what any other saved
/// in the same rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct ResponseMean {
    response: ThreatResponse,
    rehearsals: u32,
    bps: f64,
}

/// One rehearsal: what came of the responses, which were tried, and how much of its wealth was exposed.
#[derive(Debug, Clone, Copy)]
pub struct RehearsalOf<'a> {
    pub rehearsed: &'a [RehearsedResponse],
    pub tried: &'a [ThreatResponse],
    pub exposure: f64,
}

impl ThreatRecord {
    /// Take in what came of one rehearsal. A way out that was refused saved nothing; who had next to nothing exposed learns
    /// nothing by it.
    fn learn(&mut self, of: &RehearsalOf<'_>) {
        let Some(nothing) = of.rehearsed.first().filter(|r| r.response == ThreatResponse::DoNothing) else { return };
        if of.exposure.is_nan() || of.exposure < LEAST_EXPOSURE || !nothing.loss_bps.is_finite() {
            return;
        }
        let lost = |response: ThreatResponse| of.rehearsed.iter().find(|r| r.response == response).map(|r| r.loss_bps);
        for &response in of.tried {
            let saved = match response {
                ThreatResponse::DoNothing => nothing.loss_bps,
                _ => lost(response).filter(|bps| bps.is_finite()).map_or(0.0, |bps| nothing.loss_bps - bps),
            };
            let bps = saved / of.exposure.min(1.0);
            match self.responses.iter_mut().find(|known| known.response == response) {
                Some(known) => {
                    known.rehearsals = known.rehearsals.saturating_add(1).min(REMEMBERED);
                    known.bps += (bps - known.bps) / f64::from(known.rehearsals);
                }
                None => self.responses.push(ResponseMean { response, rehearsals: 1, bps }),
            }
        }
    }
    /// The response that rehearsals have shown to be worth it as soon as the threat is noticed: it saves a quarter of the loss,
    /// and more than going out and coming in again costs now. None before there were a few.
    #[must_use]
    pub fn answer(&self, gas_bps: f64) -> Option<ThreatResponse> {
        let practised = |response| self.responses.iter().find(|r| r.response == response && r.rehearsals >= PRACTISED);
        let nothing = practised(ThreatResponse::DoNothing)?.bps;
        let ways = [ThreatResponse::UnwindAtOnce, ThreatResponse::Halve];
        let best = ways.into_iter().filter_map(practised).max_by(|a, b| a.bps.total_cmp(&b.bps))?;
        (best.bps >= (nothing * WORTH_SAVING).max(way(gas_bps))).then_some(best.response)
    }
    /// True unless going out at its alarms and coming in again would have cost more than a few that were for nothing. Where
    /// prices swing widely some fall follows every alarm by chance: what counts is what all of them came to.
    #[must_use]
    pub fn is_heeded(&self) -> bool {
        self.account_bps > -PATIENCE * ROUND_TRIP_BPS
    }
    /// True while the thought of it still frightens: five rehearsals take that away.
    #[must_use]
    pub fn stirs(&self) -> bool {
        self.rehearsals <= CALMING_REHEARSALS
    }
}

/// What going out and coming in again costs, in basis points of what is exposed, where so much of it is gas.
fn way(gas_bps: f64) -> f64 {
    ROUND_TRIP_BPS + if gas_bps > 0.0 { gas_bps } else { 0.0 }
}

/// All threats' histories in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreatTally {
    pub rehearsals: u32,
    /// Times a trigger began to hold while awake, whether or not it was heeded; the price fell after that, or it did not.
    pub activations: u32,
    pub true_positives: u32,
    pub false_alarms: u32,
}

/// All threats' histories: one each, and none that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreatBook {
    records: BTreeMap<String, ThreatRecord>,
    /// Cycles left in which a real loss still counts.
    pub loss_cycles_left: u8,
}

impl ThreatBook {
    /// The history of a threat.
    #[must_use]
    pub fn record(&self, id: &str) -> ThreatRecord {
        self.records.get(id).cloned().unwrap_or_default()
    }
    /// The same, where there is one.
    #[must_use]
    pub fn known(&self, id: &str) -> Option<&ThreatRecord> {
        self.records.get(id)
    }
    pub fn records(&self) -> impl Iterator<Item = (&str, &ThreatRecord)> {
        self.records.iter().map(|(id, record)| (id.as_str(), record))
    }
    /// What all of them come to.
    #[must_use]
    pub fn tally(&self) -> ThreatTally {
        self.records().fold(ThreatTally::default(), |all, (_, one)| ThreatTally {
            rehearsals: all.rehearsals.saturating_add(one.rehearsals),
            activations: all.activations.saturating_add(one.activations),
            true_positives: all.true_positives.saturating_add(one.true_positives),
            false_alarms: all.false_alarms.saturating_add(one.false_alarms),
        })
    }
    fn change(&mut self, id: &str, change: impl FnOnce(&mut ThreatRecord)) {
        if threat(id).is_some() {
            change(self.records.entry(id.to_owned()).or_default());
        }
        // A file may hold what the catalogue no longer does.
        while self.records.len() > THREATS.len() {
            let stray = self.records.keys().find(|id| threat(id).is_none()).cloned();
            match stray {
                Some(id) => self.records.remove(&id),
                None => break,
            };
        }
    }
    /// The tier of the worst threat of a night that still frightens: it cost something, and is not used to yet.
    #[must_use]
    pub fn frightening(&self, night: &[ThreatSimulated]) -> Option<u8> {
        let frightens = |t: &&ThreatSimulated| t.loss_bps > FRIGHTENING_BPS && self.record(&t.threat_id).stirs();
        night.iter().filter(frightens).map(|t| t.tier).min()
    }
    /// It was lived through on a copy.
    pub fn rehearsed(&mut self, id: &str, of: &RehearsalOf<'_>, cycle: u64, now: VirtualTime) {
        let loss_bps = of.rehearsed.first().map_or(f64::NAN, |nothing| nothing.loss_bps);
        self.change(id, |record| {
            record.learn(of);
            record.rehearsals = record.rehearsals.saturating_add(1);
            (record.rehearsed, record.rehearsed_cycle) = (Some(now), Some(cycle));
            record.loss_bps = if loss_bps.is_finite() { loss_bps } else { record.loss_bps };
        });
    }
    /// Its trigger began to hold while awake.
    pub fn activated(&mut self, id: &str) {
        self.change(id, |record| record.activations = record.activations.saturating_add(1));
    }
    /// What became of an alarm: by what share the price has fallen since, or risen where it is below nought, and what gas would have
    /// cost when it began.
    pub fn settled(&mut self, id: &str, fell: f64, gas_bps: f64, cycle: u64) {
        let (came, way) = (fell > CAME, way(gas_bps));
        let most = MOST_SAID_BPS.max(2.0 * way);
        let worth = (fell * 1e4).clamp(-most, most) - way;
        self.change(id, |record| {
            let count = if came { &mut record.true_positives } else { &mut record.false_alarms };
            *count = count.saturating_add(1);
            let account = record.account_bps + if worth.is_nan() { 0.0 } else { worth };
            record.account_bps = account.clamp(-FARTHEST_BEHIND * ROUND_TRIP_BPS, 0.0);
            record.struck_cycle = if came { Some(cycle) } else { record.struck_cycle };
        });
    }
    /// A real loss: the next cycles rehearse twice as much.
    pub fn lost(&mut self) {
        self.loss_cycles_left = CYCLES_AFTER_LOSS;
    }
    /// A cycle has passed.
    pub fn cycle_over(&mut self) {
        self.loss_cycles_left = self.loss_cycles_left.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imagine::samples::at;
    use crate::journal::ThreatCoverage;

    #[test]
    fn five_rehearsals_calm() {
        for rehearsals in [0, 1, 5, 6, 50] {
            let record = ThreatRecord { rehearsals, ..Default::default() };
            assert_eq!(record.stirs(), rehearsals <= 5);
        }
    }

    #[test]
    fn alarms_are_counted_and_false_ones_are_told() {
        let mut book = ThreatBook::default();
        for fell in [0.0051, 0.2, 0.005] {
            book.activated("gas_war");
            book.settled("gas_war", fell, 0.0, 7);
        }
        let record = book.record("gas_war");
        assert_eq!((record.activations, record.true_positives, record.false_alarms), (3, 2, 1));
        assert_eq!(record.struck_cycle, Some(7));
        let lost =
            |loss_bps: f64| [RehearsedResponse { response: ThreatResponse::DoNothing, loss_bps, worst_bps: 0.0 }];
        for (loss_bps, cycle, tick) in [(120.0, 3, 5), (f64::NAN, 4, 6)] {
            let of = RehearsalOf { rehearsed: &lost(loss_bps), tried: &[ThreatResponse::DoNothing], exposure: 1.0 };
            book.rehearsed("gas_war", &of, cycle, at(tick));
        }
        let record = book.record("gas_war");
        assert_eq!((record.rehearsals, record.rehearsed_cycle, record.rehearsed), (2, Some(4), Some(at(6))));
        assert!((record.loss_bps - 120.0).abs() < 1e-12);
    }

    /// What is relied upon was tried several times, and saves more than it costs to go and to come back.
    #[test]
    fn the_answer_is_what_rehearsals_have_shown() {
        use ThreatResponse as R;
        let one = |response, loss_bps| RehearsedResponse { response, loss_bps, worst_bps: 0.0 };
        let all = [R::DoNothing, R::UnwindAtOnce, R::Halve];
        let after = |times: u64, [nothing, once, half]: [Option<f64>; 3], exposure: f64| {
            let mut book = ThreatBook::default();
            let came = all.into_iter().zip([nothing, once, half]).filter_map(|(r, loss)| Some(one(r, loss?)));
            let rehearsed: Vec<RehearsedResponse> = came.collect();
            for n in 0..times {
                let of = RehearsalOf { rehearsed: &rehearsed, tried: &all, exposure };
                book.rehearsed("flash_crash", &of, n, at(n));
            }
            book.record("flash_crash").answer(0.0)
        };
        let lost = |nothing: f64, once: f64, half: f64| [Some(nothing), Some(once), Some(half)];
        assert_eq!(after(2, lost(900.0, 100.0, 500.0), 1.0), None, "twice is not practised");
        assert_eq!(after(3, lost(900.0, 100.0, 500.0), 1.0), Some(R::UnwindAtOnce));
        assert_eq!(after(3, lost(900.0, 600.0, 500.0), 1.0), Some(R::Halve));
        assert_eq!(after(3, lost(900.0, 700.0, 800.0), 1.0), None, "less than a quarter");
        assert_eq!(after(3, lost(60.0, 15.0, 40.0), 1.0), None, "less than the way out and in");
        assert_eq!(after(3, lost(60.0, 15.0, 40.0), 0.15), Some(R::UnwindAtOnce), "of what is exposed it is much");
        assert_eq!(after(9, lost(60.0, 15.0, 40.0), 0.04), None, "next to nothing was exposed");
        assert_eq!(after(3, lost(-50.0, 20.0, 0.0), 1.0), None);
        assert_eq!(after(3, [Some(900.0), None, Some(500.0)], 1.0), Some(R::Halve), "what is refused saves nothing");
        assert_eq!(after(3, [Some(900.0), None, None], 1.0), None);
    }

    #[test]
    fn what_was_rehearsed_often_no_longer_frightens() {
        let threats = [("flash_crash", 1, 300.0), ("gas_war", 2, 300.0), ("regulatory", 3, 90.0)];
        let night: Vec<ThreatSimulated> = threats
            .into_iter()
            .map(|(id, tier, loss_bps)| ThreatSimulated {
                threat_id: id.into(),
                tier,
                loss_bps,
                best_response: String::new(),
                best_loss_bps: 0.0,
                coverage: ThreatCoverage::default(),
                gaps: Vec::new(),
            })
            .collect();
        let mut book = ThreatBook::default();
        let of = RehearsalOf { rehearsed: &[], tried: &[], exposure: 1.0 };
        let mut after = |id: &str, times: u64| {
            (0..times).for_each(|n| book.rehearsed(id, &of, n, at(n)));
            book.frightening(&night)
        };
        assert_eq!(after("flash_crash", 5), Some(1));
        assert_eq!(after("flash_crash", 1), Some(2), "it is used to that, and the next worst is felt");
        assert_eq!(after("gas_war", 6), None, "what costs next to nothing frightens nobody");
    }

    /// Gas is part of the way: where it is dear, less is worth going out for, and going out for nothing costs more.
    #[test]
    fn dear_gas_is_part_of_the_way() {
        let one = |response, loss_bps| RehearsedResponse { response, loss_bps, worst_bps: 0.0 };
        let rehearsed = [one(ThreatResponse::DoNothing, 300.0), one(ThreatResponse::UnwindAtOnce, 100.0)];
        let tried = [ThreatResponse::DoNothing, ThreatResponse::UnwindAtOnce];
        let mut book = ThreatBook::default();
        (0..3).for_each(|n| {
            book.rehearsed("gas_war", &RehearsalOf { rehearsed: &rehearsed, tried: &tried, exposure: 1.0 }, n, at(n));
        });
        for (gas_bps, answers) in [(0.0, true), (150.0, true), (151.0, false), (f64::NAN, true), (-9.0, true)] {
            assert_eq!(book.record("gas_war").answer(gas_bps).is_some(), answers, "{gas_bps}");
        }
        for (gas_bps, fell, borne) in [(0.0, 0.0, 4), (50.0, 0.0, 2), (150.0, 0.0, 1), (150.0, 0.0201, 40)] {
            let mut book = ThreatBook::default();
            let rings = (0..40).take_while(|_| {
                book.settled("gas_war", fell, gas_bps, 1);
                book.record("gas_war").is_heeded()
            });
            assert_eq!(rings.count() + usize::from(borne < 40), borne, "{gas_bps} {fell}");
        }
    }

    #[test]
    fn being_right_makes_good_and_is_no_credit() {
        let mut book = ThreatBook::default();
        let mut after = |falls: &[f64]| {
            falls.iter().for_each(|fell| book.settled("gas_war", *fell, 0.0, 1));
            book.record("gas_war").is_heeded()
        };
        assert!(after(&[]) && after(&[0.0; 3]) && !after(&[0.0]), "four that were for nothing");
        assert!(!after(&[0.005]) && after(&[0.0051]), "a fall that pays the way makes nothing good; more does");
        assert!(after(&[0.3; 30]), "all of the latest were right");
        assert!(after(&[-0.3]) && !after(&[-0.3]), "and none of that is left after two that were quite wrong");
        assert!(
            !after(&[-0.3; 100]) && !after(&[0.3; 8]) && after(&[0.3]),
            "nobody is so far behind that it cannot come back"
        );
    }

    /// Falls and rises of a per cent by turns are right every second time, and cost their way out and in all the same.
    #[test]
    fn what_is_right_by_chance_alone_is_not_heeded_for_long() {
        let mut book = ThreatBook::default();
        let heeded: Vec<bool> = (0..40)
            .map(|n| {
                let before = book.record("gas_war").is_heeded();
                book.settled("gas_war", if n % 2 == 0 { 0.01 } else { -0.01 }, 0.0, 1);
                before
            })
            .collect();
        assert!(heeded[..4].iter().all(|h| *h) && heeded[6..].iter().all(|h| !h), "{heeded:?}");
    }

    #[test]
    fn there_are_no_more_records_than_threats() {
        let mut book = ThreatBook::default();
        for i in 0..40 {
            book.records.insert(format!("odd {i}"), ThreatRecord::default());
            book.activated(&format!("odd {i}"));
        }
        THREATS.iter().for_each(|card| book.activated(card.id));
        assert_eq!((book.records().count(), book.tally().activations), (15, 15));
        book.settled("gas_war", 0.01, 0.0, 1);
        (0..2).for_each(|_| book.settled("flash_crash", 0.0, 0.0, 1));
        let of = RehearsalOf { rehearsed: &[], tried: &[], exposure: 1.0 };
        book.rehearsed("gas_war", &of, 1, at(1));
        let all = ThreatTally { rehearsals: 1, activations: 15, true_positives: 1, false_alarms: 2 };
        assert_eq!(book.tally(), all);
        assert!(book.records().all(|(id, _)| threat(id).is_some()));
        let text = serde_json::to_string(&book).unwrap();
        assert_eq!(serde_json::from_str::<ThreatBook>(&text).unwrap(), book);
    }

    #[test]
    fn a_loss_counts_for_five_cycles() {
        let mut book = ThreatBook::default();
        book.lost();
        let left: Vec<u8> = (0..6).map(|_| (book.loss_cycles_left, book.cycle_over()).0).collect();
        assert_eq!(left, [5, 4, 3, 2, 1, 0]);
    }
}
