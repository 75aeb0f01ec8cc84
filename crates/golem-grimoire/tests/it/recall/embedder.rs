//! The bundled embedder against the vectors and tokens that `embedder/distil.py` computed with the reference tokenizer.

use golem_core::door::rounded;
use golem_grimoire::embed::{BadTable, Embedder, StaticEmbedder, Vocabulary, pieces, similarity};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    width: usize,
    hit_at_1: u32,
    of: u32,
    texts: Vec<GoldenText>,
}

#[derive(Deserialize)]
struct GoldenText {
    text: String,
    tokens: Vec<String>,
    vector: Vec<f32>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../data/embedder.json")).unwrap()
}

const PARAPHRASES: &str = include_str!("../../../../../embedder/paraphrases.tsv");

#[test]
fn tokens_are_those_of_the_reference() {
    let embedder = StaticEmbedder::bundled();
    let vocabulary = embedder.vocabulary();
    assert!(vocabulary.len() > 29_000);
    for golden in golden().texts {
        let mut found = Vec::new();
        pieces(&golden.text, vocabulary, |at| found.push(String::from_utf8(vocabulary.word(at).to_vec()).unwrap()));
        assert_eq!(found, golden.tokens, "{:?}", golden.text);
    }
}

#[test]
fn vectors_are_those_of_the_script() {
    let (embedder, golden) = (StaticEmbedder::bundled(), golden());
    assert_eq!(embedder.width(), golden.width);
    assert_eq!(embedder.id(), format!("minilm-static-{}-v1", golden.width));
    for golden in golden.texts {
        let made = embedder.embed(&golden.text);
        // Half a step of the rounding, and a little for sums in another order.
        let step = made.scale * 0.5 + 2e-5;
        for (x, expected) in made.row.iter().zip(&golden.vector) {
            assert!((f32::from(*x) * made.scale - expected).abs() <= step, "{:?}", golden.text);
        }
    }
}

/// How many sentences find their own paraphrase first, both ways.
fn hits(embed: impl Fn(&str) -> golem_core::door::Embedding) -> (u32, u32) {
    let pairs: Vec<_> = PARAPHRASES.lines().filter_map(|line| line.split_once('\t')).collect();
    let (left, right): (Vec<_>, Vec<_>) = pairs.iter().map(|(a, b)| (embed(a), embed(b))).unzip();
    let mut found = 0;
    for (from, to) in [(&left, &right), (&right, &left)] {
        for (i, a) in from.iter().enumerate() {
            let own = similarity(a, &to[i]).unwrap();
            found += u32::from(to.iter().all(|b| similarity(a, b).unwrap() <= own));
        }
    }
    (found, u32::try_from(2 * pairs.len()).unwrap())
}

/// The baseline that needs no model: hashed groups of three letters.
fn hashed(text: &str) -> golem_core::door::Embedding {
    let mut vector = vec![0.0; 256];
    for word in text.to_lowercase().split_whitespace() {
        for three in format!("<{word}>").as_bytes().windows(3) {
            let hash =
                three.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
            vector[(hash >> 32) as usize % 256] += if hash & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
    rounded("hashed", &vector)
}

#[test]
fn paraphrases_are_found_as_often_as_was_measured() {
    let (embedder, golden) = (StaticEmbedder::bundled(), golden());
    let (found, of) = hits(|text| embedder.embed(text));
    assert_eq!(of, golden.of);
    assert!(found + 2 >= golden.hit_at_1, "{found} of {of}");
    let (by_letters, _) = hits(hashed);
    assert!(found > 2 * by_letters, "{found} against {by_letters} by letters alone");
}

#[test]
fn vectors_of_different_embedders_are_not_compared() {
    let (a, b) = (rounded("a", &[1.0, 0.0]), rounded("b", &[1.0, 0.0]));
    assert_eq!(similarity(&a, &b), None);
    assert_eq!(similarity(&a, &rounded("a", &[1.0, 0.0, 0.0])), None);
    assert_eq!(similarity(&a, &a), Some(1.0));
}

#[test]
fn what_is_no_table_is_refused() {
    let words = |n: u32| n.to_le_bytes();
    let table = |version: u32, width: u32, rows: u32| -> &'static [u8] {
        let head = [b"BARDOEMB".as_slice(), &words(version), &words(width), &words(rows), &words(3)].concat();
        // One word "gas" from 0 to 3, the factor 1, the row (1, 2).
        [head, words(0).to_vec(), words(3).to_vec(), 1.0f32.to_le_bytes().to_vec(), b"gas\x01\x02".to_vec()]
            .concat()
            .leak()
    };
    let whole = table(1, 2, 1);
    assert_eq!(StaticEmbedder::read("t", whole).unwrap().sum("Gas, gas!"), [2.0, 4.0]);
    for bad in [table(2, 2, 1), table(1, 0, 1), table(1, 2, 2), table(1, 2, u32::MAX), &whole[..whole.len() - 1], b""] {
        assert_eq!(StaticEmbedder::read("t", bad).err(), Some(BadTable));
    }
}

proptest! {
    #[test]
    fn any_text_has_a_vector_of_length_one_or_none(text in "\\PC{0,80}|(\\PC){0,20}[\\x00-\\x20\u{301}]{0,9}") {
        let embedder = StaticEmbedder::bundled();
        let made = embedder.embed(&text);
        let norm: f32 = made.row.iter().map(|x| (f32::from(*x) * made.scale).powi(2)).sum();
        prop_assert!(made.row.iter().all(|x| *x == 0) || (norm - 1.0).abs() < 0.02, "{}", norm);
    }

    #[test]
    fn rounding_keeps_the_direction(vector in prop::collection::vec(-1e3f32..1e3, 1..64)) {
        let made = rounded("t", &vector);
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        for (x, v) in made.row.iter().zip(&vector) {
            prop_assert!((f32::from(*x) * made.scale - v / norm.max(1e-30)).abs() <= made.scale * 0.51 + 1e-6);
        }
    }
}

#[test]
fn what_is_no_number_is_similar_to_nothing() {
    for bad in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [0.0, 0.0], [f32::MAX, f32::MAX]] {
        let made = rounded("t", &bad);
        assert_eq!((made.row.as_slice(), made.scale), ([0i16, 0].as_slice(), 0.0));
        assert_eq!(similarity(&made, &rounded("t", &[1.0, 0.0])), Some(0.0));
    }
}
