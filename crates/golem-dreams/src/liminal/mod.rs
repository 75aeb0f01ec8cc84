//! The edges of sleep: onset, where the day falls apart into fragments and some of them are kept, and return, where
//! what is left of them surfaces.
//!
//! Without a model the fragments are the context of one episode, the action of another and the outcome of a third.

pub mod fragment;
pub mod gate;
pub mod hori;
pub mod onset;
pub mod params;
mod residue;
pub mod surface;
pub mod theme;

pub use fragment::{FragmentStatus, LiminalFragment};
pub use gate::{OnsetAlarm, ThalamicGate, has_onset};
pub use hori::HoriStage;
pub use onset::{OnsetMaterial, OnsetOutcome, observe, onset};
pub use params::OnsetParams;
pub use surface::{LucidVerdict, ReturnOutcome, surface};
pub use theme::DreamTheme;
