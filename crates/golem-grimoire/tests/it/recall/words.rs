//! The ranking in memory against SQLite's own.

use golem_grimoire::retrieval::unicode61::any_of;
use golem_grimoire::retrieval::words::Words;
use proptest::prelude::*;
use rusqlite::Connection;

/// What FTS5 finds in these texts (numbered from 1), with its scores.
fn by_sqlite(texts: &[(i64, String)], query: &str) -> Vec<(i64, f64)> {
    let file = Connection::open_in_memory().unwrap();
    file.execute_batch("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 1')").unwrap();
    for (key, text) in texts {
        file.execute("INSERT INTO t(rowid, x) VALUES (?1, ?2)", (key, text)).unwrap();
    }
    let query = any_of(query);
    if query.is_empty() {
        return Vec::new();
    }
    let mut found = file.prepare("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?1").unwrap();
    let rows = found.query_map([query], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut rows: Vec<(i64, f64)> = rows.map(Result::unwrap).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    rows
}

/// Few words, so that they meet; common and rare ones, accents, capitals, numbers.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => Just("the"), 2 => Just("gas"), 2 => Just("Pool"), 1 => Just("café"), 1 => Just("ÉTÉ"), 1 => Just("0.05%"),
        1 => Just("liquidity"), 1 => Just("range-bound"), 1 => Just("Ωmega"), 1 => Just("—"), 1 => Just("σ")
    ];
    prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "))
}

fn same(ours: &[(i64, f64)], theirs: &[(i64, f64)]) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.len(), theirs.len());
    for ((a, x), (b, y)) in ours.iter().zip(theirs) {
        prop_assert!((x - y).abs() <= 1e-9, "{} {} {} {}", a, x, b, y);
        // Two texts whose scores differ by a rounding may change places.
        prop_assert!(a == b || theirs.iter().any(|(c, z)| c == a && (z - y).abs() <= 1e-9));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ranks_and_scores_are_those_of_fts5(
        texts in prop::collection::vec(text(), 0..30),
        query in text(),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        hidden in 0i64..10,
    ) {
        let mut words = Words::default();
        let mut left: Vec<(i64, String)> = (1..).zip(texts).collect();
        left.iter().for_each(|(key, text)| words.add(*key, text));
        for at in removed {
            if !left.is_empty() {
                let (key, _) = left.remove(at.index(left.len()));
                words.remove(&key);
            }
        }
        same(&words.search(&query, 100, |_| true), &by_sqlite(&left, &query))?;
        // A search among some is a search in a table of those alone.
        left.retain(|(key, _)| key % 10 != hidden);
        same(&words.search(&query, 100, |key| key % 10 != hidden), &by_sqlite(&left, &query))?;
    }

    #[test]
    fn what_was_taken_out_leaves_no_trace(texts in prop::collection::vec(text(), 1..10), other in text()) {
        let mut words = Words::default();
        (0..).zip(&texts).for_each(|(key, text)| words.add(key, text));
        let before = words.clone();
        words.add(99, &other);
        words.add(99, "something else");
        words.remove(&99);
        prop_assert_eq!((words.len(), words.vocabulary()), (before.len(), before.vocabulary()));
        prop_assert_eq!(words.search(&other, 99, |_| true), before.search(&other, 99, |_| true));
    }
}

#[test]
fn ties_go_by_name_and_the_list_is_cut() {
    let mut words = Words::default();
    [3, 1, 2].into_iter().for_each(|key| words.add(key, "gas rose"));
    words.add(9, "quiet");
    let found: Vec<_> = words.search("gas", 2, |_| true).into_iter().map(|(key, _)| key).collect();
    assert_eq!(found, [1, 2]);
}
