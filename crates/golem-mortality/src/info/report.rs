//! What the information diagnostics say: the latest numbers, the three cortical signals, and the alerts.
//!
//! They advise. Nothing here is read by a clock, and nothing here may ever end a life.

use serde::{Deserialize, Serialize};

/// The latest estimate and what follows from it. `None` means insufficient, which is not zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MiDiagnostics {
    /// Nominal tick of the estimate.
    pub tick: u64,
    /// Pairs it rests on, or has so far.
    pub pairs: usize,
    /// Mutual information of actions and responses in bits, less the false part where that is known; at least 0.
    pub mi_bits: Option<f64>,
    /// As estimated, with the false part still in it.
    pub raw_bits: Option<f64>,
    /// The false part: mean of the surrogates when they were last drawn.
    pub false_bits: Option<f64>,
    /// The most this golem ever knew, at least 1 bit.
    pub i_max_bits: f64,
    /// The overlay V = clamp(MI / I_max, 0, 1).
    pub vitality: Option<f64>,
    /// Change of the raw information per tick since the estimate before. Raw, so that a newly measured false part does
    /// not look like forgetting.
    pub information_rate: Option<f64>,
    /// Normalised Lempel-Ziv entropy rate of the actions, in [0, 1].
    pub entropy_rate: Option<f64>,
    /// Healthy by its clocks, yet independent of the market.
    pub decoupled: bool,
    /// Knew the past, does not know the present.
    pub overfitted: bool,
    /// Knows nothing that its siblings do not.
    pub redundant: bool,
    /// 1 = all it knows is its own. `None` while there are no siblings to compare with.
    pub redundancy_index: Option<f64>,
}

impl MiDiagnostics {
    /// Nothing can be said yet.
    #[must_use]
    pub fn insufficient(tick: u64, pairs: usize, i_max_bits: f64) -> Self {
        Self {
            tick,
            pairs,
            mi_bits: None,
            raw_bits: None,
            false_bits: None,
            i_max_bits,
            vitality: None,
            information_rate: None,
            entropy_rate: None,
            decoupled: false,
            overfitted: false,
            redundant: false,
            redundancy_index: None,
        }
    }

    /// The three cortical signals; `None` while insufficient.
    #[must_use]
    pub fn cortical(&self) -> Option<CorticalSignals> {
        Some(CorticalSignals {
            mutual_information: self.mi_bits? as f32,
            information_rate: self.information_rate.unwrap_or(0.0) as f32,
            redundancy_index: self.redundancy_index.unwrap_or(1.0) as f32,
        })
    }
}

impl Default for MiDiagnostics {
    fn default() -> Self {
        Self::insufficient(0, 0, 1.0)
    }
}

/// The part of the cortical state that comes from here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CorticalSignals {
    /// Bits.
    pub mutual_information: f32,
    /// Bits per tick.
    pub information_rate: f32,
    /// In [0, 1]; 1 = unique, also when there is no sibling.
    pub redundancy_index: f32,
}

/// An alert begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertChange {
    /// It holds from now on.
    Raised,
    /// It holds no longer.
    Cleared,
}

/// An alert that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "alert")]
pub enum InfoAlert {
    /// Healthy by its clocks, yet independent of the market.
    Decoupling {
        /// Raised or cleared.
        change: AlertChange,
        /// Information in bits, less the false part.
        mi_bits: f64,
        /// The overlay V.
        vitality: f64,
    },
    /// Knew the past, does not know the present.
    Overfitting {
        /// Raised or cleared.
        change: AlertChange,
        /// Information about the older half of the buffer, less the false part.
        /// `None` when it no longer matters.
        past_bits: Option<f64>,
        /// Information about the newer half, less the false part.
        recent_bits: f64,
    },
    /// Knows nothing that its siblings do not.
    Redundancy {
        /// Raised or cleared.
        change: AlertChange,
        /// The index, when one could be computed.
        index: Option<f64>,
    },
}

impl InfoAlert {
    /// Raised or cleared.
    #[must_use]
    pub fn change(&self) -> AlertChange {
        match self {
            Self::Decoupling { change, .. } | Self::Overfitting { change, .. } | Self::Redundancy { change, .. } => {
                *change
            }
        }
    }
}

/// The change, if there is one.
pub(super) fn changed(before: bool, now: bool) -> Option<AlertChange> {
    match (before, now) {
        (false, true) => Some(AlertChange::Raised),
        (true, false) => Some(AlertChange::Cleared),
        _ => None,
    }
}
