//! What the events that are on make of one tick: a pure function of the events and the tick, so that it is the same however
//! the ticks are asked for.

use golem_core::happening::{Happening, ScenarioEvent};
use golem_core::{ProtocolState, Usdc};

/// Millionths in a whole.
pub const WHOLE_PPM: u64 = 1_000_000;

/// The conditions of one tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// What is added to the logarithm of the outside price.
    pub log_price: f64,
    /// Scale of the outside price's own returns.
    pub volatility: f64,
    pub gas: f64,
    /// How much of the market's liquidity is withdrawn, in millionths.
    pub drained_ppm: u64,
    /// How far somebody pushes the pool in this block.
    pub push_bps: Option<i32>,
    /// Front-runs: how many times the golem's size, and every how many executions.
    pub sandwich: Option<(f64, u32)>,
    /// Trades between preview and execution: how many, and their median size.
    pub rivals: Option<(u32, Usdc)>,
    /// State of the protocol, where an event says.
    pub protocol: Option<ProtocolState>,
}

impl Default for Conditions {
    fn default() -> Self {
        Self {
            log_price: 0.0,
            volatility: 1.0,
            gas: 1.0,
            drained_ppm: 0,
            push_bps: None,
            sandwich: None,
            rivals: None,
            protocol: None,
        }
    }
}

impl Conditions {
    /// What these events make of this tick. Where two say different things of one, the later in the list is heard.
    #[must_use]
    pub fn at(events: &[ScenarioEvent], tick: u64) -> Self {
        Self::over(events, tick, tick)
    }

    /// The same for a block that stands for all ticks since another: a push that was due in between happens in it.
    #[must_use]
    pub fn over(events: &[ScenarioEvent], since: u64, tick: u64) -> Self {
        let mut now = Self::default();
        for event in events {
            now.log_price += event.log_price(tick);
            if event.is_on(tick) {
                now.hear(event, since, tick);
            }
        }
        now
    }

    fn hear(&mut self, event: &ScenarioEvent, since: u64, tick: u64) {
        match event.what {
            Happening::Volatility { factor } => self.volatility *= factor,
            Happening::Gas { factor } => self.gas *= factor,
            Happening::LiquidityDrain { share_bps } => {
                let left = WHOLE_PPM.saturating_sub(self.drained_ppm);
                self.drained_ppm += left * u64::from(share_bps.min(10_000)) / 10_000;
            }
            Happening::OracleDistortion { push_bps, every_ticks } => {
                let last_due = tick - (tick - event.at_tick) % every_ticks.max(1);
                if last_due >= since.min(tick) {
                    self.push_bps = Some(push_bps);
                }
            }
            Happening::Sandwich { times, every } => self.sandwich = Some((times, every)),
            Happening::Rivals { trades, size_usdc } => self.rivals = Some((trades, size_usdc)),
            Happening::Protocol { state } => self.protocol = Some(state),
            Happening::Shock { .. } | Happening::Drift { .. } | Happening::Chop { .. } | Happening::Depeg { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at_tick: u64, for_ticks: u64, what: Happening) -> ScenarioEvent {
        ScenarioEvent { at_tick, for_ticks, what }
    }

    /// What the price is multiplied by at a tick.
    fn times(e: ScenarioEvent, tick: u64) -> f64 {
        libm::exp(Conditions::at(&[e], tick).log_price)
    }

    #[test]
    fn prices_move_as_told_and_stay_or_come_back() {
        let shock = |reverts| event(10, 20, Happening::Shock { bps: -2_000, over_ticks: 4, reverts });
        let depeg = |recovers| event(10, 20, Happening::Depeg { worth: 0.8, over_ticks: 10, recovers });
        let drift = event(10, 2_160, Happening::Drift { bps_per_day: 500 });
        let chop = event(10, 80, Happening::Chop { amplitude_bps: 300, period_ticks: 40 });
        for (name, e, tick, expected) in [
            ("before", shock(false), 9, 1.0),
            ("half way", shock(false), 11, libm::sqrt(0.8)),
            ("there", shock(false), 13, 0.8),
            ("stays", shock(false), 5_000, 0.8),
            ("holds", shock(true), 29, 0.8),
            ("on its way back", shock(true), 31, libm::sqrt(0.8)),
            ("back", shock(true), 33, 1.0),
            ("depeg", depeg(false), 19, 1.25),
            ("depeg stays", depeg(false), 9_999, 1.25),
            ("depeg recovers", depeg(true), 39, 1.0),
            ("a day of drift", drift, 10 + 2_159, 1.05),
            ("drift stays", drift, 50_000, 1.05),
            ("chop up", chop, 10 + 9, libm::exp(0.03)),
            ("chop down", chop, 10 + 29, libm::exp(-0.03)),
            ("chop over", chop, 90, 1.0),
        ] {
            assert!((times(e, tick) / expected - 1.0).abs() < 1e-12, "{name}: {} is not {expected}", times(e, tick));
        }
        assert_eq!((shock(true).settled(), shock(false).settled(), chop.settled()), (34, 30, 90));
    }

    #[test]
    fn events_add_up() {
        let drain = |share_bps| event(0, 5, Happening::LiquidityDrain { share_bps });
        let gas = |factor| event(0, 5, Happening::Gas { factor });
        let push = event(3, 10, Happening::OracleDistortion { push_bps: 300, every_ticks: 4 });
        let all = [drain(5_000), drain(2_000), gas(3.0), gas(4.0), push];
        let at = |tick| Conditions::at(&all, tick);
        assert_eq!(at(2).drained_ppm, 600_000);
        assert!((at(4).gas - 12.0).abs() < 1e-12);
        assert_eq!(at(5).drained_ppm, 0);
        let pushed: Vec<u64> = (0..20).filter(|t| at(*t).push_bps.is_some()).collect();
        assert_eq!(pushed, [3, 7, 11]);
        // Blocks five ticks apart: each push falls into the block that covers it, as long as the event lasts.
        let blocks: Vec<u64> = (0..4).map(|n| n * 5).collect();
        let pushed: Vec<u64> = blocks
            .iter()
            .copied()
            .filter(|t| Conditions::over(&all, t.saturating_sub(4), *t).push_bps.is_some())
            .collect();
        assert_eq!(pushed, [5, 10]);
    }
}
