//! Phages: short-lived children of a waking golem, each born to try one thing. They act on copies of the chain alone, over the path
//! that their parent lives, and die with a verdict. Replicants are those of a golem that thrives: they live longer, and what
//! they found is brought home as knowledge from elsewhere.

mod colony;
mod config;
mod fact;
mod hypothesis;
mod live;
mod report;
mod stats;
mod verdict;

pub use colony::{PhageBirth, PhageColony, PhageEnd};
pub use config::{PhageConfig, PhagesPerDay};
pub use fact::PhageFact;
pub use hypothesis::{KeptUp, PhageHypothesis, PhageMenu, PhageQuestion};
pub use live::{ChildKind, LivePhage, ShadowFork};
pub use report::replicant_report;
pub use stats::{AlivePhage, EndedPhage, HypothesisRecord, PhageCounts, PhageStats, TriedHypothesis};
pub use verdict::{PhageVerdict, UntestedBecause, verdict_on};

#[cfg(test)]
mod tests;
