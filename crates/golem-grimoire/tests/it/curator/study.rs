//! What the tests of the curator share: a golem's memory with its curator, and what the curator is told.

use crate::kit::{DAY, active, buy, did, episode, origin};
use golem_core::{Elapsed, Regime, Tick, VirtualTime};
use golem_grimoire::admission::{Neighbours, NoNeighbours};
use golem_grimoire::curator::{Curator, CuratorMaterial, CuratorRooms, CycleReport, DeepReport, MemoryRoom, SeenEdge};
use golem_grimoire::relevance::WeatherWeights;
use golem_grimoire::series::{MinedClaim, Series};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{Staging, ValidationRow};
use golem_grimoire::{EntryBody, EntryId, EntryKind, EntryStatus, Episode, EpisodeId, Went};

/// A golem's memory with its curator, and what the curator is told.
pub struct Study {
    pub shelf: Shelf,
    pub staging: Staging,
    pub curator: Curator,
    pub now: VirtualTime,
    pub weather: WeatherWeights,
    pub fitness: [Option<f64>; 6],
    pub mined: Vec<MinedClaim>,
    pub edges: Vec<SeenEdge>,
    pub series: Series,
    pub parameters: Vec<&'static str>,
    pub validate_first: ValidationRow,
}

impl Study {
    pub fn new() -> Self {
        Self::with(MemoryRoom::default())
    }
    pub fn with(room: MemoryRoom) -> Self {
        Self {
            shelf: Shelf::default(),
            staging: Staging::default(),
            curator: Curator::new(room),
            now: VirtualTime(DAY),
            weather: WeatherWeights::settled(Regime::RangeBound),
            fitness: [None; 6],
            mined: Vec::new(),
            edges: Vec::new(),
            series: Series::new(),
            validate_first: ValidationRow::new(),
            parameters: vec!["lp_management.max_exposure", "lp_management.range_sigmas"],
        }
    }
    pub fn told<'a>(&'a self, neighbours: &'a dyn Neighbours) -> CuratorMaterial<'a> {
        CuratorMaterial {
            tick: Tick(self.now.0 / 40_000),
            now: self.now,
            weather: self.weather,
            origin: origin(),
            fitness: self.fitness,
            mined: &self.mined,
            edges: &self.edges,
            series: &self.series,
            neighbours,
            parameters: &self.parameters,
            validate_first: &self.validate_first,
        }
    }
    pub fn cycle(&mut self) -> CycleReport {
        let (mut shelf, mut staging) = (std::mem::take(&mut self.shelf), std::mem::take(&mut self.staging));
        let mut curator = self.curator.clone();
        let report =
            curator.cycle(&mut CuratorRooms { shelf: &mut shelf, staging: &mut staging }, &self.told(&NoNeighbours));
        (self.shelf, self.staging, self.curator) = (shelf, staging, curator);
        self.now = self.now.after(Elapsed::nominal(50));
        report
    }
    pub fn deep(&mut self, neighbours: &dyn Neighbours) -> DeepReport {
        let (mut shelf, mut staging) = (std::mem::take(&mut self.shelf), std::mem::take(&mut self.staging));
        let mut curator = self.curator.clone();
        let report =
            curator.deep(&mut CuratorRooms { shelf: &mut shelf, staging: &mut staging }, &self.told(neighbours));
        (self.shelf, self.staging, self.curator) = (shelf, staging, curator);
        report
    }
    pub fn put(&mut self, body: EntryBody, confidence_bp: u16) -> EntryId {
        let entry = active(body, confidence_bp);
        let id = entry.id;
        assert!(self.shelf.add(entry));
        let now = self.now;
        self.shelf.stand(id, |s| (s.last_validated, s.retrievals, s.uses) = (now, 1, 1));
        id
    }
    pub fn status(&self, id: EntryId) -> Option<EntryStatus> {
        self.shelf.entry(id).map(|e| e.standing.status)
    }
    pub fn live(&mut self, change: impl FnOnce(&mut Episode)) -> EpisodeId {
        let id = self.shelf.next_episode();
        let mut e = episode(id.0, self.now);
        change(&mut e);
        assert!(self.shelf.record(e));
        id
    }
    pub fn act(&mut self, regime: Regime, went: Went) -> EpisodeId {
        let (now, id) = (self.now, self.shelf.next_episode());
        self.live(|e| *e = Episode { regime, ..did(id.0, now, buy(), 1, 0, went) })
    }
    pub fn of(&self, kind: EntryKind) -> Vec<EntryBody> {
        self.shelf.in_use().filter(|e| e.body.kind == kind && !e.body.is_question).map(|e| e.body.clone()).collect()
    }
}
