//! Information diagnostics: how much a golem's actions and its market's responses say about each other.
//!
//! A parallel reading of mortality. Mutual information over a sliding window of (action, response) pairs shows what no
//! single clock shows: a golem that is healthy but decoupled from its market, one that knows only the past, one that
//! knows nothing its siblings do not. **It advises and never kills**: no clock reads it.
//!
//! Read in this order: [`Pair`] goes into [`InfoState::push`]; [`InfoState::update`] makes a round every 500 ticks; the
//! round estimates ([`KsgSample`], Kraskov's first algorithm over a k-d tree), and asks surrogates ([`judge`]) when an
//! alert is in question; [`MiDiagnostics`] is the result, [`InfoAlert`] what changed, [`CorticalSignals`] what other
//! rooms see. [`channel_report`] explains a fall of vitality, [`bits_budget`] feeds the tier gate.
//!
//! Everything is in bits. Everything is pure: time and chance are arguments, and no input panics.

mod axes;
mod budget;
mod channel;
mod config;
mod digamma;
mod entropy;
mod ksg;
mod marginal;
mod neighbours;
mod pairs;
mod question;
mod redundancy;
mod report;
mod state;
mod surrogate;
mod update;

pub use axes::{Jitter, finite_rows, z_scored};
pub use budget::{BitsBudget, bits_budget};
pub use channel::{Channel, ChannelReport, VitalityComponents, channel_report};
pub use config::InfoConfig;
pub(crate) use config::within;
pub use digamma::{digamma, digamma_of_counts};
pub use entropy::{LETTERS, entropy_rate, letter, phrases};
pub use ksg::{KsgSample, ksg_bits};
pub use neighbours::MAX_AXES;
pub use pairs::{ACTION_AXES, Pair, PairRing, RESPONSE_AXES};
pub use question::StandingQuestion;
pub use redundancy::{RedundancyReport, assess_redundancy, redundancy};
pub use report::{AlertChange, CorticalSignals, InfoAlert, MiDiagnostics};
pub use state::{InfoLedger, InfoState};
pub use surrogate::{SurrogateEnd, SurrogateJudgement, SurrogatePlan, judge};
pub use update::InfoSeen;
