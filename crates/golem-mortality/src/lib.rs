//! Three clocks, vitality, phases, hazard and death rules. Everything here is a pure function of its arguments:
//! no clock, no dice, no IO, no panic on any input.

pub mod audit;
pub mod config;
pub mod cortical;
pub mod couplings;
pub mod death;
pub mod dying;
pub mod economic;
pub mod epistemic;
pub mod facts;
pub mod forecast;
pub mod info;
pub mod lifespan;
pub mod micro_death;
pub mod mode;
pub mod phase;
pub mod regime_eval;
mod staleness;
pub mod stochastic;
pub mod vitality;

pub use config::MortalityConfig;
pub use cortical::CorticalState;
pub use death::{Death, DeathCause};
pub use dying::DyingStage;
pub use epistemic::{Domain, SettledForecast};
pub use facts::{MortalityFact, TriggerClock};
pub use lifespan::{LifespanSeen, Mortality};
pub use mode::GolemMode;
pub use phase::{BehavioralPhase, determine_phase};
pub use vitality::{VitalityState, compute_vitality};
