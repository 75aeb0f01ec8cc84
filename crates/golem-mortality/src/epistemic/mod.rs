//! The epistemic clock: skill against a declared naive forecast, and what happens when it is lost.

pub mod clock;
pub mod domain;
pub mod senescence;
pub mod skill;

pub use clock::EpistemicClock;
pub use domain::{Domain, SettledForecast};
pub use senescence::{Senescence, SenescenceStage};
pub use skill::DomainSkill;
