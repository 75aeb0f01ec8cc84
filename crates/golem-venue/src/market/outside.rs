//! The world outside the pool: what the asset costs elsewhere, what gas costs, how much is traded.

use golem_core::ProtocolState;
use golem_core::unit::Positive;
use serde::{Deserialize, Serialize};

/// What the outside world says at one nominal tick. It is not trusted: what is not a sound number is not heard.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct OutsideTick {
    /// USDC per unit of the asset.
    pub price: f64,
    /// Gas price in gwei.
    pub gas_gwei: Option<f64>,
    /// USDC traded outside since volume was last told.
    pub volume: Option<f64>,
    /// Fees per unit of liquidity elsewhere, as a fraction per day. Carried for comparison: the pool earns its own.
    pub fee_yield: Option<f64>,
    pub protocol: Option<ProtocolState>,
    /// What another pair costs elsewhere. Nothing here trades it: it is told to whoever looks.
    pub lead_price: Option<f64>,
}

impl OutsideTick {
    /// Nothing but a price.
    #[must_use]
    pub fn priced(price: f64) -> Self {
        Self { price, ..Self::default() }
    }
}

/// A source of outside ticks. It must answer the same for the same tick, also after `restore`.
pub trait Outside: Send {
    /// What it says at a nominal tick, or `None` when it has ended. Ticks are asked for in ascending order.
    fn at(&mut self, tick: u64) -> Option<OutsideTick>;
    /// What [`Outside::restore`] needs to go on from here.
    fn save(&self) -> Vec<u8>;
    /// Go on from a saved state.
    ///
    /// # Errors
    /// Why the bytes do not fit this world.
    fn restore(&mut self, saved: &[u8]) -> Result<(), String>;
}

impl<O: Outside + ?Sized> Outside for Box<O> {
    fn at(&mut self, tick: u64) -> Option<OutsideTick> {
        (**self).at(tick)
    }
    fn save(&self) -> Vec<u8> {
        (**self).save()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        (**self).restore(saved)
    }
}

/// The last volume that was told, spread evenly over the ticks it covers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct VolumeRate {
    per_tick: Option<f64>,
    told_at: Option<u64>,
}

impl VolumeRate {
    /// Hear a volume; returns USDC per tick, where it is known.
    pub fn hear(&mut self, tick: u64, volume: Option<f64>) -> Option<f64> {
        if let Some(volume) = volume.filter(|v| (0.0..1e15).contains(v)) {
            // A file of hourly bars tells an hour's volume in one tick and nothing in the next 89.
            let covered = self.told_at.map_or(1, |told| tick.saturating_sub(told)).max(1);
            self.per_tick = Some(volume / covered as f64);
            self.told_at = Some(tick);
        }
        self.per_tick
    }
    pub fn is_sound(&self) -> bool {
        self.per_tick.is_none_or(|v| (0.0..1e15).contains(&v))
    }
}

/// A number, if it is a sound price.
pub(super) fn sound(x: f64) -> Option<f64> {
    Positive::new(x).map(Positive::get)
}
