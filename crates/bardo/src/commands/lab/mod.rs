//! `bardo lab`: paired lives by the thousand, without a file for each, and what they tell apart.

mod arms;
mod clock;
mod compare;
mod course;
mod heirs;
mod judged;
mod matters;
mod matters_page;
mod merge;
mod organs;
mod page;
mod paired;
mod plan;
mod progress;
mod reached;
mod remedies;
mod setup;
mod siblings;
mod trial;
mod trial_page;

use crate::cli::LabCommand;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_lab::compare::CompareError;
use golem_lab::trial::TrialError;
use golem_venue::VenueError;

/// Run one of them.
pub fn run(command: &LabCommand, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    match command {
        LabCommand::Compare(args) => compare::run(args, home, yes, out),
        LabCommand::Merge(args) => merge::run(args, out),
        LabCommand::Matters(args) => matters::run(args, home, yes, out),
        LabCommand::Clock(args) => clock::run(args, home, yes, out),
        LabCommand::Remedies(args) => remedies::run(args, home, yes, out),
        LabCommand::Plan(args) => plan::run(args, out),
        LabCommand::Trial(args) => trial::run(args, out),
        LabCommand::Heirs(args) => heirs::run(args, home, yes, out),
        LabCommand::Siblings(args) => siblings::run(args, home, yes, out),
    }
}

/// A trial that cannot be planned, lived or judged, as a failure.
fn not_tried(e: TrialError) -> Fail {
    match e {
        TrialError::Data(e) => refused(e),
        TrialError::Venue(VenueError::Bug(what)) => Fail::Bug(what),
        TrialError::Venue(_) | TrialError::Io { .. } => Fail::world_hint(e.to_string(), e.hint()),
        other => Fail::hint(other.to_string(), other.hint()),
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
