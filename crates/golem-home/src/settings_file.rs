//! Reading settings: every problem at once, each with its key path, its line and a suggestion. Never a silent default
//! for a key that was misspelt, and never a half-read file.
//!
//! The schema is the defaults themselves: a key that the defaults do not have does not exist.

use golem_core::words::one_line;
use golem_core::{Problem, Usdc};
use serde::{Serialize, de::DeserializeOwned};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// Read `text` over the defaults of `T`, then apply `sets` (`key=value`, later ones win). `schema` has every key that there
/// is, also those that the defaults leave out. `check` finds what is wrong with the values; its problems are told together
/// with those of the shape.
pub fn read<T: Serialize + DeserializeOwned + Default>(
    schema: &Table,
    text: &str,
    sets: &[String],
    check: impl Fn(&T) -> Vec<Problem>,
) -> Result<T, Vec<Problem>> {
    read_over(&T::default(), schema, text, sets, check)
}

/// The same over settings that are not the defaults.
pub fn read_over<T: Serialize + DeserializeOwned>(
    below: &T,
    schema: &Table,
    text: &str,
    sets: &[String],
    check: impl Fn(&T) -> Vec<Problem>,
) -> Result<T, Vec<Problem>> {
    let mut merged = Table::try_from(below).map_err(|e| vec![Problem::new("defaults", e.to_string())])?;
    let mut problems = Vec::new();
    Merging { text, origin: "", whole: schema, problems: &mut problems }.all(&mut merged);
    for set in sets {
        match set.split_once('=') {
            Some((key, value)) => {
                let text = one_key(schema, key.trim(), value.trim());
                Merging { text: &text, origin: "--set ", whole: schema, problems: &mut problems }.all(&mut merged);
            }
            None => problems.push(Problem::new(set.clone(), "is not KEY=VALUE")),
        }
    }
    // Keys that did not fit have kept their defaults, so that the rest can be checked all the same.
    match Value::Table(merged).try_into::<T>() {
        Ok(read) => {
            problems.extend(check(&read));
            if problems.is_empty() { Ok(read) } else { Err(problems) }
        }
        Err(e) => {
            // What was named already need not be said in other words.
            if problems.is_empty() {
                problems.push(Problem::new("settings", one_line(&e.to_string(), 300)));
            }
            Err(problems)
        }
    }
}

/// The word that a key is given, the last time that it is given one. What is not well-formed is somebody else's to tell.
pub fn word_of(key: &str, text: &str, sets: &[String]) -> Option<String> {
    let found = |table: Table| {
        let mut parts = key.split('.');
        let first = parts.next().and_then(|part| table.get(part).cloned());
        let value = parts.fold(first, |at, part| at?.as_table()?.get(part).cloned())?;
        value.as_str().map(ToOwned::to_owned)
    };
    let set = sets.iter().rev().filter_map(|set| set.split_once('=')).find(|(name, _)| name.trim() == key);
    let set = set.map(|(_, value)| value.trim().trim_matches('"').to_owned());
    set.or_else(|| text.parse::<Table>().ok().and_then(found))
}

/// `a.b=value` as TOML. A value that is no TOML by itself is text: nobody wants to quote quotes in a shell. So is a bare
/// number where money or a name belongs, digit by digit as it was typed.
fn one_key(schema: &Table, key: &str, value: &str) -> String {
    let plain = format!("{key} = {value}\n");
    let is_number = || value.parse::<f64>().is_ok();
    match plain.parse::<Table>() {
        Ok(_) if !(is_number() && is_text(schema, key)) => plain,
        _ => format!("{key} = {}\n", Value::String(value.to_owned())),
    }
}

/// Whether the key takes text.
fn is_text(schema: &Table, key: &str) -> bool {
    let mut parts = key.split('.').map(|part| snake_case(part.trim()));
    let first = parts.next().and_then(|part| schema.get(&part));
    let found = parts.fold(first, |at, part| at.and_then(|value| value.as_table()?.get(&part)));
    matches!(found, Some(Value::String(_)))
}

/// One text on its way into the settings.
struct Merging<'a> {
    text: &'a str,
    /// Where it comes from, where that is no file.
    origin: &'a str,
    /// Every key that there is.
    whole: &'a Table,
    problems: &'a mut Vec<Problem>,
}

impl Merging<'_> {
    fn all(&mut self, into: &mut Table) {
        match DeTable::parse(self.text) {
            Ok(table) => self.table(table.get_ref(), self.whole, "", into),
            Err(e) => {
                let line = e.span().map_or(String::new(), |s| format!(" (line {})", line_of(self.text, s.start)));
                let (key, message) = (format!("{}settings", self.origin), format!("not TOML: {}{line}", e.message()));
                self.problems.push(Problem::new(key, message));
            }
        }
    }

    fn wrong(&mut self, key: &str, at: usize, message: &str) {
        let line = if self.origin.is_empty() { format!(" (line {})", line_of(self.text, at)) } else { String::new() };
        self.problems.push(Problem::new(format!("{}{key}", self.origin), format!("{message}{line}")));
    }

    fn table(&mut self, given: &DeTable<'_>, schema: &Table, path: &str, into: &mut Table) {
        for (key, value) in given {
            let (name, at) = (snake_case(key.get_ref()), key.span().start);
            let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let Some(expected) = schema.get(&name) else {
                self.wrong(&full, at, &unknown(&name, schema, self.whole));
                continue;
            };
            match (expected, value.get_ref()) {
                // A table without keys of its own takes any: it names things, such as venues.
                (Value::Table(inner), DeValue::Table(_)) if inner.is_empty() => match to_value(value.get_ref()) {
                    Some(named) => drop(into.insert(name, named)),
                    None => self.wrong(&full, at, "holds something that is not a value"),
                },
                (Value::Table(inner), DeValue::Table(table)) => {
                    if let Value::Table(target) = into.entry(name).or_insert_with(|| Value::Table(Table::new())) {
                        self.table(table, inner, &full, target);
                    }
                }
                // A plain word for a table that has a mode is that mode.
                (Value::Table(inner), DeValue::String(word)) if inner.contains_key("mode") => {
                    if let Value::Table(target) = into.entry(name).or_insert_with(|| Value::Table(Table::new())) {
                        target.insert("mode".to_owned(), Value::String(word.to_string()));
                    }
                }
                (expected, found) => {
                    self.items(expected, found, &full);
                    match fit(&name, expected, found) {
                        Ok(fitting) => drop(into.insert(name, fitting)),
                        Err(message) => self.wrong(&full, at, &message),
                    }
                }
            }
        }
    }

    /// The keys of the tables in a list; their values are for whoever reads them.
    fn items(&mut self, expected: &Value, found: &DeValue<'_>, path: &str) {
        let (Value::Array(expected), DeValue::Array(found)) = (expected, found) else { return };
        let Some(Value::Table(schema)) = expected.first() else { return };
        for (n, item) in found.iter().enumerate() {
            let DeValue::Table(table) = item.get_ref() else { continue };
            for (key, _) in table {
                let name = snake_case(key.get_ref());
                if !schema.contains_key(&name) {
                    self.wrong(&format!("{path}.{n}.{name}"), key.span().start, &unknown(&name, schema, self.whole));
                }
            }
        }
    }
}

/// What to say of a key that is not there: where it is, or what is meant, or what there is.
fn unknown(name: &str, here: &Table, whole: &Table) -> String {
    let elsewhere: Vec<String> = keys(whole).into_iter().map(|(key, _)| key).collect();
    let last = |key: &String| key.rsplit('.').next().unwrap_or_default().to_owned();
    let same: Vec<&str> = elsewhere.iter().filter(|key| last(key) == name).map(String::as_str).collect();
    let near_here = || nearest(name, here.keys().map(String::as_str)).map(ToOwned::to_owned);
    let near = || {
        let words: Vec<String> = elsewhere.iter().map(last).collect();
        let word = nearest(name, words.iter().map(String::as_str))?.to_owned();
        elsewhere.iter().find(|key| last(key) == word).cloned()
    };
    let meant = match same[..] {
        [] => near_here().or_else(near),
        [..] => Some(same.iter().take(3).copied().collect::<Vec<_>>().join(" or ")),
    };
    meant.map_or_else(
        || format!("there is no such key; here are {}", here.keys().cloned().collect::<Vec<_>>().join(", ")),
        |meant| format!("there is no such key; did you mean {meant}?"),
    )
}

fn fit(name: &str, expected: &Value, found: &DeValue<'_>) -> Result<Value, String> {
    let plain = to_value(found).ok_or_else(|| format!("{} is not a value that fits here", found.type_str()))?;
    match (expected, plain) {
        (Value::String(_), Value::String(s)) if name.contains("_usdc") => match s.parse::<Usdc>() {
            Ok(_) => Ok(Value::String(s)),
            Err(e) => Err(e.to_string()),
        },
        (Value::Float(_), Value::Integer(i)) => Ok(Value::Float(i as f64)),
        (Value::Float(_), Value::Float(f)) if f.is_finite() => Ok(Value::Float(f)),
        (Value::Float(_), Value::Float(f)) => Err(format!("{f} is not a finite number")),
        (Value::String(_), Value::Integer(_) | Value::Float(_)) => {
            Err("money and names are written as text: put quotes around it, such as \"0.30\"".to_owned())
        }
        (Value::Array(expected), Value::Array(items)) if matches!(expected.first(), Some(Value::Table(_))) => {
            Ok(Value::Array(items.into_iter().map(in_snake_case).collect()))
        }
        (e, v) if e.same_type(&v) => Ok(v),
        (e, v) => Err(format!("expected {} such as {e}, found {}", e.type_str(), v.type_str())),
    }
}

/// An item of a list with its keys as they are kept.
fn in_snake_case(item: Value) -> Value {
    match item {
        Value::Table(table) => Value::Table(table.into_iter().map(|(key, value)| (snake_case(&key), value)).collect()),
        other => other,
    }
}

fn to_value(found: &DeValue<'_>) -> Option<Value> {
    Some(match found {
        DeValue::String(s) => Value::String(s.to_string()),
        DeValue::Integer(i) => Value::Integer(i64::from_str_radix(i.as_str(), i.radix()).ok()?),
        DeValue::Float(f) => Value::Float(f.as_str().parse().ok()?),
        DeValue::Boolean(b) => Value::Boolean(*b),
        DeValue::Array(all) => Value::Array(all.iter().map(|v| to_value(v.get_ref())).collect::<Option<_>>()?),
        DeValue::Table(table) => {
            let one = |(k, v): (&_, &toml::Spanned<DeValue<'_>>)| Some((key_of(k), to_value(v.get_ref())?));
            Value::Table(table.iter().map(one).collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}

fn key_of(key: &toml::Spanned<std::borrow::Cow<'_, str>>) -> String {
    key.get_ref().to_string()
}

/// The camelCase keys that the design's own pages print are accepted too.
fn snake_case(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The nearest of some words, if one is near at all.
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|w| (strsim::jaro_winkler(word, w), w))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, w)| w)
}

/// Every key of some settings by its whole path, tables before what is in them, with its value. What is in a list of tables
/// goes by the list's name.
pub fn keys(settings: &Table) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    gather(settings, "", &mut all);
    all
}

fn gather(table: &Table, path: &str, all: &mut Vec<(String, Value)>) {
    for (name, value) in table {
        let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        all.push((key.clone(), value.clone()));
        match value {
            Value::Table(inner) => gather(inner, &key, all),
            Value::Array(items) => items.iter().filter_map(Value::as_table).for_each(|inner| gather(inner, &key, all)),
            _ => {}
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_mortality::MortalityConfig;

    fn schema() -> Table {
        Table::try_from(MortalityConfig::default()).unwrap()
    }

    fn problems(text: &str, sets: &[&str]) -> Vec<String> {
        let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
        let read = read(&schema(), text, &sets, MortalityConfig::problems);
        read.err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_problem_is_told_at_once() {
        // Shapes, and the range of a key that is well-formed.
        let text = "imortal = true\n[economic]\ndeath_reserve_floor_usdc = 0.3\n[stochastic]\nbaseHazardRate = \"x\"\n[vitallity]\n[vitality]\nage_drag = 7\n";
        let told = problems(text, &["economic.partitions.llm=0.7x"]);
        assert_eq!(told.len(), 6, "{told:#?}");
        for (i, part) in [(0, "did you mean immortal? (line 1)"), (1, "line 3"), (2, "stochastic.base_hazard_rate")] {
            assert!(told.iter().any(|t| t.contains(part)), "{i}: {told:#?}");
        }
    }

    #[test]
    fn camel_case_aliases_and_integers_for_floats_are_taken() {
        let text = "[epistemic]\nminimumPredictions = 70\n[vitality]\nageDrag = 0\n";
        let sets = ["stochastic.enabled=false".to_owned()];
        let config = read(&schema(), text, &sets, MortalityConfig::problems).unwrap();
        assert_eq!(config.epistemic.minimum_predictions, 70);
        assert!(config.vitality.age_drag.abs() < 1e-12 && !config.stochastic.enabled);
    }

    /// As the design's pages write them: a word for a table that has a mode, and camelCase in a list too.
    #[test]
    fn a_plain_word_is_a_mode_and_lists_have_camel_case_too() {
        use crate::golem_file::GolemFile;
        use golem_dreams::config::DreamScheduleMode;
        let text = "[dream]\nschedule = \"owner\"\n[dream.wakeInterrupts]\nmarketThresholds = [{ asset = \"ETH\", changePercent = 12, window = \"5m\" }]\n";
        let file = GolemFile::read(text, &[]).expect("settings");
        assert_eq!(file.dream.schedule.mode, DreamScheduleMode::Owner);
        let thresholds = &file.dream.wake_interrupts.market_thresholds;
        assert!(thresholds.len() == 1 && (thresholds[0].change_percent - 12.0).abs() < 1e-12);
        let set = GolemFile::read("", &["dream.schedule=autonomous".to_owned()]).expect("settings");
        assert_eq!(set.dream.schedule.mode, DreamScheduleMode::Autonomous);
        for bad in ["[dream]\nschedule = \"nightly\"", "[policy]\nlp_management = \"wide\""] {
            assert!(GolemFile::read(bad, &[]).is_err(), "{bad}");
        }
    }

    /// In a file money has quotes; on a command line the shell would eat them.
    #[test]
    fn a_bare_number_sets_money() {
        for set in ["economic.death_reserve_floor_usdc=0.37", "economic.deathReserveFloorUsdc=\"0.37\""] {
            let config = read(&schema(), "", &[set.to_owned()], MortalityConfig::problems).unwrap();
            assert_eq!(config.economic.death_reserve_floor_usdc, Usdc(370_000), "{set}");
        }
        for set in ["economic.death_reserve_floor_usdc=-1", "economic.death_reserve_floor_usdc=1e3"] {
            let told = problems("", &[set]);
            assert!(told.len() == 1 && told[0].contains("--set economic.death_reserve_floor_usdc"), "{told:?}");
        }
        assert_eq!(problems("[economic]\ndeath_reserve_floor_usdc = 0.37\n", &[]).len(), 1);
    }

    #[test]
    fn money_is_text() {
        let told = problems("[economic]\ndeath_reserve_floor_usdc = \"$15\"\n", &[]);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("economic.death_reserve_floor_usdc") && told[0].contains("no sign or currency"));
    }

    #[test]
    fn a_key_in_the_wrong_place_is_told_where_it_is() {
        for (set, meant) in [
            ("age_drag=0.1", "did you mean vitality.age_drag?"),
            ("economic.age_drag=0.1", "did you mean vitality.age_drag?"),
            ("agedrag=0.1", "did you mean vitality.age_drag?"),
            ("imortal=true", "did you mean immortal?"),
            ("enabled=false", "did you mean affect.enabled or economic.enabled or epistemic.enabled?"),
            ("qqq=1", "here are "),
        ] {
            let told = problems("", &[set]);
            assert!(told.len() == 1 && told[0].contains(meant), "{set}: {told:?}");
        }
    }

    #[test]
    fn nonsense_is_not_toml_with_its_line() {
        assert!(problems("a = 1\nb = = 2\n", &[])[0].contains("line 2"));
    }
}
