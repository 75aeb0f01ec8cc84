//! Paired lives: the same path with the same dice, lived once for each arm. One life is one row; nothing else is kept.

pub mod best;
mod blow;
mod engine;
mod error;
mod folder;
mod holder;
mod life;
mod merge;
pub mod outcome;
mod plan;
mod row;
mod source;
pub mod table;
mod tally;

pub(crate) use blow::BlowWatch;
pub use engine::{PairedLives, Unwatched, Watching, cores, on_threads};
pub use error::CompareError;
pub use folder::{CompareFolder, PlanFile};
pub use life::{LifeTerms, LifeWatch};
pub use merge::merged;
pub use outcome::{OutcomeKind, Preferred};
pub use plan::{ArmSettings, ComparePlan, LifeOf, MOST_DAYS, MOST_PATHS, Shard, UntilNarrow, settings_hash};
pub use row::{LifeRow, OutcomeName};
pub use source::{PathWorld, WorldSource, share};
pub(crate) use tally::skill;
