//! Something a golem learnt, and what speaks for it.

use super::StoryChapter;
use golem_core::Timestamp;
use serde::Serialize;

/// Something learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Learnt {
    /// Since when.
    pub at: Timestamp,
    /// In the golem's words.
    pub text: String,
    /// True when it stands in the playbook and changes what the golem does.
    pub is_rule: bool,
    /// How often reality confirmed it.
    pub held: u32,
    /// How often reality contradicted it.
    pub failed: u32,
    /// How sure it was of it in the end, in basis points.
    pub confidence_bp: u16,
}

impl Learnt {
    /// As a chapter.
    #[must_use]
    pub fn chapter(&self, title: &str) -> StoryChapter {
        StoryChapter::new(title, self.at, plain(&self.text))
    }

    /// What speaks for it and against it.
    #[must_use]
    pub fn evidence(&self) -> String {
        let times = |n: u32| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        match (self.held, self.failed) {
            (0, 0) => "not tested since".to_owned(),
            (held, 0) => format!("came true {}, never failed", times(held)),
            (0, failed) => format!("failed {}", times(failed)),
            (held, failed) => format!("came true {}, failed {}", times(held), times(failed)),
        }
    }
}

/// The golem's own spelling of what it observes, as words: `market.volatility_ratio` is the relative volatility.
#[must_use]
pub fn plain(text: &str) -> String {
    let words: Vec<String> = text.split(' ').map(word).collect();
    words.join(" ")
}

fn word(word: &str) -> String {
    let end = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let (name, tail) = (end, word.get(end.len()..).unwrap_or_default());
    let known = ["market.", "golem."].iter().find_map(|place| name.strip_prefix(place));
    // `range_bound weather` is spelt with a line as well.
    let Some(field) = known else { return word.replace('_', "-") };
    let spelt = match field.rsplit_once('_') {
        Some((of, "ratio")) => format!("relative {}", of.replace('_', " ")),
        Some(("return", ticks)) => format!("the return of {ticks} ticks"),
        _ => field.replace('_', " "),
    };
    format!("{spelt}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observed_fields_are_words() {
        let text = "When market.volatility_ratio > 2.0, then market.fee_yield_ratio > 1.5 about 6 minutes later.";
        assert_eq!(plain(text), "When relative volatility > 2.0, then relative fee yield > 1.5 about 6 minutes later.");
        assert_eq!(plain("market.return_90 < -0.011, then x."), "the return of 90 ticks < -0.011, then x.");
        assert_eq!(plain("To buy in trending_down weather"), "To buy in trending-down weather");
    }
}
