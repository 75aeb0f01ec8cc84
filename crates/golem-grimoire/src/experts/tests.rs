//! Seats: they are kept through a bad trial, lost with the record, and not for ever.

use super::*;
use crate::claim::Claim;
use crate::entry::{DecayClass, EntryBody, EntryKind, EntryOrigin, Provenance};
use crate::standing::{EntryStatus, Expectation, Standing, Support};
use golem_core::GolemId;
use golem_core::observed::Field;

/// What somebody says of `then` while gas is dear, by a bound of its own, with what it expects in thousandths.
pub(crate) fn told(bound: f64, then: &str, provenance: Provenance, milli: i32) -> Entry {
    let claim =
        Claim { when: format!("market.gas_ratio > {bound:?}"), then: then.to_owned(), unless: None, after_ticks: 90 };
    let text = format!("When {}, {then}.", claim.when);
    let origin = EntryOrigin { golem: GolemId([9; 16]), generation: 0 };
    let body = EntryBody {
        claim: Some(claim),
        decay_class: DecayClass::Regime,
        domain: Some(Domain::PriceDirection),
        provenance,
        ..EntryBody::own(EntryKind::Insight, text, origin, VirtualTime(0))
    };
    let mut standing = Standing::first(EntryStatus::Active, 4_000, Support::default(), VirtualTime(0));
    standing.expects = Some(Expectation { milli, blocks: 40 });
    Entry::new(body, standing)
}

/// What is wrong in a claim of which nothing is left, and what claims no way at all.
const ABOVE: &str = "forecast.return_error > 0.0";
const NO_WAY: &str = "market.return_15 > 0.0";

/// Turns of five ticks in each of which reality lies `off` usual errors from the panel, while gas is dear.
pub(crate) fn live(experts: &mut Experts, turns: std::ops::Range<u64>, off: f64) {
    let at = |turn: u64| VirtualTime(Elapsed::nominal(5 * turn).0);
    let mut seen = Snapshot::new();
    seen.set_number(Field::MarketGasRatio, 3.0).expect("a number");
    for turn in turns {
        experts.see(at(turn), &seen);
        if let Some(made) = turn.checked_sub(18) {
            let of = SettledForecast::of(Domain::PriceDirection, 0.0, 0.0);
            experts.settle(&SettledForecast { made: at(made), actual: off, ..of }, true);
        }
        let domain = Domain::PriceDirection;
        experts.advise(&SaidByPanel { domain, made: at(turn), panel: 0.0, scale: 1.0, stored: true, on_hunches: 1.0 });
    }
}

struct Room {
    experts: Experts,
    shelf: Shelf,
    turn: u64,
}

impl Room {
    fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut room = Self { experts: Experts::default(), shelf: Shelf::default(), turn: 0 };
        entries.into_iter().for_each(|entry| assert!(room.shelf.add(entry)));
        room.choose();
        room
    }
    fn choose(&mut self) -> Vec<EntryId> {
        self.experts.choose(&self.shelf, &Series::new(), VirtualTime(Elapsed::nominal(5 * self.turn).0), true);
        self.seated()
    }
    fn seated(&self) -> Vec<EntryId> {
        self.experts.speakers(Domain::PriceDirection).iter().map(|one| one.entry).collect()
    }
    /// Live until everyone who is seated has had a trial.
    fn try_all(&mut self, off: f64) {
        let tried = |one: &Specialist| one.learner.record() != (0, 0);
        while !self.experts.speakers(Domain::PriceDirection).iter().all(tried) {
            live(&mut self.experts, self.turn..self.turn + 1, off);
            self.turn += 1;
            assert!(self.turn < 100, "somebody is never tried");
        }
    }
}

#[test]
fn one_lost_trial_costs_nobody_the_seat_nor_the_record() {
    let many = |n| told(2.0 + 0.01 * f64::from(n), ABOVE, Provenance::Clade, 900);
    let mut room = Room::of((0..12).map(many));
    let before = room.seated();
    assert_eq!(before.len(), MOST_HEARD);
    room.try_all(-1.0);
    let lost =
        |one: &Specialist| one.learner.lead() < 0.0 && one.odds() < STRANGER_ODDS && one.learner.record() == (0, 1);
    assert!(room.experts.speakers(Domain::PriceDirection).iter().all(lost), "each has lost its one trial");
    assert_eq!(room.choose(), before, "four wait who have lost nothing yet");
    assert!(room.experts.speakers(Domain::PriceDirection).iter().all(lost), "and each has its record still");
}

#[test]
fn who_has_lost_its_record_is_shown_out_and_not_seated_at_once_again() {
    let many = |n| told(2.0 + 0.01 * f64::from(n), NO_WAY, Provenance::Clade, 2_000);
    let mut room = Room::of((0..9).map(many));
    let first = room.seated();
    assert_eq!(first.len(), MOST_HEARD);
    room.try_all(-4.0);
    let waited = room.choose();
    assert_eq!(waited.len(), 1, "who waited has a seat, and nobody else");
    assert!(!first.contains(&waited[0]));
    assert!(first.iter().all(|id| room.shelf.entry(*id).is_some_and(Entry::is_in_use)), "their entries are in use");
    assert_eq!(room.choose(), waited, "nor at the next choice");
    room.experts = Experts::rebuild(room.experts.state(), &room.shelf);
    assert_eq!(room.choose(), waited, "nor after a restart");
    // So many are remembered, each of them once; then the first is a stranger again.
    let others = (0..).map(|n| EntryId([n; 16]));
    let desk = &mut room.experts.councils[0].desk;
    others.take(MOST_DISMISSED - first.len()).for_each(|id| (0..3).for_each(|_| desk.dismiss(id)));
    assert_eq!(desk.dismissed.len(), MOST_DISMISSED);
    assert_eq!(room.choose(), waited);
    room.experts.councils[0].desk.dismiss(EntryId([255; 16]));
    assert_eq!(room.choose().len(), 2, "sixty-four and no more");
}
