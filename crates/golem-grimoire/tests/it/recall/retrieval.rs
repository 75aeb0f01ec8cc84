//! Retrieval of entries: as of a time, explained, thinned, within its budget.

use golem_core::{Elapsed, GolemId, Regime, Tick, VirtualTime};
use golem_grimoire::admission::Neighbours;
use golem_grimoire::embed::{Embedder, StaticEmbedder};
use golem_grimoire::relevance::WeatherWeights;
use golem_grimoire::retrieval::{
    CONTRARIAN_EVERY, Finder, Hit, KnownEntry, Library, Nearby, Query, Recall, TermOf, Weighing, tokens,
};
use golem_grimoire::standing::Support;
use golem_grimoire::subject::WENT_WELL;
use golem_grimoire::{
    DecayClass, Entry, EntryBody, EntryId, EntryKind, EntryOrigin, EntryStatus, Provenance, Situation, Standing,
};
use proptest::prelude::*;

const DAY: u64 = 86_400_000;

fn body(text: &str) -> EntryBody {
    let origin = EntryOrigin { golem: GolemId([1; 16]), generation: 0 };
    let own = EntryBody::own(EntryKind::Insight, text.to_owned(), origin, VirtualTime(0));
    EntryBody { decay_class: DecayClass::Structural, ..own }
}

fn active(confidence_bp: u16, quality: f32, at: VirtualTime) -> Standing {
    Standing { quality, ..Standing::first(EntryStatus::Active, confidence_bp, Support::default(), at) }
}

/// Entries with every standing they ever had.
#[derive(Debug, Clone, Default)]
struct Past(Vec<(Entry, Vec<(VirtualTime, Standing)>)>);

impl Past {
    fn put(&mut self, body: EntryBody, standing: Standing) -> EntryId {
        let entry = Entry::new(body, standing);
        let id = entry.id;
        let since = entry.body.learnt_at;
        self.0.push((entry.clone(), vec![(since, entry.standing)]));
        id
    }
    fn finder(&self) -> Finder {
        let embedder = StaticEmbedder::bundled();
        let mut finder = Finder::default();
        for (entry, _) in &self.0 {
            finder.add(entry.id, &entry.body, Some(&embedder.embed(&entry.body.text)));
        }
        finder
    }
    /// What was there at a time, and nothing else.
    fn until(&self, t: VirtualTime) -> Self {
        let mut out = self.clone();
        out.0.retain(|(entry, _)| entry.body.learnt_at <= t);
        out.0.iter_mut().for_each(|(_, stood)| stood.retain(|(since, _)| *since <= t));
        out
    }
}

/// Gives everything, also what was learnt later: holding that back is the finder's part.
impl Library for Past {
    fn as_of<'a>(&'a self, t: VirtualTime, give: &mut dyn FnMut(KnownEntry<'a>)) {
        for (entry, stood) in &self.0 {
            let then = stood.iter().rev().find(|(since, _)| *since <= t).or(stood.first());
            let (_, standing) = then.unwrap();
            // Whether it felt good: the first tag says so.
            let feels = |tag: &String| if tag == "glad" { [0.9, 0.1, 0.2] } else { [-0.9, 0.1, -0.2] };
            let affect = entry.body.tags.first().filter(|t| *t == "glad" || *t == "sad").map(feels);
            give(KnownEntry { id: entry.id, body: &entry.body, standing, affect });
        }
    }
}

fn ask(text: &str, at: VirtualTime) -> Query {
    let embedding = Some(StaticEmbedder::bundled().embed(text));
    Query { text: text.to_owned(), embedding, ..Query::at(at) }
}

fn ids(recall: &Recall) -> Vec<EntryId> {
    recall.hits.iter().map(|hit| hit.id).collect()
}

const WORDS: &[&str] = &[
    "gas",
    "rises",
    "falls",
    "price",
    "volatile",
    "pool",
    "liquidity",
    "range",
    "fees",
    "sell",
    "wait",
    "trend",
    "whale",
];

fn entry() -> impl Strategy<Value = (EntryBody, Vec<(u64, u16, f32, u8)>)> {
    let text = prop::collection::vec(prop::sample::select(WORDS), 1..20);
    let from = prop::sample::select(vec![Provenance::SelfGenerated, Provenance::Clade, Provenance::Testament]);
    let regime = prop::option::of(prop::sample::select(Regime::ALL.to_vec()));
    let prototype = prop::option::of(prop::array::uniform24(-2f32..2.0).prop_map(Situation));
    let stood = prop::collection::vec((0u64..20, 0u16..=10_000, -0.5f32..1.5, 0u8..5), 1..4);
    ((text, from, regime, prototype), (0u64..20, any::<bool>(), 0u8..3, any::<[bool; 3]>()), stood).prop_map(
        |((text, provenance, regime, prototype), (learnt, blood, golem, [question, warning, glad]), stood)| {
            let mut out = body(&text.join(" "));
            out.kind = if warning { EntryKind::Warning } else { EntryKind::Insight };
            out.provenance = provenance;
            out.origin.golem = GolemId([golem; 16]);
            (out.regime, out.prototype, out.is_bloodstain, out.is_question) = (regime, prototype, blood, question);
            out.tags = vec![if glad { "glad" } else { "sad" }.to_owned()];
            out.learnt_at = VirtualTime(learnt * DAY);
            (out, stood)
        },
    )
}

fn past() -> impl Strategy<Value = Past> {
    prop::collection::vec(entry(), 0..40).prop_map(|all| {
        let mut past = Past::default();
        for (body, mut stood) in all {
            stood.sort_by_key(|s| s.0);
            let (learnt, first) = (body.learnt_at, stood[0]);
            if past.0.iter().any(|(e, _)| e.id == Entry::new(body.clone(), active(0, 0.0, learnt)).id) {
                continue;
            }
            past.put(body, active(first.1, first.2, learnt));
            let standings = stood.iter().map(|(later, confidence, quality, status)| {
                let at = learnt.after(Elapsed(later * DAY));
                let mut standing = active(*confidence, *quality, at);
                standing.status = match status {
                    0 => EntryStatus::Candidate,
                    1 => EntryStatus::Archived(at),
                    2 => EntryStatus::Quarantined(at),
                    _ => EntryStatus::Active,
                };
                (at, standing)
            });
            let at = past.0.len() - 1;
            past.0[at].1.extend(standings);
        }
        past
    })
}

fn query() -> impl Strategy<Value = Query> {
    let text = prop::collection::vec(prop::sample::select(WORDS), 0..6);
    let situation = prop::option::of(prop::array::uniform24(-2f32..2.0).prop_map(Situation));
    let affect = prop::option::of(prop::array::uniform3(-1f32..1.0));
    (text, situation, affect, 0u64..30, 0u32..300, any::<[bool; 3]>(), prop::sample::select(Regime::ALL.to_vec()))
        .prop_map(|(text, situation, affect, day, budget, [contrarian, questions, vectors], regime)| {
            let asked = ask(&text.join(" "), VirtualTime(day * DAY));
            let embedding = asked.embedding.clone().filter(|_| vectors);
            Query {
                situation,
                affect,
                budget,
                contrarian,
                questions,
                embedding,
                weather: WeatherWeights::settled(regime),
                ..asked
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn the_future_is_never_seen(past in past(), query in query()) {
        let now = past.finder().retrieve(&past, &query, &Weighing::default());
        for hit in &now.hits {
            let (entry, _) = past.0.iter().find(|(entry, _)| entry.id == hit.id).unwrap();
            prop_assert!(entry.body.learnt_at <= query.as_of);
        }
        // Not even in a rank or a score: the answer is the one that was given at the time.
        let then = past.until(query.as_of);
        prop_assert_eq!(now, then.finder().retrieve(&then, &query, &Weighing::default()));
    }

    #[test]
    fn a_score_is_the_sum_of_its_reasons(past in past(), query in query()) {
        let by = Weighing::default();
        for hit in past.finder().retrieve(&past, &query, &by).hits {
            let mut sum = 0.0;
            for term in &hit.why.terms {
                let weight = match term.of {
                    TermOf::Rank => by.rank,
                    TermOf::Confidence => by.confidence,
                    TermOf::Quality => by.quality,
                    TermOf::Recency => by.recency,
                    TermOf::Regime => by.regime,
                    TermOf::Affect => by.affect,
                    TermOf::Bloodstain | TermOf::Unvalidated | TermOf::Applies => {
                        prop_assert!((term.gives - (term.value - 1.0) * sum).abs() < 1e-12);
                        sum += term.gives;
                        continue;
                    }
                };
                prop_assert!((0.0..=1.0).contains(&term.value), "{:?}", term);
                prop_assert!((term.gives - term.value * weight).abs() < 1e-12);
                sum += term.gives;
            }
            prop_assert!(hit.score == sum && hit.score == hit.why.total(), "{} {}", hit.score, sum);
        }
    }

    #[test]
    fn the_order_of_adding_does_not_show(past in past(), query in query(), by in 0usize..40) {
        let mut other = past.clone();
        other.0.reverse();
        if !other.0.is_empty() {
            let by = by % other.0.len();
            other.0.rotate_left(by);
        }
        let weighing = Weighing::default();
        prop_assert_eq!(past.finder().retrieve(&past, &query, &weighing), other.finder().retrieve(&other, &query, &weighing));
    }

    #[test]
    fn the_budget_and_the_shares_are_kept(past in past(), query in query()) {
        let recall = past.finder().retrieve(&past, &query, &Weighing::default());
        let mut shares = std::collections::BTreeMap::new();
        let mut all = 0;
        for hit in &recall.hits {
            let (entry, _) = past.0.iter().find(|(entry, _)| entry.id == hit.id).unwrap();
            prop_assert_eq!(hit.tokens, tokens(&entry.body.text));
            all += hit.tokens;
            if entry.body.provenance != Provenance::SelfGenerated {
                *shares.entry(entry.body.origin.golem).or_insert(0) += hit.tokens;
            }
        }
        prop_assert!(all == recall.tokens && all <= query.budget && recall.hits.len() <= 10);
        prop_assert!(shares.values().all(|tokens| f64::from(*tokens) <= 0.2 * f64::from(query.budget)), "{:?}", shares);
    }
}

#[test]
fn tokens_are_a_quarter_of_the_characters_rounded_up() {
    assert_eq!(["", "a", "abcd", "abcde", "ééééé"].map(tokens), [0, 1, 1, 2, 2]);
}

#[test]
fn of_many_that_say_the_same_one_is_shown() {
    let mut past = Past::default();
    let at = VirtualTime(0);
    for (i, end) in ["", ".", "!", "!!"].into_iter().enumerate() {
        past.put(body(&format!("Wait for cheap gas before rebalancing{end}")), active(6_000 + i as u16, 0.5, at));
    }
    let other = past.put(body("High gas follows a sharp move of the price"), active(5_000, 0.5, at));
    let recall = past.finder().retrieve(&past, &ask("is gas cheap?", at), &Weighing::default());
    assert_eq!((recall.hits.len(), recall.alike), (2, 3));
    assert_eq!(ids(&recall)[1], other);
}

#[test]
fn the_opposite_in_nearly_the_same_words_is_no_repetition() {
    let mut past = Past::default();
    let claim = |then: &str| golem_grimoire::Claim {
        when: "market.gas_ratio > 2.0".to_owned(),
        then: then.to_owned(),
        unless: None,
        after_ticks: 90,
    };
    for (word, then) in [("up", "market.return_90 > 0.0"), ("down", "market.return_90 < 0.0")] {
        let text =
            format!("When gas doubles in a volatile market the price of the asset goes {word} within ninety ticks");
        past.put(EntryBody { claim: Some(claim(then)), ..body(&text) }, active(6_000, 0.5, VirtualTime(0)));
    }
    let recall = past.finder().retrieve(&past, &ask("gas doubles", VirtualTime(0)), &Weighing::default());
    assert_eq!((recall.hits.len(), recall.alike), (2, 0));
}

#[test]
fn what_is_different_comes_before_more_of_the_same() {
    let mut past = Past::default();
    let at = VirtualTime(0);
    let first = past.put(body("The price of gas rises when the market falls"), active(9_000, 0.5, at));
    let again = past.put(body("The price of gas mostly rises when markets fall"), active(8_500, 0.5, at));
    let other = past.put(body("Gas is cheap on Sunday mornings"), active(8_000, 0.5, at));
    let finder = past.finder();
    let ask = ask("the price of gas", at);
    assert_eq!(ids(&finder.retrieve(&past, &ask, &Weighing::default())), [first, other, again]);
    let relevance_alone = Weighing { lambda: 1.0, ..Weighing::default() };
    assert_eq!(ids(&finder.retrieve(&past, &ask, &relevance_alone)), [first, again, other]);
}

/// The only hit, for an entry that differs from the usual one in one thing.
fn scored(change: impl FnOnce(&mut EntryBody, &mut Standing), ask_for: impl FnOnce(&mut Query)) -> Hit {
    let (mut body, mut standing) = (body("gas rises"), active(6_000, 0.5, VirtualTime(0)));
    change(&mut body, &mut standing);
    let mut past = Past::default();
    past.put(body, standing);
    let mut query = ask("gas", VirtualTime(7 * DAY));
    ask_for(&mut query);
    past.finder().retrieve(&past, &query, &Weighing::default()).hits.remove(0)
}

#[test]
fn each_term_counts_as_it_should() {
    let usual = scored(|_, _| {}, |_| {}).score;
    // First in both lists .30, confidence .25 x .6, quality .20 x .5, half recency .15 x .5, any weather .10.
    assert!((usual - (0.30 + 0.15 + 0.10 + 0.075 + 0.10)).abs() < 1e-12, "{usual}");
    let rain = |query: &mut Query| query.weather = WeatherWeights::settled(Regime::Volatile);
    let sunny = |body: &mut EntryBody| body.regime = Some(Regime::RangeBound);
    let table: [(&str, f64, f64); 7] = [
        ("bloodstain", scored(|b, _| b.is_bloodstain = true, |_| {}).score, usual * 1.2),
        ("from a sibling", scored(|b, _| b.provenance = Provenance::Clade, |_| {}).score, usual * 0.8),
        (
            "validated here",
            scored(
                |b, s| {
                    b.provenance = Provenance::Clade;
                    s.own_validation = true;
                },
                |_| {},
            )
            .score,
            usual,
        ),
        ("another weather", scored(|b, _| sunny(b), rain).score, usual - 0.10 * 0.7),
        ("fresh", scored(|_, s| s.last_validated = VirtualTime(7 * DAY), |_| {}).score, usual + 0.075),
        ("more confident", scored(|_, s| s.confidence_bp = 8_000, |_| {}).score, usual + 0.05),
        ("better", scored(|_, s| s.quality = 1.0, |_| {}).score, usual + 0.10),
    ];
    for (name, found, expected) in table {
        // A sibling's word is believed at most so far, whatever it says of itself: that is decay's business.
        let slack = if name == "from a sibling" { 0.11 } else { 1e-9 };
        assert!((found - expected).abs() < slack, "{name}: {found} against {expected}");
    }
}

#[test]
fn feelings_count_only_where_both_are_known() {
    let glad = |b: &mut EntryBody, _: &mut Standing| b.tags.push("glad".to_owned());
    let term = |hit: &Hit| hit.why.terms.iter().find(|term| term.of == TermOf::Affect).map(|term| term.value);
    let mood = |pleasure: f32| move |query: &mut Query| query.affect = Some([pleasure, 0.0, 0.0]);
    assert_eq!(term(&scored(glad, |_| {})), None);
    assert_eq!(term(&scored(|_, _| {}, mood(1.0))), None);
    let (alike, opposite) = (term(&scored(glad, mood(1.0))).unwrap(), term(&scored(glad, mood(-1.0))).unwrap());
    assert!(alike > 0.9 && opposite < 0.1, "{alike} {opposite}");
}

#[test]
fn what_is_out_of_use_is_not_retrieved() {
    let at = VirtualTime(5);
    type Change = fn(&mut EntryBody, &mut Standing);
    let table: [(&str, Change, bool); 7] = [
        ("active", |_, _| {}, true),
        ("on trial", |_, s| s.status = EntryStatus::Candidate, true),
        ("archived", |_, s| s.status = EntryStatus::Archived(VirtualTime(1)), false),
        ("burnt", |_, s| s.status = EntryStatus::Burnt(VirtualTime(1)), false),
        ("quarantined", |_, s| s.status = EntryStatus::Quarantined(VirtualTime(1)), false),
        ("no longer true", |_, s| s.true_until = Some(VirtualTime(5)), false),
        ("a question", |b, _| b.is_question = true, false),
    ];
    for (name, change, found) in table {
        let (mut body, mut standing) = (body("gas rises"), active(6_000, 0.5, VirtualTime(0)));
        change(&mut body, &mut standing);
        let mut past = Past::default();
        past.put(body, standing);
        let recall = past.finder().retrieve(&past, &ask("gas", at), &Weighing::default());
        assert_eq!(recall.hits.len() == 1, found, "{name}");
        let questions = Query { questions: true, ..ask("gas", at) };
        let asked = past.finder().retrieve(&past, &questions, &Weighing::default());
        assert_eq!(asked.hits.len() == 1, found || name == "a question", "{name}");
    }
}

fn about(axis: usize, x: f32) -> Option<Situation> {
    let mut here = Situation::default();
    here.0[axis] = x;
    Some(here)
}

#[test]
fn the_contrarian_draw_speaks_against_the_rest() {
    let at = VirtualTime(0);
    let mut past = Past::default();
    let with = |text: &str, prototype, tag: &str| EntryBody { prototype, tags: vec![tag.to_owned()], ..body(text) };
    let usual = past.put(with("buy when gas is cheap", about(1, 2.0), "glad"), active(8_000, 0.5, at));
    let far = past.put(with("selling into a crash brought losses", about(1, -2.0), "sad"), active(4_000, 0.5, at));
    let warning = EntryBody { kind: EntryKind::Warning, ..with("pools run dry before news", None, "sad") };
    let warning = past.put(warning, active(4_000, 0.5, at));
    let finder = past.finder();
    let plain = Query { situation: about(1, 2.0), embedding: None, ..ask("cheap gas", at) };
    assert_eq!(ids(&finder.retrieve(&past, &plain, &Weighing::default())), [usual]);

    let draw = |query: Query| finder.retrieve(&past, &Query { contrarian: true, ..query }, &Weighing::default());
    let by_distance = draw(plain.clone());
    assert_eq!(ids(&by_distance), [far, usual], "the most distant situation");
    assert_eq!(by_distance.hits.iter().map(|hit| hit.why.contrarian).collect::<Vec<_>>(), [true, false]);
    let by_feeling = draw(Query { affect: Some([0.9, 0.1, 0.2]), situation: None, ..plain.clone() });
    assert!([far, warning].contains(&ids(&by_feeling)[0]), "an opposite feeling");
    let encouraged = EntryBody { tags: vec![WENT_WELL.to_owned()], ..body("cheap gas brings good entries") };
    assert!(draw(Query { budget: 0, ..plain }).hits.is_empty(), "it has no budget of its own");
    let mut spoken = Past::default();
    let well = spoken.put(encouraged, active(8_000, 0.5, at));
    let ill = EntryBody { kind: EntryKind::Warning, ..body("pools run dry before news") };
    let ill = spoken.put(ill, active(4_000, 0.5, at));
    let query = Query { contrarian: true, embedding: None, ..ask("cheap gas", at) };
    let found = ids(&spoken.finder().retrieve(&spoken, &query, &Weighing::default()));
    assert_eq!(found, [ill, well], "a warning against what went well");
    assert!(Tick(300).is_every(CONTRARIAN_EVERY) && !Tick(301).is_every(CONTRARIAN_EVERY));
}

#[test]
fn no_sibling_fills_the_context() {
    let mut past = Past::default();
    for other in WORDS.iter().skip(1) {
        let mut loud = body(&format!("gas gas gas, gas and {other} {other} {other}, trust me about {other}"));
        loud.provenance = Provenance::Clade;
        loud.origin.golem = GolemId([9; 16]);
        past.put(loud, Standing { own_validation: true, ..active(10_000, 1.0, VirtualTime(0)) });
    }
    let own = past.put(body("a quiet remark about gas"), active(1_000, 0.1, VirtualTime(0)));
    let recall = past.finder().retrieve(&past, &ask("gas", VirtualTime(0)), &Weighing::default());
    let theirs: u32 = recall.hits.iter().filter(|hit| hit.id != own).map(|hit| hit.tokens).sum();
    assert!(theirs <= 100 && theirs > 0, "{theirs}");
    assert!(ids(&recall).contains(&own) && recall.over_share > 0);
}

#[test]
fn a_reason_reads_as_a_sentence() {
    let hit = scored(
        |b, _| {
            b.is_bloodstain = true;
            b.provenance = Provenance::Testament;
        },
        |_| {},
    );
    insta::assert_snapshot!(hit.why.to_string());
}

#[test]
fn the_nearest_neighbour_is_known_to_the_gate() {
    let mut past = Past::default();
    let known = past.put(body("Wait for cheap gas before rebalancing"), active(6_000, 0.5, VirtualTime(0)));
    past.put(body("The pool ran dry"), active(6_000, 0.5, VirtualTime(0)));
    let (finder, embedder) = (past.finder(), StaticEmbedder::bundled());
    let near = Nearby { finder: &finder, embedder: &embedder }
        .nearest(&body("wait for cheap gas before rebalancing!"))
        .unwrap();
    assert!(near.id == known && near.cosine > 0.95, "{near:?}");
}
