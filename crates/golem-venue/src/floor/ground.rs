//! What a chain of our own does for the floor on it, besides being a venue.

use crate::paper::PaperVenue;
use crate::venue::{Venue, VenueError};
use golem_core::{Hash, Point, ProtocolState, RawObservation, Receipt, ReferencePrice};
use serde::{Deserialize, Serialize};

/// What there was to see at one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptStep {
    pub tick: u64,
    /// Where in the chain's history the market's part of the step ended.
    pub point: Point,
    pub price: Option<f64>,
    pub gas_gwei: Option<f64>,
    pub fee_yield: Option<f64>,
    /// USDC traded since the floor was opened: whoever looks takes the difference to the last look.
    pub traded: f64,
    pub protocol: Option<ProtocolState>,
    /// See [`RawObservation`].
    pub reference: Option<ReferencePrice>,
    pub lead_price: Option<f64>,
}

impl KeptStep {
    /// Keep an observation, after so much volume before it.
    #[must_use]
    pub fn new(tick: u64, point: Point, seen: &RawObservation, traded: f64) -> Self {
        let RawObservation { price, gas_gwei, fee_yield, volume, protocol, reference, lead_price, .. } = *seen;
        let traded = traded + volume.unwrap_or(0.0);
        Self { tick, point, price, gas_gwei, fee_yield, traded, protocol, reference, lead_price }
    }
    /// What a golem sees that last looked after so much volume.
    #[must_use]
    pub fn seen(&self, traded: f64) -> RawObservation {
        let Self { price, gas_gwei, fee_yield, protocol, reference, lead_price, .. } = *self;
        let volume = Some((self.traded - traded).max(0.0));
        RawObservation {
            price,
            gas_gwei,
            fee_yield,
            volume,
            protocol,
            reference,
            lead_price,
            ..RawObservation::default()
        }
    }
}

/// What a chain notes of an effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotedEffect {
    /// What it came to.
    pub receipt: Receipt,
    /// The head of the golem's own chain of turns before the turn in which it acted.
    pub head: Hash,
}

/// A chain that a floor can stand on.
pub trait FloorGround: Venue {
    /// True when it keeps itself in a file of its own: then acting on it is an effect outside of the golem.
    fn keeps_itself(&self) -> bool;
    /// The present state as bytes, for a chain that is kept with the golem on it.
    ///
    /// # Errors
    /// When it keeps itself.
    fn save(&self) -> Result<Vec<u8>, VenueError>;
    /// Bytes of its history that are in memory.
    fn history_bytes(&self) -> usize {
        0
    }
    /// Go on from saved bytes.
    ///
    /// # Errors
    /// Why the bytes do not fit.
    fn restore(&mut self, saved: &[u8]) -> Result<(), String>;
    /// Keep what was seen at a step, for golems that look later, and what the market remembered after it.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn keep(&mut self, kept: &KeptStep, market: &[u8]) -> Result<(), VenueError>;
    /// What was seen at a step.
    ///
    /// # Errors
    /// When it cannot be read.
    fn recall(&mut self, tick: u64) -> Result<Option<KeptStep>, VenueError>;
    /// What the market remembered after a step, where that was kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn recall_market(&mut self, tick: u64) -> Result<Option<Vec<u8>>, VenueError> {
        let _ = tick;
        Ok(None)
    }
    /// Keep something of the floor's under a key that has not been used, written with the next commit. The first byte of a
    /// key is neither that of a step nor of an effect.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn keep_aside(&mut self, key: &[u8], bytes: &[u8]) -> Result<(), VenueError> {
        let _ = (key, bytes);
        Ok(())
    }
    /// What was kept under a key.
    ///
    /// # Errors
    /// When it cannot be read.
    fn kept_aside(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, VenueError> {
        let _ = key;
        Ok(None)
    }
    /// Write everything down, with the floor's own state.
    ///
    /// # Errors
    /// When it cannot be written: nothing is then.
    fn commit(&mut self, floor: &[u8]) -> Result<(), VenueError>;
    /// Where its file stands, as text; nothing when it has none.
    fn mark(&self) -> Option<String> {
        None
    }
    /// Note that an effect has happened; written down with the next commit, or not at all, like the effect itself.
    ///
    /// # Errors
    /// When it cannot be noted.
    fn note_effect(&mut self, key: &str, effect: &NotedEffect) -> Result<(), VenueError>;
    /// An effect that has happened.
    ///
    /// # Errors
    /// When it cannot be read.
    fn effect(&mut self, key: &str) -> Result<Option<NotedEffect>, VenueError>;
    /// The keys of all effects that begin with this.
    ///
    /// # Errors
    /// When they cannot be read.
    fn effects(&mut self, prefix: &str) -> Result<Vec<String>, VenueError>;
}

impl FloorGround for PaperVenue {
    fn keeps_itself(&self) -> bool {
        false
    }
    fn save(&self) -> Result<Vec<u8>, VenueError> {
        PaperVenue::save(self)
    }
    fn history_bytes(&self) -> usize {
        PaperVenue::history_bytes(self)
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let remembers = self.remembers();
        let venue = PaperVenue::restore(saved).map_err(|e| e.to_string())?;
        *self = if remembers { venue } else { venue.without_history() };
        Ok(())
    }
    fn keep(&mut self, _: &KeptStep, _: &[u8]) -> Result<(), VenueError> {
        Ok(())
    }
    fn recall(&mut self, _: u64) -> Result<Option<KeptStep>, VenueError> {
        Ok(None)
    }
    fn commit(&mut self, _: &[u8]) -> Result<(), VenueError> {
        Ok(())
    }
    fn note_effect(&mut self, _: &str, _: &NotedEffect) -> Result<(), VenueError> {
        Ok(())
    }
    fn effect(&mut self, _: &str) -> Result<Option<NotedEffect>, VenueError> {
        Ok(None)
    }
    fn effects(&mut self, _: &str) -> Result<Vec<String>, VenueError> {
        Ok(Vec::new())
    }
}
