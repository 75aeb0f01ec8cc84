//! What siblings tell each other: what, when, how much, and in which order.

use crate::kit::{claiming, clock, golem, line, proven, standing};
use golem_clade::kin::scent::{scent_of, stains};
use golem_clade::kin::telling::{MOST_IN_BATCH, MOST_URGENT_BYTES};
use golem_clade::kin::{
    KinEnvelope, KinHearsay, KinLetter, KinTelling, KinWord, KinWordFault, TellingMoment, backup_is_due,
};
use golem_clade::library::{Archetype, EquipTarget, WorldCalendar};
use golem_clade::provenance::{Lineage, ValidationWord};
use golem_core::{Elapsed, Hash, Regime, Tick, Timestamp, VirtualTime};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryStatus, Provenance, Standing, WarningSeverity};
use golem_mortality::DeathCause;
use std::collections::BTreeSet;
use styx_wire::{DeltaKind, FieldScope, PheromoneDeposit, PheromoneLayer, ScentKey};

/// A golem of generation 0 that knows these.
pub struct Teller {
    line: Lineage,
    pub shelf: Shelf,
    told: KinTelling,
    pub heard: KinHearsay,
    pub regime: Regime,
    threshold: f64,
    pub batch_ticks: u64,
}

/// These on a shelf.
pub fn shelf(entries: impl IntoIterator<Item = Entry>) -> Shelf {
    let mut shelf = Shelf::default();
    for entry in entries {
        assert!(shelf.add(entry));
    }
    shelf
}

impl Teller {
    pub fn knowing(entries: impl IntoIterator<Item = Entry>) -> Self {
        let (shelf, told, heard) = (shelf(entries), KinTelling::default(), KinHearsay::default());
        Self { line: line(0), shelf, told, heard, regime: Regime::RangeBound, threshold: 0.6, batch_ticks: 50 }
    }
    pub fn at(&mut self, tick: u64) -> Vec<KinWord> {
        let moment = TellingMoment {
            tick: Tick(tick),
            now: VirtualTime(Elapsed::nominal(tick).0),
            clock: clock(),
            lineage: &self.line,
            shelf: &self.shelf,
            regime: self.regime,
            threshold: self.threshold,
            batch_ticks: self.batch_ticks,
        };
        self.told.due(&moment, &self.heard).into_iter().map(|letter| letter.word).collect()
    }
}

pub fn warning(text: &str, severity: WarningSeverity) -> Entry {
    let about = EntryBody { severity: Some(severity), ..claiming("market.gas_ratio > 2.0", "market.shock > 1.0") };
    proven(EntryBody { kind: EntryKind::Warning, text: text.to_owned(), ..about }, 6_000)
}

pub fn kinds(words: &[KinWord]) -> Vec<DeltaKind> {
    words.iter().filter_map(KinWord::kind).collect()
}

pub fn insight(n: usize, confidence_bp: u16) -> Entry {
    proven(claiming(&format!("market.gas_ratio > {n}.5"), "market.fee_yield_ratio > 1.1"), confidence_bp)
}

#[test]
fn what_is_told_leaves_a_mark_of_its_kind() {
    let as_kind = |kind, confidence_bp| {
        let body =
            EntryBody { kind, regime: Some(Regime::Volatile), ..claiming("market.hour > 2", "market.SHOCK* > 1.0") };
        proven(body, confidence_bp)
    };
    let mut teller = Teller::knowing([
        as_kind(EntryKind::Insight, 9_000),
        as_kind(EntryKind::StrategyFragment, 8_000),
        warning("Gas bursts end in shocks.", WarningSeverity::Medium),
    ]);
    let words = teller.at(50);
    let marks: Vec<_> = words.iter().filter_map(scent_of).collect();
    let seen = |mark: &PheromoneDeposit| {
        let ScentKey { layer, class, domain, regime } = mark.key.clone();
        (layer, class.to_string(), domain.to_string(), regime, mark.intensity)
    };
    let mut told: Vec<_> = marks.iter().map(seen).collect();
    told.sort();
    let general = |class: &str| (class.to_owned(), "general".to_owned());
    let (shock, odd) = (general("market.shock"), general("market.shock_"));
    assert_eq!(
        told,
        [
            (PheromoneLayer::Threat, shock.0, shock.1, Regime::Unknown, 600),
            (PheromoneLayer::Opportunity, odd.0.clone(), odd.1.clone(), Regime::Volatile, 800),
            (PheromoneLayer::Wisdom, odd.0, odd.1, Regime::Volatile, 900),
        ]
    );
    assert!(marks.iter().all(|mark| mark.scope == FieldScope::Clade), "never for everybody by itself");
    let shift = scent_of(&KinWord::Regime { was: Regime::RangeBound, is: Regime::Volatile }).unwrap();
    assert_eq!((shift.key.layer, shift.key.regime, shift.intensity), (PheromoneLayer::Threat, Regime::Volatile, 200));
    let cry = KinWord::Cry { name: "a".into(), text: "b".into(), died: true, letter: "c".into() };
    let judged = KinWord::Validation { root: Hash::of(b"x"), word: ValidationWord::Confirmed };
    assert_eq!((scent_of(&cry), scent_of(&judged)), (None, None));
}

#[test]
fn a_death_marks_where_it_bled_and_an_owners_hand_marks_nothing() {
    let bled: Vec<Entry> = (0..40_u16)
        .map(|n| {
            let regime = Regime::ALL[usize::from(n) % 5];
            let domain = golem_mortality::Domain::ALL[usize::from(n) / 5 % golem_mortality::Domain::ALL.len()];
            let body = EntryBody {
                regime: Some(regime),
                domain: Some(domain),
                ..claiming("market.hour > 2", "market.shock > 1.0")
            };
            proven(body, 1_000 + 100 * n)
        })
        .collect();
    let economic = DeathCause::Economic { balance: golem_core::Usdc::ZERO, burn_rate: 1.0, ticks_alive: 9 };
    let marks = stains(&economic, bled.iter());
    assert_eq!(marks.len(), styx_wire::limits::MARKS.min(5 * golem_mortality::Domain::ALL.len()));
    assert!(marks.windows(2).all(|two| two[0].severity >= two[1].severity), "{marks:?}");
    assert_eq!((marks[0].severity, marks[0].class.as_str()), (490, "economic"));
    let places: BTreeSet<_> = marks.iter().map(|m| (m.domain.clone(), m.regime)).collect();
    assert_eq!(places.len(), marks.len(), "each place once");
    assert_eq!(stains(&DeathCause::OwnerKill { reason: "enough".to_owned() }, bled.iter()), []);
}

#[test]
fn warnings_go_at_once_and_everything_else_with_a_batch_each_once() {
    let mut teller = Teller::knowing([insight(1, 9_000), warning("Gas bursts end in shocks.", WarningSeverity::High)]);
    assert_eq!(kinds(&teller.at(49)), [DeltaKind::Warning]);
    assert_eq!(kinds(&teller.at(50)), [DeltaKind::Insight]);
    for tick in [51, 99, 100, 150, 1_000] {
        assert_eq!(teller.at(tick), [], "{tick}");
    }
}

#[test]
fn a_warning_of_the_houses_own_kind_fits_what_travels_at_once() {
    let mut teller = Teller::knowing([warning(&"Gas bursts end in shocks. ".repeat(8), WarningSeverity::High)]);
    teller.line = line(3);
    let words = teller.at(1);
    let length = golem_core::plain::json(&words[0]).len();
    assert!(length <= MOST_URGENT_BYTES, "{length}");
    let mut wordy = Teller::knowing([warning(&"x".repeat(3_000), WarningSeverity::High)]);
    assert_eq!((wordy.at(1), wordy.at(2)), (vec![], vec![]), "too long for a warning, and not asked again");
}

#[test]
fn many_warnings_of_one_field_are_one_until_the_next_batch() {
    let many = (0..40).map(|n| warning(&format!("Gas bursts end in shocks, case {n}."), WarningSeverity::Low));
    let mut teller = Teller::knowing(many);
    assert_eq!(teller.at(3).len(), 1);
    assert_eq!(teller.at(4).len(), 0);
    assert_eq!(teller.at(52).len(), 0);
    assert_eq!(teller.at(53).len(), 1);
}

#[test]
fn nobody_passes_on_what_it_heard_or_was_left_or_only_dreamt() {
    let from = |provenance, own_validation| {
        let entry = insight(1, 9_000);
        let standing = Standing { own_validation, ..entry.standing };
        Entry::new(EntryBody { provenance, ..entry.body }, standing)
    };
    let cases = [
        (Provenance::SelfGenerated, true, true),
        (Provenance::Dream, false, false),
        (Provenance::Dream, true, true),
        (Provenance::Clade, true, false),
        (Provenance::Testament, true, false),
        (Provenance::Replicant, true, false),
        (Provenance::Marketplace, true, false),
        (Provenance::Owner, true, false),
    ];
    for (provenance, validated, told) in cases {
        let words = Teller::knowing([from(provenance, validated)]).at(50);
        assert_eq!(!words.is_empty(), told, "{provenance:?}");
    }
}

/// The seed's table: what may leave while thriving, and what more near the end.
#[test]
fn the_dying_tell_what_they_would_have_kept() {
    let of = |kind, status, bp| {
        let entry = Entry::new(
            EntryBody { kind, ..claiming("market.gas_ratio > 2.0", "market.shock > 1.0") },
            Standing { validated: 3, own_validation: true, quality: 0.6, ..standing(status, bp) },
        );
        move |threshold: f64| {
            let mut teller = Teller::knowing([entry.clone()]);
            teller.threshold = threshold;
            !teller.at(50).is_empty()
        }
    };
    let active = EntryStatus::Active;
    for (kind, status, bp, thriving, terminal) in [
        (EntryKind::Insight, active, 6_100, true, true),
        (EntryKind::Insight, active, 5_800, false, true),
        (EntryKind::Insight, EntryStatus::Candidate, 9_000, false, false),
        (EntryKind::Heuristic, active, 6_800, false, true),
        (EntryKind::Heuristic, active, 7_100, true, true),
        (EntryKind::CausalLink, active, 5_100, true, true),
        (EntryKind::CausalLink, active, 4_700, false, true),
        (EntryKind::StrategyFragment, active, 5_800, false, true),
    ] {
        let told = of(kind, status, bp);
        assert_eq!((told(0.6), told(0.1)), (thriving, terminal), "{kind:?} at {bp}");
    }
}

#[test]
fn a_batch_is_bounded_and_begins_with_the_surest() {
    let mut teller = Teller::knowing((0..60).map(|n| insight(n, 6_500 + 40 * n as u16)));
    let batches: Vec<Vec<u16>> = [50, 100, 150, 200]
        .into_iter()
        .map(|tick| teller.at(tick).iter().map(KinWord::confidence_bp).collect())
        .collect();
    assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [MOST_IN_BATCH, MOST_IN_BATCH, 10, 0]);
    let all: Vec<u16> = batches.concat();
    assert!(all.is_sorted_by(|a, b| a > b), "{all:?}");
}

#[test]
fn the_weather_is_told_when_it_changes_and_not_with_every_gust() {
    let mut teller = Teller::knowing([]);
    assert_eq!(teller.at(1), [], "the first weather is no change");
    teller.regime = Regime::Volatile;
    assert_eq!(teller.at(2), [], "too soon after the last word");
    assert_eq!(teller.at(51), [KinWord::Regime { was: Regime::RangeBound, is: Regime::Volatile }]);
    teller.regime = Regime::Unknown;
    assert_eq!(teller.at(200), []);
    teller.regime = Regime::TrendingUp;
    assert_eq!(teller.at(201).len(), 1);
    teller.regime = Regime::Volatile;
    assert_eq!((teller.at(230).len(), teller.at(251).len()), (0, 1));
}

#[test]
fn what_siblings_told_is_answered_once_reality_has_judged_it_here() {
    let entry = |validated, contradicted, own_validation| {
        let e = insight(1, 5_000);
        let standing = Standing { validated, contradicted, own_validation, ..e.standing };
        Entry::new(EntryBody { provenance: Provenance::Clade, ..e.body }, standing)
    };
    for (e, said) in [
        (entry(0, 0, false), None),
        (entry(3, 1, true), Some(ValidationWord::Confirmed)),
        (entry(0, 2, false), Some(ValidationWord::Contradicted)),
    ] {
        let (id, root) = (e.id, Hash([7; 32]));
        let mut teller = Teller::knowing([e]);
        assert_eq!(teller.at(50), [], "what nobody told is nobody's news");
        teller.heard.took(id, root);
        let expected: Vec<KinWord> = said.map(|word| KinWord::Validation { root, word }).into_iter().collect();
        assert_eq!(teller.at(100), expected);
        assert_eq!(teller.at(150), [], "once");
    }
}

#[test]
fn a_golem_has_one_word_on_a_thing_and_its_last_one_counts() {
    let (mut heard, root) = (KinHearsay::default(), Hash([7; 32]));
    assert!(heard.validated(root, golem(2), ValidationWord::Confirmed));
    assert!(!heard.validated(root, golem(2), ValidationWord::Confirmed));
    assert!(heard.validated(root, golem(3), ValidationWord::Confirmed));
    assert_eq!(heard.confirmed(root), 2);
    assert!(heard.validated(root, golem(3), ValidationWord::Contradicted));
    assert_eq!((heard.confirmed(root), heard.said_of(root).len()), (1, 2));
    for n in 0..200 {
        heard.validated(root, golem(n), ValidationWord::Confirmed);
    }
    assert_eq!(heard.said_of(root).len(), 64, "no crowd fills the memory");
}

pub fn told(entry: Entry) -> KinEnvelope {
    let word = Teller::knowing([entry]).at(50).remove(0);
    KinEnvelope { calendar: WorldCalendar::Outside, letter: KinLetter { at: clock().at(crate::kit::days(3)), word } }
}

#[test]
fn a_letter_is_of_the_kind_it_says_and_speaks_for_who_signed_it() {
    let envelope = told(insight(1, 9_000));
    let clear = envelope.bytes();
    assert_eq!(KinEnvelope::read(&clear, DeltaKind::Insight, golem(1)), Ok(envelope.clone()));
    let kind = KinEnvelope::read(&clear, DeltaKind::Warning, golem(1));
    assert_eq!(kind, Err(KinWordFault::Kind { said: DeltaKind::Warning, is: Some(DeltaKind::Insight) }));
    assert_eq!(KinEnvelope::read(&clear, DeltaKind::Insight, golem(2)), Err(KinWordFault::Speaker(golem(1))));
    assert!(matches!(KinEnvelope::read(b"{}", DeltaKind::Insight, golem(1)), Err(KinWordFault::Form(_))));
    // Passed on by somebody who did not learn it.
    let mut passed = envelope;
    let KinWord::Entry { parcel } = &mut passed.letter.word else { panic!("an entry") };
    parcel.entry.passport.learnt_by.golem = golem(9);
    assert_eq!(passed.letter.spoken_by(golem(1)), Err(KinWordFault::Speaker(golem(9))));
}

#[test]
fn days_of_another_world_date_nothing_here() {
    let to = |calendar| EquipTarget {
        golem: golem(8),
        archetype: Archetype::named("earn"),
        calendar,
        born: Timestamp(1_000),
    };
    let (envelope, other) = (told(insight(1, 9_000)), WorldCalendar::MadeUp("another".into()));
    assert_eq!(envelope.clone().for_reader(&to(WorldCalendar::Outside)), envelope.letter);
    let heard = envelope.for_reader(&to(other));
    let KinWord::Entry { parcel } = &heard.word else { panic!("an entry") };
    assert_eq!((heard.at, parcel.entry.passport.times.learnt), (Timestamp(1_000), Timestamp(1_000)));
}

#[test]
fn what_is_a_threat_and_how_much() {
    let tenths = |word: &KinWord| (word.threat() * 10.0).round() as u32;
    let threat = |severity| tenths(&told(warning("Gas bursts end in shocks.", severity)).letter.word);
    let severities = [WarningSeverity::Low, WarningSeverity::Medium, WarningSeverity::High];
    assert_eq!(severities.map(threat), [3, 6, 9]);
    assert_eq!(tenths(&told(insight(1, 9_000)).letter.word), 0);
    assert_eq!(tenths(&KinWord::Regime { was: Regime::RangeBound, is: Regime::Volatile }), 2);
}

#[test]
fn backups_come_with_every_multiple_and_once() {
    for (last, now, due) in [
        (None, 0, false),
        (None, 199, false),
        (None, 200, true),
        (Some(200), 399, false),
        (Some(200), 400, true),
        (Some(399), 401, true),
        (Some(400), 900, true),
        (Some(900), 900, false),
    ] {
        assert_eq!(backup_is_due(last.map(Tick), Tick(now), 200), due, "{last:?} {now}");
    }
}
