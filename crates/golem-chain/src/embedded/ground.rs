//! The embedded chain as the ground of a trading floor: it keeps itself, what was seen at each step, and what golems did.
//!
//! Steps and effects are written together with the blocks they belong to, never before them.

use super::EmbeddedChain;
use golem_venue::VenueError;
use golem_venue::floor::{FloorGround, KeptStep, NotedEffect};

impl FloorGround for EmbeddedChain {
    fn keeps_itself(&self) -> bool {
        true
    }
    fn save(&self) -> Result<Vec<u8>, VenueError> {
        Err(VenueError::Bug("this chain keeps itself".into()))
    }
    fn restore(&mut self, _saved: &[u8]) -> Result<(), String> {
        Err("this chain keeps itself".into())
    }
    fn keep(&mut self, kept: &KeptStep, market: &[u8]) -> Result<(), VenueError> {
        let mut bytes = postcard::to_stdvec(kept).map_err(|e| VenueError::Bug(e.to_string()))?;
        bytes.extend_from_slice(market);
        self.effects.push((step_key(kept.tick), bytes));
        Ok(())
    }
    fn recall(&mut self, tick: u64) -> Result<Option<KeptStep>, VenueError> {
        Ok(self.step(tick)?.map(|(kept, _)| kept))
    }
    fn recall_market(&mut self, tick: u64) -> Result<Option<Vec<u8>>, VenueError> {
        // Steps of earlier files say nothing about the market.
        Ok(self.step(tick)?.map(|(_, market)| market).filter(|market| !market.is_empty()))
    }
    fn keep_aside(&mut self, key: &[u8], bytes: &[u8]) -> Result<(), VenueError> {
        self.effects.push((key.to_vec(), bytes.to_vec()));
        Ok(())
    }
    fn kept_aside(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, VenueError> {
        Ok(EmbeddedChain::effect(self, key)?)
    }
    fn commit(&mut self, floor: &[u8]) -> Result<(), VenueError> {
        self.set_market_state(floor.to_vec());
        Ok(EmbeddedChain::commit(self)?)
    }
    fn mark(&self) -> Option<String> {
        EmbeddedChain::mark(self).map(|mark| mark.to_string())
    }
    fn note_effect(&mut self, key: &str, effect: &NotedEffect) -> Result<(), VenueError> {
        if EmbeddedChain::effect(self, &effect_key(key))?.is_some() {
            return Err(VenueError::Bug(format!("effect {key} has happened before")));
        }
        // As JSON: receipts carry tagged enums, which a format without names cannot read back.
        let bytes = serde_json::to_vec(effect).map_err(|e| VenueError::Bug(e.to_string()))?;
        self.effects.push((effect_key(key), bytes));
        Ok(())
    }
    fn effect(&mut self, key: &str) -> Result<Option<NotedEffect>, VenueError> {
        let Some(bytes) = EmbeddedChain::effect(self, &effect_key(key))? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|e| VenueError::Store(format!("effect {key} is damaged: {e}")))
    }
    fn effects(&mut self, prefix: &str) -> Result<Vec<String>, VenueError> {
        let keys = self.effect_keys(&effect_key(prefix))?;
        Ok(keys.into_iter().filter_map(|key| String::from_utf8(key[1..].to_vec()).ok()).collect())
    }
}

impl EmbeddedChain {
    /// What was seen at a step, and what the market remembered after it.
    fn step(&self, tick: u64) -> Result<Option<(KeptStep, Vec<u8>)>, VenueError> {
        let Some(bytes) = EmbeddedChain::effect(self, &step_key(tick))? else { return Ok(None) };
        let damaged = |e: postcard::Error| VenueError::Store(format!("step {tick} is damaged: {e}"));
        let (kept, market) = postcard::take_from_bytes::<KeptStep>(&bytes).map_err(damaged)?;
        Ok(Some((kept, market.to_vec())))
    }
}

fn step_key(tick: u64) -> Vec<u8> {
    [b"s".as_slice(), &tick.to_be_bytes()].concat()
}

fn effect_key(key: &str) -> Vec<u8> {
    [b"e", key.as_bytes()].concat()
}
