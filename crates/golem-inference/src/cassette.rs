//! Recorded conversations: every question with its answer, one line of JSON each, by turn or cycle and call number. Played
//! back without any provider.
//!
//! Never answers another question than the one that was asked then: what does not fit is an error that names the call.

use crate::inference::Inference;
use golem_core::model::{ModelReply, ModelRequest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// When a question was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedAt {
    /// In a turn.
    Tick(u64),
    /// In a cycle outside of turns: a dream, the curator.
    Cycle(u64),
}

/// Which question it was: the first of a turn has number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallNumber {
    /// When.
    pub at: AskedAt,
    /// Which one of then.
    pub number: u32,
}

impl fmt::Display for CallNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            AskedAt::Tick(n) => write!(f, "turn {n}, call {}", self.number),
            AskedAt::Cycle(n) => write!(f, "cycle {n}, call {}", self.number),
        }
    }
}

/// Whoever answers: models, a recorder of them, or a recording.
pub trait Model {
    /// Ask.
    ///
    /// # Errors
    /// Only of the recording. That a model has no answer is in the reply.
    fn ask(&mut self, call: CallNumber, request: &ModelRequest) -> Result<ModelReply, CassetteError>;
}

impl Model for Inference {
    fn ask(&mut self, _: CallNumber, request: &ModelRequest) -> Result<ModelReply, CassetteError> {
        Ok(Self::ask(self, request))
    }
}

/// What is wrong with a recording.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be used.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is damaged.
    #[error("{path}, line {line}: {why}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Nothing was recorded for a call.
    #[error("{0}: nothing was recorded")]
    Missing(CallNumber),
    /// Another question was asked then.
    #[error("{call}: another question was recorded; {what} differs")]
    Mismatch {
        /// Which call.
        call: CallNumber,
        /// The first part of the request that differs.
        what: &'static str,
    },
    /// The call is on the recording already.
    #[error("{0}: recorded twice")]
    Twice(CallNumber),
}

/// A line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CassetteLine {
    call: CallNumber,
    request: ModelRequest,
    reply: ModelReply,
}

/// Asks somebody and writes the answer down before it is used.
pub struct Recorder<M> {
    inner: M,
    file: File,
    path: PathBuf,
    last: Option<CallNumber>,
}

impl<M: Model> Recorder<M> {
    /// Record into a new file, which only its owner can read.
    ///
    /// # Errors
    /// When there is a file already, or none can be made.
    pub fn new(inner: M, path: &Path) -> Result<Self, CassetteError> {
        let made = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path);
        let file = made.map_err(|source| CassetteError::Io { path: path.to_owned(), source })?;
        Ok(Self { inner, file, path: path.to_owned(), last: None })
    }
}

impl<M: Model> Model for Recorder<M> {
    fn ask(&mut self, call: CallNumber, request: &ModelRequest) -> Result<ModelReply, CassetteError> {
        if self.last == Some(call) {
            return Err(CassetteError::Twice(call));
        }
        let reply = self.inner.ask(call, request)?;
        let io = |source| CassetteError::Io { path: self.path.clone(), source };
        let taken = CassetteLine { call, request: request.clone(), reply: reply.clone() };
        let mut line = serde_json::to_string(&taken).map_err(|e| io(e.into()))?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush()).map_err(io)?;
        self.last = Some(call);
        Ok(reply)
    }
}

/// A recording that answers as was answered then.
#[derive(Debug)]
pub struct Recorded {
    taken: BTreeMap<CallNumber, (ModelRequest, ModelReply)>,
}

impl Recorded {
    /// Read a recording.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is damaged, belongs to another question or stands there twice.
    pub fn new(path: &Path) -> Result<Self, CassetteError> {
        let io = |source| CassetteError::Io { path: path.to_owned(), source };
        let mut taken = BTreeMap::new();
        for (i, line) in BufReader::new(File::open(path).map_err(io)?).lines().enumerate() {
            let damaged = |why: String| CassetteError::Damaged { path: path.to_owned(), line: i + 1, why };
            let CassetteLine { call, request, reply } =
                serde_json::from_str(&line.map_err(io)?).map_err(|e| damaged(e.to_string()))?;
            if reply.request != request.hash() {
                return Err(damaged(format!("{call}: the answer is to another question")));
            }
            if taken.insert(call, (request, reply)).is_some() {
                return Err(CassetteError::Twice(call));
            }
        }
        Ok(Self { taken })
    }

    /// The calls that are on it, in their order.
    pub fn calls(&self) -> impl Iterator<Item = CallNumber> + '_ {
        self.taken.keys().copied()
    }
}

impl Model for Recorded {
    fn ask(&mut self, call: CallNumber, request: &ModelRequest) -> Result<ModelReply, CassetteError> {
        let (then, reply) = self.taken.get(&call).ok_or(CassetteError::Missing(call))?;
        if reply.request == request.hash() {
            return Ok(reply.clone());
        }
        Err(CassetteError::Mismatch { call, what: first_difference(then, request) })
    }
}

fn first_difference(a: &ModelRequest, b: &ModelRequest) -> &'static str {
    let parts = [
        ("the prompt's name", a.prompt != b.prompt),
        ("the purpose", a.purpose != b.purpose),
        ("the tier", a.tier != b.tier),
        ("the system text", a.system != b.system),
        ("the conversation", a.messages != b.messages),
        ("the list of tools", a.tools != b.tools),
        ("the schema", a.schema != b.schema),
        ("the output cap", a.max_output_tokens != b.max_output_tokens),
        ("the money cap", a.max_cost != b.max_cost),
        ("the time", a.timeout_ms != b.timeout_ms),
    ];
    parts.iter().find(|(_, differs)| *differs).map_or("the temperature", |(what, _)| what)
}
