//! What each setting is for, in one line: read from one table that stands beside the defaults.

use crate::settings_file::keys;
use golem_view::wrap::{WIDTH, columns};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// One line for each key, under the heading of its table. A star stands for any one name.
const WORDS: &str = include_str!("settings_words.txt");

/// Every key that is explained, in the order of the table.
pub fn entries() -> impl Iterator<Item = (String, &'static str)> {
    let mut table = "";
    WORDS.lines().filter(|line| !line.trim().is_empty()).filter_map(move |line| {
        if let Some((name, about)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            table = name;
            return Some((name.to_owned(), about));
        }
        let (key, about) = line.split_once(' ')?;
        Some((format!("{table}.{key}"), about.trim()))
    })
}

/// What keys are for, by their whole path.
pub struct Explained(BTreeMap<String, &'static str>);

impl Explained {
    /// All of it.
    pub fn read() -> Self {
        Self(entries().collect())
    }

    /// What a key or a table is for.
    pub fn about(&self, key: &str) -> Option<&'static str> {
        self.0.get(key).or_else(|| self.0.get(&starred(key)?)).copied()
    }
}

/// The key with a star for the name before its last.
fn starred(key: &str) -> Option<String> {
    let (table, last) = key.rsplit_once('.')?;
    Some(format!("{}.*.{last}", table.rsplit_once('.')?.0))
}

/// Settings as a page that explains itself: a line of words before every key and table, and the keys that are not set
/// behind a mark. It can be read back.
pub fn page(text: &str, schema: &Table) -> String {
    let (explained, every) = (Explained::read(), keys(schema));
    let mut lines: Vec<String> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    let mut table = String::new();
    let words = |key: &str| explained.about(key).map(|about| format!("# {about}"));
    for line in text.lines().chain([""]) {
        if line.is_empty() {
            lines.extend(unset(&table, &shown, &every).flat_map(|(key, line)| words(&key).into_iter().chain([line])));
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = name.trim_matches(['[', ']']).to_owned();
            shown.clear();
            lines.extend(words(&table));
        } else if let Some((key, _)) = line.split_once(" = ").filter(|(key, _)| !key.starts_with([' ', ']'])) {
            lines.extend(words(&format!("{table}.{key}")));
            shown.push(key.to_owned());
        }
        lines.push(line.to_owned());
    }
    lines.join("\n").trim_end().to_owned()
}

/// The keys of a table that are not shown there, as lines behind a mark.
fn unset<'a>(
    table: &'a str,
    shown: &'a [String],
    every: &'a [(String, Value)],
) -> impl Iterator<Item = (String, String)> + 'a {
    let of_it = move |key: &'a str| key.strip_prefix(table)?.strip_prefix('.').filter(|rest| !rest.contains('.'));
    every.iter().filter_map(move |(key, value)| {
        let name = of_it(key).filter(|_| !matches!(value, Value::Table(_) | Value::Array(_)))?;
        let line = format!("# {name} = {value}");
        let line = if columns(&line) > WIDTH { format!("# {name} = ...") } else { line };
        (!shown.iter().any(|s| s == name)).then(|| (key.clone(), line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golem_file::GolemFile;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_has_an_explanation_and_none_is_dead() {
        let mut schema = GolemFile::schema().unwrap();
        schema.extend(golem_home::notify::NotifyFile::schema().unwrap());
        let (explained, every) = (Explained::read(), keys(&schema));
        assert!(every.len() > 300, "{}", every.len());
        let mute: Vec<&String> =
            every.iter().map(|(key, _)| key).filter(|key| explained.about(key).is_none()).collect();
        assert!(mute.is_empty(), "not explained: {mute:#?}");
        let known: BTreeSet<String> =
            every.into_iter().flat_map(|(key, _)| [starred(&key).unwrap_or_default(), key]).collect();
        let dead: Vec<String> = entries().map(|(key, _)| key).filter(|key| !known.contains(key)).collect();
        assert!(dead.is_empty(), "explained, and not there: {dead:#?}");
    }

    #[test]
    fn an_explanation_is_one_sentence_that_fits() {
        let mut seen = BTreeSet::new();
        for (key, about) in entries() {
            assert!(about.chars().count() <= 78 && about.len() > 3, "{key}: {about}");
            assert!(about.ends_with(['.', ':']), "{key}: {about}");
            assert!(seen.insert(key.clone()), "{key} is explained twice");
        }
    }
}
