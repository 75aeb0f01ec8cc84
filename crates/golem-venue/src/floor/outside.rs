//! A world of the house as the outside of a market: what used to be the golem's market is now the price elsewhere.

use crate::market::{Outside, OutsideTick};
use golem_core::door::World;
use golem_core::{Elapsed, VirtualTime};

/// A world that a market looks out on.
pub struct WorldOutside<W>(pub W);

impl<W: World> Outside for WorldOutside<W> {
    fn at(&mut self, tick: u64) -> Option<OutsideTick> {
        let seen = self.0.observe(VirtualTime::default().after(Elapsed::nominal(tick)))?;
        Some(OutsideTick {
            // Nothing that the market would believe: it then goes by the last price it believed.
            price: seen.price.unwrap_or(f64::NAN),
            gas_gwei: seen.gas_gwei,
            volume: seen.volume,
            fee_yield: seen.fee_yield,
            protocol: seen.protocol,
            lead_price: seen.lead_price,
        })
    }
    fn save(&self) -> Vec<u8> {
        self.0.save()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.0.restore(saved)
    }
}
