//! Whether a life was more than a repetition.

use crate::kit::{body, claiming, days, golem, knowing, passport, proven, standing};
use golem_clade::barrier::Crossings;
use golem_clade::divergence::{
    ASKED_FROM, AntiProletarianizationConfig, DivergenceMeasure, DivergenceReport, DivergenceVerdict,
    InvalidationReason, KnowledgeDrift, LifeWork, Negentropy, PlaybookDistance, RatchetCounts, RatchetGrade,
    judge_divergence, knowledge_drift, lineage_score, may_succeed, negentropy_slope, ratchet_grade, ratchet_score,
};
use golem_clade::provenance::PassportBook;
use golem_core::door::Embedding;
use golem_core::{Elapsed, VirtualTime};
use golem_grimoire::embed::{Embedder, StaticEmbedder};
use golem_grimoire::playbook::{Amendment, Playbook, PlaybookWriter, Rule};
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryStatus, Provenance, RuleAction, Standing};

fn rule(x: u32) -> Rule {
    let body = EntryBody {
        kind: EntryKind::Heuristic,
        action: Some(RuleAction::StandAside),
        ..claiming(&format!("market.gas_ratio > {x}.0"), "market.fee_yield_ratio > 1.5")
    };
    Rule::from_entry(&proven(body, 8_000), VirtualTime(0)).expect("a rule")
}

fn playbook(rules: impl IntoIterator<Item = Rule>) -> Playbook {
    let mut writer = PlaybookWriter::new("someone".parse().expect("a name"), golem(1));
    for rule in rules {
        // One at a time: rules of one family would otherwise make way for each other.
        let (revision, refused) = writer.curate(vec![Amendment::Put(Box::new(rule))]);
        assert!(revision.is_some() && refused.is_empty(), "{refused:?}");
    }
    writer.playbook().clone()
}

/// Rules that no two of which are of one family.
fn rules(n: usize) -> Vec<Rule> {
    let causes = [
        "gas_ratio",
        "volatility_ratio",
        "volume_ratio",
        "fee_yield_ratio",
        "shock",
        "lead_return",
        "return_90",
        "hour",
    ];
    let of = |cause: &&str| {
        let body = EntryBody {
            kind: EntryKind::Heuristic,
            action: Some(RuleAction::StandAside),
            ..claiming(&format!("market.{cause} > 2.0"), "market.return_15 < 0.0")
        };
        Rule::from_entry(&proven(body, 8_000), VirtualTime(0)).expect("a rule")
    };
    causes.iter().map(of).take(n).collect()
}

fn distance(a: &Playbook, b: &Playbook) -> PlaybookDistance {
    PlaybookDistance::between(a, b, &StaticEmbedder::bundled())
}

#[test]
fn playbooks_differ_by_the_rules_that_only_one_has() {
    let (six, eight) = (playbook(rules(6)), playbook(rules(8)));
    let empty = playbook([]);
    for (a, b, share) in [(&six, &six, 0.0), (&six, &eight, 0.25), (&empty, &six, 1.0), (&empty, &empty, 0.0)] {
        let found = distance(a, b);
        assert!((found.rules - share).abs() < 1e-12, "{found:?}");
        assert_eq!((found.by, found.deciding()), (DivergenceMeasure::ShareOfRules, found.rules));
    }
    assert!(distance(&six, &six).cosine.abs() < 1e-9);
    let near = distance(&six, &eight).cosine;
    assert!(near > 0.0 && near < 0.5, "the cosine stands beside it: {near}");
    // The same rule with other evidence, under another id, is the same rule.
    let again = rule(2);
    let mut words = again.words().clone();
    words.id = "own-another".parse().expect("an id");
    (words.confidence_bp, words.title) = (1_234, "Other words".to_owned());
    assert!(distance(&playbook([again]), &playbook([Rule::new(words).expect("a rule")])).rules.abs() < 1e-12);
}

/// Says of itself that it is the embedder whose cosine decides.
struct Deciding(StaticEmbedder);
impl Embedder for Deciding {
    fn id(&self) -> &str {
        "nomic-embed-text-v1.5-768-v1"
    }
    fn width(&self) -> usize {
        self.0.width()
    }
    fn embed(&self, text: &str) -> Embedding {
        self.0.embed(text)
    }
}

#[test]
fn with_the_seeds_embedder_the_cosine_decides_and_drift_is_a_minimum() {
    let (six, eight) = (playbook(rules(6)), playbook(rules(8)));
    let found = PlaybookDistance::between(&six, &eight, &Deciding(StaticEmbedder::bundled()));
    assert_eq!((found.by, found.deciding()), (DivergenceMeasure::CosineDistance, found.cosine));
    let at = |rules| PlaybookDistance { rules, cosine: 0.9, by: DivergenceMeasure::ShareOfRules };
    for (rules, allowed, may) in [(0.15, 0.15, true), (0.14, 0.15, false), (0.9, 0.15, true), (0.5, f64::NAN, false)] {
        assert_eq!(may_succeed(&at(rules), allowed).is_ok(), may, "{rules} {allowed}");
    }
}

fn work(inherited: u32, novel: u32, questions: u32) -> LifeWork {
    LifeWork {
        counts: RatchetCounts { inherited, novel, ..RatchetCounts::default() },
        invalidated: Vec::new(),
        entries: 50,
        questions,
        negentropy: Negentropy::default(),
    }
}

fn judged(rules: f64, work: LifeWork) -> DivergenceReport {
    let playbook = PlaybookDistance { rules, cosine: 0.0, by: DivergenceMeasure::ShareOfRules };
    judge_divergence(playbook, work, &AntiProletarianizationConfig::default())
}

#[test]
fn a_verdict_for_each_kind_of_life() {
    let codes = |r: &DivergenceReport| r.shortfalls.iter().map(|s| s.code()).collect::<Vec<_>>();
    for (rules, life, verdict, missing) in [
        (0.15, work(10, 5, 5), DivergenceVerdict::Individuated, vec![]),
        (0.14, work(10, 5, 5), DivergenceVerdict::LowDivergence, vec![700]),
        (0.50, work(10, 4, 5), DivergenceVerdict::LowDivergence, vec![701]),
        (0.50, work(10, 9, 4), DivergenceVerdict::LowDivergence, vec![703]),
        (0.50, work(10, 9, 0), DivergenceVerdict::LowDivergence, vec![702, 703]),
        (0.00, work(10, 0, 5), DivergenceVerdict::CargoCult, vec![700, 701]),
        // Refutations are asked of those who inherited much, and only as a warning.
        (0.50, work(ASKED_FROM, 9, 5), DivergenceVerdict::Individuated, vec![704]),
        (0.50, work(ASKED_FROM - 1, 9, 5), DivergenceVerdict::Individuated, vec![]),
    ] {
        let found = judged(rules, life);
        assert_eq!((found.verdict, codes(&found)), (verdict, missing), "{rules}");
        assert_eq!(found.low_divergence, verdict != DivergenceVerdict::Individuated);
    }
    for shortfall in judged(0.0, work(ASKED_FROM, 0, 0)).shortfalls {
        assert!(!shortfall.lifted_by().is_empty() && !shortfall.to_string().is_empty() && !shortfall.name().is_empty());
    }
}

#[test]
fn a_life_is_counted_from_what_it_knows() {
    let told = |x: u32| EntryBody {
        provenance: Provenance::Testament,
        ..claiming(&format!("market.volatility_ratio > {x}.0"), "market.return_15 < 0.0")
    };
    let inherited = |x, status, validated, contradicted, own_validation| {
        Entry::new(told(x), Standing { validated, contradicted, own_validation, ..standing(status, 4_000) })
    };
    let came = [
        inherited(2, EntryStatus::Active, 5, 0, true),
        inherited(3, EntryStatus::Candidate, 0, 3, false),
        inherited(4, EntryStatus::Archived(days(1)), 0, 0, false),
    ];
    let mut all = came.to_vec();
    // Of its own: two members of one family, one of an inherited family, one question, one text.
    all.push(proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"), 8_000));
    all.push(proven(claiming("market.gas_ratio > 3.0", "market.fee_yield_ratio > 1.2"), 8_000));
    all.push(proven(claiming("market.volatility_ratio > 9.0", "market.return_15 < 0.0"), 8_000));
    all.push(proven(EntryBody { is_question: true, ..body(EntryKind::Insight, "Why does gas fall at noon?") }, 5_000));
    all.push(proven(body(EntryKind::Insight, "Gas falls at noon."), 5_000));
    // What its death taught was written after its testament.
    let stain = EntryBody { is_bloodstain: true, ..body(EntryKind::Warning, "Forecasts of yield fell behind.") };
    all.push(proven(stain, 7_000));
    let heir = knowing(golem(2), all);
    let mut book = PassportBook::default();
    came.iter().for_each(|e| book.accept(e.id, passport(Crossings::learnt_by(golem(2), 4_000))));
    let bodies: Vec<&EntryBody> = came.iter().map(|e| &e.body).collect();
    let work = LifeWork::of(heir.shelf(), &book, &bodies);
    let counts = RatchetCounts { inherited: 3, novel: 3, validated: 1, contradicted: 1 };
    assert_eq!((work.counts, work.entries, work.questions), (counts, 7, 1));
    assert_eq!(work.invalidated.len(), 1, "what only faded was not refuted");
    assert_eq!(work.invalidated[0].reason, InvalidationReason::Refuted { contradicted: 3, confirmed: 0 });
    assert!((work.question_ratio() - 1.0 / 7.0).abs() < 1e-12);
}

#[test]
fn the_ratchet_and_its_line() {
    let counts =
        |inherited, novel, validated, contradicted| RatchetCounts { inherited, novel, validated, contradicted };
    for (c, score, grade) in [
        (counts(10, 10, 10, 0), 0.8, RatchetGrade::Exceptional),
        (counts(10, 4, 2, 3), 0.2, RatchetGrade::Strong),
        (counts(10, 0, 2, 3), 0.0, RatchetGrade::Adequate),
        (counts(10, 0, 0, 5), -0.1, RatchetGrade::Regressive),
    ] {
        let found = ratchet_score(c).expect("it inherited something");
        assert!((found - score).abs() < 1e-12, "{found}");
        assert_eq!(ratchet_grade(score), grade);
    }
    assert_eq!(ratchet_score(counts(0, 9, 0, 0)), None, "a first ancestor has nothing to add to");
    let lives =
        [(Elapsed(3), counts(10, 10, 10, 0)), (Elapsed(1), counts(10, 0, 2, 3)), (Elapsed(9), counts(0, 5, 0, 0))];
    assert!((lineage_score(&lives).expect("two inherited") - 0.6).abs() < 1e-12);
    assert_eq!(lineage_score(&lives[2..]), None);
}

#[test]
fn order_is_what_entries_tell_and_not_how_many_they_are() {
    let of = |n: u32, validated, contradicted| {
        let body = claiming(
            "market.gas_ratio > 2.0",
            ["market.fee_yield_ratio > 1.5", "market.volume_ratio > 2.0", "market.return_15 < 0.0"][n as usize % 3],
        );
        Entry::new(body, Standing { validated, contradicted, ..standing(EntryStatus::Active, 7_000) })
    };
    let text = |n: u32| proven(body(EntryKind::Insight, &format!("Note number {n}.")), 5_000);
    let told = |entries: &[Entry]| Negentropy::of(entries.iter());
    let lessons = [of(0, 30, 0), of(1, 30, 0), of(2, 20, 10)];
    let base = told(&lessons);
    assert!(base.bits > 1.5 && base.per_entry() < 1.0, "{base:?}");
    let doubled: Vec<Entry> = lessons.iter().chain(&lessons).cloned().collect();
    assert!((told(&doubled).bits - base.bits).abs() < 1e-12, "what is said twice is told once");
    assert!((told(&doubled).per_entry() - base.per_entry() / 2.0).abs() < 1e-12);
    let unproven = |n: u32| Entry { standing: Standing { validated: 0, ..text(n).standing }, ..text(n) };
    let heaped: Vec<Entry> = lessons.iter().cloned().chain((0..30).map(unproven)).collect();
    assert!(told(&heaped).per_entry() < base.per_entry() / 5.0, "a heap of notes is no order");
    assert!(told(&[of(0, 5, 5), of(1, 0, 9)]).bits.abs() < 1e-12, "a coin tells nothing, and what is wrong neither");
    assert!(told(&[]).per_entry().abs() < 1e-12);
    let line = [told(&heaped), told(&doubled), base];
    assert!(negentropy_slope(&line).expect("three") > 0.0);
    let drift = |of: &[Negentropy]| knowledge_drift(negentropy_slope(of).expect("two at least"));
    assert_eq!(drift(&line), KnowledgeDrift::Negentropic);
    assert_eq!(drift(&[line[2], line[1], line[0]]), KnowledgeDrift::Entropic);
    assert_eq!((drift(&[base, base]), negentropy_slope(&[base])), (KnowledgeDrift::Level, None));
}

#[test]
fn the_seeds_defaults_and_what_is_out_of_range() {
    let asked = AntiProletarianizationConfig::default();
    assert_eq!((asked.min_playbook_divergence, asked.min_question_ratio), (0.15, 0.10));
    assert_eq!((asked.min_novel_entries, asked.min_invalidated_entries, asked.require_explicit_gaps), (5, 3, true));
    assert!(asked.problems().is_empty());
    let bad = AntiProletarianizationConfig { min_playbook_divergence: 1.5, min_question_ratio: f64::NAN, ..asked };
    assert_eq!(
        bad.problems().iter().map(|p| p.key.as_str()).collect::<Vec<_>>(),
        ["min_playbook_divergence", "min_question_ratio"]
    );
    let read: AntiProletarianizationConfig =
        serde_json::from_str(r#"{"minNovelEntries": 7}"#).expect("the seed's spelling");
    assert_eq!(read.min_novel_entries, 7);
    assert!(serde_json::from_str::<AntiProletarianizationConfig>(r#"{"novel": 7}"#).is_err());
}
