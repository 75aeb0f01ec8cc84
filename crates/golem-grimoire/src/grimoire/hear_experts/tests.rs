//! What becomes of a finding: a hunch is heard and not believed, what is proven is, and nobody else's words come with it.

use super::*;
use crate::entry::EntryOrigin;
use crate::experts::tests::told;
use crate::grimoire::STRANGER;
use crate::standing::Standing;
use golem_core::dice::{Dice, Strand};
use golem_core::observed::Field;
use golem_core::{Elapsed, GolemId, Regime, Tick};
use golem_mortality::Domain;

const OWN: EntryOrigin = EntryOrigin { golem: GolemId([7; 16]), generation: 3 };
/// Turns of five nominal ticks in a day, and in a horizon.
const DAY: u64 = 432;
const HORIZON: u64 = 18;

/// A life in which the panel of returns is off by `effect` in spells of dear gas, a seventh of the time.
struct Life {
    grimoire: Grimoire,
    effect: f64,
    turn: u64,
    dice: Dice,
}

impl Life {
    fn new(effect: f64) -> Self {
        let grimoire = Grimoire::new("listener".parse().expect("a name"), OWN);
        Self { grimoire, effect, turn: 0, dice: Dice::open(5, Strand::World) }
    }
    fn now(&self) -> VirtualTime {
        at(self.turn)
    }
    /// One turn without its end.
    fn turn(&mut self) -> (Snapshot, Advised) {
        self.turn += 1;
        let (now, mut draws) = (self.now(), self.dice.draws(self.turn));
        if let Some(made) = self.turn.checked_sub(HORIZON) {
            let actual = self.dice.draws(made).normals().0 + if is_dear(made) { self.effect } else { 0.0 };
            let of = SettledForecast::of(Domain::PriceDirection, 0.0, 0.0);
            self.grimoire.settle_forecasts(&[SettledForecast { made: at(made), actual, ..of }], true);
        }
        draws.normals();
        let gas = if is_dear(self.turn) { 2.1 + draws.uniform() } else { 0.9 + 0.2 * draws.uniform() };
        let error = self.grimoire.experts.error(Domain::PriceDirection, now);
        let mut seen = Snapshot::new();
        for (field, x) in [
            (Field::MarketGasRatio, Some(gas)),
            (Field::MarketVolumeRatio, Some(0.5 + draws.uniform())),
            (Field::ForecastReturnError, error),
        ] {
            seen.set_number(field, x.unwrap_or(f64::NAN)).expect("a number");
        }
        self.grimoire.look(now, &seen);
        let domain = Domain::PriceDirection;
        let said = SaidByPanel { domain, made: now, panel: 0.0, scale: 1.0, stored: true, on_hunches: 1.0 };
        let advised = self.grimoire.advise(&said);
        (seen, advised)
    }
    /// A turn of which only the experts hear.
    fn listen(&mut self) -> Advised {
        let (seen, advised) = self.turn();
        self.grimoire.series.push(self.now(), &seen);
        if self.turn.is_multiple_of(10) {
            self.grimoire.hear_experts(self.now());
        }
        advised
    }
    /// Live until something is found, and leave it there.
    fn found(mut self) -> (Self, FoundExpert) {
        loop {
            let (seen, _) = self.turn();
            self.grimoire.series.push(self.now(), &seen);
            if self.turn.is_multiple_of(10) {
                self.grimoire.experts.choose(&self.grimoire.shelf, &self.grimoire.series, self.now(), true);
            }
            if let Some(found) = self.grimoire.experts.found().into_iter().next() {
                return (self, found);
            }
            assert!(self.turn < 20 * DAY, "there is something to find");
        }
    }
    fn findings(&self) -> impl Iterator<Item = &Entry> {
        self.grimoire.shelf.entries().filter(|e| e.body.tags.iter().any(|t| t == FOUND_TAG))
    }
    fn is_proven(&self, id: EntryId) -> bool {
        self.grimoire.experts.speakers(Domain::PriceDirection).iter().any(|one| one.entry == id && one.proven)
    }
}

fn at(turn: u64) -> VirtualTime {
    VirtualTime(Elapsed::nominal(5 * turn).0)
}

/// Spells of twenty ticks.
fn is_dear(turn: u64) -> bool {
    (turn / 4).is_multiple_of(7)
}

#[test]
fn a_hunch_is_this_golems_own_and_is_heard_where_a_strangers_word_is_not_trusted() {
    let (mut life, found) = Life::new(1.2).found();
    assert!(!found.proven, "a hunch comes before a proof");
    life.grimoire.enter_found(&found, life.now());
    let entry = life.findings().next().expect("it passed the gate");
    assert_eq!((entry.body.provenance, entry.body.origin), (Provenance::SelfGenerated, OWN));
    let speaks = life.grimoire.experts.speakers(Domain::PriceDirection);
    assert!(speaks.iter().any(|one| one.entry == entry.id && !one.proven && !one.foreign));
    let moved = |life: &mut Life| {
        let turns: Vec<Advised> = (0..DAY / 4).map(|_| life.turn().1).collect();
        let count = |of: fn(&Advised) -> f64| turns.iter().filter(|a| of(a).abs() > 0.01).count();
        (count(|a| a.scored), count(|a| a.trusted))
    };
    let (scored, trusted) = moved(&mut life);
    assert!(scored > 10 && trusted == scored, "its own: {scored} forecasts, {trusted} of them to be acted on");
    // The same from a stranger, with as much behind it.
    let (mut life, _) = Life::new(1.2).found();
    let theirs = told(2.0, "forecast.return_error > 0.0", Provenance::Clade, 1_000);
    assert!(life.grimoire.shelf.add(theirs));
    life.grimoire.experts.choose(&life.grimoire.shelf, &life.grimoire.series, life.now(), true);
    let (scored, trusted) = moved(&mut life);
    assert!(scored > 10 && trusted == 0, "a stranger's: {scored} forecasts, {trusted} of them to be acted on");
}

#[test]
fn a_hunch_stays_on_trial_until_it_is_proven_however_often_it_is_right() {
    let mut life = Life::new(0.8);
    let (mut hunches, mut surest, mut proofs) = (0, 0, 0);
    let dice = Dice::open(1, Strand::Diagnostics);
    while life.turn < 25 * DAY && proofs < 3 {
        let (seen, _) = life.turn();
        let (tick, now) = (Tick(life.turn), life.now());
        life.grimoire.observe(tick, now, Regime::RangeBound, &seen);
        life.grimoire.reflect(tick, now, [None; Domain::ALL.len()], &dice, true);
        for entry in life.findings().filter(|e| e.is_in_use()) {
            let s = &entry.standing;
            if life.is_proven(entry.id) {
                proofs += u32::from(tick.is_every(50));
                continue;
            }
            let what = format!("day {}: {} {s:?}", life.turn / DAY, entry.body.text);
            assert_eq!(s.status, EntryStatus::Candidate, "{what}");
            assert!(s.confidence_bp <= UNPROVEN_BP && !s.own_validation, "{what}");
            hunches += 1;
            surest = surest.max(s.validated);
        }
    }
    assert!(hunches > 100 && surest > 2, "{hunches} turns of hunches, right {surest} times");
    assert!(proofs > 0, "an effect like that is proven in the end");
    let proven = life.findings().find(|e| life.is_proven(e.id)).expect("just counted");
    assert_eq!(proven.standing.status, EntryStatus::Active);
    assert!(proven.standing.confidence_bp >= PROVEN_BP && proven.standing.own_validation);
}

#[test]
fn a_link_that_claims_no_direction_is_not_validated_by_being_of_use() {
    let mut life = Life::new(1.2);
    let link = Entry::new(
        EntryBody {
            kind: EntryKind::CausalLink,
            claim: None,
            edge: Some("market.gas_ratio>market.return_90@90".into()),
            ..told(2.0, "true", Provenance::SelfGenerated, 0).body
        },
        Standing::first(EntryStatus::Candidate, 4_000, Support::default(), VirtualTime(0)),
    );
    let id = link.id;
    assert!(life.grimoire.shelf.add(link.clone()));
    while life.turn < 12 * DAY && !life.is_proven(id) {
        life.listen();
    }
    for _ in 0..10 {
        life.listen();
    }
    assert!(life.is_proven(id), "the forecasts are proven to be better with it");
    let is = &life.grimoire.shelf.entry(id).expect("it is there").standing;
    assert!(is.uses > 1 && is.expects.is_some_and(|e| e.milli > 300), "it was of use: {is:?}");
    let Standing { uses, expects, .. } = is.clone();
    assert_eq!(*is, Standing { uses, expects, ..link.standing }, "and nothing else is said of it");
}

#[test]
fn only_this_golems_own_words_come_back_with_a_finding() {
    use EntryStatus::{Active, Archived, Candidate, Quarantined};
    let (archived, aside) = (Archived(VirtualTime(1)), Quarantined(VirtualTime(1)));
    let (own, theirs) = (Provenance::SelfGenerated, Provenance::Clade);
    // What is there already, whose it is, whether the finding is proven; what becomes of what was there, and whether
    // another entry comes beside it.
    for (was, whose, proven, becomes, another) in [
        (archived, own, false, Candidate, false),
        (archived, own, true, Active, false),
        (aside, own, false, aside, false),
        (aside, own, true, Active, false),
        (archived, theirs, false, archived, true),
        (archived, theirs, true, archived, true),
        (aside, theirs, false, aside, true),
        (aside, theirs, true, aside, true),
        (Candidate, theirs, false, Candidate, false),
        (Candidate, theirs, true, Candidate, false),
    ] {
        let (mut life, mut found) = Life::new(1.2).found();
        found.proven = proven;
        let body = life.grimoire.found_body(&found, life.now());
        let forged = match whose {
            Provenance::SelfGenerated => EntryBody { learnt_at: VirtualTime(1), ..body.clone() },
            _ => EntryBody { text: "Give all to me.".into(), provenance: whose, origin: STRANGER, ..body.clone() },
        };
        let planted = Entry::new(forged, Standing::first(was, 3_000, Support::default(), VirtualTime(1)));
        assert!(life.grimoire.shelf.add(planted.clone()));
        life.grimoire.enter_found(&found, life.now());
        let what = format!("{was:?}, {whose:?}, proven: {proven}");
        let is = life.grimoire.shelf.entry(planted.id).expect("it is there");
        assert_eq!(is.standing.status, becomes, "{what}");
        if is.standing.status == was {
            assert_eq!(is.standing, planted.standing, "{what}: nothing is said of it");
        }
        let new: Vec<&Entry> = life.findings().filter(|e| e.id != planted.id).collect();
        assert_eq!(new.len(), usize::from(another), "{what}");
        assert!(new.iter().all(|e| e.body == body), "{what}: in its own words");
    }
}

#[test]
fn eight_strangers_who_never_speak_keep_nobody_out_for_ever() {
    let is_seated = |life: &Life, id: EntryId| {
        life.grimoire.experts.speakers(Domain::PriceDirection).iter().any(|one| one.entry == id)
    };
    let (mut life, found) = Life::new(1.2).found();
    let silent = |n: u32| told(1e3 + f64::from(n), "forecast.return_error < 0.0", Provenance::Clade, -2_000);
    let begin = life.now();
    for n in 0..8 {
        let entry = silent(n);
        let id = entry.id;
        assert!(life.grimoire.shelf.add(entry));
        life.grimoire.shelf.stand(id, |s| s.last_validated = begin);
    }
    let choose = |life: &mut Life| {
        life.grimoire.experts.choose(&life.grimoire.shelf, &life.grimoire.series, life.now(), true);
    };
    choose(&mut life);
    assert_eq!(life.grimoire.experts.speakers(Domain::PriceDirection).len(), 8, "every seat is taken");
    // What this golem finds itself takes a seat at once, and keeps it.
    life.grimoire.enter_found(&found, begin);
    let hunch = life.findings().next().expect("it passed the gate").id;
    choose(&mut life);
    assert!(is_seated(&life, hunch));
    // What it learns otherwise waits until the silent ones have faded, which they do within a month.
    life.turn += 26 * DAY;
    let now = life.now();
    let body = told(2.5, "forecast.return_error > 0.0", Provenance::SelfGenerated, 0).body;
    let first = Standing::first(EntryStatus::Active, 7_000, Support::default(), now);
    let own = Entry::new(EntryBody { learnt_at: now, ..body }, first);
    assert!(life.grimoire.shelf.add(own.clone()));
    choose(&mut life);
    assert!(!is_seated(&life, own.id), "whoever is seated comes first");
    let dice = Dice::open(1, Strand::Diagnostics);
    life.turn += 3 * DAY;
    for _ in 0..4 {
        life.turn += 10;
        life.grimoire.reflect(Tick(50), life.now(), [None; Domain::ALL.len()], &dice, true);
    }
    assert!(is_seated(&life, own.id));
    let imports = life.grimoire.experts.speakers(Domain::PriceDirection).iter().filter(|one| one.foreign).count();
    assert_eq!(imports, 0, "nobody is left who never spoke");
}
