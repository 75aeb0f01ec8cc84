//! An effect in the world: the key under which it is known outside, what became of it, and what became of it after all.

use crate::{Receipt, Tick};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The name under which an effect is known outside: never used for another one, also after a crash. It is written
/// `turn/number`, and ordered as the effects happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct EffectKey {
    /// The turn that wanted it.
    pub tick: Tick,
    /// Its number among the wishes of that turn.
    pub number: usize,
}

impl EffectKey {
    /// The key of a turn's wish.
    #[must_use]
    pub const fn new(tick: Tick, number: usize) -> Self {
        Self { tick, number }
    }
}

impl fmt::Display for EffectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.tick, self.number)
    }
}

/// A text that is not the key of an effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the key of an effect; hint: it is written turn/number, as in 17/0")]
pub struct BadEffectKey(pub String);

impl FromStr for EffectKey {
    type Err = BadEffectKey;

    fn from_str(text: &str) -> Result<Self, BadEffectKey> {
        let read = || {
            let (tick, number) = text.split_once('/')?;
            Some(Self::new(Tick(tick.parse().ok()?), number.parse().ok()?))
        };
        // One effect has one key: another spelling of the same numbers is not a key.
        read().filter(|key| key.to_string() == text).ok_or_else(|| BadEffectKey(text.to_owned()))
    }
}

impl From<EffectKey> for String {
    fn from(key: EffectKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for EffectKey {
    type Error = BadEffectKey;

    fn try_from(text: String) -> Result<Self, BadEffectKey> {
        text.parse()
    }
}

/// What the world says about an effect that was committed: its receipt, or what a lower door knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciled<S = Box<Receipt>> {
    /// It happened, or was refused for good.
    Settled(S),
    /// It never left this machine, and nothing that was sent can still land: it may be carried out now.
    NeverSent,
    /// It may still land. The golem takes no turn until this is known.
    Unknown,
}

/// The chain changed its mind about an effect (a reorganisation), or made it up late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amended {
    /// The effect's key.
    pub key: EffectKey,
    /// The receipt that was booked and no longer holds.
    pub was: Option<Receipt>,
    /// The receipt that holds now.
    pub now: Option<Receipt>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written_and_nothing_else_is() {
        let key = EffectKey::new(Tick(17), 2);
        assert_eq!(key.to_string(), "17/2");
        assert_eq!("17/2".parse(), Ok(key));
        assert_eq!(serde_json::to_string(&key).unwrap(), "\"17/2\"");
        for text in ["", "17", "17/", "/2", "017/2", "17/+2", "17/2/3", "17/reply/0", " 17/2", "a/b"] {
            assert_eq!(text.parse::<EffectKey>(), Err(BadEffectKey(text.to_owned())), "{text:?}");
            assert!(serde_json::from_value::<EffectKey>(text.into()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn keys_are_in_the_order_of_what_happened() {
        let mut keys: Vec<EffectKey> = ["10/0", "2/1", "2/0", "9/12"].iter().map(|k| k.parse().unwrap()).collect();
        keys.sort_unstable();
        assert_eq!(keys.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2/0", "2/1", "9/12", "10/0"]);
    }
}
