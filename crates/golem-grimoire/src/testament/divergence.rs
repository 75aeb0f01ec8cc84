//! Whether a life was more than a repetition of the one before it, as it stood when the testament was written: whoever reads it
//! later finds the same verdict, whatever is asked by then.

use serde::{Deserialize, Serialize};

/// The verdict, with what is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestamentDivergence {
    /// In a word.
    pub verdict: String,
    /// The flag that its playbook carries to the next generation.
    pub low_divergence: bool,
    /// What it added, for each entry that it inherited.
    pub ratchet: Option<f64>,
    /// What was asked and is missing.
    pub missing: Vec<String>,
}

impl TestamentDivergence {
    /// The line under its playbook; none where there is nothing to say.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        self.low_divergence.then(|| format!("> low_divergence: {}", self.missing.join("; ")))
    }
}
