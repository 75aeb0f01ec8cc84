//! What a golem smells in the field of its siblings: threats that more than one has marked, each when it is new or was confirmed again.

use crate::crossing::Crossing;
use crate::dial::DialFault;
use crate::wall::now_ms;
use golem_clade::kin::scent::smelt;
use golem_clade::kin::{KinArrival, KinLetter, KinLimits};
use golem_core::Hash;
use golem_life::Ask;
use styx_wire::{FieldScope, GolemFrame, PheromoneLayer, RelayFrame, SenseQuery};

const HOUR_MS: u64 = 3_600_000;

impl Crossing {
    /// Smell the field, and hand on what is news.
    pub(crate) async fn smell(&mut self) -> Result<(), DialFault> {
        let Some(signs) = self.passenger.signs.living().filter(|signs| !signs.dead) else { return Ok(()) };
        let query = SenseQuery { scope: FieldScope::Clade, layer: Some(PheromoneLayer::Threat), domain: None };
        let scents = match self.ask(&GolemFrame::Sense(query)).await? {
            RelayFrame::Field(scents) => scents,
            RelayFrame::Refuse(_) => return Ok(()),
            _ => return Err(DialFault::Confused),
        };
        let known = std::mem::take(&mut self.smelt);
        let (own, at) = (self.passenger.certificate.words.golem, self.passenger.clock().at(signs.at));
        for scent in scents {
            let news = known.get(&scent.key).is_none_or(|before| *before < scent.confirmations);
            self.smelt.insert(scent.key.clone(), scent.confirmations);
            let Some(word) = smelt(&scent).filter(|_| news) else { continue };
            let name = Hash::of(&golem_core::plain::bytes(&scent.key));
            let key = format!("scent/{name}/{}/{}", now_ms() / HOUR_MS, scent.confirmations);
            let field = word.field();
            let ask = Ask::Kin { from: own, at, letter: KinLetter { at, word }.text() };
            let Ok(body) = serde_json::to_string(&ask) else { continue };
            // Nobody signed it, and a relay may have made it up: everything that somebody said comes first.
            let arrival = KinArrival { key, source: own, urgent: false, confidence_bp: 0, field, body };
            self.state.queue.came(arrival, &KinLimits::default());
        }
        if self.state.queue.waiting() > 0 { self.land() } else { Ok(()) }
    }
}
