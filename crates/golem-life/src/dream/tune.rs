//! What dreams say of the strategy's own parameters: which can be tried on a copy, and how one is moved once what was lived
//! since has borne a dream out. A width goes the whole way to the value that was tried. A share goes by a tenth: what it
//! gained is mostly what the price did, which does not last.

use crate::fact::Fact;
use crate::life::Life;
use golem_dreams::DreamFact;
use golem_dreams::cycle::Tunable;
use golem_dreams::imagine::hypothesis::is_width;
use golem_dreams::imagine::tuning::TunedBy;
use golem_dreams::journal::TunedAdvice;
use golem_grimoire::staging::ContextChange;
use golem_mind::policy::{Stride, tune};
use golem_mind::{PolicyConfig, Template};
use std::sync::Arc;

/// Values that are held against the one in use, as multiples of the usual.
const GRID: [f64; 6] = [0.5, 0.7, 0.85, 1.0, 1.3, 1.8];
/// Hours in a day: a forecast of volatility is for an hour.
const HOURS: f64 = 24.0;

impl Life {
    /// The strategy as it is by now.
    pub(crate) fn policy(&self) -> Arc<PolicyConfig> {
        Arc::clone(&self.policy)
    }

    /// Parameters that a copy of the chain can tell something about.
    pub(crate) fn tunables(&self) -> Vec<Tunable> {
        let (policy, owners) = (&*self.policy, &self.genesis.settings.policy);
        let outlook = self.state.mind.outlook();
        let deviation = outlook.usual_log_vol.or(outlook.log_vol).map(|v| libm::exp(v) * libm::sqrt(HOURS) * 1e4);
        let whole = |share: f64| libm::round(share.clamp(0.0, 1.0) * 1e4) as u32;
        let range = |max_liquidity: f64| {
            deviation.map(|bps_per_unit| TunedBy::Range { bps_per_unit, share_bps: whole(max_liquidity) })
        };
        let parameters: &[(&str, Option<TunedBy>)] = &match policy.template {
            Template::LpManagement => vec![
                ("lp_management.range_sigmas", range(policy.lp_management.max_liquidity)),
                ("lp_management.base_exposure", Some(TunedBy::Share { band_bps: whole(policy.lp_management.band) })),
            ],
            Template::StableYield => vec![("stable_yield.range_sigmas", range(policy.stable_yield.max_liquidity))],
            Template::TrendFollowing => vec![(
                "trend_following.max_exposure",
                Some(TunedBy::Share { band_bps: whole(policy.trend_following.band) }),
            )],
            Template::EthDca => Vec::new(),
        };
        let one = |(key, by): &(&str, Option<TunedBy>)| {
            let parameter = policy.template.parameters().iter().find(|p| p.key == *key)?;
            // The grid stands where the owner began, so that what was learnt about it stays true while the value moves.
            let usual = parameter.get(owners);
            let values = GRID.iter().map(|times| usual * times).filter(|v| parameter.admits(*v)).collect();
            Some(Tunable { parameter: (*key).to_owned(), current: parameter.get(policy), values, by: (*by)? })
        };
        parameters.iter().filter_map(one).collect()
    }

    /// More room for a source in what a model is shown, once life has borne out what it had no room for.
    pub(crate) fn make_room(&mut self, changes: &[ContextChange]) {
        for change in changes {
            let owners = &self.genesis.settings.mind.context;
            if self.state.context.make_room(change.source(), change.more_bps(), owners) {
                let (revision, because) = (self.state.context.revision, change.in_words());
                self.emit(None, Fact::Dream(Box::new(DreamFact::Context { revision, because })));
            }
        }
    }

    /// A dream's advice is followed once what was lived after it was first clear has borne it out.
    pub(crate) fn follow_advice(&mut self, cycle_id: &str, advice: &[TunedAdvice]) {
        let mut policy = (*self.policy).clone();
        let Some(dreaming) = &mut self.state.dreams else { return };
        let mut told = Vec::new();
        for one in advice.iter().filter(|a| a.is_clear && a.borne_out) {
            let before = policy.clone();
            let (goal, stride) = goal(one, &self.genesis.settings.policy);
            if let Ok(value) = tune(&mut policy, &one.parameter, goal, stride)
                && policy != before
            {
                let (cycle_id, parameter, because) = (cycle_id.to_owned(), one.parameter.clone(), one.words());
                told.push(DreamFact::Tuned { cycle_id, parameter, value, because });
            }
        }
        if !told.is_empty() {
            dreaming.tuned = Some(policy.clone());
            self.policy = Arc::new(policy);
        }
        for fact in told {
            self.emit(None, Fact::Dream(Box::new(fact)));
        }
    }
}

/// How far advice is followed. A dream never raises a share above what its owner chose.
fn goal(advice: &TunedAdvice, owners: &PolicyConfig) -> (f64, Stride) {
    if is_width(&advice.parameter) {
        return (advice.best, Stride::Whole);
    }
    let most = owners.get(&advice.parameter).unwrap_or(0.0);
    (advice.best.min(most), Stride::Tenth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_goes_the_whole_way_and_a_share_never_above_its_owners() {
        let owners = PolicyConfig::default();
        let usual = owners.lp_management.base_exposure;
        for (parameter, best, value, stride) in [
            ("lp_management.range_sigmas", 3.0, 3.0, Stride::Whole),
            ("lp_management.range_sigmas", 10.8, 10.8, Stride::Whole),
            ("lp_management.base_exposure", usual * 0.5, usual * 0.5, Stride::Tenth),
            ("lp_management.base_exposure", usual * 1.8, usual, Stride::Tenth),
        ] {
            let (current, better_bps, error_bps, stretches) = (usual, 50.0, 1.0, 9.0);
            let advice = TunedAdvice {
                parameter: parameter.into(),
                current,
                best,
                better_bps,
                error_bps,
                stretches,
                is_clear: true,
                borne_out: true,
            };
            let (got, by) = goal(&advice, &owners);
            assert!((got - value).abs() < 1e-12 && by == stride, "{parameter} to {best}: {got} {by:?}");
        }
    }
}
