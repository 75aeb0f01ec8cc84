//! The paper venue's past: a state every few hundred operations, and the operations in between, packed. A past point is
//! reached by doing again what was done since the state before it.

use super::state::{PaperHolder, PaperState};
use crate::gas;
use crate::venue::{Account, Header, MarketTrade, VenueError};
use golem_core::{Action, HomeSum, Homeward, Point, Usdc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Operations between two kept states: as many as can be done again within a millisecond.
const STRIDE: u32 = 512;

/// One thing that was done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum HistoryEntry {
    Block(Header),
    Trade(MarketTrade),
    Fund(Account, Usdc),
    Execute(Account, Action),
    SendHome(Account, Homeward, HomeSum),
}

#[derive(Debug, Clone)]
struct HistorySegment {
    start: PaperState,
    operations: u32,
    packed: Vec<u8>,
}

#[derive(Debug, Clone)]
pub(super) struct History {
    /// Closed ones are never written to again, so copies share them.
    closed: Vec<Arc<HistorySegment>>,
    open: HistorySegment,
}

impl History {
    pub fn new(state: &PaperState) -> Self {
        Self { closed: Vec::new(), open: HistorySegment { start: state.clone(), operations: 0, packed: Vec::new() } }
    }
    pub fn begins(&self) -> Point {
        self.closed.first().map_or(self.open.start.point, |s| s.start.point)
    }
    pub fn weight(&self) -> usize {
        let mut before = None;
        let all = self.closed.iter().map(AsRef::as_ref).chain([&self.open]);
        all.map(|s| s.weight(before.replace(s))).sum()
    }

    /// Write down what was just done, and where it led.
    pub fn record(&mut self, entry: &HistoryEntry, after: &PaperState) -> Result<(), VenueError> {
        let mut buffer = [0; 256];
        let packed = postcard::to_slice(entry, &mut buffer).map_err(|e| VenueError::Bug(e.to_string()))?;
        self.open.packed.extend_from_slice(packed);
        self.open.operations += u32::from(!matches!(entry, HistoryEntry::Block(_)));
        if self.open.operations >= STRIDE || self.open.packed.len() >= STRIDE as usize * 64 {
            let next = HistorySegment {
                start: after.clone(),
                operations: 0,
                packed: Vec::with_capacity(self.open.packed.len()),
            };
            let mut full = std::mem::replace(&mut self.open, next);
            full.packed.shrink_to_fit();
            self.closed.push(Arc::new(full));
        }
        Ok(())
    }

    /// The state at a point, if that point was ever passed.
    pub fn at(&self, point: Point) -> Option<PaperState> {
        let after = self.closed.partition_point(|s| s.start.point <= point);
        let open_too = self.open.start.point <= point;
        let segment = if open_too { &self.open } else { self.closed.get(after.checked_sub(1)?)?.as_ref() };
        segment.again(point)
    }
}

impl HistorySegment {
    /// Bytes that it does not share with the one before it.
    fn weight(&self, before: Option<&Self>) -> usize {
        let same = before.is_some_and(|b| Arc::ptr_eq(&b.start.accounts, &self.start.accounts));
        let accounts = if same { 0 } else { self.start.accounts.len() * size_of::<(Account, PaperHolder)>() };
        let pool = self.start.pool.weight(before.map(|b| &b.start.pool));
        let stood = self.start.observations.weight(before.map(|b| &b.start.observations));
        size_of::<Self>() + pool + stood + accounts + self.packed.capacity()
    }
    fn again(&self, point: Point) -> Option<PaperState> {
        let mut state = self.start.clone();
        let mut rest = self.packed.as_slice();
        while state.point != point {
            let (entry, left) = postcard::take_from_bytes::<HistoryEntry>(rest).ok()?;
            rest = left;
            let from = state.point;
            if let HistoryEntry::Execute(_, action) = &entry {
                // Between an approval and what it is for, nothing has changed hands yet.
                let sent = Point { index: from.index.saturating_add(gas::approvals(action)), ..from };
                if from < point && point <= sent {
                    state.point = point;
                    break;
                }
            }
            match entry {
                HistoryEntry::Block(header) if point.block > from.block => state.begin_block(header),
                HistoryEntry::Block(_) => return None,
                HistoryEntry::Trade(trade) => drop(state.trade(&trade).ok()?),
                HistoryEntry::Fund(who, deposits) => state.fund_to(who, deposits),
                HistoryEntry::Execute(who, action) => drop(state.execute(who, &action)),
                HistoryEntry::SendHome(who, way, sum) => drop(state.send_home(who, way, sum)),
            }
            if state.point > point {
                state.point = point;
            }
        }
        Some(state)
    }
}
