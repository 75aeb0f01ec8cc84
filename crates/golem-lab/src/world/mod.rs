//! Worlds a golem can be born into: a seeded synthetic market, and recorded history from a CSV file.
//!
//! Both answer [`golem_core::door::World`]. Neither ever shows what had not happened at the age that was asked for,
//! and neither knows anything of the golem that looks at it.

pub mod recorded;
mod saved;
pub mod synthetic;

pub use recorded::{CsvError, CsvFault, CsvMode, CsvOptions, CsvWorld, Survey, VolumeUnit};
pub use synthetic::{Planted, Synthetic, SyntheticConfig, TrueWeather};
