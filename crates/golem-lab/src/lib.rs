//! The lab: worlds to be born into, and lives in memory to experiment on. It never sees a real key.

pub mod pushing;
pub mod subject;
pub mod world;

pub use subject::Subject;
