//! The verdict between deciding and acting: each wish, with what it would do, is held against the gate, the purse, the
//! capital and the cage. Only what comes out of here with a permit can be carried out.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::{NotPermitted, Wished};
use golem_cage::{CageAsk, Denial, Permit};
use golem_core::intent::{Outcome, Refusal};
use golem_core::{Footing, Preview, Usdc};
use golem_daimon::gate::{Exposure, classify, gate};
use golem_mind::policy::action_vector;
use golem_mortality::economic::{Purpose, PurseDenied};

/// What the wishes granted so far would take.
#[derive(Default)]
struct TakenSoFar {
    gas: Usdc,
    capital: Usdc,
}

impl Life {
    /// Judge the wishes of this turn, in their order.
    pub(crate) fn judge(&mut self, previews: &[Preview]) -> Vec<Option<Permit>> {
        let (value, mut taken, mut footing) = (self.valuation(), TakenSoFar::default(), Footing::default());
        let mut granted = Vec::with_capacity(previews.len());
        for preview in previews {
            let passes = self.passes(preview);
            let worth = self.is_worth_settling(preview, taken.gas).and_then(|()| self.is_worth_sending(preview));
            let verdict = match (worth, self.affords(preview, &mut taken)) {
                _ if !passes => Err(not_permitted("the gate is closed".to_owned())),
                (Err(no), _) => Err(no),
                (_, Err(why)) => {
                    self.tell(LifeFact::Denied { purpose: Purpose::Gas, why });
                    Err(not_permitted(why.to_string()))
                }
                _ if footing.carries(&preview.intent) => self.ask_cage(preview, value.nav).map_err(denied),
                _ => {
                    let mut told = Vec::new();
                    let ask = CageAsk { tick: self.state.core.tick, now: self.state.core.age, nav: value.nav, preview };
                    self.state.cage.deny(&ask, &Denial::Unfounded, &mut told);
                    self.tell_of_cage(told);
                    Err(denied(Denial::Unfounded))
                }
            };
            let (permit, refused) = match verdict {
                Ok(permit) => (Some(permit), None),
                Err(refused) => (None, Some(refused)),
            };
            // Those after it were previewed on top of it, unless the preview refused it already.
            footing.note(permit.is_some() || preview.refusal().is_some());
            let decided = permit.as_ref().map(|_| self.tell(LifeFact::Decided { action: preview.intent }));
            self.turn.wished.push(Wished {
                preview: preview.clone(),
                permit: permit.as_ref().map(Permit::id),
                decided,
                refused,
            });
            granted.push(permit);
        }
        let done: Vec<_> =
            previews.iter().zip(&granted).filter(|(_, permit)| permit.is_some()).map(|(p, _)| p.intent).collect();
        let price = self.state.portfolio.price.map_or(0.0, golem_core::Positive::get);
        self.turn.action = action_vector(&done, price, &value);
        granted
    }

    /// Whether a wish may be tried at all, seen with what it would do.
    fn passes(&mut self, preview: &Preview) -> bool {
        let (before, after) = (preview.before.worth.exposure, preview.after.worth.exposure);
        let effect = match after.cmp(&before) {
            std::cmp::Ordering::Greater => Exposure::Grows,
            std::cmp::Ordering::Equal => Exposure::Kept,
            std::cmp::Ordering::Less => Exposure::Shrinks,
        };
        let class = classify(&preview.intent, Some(effect));
        let verdict = gate(class, &self.situation());
        self.note_verdict(preview.intent.name(), class, verdict);
        verdict.is_ok()
    }

    /// Whether gas and capital allow it. What only reduces risk is never refused for want of a full purse.
    fn affords(&self, preview: &Preview, taken: &mut TakenSoFar) -> Result<(), PurseDenied> {
        let gas = taken.gas.plus(preview.gas.cost);
        let put = match preview.outcome {
            Outcome::Bought { paid, .. } | Outcome::Added { paid, .. } => paid,
            Outcome::Moved { got, paid, .. } => paid.minus(got),
            _ => Usdc::ZERO,
        };
        let capital = taken.capital.plus(put);
        if !preview.intent.only_reduces() {
            let caps = self.genesis.settings.mortality.economic.daily_caps;
            self.state.ledger.afford(Purpose::Gas, gas, self.reserve(), &caps)?;
            if capital > self.spendable_capital() {
                return Err(PurseDenied::Reserve);
            }
        }
        *taken = TakenSoFar { gas, capital };
        Ok(())
    }

    fn ask_cage(&mut self, preview: &Preview, nav: Usdc) -> Result<Permit, Denial> {
        let ask = CageAsk { tick: self.state.core.tick, now: self.state.core.age, nav, preview };
        let mut told = Vec::new();
        // The denial itself is among what is told.
        let (cage, leave) = (&mut self.state.cage, &mut self.turn.leave);
        let permit = cage.ask_by_leave(&ask, leave, &self.genesis.settings.cage, &mut told);
        self.tell_of_cage(told);
        permit
    }
}

fn not_permitted(why: String) -> NotPermitted {
    NotPermitted { why, too_large: false, for_good: false }
}

fn denied(why: Denial) -> NotPermitted {
    let too_large = matches!(why, Denial::Slippage { .. } | Denial::WouldFail { why: Refusal::Slippage });
    // Nobody said where home is.
    let for_good = matches!(why, Denial::WouldFail { why: Refusal::Denied });
    NotPermitted { too_large, for_good, ..not_permitted(why.to_string()) }
}
