//! Same means same: no two entries that differ in anything that changes their truth are ever taken for one, however alike
//! they sound; and what differs in its words alone is one.

use crate::curator::study::Study;
use crate::kit::{about, active, body, claim, claiming, days};
use golem_core::dice::{Dice, Draws, Strand};
use golem_core::{Regime, VirtualTime};
use golem_grimoire::admission::{Near, Neighbours, Ruling, admit, is_free_text, judge};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::standing::Support;
use golem_grimoire::{Claim, EntryBody, EntryId, EntryKind, RuleAction, WarningSeverity};
use golem_mortality::Domain;

const THREE: Support = Support { confirmed: 3, contradicted: 0 };
const NOW: VirtualTime = VirtualTime(0);

/// An index that takes everything for the same text.
struct Deaf(EntryId);
impl Neighbours for Deaf {
    fn nearest(&self, body: &EntryBody) -> Option<Near> {
        (body.id() != self.0).then_some(Near { id: self.0, cosine: 0.999 })
    }
}

/// What can make a body true or false.
#[derive(Debug, PartialEq)]
struct Said {
    kind: EntryKind,
    question: bool,
    regime: Option<Regime>,
    domain: Option<Domain>,
    severity: Option<WarningSeverity>,
    action: Option<RuleAction>,
    claim: Option<Claim>,
    edge: Option<String>,
    tags: Vec<String>,
}

fn said(b: &EntryBody) -> Said {
    Said {
        kind: b.kind,
        question: b.is_question,
        regime: b.regime,
        domain: b.domain,
        severity: b.severity,
        action: b.action.clone(),
        claim: b.claim.clone(),
        edge: b.edge.clone(),
        tags: b.tags.clone(),
    }
}

fn one_of<T: Clone>(all: &[T], draws: &mut Draws) -> T {
    all[(draws.uniform() * all.len() as f64) as usize].clone()
}

/// An entry of few possible fields, so that many pairs differ in one of them only.
fn generated(draws: &mut Draws) -> EntryBody {
    let kinds = [
        EntryKind::Insight,
        EntryKind::Heuristic,
        EntryKind::Warning,
        EntryKind::CausalLink,
        EntryKind::StrategyFragment,
    ];
    let claims = ["market.return_15 > 0.01", "market.return_15 < -0.01", "market.fee_yield_ratio > 1.5"];
    let whens = ["market.gas_ratio > 2.0", "market.gas_ratio > 3.0"];
    let scale = |factor| Some(RuleAction::Scale { parameter: "lp_management.range_sigmas".into(), factor });
    let actions =
        [None, None, scale(1.3), scale(0.8), Some(RuleAction::StandAside), Some(RuleAction::Risk { factor: 0.5 })];
    let some_claim = (draws.uniform() < 0.5).then(|| {
        let unless = (draws.uniform() < 0.2).then(|| "market.return_15 < -0.02".to_owned());
        let after = one_of(&[20u32, 30, 90], draws);
        Claim { unless, ..claim(one_of(&whens, draws), one_of(&claims, draws), after) }
    });
    let tags = [
        vec![],
        vec!["action:buy".to_owned(), "went:well".to_owned()],
        vec!["action:buy".to_owned(), "went:badly".to_owned()],
        vec!["action:sell".to_owned(), "went:badly".to_owned()],
        vec!["sign:rises".to_owned()],
        vec!["sign:falls".to_owned()],
        vec!["enter:buy".to_owned(), "leave:sell".to_owned(), "leave_in:volatile".to_owned()],
        vec!["enter:buy".to_owned(), "leave:sell".to_owned(), "leave_in:range_bound".to_owned()],
    ];
    let texts = ["To buy goes well.", "To buy goes badly.", "Wait 3 days.", "Wait 30 days."];
    EntryBody {
        claim: some_claim,
        action: one_of(&actions, draws),
        edge: one_of(&[None, None, None, Some("gas>fees@23".to_owned()), Some("gas>fees@40".to_owned())], draws),
        severity: one_of(&[None, None, Some(WarningSeverity::Low), Some(WarningSeverity::High)], draws),
        regime: one_of(&[None, Some(Regime::Volatile), Some(Regime::TrendingUp)], draws),
        domain: one_of(&[None, Some(Domain::PriceDirection)], draws),
        is_question: draws.uniform() < 0.1,
        tags: one_of(&tags, draws),
        ..body(one_of(&kinds, draws), one_of(&texts, draws))
    }
}

#[test]
fn no_two_entries_that_differ_in_what_makes_them_true_are_ever_merged() {
    let mut draws = Dice::open(12, Strand::World).draws(0);
    let mut all: Vec<EntryBody> = (0..180).map(|_| generated(&mut draws)).collect();
    // Some of them again, in other words.
    let reworded = |b: &EntryBody| EntryBody { text: b.text.replace("goes", "tends to go"), ..b.clone() };
    let again: Vec<EntryBody> = all.iter().take(60).map(reworded).collect();
    all.extend(again);
    let (mut pairs, mut merged) = (0, 0);
    for known in &all {
        let mut shelf = Shelf::default();
        let id = known.id();
        shelf.add(active(known.clone(), 6_000));
        for new in all.iter().filter(|b| b.id() != id) {
            pairs += 1;
            let near = Some(Near { id, cosine: 0.999 });
            let ruling = judge(&shelf, new, THREE, near, NOW).ruling;
            if matches!(ruling, Ruling::Merge { .. } | Ruling::Skip { .. }) {
                merged += 1;
                assert_eq!(said(known), said(new), "{:?} and {:?}", known.text, new.text);
                let reworded =
                    known.text == new.text || is_free_text(new) || known.claim.is_some() || known.edge.is_some();
                assert!(reworded || !known.tags.is_empty(), "{known:?} {new:?}");
                // Numbers in free words are not wording.
                assert!(!is_free_text(new) || known.text.contains("30") == new.text.contains("30"));
            }
        }
    }
    assert!(pairs > 50_000 && merged > 20, "{merged} of {pairs}");
}

#[test]
fn deep_validation_merges_no_two_that_differ_either() {
    let mut draws = Dice::open(13, Strand::World).draws(0);
    for _ in 0..40 {
        let mut study = Study::new();
        let two = [generated(&mut draws), generated(&mut draws)].map(|b| EntryBody { learnt_at: study.now, ..b });
        if two[0].id() == two[1].id() {
            continue;
        }
        let first = study.put(two[0].clone(), 6_000);
        study.put(two[1].clone(), 6_000);
        let report = study.deep(&Deaf(first));
        assert!(report.merged == 0 || said(&two[0]) == said(&two[1]), "{two:?}");
    }
}

#[test]
fn buying_well_in_one_weather_is_no_evidence_for_selling_badly_in_another() {
    let mut shelf = Shelf::default();
    let known = active(about("sell", Regime::TrendingDown, false), 6_000);
    let id = known.id;
    shelf.add(known);
    for _ in 0..19 {
        let new = about("buy", Regime::TrendingUp, true);
        admit(&mut shelf, new, THREE, &Deaf(id), days(1));
    }
    let standing = &shelf.entry(id).expect("there").standing;
    assert_eq!((standing.validated, standing.confidence_bp), (0, 6_000));
    assert_eq!(shelf.entries().count(), 2, "and it is known by itself");
}

#[test]
fn the_same_claim_in_other_words_is_the_same_claim() {
    let mut shelf = Shelf::default();
    let known = active(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"), 6_000);
    let id = known.id;
    shelf.add(known);
    let other = EntryBody {
        text: "Dear gas foretells rich fees.".to_owned(),
        ..claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5")
    };
    assert_eq!(judge(&shelf, &other, THREE, None, NOW).ruling, Ruling::Skip { same: id });
    // How a sentence sounds is no reason to think less of a claim, either.
    let new = claiming("market.gas_ratio > 2.0", "market.return_90 < 0.0");
    let (alone, near) =
        (judge(&shelf, &new, THREE, None, NOW), judge(&shelf, &new, THREE, Some(Near { id, cosine: 0.97 }), NOW));
    assert_eq!(alone, near);
}
