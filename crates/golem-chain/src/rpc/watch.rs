//! Watching what has settled: blocks can be taken back, and what was in them is pending again or somewhere else.

use super::follow::Fate;
use super::head::{Head, ask_block, block};
use super::pen::Pen;
use super::sender::Sender;
use super::step::{ChainStep, StepEnd};
use alloy_primitives::B256;
use golem_core::door::EffectKey;
use golem_venue::VenueError;
use std::collections::{BTreeMap, BTreeSet};

/// What a look at the chain brought to light.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainEvent {
    /// A step that was open has ended.
    Settled {
        /// The intent's key.
        key: EffectKey,
        /// Which of its steps.
        step: u32,
        /// How.
        end: StepEnd,
    },
    /// Blocks were taken back.
    Rewound {
        /// The newest block that is still what it was.
        common: u64,
        /// The newest block that was believed before.
        was: u64,
    },
    /// A step that had ended is open again, or has ended otherwise.
    Reorged {
        /// The intent's key.
        key: EffectKey,
        /// Which of its steps.
        step: u32,
        /// How it had ended.
        was: StepEnd,
        /// How it ends now; `None` while it is pending again.
        now: Option<StepEnd>,
    },
}

/// How many ended steps are looked through; more than can lie within the watched blocks of one account in practice.
const LOOKED_THROUGH: u32 = 256;

impl Sender {
    /// Look at the chain once: what was open and has ended, what had ended and is open again.
    ///
    /// # Errors
    /// When the chain cannot be used now, or the record cannot be written.
    pub fn poll(&mut self, pen: &mut dyn Pen) -> Result<Vec<ChainEvent>, VenueError> {
        let head = self.node.look_again()?;
        let mut events = Vec::new();
        // What was watched when the chain was last looked at is looked at once more, however long ago that was.
        let watched = self.watched()?;
        let mut hashes = self.see(&head, &mut events)?;
        let blocks: BTreeSet<u64> = watched.iter().filter_map(block_of).collect();
        let missing: Vec<u64> = blocks.into_iter().filter(|n| *n <= head.number && !hashes.contains_key(n)).collect();
        for some in missing.chunks(16) {
            hashes.extend(self.hashes(some)?);
        }
        for step in watched {
            if let Some(event) = self.check(&step, &head, &hashes)? {
                events.push(event);
            }
        }
        for step in self.record.pending()? {
            if let Some(end) = self.advance(&step, pen)? {
                events.push(ChainEvent::Settled { key: step.key, step: step.step, end });
            }
        }
        Ok(events)
    }

    /// The keys of everything that may still change: open, or ended too few blocks before the newest that was believed.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn watched_keys(&self) -> Result<BTreeSet<EffectKey>, VenueError> {
        let open = self.record.pending()?;
        Ok(self.watched()?.into_iter().chain(open).map(|step| step.key).collect())
    }

    /// Steps that ended and are still watched, by the blocks that were believed when the chain was last looked at.
    fn watched(&self) -> Result<Vec<ChainStep>, VenueError> {
        let believed = self.record.blocks()?.first().map_or(0, |(n, _)| *n);
        let mut ended = self.record.ended(LOOKED_THROUGH)?;
        ended.retain(|step| block_of(step).is_none_or(|n| n.saturating_add(self.config.watch_blocks) > believed));
        Ok(ended)
    }

    /// Hold the chain against the blocks that were believed, and remember the new ones.
    fn see(&mut self, head: &Head, events: &mut Vec<ChainEvent>) -> Result<BTreeMap<u64, B256>, VenueError> {
        let known = self.record.blocks()?;
        let lowest = head.number.saturating_sub(self.config.watch_blocks);
        let was = known.first().map(|(n, _)| *n);
        let mut now: BTreeMap<u64, B256> = BTreeMap::from([(head.number, head.hash)]);
        let mut common = lowest;
        // From the newest down, some at a time: most often the first one already fits.
        for some in known.iter().filter(|(n, _)| (lowest..=head.number).contains(n)).collect::<Vec<_>>().chunks(16) {
            let missing: Vec<u64> = some.iter().map(|(n, _)| *n).filter(|n| !now.contains_key(n)).collect();
            now.extend(self.hashes(&missing)?);
            if let Some((n, _)) = some.iter().find(|(n, hash)| now.get(n) == Some(hash)) {
                common = *n;
                break;
            }
        }
        if let Some(was) = was.filter(|was| *was > common && *was >= lowest) {
            events.push(ChainEvent::Rewound { common, was });
        }
        let missing: Vec<u64> = (common..head.number).filter(|n| !now.contains_key(n)).collect();
        for some in missing.chunks(16) {
            now.extend(self.hashes(some)?);
        }
        let new: Vec<(u64, B256)> = now.iter().filter(|(n, _)| **n >= common).map(|(n, h)| (*n, *h)).collect();
        self.record.see_blocks(common, &new, self.config.watch_blocks + 1)?;
        Ok(self.record.blocks()?.into_iter().collect())
    }

    fn hashes(&self, numbers: &[u64]) -> Result<Vec<(u64, B256)>, VenueError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let asks: Vec<_> = numbers.iter().map(|n| ask_block(*n)).collect();
        let said = self.node.agreed(&asks, &|_, answer| block(answer).map(|b| (b.number, b.hash)))?;
        Ok(said)
    }

    /// Is a step that had ended still where it was?
    fn check(
        &mut self,
        step: &ChainStep,
        head: &Head,
        hashes: &BTreeMap<u64, B256>,
    ) -> Result<Option<ChainEvent>, VenueError> {
        let Some(was) = step.end.clone() else { return Ok(None) };
        let still = match &was {
            StepEnd::Landed(l) | StepEnd::Cancelled(l) => hashes.get(&l.block) == Some(&l.block_hash),
            // Whoever used the nonce is not known, so neither is the block: only an unused nonce tells.
            StepEnd::Displaced => false,
        };
        if still {
            return Ok(None);
        }
        let tries = self.record.tries(step.key, step.step)?;
        let now = match self.fate(step, &tries, head)? {
            Fate::Ended(end) => Some(end),
            Fate::Shallow | Fate::Open => None,
        };
        if now.as_ref() == Some(&was) {
            return Ok(None);
        }
        match &now {
            Some(end) => self.record.end(step, end)?,
            None => {
                self.record.reopen(step, self.node.now_ms())?;
                // The nodes may have dropped it with its block. It is told again, byte for byte.
                self.told.retain(|hash, _| tries.iter().all(|t| t.hash != *hash));
            }
        }
        Ok(Some(ChainEvent::Reorged { key: step.key, step: step.step, was, now }))
    }
}

/// The block that a step ended in, where that is known.
fn block_of(step: &ChainStep) -> Option<u64> {
    match &step.end {
        Some(StepEnd::Landed(l) | StepEnd::Cancelled(l)) => Some(l.block),
        Some(StepEnd::Displaced) | None => None,
    }
}
