//! What is locked of a golem, for people.

use golem_life::Status;

/// Each reason once: several locks may have the same one, which says nothing more by being said again.
#[must_use]
pub fn locked(status: &Status) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for why in &status.locked {
        if !all.contains(&why.as_str()) {
            all.push(why);
        }
    }
    all
}
