//! `bardo lab`: paired lives by the thousand, without a file for each, and what they tell apart.

mod arms;
mod clock;
mod compare;
mod judged;
mod matters;
mod matters_page;
mod merge;
mod organs;
mod page;
mod progress;
mod remedies;
mod setup;

use crate::cli::LabCommand;
use crate::fail::Fail;
use crate::out::Out;
use golem_lab::compare::CompareError;
use golem_venue::VenueError;

/// Run one of them.
pub fn run(command: &LabCommand, out: &Out) -> Result<(), Fail> {
    match command {
        LabCommand::Compare(args) => compare::run(args, out),
        LabCommand::Merge(args) => merge::run(args, out),
        LabCommand::Matters(args) => matters::run(args, out),
        LabCommand::Clock(args) => clock::run(args, out),
        LabCommand::Remedies(args) => remedies::run(args, out),
    }
}

/// A comparison that cannot be made, as a failure.
fn refused(e: CompareError) -> Fail {
    match e {
        CompareError::Venue(VenueError::Bug(what)) => Fail::Bug(what),
        CompareError::Venue(_) | CompareError::Io { .. } => Fail::world_hint(e.to_string(), e.hint()),
        other => Fail::hint(other.to_string(), other.hint()),
    }
}
