//! The word splitter against SQLite itself: the table is what SQLite does with every character there is.

use golem_grimoire::retrieval::unicode61::{any_of, words};
use proptest::prelude::*;
use rusqlite::Connection;
use std::fmt::Write as _;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/retrieval/unicode61_table.rs");
const HEAD: &str = "//! Which characters are words to SQLite's full text, and what they are folded to. Written by the test `unicode61` from\n\
    //! what SQLite itself does with every character; set `BARDO_WRITE_TABLES=1` to write it anew.\n";

/// The words that SQLite finds in each text, in order.
fn by_sqlite(texts: impl Iterator<Item = String>) -> Vec<Vec<String>> {
    let mut file = Connection::open_in_memory().unwrap();
    file.execute_batch(
        "CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize='unicode61 remove_diacritics 1');
         CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);",
    )
    .unwrap();
    let tx = file.transaction().unwrap();
    let mut count = 0u32;
    {
        let mut insert = tx.prepare("INSERT INTO t(rowid, x) VALUES (?1, ?2)").unwrap();
        for text in texts {
            count += 1;
            insert.execute((count, text)).unwrap();
        }
    }
    tx.commit().unwrap();
    let mut found = vec![Vec::new(); count as usize];
    let mut all = file.prepare("SELECT doc, offset, term FROM v").unwrap();
    let mut rows = all.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (doc, offset, term): (u32, u32, String) = (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
        found[doc as usize - 1].push((offset, term));
    }
    let sorted = |mut words: Vec<(u32, String)>| {
        words.sort();
        words.into_iter().map(|(_, word)| word).collect()
    };
    found.into_iter().map(sorted).collect()
}

fn ranges(name: &str, of: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &c in of {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == c => *last = c,
            _ => runs.push((c, c)),
        }
    }
    rows(name, "u32, u32", runs.iter().map(|(a, b)| format!("({a}, {b})")))
}

fn folds(of: &[(u32, u32)]) -> String {
    let mut runs: Vec<(u32, u32, u32, u32, u32)> = Vec::new();
    let mut at = 0;
    while let Some(&(first, target)) = of.get(at) {
        let next =
            of.get(at + 1).filter(|(c, t)| c - first <= 2 && (*t == target || t.wrapping_sub(target) == c - first));
        let (step, target_step) = next.map_or((1, 0), |(c, t)| (c - first, t - target));
        let same = |i: u32| Some(&(first + i * step, target + i * target_step)) == of.get(at + i as usize);
        let count = (1..).find(|i| !same(*i)).unwrap();
        runs.push((first, count, step, target, target_step));
        at += count as usize;
    }
    rows("FOLDS", "u32, u32, u32, u32, u32", runs.iter().map(|r| format!("{r:?}")))
}

fn rows(name: &str, of: &str, items: impl Iterator<Item = String>) -> String {
    let mut out = format!("#[rustfmt::skip]\npub(super) const {name}: &[({of})] = &[\n   ");
    let mut width = 3;
    for item in items {
        if width + item.len() + 2 > 118 {
            out.push_str("\n   ");
            width = 3;
        }
        width += item.len() + 2;
        write!(out, " {item},").unwrap();
    }
    out + "\n];\n"
}

#[test]
fn the_table_is_what_sqlite_does_with_every_character() {
    let every: Vec<char> = ('\u{80}'..=char::MAX).collect();
    // Alone, and within a word: what is a word by itself gives four letters in two words.
    let found = by_sqlite(every.iter().map(|c| format!("{c} a{c}b")));
    let (mut tokens, mut diacritics, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for (c, found) in every.iter().map(|c| u32::from(*c)).zip(&found) {
        match found.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["a", "b"] => {}
            ["ab"] => diacritics.push(c),
            [alone, within] => {
                assert_eq!(within, format!("a{alone}b"));
                tokens.push(c);
                let mut folded = alone.chars().map(u32::from);
                changed.extend(folded.next().filter(|to| *to != c).map(|to| (c, to)));
                assert_eq!(folded.next(), None, "{c} folds to one character");
            }
            _ => panic!("{c} gives {found:?}"),
        }
    }
    let about = [
        "\n/// Ranges of characters beyond ASCII that words consist of, both ends included.\n",
        "/// Accents that are left out within a word.\n",
        "/// Runs of folded characters: first, how many, step, what the first becomes, step of that.\n",
    ];
    let (tokens, diacritics, folds) = (ranges("TOKENS", &tokens), ranges("DIACRITICS", &diacritics), folds(&changed));
    let table = [HEAD, about[0], &tokens, about[1], &diacritics, about[2], &folds].concat();
    if std::env::var_os("BARDO_WRITE_TABLES").is_some() {
        std::fs::write(PATH, &table).unwrap();
    }
    let squeezed = |s: &str| s.split_whitespace().collect::<String>();
    assert!(
        squeezed(&std::fs::read_to_string(PATH).unwrap()) == squeezed(&table),
        "write it anew: BARDO_WRITE_TABLES=1"
    );
}

fn ours(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    words(text, |word| out.push(word.to_owned()));
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn texts_are_split_as_sqlite_splits_them(texts in prop::collection::vec("(\\PC|[ -~]|[À-ɏ̀-ͯа-я]){0,40}", 60)) {
        let expected = by_sqlite(texts.iter().cloned());
        for (text, expected) in texts.iter().zip(expected) {
            prop_assert_eq!(ours(text), expected, "{:?}", text);
        }
    }
}

#[test]
fn a_query_is_quoted_words_with_or_between_them() {
    assert_eq!(any_of("Gas, gas \"AND\" Café: drop*"), "\"and\" OR \"cafe\" OR \"drop\" OR \"gas\"");
    assert_eq!(any_of(" -- "), "");
}
