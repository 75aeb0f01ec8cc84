//! Reading a scenario from TOML: every problem at once, each with its key path, its line and, for a misspelt key, what was
//! probably meant. Never a half-read file, never a silent default for a key that was not understood.

use super::{Scenario, under};
use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::{Problem, ProtocolState, Usdc};
use std::str::FromStr;
use toml::de::{DeTable, DeValue};

/// Read a scenario.
pub(super) fn scenario(text: &str) -> Result<Scenario, Vec<Problem>> {
    let parsed = DeTable::parse(text).map_err(|e| {
        let line = e.span().map_or_else(String::new, |s| format!(" (line {})", line_of(text, s.start)));
        vec![Problem::new("scenario", format!("not TOML: {}{line}", e.message()))]
    })?;
    let mut top = Keys::new(parsed.get_ref(), text, None);
    let (name, about) = (top.text("name"), top.text("about"));
    let tables = top.tables("events");
    let mut problems = top.finish();
    let mut events = Vec::new();
    for (i, (table, line)) in tables.into_iter().enumerate() {
        let mut keys = Keys::new(table, text, Some(line));
        // Of something unknown the keys are unknown too, and not worth telling. A value that could not be read stands at
        // its default, which lies in its range: nothing is told twice.
        let told = match event(&mut keys) {
            Some(event) => {
                event.problems().iter().for_each(|p| keys.wrong(&p.key, &p.message));
                events.push(event);
                keys.finish()
            }
            None => keys.problems,
        };
        problems.extend(under(i, told));
    }
    let scenario = Scenario { name, about, events };
    problems.extend(scenario.problems().into_iter().filter(|p| p.key == "events"));
    if problems.is_empty() { Ok(scenario) } else { Err(problems) }
}

fn event(keys: &mut Keys<'_, '_>) -> Option<ScenarioEvent> {
    let at_tick = keys.whole("at_tick", Some(0));
    let for_ticks = keys.whole("for_ticks", Some(1));
    let name = keys.word("what", &Happening::NAMES);
    let what = match name? {
        "shock" => Happening::Shock {
            bps: keys.whole("bps", None),
            over_ticks: keys.whole("over_ticks", Some(1)),
            reverts: keys.flag("reverts"),
        },
        "drift" => Happening::Drift { bps_per_day: keys.whole("bps_per_day", None) },
        "chop" => Happening::Chop {
            amplitude_bps: keys.whole("amplitude_bps", None),
            period_ticks: keys.whole("period_ticks", Some(90)),
        },
        "volatility" => Happening::Volatility { factor: keys.number("factor", 1.0) },
        "depeg" => Happening::Depeg {
            worth: keys.number("worth", 1.0),
            over_ticks: keys.whole("over_ticks", Some(1)),
            recovers: keys.flag("recovers"),
        },
        "gas" => Happening::Gas { factor: keys.number("factor", 1.0) },
        "liquidity_drain" => Happening::LiquidityDrain { share_bps: keys.whole("share_bps", None) },
        "oracle_distortion" => Happening::OracleDistortion {
            push_bps: keys.whole("push_bps", None),
            every_ticks: keys.whole("every_ticks", Some(2)),
        },
        "sandwich" => Happening::Sandwich { times: keys.number("times", 1.0), every: keys.whole("every", Some(1)) },
        "rivals" => Happening::Rivals { trades: keys.whole("trades", Some(1)), size_usdc: keys.money("size_usdc") },
        _ => {
            let word = keys.word("state", &ProtocolState::ALL.map(ProtocolState::name));
            let state = ProtocolState::ALL.into_iter().find(|s| Some(s.name()) == word);
            Happening::Protocol { state: state.unwrap_or_default() }
        }
    };
    Some(ScenarioEvent { at_tick, for_ticks, what })
}

/// The keys of one table: whatever is asked for is known, whatever is left at the end is not.
struct Keys<'a, 't> {
    table: &'a DeTable<'t>,
    text: &'a str,
    line: Option<usize>,
    problems: Vec<Problem>,
    known: Vec<&'static str>,
}

impl<'a, 't> Keys<'a, 't> {
    fn new(table: &'a DeTable<'t>, text: &'a str, line: Option<usize>) -> Self {
        Self { table, text, line, problems: Vec::new(), known: Vec::new() }
    }

    fn get(&mut self, key: &'static str) -> Option<&'a DeValue<'t>> {
        self.known.push(key);
        self.table.iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v.get_ref())
    }

    fn wrong(&mut self, key: &str, message: &str) {
        let found = self.table.iter().find(|(k, _)| k.get_ref() == key);
        let line = found.map(|(k, _)| line_of(self.text, k.span().start)).or(self.line);
        let line = line.map_or_else(String::new, |n| format!(" (line {n})"));
        self.problems.push(Problem::new(key, format!("{message}{line}")));
    }

    fn text(&mut self, key: &'static str) -> String {
        match self.get(key) {
            Some(DeValue::String(s)) if !s.trim().is_empty() => return s.to_string(),
            Some(_) => self.wrong(key, "must be a text that says something"),
            None => self.wrong(key, "is missing"),
        }
        String::new()
    }

    fn word(&mut self, key: &'static str, words: &[&'static str]) -> Option<&'static str> {
        match self.get(key) {
            Some(DeValue::String(s)) => {
                let found = words.iter().find(|w| **w == s.as_ref()).copied();
                if found.is_none() {
                    self.wrong(key, &no_such(s, words.iter().copied()));
                }
                found
            }
            Some(_) => {
                self.wrong(key, &format!("must be one of {}, in quotes", words.join(", ")));
                None
            }
            None => {
                self.wrong(key, &format!("is missing; it is one of {}", words.join(", ")));
                None
            }
        }
    }

    /// A whole number; `usual` is what it is when it is not there, and without that it must be there.
    fn whole<T: TryFrom<i64> + Default>(&mut self, key: &'static str, usual: Option<i64>) -> T {
        let read = match self.get(key) {
            Some(DeValue::Integer(i)) => match i64::from_str_radix(i.as_str(), i.radix()).ok().map(T::try_from) {
                Some(Ok(fits)) => return fits,
                _ => Err("is too large, or negative where that has no meaning"),
            },
            Some(_) => Err("must be a whole number"),
            None if usual.is_none() => Err("is missing"),
            None => Ok(()),
        };
        if let Err(message) = read {
            self.wrong(key, message);
        }
        usual.and_then(|u| T::try_from(u).ok()).unwrap_or_default()
    }

    fn number(&mut self, key: &'static str, usual: f64) -> f64 {
        let read = match self.get(key) {
            Some(DeValue::Integer(i)) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
            Some(DeValue::Float(x)) => f64::from_str(x.as_str()).ok().filter(|x| x.is_finite()),
            Some(_) => None,
            None => {
                self.wrong(key, "is missing");
                return usual;
            }
        };
        read.unwrap_or_else(|| {
            self.wrong(key, "must be a finite number");
            usual
        })
    }

    fn flag(&mut self, key: &'static str) -> bool {
        match self.get(key) {
            Some(DeValue::Boolean(b)) => return *b,
            Some(_) => self.wrong(key, "must be true or false"),
            None => {}
        }
        false
    }

    fn money(&mut self, key: &'static str) -> Usdc {
        let message = match self.get(key) {
            Some(DeValue::String(s)) => match s.parse::<Usdc>() {
                Ok(amount) => return amount,
                Err(e) => e.to_string(),
            },
            Some(_) => "money is written as text: put quotes around it, such as \"500\"".to_owned(),
            None => "is missing".to_owned(),
        };
        self.wrong(key, &message);
        Usdc::whole(1)
    }

    fn tables(&mut self, key: &'static str) -> Vec<(&'a DeTable<'t>, usize)> {
        let Some(DeValue::Array(items)) = self.get(key) else {
            self.wrong(key, "there must be at least one [[events]]");
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::Table(table) => tables.push((table, line_of(self.text, item.span().start))),
                _ => self.wrong(key, "must be written as [[events]], one after the other"),
            }
        }
        tables
    }

    fn finish(mut self) -> Vec<Problem> {
        for (key, _) in self.table {
            if !self.known.contains(&key.get_ref().as_ref()) {
                let message = no_such(key.get_ref(), self.known.iter().copied());
                let line = line_of(self.text, key.span().start);
                self.problems.push(Problem::new(key.get_ref().to_string(), format!("{message} (line {line})")));
            }
        }
        self.problems
    }
}

/// What to say of a word that is not among the known ones.
pub(super) fn no_such<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> String {
    let known: Vec<&str> = known.collect();
    let scored = known.iter().map(|w| (strsim::jaro_winkler(word, w), *w)).filter(|(score, _)| *score > 0.75);
    match scored.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, nearest)) => format!("there is no such thing; did you mean {nearest}?"),
        None => format!("there is no such thing; here are {}", known.join(", ")),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1
}
