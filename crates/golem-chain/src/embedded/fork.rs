//! Forks: the chain as it was before any transaction, or as it is, with a future of its own.

use super::archive::Past;
use super::state::{Base, ChainState};
use super::trail::{Block, Trail};
use super::{ChainError, EmbeddedChain};
use golem_core::Point;
use std::sync::Arc;

impl EmbeddedChain {
    /// A copy of the chain as it was at a point, inside that block. What happens on it touches nothing else, and is gone
    /// when it is dropped.
    ///
    /// # Errors
    /// [`ChainError::NoSuchPoint`].
    pub fn fork(&mut self, point: Point) -> Result<Self, ChainError> {
        let (open, seq) = self.place_of(point)?;
        let state = self.state_before(seq)?;
        let mut elders: Vec<_> =
            self.elders.iter().map(|(trail, until)| (Arc::clone(trail), (*until).min(seq))).collect();
        elders.push((Arc::clone(&self.trail), seq));
        elders.retain(|(trail, until)| trail.first < *until || !trail.blocks.is_empty());
        Ok(Self {
            chain_id: self.chain_id,
            site: Arc::clone(&self.site),
            names: self.names,
            write_every: self.write_every,
            state,
            open,
            seq,
            trail: Arc::new(Trail::at(seq)),
            elders,
            shelf: self.shelf.clone(),
            shelved: self.shelved.min(seq),
            ticks: Arc::clone(&self.ticks),
            new_ticks: false,
            archive: None,
            effects: Vec::new(),
            market_state: self.market_state.clone(),
        })
    }

    /// The state before a transaction: by taking back what was done since, or from the archive.
    fn state_before(&mut self, seq: u64) -> Result<ChainState, ChainError> {
        if seq < self.shelved {
            let past = Past::new(self.shelf.clone(), seq);
            return Ok(ChainState::on(Base::Past(past), self.names));
        }
        let mut state = self.state.fork();
        state.undo(self.trail.newest_first(seq, u64::MAX))?;
        for (trail, until) in self.elders.iter().rev() {
            state.undo(trail.newest_first(seq, *until))?;
        }
        Ok(state)
    }

    /// The block of a point, and its place among all transactions.
    pub(super) fn place_of(&self, point: Point) -> Result<(Block, u64), ChainError> {
        let missing = ChainError::NoSuchPoint(point);
        let Some(block) = self.block_at(point.block)? else { return Err(missing) };
        let next = match self.block_at(point.block.saturating_add(1))? {
            Some(next) => next.first,
            None => self.seq,
        };
        let seq = block.first.saturating_add(u64::from(point.index));
        if seq > next { Err(missing) } else { Ok((block, seq)) }
    }

    /// A block of this chain's history, or the open one.
    pub(super) fn block_at(&self, number: u64) -> Result<Option<Block>, ChainError> {
        if number >= self.open.number {
            return Ok((number == self.open.number).then_some(self.open));
        }
        let stretches = self.elders.iter().map(|(trail, _)| trail).chain([&self.trail]);
        if let Some(block) = stretches.rev().find_map(|trail| trail.block(number)) {
            return Ok(Some(*block));
        }
        self.shelf.block(number).map(Some)
    }
}
