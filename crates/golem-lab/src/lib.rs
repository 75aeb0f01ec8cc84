//! The lab: worlds to be born into, and lives in memory to experiment on. It never sees a real key.

pub mod clock;
pub mod compare;
pub mod heir_pairs;
pub mod heir_rule;
pub mod heirs;
mod kept_rows;
pub mod knowledge;
mod leaving;
pub mod lineage;
pub mod model;
pub mod pushing;
pub mod reach;
pub mod remedies;
pub mod siblings;
pub mod stats;
pub mod subject;
pub mod trial;
pub mod world;

pub use subject::Subject;
