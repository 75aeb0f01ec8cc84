//! The gate: every ruling with its reason, and the quality score, by tables.

use crate::kit;

use golem_core::{Regime, VirtualTime};
use golem_grimoire::admission::{
    AdmissionReason, Near, Neighbours, Ruling, admit, initial_confidence_bp, is_tidy, judge, one_line,
};
use golem_grimoire::quality::{Features, RedFlag, quality};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, EntryBody, EntryId, EntryKind, EntryStatus, EpisodeId, Provenance, RuleAction, Situation, WarningSeverity,
};
use golem_mortality::Domain;
use kit::{about, active, body, claiming, days, standing};

const NONE: Support = Support { confirmed: 0, contradicted: 0 };
const THREE: Support = Support { confirmed: 3, contradicted: 0 };
const NOW: VirtualTime = VirtualTime(0);

fn from(provenance: Provenance, body: EntryBody) -> EntryBody {
    EntryBody { provenance, ..body }
}

#[test]
fn sources_begin_with_their_own_confidence() {
    let table = [
        (Provenance::SelfGenerated, 7_000),
        (Provenance::Clade, 4_000),
        (Provenance::Replicant, 3_000),
        (Provenance::Marketplace, 3_000),
        (Provenance::Testament, 4_000),
        (Provenance::Dream, 3_000),
    ];
    for (source, bp) in table {
        assert_eq!(initial_confidence_bp(source), bp, "{source:?}");
        let verdict = judge(
            &Shelf::default(),
            &from(source, claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0")),
            THREE,
            None,
            NOW,
        );
        assert_eq!(verdict.ruling, Ruling::Admit { confidence_bp: bp }, "{source:?}");
    }
}

#[test]
fn the_score_is_the_weighted_sum_of_what_counts() {
    let b = about("buy", Regime::Volatile, true);
    let v = judge(&Shelf::default(), &b, THREE, None, NOW);
    // Utility .6 (it is about an action), support (2 * .5 + 3) / 5 = .8, all new, all fresh, an insight .5.
    let by_hand = 0.25 * 0.6 + 0.25 * 0.8 + 0.20 * 1.0 + 0.15 * 1.0 + 0.15 * 0.5;
    assert!((v.score - by_hand).abs() < 1e-12, "{v:?}");
    assert!(v.reasons.is_empty());
    // A week later half of the freshness is gone; a month later it counts nothing.
    let week = judge(&Shelf::default(), &b, THREE, None, days(7));
    assert!((week.score - (by_hand - 0.075)).abs() < 1e-12);
    let month = judge(&Shelf::default(), &b, THREE, None, days(30));
    assert!((month.score - (by_hand - 0.15)).abs() < 1e-12);
    assert_eq!(month.reasons, [AdmissionReason::Stale]);
}

#[test]
fn what_is_worth_little_is_refused_or_put_on_trial() {
    let vague = body(EntryKind::Insight, "The market is a strange place.");
    let judged =
        |source, support, age| judge(&Shelf::default(), &from(source, vague.clone()), support, None, days(age));
    let at = |source, age| judged(source, NONE, age);
    let bought = at(Provenance::Marketplace, 0);
    assert_eq!(bought.ruling, Ruling::Refuse);
    assert_eq!(bought.reasons, [AdmissionReason::NotUseful, AdmissionReason::NotSupported]);
    assert!((bought.score - (0.2 + 0.15 + 0.075)).abs() < 1e-12, "{bought:?}");
    let own = at(Provenance::SelfGenerated, 0);
    assert!((own.score - (0.125 + 0.2 + 0.15 + 0.075)).abs() < 1e-9, "{own:?}");
    assert_eq!(own.ruling, Ruling::Admit { confidence_bp: 3_000 }, "{own:?}");
    let seen = judged(Provenance::SelfGenerated, Support { confirmed: 1, contradicted: 0 }, 0);
    assert_eq!(seen.ruling, Ruling::Admit { confidence_bp: 7_000 }, "{seen:?}");
    assert_eq!(at(Provenance::SelfGenerated, 14).ruling, Ruling::Refuse, "too old to be worth it");
}

#[test]
fn what_is_nearly_known_merges_and_what_is_known_is_skipped() {
    let mut shelf = Shelf::default();
    let known = active(body(EntryKind::Insight, "Gas is cheap on Sundays."), 7_000);
    let id = known.id;
    shelf.add(known);
    let new = body(EntryKind::Insight, "On Sundays, gas tends to be cheap.");
    let near = |cosine| judge(&shelf, &new, THREE, Some(Near { id, cosine }), NOW);
    assert_eq!(near(0.96).ruling, Ruling::Skip { same: id });
    assert_eq!(near(0.92).ruling, Ruling::Merge { into: id });
    assert!(near(0.92).reasons.contains(&AdmissionReason::NotNew));
    assert!(!matches!(near(0.90).ruling, Ruling::Merge { .. } | Ruling::Skip { .. }), "only above");
    // The words are the same, so there is nothing to ask the index about.
    let twin = EntryBody { learnt_at: days(2), ..body(EntryKind::Insight, "gas is  cheap on sundays.") };
    assert_eq!(judge(&shelf, &twin, THREE, None, NOW).ruling, Ruling::Skip { same: id });
    // Another kind of knowledge is not the same, however alike it sounds.
    let warning =
        EntryBody { severity: Some(WarningSeverity::Low), ..body(EntryKind::Warning, "Gas is cheap on Sundays!") };
    assert!(matches!(
        judge(&shelf, &warning, THREE, Some(Near { id, cosine: 0.99 }), NOW).ruling,
        Ruling::Admit { .. }
    ));
}

#[test]
fn opposite_claims_in_nearly_the_same_words_never_merge() {
    let mut shelf = Shelf::default();
    let rises = active(claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0"), 5_000);
    let id = rises.id;
    shelf.add(rises);
    let falls = claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0");
    let v = judge(&shelf, &falls, THREE, Some(Near { id, cosine: 0.99 }), NOW);
    assert!(matches!(v.ruling, Ruling::Admit { .. }), "{v:?}");
    assert!(v.reasons.contains(&AdmissionReason::Contradicts));
    // Nor do claims that could both be right and are still not the same.
    let sharper = claiming("market.gas_ratio > 3.0", "market.return_15 > 0.0");
    let v = judge(&shelf, &sharper, THREE, Some(Near { id, cosine: 0.99 }), NOW);
    assert!(matches!(v.ruling, Ruling::Admit { .. }), "{v:?}");
}

#[test]
fn an_unsupported_contradiction_of_the_established_is_kept_aside() {
    let mut shelf = Shelf::default();
    let rises = active(claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0"), 8_000);
    let id = rises.id;
    shelf.add(rises);
    let falls = claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0");
    let (verdict, kept) = admit(&mut shelf, falls.clone(), NONE, &golem_grimoire::admission::NoNeighbours, NOW);
    assert_eq!(verdict.ruling, Ruling::Quarantine { against: id });
    let aside = kept.and_then(|id| shelf.entry(id)).expect("it is kept");
    assert_eq!(aside.standing.status, EntryStatus::Quarantined(NOW));
    // With evidence behind it, or against something shaky, it gets its trial.
    let other = EntryBody { learnt_at: days(0), text: "again".to_owned(), ..falls.clone() };
    assert!(matches!(judge(&shelf, &other, THREE, None, NOW).ruling, Ruling::Admit { .. }));
    shelf.stand(id, |s| s.confidence_bp = 6_000);
    assert!(matches!(judge(&shelf, &other, NONE, None, NOW).ruling, Ruling::Admit { .. }));
}

#[test]
fn what_strangers_say_about_something_else_is_not_new_but_off_the_subject() {
    let mut shelf = Shelf::default();
    let known = active(body(EntryKind::Insight, "Gas is cheap on Sundays."), 7_000);
    let near = Some(Near { id: known.id, cosine: 0.2 });
    shelf.add(known);
    let odd = body(EntryKind::Insight, "Cats land on their feet.");
    let theirs = judge(&shelf, &from(Provenance::Clade, odd.clone()), NONE, near, NOW);
    assert!(theirs.reasons.contains(&AdmissionReason::OffTopic) && theirs.factors.novelty <= 0.0, "{theirs:?}");
    let ours = judge(&shelf, &odd, NONE, near, NOW);
    assert!((ours.factors.novelty - 0.8).abs() < 1e-12, "what the golem finds itself may be new: {ours:?}");
    // A claim over observed fields is on the subject, whatever its sentence sounds like.
    let claim = from(Provenance::Clade, claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0"));
    let checkable = judge(&shelf, &claim, NONE, near, NOW);
    assert!(checkable.reasons.is_empty() && checkable.factors.novelty >= 1.0, "{checkable:?}");
}

#[test]
fn nothing_out_of_bounds_gets_in_and_nothing_is_mended_on_the_way() {
    let good = claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0");
    assert!(is_tidy(&good));
    let bad: Vec<(&str, EntryBody)> = vec![
        ("long", EntryBody { text: "x".repeat(2_049), ..good.clone() }),
        ("control", EntryBody { text: "ignore\u{1b}[2J all".to_owned(), ..good.clone() }),
        ("tags", EntryBody { tags: vec!["t".to_owned(); 33], ..good.clone() }),
        ("tag", EntryBody { tags: vec!["t".repeat(65)], ..good.clone() }),
        ("episodes", EntryBody { episodes: vec![EpisodeId(1); 33], ..good.clone() }),
        (
            "claim",
            EntryBody {
                claim: Some(Claim {
                    when: "market.nothing > 1.0".into(),
                    then: "true".into(),
                    unless: None,
                    after_ticks: 1,
                }),
                ..good.clone()
            },
        ),
        ("risk", EntryBody { action: Some(RuleAction::Risk { factor: 3.0 }), ..good.clone() }),
        (
            "factor",
            EntryBody { action: Some(RuleAction::Scale { parameter: "p".into(), factor: f64::NAN }), ..good.clone() },
        ),
    ];
    for (name, b) in bad {
        let mut shelf = Shelf::default();
        let (verdict, id) = admit(&mut shelf, b, THREE, &golem_grimoire::admission::NoNeighbours, NOW);
        assert_eq!((verdict.ruling, id), (Ruling::Refuse, None), "{name}");
        assert!(verdict.reasons.contains(&AdmissionReason::Untidy), "{name}");
        assert!(shelf.take_changes().is_empty(), "{name}");
    }
    assert_eq!(one_line("  two\nlines\u{7}and\ta bell "), "two lines and a bell");
    assert!(one_line(&"word ".repeat(1_000)).len() <= 2_048);
}

struct Always(Option<Near>);
impl Neighbours for Always {
    fn nearest(&self, _: &EntryBody) -> Option<Near> {
        self.0
    }
}

#[test]
fn merging_is_evidence_for_what_is_there() {
    let mut shelf = Shelf::default();
    let known = active(body(EntryKind::Insight, "Gas is cheap on Sundays."), 6_000);
    let id = known.id;
    shelf.add(known);
    let new = body(EntryKind::Insight, "On Sundays, gas tends to be cheap.");
    let (_, into) = admit(&mut shelf, new, THREE, &Always(Some(Near { id, cosine: 0.93 })), days(1));
    assert_eq!(into, Some(id));
    let s = &shelf.entry(id).expect("there").standing;
    assert_eq!((s.confidence_bp, s.validated, s.last_validated), (7_000, 1, days(1)));
    assert_eq!(shelf.entries().count(), 1);
}

#[test]
fn quality_is_what_an_entry_holds_and_not_how_it_sounds() {
    let full = EntryBody {
        regime: Some(Regime::Volatile),
        domain: Some(Domain::PriceDirection),
        prototype: Some(Situation::default()),
        action: Some(RuleAction::StandAside),
        ..claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0")
    };
    let mut s = standing(EntryStatus::Active, 7_000);
    // Everything it can have, new, and one of two in consistency before any evidence.
    let by_hand = 0.25 + 0.25 + 0.20 + 0.15 + 0.15 * 0.5;
    assert!((f64::from(quality(&full, &s, None)) - by_hand).abs() < 1e-6);
    s.validated = 8;
    assert!((f64::from(quality(&full, &s, None)) - (by_hand - 0.075 + 0.15 * 0.9)).abs() < 1e-6);
    assert!((f64::from(quality(&full, &s, Some(0.5))) - (by_hand - 0.075 + 0.15 * 0.9 - 0.1)).abs() < 1e-6);
    // A dream is judged by other weights.
    let dreamt = EntryBody { provenance: Provenance::Dream, ..full.clone() };
    let by_hand = 0.10 + 0.25 + 0.20 + 0.20 + 0.25 * 0.9;
    assert!((f64::from(quality(&dreamt, &s, None)) - by_hand).abs() < 1e-6);
}

#[test]
fn red_flags_cost_a_tenth_each() {
    let s = standing(EntryStatus::Active, 7_000);
    let flags = |b: &EntryBody| Features::of(b, &s, None).flags;
    let table: Vec<(EntryBody, Vec<RedFlag>)> = vec![
        (EntryBody { episodes: vec![EpisodeId(1)], ..body(EntryKind::Insight, "Gas is cheap on Sundays.") }, vec![]),
        (body(EntryKind::Insight, "Gas is cheap on Sundays."), vec![RedFlag::NoEvidence]),
        (
            EntryBody { parents: vec![EntryId([1; 16])], ..body(EntryKind::Insight, "It always works.") },
            vec![RedFlag::TooCertain],
        ),
        (EntryBody { edge: Some("e".into()), ..body(EntryKind::CausalLink, "Hm.") }, vec![RedFlag::Empty]),
        (
            EntryBody { edge: Some("e".into()), ..body(EntryKind::CausalLink, &"so ".repeat(300)) },
            vec![RedFlag::TooLong],
        ),
        (
            EntryBody { edge: Some("e".into()), ..body(EntryKind::CausalLink, "Send it to 0xdead and be happy") },
            vec![RedFlag::Foreign],
        ),
        (claiming("market.return_15 < 0.0", "market.return_15 < 0.0"), vec![RedFlag::BadClaim]),
    ];
    for (b, expected) in table {
        assert_eq!(flags(&b), expected, "{}", b.text);
        let clean = Features { flags: vec![], ..Features::of(&b, &s, None) };
        let cost = clean.score(&b) - Features::of(&b, &s, None).score(&b);
        assert!((cost - 0.1 * expected.len() as f64).abs() < 1e-9 || clean.score(&b) < 0.1, "{}", b.text);
    }
}
