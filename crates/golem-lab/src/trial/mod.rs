//! The trial: whether a line of mortals does better than an immortal, and whether that is more than forgetting. It is planned
//! before it is lived, lived under letters, judged by arithmetic, and can fail.

mod account;
mod arm;
mod blind;
mod cell;
mod data;
mod error;
mod files;
mod folder;
mod line;
mod path;
mod plan;
mod statistics;
mod tune;
mod verdict;

pub use account::LineAccount;
pub use arm::{Contrast, TrialArm};
pub use blind::{BlindKey, StatisticsOnDisk};
pub use cell::{CellFamily, TrialCell, TrialPath};
pub use data::TrialData;
pub use error::TrialError;
pub use folder::TrialFolder;
pub use line::{Endings, LineLived, LineTerms};
pub use path::{PathLived, TrialRow, TrialRun};
pub use plan::{TRIAL_OUTCOMES, TrialPlan, TrialPlanFile, Tuning};
pub use statistics::{Finding, LetterMeans, POOLED, TrialLine, TrialStatistics, statistics};
pub use tune::tuned;
pub use verdict::{ControlTold, Matters, TrialVerdict, VerdictTold, line as verdict_line, verdict_of};
