//! `bardo config show [KEY]` and `bardo golem config ID`.

use crate::explained::{Explained, page};
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Home;
use crate::out::Out;
use crate::settings_file::{keys, nearest};
use golem_home::notify::NotifyFile;
use serde_json::json;
use toml::{Table, Value};

/// What is set once for all golems of a home stands in files of its own.
const OF_THE_HOME: &str = "# Where you are told of deaths and troubles is set for the whole home, in\n\
                           # notify.toml: bardo config show notify";

/// Every setting with its default and what it is for, or what there is under one key.
pub fn show(key: Option<&str>, out: &Out) -> Result<(), Fail> {
    let (file, mut schema) = (GolemFile::default(), GolemFile::schema()?);
    let text = file.to_toml()?;
    match key {
        None => out.result(&file, || format!("{}\n\n{OF_THE_HOME}", page(&text, &schema))),
        Some(key) => {
            schema.extend(NotifyFile::schema()?);
            one(key, &schema, out)
        }
    }
}

fn one(key: &str, schema: &Table, out: &Out) -> Result<(), Fail> {
    let (every, explained) = (keys(schema), Explained::read());
    let under = format!("{key}.");
    let found: Vec<&(String, Value)> = every.iter().filter(|(k, _)| k == key || k.starts_with(&under)).collect();
    if found.is_empty() {
        // The last part of a key is what people remember.
        let last = |k: &str| k.rsplit('.').next().unwrap_or_default() == key;
        let same = every.iter().map(|(k, _)| k.as_str()).filter(|k| last(k)).take(3).collect::<Vec<_>>();
        let near = nearest(key, every.iter().map(|(k, _)| k.as_str()));
        let hint = match (&same[..], near) {
            ([_, ..], _) => format!("did you mean {}?", same.join(" or ")),
            ([], Some(near)) => format!("did you mean {near}?"),
            ([], None) => "see every key: bardo config show".to_owned(),
        };
        return Err(Fail::hint(format!("there is no setting called {key:?}"), hint));
    }
    let about = |k: &str| explained.about(k).unwrap_or_default();
    let plain =
        |v: &Value| !matches!(v, Value::Table(_)) && !v.as_array().is_some_and(|a| a.iter().any(Value::is_table));
    let rows: Vec<_> =
        found.iter().map(|(k, v)| json!({ "key": k, "about": about(k), "default": plain(v).then_some(v) })).collect();
    out.result(&rows, || {
        let line = |(k, v): &&(String, Value)| match plain(v) {
            true => format!("# {}\n{k} = {v}", about(k)),
            false => format!("# {k}: {}", about(k)),
        };
        found.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

/// The settings a golem was born with.
pub fn of(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    let origin = golem_runtime::Reader::open(&place.dir)?.origin()?;
    let file = crate::birth::settings_of(&origin)?.shown();
    let text = file.to_toml()?;
    out.result(&file, || text)
}
