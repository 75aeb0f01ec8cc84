//! Which facts an owner is told of, each with an id that stays the same however often it is sent.

use crate::retell;
use golem_clade::succession::{KeptNotice, SuccessionNotice};
use golem_core::fact::Envelope;
use golem_core::words::one_line;
use golem_core::{GolemId, Tick, Timestamp};
use golem_daimon::suffering::SufferingFact;
use golem_life::fact::DaimonFact;
use golem_life::{Fact, LifeFact};
use golem_mind::policy::Because;
use golem_mortality::economic::Purpose;
use golem_mortality::{DeathCause, MortalityFact};
use golem_runtime::FactRow;
use golem_view::cause::cause;
use golem_view::time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// So many failures of a provider in a row are trouble; one or two are a bad minute.
const FAILURES: u32 = 3;
/// Seconds of a golem's own time before it is told again that gas runs low.
const GAS_AGAIN_S: i64 = 86_400;
/// No sentence is longer than this.
const LONGEST_WORDS: usize = 400;
/// A fact that is longer stays behind; the words say enough.
const LONGEST_FACT: usize = 8_192;

/// What an owner can be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A golem is dead.
    Death,
    /// A successor that should have come by itself did not.
    FailedSuccession,
    /// It suffers beyond what it can bear, or its vitality is over and the last turns run.
    Crisis,
    /// Its owner or its switch ended it.
    Kill,
    /// A model fails again and again.
    ModelTrouble,
    /// The money for gas runs low.
    LowGas,
}

impl NoticeKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Death, Self::FailedSuccession, Self::Crisis, Self::Kill, Self::ModelTrouble, Self::LowGas];
}

/// Something to tell an owner. What goes out is this, as JSON; others rely on these names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnerNotice {
    /// The same however often it is sent: whoever receives it can drop repeats.
    pub id: String,
    pub kind: NoticeKind,
    pub golem: GolemId,
    pub name: String,
    /// The turn, where it comes from a life's facts.
    pub tick: Option<Tick>,
    /// When, by the golem's own time; for a succession, by the wall.
    pub at: Timestamp,
    /// When it was first put down to be told, by the wall; the same however often it is sent.
    #[serde(default)]
    pub told_at: Option<Timestamp>,
    /// For people.
    pub words: String,
    /// The fact itself, for programs.
    pub fact: Option<Value>,
    /// True for one that only tries the channel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// What is remembered from fact to fact: some are worth telling only in a row, or after a while.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct NoticeSense {
    /// Failures in a row, by provider.
    failing: BTreeMap<String, u32>,
    /// When it was last told that gas runs low.
    gas_told: Option<Timestamp>,
}

impl NoticeSense {
    /// The facts that it reads.
    fn reads(name: &str) -> bool {
        const NAMES: [&str; 7] = [
            MortalityFact::named("Dead"),
            MortalityFact::named("Dying"),
            MortalityFact::named("Vigil"),
            SufferingFact::named("Crisis"),
            LifeFact::named("Inference"),
            LifeFact::named("Denied"),
            LifeFact::named("Outcome"),
        ];
        NAMES.contains(&name)
    }

    /// Take in a fact. What comes back is to be told.
    pub(super) fn see(&mut self, row: &FactRow, golem: GolemId, name: &str) -> Option<OwnerNotice> {
        let fact = Some(row).filter(|row| Self::reads(&row.name)).and_then(|row| retell::fact(row, golem))?;
        let (kind, words) = self.news(&fact, name)?;
        let body = Some(&row.body).filter(|body| body.len() <= LONGEST_FACT);
        Some(OwnerNotice {
            id: format!("{golem}/{}", row.seq.0),
            kind,
            golem,
            name: name.to_owned(),
            tick: Some(row.tick),
            at: row.at,
            told_at: None,
            // Whatever owners, strangers and models wrote stays one line of words.
            words: one_line(&words, LONGEST_WORDS),
            fact: body.and_then(|body| serde_json::from_str(body).ok()),
            test: false,
        })
    }

    fn news(&mut self, fact: &Envelope<Fact>, name: &str) -> Option<(NoticeKind, String)> {
        match &fact.body {
            Fact::Mortality(MortalityFact::Dead { cause: why, ticks_alive, .. }) => {
                let age = time::span(ticks_alive.saturating_mul(golem_core::NOMINAL_TICK_S));
                Some((NoticeKind::Death, format!("{name} is dead, after {age}: {}", cause(why))))
            }
            Fact::Mortality(MortalityFact::Dying { cause: why, .. }) => {
                let killed = matches!(**why, DeathCause::OwnerKill { .. } | DeathCause::KillSwitch { .. });
                killed.then(|| (NoticeKind::Kill, format!("{name} was killed: {}", cause(why))))
            }
            Fact::Mortality(MortalityFact::Vigil { open: true, turns }) => Some((
                NoticeKind::Crisis,
                format!(
                    "{name} keeps vigil and dies in {turns} turns unless its vitality rises; where money is short, feed it: bardo golem feed {name} --usdc N"
                ),
            )),
            Fact::Daimon(inner) => match &**inner {
                DaimonFact::Suffering(SufferingFact::Crisis { load, message, .. }) => {
                    Some((NoticeKind::Crisis, format!("{name} is in a crisis (load {load:.2}): {message}")))
                }
                _ => None,
            },
            Fact::Life(LifeFact::Inference { attempt, .. }) => {
                let row = self.failing.entry(attempt.provider.clone()).or_default();
                let Some(why) = attempt.failed else {
                    *row = 0;
                    return None;
                };
                *row = row.saturating_add(1);
                let note = if attempt.note.is_empty() { String::new() } else { format!(" ({})", attempt.note) };
                let (provider, model) = (&attempt.provider, &attempt.model);
                let words = format!(
                    "{name}: model {provider} ({model}) failed {FAILURES} times in a row, {}{note}; rules decide until it answers",
                    why.in_words()
                );
                (*row == FAILURES).then_some((NoticeKind::ModelTrouble, words))
            }
            Fact::Life(LifeFact::Denied { purpose: Purpose::Gas, why }) => {
                self.gas(fact.at).then(|| (NoticeKind::LowGas, format!("{name} cannot pay for gas: {why}")))
            }
            Fact::Life(LifeFact::Outcome { because: Some(Because::Gas), .. }) => self.gas(fact.at).then(|| {
                (
                    NoticeKind::LowGas,
                    format!("{name} runs short of the coin that pays for gas, and trades for more of it"),
                )
            }),
            _ => None,
        }
    }

    /// Whether it is time to tell of gas again.
    fn gas(&mut self, now: Timestamp) -> bool {
        let due = self.gas_told.is_none_or(|told| now.0.saturating_sub(told.0) >= GAS_AGAIN_S);
        if due {
            self.gas_told = Some(now);
        }
        due
    }
}

impl OwnerNotice {
    /// Of what the owner's books say about a succession, the nth of its death; none for good news.
    pub(super) fn of_succession(notice: &KeptNotice, nth: usize, name: &str) -> Option<Self> {
        let words = match &notice.what {
            SuccessionNotice::Halted { why } => format!("{name} has no successor: {why}; {}", why.lifted_by()),
            SuccessionNotice::Queued { failures, why } => {
                format!("{name}: no place for a successor after {failures} tries ({why}); it is tried again")
            }
            SuccessionNotice::Unidentified { .. } | SuccessionNotice::Succeeded { .. } => return None,
        };
        let what = serde_json::to_value(&notice.what);
        Some(Self {
            id: format!("{}/succession/{nth}", notice.dead),
            kind: NoticeKind::FailedSuccession,
            golem: notice.dead,
            name: name.to_owned(),
            tick: None,
            at: notice.at,
            told_at: None,
            words: one_line(&words, LONGEST_WORDS),
            fact: Some(what.unwrap_or_else(|e| serde_json::json!({ "problem": e.to_string() }))),
            test: false,
        })
    }

    /// One that says nothing of anybody, to try a channel.
    #[must_use]
    pub fn trial(now: Timestamp) -> Self {
        Self {
            id: format!("test/{}", now.0),
            kind: NoticeKind::Death,
            golem: GolemId([0; 16]),
            name: "nobody".to_owned(),
            tick: None,
            at: now,
            told_at: Some(now),
            words: "This is a test of the channel: nobody died.".to_owned(),
            fact: None,
            test: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Seq;

    /// A fact of every kind that there is.
    const SAMPLES: &str = include_str!("../../../golem-view/tests/it/samples.jsonl");

    fn row(seq: u64, at: i64, body: &str) -> FactRow {
        let fact: Value = serde_json::from_str(body).expect("a fact");
        let name = fact["type"].as_str().expect("its name").to_owned();
        FactRow { seq: Seq(seq), tick: Tick(seq), at: Timestamp(at), name, cause: None, body: body.to_owned() }
    }

    fn told(sense: &mut NoticeSense, at: i64, body: &str) -> Option<NoticeKind> {
        let notice = sense.see(&row(9, at, body), GolemId([0; 16]), "ada")?;
        assert!(
            !notice.words.contains('\n') && notice.words.len() <= 4 * LONGEST_WORDS && notice.words.contains("ada")
        );
        assert_eq!(notice.id, format!("{}/9", GolemId([0; 16])));
        Some(notice.kind)
    }

    /// What each kind of fact comes to, of all that there are; in a row and after a while are tested below.
    #[test]
    fn deaths_kills_and_crises_are_told_and_nothing_else_is_at_once() {
        for body in SAMPLES.lines() {
            let fact: Value = serde_json::from_str(body).unwrap();
            let killed = ["OwnerKill", "KillSwitch"].iter().any(|cause| fact["cause"].get(cause).is_some());
            let expected = match fact["type"].as_str().unwrap() {
                "mortality.dead" => Some(NoticeKind::Death),
                "mortality.dying" if killed => Some(NoticeKind::Kill),
                "mortality.vigil" if fact["open"] == true => Some(NoticeKind::Crisis),
                "daimon.suffering_crisis" => Some(NoticeKind::Crisis),
                "economy.denied" if fact["purpose"] == "gas" => Some(NoticeKind::LowGas),
                "action.outcome" if fact["because"] == "gas" => Some(NoticeKind::LowGas),
                _ => None,
            };
            assert_eq!(told(&mut NoticeSense::default(), 0, body), expected, "{body}");
        }
    }

    /// What a golem, a model or a stranger wrote is one line in which nothing is hidden, and not a long one.
    #[test]
    fn words_of_anybody_are_one_plain_line() {
        let crisis = SAMPLES.lines().find(|l| l.contains("daimon.suffering_crisis")).unwrap();
        let mut fact: Value = serde_json::from_str(crisis).unwrap();
        fact["message"] = Value::from(format!("help\n\u{202e}me\u{e0041} {}", "x".repeat(2_000)));
        let notice = NoticeSense::default().see(&row(9, 0, &fact.to_string()), GolemId([0; 16]), "ada").unwrap();
        assert!(notice.words.contains("help") && notice.words.chars().count() <= LONGEST_WORDS, "{}", notice.words);
        assert!(!notice.words.chars().any(golem_core::words::is_hidden), "{}", notice.words);
    }

    #[test]
    fn a_model_is_trouble_after_three_failures_and_again_only_after_it_answered() {
        let find = |words: &str| SAMPLES.lines().find(|l| l.contains("inference.end") && l.contains(words)).unwrap();
        let (good, bad) = (find("\"failed\": null"), find("timed_out"));
        let mut sense = NoticeSense::default();
        let mut go = |body: &str| told(&mut sense, 0, body).is_some();
        assert_eq!(
            [bad, bad, good, bad, bad, bad, bad, bad].map(&mut go),
            [false, false, false, false, false, true, false, false]
        );
        assert_eq!([good, bad, bad, bad].map(&mut go), [false, false, false, true]);
    }

    #[test]
    fn that_gas_runs_low_is_told_once_a_day() {
        let low = SAMPLES.lines().find(|l| l.contains("economy.denied")).unwrap();
        let mut sense = NoticeSense::default();
        let days = [0, 60, 86_399, 86_400, 90_000, 180_000];
        assert_eq!(days.map(|at| told(&mut sense, at, low).is_some()), [true, false, false, true, false, true]);
    }
}
