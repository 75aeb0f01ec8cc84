//! The one gate: what is allowed, by action class, phase, suffering, mode, permits and safety.

mod class;

pub use class::ActionClass;
