//! A golem's memory as of a turn, read whole.

use crate::fail::Fail;
use crate::home::Place;
use crate::origins;
use crate::stored::parse;
use golem_core::{Tick, VirtualTime};
use golem_grimoire::retrieval::ToldEntries;
use golem_grimoire::{Entry, EntryId, Remembered};
use golem_runtime::Reader;
use golem_runtime::memory::Detail;

/// A golem's memory as of a turn.
pub struct ReadMemory {
    pub reader: Reader,
    pub tick: Tick,
    pub now: VirtualTime,
    pub all: Remembered,
    /// What is told beside what it inherited.
    pub told: ToldEntries,
}

impl ReadMemory {
    /// Of the golem in a place; as of a turn, or now.
    pub fn open(place: &Place, as_of: Option<u64>, detail: Detail) -> Result<Self, Fail> {
        let reader = Reader::open(&place.dir)?;
        let (tip, _) = reader.tip()?;
        let tick = as_of.map_or(tip, |turn| Tick(turn).min(tip));
        let all = reader.memory().remembered(Some(tick), detail)?;
        let genesis = origins::genesis(&reader.origin()?)?;
        let (interval, inherited) = (genesis.interval_s, genesis.inheritance.as_ref());
        let told = inherited.map(|i| i.told(&genesis.birth, genesis.taken_in_at())).unwrap_or_default();
        // As of now the golem says how old it is; before, turns of the usual length are as near as anyone can say.
        let now = match reader.status()? {
            Some(row) if as_of.is_none() => VirtualTime((parse(&row.body)?.age_days * 86_400_000.0) as u64),
            _ => VirtualTime(tick.0.saturating_mul(interval).saturating_mul(1_000)),
        };
        Ok(Self { reader, tick, now, all, told })
    }

    /// What the testament of whoever left an entry says of it.
    pub fn passage(&self, id: EntryId) -> Option<&str> {
        self.told.get(&id)?.passage.as_deref()
    }

    /// The one entry whose id begins so.
    pub fn entry(&self, id: &str) -> Result<&Entry, Fail> {
        let mut found = self.all.entries.iter().map(|(entry, _)| entry).filter(|e| e.id.to_string().starts_with(id));
        match (found.next(), found.next()) {
            (Some(entry), None) => Ok(entry),
            (None, _) => Err(Fail::hint(format!("there is no entry {id}"), "see bardo grimoire search")),
            (Some(_), Some(_)) => Err(Fail::owner(format!("{id} begins more than one entry; give more of it"))),
        }
    }
}
