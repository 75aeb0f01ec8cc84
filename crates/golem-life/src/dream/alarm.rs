//! Awake, what was rehearsed asleep is recognised: while a threat seems to begin, less risk is taken, never more.

use crate::fact::Fact;
use crate::life::Life;
use golem_core::observed::Snapshot;
use golem_dreams::DreamFact;

impl Life {
    pub(crate) fn recognise_threats(&mut self, seen: &Snapshot) {
        let (now, turn) = (self.state.core.age, self.state.core.interval);
        let worth = self.state.portfolio.worth;
        // Out, and in again. Who has nothing out there only stays where it is.
        let gas_bps = match worth.exposure.0 {
            0 => 0.0,
            exposed => 2.0 * worth.gas.0 as f64 / exposed as f64 * 1e4,
        };
        let Some(dreaming) = &mut self.state.dreams else { return };
        let heard = dreaming.memory.recognise(seen, (now, turn), gas_bps);
        self.turn.alarm = (heard.risk < 1.0).then_some(heard.risk);
        for (threat, risk) in heard.begin {
            let fact = DreamFact::Alarm { threat: threat.to_owned(), risk };
            self.emit(None, Fact::Dream(Box::new(fact)));
        }
    }
}
