//! Facts read back from a file.

use golem_cage::CageFact;
use golem_core::Tick;
use golem_daimon::affect::AffectFact;
use golem_daimon::gate::GateFact;
use golem_daimon::suffering::SufferingFact;
use golem_dreams::DreamFact;
use golem_dreams::phage::PhageFact;
use golem_life::fact::DaimonFact;
use golem_life::{Fact, LifeFact};
use golem_mortality::MortalityFact;

/// A fact from its stored form: what was written by a turn, of the kind that its name says.
///
/// # Errors
/// When there is no such kind, or its form is another one.
pub fn read(name: &str, tick: Tick, body: &str) -> Result<Fact, serde_json::Error> {
    let is = |names: &[&str]| names.contains(&name);
    let mut fact = match name {
        _ if is(MortalityFact::NAMES) => Fact::Mortality(serde_json::from_str(body)?),
        _ if is(CageFact::NAMES) => Fact::Cage(serde_json::from_str(body)?),
        _ if is(AffectFact::NAMES) => Fact::Daimon(Box::new(DaimonFact::Affect(serde_json::from_str(body)?))),
        _ if is(SufferingFact::NAMES) => Fact::Daimon(Box::new(DaimonFact::Suffering(serde_json::from_str(body)?))),
        _ if is(GateFact::NAMES) => Fact::Daimon(Box::new(DaimonFact::Gate(serde_json::from_str(body)?))),
        _ if is(DreamFact::NAMES) => Fact::Dream(serde_json::from_str(body)?),
        _ if is(PhageFact::NAMES) => Fact::Phage(serde_json::from_str(body)?),
        _ => Fact::Life(serde_json::from_str(body)?),
    };
    // The turn is the envelope's and does not stand in the body.
    match &mut fact {
        Fact::Mortality(MortalityFact::VitalityUpdate { tick: at, .. })
        | Fact::Life(LifeFact::Tick { tick: at, .. } | LifeFact::ModeChange { tick: at, .. }) => *at = tick,
        _ => {}
    }
    Ok(fact)
}
