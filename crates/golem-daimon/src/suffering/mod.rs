//! Suffering: stressors that are measured, and those that an agent reports; load, bands, crisis, respite.

mod band;

pub use band::Band;
