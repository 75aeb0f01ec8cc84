//! Something a golem learnt, and what speaks for it.

use super::StoryChapter;
use crate::money;
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

/// The golem's own spelling of what it observes, as words: `market.volatility_ratio > 2.0` is a volatility above 2.0 times
/// its usual.
#[must_use]
pub fn plain(text: &str) -> String {
    let all: Vec<&str> = text.split(' ').collect();
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(word) = all.get(at) {
        let (said, taken) = match (all.get(at + 1), all.get(at + 2)) {
            (Some(&"ticks"), _) => (stretch(word), 2),
            (Some(sign), Some(value)) => (compared(word, sign, value), 3),
            _ => (None, 1),
        };
        at += if said.is_some() { taken } else { 1 };
        words.push(said.unwrap_or_else(|| spelt(word)));
    }
    words.join(" ")
}

/// What is observed of the world or of the golem itself.
fn observed(word: &str) -> Option<&str> {
    ["market.", "golem."].iter().find_map(|place| word.strip_prefix(place))
}

/// A comparison in words: `market.gas_ratio < 0.67,` and the like, with what ends the clause.
fn compared(word: &str, sign: &str, value: &str) -> Option<String> {
    let field = observed(word)?;
    let number = value.trim_end_matches([',', '.', ';', ':']);
    let tail = value.get(number.len()..).unwrap_or_default();
    let than = match sign {
        ">" | ">=" => "above",
        "<" | "<=" => "below",
        "==" => return Some(format!("{} is {}{tail}", spelt(word), number.trim_matches('"').replace('_', "-"))),
        _ => return None,
    };
    if field == "hour" {
        let side = if sign.starts_with('>') { "from" } else { "before" };
        return Some(format!("it is {side} {} o'clock{tail}", number.trim_end_matches(".0")));
    }
    Some(match field.rsplit_once('_') {
        Some((of, "move")) => format!("{} moves {than} {number} times what it was{tail}", of.replace('_', " ")),
        Some((of, "ratio")) => format!("{} is {than} {number} times its usual{tail}", of.replace('_', " ")),
        Some(("return", ticks)) => {
            let moved = money::change(number.parse().ok()?);
            format!("the price change of {} is {than} {moved}{tail}", stretch(ticks)?)
        }
        _ => format!("{} is {than} {number}{tail}", field.replace('_', " ")),
    })
}

/// So many nominal ticks, in hours or minutes.
fn stretch(ticks: &str) -> Option<String> {
    let seconds = ticks.parse::<u64>().ok()?.saturating_mul(golem_core::NOMINAL_TICK_S);
    let minutes = seconds / 60;
    Some(match (minutes / 60, minutes % 60) {
        _ if seconds < 120 => format!("{seconds} seconds"),
        (1, 0) => "an hour".to_owned(),
        (1.., 0) => format!("{} hours", minutes / 60),
        _ => format!("{minutes} minutes"),
    })
}

/// One word; `range_bound` is spelt with a line.
fn spelt(word: &str) -> String {
    match word {
        "&&" => "and".to_owned(),
        "||" => "or".to_owned(),
        _ => match observed(word) {
            Some(field) => field.replace('_', " "),
            // A word with a dot in it is the name of a setting, which is typed as it stands.
            None if word.trim_end_matches(['.', ':', ',']).contains('.') => word.to_owned(),
            None => word.replace('_', "-"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observed_fields_are_words() {
        for (text, words) in [
            (
                "When market.volatility_ratio > 2.0, then market.fee_yield_ratio > 1.5 about 6 minutes later.",
                "When volatility is above 2.0 times its usual, then fee yield is above 1.5 times its usual about 6 \
                 minutes later.",
            ),
            ("When market.return_90 < -0.011, then x.", "When the price change of an hour is below -1.10 %, then x."),
            (
                "When market.hour >= 18.0 || market.hour < 2.0, then market.fee_yield_move > 1.1.",
                "When it is from 18 o'clock or it is before 2 o'clock, then fee yield moves above 1.1 times what it was.",
            ),
            ("When market.protocol == \"normal\", then y.", "When protocol is normal, then y."),
            (
                "When market.fee_yield rises, market.volume falls 90 ticks later.",
                "When fee yield rises, volume falls an hour later.",
            ),
            ("1 ticks later", "40 seconds later"),
            ("To buy in trending_down weather", "To buy in trending-down weather"),
            (
                "I would set policy.lp_management.base_exposure to 0.3.",
                "I would set policy.lp_management.base_exposure to 0.3.",
            ),
            ("In calm weather trending_down.", "In calm weather trending-down."),
        ] {
            assert_eq!(plain(text), words);
        }
    }
}
