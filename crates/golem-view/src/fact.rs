//! Facts as sentences: live or read back from a file, each kind says one thing to a person, in at most two lines.

mod cage;
mod dream;
mod dying;
mod inherit;
mod inner;
mod life;
mod mind;
mod mortality;
mod phage;
mod read;

use crate::wrap::cut;
use golem_core::words::one_line;
use golem_life::Fact;
use golem_life::fact::DaimonFact;

pub use read::read;

/// No sentence is longer than this.
pub const LONGEST: usize = 160;

/// What a fact says to a person; `None` for what recurs every turn.
#[must_use]
pub fn words(fact: &Fact) -> Option<String> {
    let said = match fact {
        Fact::Mortality(fact) => mortality::words(fact),
        Fact::Cage(fact) => Some(cage::words(fact)),
        Fact::Daimon(fact) => Some(match &**fact {
            DaimonFact::Affect(fact) => inner::affect(fact),
            DaimonFact::Suffering(fact) => inner::suffering(fact),
            DaimonFact::Gate(fact) => inner::gate(fact),
        }),
        Fact::Life(fact) => life::words(fact),
        Fact::Dream(fact) => Some(dream::words(fact)),
        Fact::Phage(fact) => Some(phage::words(fact)),
    };
    // Words of owners, strangers and models may hold line breaks and codes for a terminal; a sentence does not.
    said.map(|said| cut(&one_line(&said, usize::MAX), LONGEST))
}

/// Whether whoever watches a life wants to hear it at once: turns of events, not the book-keeping between them. Acts are
/// told as trades.
#[must_use]
pub fn is_event(fact: &Fact) -> bool {
    match fact {
        Fact::Mortality(fact) => mortality::is_event(fact),
        Fact::Cage(fact) => cage::is_event(fact),
        Fact::Daimon(fact) => match &**fact {
            DaimonFact::Affect(fact) => inner::is_felt_event(fact),
            DaimonFact::Suffering(fact) => inner::is_suffered_event(fact),
            DaimonFact::Gate(_) => true,
        },
        Fact::Life(fact) => life::is_event(fact),
        Fact::Dream(fact) => dream::is_event(fact),
        Fact::Phage(fact) => phage::is_event(fact),
    }
}

/// One of something, or many.
fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
