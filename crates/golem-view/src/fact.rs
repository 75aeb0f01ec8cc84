//! Facts as sentences, and read back from where they are stored.

use golem_life::Fact;

/// What a fact says to a person; `None` for what recurs every turn.
#[must_use]
pub fn words(fact: &Fact) -> Option<String> {
    let _ = fact;
    None
}
