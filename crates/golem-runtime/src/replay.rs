//! Replay: a whole life again from birth, on what was recorded, compared turn by turn with the journal and the facts.

use crate::error::Error;
use crate::journal::{JournalWalk, Tip};
use crate::json;
use crate::origin::Origin;
use crate::reader::{FactRow, Reader};
use crate::relive::{guarded, relive};
use crate::verify::{Difference, damage};
use golem_core::fact::{Envelope, FactBody};
use golem_core::{Hash, Seq, Tick};
use golem_life::Being;
use serde::Serialize;
use std::collections::VecDeque;
use std::path::Path;

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// Turns that were lived again and fit.
    pub ticks: u64,
    /// True when all of them did.
    pub ok: bool,
    /// The first one that did not.
    pub first_difference: Option<Difference>,
    /// The chain's head after the turns that fit.
    pub head: Hash,
}

/// Live the life in `dir` again, up to a turn if one is given. `born` makes the newborn from what the file says.
///
/// # Errors
/// When the file cannot be opened, or the newborn cannot be made. A life that does not fit is a finding, not an error.
pub fn replay<B: Being>(
    dir: &Path,
    until: Option<Tick>,
    born: impl FnOnce(&Origin) -> Result<B, String>,
) -> Result<ReplayReport, Error> {
    let reader = Reader::open(dir)?;
    let (origin, root) = match reader.origin_and_root() {
        Ok(found) => found,
        Err(e) => return damage(e).map(|d| report(Tip { tick: Tick(0), head: Hash::default() }, Some(d))),
    };
    let (last, _) = reader.tip()?;
    let until = until.map_or(last, |t| t.min(last));
    let mut being =
        guarded(Tick(0), "birth", || born(&origin))?.map_err(|what| Error::Diverged { tick: Tick(0), what })?;
    let mut walk = JournalWalk::after(reader.conn(), reader.db(), Tip { tick: Tick(0), head: root }, until);
    let mut stored = StoredFacts { reader: &reader, page: VecDeque::new(), after: None };
    loop {
        let before = walk.tip();
        let (tick, payload) = match walk.step() {
            Ok(Some(step)) => step,
            Ok(None) => return Ok(report(before, None)),
            Err(e) => return damage(e).map(|d| report(before, Some(d))),
        };
        let lived = relive(&mut being, tick, payload).map(drop);
        let wrong = match lived {
            Ok(()) => stored.compare(tick, being.facts())?,
            Err(Error::Diverged { what, .. }) => Some(what),
            Err(e @ Error::Panicked { .. }) => Some(e.to_string()),
            Err(e) => return Err(e),
        };
        if let Some(what) = wrong {
            return Ok(report(before, Some(Difference { tick, what })));
        }
    }
}

fn report(at: Tip, first_difference: Option<Difference>) -> ReplayReport {
    ReplayReport { ticks: at.tick.0, ok: first_difference.is_none(), first_difference, head: at.head }
}

/// The stored facts, a page at a time.
struct StoredFacts<'a> {
    reader: &'a Reader,
    page: VecDeque<FactRow>,
    after: Option<Seq>,
}

impl StoredFacts<'_> {
    /// Hold the facts of a turn against the stored ones; what differs, in words.
    fn compare<F: FactBody>(&mut self, tick: Tick, lived: &[Envelope<F>]) -> Result<Option<String>, Error> {
        for fact in lived.iter().filter(|f| !f.body.is_series()) {
            let body = json::text(&fact.body)?;
            let (name, at, cause) = (fact.body.name().to_owned(), fact.at, fact.cause);
            let expected = FactRow { seq: fact.seq, tick: fact.tick, at, name, cause, body };
            match self.next()? {
                Some(found) if found == expected => {}
                Some(found) => return Ok(Some(format!("fact: stored {found:?}, emitted {expected:?}"))),
                None => return Ok(Some(format!("fact: none stored, emitted {expected:?}"))),
            }
        }
        self.fill()?;
        let extra = self.page.front().filter(|f| f.tick <= tick);
        Ok(extra.map(|f| format!("fact: stored {f:?}, none emitted")))
    }

    fn next(&mut self) -> Result<Option<FactRow>, Error> {
        self.fill()?;
        Ok(self.page.pop_front())
    }

    fn fill(&mut self) -> Result<(), Error> {
        if self.page.is_empty() {
            self.page = self.reader.facts(self.after, None, 1_000)?.into();
            self.after = self.page.back().map(|f| f.seq).or(self.after);
        }
        Ok(())
    }
}
