//! What the playbook and warnings do to a policy: parameters are scaled within their ranges, risk is taken back, opening
//! is closed. A rule never names an amount, never touches what only the owner sets, and never loosens a permission.

use super::{Permissions, PolicyConfig};
use crate::math::unit;
use golem_grimoire::playbook::{Fired, RuleId};
use golem_grimoire::{EntryId, WarningSeverity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a warning leaves of the risk.
const LOW_WARNING: f64 = 0.8;
const MEDIUM_WARNING: f64 = 0.5;
/// Warnings together leave at least this much, unless one of them closes opening: a flood of them must not be stronger
/// than a single grave one.
const LEAST_BY_WARNINGS: f64 = 0.25;
/// A parameter is scaled at most by this, up or down, whatever the rules say.
const MOST_SCALE: f64 = 2.0;

/// The rules that hold in a turn and the warnings that were remembered, taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guidance {
    /// Factors of parameters of the template in use, by key.
    pub scale: BTreeMap<String, f64>,
    /// What is left of the risk, from 0 to 1.
    pub risk: f64,
    /// Whether nothing may be opened.
    pub stand_aside: bool,
    /// Which they are, for credit; a warning has the id of its entry.
    pub rules: Vec<RuleId>,
}

impl Default for Guidance {
    fn default() -> Self {
        Self { scale: BTreeMap::new(), risk: 1.0, stand_aside: false, rules: Vec::new() }
    }
}

impl From<&Fired> for Guidance {
    fn from(fired: &Fired) -> Self {
        let Fired { ids, scale, risk, stand_aside } = fired.clone();
        Self { scale, risk, stand_aside, rules: ids }
    }
}

impl Guidance {
    /// Take a warning to heart: smaller, much smaller, or nothing opened.
    pub fn warn(&mut self, warning: EntryId, severity: WarningSeverity) {
        let warning = RuleId::from(warning);
        if self.rules.contains(&warning) {
            return;
        }
        let floor = LEAST_BY_WARNINGS.min(unit(self.risk));
        match severity {
            WarningSeverity::Low => self.risk = (unit(self.risk) * LOW_WARNING).max(floor),
            WarningSeverity::Medium => self.risk = (unit(self.risk) * MEDIUM_WARNING).max(floor),
            WarningSeverity::High => self.stand_aside = true,
        }
        self.rules.push(warning);
    }
    /// The entries among them: what credit flows back to.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> + '_ {
        self.rules.iter().filter_map(RuleId::entry)
    }
    /// True when it changes nothing.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.scale.is_empty() && self.risk >= 1.0 && !self.stand_aside
    }
    /// What may be done while they hold: never more than before, also where an owner's rule asks for more risk. That one can
    /// only make up for what other rules take away.
    #[must_use]
    pub fn narrow(&self, may: &Permissions) -> Permissions {
        Permissions { risk: unit(may.risk) * unit(self.risk), may_open: may.may_open && !self.stand_aside, ..*may }
    }
    /// The settings while they hold: parameters of the template in use, within their ranges. A factor that would make the
    /// settings contradict themselves is left out, like one that is no number.
    #[must_use]
    pub fn tuned(&self, config: &PolicyConfig) -> PolicyConfig {
        let mut tuned = config.clone();
        for (key, factor) in &self.scale {
            let parameter = config.template.parameters().iter().find(|p| p.key == key.as_str());
            let Some(p) = parameter.filter(|_| factor.is_finite() && *factor > 0.0) else { continue };
            let before = p.get(&tuned);
            let wanted = p.get(config) * factor.clamp(1.0 / MOST_SCALE, MOST_SCALE);
            p.put(&mut tuned, wanted.clamp(p.low, p.high));
            if !tuned.problems().is_empty() {
                p.put(&mut tuned, before);
            }
        }
        tuned
    }
}
