//! Awake, what was rehearsed asleep is recognised: while a threat seems to begin, less risk is taken, never more.

use crate::fact::Fact;
use crate::life::Life;
use golem_core::observed::Snapshot;
use golem_dreams::DreamFact;

impl Life {
    pub(crate) fn recognise_threats(&mut self, seen: &Snapshot) {
        let (now, turn) = (self.state.core.age, self.state.core.interval);
        let Some(dreaming) = &mut self.state.dreams else { return };
        let heard = dreaming.memory.recognise(seen, now, turn);
        self.turn.alarm = (heard.risk < 1.0).then_some(heard.risk);
        for (threat, risk) in heard.begin {
            let fact = DreamFact::Alarm { threat: threat.to_owned(), risk };
            self.emit(None, Fact::Dream(Box::new(fact)));
        }
    }
}
