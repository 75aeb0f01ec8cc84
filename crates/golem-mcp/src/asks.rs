//! How the home is asked: one function for each tool that looks.

use crate::given::GivenWords;
use golem_core::Tick;
use golem_home::{Fail, HomeReader, forecasts};
use serde::Serialize;
use serde_json::{Value, json};

type JsonAnswer = Result<Value, Fail>;

fn id<'a>(words: &GivenWords<'a>) -> &'a str {
    words.text("id")
}

pub fn golems(home: &HomeReader, _: &GivenWords<'_>) -> JsonAnswer {
    value(&home.golems()?)
}
pub fn status(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.report(id(words))?)
}
pub fn vitals(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.vitals(id(words))?)
}
pub fn forecast(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.forecast(id(words))?)
}
pub fn trades(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.trades(id(words), words.maybe_text("since"), Some(words.count("last")))?)
}
pub fn logs(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.logs(id(words), words.small("last"), words.maybe_text("only"), words.maybe_text("since"))?)
}
pub fn predictions(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    let domain = words.maybe_text("domain").map(forecasts::domain).transpose()?;
    value(&home.predictions(id(words), domain, words.number("as_of").map(Tick), words.count("top"))?)
}
pub fn suffering(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.suffering(id(words))?.1)
}
pub fn suffering_history(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.suffered(id(words), words.count("last"))?)
}
pub fn dream_journal(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.dreams(id(words), None, words.small("last"))?)
}
pub fn dream(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.dream(id(words), words.number("number").and_then(|n| u32::try_from(n).ok()))?)
}
pub fn dream_stats(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.dream_stats(id(words))?)
}
pub fn dream_staging(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    Ok(json!({ "staged": value(&home.staging(id(words), None)?)? }))
}
pub fn playbook(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(home.playbook(id(words), words.number("as_of").map(Tick))?.playbook())
}
pub fn grimoire_search(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.grimoire_search(id(words), words.text("words"), words.number("as_of"), words.count("top"))?)
}
pub fn grimoire_entry(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.grimoire_entry(id(words), words.text("entry"))?)
}
pub fn grimoire_stats(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.grimoire_stats(id(words))?)
}
pub fn testament(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.testament_left(id(words))?)
}
pub fn story(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.obituary(id(words))?)
}
pub fn lineage(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.lineage(id(words))?)
}
pub fn config(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.config(id(words))?)
}
pub fn graveyard(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    let mut graves = home.graveyard(None)?.graves;
    graves.truncate(words.count("last"));
    value(&graves)
}
pub fn library_search(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.library_search(words.text("words"), words.count("top"))?)
}
pub fn library_entry(home: &HomeReader, words: &GivenWords<'_>) -> JsonAnswer {
    value(&home.library_entry(words.text("entry"))?)
}

/// By way of the text that everybody else prints: a short number is not spelled with more digits here.
pub(crate) fn value<T: Serialize>(of: &T) -> Result<Value, Fail> {
    let bug = |e: serde_json::Error| Fail::Bug(e.to_string());
    serde_json::from_str(&serde_json::to_string(of).map_err(bug)?).map_err(bug)
}
