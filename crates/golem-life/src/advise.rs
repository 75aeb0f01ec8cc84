//! Every domain says what it expects: the panel speaks, experts that know something of this moment are heard, and what the
//! policy acts on is the smaller risk of with and without those from elsewhere that nothing has proven here.

use crate::life::Life;
use golem_grimoire::experts::{Advised, SaidByPanel};
use golem_mind::forecast::{HeardForecast, PanelForecast};

impl Life {
    /// Forecasts that came due teach the experts that were awake.
    pub(crate) fn settle_experts(&mut self) {
        let learns = self.learning().rate() > 0.0;
        if let Some(grimoire) = &mut self.grimoire {
            grimoire.settle_forecasts(&self.turn.settled, learns);
        }
    }

    /// Make this turn's forecasts, with experts where there are any.
    pub(crate) fn forecast_with_experts(&mut self) {
        let now = self.state.core.age;
        if self.grimoire.is_none() {
            self.state.mind.forecast(now);
            return;
        }
        let (seen, on_hunches) = (self.observed(), leaning(self.channels().exploration));
        let Some(grimoire) = &mut self.grimoire else { return };
        grimoire.look(now, &seen);
        self.state.mind.forecast_heard(now, &mut |said| {
            let PanelForecast { domain, made, panel, scale, stored, .. } = *said;
            let Advised { scored, trusted } =
                grimoire.advise(&SaidByPanel { domain, made, panel, scale, stored, on_hunches });
            HeardForecast { scored, trusted }
        });
    }
}

/// How far it leans on what it has found and not proven: whoever explores tries it, whoever keeps to what is known does not.
fn leaning(exploration: f64) -> f64 {
    1.0 / exploration
}
