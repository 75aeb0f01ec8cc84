//! The smaller rules of what siblings tell: order, words that change, bounds, who may say what, and what is remembered of it.

use crate::kin::{Teller, insight, kinds, shelf, told, warning};
use crate::kit::{golem, line, proven};
use golem_clade::kin::scent::{scent_of, smelt, stains};
use golem_clade::kin::telling::MOST_IN_BATCH;
use golem_clade::kin::word::CRITICAL;
use golem_clade::kin::{GraveLetter, KinEnvelope, KinHearsay, KinLetter, KinWord, KinWordFault};
use golem_clade::knowledge_domain::KnowledgeDomain;
use golem_clade::library::{Archetype, EquipParcel, EquipTarget, WorldCalendar};
use golem_clade::provenance::{TravelledValidation, ValidationWord};
use golem_core::{Hash, Regime, Timestamp};
use golem_grimoire::grimoire::STRANGER;
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryStatus, Provenance, Standing, WarningSeverity};
use golem_mortality::DeathCause;
use styx_wire::{DeltaKind, PheromoneLayer, Scent, ScentKey};

/// The same with another standing: it is the same thing.
fn stands(entry: &Entry, validated: u32, contradicted: u32, own_validation: bool) -> Entry {
    let standing = Standing { validated, contradicted, own_validation, ..entry.standing.clone() };
    Entry::new(entry.body.clone(), standing)
}

fn heard_of(n: usize) -> Entry {
    let entry = insight(n, 5_000);
    Entry::new(EntryBody { provenance: Provenance::Clade, ..entry.body }, entry.standing)
}

#[test]
fn what_is_most_urgent_comes_first() {
    let taken = stands(&heard_of(7), 3, 0, true);
    let id = taken.id;
    let mut teller = Teller::knowing([insight(1, 9_000), taken]);
    assert_eq!(teller.at(49), []);
    teller.heard.took(id, Hash([7; 32]));
    assert!(teller.shelf.add(warning("Gas bursts end in shocks.", WarningSeverity::High)));
    teller.regime = Regime::Volatile;
    let expected = [DeltaKind::RegimeShift, DeltaKind::Warning, DeltaKind::Insight, DeltaKind::Validation];
    assert_eq!(kinds(&teller.at(100)), expected);
}

#[test]
fn an_answer_goes_again_when_reality_says_otherwise_and_a_draw_is_no_answer() {
    let (entry, root) = (heard_of(1), Hash([7; 32]));
    let mut teller = Teller::knowing([stands(&entry, 1, 1, false)]);
    teller.heard.took(entry.id, root);
    let said = |word| vec![KinWord::Validation { root, word }];
    for (tick, standing, expected) in [
        (50, (1, 1, false), vec![]),
        (100, (2, 1, true), said(ValidationWord::Confirmed)),
        (150, (2, 1, true), vec![]),
        (200, (2, 3, false), said(ValidationWord::Contradicted)),
        (250, (4, 3, true), said(ValidationWord::Confirmed)),
    ] {
        let (validated, contradicted, own) = standing;
        teller.shelf = shelf([stands(&entry, validated, contradicted, own)]);
        assert_eq!(teller.at(tick), expected, "{tick}");
    }
}

#[test]
fn answers_are_bounded_like_a_batch_and_the_rest_comes_with_the_next() {
    let all: Vec<Entry> = (0..40).map(|n| stands(&heard_of(n), 3, 0, true)).collect();
    let mut teller = Teller::knowing(all.clone());
    for (n, entry) in (0_u8..).zip(&all) {
        teller.heard.took(entry.id, Hash([n; 32]));
    }
    assert_eq!([50, 100, 150].map(|tick| teller.at(tick).len()), [MOST_IN_BATCH, 15, 0]);
}

#[test]
fn what_left_the_shelf_is_news_when_it_is_learnt_again() {
    let mut teller = Teller::knowing([insight(1, 9_000)]);
    assert_eq!(teller.at(50).len(), 1);
    teller.shelf = shelf([]);
    assert_eq!(teller.at(100), []);
    teller.shelf = shelf([insight(1, 9_000)]);
    assert_eq!((teller.at(149).len(), teller.at(150).len()), (0, 1));
}

#[test]
fn questions_what_is_on_trial_and_what_is_too_long_stay_at_home() {
    let with = |change: &dyn Fn(&mut EntryBody, &mut Standing)| {
        let entry = insight(1, 9_000);
        let (mut body, mut standing) = (entry.body, entry.standing);
        change(&mut body, &mut standing);
        let mut teller = Teller::knowing([Entry::new(body, standing)]);
        [50, 100].map(|tick| teller.at(tick).len())
    };
    assert_eq!(with(&|_, _| {}), [1, 0]);
    assert_eq!(with(&|body, _| body.is_question = true), [0, 0]);
    assert_eq!(with(&|_, standing| standing.status = EntryStatus::Candidate), [0, 0]);
    assert_eq!(with(&|body, _| body.text = "x".repeat(5_000)), [0, 0]);
    // A rule that was never tried, and a cause that no episode speaks for.
    for kind in [EntryKind::Heuristic, EntryKind::CausalLink] {
        let untried = |validated| {
            with(&|body, standing| {
                body.kind = kind;
                standing.validated = validated;
            })
        };
        assert_eq!((untried(0), untried(1)), ([0, 0], [1, 0]), "{kind:?}");
    }
}

#[test]
fn no_interval_at_all_is_every_tick() {
    let mut teller = Teller::knowing((0..30).map(|n| insight(n, 9_000)));
    teller.batch_ticks = 0;
    assert_eq!([1, 2, 3].map(|tick| teller.at(tick).len()), [MOST_IN_BATCH, 5, 0]);
}

#[test]
fn a_parcel_is_of_its_speaker_in_every_line_of_its_papers() {
    let letter = told(insight(1, 9_000)).letter;
    assert_eq!(letter.spoken_by(golem(1)), Ok(()));
    type Change = fn(&mut golem_clade::library::EquipParcel);
    let changes: [(Change, _); 4] = [
        (|p| p.entry.passport.crossings.carrier = golem(9), golem(9)),
        (|p| p.entry.passport.learnt_by.golem = golem(9), golem(9)),
        (|p| p.from = Some((line(8), Timestamp(1))), golem(9)),
        (|p| p.from = None, STRANGER.golem),
    ];
    for (change, named) in changes {
        let mut letter = letter.clone();
        let KinWord::Entry { parcel } = &mut letter.word else { panic!("an entry") };
        change(parcel);
        assert_eq!(letter.spoken_by(golem(1)), Err(KinWordFault::Speaker(named)));
    }
    let vouch = |p: &mut EquipParcel| {
        let (entry, word) = (p.entry.passport.root, ValidationWord::Confirmed);
        p.validations = (20..25).map(|n| TravelledValidation { entry, validator: golem(n), word }).collect();
    };
    let ways: [&dyn Fn(&mut EquipParcel); 4] = [
        &|p| p.channel = Provenance::Testament,
        &|p| p.channel = Provenance::Replicant,
        &|p| p.channel = Provenance::Owner,
        &vouch,
    ];
    for change in ways {
        let mut letter = letter.clone();
        let KinWord::Entry { parcel } = &mut letter.word else { panic!("an entry") };
        change(parcel);
        assert_eq!(letter.spoken_by(golem(1)), Err(KinWordFault::Way), "its way is not its speaker's to say");
    }
}

#[test]
fn what_comes_from_another_world_was_known_before_the_birth() {
    let to = EquipTarget {
        golem: golem(8),
        archetype: Archetype::named("earn"),
        calendar: WorldCalendar::MadeUp("another".into()),
        born: Timestamp(1_000),
    };
    let mut envelope = told(insight(1, 9_000));
    let KinWord::Entry { parcel } = &mut envelope.letter.word else { panic!("an entry") };
    let times = &mut parcel.entry.passport.times;
    (times.true_from, times.true_until) = (Timestamp(5_000), Some(Timestamp(9_000)));
    let KinWord::Entry { parcel } = envelope.clone().for_reader(&to).word else { panic!("an entry") };
    let heard = parcel.entry.passport.times;
    assert_eq!((heard.true_from, heard.true_until, heard.learnt), (Timestamp(1_000), None, Timestamp(1_000)));
    // What was said before this one was born stays as old as it is.
    envelope.letter =
        KinLetter { at: Timestamp(3), word: KinWord::Regime { was: Regime::Volatile, is: Regime::Unknown } };
    assert_eq!(envelope.for_reader(&to).at, Timestamp(3));
}

#[test]
fn each_word_has_its_lane_its_sureness_and_its_field() {
    let root = Hash([7; 32]);
    let cry = |died| KinWord::Cry { name: "a".into(), text: "b".into(), died, letter: "c".into() };
    let of = |entry| told(entry).letter.word;
    for (word, kind, urgent, bp, field) in [
        (of(insight(1, 9_000)), DeltaKind::Insight, false, 9_000, "general/market.fee_yield_ratio"),
        (of(warning("w", WarningSeverity::Low)), DeltaKind::Warning, true, 6_000, "general/market.shock"),
        (
            KinWord::Validation { root, word: ValidationWord::Confirmed },
            DeltaKind::Validation,
            false,
            10_000,
            "general/validation",
        ),
        (
            KinWord::Regime { was: Regime::Volatile, is: Regime::Unknown },
            DeltaKind::RegimeShift,
            true,
            10_000,
            "general/regime",
        ),
        (cry(false), DeltaKind::Crisis, true, 10_000, "general/cry"),
        (cry(true), DeltaKind::Death, true, 10_000, "general/cry"),
    ] {
        let seen = (word.kind(), word.is_urgent(), word.confidence_bp(), word.field());
        assert_eq!(seen, (Some(kind), urgent, bp, KnowledgeDomain::named(field)));
    }
}

#[test]
fn what_was_taken_in_is_found_by_its_root_while_it_is_on_the_shelf() {
    let (own, taken, root) = (insight(1, 9_000), heard_of(2), Hash([7; 32]));
    let here = shelf([own.clone(), taken.clone()]);
    let mut heard = KinHearsay::default();
    assert_eq!((heard.entry_of(root, &here), heard.entry_of(own.hash, &here)), (None, Some(own.id)));
    heard.took(taken.id, root);
    assert_eq!(heard.entry_of(root, &here), Some(taken.id));
    heard.retain(&here);
    assert_eq!(heard.taken().collect::<Vec<_>>(), [(taken.id, root)]);
    heard.retain(&shelf([own]));
    assert_eq!(heard.taken().count(), 0);
}

#[test]
fn words_are_kept_of_so_many_things() {
    let mut heard = KinHearsay::default();
    let root = |n: u32| Hash::of(&n.to_le_bytes());
    for n in 0..4_096 {
        assert!(heard.validated(root(n), golem(2), ValidationWord::Confirmed));
    }
    assert!(!heard.validated(root(9_999), golem(2), ValidationWord::Confirmed));
    assert!(heard.said_of(root(9_999)).is_empty());
    assert!(heard.validated(root(7), golem(3), ValidationWord::Confirmed), "of what is known there is more to say");
}

#[test]
fn a_mark_has_words_of_the_field_and_a_switch_marks_nothing() {
    let long = proven(
        EntryBody {
            claim: Some(crate::kit::claim("market.hour > 2", &format!("market.{} > 1.0", "x".repeat(60)))),
            ..insight(1, 9_000).body
        },
        9_000,
    );
    let mark = scent_of(&told(long).letter.word).unwrap();
    assert_eq!((mark.key.class.to_string().len(), mark.key.class.as_str().starts_with("market.xxx")), (32, true));
    let bled = [insight(1, 9_000)];
    assert_eq!(stains(&DeathCause::KillSwitch { trigger: "enough".to_owned() }, bled.iter()), []);
    let unsure = proven(insight(1, 0).body, 0);
    let economic = DeathCause::Economic { balance: golem_core::Usdc::ZERO, burn_rate: 1.0, ticks_alive: 9 };
    assert_eq!(stains(&economic, [unsure].iter())[0].severity, 1, "it bled there");
    let same_place = [9_000, 2_000].map(|bp| proven(insight(1, 0).body, bp));
    assert_eq!(stains(&economic, same_place.iter())[0].severity, 900, "the worst of a place");
    let mut nothing = told(insight(1, 9_000)).letter.word;
    let KinWord::Entry { parcel } = &mut nothing else { panic!("an entry") };
    parcel.entry.entry.standing.confidence_bp = 0;
    assert_eq!(scent_of(&nothing), None, "who is sure of nothing marks nothing");
}

fn buried(blood: Vec<EquipParcel>) -> GraveLetter {
    let (name, cause, calendar) = ("ada".to_owned(), "economic".to_owned(), WorldCalendar::Outside);
    GraveLetter { name, cause, vitality: 3, calendar, at: Timestamp(7_000), blood }
}

fn stained(n: usize) -> EquipParcel {
    let entry = insight(n, 9_000);
    let entry = Entry::new(EntryBody { is_bloodstain: true, ..entry.body }, entry.standing);
    let KinWord::Entry { parcel } = told(entry).letter.word else { panic!("an entry") };
    *parcel
}

#[test]
fn what_no_golem_says_is_in_no_delta() {
    let scent = KinWord::Scent { field: KnowledgeDomain::named("gas/spike"), intensity: 900, confirmations: 2 };
    for word in [KinWord::Blood { parcel: Box::new(stained(1)) }, scent] {
        assert_eq!((word.kind(), word.is_urgent()), (None, false));
        let envelope = KinEnvelope { calendar: WorldCalendar::Outside, letter: KinLetter { at: Timestamp(1), word } };
        for said in [DeltaKind::Insight, DeltaKind::Warning, DeltaKind::Death, DeltaKind::Heads] {
            let fault = KinEnvelope::read(&envelope.bytes(), said, golem(1));
            assert_eq!(fault, Err(KinWordFault::Kind { said, is: None }));
        }
    }
}

#[test]
fn a_grave_holds_so_much_as_fits_and_speaks_for_its_dead_alone() {
    let letter = buried((0..9).map(stained).collect());
    let all = letter.clone().bytes(usize::MAX);
    assert_eq!(GraveLetter::read(&all), Ok(letter.clone()));
    let fitted = letter.clone().bytes(all.len() - 1);
    assert!(fitted.len() < all.len());
    assert_eq!(GraveLetter::read(&fitted).unwrap().blood, letter.blood[..8], "the surest stay");
    let to = |calendar| EquipTarget {
        golem: golem(8),
        archetype: Archetype::named("earn"),
        calendar,
        born: Timestamp(1_000),
    };
    let here = to(WorldCalendar::Outside);
    assert_eq!(letter.clone().for_reader(golem(1), &here).len(), 9);
    assert_eq!(letter.clone().for_reader(golem(2), &here), [], "somebody else's");
    let KinWord::Entry { parcel } = told(insight(1, 9_000)).letter.word else { panic!("an entry") };
    assert_eq!(buried(vec![*parcel]).for_reader(golem(1), &here), [], "no blood is on it");
    let elsewhere = letter.for_reader(golem(1), &to(WorldCalendar::MadeUp("another".into())));
    assert!(elsewhere.iter().all(|l| l.at == Timestamp(1_000)), "days of another world date nothing");
}

#[test]
fn a_scent_makes_attentive_and_wakes_nobody() {
    let scent = |layer, intensity, confirmations| {
        let key = ScentKey {
            layer,
            class: "spike".parse().unwrap(),
            domain: "gas".parse().unwrap(),
            regime: Regime::Unknown,
        };
        smelt(&Scent { key, intensity, confirmations })
    };
    let word = scent(PheromoneLayer::Threat, 1_000, 1).expect("two have marked it");
    assert_eq!(word.field(), KnowledgeDomain::named("gas/spike"));
    assert!((word.threat() - 0.6).abs() < 1e-9 && word.threat() < CRITICAL);
    let more = KinWord::Scent { field: word.field(), intensity: u16::MAX, confirmations: 9 };
    assert!(more.threat() < CRITICAL, "however strong a relay says that it is");
    for (layer, confirmations) in
        [(PheromoneLayer::Threat, 0), (PheromoneLayer::Wisdom, 3), (PheromoneLayer::Opportunity, 3)]
    {
        assert_eq!(scent(layer, 900, confirmations), None);
    }
}
