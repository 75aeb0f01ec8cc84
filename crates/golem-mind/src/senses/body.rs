//! What the rest of the golem knows about itself in a turn, for the probes: the senses see the market only.

use super::severity::Severity;
use serde::{Deserialize, Serialize};

/// The state of the body in one turn. The default is a body of which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Body {
    /// What is left of the money for thinking and acting, as a share of what it was meant to be.
    pub credit: Option<f64>,
    /// A circuit breaker: low when it warns, high when it has tripped.
    pub breaker: Severity,
    /// Whether the kill switch is set.
    pub kill_switch: bool,
    /// Composite vitality.
    pub vitality: Option<f64>,
    /// The causal graph: low when it has a new candidate, high when an edge was found not to hold.
    pub causes: Severity,
    /// The owner's words that wait for an answer.
    pub followups: u8,
    /// The largest threat that siblings told of, from 0 to 1.
    pub threat: f64,
}
