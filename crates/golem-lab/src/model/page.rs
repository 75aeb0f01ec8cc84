//! What a model is shown, read back from its text: only what stands there, line by line.

use std::collections::BTreeMap;

/// Words of a remembered line that say it went wrong or may.
const BAD: [&str; 6] = ["badly", "dearly", "ruin", "loses", "lost", "worse"];
/// And that it went right.
const GOOD: [&str; 4] = ["well", "earns", "gained", "better"];
/// What a rise of a field means to somebody who holds: above 0 it is to be feared, below 0 hoped for.
const RISES: [(&str, f64); 8] = [
    ("market.volatility", 0.5),
    ("market.shock", 0.5),
    ("market.gas", 0.25),
    ("market.price", -0.5),
    ("market.return", -0.5),
    ("market.fee_yield", -0.25),
    ("market.volume", -0.25),
    ("golem.drawdown", 0.5),
];

/// A remembered line, and which way it leans.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineLeaning<'a> {
    /// The beginning of its id, as it is shown.
    pub id: &'a str,
    pub confidence: f64,
    /// From -1, nothing to fear, to 1.
    pub leans: f64,
}

/// What stands on the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageShown<'a> {
    observed: BTreeMap<&'a str, &'a str>,
    pub memories: Vec<LineLeaning<'a>>,
    /// Times like this one that went one way or the other.
    pub went_well: f64,
    pub went_badly: f64,
    pub vitality: Option<f64>,
    /// The load, where the page speaks of suffering.
    pub suffering: Option<f64>,
}

impl<'a> PageShown<'a> {
    /// Read it.
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        let (mut page, mut section) = (Self::default(), "");
        for line in text.lines() {
            match (line.strip_prefix("## "), line.strip_prefix("- ")) {
                (Some(title), _) => section = title,
                (None, Some(item)) => page.item(section, item),
                (None, None) => page.plain(line),
            }
        }
        page
    }

    /// An observed number.
    #[must_use]
    pub fn number(&self, field: &str) -> Option<f64> {
        self.observed.get(field)?.parse().ok().filter(|x: &f64| x.is_finite())
    }

    fn item(&mut self, section: &str, item: &'a str) {
        match section {
            "What is observed" => {
                let value = |rest: &'a str| rest.split(" (").next().unwrap_or(rest);
                self.observed.extend(item.split_once(" = ").map(|(field, rest)| (field, value(rest))));
            }
            "What you remember" => {
                let weather = self.observed.get("market.regime").copied();
                self.memories.extend(memory(item, weather));
            }
            "Times like this one" => {
                let when = item.split(']').next().unwrap_or_default();
                self.went_well += f64::from(u8::from(when.ends_with("went well")));
                self.went_badly += f64::from(u8::from(when.ends_with("went badly")));
            }
            _ => {}
        }
    }

    fn plain(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("vitality ") {
            self.vitality = rest.split(',').next().and_then(|x| x.parse().ok());
        } else if line.to_lowercase().contains("suffering") && self.suffering.is_none() {
            let load = line.split_once("/1.0").and_then(|(before, _)| before.rsplit('(').next());
            self.suffering = load.and_then(|load| load.parse().ok());
        }
    }
}

/// `[id source confidence] text`.
fn memory<'a>(item: &'a str, weather: Option<&str>) -> Option<LineLeaning<'a>> {
    let (label, text) = item.strip_prefix('[')?.split_once("] ")?;
    let mut words = label.split(' ');
    let (id, confidence) = (words.next()?, words.nth(1)?.parse().ok()?);
    Some(LineLeaning { id, confidence, leans: leaning(text, weather) })
}

/// Which way a line leans, by its words. One that speaks of another weather than the one that is, or asks, does not.
fn leaning(text: &str, weather: Option<&str>) -> f64 {
    let elsewhere = match text.split_once(" weather").and_then(|(before, _)| before.rsplit(' ').next()) {
        Some(word) => weather.is_some_and(|weather| weather != word),
        None => false,
    };
    if elsewhere || text.ends_with('?') {
        return 0.0;
    }
    let has = |word: &&str| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word);
    match (BAD.iter().any(&has), GOOD.iter().any(has)) {
        (true, false) => 1.0,
        (false, true) => -1.0,
        _ => expected(text),
    }
}

/// What a line says will come, as far as it names a field and a way: `When .., FIELD rises ..`, `When .., then FIELD > ..`.
fn expected(text: &str) -> f64 {
    let Some((_, then)) = text.split_once(", ") else { return 0.0 };
    let mut words = then.trim_start_matches("then ").split(' ');
    let (Some(field), Some(way)) = (words.next(), words.next()) else { return 0.0 };
    let meant = RISES.iter().find(|(name, _)| field.starts_with(name)).map_or(0.0, |(_, meant)| *meant);
    match way {
        "rises" | ">" | ">=" => meant,
        "falls" | "<" | "<=" => -meant,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lean_by_what_they_say() {
        for (text, leans) in [
            ("To add in volatile weather tends to go badly.", 1.0),
            ("To add in range_bound weather tends to go badly.", 0.0),
            ("To add in volatile weather tends to go well.", -1.0),
            ("To buy in volatile weather can cost dearly.", 1.0),
            ("What works in volatile weather?", 0.0),
            ("When market.gas_gwei rises, market.volatility rises 12 ticks later.", 0.5),
            ("When market.volume rises, market.price falls 3 ticks later.", 0.5),
            ("When market.hour > 14, then market.fee_yield_ratio > 1.2 about 30 minutes later.", -0.25),
            ("When market.hour > 14, then goals.failed > 2 about 30 minutes later.", 0.0),
        ] {
            assert_eq!(Some(leaning(text, Some("volatile"))), Some(leans), "{text}");
        }
    }

    #[test]
    fn a_page_is_read_as_it_is_written() {
        let text = "## Where you stand\nvitality 0.62, phase stable, money for 40 h, hazard low\n\
                    HIGH SUFFERING (0.61/1.0) — this is shaping your ability to act.\n## What is observed\n\
                    - market.regime = volatile (word)\n- market.volatility_ratio = 1.8000 (times)\n\
                    ## What you remember\n- [abcdef12 own 0.70] To add in volatile weather tends to go badly.\n\
                    - [12345678 sibling 0.20] What works in volatile weather?\n## Times like this one\n\
                    - [3.0 h ago, went badly] added\n- [9.1 h ago, went well] added\n- [9.2 h ago] held\n";
        let page = PageShown::read(text);
        assert_eq!((page.vitality, page.suffering), (Some(0.62), Some(0.61)));
        assert_eq!((page.number("market.volatility_ratio"), page.number("market.regime")), (Some(1.8), None));
        assert_eq!((page.went_well, page.went_badly), (1.0, 1.0));
        let read: Vec<_> = page.memories.iter().map(|m| (m.id, m.confidence, m.leans)).collect();
        assert_eq!(read, [("abcdef12", 0.7, 1.0), ("12345678", 0.2, 0.0)]);
    }
}
