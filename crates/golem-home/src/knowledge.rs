//! A golem's memory as of a turn, read whole.

use crate::fail::Fail;
use crate::home::Place;
use crate::origins;
use crate::stored::parse;
use golem_core::{GolemId, Tick, VirtualTime};
use golem_grimoire::grimoire::{AttributedProfit, WorthByTwin};
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
    /// Whose memory it is.
    golem: GolemId,
    /// What acting by rules of others was worth, as of now: of an earlier turn nobody kept it.
    attributed: Vec<AttributedProfit>,
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
        let status = reader.status()?.filter(|_| as_of.is_none()).map(|row| parse(&row.body)).transpose()?;
        let now = match &status {
            Some(status) => VirtualTime((status.age_days * 86_400_000.0) as u64),
            None => VirtualTime(tick.0.saturating_mul(interval).saturating_mul(1_000)),
        };
        let attributed = status.map(|status| status.attributed).unwrap_or_default();
        Ok(Self { reader, tick, now, all, told, golem: genesis.birth.id, attributed })
    }

    /// What the testament of whoever left an entry says of it.
    pub fn passage(&self, id: EntryId) -> Option<&str> {
        self.told.get(&id)?.passage.as_deref()
    }

    /// Who learnt an entry first, where that is somebody else.
    pub fn learnt_by_another(&self, entry: &Entry) -> Option<GolemId> {
        Some(entry.body.origin.golem).filter(|golem| *golem != self.golem)
    }

    /// What acting by an entry that somebody else learnt was worth beyond acting without it; none where that was never tried.
    pub fn worth(&self, id: EntryId) -> Option<WorthByTwin> {
        self.attributed.iter().flat_map(|from| &from.by_rule).find(|rule| rule.rule == id).copied()
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
