//! The observed fields of a turn, filled from the life: what expressions (goals, criteria, conditions) can speak about.

use crate::life::Life;
use golem_core::observed::{Field, Snapshot, Value};

/// Nominal ticks over which a change of the fee yield is seen.
const FEE_YIELD_MOVE_TICKS: u64 = 30;

impl Life {
    /// The hour of the day, UTC, with its fraction.
    fn hour_of_day(&self) -> f64 {
        let day_ms = 86_400_000;
        let born_ms = self.genesis.birth.born_at.0.rem_euclid(86_400) * 1_000;
        let into_day = (born_ms.unsigned_abs() + self.state.core.age.0 % day_ms) % day_ms;
        into_day as f64 * 24.0 / day_ms as f64
    }

    /// Fee yield over what it was half an hour of nominal ticks before, as far as memory reaches.
    fn fee_yield_move(&self) -> Option<f64> {
        let field = Field::MarketFeeYield;
        let now = self.state.mind.senses().seen().fee_yield?.get();
        let before = self.state.core.age.age().nominal_floor().checked_sub(FEE_YIELD_MOVE_TICKS)?;
        let then = self.grimoire.as_ref()?.series().value(before, field)?.as_f64()?;
        (then > 0.0).then(|| now / then)
    }

    /// Everything that can be observed after the last turn. Fields of rooms that do not exist yet stay absent.
    #[must_use]
    pub fn observed(&self) -> Snapshot {
        let (state, mut all) = (&self.state, Snapshot::default());
        all.see(state.mind.senses().seen());
        let (vitality, aware, senses) = (&state.mortality.vitality, self.awareness(), state.mind.senses());
        // The kinds agree: the lab's tests hold every value of whole lives against its field.
        let mut put = |field: Field, value: Option<Value>| all.put(field, value);
        let number = |x: f64| Value::number(x);
        put(Field::MarketRegime, Some(state.mind.regime().into()));
        put(Field::MarketVolatility, senses.vol().and_then(|v| number(libm::exp(v.last))));
        put(Field::MarketReturn15, senses.return_15().and_then(number));
        put(Field::MarketReturn90, senses.return_90().and_then(number));
        put(Field::MarketShock, senses.shock().and_then(number));
        put(Field::MarketLeadReturn, senses.lead_return().and_then(number));
        put(Field::MarketHour, number(self.hour_of_day()));
        let usual = senses.usual_vol().map(|u| u.mean);
        let heat = senses.vol().zip(usual).map(|(v, usual)| libm::exp(v.last - usual));
        put(Field::MarketVolatilityRatio, heat.and_then(number));
        put(Field::MarketGasRatio, senses.gas_ratio().and_then(number));
        put(Field::MarketFeeYieldRatio, senses.fee_yield_ratio().and_then(number));
        put(Field::MarketVolumeRatio, senses.volume_ratio().and_then(number));
        let outlook = state.mind.outlook();
        put(Field::ForecastReturn, outlook.mean_return.and_then(number));
        let expected = outlook.log_vol.zip(usual).map(|(v, usual)| libm::exp(v - usual));
        put(Field::ForecastVolatilityRatio, expected.and_then(number));
        let spiked = self.grimoire.as_ref().and_then(|g| g.experts().since_gas_spike(state.core.age));
        put(Field::MarketGasSpikeTicks, spiked.and_then(number));
        put(Field::MarketFeeYieldMove, self.fee_yield_move().and_then(number));
        for domain in golem_grimoire::experts::DOMAINS {
            let error = self.grimoire.as_ref().and_then(|g| g.experts().error(domain, state.core.age));
            if let Some(field) = golem_grimoire::experts::error_field(domain) {
                put(field, error.and_then(number));
            }
        }
        let (nav, position) = (self.balance(), &state.portfolio);
        let share = if nav.0 == 0 { 0.0 } else { position.worth.position.0 as f64 / nav.0 as f64 };
        put(Field::PositionShare, number(share.clamp(0.0, 1.0)));
        put(Field::PositionInRange, (position.liquidity > 0).then(|| position.in_range.into()));
        put(Field::VitalityEconomic, number(vitality.economic));
        put(Field::VitalityEpistemic, number(vitality.epistemic));
        put(Field::VitalityAgeFactor, number(vitality.age_factor));
        put(Field::VitalityComposite, number(vitality.composite));
        put(Field::VitalityPhase, Some(vitality.phase.name().into()));
        put(Field::GolemTick, Some(state.core.tick.into()));
        put(Field::GolemAgeDays, number(state.core.age.age().as_days()));
        put(Field::GolemBalanceUsdc, Some(self.balance().into()));
        put(Field::GolemProjectedLifeH, aware.projected_life_h.and_then(number));
        put(Field::GolemExposure, number(state.core.exposure));
        put(Field::GolemHazard, number(state.mortality.stochastic.current_hazard));
        put(Field::GolemDrawdown, number(f64::from(state.cage.drawdown_bps()) / 1e4));
        put(Field::GolemSurprise, number(senses.probes().prediction_error));
        put(Field::GolemSenescent, Some(state.mortality.epistemic.senescence.is_senescent().into()));
        state.mind.goals().record().fill(&mut all);
        all
    }
}
