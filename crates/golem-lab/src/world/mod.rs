//! Worlds a golem can be born into: a seeded synthetic market, and recorded history from a CSV file; and worlds by name,
//! each with its truth.
//!
//! Both answer [`golem_core::door::World`]. Neither ever shows what had not happened at the age that was asked for,
//! and neither knows anything of the golem that looks at it.

mod blow;
mod hours;
pub mod oracle;
mod path;
mod place;
pub mod recorded;
pub mod resampled;
mod saved;
pub mod synthetic;
mod truth;

pub use blow::{BLOWS, Blow};
pub use hours::{HOUR_S, PlayedHours};
pub use path::PoolPath;
pub use place::{PlaceError, WorldPlace, WorldPlace as Place, names, place, place_by_law};
pub use recorded::{CsvError, CsvFault, CsvMode, CsvOptions, CsvWorld, Survey, VolumeUnit};
pub use synthetic::{LAWS, Law, Synthetic, SyntheticConfig, Teller, TrueWeather};
pub use truth::{Agreement, TrueLink, Truth, forecast_by};
