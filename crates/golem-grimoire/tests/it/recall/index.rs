//! The index against a plain scan.

use golem_core::door::{Embedding, rounded};
use golem_grimoire::retrieval::{Found, Indexes, VectorIndex};
use proptest::prelude::*;

/// Numbers that look like noise, without dice.
fn noise(seed: u64, n: usize) -> Vec<f32> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 40) as f32 / 8_388_608.0 - 1.0
    };
    // The sum of four is bell-shaped enough.
    (0..n).map(|_| next() + next() + next() + next()).collect()
}

fn scan(vectors: &[(u32, Vec<f32>)], query: &[f32], k: usize) -> Vec<u32> {
    let norm = |v: &[f32]| v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let mut all: Vec<_> = vectors.iter().map(|(key, v)| (dot(v, query) / norm(v) / norm(query), *key)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(k).map(|(_, key)| key).collect()
}

fn keys(found: &[Found<u32>]) -> Vec<u32> {
    found.iter().map(|f| f.key).collect()
}

#[test]
fn the_nearest_of_many_are_found() {
    // 5,000 vectors around 50 middles, as texts are: neighbours are close to one another.
    let width = 128;
    let vectors: Vec<(u32, Vec<f32>)> = (0..5_000)
        .map(|i| {
            let middle = noise(u64::from(i % 50) + 1, width);
            (i, middle.iter().zip(noise(1_000 + u64::from(i), width)).map(|(m, x)| m + 0.7 * x).collect())
        })
        .collect();
    let mut index = VectorIndex::new(width);
    for (key, v) in &vectors {
        assert!(index.add(*key, &rounded("", v)));
    }
    let (mut right, mut all) = (0, 0);
    for i in 0..100 {
        let query: Vec<f32> =
            vectors[i * 37].1.iter().zip(noise(i as u64 + 77, width)).map(|(v, x)| v + 0.5 * x).collect();
        let expected = scan(&vectors, &query, 10);
        let count = |found: &[u32]| found.iter().filter(|key| expected.contains(key)).count();
        right += count(&keys(&index.nearest(&rounded("", &query), 10, |_| true)));
        all += expected.len();
    }
    assert!(right * 1_000 >= all * 999, "{right} of {all}");
}

fn small() -> impl Strategy<Value = Vec<Vec<f32>>> {
    // Few values, so that there are ties.
    prop::collection::vec(prop::collection::vec(prop_oneof![Just(-1.0f32), Just(0.0), Just(0.5), Just(1.0)], 5), 1..120)
}

proptest! {
    #[test]
    fn the_order_of_adding_does_not_show(vectors in small(), rotate in 0usize..100, k in 1usize..12) {
        let keyed: Vec<(u32, Vec<f32>)> = (0..).zip(vectors).collect();
        let mut other = keyed.clone();
        other.rotate_left(rotate % keyed.len());
        other.reverse();
        let build = |from: &[(u32, Vec<f32>)]| {
            let mut index = VectorIndex::new(5);
            from.iter().for_each(|(key, v)| assert!(index.add(*key, &rounded("", v))));
            index
        };
        let query = rounded("", &keyed[0].1);
        let (a, b) = (build(&keyed), build(&other));
        prop_assert_eq!(a.nearest(&query, k, |_| true), b.nearest(&query, k, |_| true));
    }

    #[test]
    fn what_was_removed_is_never_found(vectors in small(), gone in prop::collection::btree_set(0u32..120, 0..60)) {
        let keyed: Vec<(u32, Vec<f32>)> = (0..).zip(vectors).collect();
        let (mut removed, mut without) = (Indexes::default(), Indexes::default());
        for (key, v) in &keyed {
            removed.add(*key, &rounded("m", v));
            if !gone.contains(key) {
                without.add(*key, &rounded("m", v));
            }
        }
        gone.iter().for_each(|key| removed.remove(key));
        for (_, v) in keyed.iter().take(5) {
            let query = rounded("m", v);
            prop_assert_eq!(removed.nearest(&query, 7, |_| true), without.nearest(&query, 7, |_| true));
            // Leaving out by the question is the same as not being there.
            let odd = without.nearest(&query, 7, |key| key % 2 == 1);
            prop_assert!(odd.iter().all(|found| found.key % 2 == 1 && !gone.contains(&found.key)));
        }
    }
}

#[test]
fn embedders_are_kept_apart() {
    let mut indexes = Indexes::default();
    assert!(indexes.add(1u32, &rounded("a", &[1.0, 0.0])));
    assert!(indexes.add(2, &rounded("b", &[1.0, 0.0])));
    assert!(!indexes.add(3, &rounded("a", &[1.0, 0.0, 0.0])), "another width under the same name");
    assert_eq!(keys(&indexes.nearest(&rounded("a", &[1.0, 0.0]), 9, |_| true)), [1]);
    assert_eq!(keys(&indexes.nearest(&rounded("c", &[1.0, 0.0]), 9, |_| true)), [0u32; 0]);
    assert_eq!(keys(&indexes.nearest(&rounded("a", &[0.0, 0.0]), 9, |_| true)), [0u32; 0], "no direction");
}

#[test]
fn a_scale_that_is_no_number_is_refused() {
    let mut index = VectorIndex::new(2);
    for scale in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(!index.add(1u32, &Embedding { model: String::new(), row: vec![1, 2], scale }));
    }
    assert!(index.is_empty());
}
