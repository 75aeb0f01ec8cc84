//! The epistemic clock: skill against a declared naive forecast, the lead over a newborn, and what happens when both are lost.

pub mod clock;
pub mod domain;
pub mod senescence;
pub mod skill;

pub use clock::EpistemicClock;
pub use domain::{Domain, SettledForecast};
pub use senescence::{Senescence, SenescenceStage};
pub use skill::{DomainSkill, LossMeans, NAIVE_FITNESS};
