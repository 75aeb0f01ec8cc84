//! Every setting with its default, its bounds where they are a table, and what it is for.

use super::{cell, code, keep};
use crate::explained::entries;
use crate::golem_file::GolemFile;
use crate::settings_file::keys;
use golem_home::notify::NotifyFile;
use golem_mind::Template;
use std::collections::BTreeMap;
use toml::Value;

const ABOUT: &str = "# Settings

Every key, as `golem create --set KEY=VALUE` and a file for `--config` take it. `bardo config show KEY` says the same on a terminal. A golem keeps for life what it
was born with; `[notify]` alone is the home's (`notify.toml`). A value out of its range is refused with the range, before anything is made; where bounds are tables of the program they stand here too.
";

#[test]
fn the_reference_of_settings_is_what_can_be_set() {
    let mut schema = GolemFile::schema().unwrap();
    schema.extend(NotifyFile::schema().unwrap());
    let values: BTreeMap<String, Value> = keys(&schema).into_iter().collect();
    let bounds: BTreeMap<String, String> = Template::ALL
        .iter()
        .flat_map(|template| template.parameters())
        .map(|p| (format!("policy.{}", p.key), format!(" {} to {}.", p.low, p.high)))
        .collect();
    let (mut page, mut told) = (String::new(), 0);
    for (key, about) in entries() {
        let is_table =
            |value: &Value| value.is_table() || value.as_array().is_some_and(|a| a.iter().any(Value::is_table));
        let shown = match values.get(&key).or_else(|| starred(&key, &values)) {
            Some(value) if is_table(value) => {
                page.push_str(&format!(
                    "\n## `[{key}]`\n\n{about}\n\n| key | default | what it is for |\n|---|---|---|\n"
                ));
                continue;
            }
            Some(value) => value.to_string(),
            None => panic!("{key} is explained, and there is no such setting"),
        };
        let bounds = bounds.get(&key).map_or("", String::as_str);
        page.push_str(&format!("| {} | {} | {}{bounds} |\n", code(&key), code(&shown), cell(about)));
        told += 1;
    }
    assert!(told > 300, "{told}");
    // A table of which nothing but tables is made has no rows of its own.
    let page = page.replace("| key | default | what it is for |\n|---|---|---|\n\n", "").replace("\n\n\n", "\n\n");
    keep("settings.md", ABOUT, &page);
}

/// The value of the first key that a star stands for.
fn starred<'a>(key: &str, values: &'a BTreeMap<String, Value>) -> Option<&'a Value> {
    let (before, after) = key.split_once('*')?;
    values.iter().find(|(k, _)| k.starts_with(before) && k.ends_with(after)).map(|(_, value)| value)
}
