//! What a call is answered when it cannot be: codes and words that clients know from other nodes, since they look for both.

use crate::embedded::{ChainError, NotRun, Ran};
use alloy_primitives::Bytes;
use golem_venue::VenueError;
use serde_json::{Value, json};

/// An error, as JSON-RPC has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServeFault {
    pub code: i64,
    pub message: String,
    pub data: Option<Bytes>,
}

impl ServeFault {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
    /// Not JSON.
    pub fn garbage(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }
    /// JSON, but not a call.
    pub fn not_a_call(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }
    /// No such method.
    pub fn method(name: &str) -> Self {
        let name: String = name.chars().take(60).collect();
        Self::new(-32601, format!("the method {name} does not exist/is not available"))
    }
    /// A parameter is wrong.
    pub fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }
    /// An error of ours.
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }
    /// The chain says no.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(-32000, message)
    }
    /// Nothing is there.
    pub fn absent(message: impl Into<String>) -> Self {
        Self::new(-32001, message)
    }
    /// Too much was asked for.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(-32005, message)
    }

    /// A call that the contract refused, or that stopped without a word.
    pub fn reverted(ran: &Ran) -> Self {
        if let Some(why) = &ran.halted {
            let words =
                if why.contains("OutOfGas") { "out of gas".to_owned() } else { format!("execution halted: {why}") };
            return Self::refused(words);
        }
        let reason = alloy_sol_types::decode_revert_reason(&ran.output);
        let reason = reason.map(|r| r.trim_start_matches("revert: ").chars().take(500).collect::<String>());
        let message = reason.map_or_else(|| "execution reverted".to_owned(), |r| format!("execution reverted: {r}"));
        Self { code: 3, message, data: Some(ran.output.clone()) }
    }

    pub fn json(&self) -> Value {
        match &self.data {
            None => json!({ "code": self.code, "message": self.message }),
            Some(data) => json!({ "code": self.code, "message": self.message, "data": data }),
        }
    }
}

impl From<ChainError> for ServeFault {
    fn from(e: ChainError) -> Self {
        match e {
            ChainError::NoSuchPoint(_) => Self::absent("header not found"),
            other => Self::bug(other.to_string()),
        }
    }
}

impl From<VenueError> for ServeFault {
    fn from(e: VenueError) -> Self {
        Self::bug(e.to_string())
    }
}

impl From<NotRun> for ServeFault {
    fn from(e: NotRun) -> Self {
        match e {
            NotRun::Invalid(why) if why.contains("gas cost") => Self::refused(format!("intrinsic gas too low: {why}")),
            NotRun::Invalid(why) if why.contains("priority fee") => {
                Self::refused(format!("max priority fee per gas higher than max fee per gas: {why}"))
            }
            NotRun::Invalid(why) => Self::refused(why),
            NotRun::State(why) => Self::bug(why),
        }
    }
}
