//! What advises and never kills: information between action and market, drift within a regime, and the turn's own report.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_mortality::MortalityFact;
use golem_mortality::info::InfoSeen;
use golem_mortality::regime_eval::{RegimeTag, Trend};

impl Life {
    pub(crate) fn diagnose(&mut self) {
        self.remember_action();
        self.take_advice();
        self.report_predictions();
    }

    fn remember_action(&mut self) {
        let exposure = self.state.portfolio.exposure(self.balance());
        let change = exposure - self.state.core.exposure;
        self.state.core.exposure = exposure;
        let [size, width, _] = self.turn.action;
        self.state.core.action = Some([size, width, change]);
    }

    fn take_advice(&mut self) {
        let Some(diagnostics) = &mut self.state.info else { return };
        let (core, config) = (&self.state.core, &self.genesis.settings.diagnostics);
        let weather = self.state.mind.senses().weather();
        let tag = RegimeTag::new(weather.vol_quintile, Trend::of(f64::from(weather.trend), 0.5));
        let mut draws = self.diagnostics_dice.draws(core.tick.0);
        if diagnostics.drift.record(&self.turn.settled, tag, core.age) {
            let found = diagnostics.drift.look(tag, &config.regimes, &mut || draws.uniform());
            self.turn.mortality.extend(found.map(|f| MortalityFact::RegimeEvaluation(Box::new(f))));
        }
        let (nominal, config) = (core.age.age().nominal_floor(), &config.information);
        let info = &mut diagnostics.information;
        if !info.due(nominal, config) {
            return;
        }
        let composite = self.state.mortality.vitality.composite;
        let alerts = info.update(InfoSeen { nominal_tick: nominal, composite }, config, &mut || draws.uniform());
        self.turn.mortality.extend(alerts.into_iter().map(MortalityFact::from));
    }

    fn report_predictions(&mut self) {
        let settled = std::mem::take(&mut self.turn.settled);
        for s in &settled {
            let (domain, predicted, actual, hit) = (s.domain, s.predicted, s.actual, s.hit);
            self.tell(LifeFact::PredictionResolved { domain, predicted, actual, hit });
        }
        self.turn.settled = settled;
        let (tick, regime) = (self.state.core.tick, self.state.mind.regime());
        let prediction_error = self.state.mind.senses().probes().prediction_error;
        self.tell(LifeFact::Tick { tick, tier: self.turn.tier, prediction_error, regime });
    }
}
