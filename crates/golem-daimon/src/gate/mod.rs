//! The one gate: what is allowed, by action class, phase, suffering, mode, permits and safety.
//!
//! Everything that acts goes through [`gate`]. It fails closed on what cannot be read, and it never blocks taking risk
//! away. It says what may be tried at all; how much of it is the cage's to say.

mod class;
mod classify;
mod denied;
mod fact;
mod owner;
mod situation;
mod tool;
mod verdict;

pub use class::ActionClass;
pub use classify::{Exposure, classify};
pub use denied::{Denied, Figures, WhyDenied};
pub use fact::{Denials, GateFact};
pub use owner::{OwnerOrder, gate_owner};
pub use situation::{GatePart, GateSituation, Permits, Safety, SafetyCause};
pub use tool::{gate_tool, tool_class};
pub use verdict::{gate, locked};
